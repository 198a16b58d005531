// What tables of key frames have in common: `times`, and lists with an entry for each of them.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "src/scene/parse.h"

namespace firn::scene {

inline void read_times(TableReader& table, std::vector<double>& times) {
  const Node* node = table.find("times");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "times", table.context())) return;
  if (node->items.empty()) table.fail(*node, "'times' must not be empty");
  for (const Node& item : node->items) {
    double time = 0;
    if (!read_number(item, "times", Range::any(), time, table.context())) return;
    if (!times.empty() && !(time > times.back())) {
      table.fail(item, fmt::format("'times' must increase strictly, but {} follows {}", time,
                                   times.back()));
    }
    times.push_back(time);
  }
}

// One entry per key frame, if the key is there: `read(node, what, out, context)` reads it. Returns
// whether all are valid.
template <class T, class Read>
bool read_frames(TableReader& table, std::string_view key, std::size_t count, std::vector<T>& out,
                 Read read) {
  const Node* node = table.at(key);
  if (node == nullptr) return true;
  if (!read_type(*node, NodeType::kArray, key, table.context())) return false;
  if (node->items.size() != count) {
    table.fail(*node, fmt::format("'{}' must have as many entries as 'times' ({}), found {}", key,
                                  count, node->items.size()));
    return false;
  }
  out.resize(count);
  bool valid = true;
  for (std::size_t i = 0; i < count; ++i)
    valid &= read(node->items[i], fmt::format("{}.{}", key, i), out[i], table.context());
  return valid;
}

}  // namespace firn::scene
