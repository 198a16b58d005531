// The checks of TableReader, and the wording of what fails them.
#include "src/scene/reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>

#include "src/scene/expression.h"
#include "src/scene/unit_direction.h"

namespace firn::scene {
namespace {

// Whether `node` is an array with as many entries as the scene has dimensions.
bool check_entries(const Node& node, std::string_view what, ReadContext& context) {
  if (!read_type(node, NodeType::kArray, what, context)) return false;
  const std::size_t found = node.items.size();
  const bool fits = context.dimension == 0 ? found == 2 || found == 3
                                           : found == static_cast<std::size_t>(context.dimension);
  if (!fits && context.dimension == 0) {
    context.findings.add(node.where,
                         fmt::format("'{}' must have 2 or 3 entries, found {}", what, found));
  } else if (!fits) {
    context.findings.add(
        node.where, fmt::format("'{}' must have {} entries (simulation.dimension = {}), found {}",
                                what, context.dimension, context.dimension, found));
  }
  return fits;
}

// A bound of integers; infinite ones are the ends of their type.
std::int64_t whole(double bound) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (std::isinf(bound)) return bound < 0 ? Limits::min() : Limits::max();
  return static_cast<std::int64_t>(bound);
}

// value * a / b, also where the product is beyond what a double holds.
double scaled(double value, double a, double b) {
  const double product = value * a;
  return std::isfinite(product) ? product / b : value / b * a;
}

}  // namespace

double radians(double degrees) { return scaled(degrees, std::numbers::pi, 180); }
double degrees(double radians) { return scaled(radians, 180, std::numbers::pi); }

bool read_type(const Node& node, NodeType type, std::string_view what, ReadContext& context) {
  if (node.is(type)) return true;
  context.findings.add(node.where, fmt::format("'{}' must be {}, found {}", what, describe(type),
                                               describe(node.type)));
  return false;
}

bool read_number(const Node& node, std::string_view what, const Range& range, double& out,
                 ReadContext& context) {
  if (!node.is(NodeType::kInteger) && !read_type(node, NodeType::kNumber, what, context))
    return false;
  if (!std::isfinite(node.number)) {
    context.findings.add(node.where,
                         fmt::format("'{}' must be a finite number, found {}", what, node.number));
    return false;
  }
  if (!range.contains(node.number)) {
    context.findings.add(node.where,
                         fmt::format("'{}' must be {}, found {}", what, range.text(), node.number));
    return false;
  }
  out = node.number;
  return true;
}

bool read_field(const Node& node, std::string_view what, ScalarField& out, ReadContext& context,
                std::string_view variables, const Range& range) {
  if (!node.is(NodeType::kString)) {
    const bool number = node.is(NodeType::kInteger) || node.is(NodeType::kNumber);
    if (!number) {
      context.findings.add(
          node.where, fmt::format("'{}' must be a number or an expression of {}, found {}", what,
                                  fmt::join(variables, ", "), describe(node.type)));
      return false;
    }
    if (!read_number(node, what, range, out.constant, context)) return false;
    out.expression.clear();
    return true;
  }
  if (const auto error = expression_error(node.text, variables)) {
    context.findings.add(node.where, fmt::format("expression \"{}\" in '{}': {}",
                                                 excerpt(node.text), what, excerpt(*error)));
    return false;
  }
  out = {0, node.text};
  return true;
}

bool read_vector(const Node& node, std::string_view what, Vec3& out, ReadContext& context,
                 const Range& of_entries) {
  if (!check_entries(node, what, context)) return false;
  Vec3 vector{};
  bool valid = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    valid &=
        read_number(node.items[i], fmt::format("{}.{}", what, i), of_entries, vector[i], context);
  }
  if (valid) out = vector;
  return valid;
}

bool read_rotation(const Node& node, std::string_view what, Vec3& out, ReadContext& context) {
  Vec3 degrees{};
  const bool valid = context.is_2d() ? read_number(node, what, Range::any(), degrees[2], context)
                                     : read_vector(node, what, degrees, context);
  if (valid) out = {radians(degrees[0]), radians(degrees[1]), radians(degrees[2])};
  return valid;
}

