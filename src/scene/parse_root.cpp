// The root of a scene file: its title, where it comes from, and its tables.
#include <fmt/format.h>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Key kEmitters = table_key("source", kSource, "what emits particles", {.list = Count{}});

constexpr Key kSceneKeys[] = {
    key<&Scene::title>("title", "what `firn scenes` and reports call the scene"),
    key<&Scene::source>("reference", "where the scene comes from, if it has [[source]] tables"),
    table_key("simulation", kSimulation, "dimension, length, gravity, integrator"),
    table_key("transfer", kTransfer, "between particles and grid"),
    table_key("time", kTime, "time steps"),
    table_key("grid", kGrid, "spacing and domain", {.required = true}),
    table_key("fluid", kFluid, "solver of liquids", {.under = Under::kIncompressible}),
    table_key("implicit", kImplicit, "solver of long steps", {.under = Under::kImplicit}),
    table_key("thermal", kThermal, "solids and liquids with heat", {.under = Under::kThermal}),
    table_key("material", kMaterial, "what bodies and sources are made of, by name",
              {.kind = Kind::kNamedTables}),
    table_key("body", kBody,
              "what is there at the start; a scene has a body, a source or a collider with a mass "
              "at least",
              {.list = Count{}}),
    key("source", "where the scene comes from; as an array of tables: what emits particles",
        {.kind = Kind::kString, .also = &kEmitters}),
    table_key("sink", kSink, "regions that delete particles", {.list = Count{}}),
    table_key("collider", kCollider, "rigid bodies that material meets", {.list = Count{}}),
    table_key("force", kForce, "what accelerates material beside gravity: wind, fields",
              {.list = Count{}}),
    table_key("contact", kContact, "materials that touch instead of holding together",
              {.list = Count{}, .under = Under::kExplicit}),
    table_key("heat_source", kHeatSource, "regions that are heated",
              {.list = Count{}, .under = Under::kHeat}),
    table_key("tracers", kTracers, "massless points for pictures",
              {.under = Under::kIncompressible}),
    table_key("sensor", kSensor, "what is measured while it runs", {.list = Count{}}),
    table_key("output", kOutput, "what a run writes"),
    table_key("diagnostics", kDiagnostics, "what a run looks out for"),
    table_key("variants", kScene,
              "partial scenes by name, laid over this one by `--variant NAME`: tables are merged, "
              "and `body.0.shape.radius` or [variants.NAME.body.0] reaches into an array",
              {.kind = Kind::kNamedTables}),
    key("mesh", "Lagrangian meshes", {.kind = Kind::kReserved}),
};

// `source` is either where the scene comes from or, as [[source]], what emits particles; TOML has
// one meaning per key, so a scene with emitters gives its origin as `reference`.
void parse_origin(TableReader& root, Scene& out) {
  const Node* source = root.find("source");
  if (source == nullptr || source->is(NodeType::kArray)) return;
  if (source->is(NodeType::kString)) {
    out.source = source->text;
  } else {
    root.fail(*source,
              fmt::format(
                  "'source' must be a string (where the scene comes from) or tables ([[source]]), "
                  "found {}",
                  describe(source->type)));
  }
}

void parse_root(const Node& document, Scene& out, ReadContext& context) {
  TableReader root(document, kScene, context);
  root.read_members(out);
  root.find("variants");  // apply_variant has dealt with them
  parse_origin(root, out);
  root.refuse(
      "mesh",
      "(Lagrangian meshes) is not available in this version with integrator \"explicit\"; use a "
      "[[body]] with a mesh shape");
  root.finish();
}

}  // namespace

Scene scene_under(Under setting) {
  Scene scene;
  scene.thermal.heat = setting != Under::kNoHeat;
  for (const IntegratorTraits& traits : kIntegratorTraits) {
    scene.simulation.integrator = traits.integrator;
    if (setting_of(scene) == setting) break;
  }
  return scene;
}

constinit const Table kScene = {"the scene", "", kSceneKeys};

const Table& section_rows(std::string_view key, ReadContext& context) {
  const Key& row = *kScene.find(key);
  context.ask(row);
  return row.table != nullptr ? *row.table : *row.also->table;
}

Scene parse_tree(const Node& document, ReadContext& context) {
  Scene out;
  parse_root(document, out, context);
  parse_simulation(document, out, context);
  parse_thermal(document, out, context);
  parse_transfer(document, out, context);
  parse_time(document, out, context);
  parse_grid(document, out, context);
  parse_fluid(document, out, context);
  parse_implicit(document, out, context);
  parse_materials(document, out, context);
  parse_colliders(document, out, context);  // the ground that bodies may be put on
  parse_bodies(document, out, context);
  parse_tracers(document, out, context);
  parse_sources(document, out, context);
  parse_sinks(document, out, context);
  parse_forces(document, out, context);
  const OwnMaterials own = parse_contacts(document, out, context);
  parse_heat_sources(document, out, context);
  parse_sensors(document, out, own, context);
  parse_output(document, out, context);
  parse_diagnostics(document, out, context);
  return out;
}

}  // namespace firn::scene
