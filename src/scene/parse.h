// The parts of the scene parser: each fills one part of a Scene from its tables and reports what it
// cannot accept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/scene/reader.h"

namespace firn::scene {

inline bool is_incompressible(const Scene& scene) {
  return scene.simulation.integrator == Integrator::kIncompressible;
}

// [simulation] also settles context.dimension, so it comes first.
void parse_simulation(const Node& root, Scene& scene, ReadContext& context);
void parse_transfer(const Node& root, Scene& scene, ReadContext& context);
void parse_time(const Node& root, Scene& scene, ReadContext& context);
void parse_grid(const Node& root, Scene& scene, ReadContext& context);
void parse_fluid(const Node& root, Scene& scene, ReadContext& context);
// After bodies, which it names.
void parse_tracers(const Node& root, Scene& scene, ReadContext& context);
void parse_output(const Node& root, Scene& scene, ReadContext& context);

// Before bodies and sources, which name materials.
void parse_materials(const Node& root, Scene& scene, ReadContext& context);
void parse_bodies(const Node& root, Scene& scene, ReadContext& context);
void parse_sources(const Node& root, Scene& scene, ReadContext& context);
void parse_sinks(const Node& root, Scene& scene, ReadContext& context);
void parse_colliders(const Node& root, Scene& scene, ReadContext& context);

// The `shape` of a table, which must be there.
void parse_shape_key(TableReader& table, Shape& out);

// Of bodies; faces of the domain have more.
inline constexpr Choice<BoundaryType> kBoundaries[] = {{"sticky", BoundaryType::kSticky},
                                                       {"slip", BoundaryType::kSlip},
                                                       {"separate", BoundaryType::kSeparate}};

// Calls parse(TableReader&) for the table `key` of the root, if there is one, and reports unknown
// keys.
template <class Parse>
void parse_section(const Node& root, std::string_view key, ReadContext& context, Parse parse) {
  const Node* node = root.find(key);
  if (node == nullptr) return;
  TableReader table(*node, "[" + std::string(key) + "]", context);
  if (!node->is(NodeType::kTable)) return;
  parse(table);
  table.finish();
}

// The same for every [[key]]; parse(TableReader&, index).
template <class Parse>
void parse_sections(const Node& root, std::string_view key, ReadContext& context, Parse parse) {
  const Node* nodes = root.find(key);
  const std::string label = "[[" + std::string(key) + "]]";
  if (nodes == nullptr || !read_type(*nodes, NodeType::kArray, label, context)) return;
  for (std::size_t i = 0; i < nodes->items.size(); ++i) {
    TableReader table(nodes->items[i], label, context);
    if (!nodes->items[i].is(NodeType::kTable)) continue;
    parse(table, i);
    table.finish();
  }
}

}  // namespace firn::scene