bool read_choice(const Node& node, std::string_view what,
                 const std::vector<std::string_view>& names,
                 std::span<const Unavailable> unavailable, std::size_t& index,
                 ReadContext& context) {
  if (!read_type(node, NodeType::kString, what, context)) return false;
  const auto found = std::find(names.begin(), names.end(), node.text);
  if (found != names.end()) {
    index = static_cast<std::size_t>(found - names.begin());
    return true;
  }
  for (const Unavailable& word : unavailable) {
    if (word.name != node.text) continue;
    context.findings.add(node.where, fmt::format("{} \"{}\" is not available in this version; {}",
                                                 what, node.text, word.instead));
    return false;
  }
  context.findings.add(node.where,
                       fmt::format("unknown {} '{}'{} (known: {})", what, excerpt(node.text),
                                   suggestion(node.text, names), list_of(names)));
  return false;
}

TableReader::TableReader(const Node& node, const Table& rows, ReadContext& context,
                         const std::string& label)
    : table_(node),
      label_(label.empty() ? rows.name : excerpt(label)),
      context_(context),
      tables_{&rows} {
  read_type(table_, NodeType::kTable, label_, context_);
}

const Key& TableReader::row(std::string_view key) const {
  for (const Table* rows : tables_)
    if (const Key* row = rows->find(key)) return *row;
  throw std::logic_error(fmt::format("{} has no row for the key '{}'", label_, key));
}

const Node* TableReader::at(std::string_view key) const { return table_.find(row(key).name); }

const Node* TableReader::find(std::string_view key) {
  const Key& row = this->row(key);
  if (row.required && (row.stand_in.empty() || !has(row.stand_in))) return require(key);
  context_.ask(row);
  return table_.find(key);
}

const Node* TableReader::require(std::string_view key) {
  context_.ask(row(key));
  const Node* node = table_.find(key);
  if (node == nullptr && table_.is(NodeType::kTable)) {
    fail(table_, fmt::format("{} needs the key '{}'", label_, key));
  }
  return node;
}

void TableReader::refuse(std::string_view key, std::string_view reason) {
  context_.ask(row(key));
  if (const Node* node = at(key)) fail(*node, fmt::format("'{}' {}", key, reason));
}

void TableReader::finish() {
  std::vector<std::string_view> known;
  for (const Table* rows : tables_)
    for (const Key& key : rows->keys)
      if (key.in_2d || !context_.is_2d()) known.push_back(key.name);
  for (const Entry& entry : table_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    context_.findings.add(entry.where, fmt::format("unknown key '{}' in {}{}", excerpt(entry.key),
                                                   label_, suggestion(entry.key, known)));
  }
}

void TableReader::fail(std::string_view key, std::string_view message) {
  const Node* node = at(key);
  fail(node != nullptr ? *node : table_, message);
}

bool TableReader::read(std::string_view key, bool& out) {
  const Node* node = find(key);
  if (node == nullptr || !read_type(*node, NodeType::kBoolean, key, context_)) return false;
  out = node->boolean;
  return true;
}

bool TableReader::read(std::string_view key, double& out) {
  return read_in(key, out, row(key).range);
}

bool TableReader::read_in(std::string_view key, double& out, const Range& range) {
  const Node* node = find(key);
  double value = 0;
  if (node == nullptr || !read_number(*node, key, range, value, context_)) return false;
  out = row(key).kind == Kind::kAngle ? radians(value) : value;
  return true;
}

bool TableReader::read(std::string_view key, std::string& out) {
  const Node* node = find(key);
  if (node == nullptr || !read_type(*node, NodeType::kString, key, context_)) return false;
  out = node->text;
  return true;
}

bool TableReader::read(std::string_view key, std::vector<std::string>& out) {
  const std::vector<Word> words = row(key).all_words();
  return read_words(key, out, names_of(words));
}

bool TableReader::read_words(std::string_view key, std::vector<std::string>& out,
                             const std::vector<std::string_view>& allowed) {
  const Node* node = find(key);
  if (node == nullptr || !read_type(*node, NodeType::kArray, key, context_)) return false;
  std::vector<std::string> words;
  bool valid = true;
  const std::vector<Word> all = row(key).all_words();
  const auto has = [](const std::vector<std::string_view>& names, const Node& item) {
    return item.is(NodeType::kString) &&
           std::find(names.begin(), names.end(), item.text) != names.end();
  };
  for (const Node& item : node->items) {
    std::size_t index = 0;
    if (!has(allowed, item) && has(names_of(all), item)) {
      fail(item, fmt::format("{} '{}': this scene has none (it has: {})", key, item.text,
                             list_of(allowed)));
      valid = false;
      continue;
    }
    const bool known = read_choice(item, key, allowed, row(key).unavailable, index, context_);
    const bool repeated = known && std::find(words.begin(), words.end(), item.text) != words.end();
    if (repeated) fail(item, fmt::format("'{}' lists \"{}\" twice", key, item.text));
    valid = valid && known && !repeated;
    words.push_back(item.text);
  }
  if (valid) out = std::move(words);
  return valid;
}

