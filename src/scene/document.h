// A TOML document as a plain tree in which every key and value knows where it came from. It exists
// beside toml++'s own tree because positions must survive the merging of variants and overrides,
// and keys keep the file's order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/scene/findings.h"

namespace firn::scene {

enum class NodeType { kBoolean, kInteger, kNumber, kString, kDate, kArray, kTable };

struct Entry;

struct Node {
  NodeType type = NodeType::kTable;
  Location where;
  bool whole = false;  // an override gives all of it: nothing of an earlier table stays
  unsigned layer = 0;  // what brought it in: 0 the file, then the variant and each override
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // also of an integer
  std::string text;   // of a string; of a date as it is written
  std::vector<Node> items;
  std::vector<Entry> entries;

  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  bool is(NodeType wanted) const { return type == wanted; }
};

struct Entry {
  std::string key;
  Location where;
  Node value;
};

// Where each value stands becomes its path from the root, which stands at `path`: of documents that
// no file holds.
void locate_by_path(Node& node, const std::string& path);

std::string_view describe(NodeType type);  // "an integer", "a table", ...

// Parses TOML text; `origin` stands for the file in positions. Throws Error{kScene} with the
// position of a syntax error, and if values are nested more than kDeepestNesting levels deep.
inline constexpr int kDeepestNesting = 64;
Node parse_document(std::string_view text, const std::string& origin);

// The TOML text of one value.
std::string write_value(const Node& node);

// The TOML text of a document: top-level tables, [material.x] and [[body]] as sections, the rest
// inline. Parses back to the same values, bit for bit.
std::string write_document(const Node& root);

}  // namespace firn::scene
