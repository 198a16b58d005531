// Tree to TOML text, for the copy of the resolved scene that a run leaves beside its output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/scene/document.h"

namespace firn::scene {
namespace {

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void write_key(std::string& out, std::string_view key) {
  constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
  if (bare) {
    out += key;
  } else {
    write_string(out, key);
  }
}

void write_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += std::isnan(number) ? "nan" : (number > 0 ? "inf" : "-inf");
    return;
  }
  const std::string digits =
      fmt::format("{}", number);  // the shortest text that reads back the same
  out += digits;
  if (digits.find_first_of(".e") == std::string::npos) out += ".0";
}

void write_value(std::string& out, const Node& node);

void write_inline_table(std::string& out, const Node& table) {
  out += '{';
  const char* separator = " ";
  for (const Entry& entry : table.entries) {
    out += separator;
    write_key(out, entry.key);
    out += " = ";
    write_value(out, entry.value);
    separator = ", ";
  }
  out += table.entries.empty() ? "}" : " }";
}

void write_array(std::string& out, const Node& array) {
  out += '[';
  const char* separator = "";
  for (const Node& item : array.items) {
    out += separator;
    write_value(out, item);
    separator = ", ";
  }
  out += ']';
}

void write_value(std::string& out, const Node& node) {
  switch (node.type) {
    case NodeType::kBoolean:
      out += node.boolean ? "true" : "false";
      break;
    case NodeType::kInteger:
      out += fmt::format("{}", node.integer);
      break;
    case NodeType::kNumber:
      write_number(out, node.number);
      break;
    case NodeType::kString:
      write_string(out, node.text);
      break;
    case NodeType::kDate:
      out += node.text;
      break;
    case NodeType::kArray:
      write_array(out, node);
      break;
    case NodeType::kTable:
      write_inline_table(out, node);
      break;
  }
}

void write_section(std::string& out, std::string_view header, const Node& table) {
  out += out.empty() ? "" : "\n";
  out += header;
  out += '\n';
  for (const Entry& entry : table.entries) {
    write_key(out, entry.key);
    out += " = ";
    write_value(out, entry.value);
    out += '\n';
  }
}

bool is_table(const Node& node) { return node.is(NodeType::kTable); }
bool is_array_of_tables(const Node& node) {
  return node.is(NodeType::kArray) && !node.items.empty() &&
         std::all_of(node.items.begin(), node.items.end(), is_table);
}
bool is_table_of_tables(const Node& node) {
  return is_table(node) && !node.entries.empty() &&
         std::all_of(node.entries.begin(), node.entries.end(),
                     [](const Entry& entry) { return is_table(entry.value); });
}

void write_top_entry(std::string& out, const Entry& entry) {
  std::string key;
  write_key(key, entry.key);
  if (is_array_of_tables(entry.value)) {
    for (const Node& item : entry.value.items) write_section(out, "[[" + key + "]]", item);
  } else if (is_table_of_tables(entry.value)) {
    for (const Entry& inner : entry.value.entries) {
      std::string header = "[" + key + ".";
      write_key(header, inner.key);
      write_section(out, header + "]", inner.value);
    }
  } else {
    write_section(out, "[" + key + "]", entry.value);
  }
}

}  // namespace

std::string write_value(const Node& node) {
  std::string out;
  write_value(out, node);
  return out;
}

std::string write_document(const Node& root) {
  std::string out;
  const auto is_section = [](const Node& node) {
    return is_table(node) || is_array_of_tables(node);
  };
  for (const Entry& entry : root.entries) {
    if (is_section(entry.value)) continue;
    write_key(out, entry.key);
    out += " = ";
    write_value(out, entry.value);
    out += '\n';
  }
  for (const Entry& entry : root.entries) {
    if (is_section(entry.value)) write_top_entry(out, entry);
  }
  return out;
}

}  // namespace firn::scene
