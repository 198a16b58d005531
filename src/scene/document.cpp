// Text to tree: toml++ parses, this file converts. Nesting so deep that recursion over the tree
// could exhaust the stack is refused here once, for all that follows.
#include "src/scene/document.h"

#include <fmt/format.h>

// toml++ 3.3 asserts (and, with NDEBUG, assumes) that a table header starts with a letter, a digit
// or a quote, which "[$x]" does not. Compiled here, with its assertions empty, it goes on to its
// own error message for that.
#undef NDEBUG
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

#include "src/scene/prescan.h"

namespace firn::scene {
namespace {

Location location_of(const toml::source_region& region, const std::string& origin) {
  return {origin, std::max(1U, region.begin.line), std::max(1U, region.begin.column), false};
}

[[noreturn]] void refuse(const Location& where, std::string_view message) {
  Findings findings;
  findings.add(where, message);
  findings.throw_if_any();
  throw Error(ErrorCategory::kScene, std::string(message));
}

template <class Date>
std::string date_text(const Date& date) {
  std::ostringstream out;
  out << date;
  return out.str();
}

Node convert(const toml::node& node, const std::string& origin, int depth);

void convert_table(const toml::table& table, const std::string& origin, int depth, Node& out) {
  out.type = NodeType::kTable;
  for (const auto& [key, value] : table) {
    out.entries.push_back({std::string(key.str()), location_of(key.source(), origin),
                           convert(value, origin, depth + 1)});
  }
  // toml++ sorts by name; the order of the file is what a reader expects, of materials above all.
  std::stable_sort(out.entries.begin(), out.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
}

Node convert(const toml::node& node, const std::string& origin, int depth) {
  Node out;
  out.where = location_of(node.source(), origin);
  if (depth > kDeepestNesting) {
    refuse(out.where, fmt::format("values are nested more than {} levels deep; flatten them",
                                  kDeepestNesting));
  }
  if (const auto* table = node.as_table()) {
    convert_table(*table, origin, depth, out);
  } else if (const auto* array = node.as_array()) {
    out.type = NodeType::kArray;
    for (const toml::node& item : *array) out.items.push_back(convert(item, origin, depth + 1));
  } else if (const auto* boolean = node.as_boolean()) {
    out.type = NodeType::kBoolean;
    out.boolean = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    out.type = NodeType::kInteger;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = node.as_floating_point()) {
    out.type = NodeType::kNumber;
    out.number = number->get();
  } else if (const auto* text = node.as_string()) {
    out.type = NodeType::kString;
    out.text = text->get();
  } else {
    out.type = NodeType::kDate;
    if (const auto* date = node.as_date()) out.text = date_text(date->get());
    if (const auto* time = node.as_time()) out.text = date_text(time->get());
    if (const auto* both = node.as_date_time()) out.text = date_text(both->get());
  }
  return out;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string_view describe(NodeType type) {
  switch (type) {
    case NodeType::kBoolean:
      return "a boolean";
    case NodeType::kInteger:
      return "an integer";
    case NodeType::kNumber:
      return "a number";
    case NodeType::kString:
      return "a string";
    case NodeType::kDate:
      return "a date or time";
    case NodeType::kArray:
      return "an array";
    case NodeType::kTable:
      return "a table";
  }
  return "nothing";
}

Node parse_document(std::string_view text, const std::string& origin) {
  if (const auto problem = prescan(text)) {
    refuse({origin, problem->line, problem->column, false}, problem->message);
  }
  try {
    const toml::table table = toml::parse(text);
    return convert(table, origin, 0);
  } catch (const toml::parse_error& error) {
    std::string message(error.description());
    // The one clash that the scene language itself invites: `source` names an origin and emitters.
    if (message.find("existing string 'source'") != std::string::npos) {
      message += "; a scene with [[source]] gives its origin as reference = \"...\"";
    }
    refuse(location_of(error.source(), origin), message);
  }
}

}  // namespace firn::scene
