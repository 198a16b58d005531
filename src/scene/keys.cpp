// Rows and ranges: looking them up, and their values as nodes.
#include "src/scene/keys.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "src/scene/rows.h"

namespace firn::scene {

bool Range::contains(double value) const {
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Range::text() const {
  if (std::isinf(high)) return fmt::format("{} {}", low_open ? ">" : ">=", low);
  return fmt::format("in {}{}, {}{}", low_open ? '(' : '[', low, high, high_open ? ')' : ']');
}

const Key* Table::find(std::string_view key) const {
  for (const Key& row : keys)
    if (row.name == key) return &row;
  return nullptr;
}

std::vector<Word> Key::all_words() const {
  return more_words != nullptr ? more_words() : std::vector<Word>(words.begin(), words.end());
}

std::vector<std::string_view> names_of(std::span<const Word> words) {
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return names;
}

std::optional<Node> node_of(bool value, const Key&) {
  Node node;
  node.type = NodeType::kBoolean;
  node.boolean = value;
  return node;
}

Node integer_node(std::int64_t value) {
  Node node;
  node.type = NodeType::kInteger;
  node.integer = value;
  node.number = static_cast<double>(value);
  return node;
}

std::optional<Node> node_of(double value, const Key& key) {
  const bool in_degrees = key.kind == Kind::kAngle || key.kind == Kind::kRotation;
  Node node;
  node.type = NodeType::kNumber;
  node.number = in_degrees ? degrees(value) : value;
  return node;
}

Node text_node(const std::string& text) {
  Node node;
  node.type = NodeType::kString;
  node.text = text;
  return node;
}

std::optional<Node> node_of(const std::string& value, const Key&) {
  return value.empty() ? std::nullopt : std::optional(text_node(value));
}

std::optional<Node> node_of(const ScalarField& value, const Key& key) {
  return value.expression.empty() ? node_of(value.constant, key) : node_of(value.expression, key);
}

Node array_node(std::vector<Node> items) {
  Node node;
  node.type = NodeType::kArray;
  node.items = std::move(items);
  return node;
}

}  // namespace firn::scene
