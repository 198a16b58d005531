// The parts of the scene parser: each fills one part of a Scene from its tables and reports what it
// cannot accept.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/scene/integrator_traits.h"
#include "src/scene/rows.h"

namespace firn::scene {

// The whole of a scene, from the document that variant and overrides have been applied to.
Scene parse_tree(const Node& document, ReadContext& context);

inline bool is_incompressible(const Scene& scene) {
  return traits_of(scene).staggered && !traits_of(scene).unified;
}
inline bool is_thermal(const Scene& scene) { return traits_of(scene).unified; }
// Whether velocities live on the faces of a MAC grid, where walls have no friction.
inline bool is_staggered(const Scene& scene) { return traits_of(scene).staggered; }
inline Under setting_of(const Scene& scene) {
  if (is_thermal(scene)) return scene.thermal.heat ? Under::kHeat : Under::kNoHeat;
  if (is_incompressible(scene)) return Under::kIncompressible;
  const IntegratorTraits& traits = traits_of(scene);
  if (!traits.implicit) return Under::kExplicit;
  return traits.linear ? Under::kLinear : Under::kOptimization;
}
inline constexpr Choice<Look> kLooks[] = {
    {"auto", Look::kAuto, "as surfaces; snow and sand as particles"},
    {"surface", Look::kSurface},
    {"particles", Look::kParticles}};
// A scene with nothing but that setting.
Scene scene_under(Under setting);
inline constexpr std::string_view kNoFriction =
    "under integrators \"incompressible\" and \"thermal\" everything must slide without friction; "
    "remove 'friction'";

// [simulation] also settles context.dimension, so it comes first.
void parse_simulation(const Node& root, Scene& scene, ReadContext& context);
// Before all that may name a temperature.
void parse_thermal(const Node& root, Scene& scene, ReadContext& context);
void parse_transfer(const Node& root, Scene& scene, ReadContext& context);
void parse_time(const Node& root, Scene& scene, ReadContext& context);
void parse_grid(const Node& root, Scene& scene, ReadContext& context);
void parse_fluid(const Node& root, Scene& scene, ReadContext& context);
void parse_implicit(const Node& root, Scene& scene, ReadContext& context);
// After bodies, which it names.
void parse_tracers(const Node& root, Scene& scene, ReadContext& context);
void parse_output(const Node& root, Scene& scene, ReadContext& context);
// After [output], which measures.
void parse_diagnostics(const Node& root, Scene& scene, ReadContext& context);

// Before bodies and sources, which name materials.
void parse_materials(const Node& root, Scene& scene, ReadContext& context);
void parse_bodies(const Node& root, Scene& scene, ReadContext& context);
void parse_sources(const Node& root, Scene& scene, ReadContext& context);
void parse_sinks(const Node& root, Scene& scene, ReadContext& context);
void parse_colliders(const Node& root, Scene& scene, ReadContext& context);
void parse_heat_sources(const Node& root, Scene& scene, ReadContext& context);
// After materials, which it names.
void parse_forces(const Node& root, Scene& scene, ReadContext& context);
// From a material to those that bodies made of it have instead, each its own.
using OwnMaterials = std::multimap<int, int>;
// After materials and bodies, which it names, and forces, which go on acting on these.
OwnMaterials parse_contacts(const Node& root, Scene& scene, ReadContext& context);
// After all that it names.
void parse_sensors(const Node& root, Scene& scene, const OwnMaterials& own, ReadContext& context);
// Whether bodies may be missing, whose instances are not made behind a finding.
bool lacks_instances(const Node& root, const ReadContext& context);

// Why a key about heat means nothing in this scene; nothing if it does mean something.
std::optional<std::string_view> why_no_heat(const Scene& scene);
// The optional `temperature` of a boundary, refused where the scene has no heat.
void parse_temperature(TableReader& table, std::string_view key, const Scene& scene,
                       std::optional<ScalarField>& out);
// `temperature` and `phase` of what is made of `material`, which may be null if its name is wrong.
void parse_start(TableReader& table, const Scene& scene, const Material* material,
                 ScalarField& temperature, std::optional<Phase>& phase);

// A model and its keys, beside those that every material has.
struct ModelKeys {
  std::string_view name;
  MaterialModel model;
  std::string_view about;
  std::span<const std::string_view> required, optional;
};
std::span<const ModelKeys> material_models();
// The model's optional key that may be given in place of a required one; empty where none may.
std::string_view stand_in_of(const ModelKeys& model, std::string_view required);
inline constexpr std::array<std::string_view, 5> kOfAllMaterials = {"model", "preset", "color",
                                                                    "look", "finish"};
// All that mean something for the model in this scene but `kOfAllMaterials`.
std::vector<std::string_view> model_keys(const Scene& scene, const ModelKeys& model);
// The model that a preset of `model` has in this scene.
MaterialModel model_of_preset(const Scene& scene, MaterialModel model);
// Why the scene's integrator does not move this model; empty if it does.
std::string_view why_not_moved(const Scene& scene, MaterialModel model);

// h0, h1 and h3 are angles in degrees; h2 is the rate of the exponential and has no unit.
void parse_friction_hardening(TableReader& table, std::array<double, 4>& out);
void check_dilatancy(TableReader& table, const Material& material);
void check_cam_clay(TableReader& table, const Material& material);
// The keys that the thermal integrator adds to the material, all but its required ones checked.
void parse_thermal_material(TableReader& table, const Scene& scene, Material& material);
// Those that are there in this scene for a material of this model.
std::vector<std::string_view> thermal_keys(const Scene& scene, MaterialModel model);
// What a valid material of the thermal integrator may still lack or contradict.
void check_thermal_material(TableReader& table, const Scene& scene, const Material& material);

template <class T>
std::vector<std::string_view> names_of(const std::vector<T>& things) {
  std::vector<std::string_view> names;
  names.reserve(things.size());
  for (const T& thing : things) names.push_back(thing.name);
  return names;
}

// The rows that several tables have.
constexpr Key name_key(std::string_view otherwise) {
  return key("name", "in reports and messages; each but once",
             {.kind = Kind::kString, .otherwise = otherwise});
}
constexpr Key shape_key(std::string_view about) {
  return table_key("shape", kShape, about, {.required = true});
}

// Names that things of a kind have by now, given or not.
using Names = std::set<std::string, std::less<>>;
// The `name` of a table, `kind` and `index` if it has none; one of `taken` is a finding.
void parse_name(TableReader& table, std::string_view kind, std::size_t index, std::string& name,
                Names& taken);
// Adds a name to `taken`; if it is there, a finding at the table's name.
void take_name(TableReader& table, std::string_view kind, const std::string& name, Names& taken);

// The `shape` of a table of that name, which must be there; only that of a collider may be one that
// changes.
void parse_shape_key(TableReader& table, std::string_view name, Shape& out,
                     bool may_change = false);

// A table of key frames.
Keyframes parse_motion(const Node& node, ReadContext& context);
Camera parse_camera(const Node& node, const Vec3& gravity, ReadContext& context);
// Its `place`: shapes are moved as that says, onto the colliders that the scene has by now, but
// left where they are if no files are read.
void place_shapes(TableReader& table, const Scene& scene, std::vector<Shape>& shapes);
// What `instances` makes of the shape; empty without the key, or after a finding.
std::vector<Shape> parse_instances(TableReader& table, const Scene& scene, const Shape& shape);
extern const Key kPlaceWord;
constexpr Key place_key(std::string_view otherwise) {
  return table_key("place", kPlace, "where the shape is moved to",
                   {.also = &kPlaceWord, .otherwise = otherwise});
}

// Of bodies; faces of the domain have more.
inline constexpr Choice<BoundaryType> kBoundaries[] = {
    {"sticky", BoundaryType::kSticky, "what touches it moves with it"},
    {"slip", BoundaryType::kSlip, "material slides along it and never leaves it"},
    {"separate", BoundaryType::kSeparate, "material slides along it and may leave it"}};

// The word of a face of the domain.
std::optional<Node> face_boundary(BoundaryType boundary);

inline constexpr Choice<Phase> kPhases[] = {{"solid", Phase::kSolid}, {"liquid", Phase::kLiquid}};

// The rows of a section of the scene, which count as asked for.
const Table& section_rows(std::string_view key, ReadContext& context);

// Calls parse(TableReader&) for the table `key` of the root, if there is one, and reports unknown
// keys.
template <class Parse>
void parse_section(const Node& root, std::string_view key, ReadContext& context, Parse parse) {
  const Table& rows = section_rows(key, context);
  const Node* node = root.find(key);
  if (node == nullptr) return;
  TableReader table(*node, rows, context);
  if (!node->is(NodeType::kTable)) return;
  parse(table);
  table.finish();
}

// The same for every [[key]]; parse(TableReader&, index).
template <class Parse>
void parse_sections(const Node& root, std::string_view key, ReadContext& context, Parse parse) {
  const Table& rows = section_rows(key, context);
  const Node* nodes = root.find(key);
  if (nodes == nullptr || !read_type(*nodes, NodeType::kArray, rows.name, context)) return;
  for (std::size_t i = 0; i < nodes->items.size(); ++i) {
    TableReader table(nodes->items[i], rows, context);
    if (!nodes->items[i].is(NodeType::kTable)) continue;
    parse(table, i);
    table.finish();
  }
}

}  // namespace firn::scene
