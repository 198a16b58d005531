// How rows are made: from a member of the scene, whose type and default they take, or by hand.
#pragma once

#include <array>
#include <concepts>
#include <string>

#include "src/scene/reader.h"

namespace firn::scene {

// Values as nodes, for the defaults of a row; nothing for "not given".
std::optional<Node> node_of(bool value, const Key& key);
std::optional<Node> node_of(double value, const Key& key);
std::optional<Node> node_of(const std::string& value, const Key& key);
std::optional<Node> node_of(const ScalarField& value, const Key& key);
Node integer_node(std::int64_t value);
Node text_node(const std::string& text);
Node array_node(std::vector<Node> items);
template <std::integral I>
std::optional<Node> node_of(I value, const Key&) {
  return integer_node(static_cast<std::int64_t>(value));
}
template <class T>
std::optional<Node> node_of(const std::optional<T>& value, const Key& key) {
  return value ? node_of(*value, key) : std::nullopt;
}
template <class Items>
requires requires(const Items& items) { items.size(), items.begin(); }
std::optional<Node> node_of(const Items& items, const Key& key) {
  std::vector<Node> nodes;
  nodes.reserve(items.size());
  for (const auto& item : items)  // in a list an empty text is not "not given"
    nodes.push_back(node_of(item, key).value_or(text_node("")));
  return array_node(std::move(nodes));
}
inline std::optional<Node> node_of(const VectorField& value, const Key& key) {
  return node_of(value.component, key);
}

template <class T>
inline constexpr Kind kKindOf =
    std::same_as<T, bool>                                               ? Kind::kBoolean
    : std::integral<T>                                                  ? Kind::kInteger
    : std::same_as<T, double> || std::same_as<T, std::optional<double>> ? Kind::kNumber
    : std::same_as<T, Vec3>                                             ? Kind::kVector
    : std::same_as<T, ScalarField>                                      ? Kind::kField
    : std::same_as<T, VectorField>                                      ? Kind::kVectorField
                                                                        : Kind::kString;

template <class Member>
struct MemberType;
template <class S, class T>
struct MemberType<T S::*> {
  using Owner = S;
  using Value = T;
};

// The value of rows whose member says nothing of a default.
inline std::optional<Node> no_default(const Key&, const void*) { return std::nullopt; }

// A row that is read by hand.
constexpr Key key(std::string_view name, std::string_view about, const KeyDetails& details) {
  return {details, name, about};
}

template <auto member>
std::optional<Node> value_of(const Key& key, const void* owner) {
  using S = typename MemberType<decltype(member)>::Owner;
  if (owner != nullptr) return node_of(static_cast<const S*>(owner)->*member, key);
  const S defaults{};
  return node_of(defaults.*member, key);
}

// A row of a member of a scene's struct: kind and default come from there.
template <auto member>
constexpr Key key(std::string_view name, std::string_view about, const KeyDetails& details = {}) {
  using Owner = typename MemberType<decltype(member)>::Owner;
  using Value = typename MemberType<decltype(member)>::Value;
  Key key{details, name, about};
  if (key.kind == Kind::kOfMember) key.kind = kKindOf<Value>;
  key.owner = &kOwner<Owner>;
  key.written = value_of<member>;
  if (key.value == nullptr) key.value = key.written;
  if (details.by_hand) return key;
  if constexpr (requires(TableReader & reader, Value & value) { reader.read(name, value); }) {
    key.read = [](TableReader& reader, const Key& row, void* owner) {
      reader.read(row.name, static_cast<Owner*>(owner)->*member);
    };
  }
  return key;
}

// The words of an array of choices, or of anything with `name` and `about`. Static, or g++ 14 takes
// the words of two files' arrays of one name, each in an anonymous namespace, for the same.
template <const auto& choices>
static constexpr auto kWordsOf = [] {
  std::array<Word, std::size(choices)> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {choices[i].name, choices[i].about};
  return words;
}();

template <class E>
std::optional<Node> word_node(std::type_identity_t<std::span<const Choice<E>>> choices,
                              const E& value, const Key& key) {
  for (const Choice<E>& choice : choices)
    if (choice.value == value) return node_of(std::string(choice.name), key);
  return node_of(std::to_string(static_cast<int>(value)), key);  // what no file can say
}

// A row of a member that is one of `choices`.
template <auto member, const auto& choices>
constexpr Key choice_key(std::string_view name, std::string_view about, KeyDetails details = {}) {
  using Owner = typename MemberType<decltype(member)>::Owner;
  details.kind = Kind::kChoice;
  details.words = kWordsOf<choices>;
  Key key{details, name, about};
  key.owner = &kOwner<Owner>;
  key.value = key.written = [](const Key& row, const void* owner) {
    const Owner defaults{};
    return word_node(choices, (owner ? *static_cast<const Owner*>(owner) : defaults).*member, row);
  };
  if (details.by_hand) return key;
  key.read = [](TableReader& reader, const Key& row, void* owner) {
    reader.read(row.name, static_cast<Owner*>(owner)->*member, choices);
  };
  return key;
}

// A row whose value is a table, or an array of tables if `details.list` says so.
constexpr Key table_key(std::string_view name, const Table& rows, std::string_view about,
                        KeyDetails details = {}) {
  if (details.kind == Kind::kOfMember) details.kind = Kind::kTable;
  details.table = &rows;
  return {details, name, about};
}

}  // namespace firn::scene
