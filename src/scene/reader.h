// Typed access to the tables of a document. A TableReader takes the keys of its rows out of one
// table, checks type and range of each, and at the end reports what has no row. A value that fails
// its checks becomes a finding and leaves the member it was read into untouched, so reading always
// goes on to the end of the scene.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firn/scene.h"
#include "src/scene/keys.h"

namespace firn::scene {

struct ReadContext {
  Findings& findings;
  int dimension = 3;  // 0 while the scene's own `dimension` is not a valid one: vectors may then
                      // have 2 or 3 entries
  std::set<const Key*>* asked = nullptr;  // collects the rows that are asked for, if it is there
  bool reads_files = true;                // else the files of shapes are taken for granted
  bool may_be_empty = false;              // without bodies and sources
  // Parameters (material, key) that lack meaning since a variant or an override chose another
  // model.
  std::vector<std::array<std::string, 2>> left_behind = {};
  bool is_2d() const { return dimension == 2; }
  void ask(const Key& key) {
    if (asked != nullptr) asked->insert(&key);
  }
};

double radians(double degrees);  // finite for every finite angle
double degrees(double radians);

// One address for each struct that rows are members of.
template <class S>
inline constexpr char kOwner = 0;

// Every key that is named to a TableReader must have a row in its tables, which says what type and
// range its value must have: a key without one throws std::logic_error.
class TableReader {
 public:
  // `label` names the table in messages where its own name does not. A node that is no table is a
  // finding.
  TableReader(const Node& node, const Table& rows, ReadContext& context,
              const std::string& label = {});
  // Takes in the keys that the table's `type` adds.
  void add(const Table& rows) { tables_.push_back(&rows); }

  const Key& row(std::string_view key) const;
  // The key's value or null.
  const Node* at(std::string_view key) const;
  bool has(std::string_view key) const { return at(key) != nullptr; }
  // As at, for reading it: a missing key is a finding if its row says that it is required.
  const Node* find(std::string_view key);
  // As at; a missing key is a finding.
  const Node* require(std::string_view key);
  // A key that means something elsewhere: a finding with the reason if it is there.
  void refuse(std::string_view key, std::string_view reason);
  // Reports the keys that have no row.
  void finish();

  // Each returns whether the key was there and valid, and only then writes `out`.
  bool read(std::string_view key, bool& out);
  bool read(std::string_view key, double& out);
  bool read(std::string_view key, std::string& out);
  bool read(std::string_view key, std::vector<std::string>& out);
  bool read(std::string_view key, Vec3& out);
  bool read(std::string_view key, std::array<double, 2>& out);  // ascending
  bool read(std::string_view key, ScalarField& out);
  bool read(std::string_view key, VectorField& out);
  bool read_in(std::string_view key, double& out, const Range& range);
  // Different ones of `allowed`.
  bool read_words(std::string_view key, std::vector<std::string>& out,
                  const std::vector<std::string_view>& allowed);
  // Which of `known` a list names, in its order: none without the key, or behind a finding; a list
  // that names none is one, told with `advice`.
  std::vector<int> read_indices(std::string_view key, const std::vector<std::string_view>& known,
                                std::string_view advice);
  // The word's index in the row; `what` names the key in messages.
  bool read_word(std::string_view key, std::size_t& index, std::string_view what);

  template <std::integral I>
  bool read(std::string_view key, I& out) {
    std::int64_t value = 0;
    if (!read_integer(key, value)) return false;
    out = static_cast<I>(value);
    return true;
  }

  template <class E>
  bool read(std::string_view key, E& out,
            std::type_identity_t<std::span<const Choice<E>>> choices) {
    std::size_t index = 0;
    if (!read_word(key, index, key)) return false;
    out = choices[index].value;
    return true;
  }

  template <class T>
  bool read(std::string_view key, std::optional<T>& out) {
    T value{};
    if (!read(key, value)) return false;
    out = std::move(value);
    return true;
  }

  // Every key whose row is a member of S and not read by hand.
  template <class S>
  void read_members(S& out) {
    for (const Table* rows : tables_)
      for (const Key& key : rows->keys)
        if (key.owner == &kOwner<S> && key.read != nullptr) key.read(*this, key, &out);
  }

  void fail(const Node& node, std::string_view message) {
    context_.findings.add(node.where, message);
  }
  void fail(std::string_view key,
            std::string_view message);  // at the key's value, or at the table if it is absent
  const Node& node() const { return table_; }
  const std::string& label() const { return label_; }
  ReadContext& context() { return context_; }

 private:
  bool read_integer(std::string_view key, std::int64_t& out);
  bool read_color(const Node& node, std::string_view key, Vec3& out);
  bool read_direction(const Node& node, std::string_view key, Vec3& out);

  const Node& table_;
  std::string label_;
  ReadContext& context_;
  std::vector<const Table*> tables_;
};

// The same checks for values that are no direct member of a table; `what` names the value in
// messages.
bool read_type(const Node& node, NodeType type, std::string_view what, ReadContext& context);
bool read_number(const Node& node, std::string_view what, const Range& range, double& out,
                 ReadContext& context);
bool read_field(const Node& node, std::string_view what, ScalarField& out, ReadContext& context,
                std::string_view variables = "xyzt", const Range& range = Range::any());
bool read_vector(const Node& node, std::string_view what, Vec3& out, ReadContext& context,
                 const Range& of_entries = Range::any());
bool read_rotation(const Node& node, std::string_view what, Vec3& out, ReadContext& context);
// Index of the string among `names`; a miss is a finding.
bool read_choice(const Node& node, std::string_view what,
                 const std::vector<std::string_view>& names,
                 std::span<const Unavailable> unavailable, std::size_t& index,
                 ReadContext& context);

}  // namespace firn::scene