std::vector<int> TableReader::read_indices(std::string_view key,
                                           const std::vector<std::string_view>& known,
                                           std::string_view advice) {
  std::vector<std::string> names;
  std::vector<int> indices;
  if (find(key) == nullptr || !read_words(key, names, known)) return indices;
  if (names.empty()) fail(key, fmt::format("'{}' names none; {}", key, advice));
  std::map<std::string_view, int> places;
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(known[i], static_cast<int>(i));
  indices.reserve(names.size());
  for (const std::string& name : names) indices.push_back(places.at(name));
  return indices;
}

bool TableReader::read_word(std::string_view key, std::size_t& index, std::string_view what) {
  const Node* node = find(key);
  const std::vector<Word> words = row(key).all_words();
  return node != nullptr &&
         read_choice(*node, what, names_of(words), row(key).unavailable, index, context_);
}

bool TableReader::read(std::string_view key, std::array<double, 2>& out) {
  const Node* node = find(key);
  if (node == nullptr || !read_type(*node, NodeType::kArray, key, context())) return false;
  const std::vector<Node>& ends = node->items;
  const auto is_number = [](const Node& n) {
    return n.is(NodeType::kInteger) || n.is(NodeType::kNumber);
  };
  const bool valid = ends.size() == 2 && std::all_of(ends.begin(), ends.end(), is_number) &&
                     ends[0].number < ends[1].number &&
                     std::isfinite(ends[1].number - ends[0].number);
  if (valid)
    out = {ends[0].number, ends[1].number};
  else
    fail(*node, fmt::format("'{}' must be [low, high], two finite numbers that ascend", key));
  return valid;
}

bool TableReader::read(std::string_view key, Vec3& out) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  switch (row(key).kind) {
    case Kind::kDirection:
      return read_direction(*node, key, out);
    case Kind::kColor:
      return read_color(*node, key, out);
    case Kind::kRotation:
      return read_rotation(*node, key, out, context_);
    case Kind::kSpin:
      if (context_.is_2d()) return read_number(*node, key, Range::any(), out[2], context_);
      [[fallthrough]];
    default:
      return read_vector(*node, key, out, context_, row(key).range);
  }
}

bool TableReader::read_direction(const Node& node, std::string_view key, Vec3& out) {
  Vec3 value{};
  if (!read_vector(node, key, value, context_)) return false;
  if (!is_direction(value)) {
    fail(key, fmt::format("'{}' must be a direction, found a vector of length {}", key,
                          length_of(value)));
    return false;
  }
  out = unit_direction(value);
  return true;
}

bool TableReader::read_color(const Node& node, std::string_view key, Vec3& out) {
  if (!read_type(node, NodeType::kArray, key, context_)) return false;
  if (node.items.size() != 3) {
    fail(node, fmt::format("'{}' must have 3 entries (red, green, blue), found {}", key,
                           node.items.size()));
    return false;
  }
  Vec3 value{};
  bool valid = true;
  for (std::size_t i = 0; i < 3; ++i) {
    valid &= read_number(node.items[i], fmt::format("{}.{}", key, i), Range::closed(0, 1), value[i],
                         context_);
  }
  if (valid) out = value;
  return valid;
}

bool TableReader::read(std::string_view key, ScalarField& out) {
  const Node* node = find(key);
  const Key& row = this->row(key);
  return node != nullptr && read_field(*node, key, out, context_, row.variables, row.range);
}

bool TableReader::read(std::string_view key, VectorField& out) {
  const Node* node = find(key);
  if (node == nullptr || !check_entries(*node, key, context_)) return false;
  VectorField value;
  bool valid = true;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    valid &= read_field(node->items[i], fmt::format("{}.{}", key, i), value.component[i], context_);
  }
  if (valid) out = value;
  return valid;
}

bool TableReader::read_integer(std::string_view key, std::int64_t& out) {
  const Node* node = find(key);
  if (node == nullptr || !read_type(*node, NodeType::kInteger, key, context_)) return false;
  const std::int64_t low = whole(row(key).range.low), high = whole(row(key).range.high);
  if (node->integer < low || node->integer > high) {
    fail(*node, fmt::format("'{}' must be from {} to {}, found {}", key, low, high, node->integer));
    return false;
  }
  out = node->integer;
  return true;
}

}  // namespace firn::scene
