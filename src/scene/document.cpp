// Text to tree: toml++ parses, this file converts. It also refuses nesting so deep that recursion
// over the tree (here and inside toml++) could exhaust the stack.
#include "src/scene/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

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

// Finds keys of absurdly many dotted parts before toml++ builds a tree as deep. Dots in strings and
// comments do not count. toml++ itself limits the nesting of arrays and inline tables, but not
// this.
class DotCounter {
 public:
  explicit DotCounter(std::string_view text) : text_(text) {}

  // Line of the first key with more than `limit` dots, or 0.
  unsigned first_line_over(unsigned limit) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        dots_ = c == '.' ? dots_ + 1 : (separates_keys(c) ? 0 : dots_);
        ++at_;
      }
      if (dots_ > limit) return line_;
    }
    return 0;
  }

 private:
  static bool separates_keys(char c) {
    return std::string_view("\n=,{}[]").find(c) != std::string_view::npos;
  }

  void skip_string(char quote) {
    const bool multi_line = text_.substr(at_, 3) == std::string(3, quote);
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        if (!multi_line) return;
        ++line_;
      }
      if (text_[at_] == '\\' && quote == '"') {
        at_ += 2;
      } else if (!multi_line && text_[at_] == quote) {
        ++at_;
        return;
      } else if (multi_line && text_.substr(at_, 3) == std::string(3, quote)) {
        at_ += 3;
        return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  unsigned dots_ = 0;
};

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
  constexpr unsigned kMostDots =
      32;  // with toml++'s 256 nested values the deepest tree has 2^13 levels
  if (const unsigned line = DotCounter(text).first_line_over(kMostDots)) {
    refuse({origin, line, 1, false}, fmt::format("a key has more than {} dotted parts", kMostDots));
  }
  try {
    const toml::table table = toml::parse(text);
    return convert(table, origin, 0);
  } catch (const toml::parse_error& error) {
    refuse(location_of(error.source(), origin), error.description());
  }
}

}  // namespace firn::scene
