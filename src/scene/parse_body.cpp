// What stands in space: [[body]], [[source]], [[sink]] and [[collider]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Choice<Sampling> kSamplings[] = {{"uniform", Sampling::kUniform},
                                           {"random", Sampling::kRandom},
                                           {"poisson", Sampling::kPoisson}};

// The material that is named, null after a finding; `material` becomes its index.
const Material* parse_material_name(TableReader& table, const Scene& scene, int& material) {
  const Node* node = table.require("material");
  std::string name;
  if (node == nullptr || !table.string("material", name)) return nullptr;
  std::vector<std::string_view> names;
  for (const Material& known : scene.materials) names.push_back(known.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    table.fail(*node,
               fmt::format("unknown material '{}'{} (the scene has: {})", name,
                           suggestion(name, names), names.empty() ? "none" : list_of(names)));
    return nullptr;
  }
  material = static_cast<int>(found - names.begin());
  return &scene.materials[static_cast<std::size_t>(material)];
}

void parse_sampling(TableReader& table, double& particles_per_cell, Sampling& sampling) {
  particles_per_cell = table.context().is_2d() ? 4 : 8;
  table.number("particles_per_cell", particles_per_cell, Range::positive());
  table.choice<Sampling>("sampling", sampling, kSamplings);
}

void parse_angular_velocity(TableReader& table, Vec3& out) {
  if (table.context().is_2d()) {
    table.number("angular_velocity", out[2]);
  } else {
    table.vector("angular_velocity", out);
  }
}

void parse_stiffness_scale(TableReader& table, ScalarField& out) {
  if (table.field("stiffness_scale", out) && (!out.expression.empty() || out.constant != 1)) {
    table.fail(
        "stiffness_scale",
        "varying stiffness is not available in this version; give the body its own material");
  }
}

void parse_optional_color(TableReader& table, std::optional<Vec3>& out) {
  Vec3 color{};
  if (table.color("color", color)) out = color;
}

// --- motion ---

void parse_times(TableReader& table, std::vector<double>& times) {
  const Node* node = table.require("times");
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

// One entry per key frame, all zero if the key is absent.
template <class Read>
void parse_frames(TableReader& table, std::string_view key, std::size_t count,
                  std::vector<Vec3>& out, Read read) {
  const Node* node = table.find(key);
  out.assign(count, Vec3{});
  if (node == nullptr || !read_type(*node, NodeType::kArray, key, table.context())) return;
  if (node->items.size() != count) {
    table.fail(*node, fmt::format("'{}' must have as many entries as 'times' ({}), found {}", key,
                                  count, node->items.size()));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    read(node->items[i], fmt::format("{}.{}", key, i), out[i], table.context());
  }
}

Keyframes parse_motion(const Node& node, ReadContext& context) {
  Keyframes motion;
  TableReader table(node, "motion", context);
  if (!node.is(NodeType::kTable)) return motion;
  if (const Node* type = table.require("type")) {
    std::size_t index = 0;
    read_choice(*type, "motion type", {"keyframes"}, {}, index, context);
  }
  parse_times(table, motion.times);
  const Node* times = node.find("times");
  table.find("translation");
  table.find("rotation");
  if (times != nullptr && times->is(NodeType::kArray)) {
    parse_frames(table, "translation", times->items.size(), motion.translation, read_vector);
    parse_frames(table, "rotation", times->items.size(), motion.rotation, read_rotation);
  }
  table.vector("pivot", motion.pivot);
  table.finish();
  return motion;
}

void check_not_empty(const Node& root, const Scene& scene, ReadContext& context) {
  const Node* body = root.find("body");
  const bool readable = body == nullptr || body->is(NodeType::kArray);
  if (readable && scene.bodies.empty() && scene.sources.empty()) {
    context.findings.add(
        root.where, "the scene has no [[body]] and no [[source]]: there is nothing to simulate");
  }
}

}  // namespace

void parse_name(TableReader& table, std::string_view kind, std::size_t index, std::string& name,
                std::vector<std::string>& taken) {
  name = fmt::format("{}{}", kind, index);
  if (!table.string("name", name)) return;
  if (name.empty()) {
    table.fail("name", "'name' must not be empty");
  } else if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    table.fail("name", fmt::format("there is already a {} named '{}'", kind, name));
  }
  taken.push_back(name);
}

void parse_bodies(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "body", context, [&](TableReader& table, std::size_t index) {
    Body body;
    parse_name(table, "body", index, body.name, names);
    const Material* material = parse_material_name(table, scene, body.material);
    parse_shape_key(table, body.shape);
    parse_sampling(table, body.particles_per_cell, body.sampling);
    table.field("velocity", body.velocity);
    parse_angular_velocity(table, body.angular_velocity);
    table.number("stretch", body.stretch, Range::positive());
    table.number("density_scale", body.density_scale, Range::positive());
    parse_stiffness_scale(table, body.stiffness_scale);
    parse_optional_color(table, body.color);
    parse_start(table, scene, material, body.temperature, body.phase);
    scene.bodies.push_back(std::move(body));
  });
}

void parse_sources(const Node& root, Scene& scene, ReadContext& context) {
  // A top-level string `source` says where the scene comes from; the emitters are an array of
  // tables.
  const Node* node = root.find("source");
  std::vector<std::string> names;
  const bool has_sources = node != nullptr && node->is(NodeType::kArray);
  if (has_sources) {
    parse_sections(root, "source", context, [&](TableReader& table, std::size_t index) {
      Source source;
      parse_name(table, "source", index, source.name, names);
      const Material* material = parse_material_name(table, scene, source.material);
      parse_shape_key(table, source.shape);
      table.vector("velocity", source.velocity);
      table.number("start", source.start, Range::non_negative());
      table.number("end", source.end);
      if (!(source.end > source.start)) {
        table.fail("end", fmt::format("'end' ({}) must come after 'start' ({})", source.end,
                                      source.start));
      }
      parse_sampling(table, source.particles_per_cell, source.sampling);
      parse_start(table, scene, material, source.temperature, source.phase);
      scene.sources.push_back(std::move(source));
    });
  }
  check_not_empty(root, scene, context);
}

void parse_sinks(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "sink", context, [&](TableReader& table, std::size_t index) {
    Sink sink;
    parse_name(table, "sink", index, sink.name, names);
    parse_shape_key(table, sink.shape);
    scene.sinks.push_back(std::move(sink));
  });
}

void parse_colliders(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "collider", context, [&](TableReader& table, std::size_t index) {
    Collider collider;
    parse_name(table, "collider", index, collider.name, names);
    parse_shape_key(table, collider.shape);
    table.choice<BoundaryType>("boundary", collider.boundary, kBoundaries);
    table.number("friction", collider.friction, Range::non_negative());
    if (is_staggered(scene) && collider.friction > 0) table.fail("friction", kNoFriction);
    if (const Node* motion = table.find("motion")) collider.motion = parse_motion(*motion, context);
    table.color("color", collider.color);
    parse_temperature(table, "temperature", scene, collider.temperature);
    scene.colliders.push_back(std::move(collider));
  });
}

}  // namespace firn::scene
