// Where material is, comes from and goes: [[body]], [[source]] and [[sink]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/scene/parse.h"
#include "src/scene/particle_range.h"
#include "src/scene/stressed_bodies.h"

namespace firn::scene {
namespace {

constexpr Choice<Sampling> kSamplings[] = {
    {"uniform", Sampling::kUniform, "on a lattice"},
    {"random", Sampling::kRandom, "anywhere in the cells of a lattice"},
    {"poisson", Sampling::kPoisson, "blue noise: no two too close, no direction"}};

constexpr Key kMaterialName =
    key("material", "name of a [material.NAME]", {.kind = Kind::kString, .required = true});
constexpr Key kPerCell =
    key("particles_per_cell", "in the mean",
        {.kind = Kind::kNumber, .range = Range::positive(), .otherwise = "4 in 2D, 8 in 3D"});
constexpr Key kTemperature = key("temperature", "when the material appears",
                                 {.kind = Kind::kField,
                                  .unit = "K",
                                  .range = Range::positive(),
                                  .required = true,
                                  .under = Under::kHeat,
                                  .variables = "xyz"});
constexpr Key kPhase = key("phase", "when the material appears; of one with a melting_point",
                           {.kind = Kind::kChoice,
                            .under = Under::kHeat,
                            .words = kWordsOf<kPhases>,
                            .otherwise = "as the temperature says"});

constexpr Key kBodyKeys[] = {
    name_key("body0, body1, ..."),
    kMaterialName,
    shape_key("what is filled with particles"),
    place_key("where the shape says"),
    table_key("instances", kInstances, "copies of it", {.otherwise = "the body alone"}),
    kPerCell,
    choice_key<&Body::sampling, kSamplings>("sampling", "how particles are placed"),
    key<&Body::velocity>("velocity", "at the start", {.unit = "m/s"}),
    key<&Body::angular_velocity>("angular_velocity", "about the body's centre of mass",
                                 {.kind = Kind::kSpin, .unit = "rad/s"}),
    key<&Body::stretch>("stretch",
                        "initial deformation gradient over the identity, in which the body fills "
                        "its shape; 1: at rest",
                        {.range = Range::positive()}),
    key<&Body::stress>("stress", "at the start, along x, y and z, tension positive; 0: at rest",
                       {.unit = "Pa", .under = Under::kNodal, .variables = "xyz"}),
    key<&Body::stress_xy>("stress_xy", "shear stress at the start, beside 'stress'",
                          {.unit = "Pa", .under = Under::kNodal, .variables = "xyz"}),
    key<&Body::stress_yz>("stress_yz", "likewise; 3D",
                          {.unit = "Pa", .under = Under::kNodal, .variables = "xyz"}),
    key<&Body::stress_zx>("stress_zx", "likewise; 3D",
                          {.unit = "Pa", .under = Under::kNodal, .variables = "xyz"}),
    key<&Body::density_scale>("density_scale", "times the density of the material",
                              {.range = Range::positive()}),
    key<&Body::stiffness_scale>("stiffness_scale", "only 1 in this version", {.by_hand = true}),
    key<&Body::color>("color", "in pictures",
                      {.kind = Kind::kColor, .otherwise = "the material's"}),
    kTemperature,
    kPhase,
};

constexpr Key kSourceKeys[] = {
    name_key("source0, source1, ..."),
    kMaterialName,
    shape_key("where material appears"),
    key<&Source::velocity>("velocity",
                           "of what flows in, relative to the source; 0: the shape is filled once",
                           {.unit = "m/s"}),
    table_key("motion", kMotion, "how it moves; what it emits moves along",
              {.otherwise = "at rest"}),
    key<&Source::start>("start", "when it begins to emit",
                        {.unit = "s", .range = Range::non_negative()}),
    key<&Source::end>("end", "when it stops; after start",
                      {.unit = "s", .otherwise = "never", .value = no_default}),
    kPerCell,
    choice_key<&Source::sampling, kSamplings>("sampling", "how particles are placed"),
    kTemperature,
    kPhase,
};

constexpr Key kSinkKeys[] = {name_key("sink0, sink1, ..."), shape_key("what enters it is deleted")};

// The material that is named, null after a finding; `material` becomes its index.
const Material* parse_material_name(TableReader& table, const Scene& scene, int& material) {
  std::string name;
  if (!table.read("material", name)) return nullptr;
  std::vector<std::string_view> names;
  for (const Material& known : scene.materials) names.push_back(known.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    table.fail("material",
               fmt::format("unknown material '{}'{} (the scene has: {})", excerpt(name),
                           suggestion(name, names), names.empty() ? "none" : list_of(names)));
    return nullptr;
  }
  material = static_cast<int>(found - names.begin());
  return &scene.materials[static_cast<std::size_t>(material)];
}

void parse_per_cell(TableReader& table, double& particles_per_cell) {
  particles_per_cell = table.context().is_2d() ? 4 : 8;
  table.read("particles_per_cell", particles_per_cell);
}

// Whether what a particle weighs can be summed and squared in the scene's precision.
void check_mass(TableReader& table, const Scene& scene, const Material* material,
                double density_scale, double per_cell) {
  const int d = scene.simulation.dimension;
  if (material == nullptr || !(material->density > 0 && scene.grid.dx > 0 && per_cell > 0)) return;
  const double mass = material->density * density_scale * std::pow(scene.grid.dx, d) / per_cell;
  const double heaviest = most_of_particle(scene);
  if (mass <= heaviest && mass >= 1 / heaviest) return;
  table.fail("material",
             fmt::format("a particle of '{}' would weigh {:.3g} kg, which is beyond what a run can "
                         "sum; check the units of its density ({}) and of grid.dx ({})",
                         material->name, mass, material->density, scene.grid.dx));
}

void check_stretch(TableReader& table, const Material* material, double stretch) {
  if (material == nullptr || material->model != MaterialModel::kIncompressible || stretch == 1)
    return;
  table.fail("stretch", fmt::format("'{}' is incompressible, and cannot begin stretched: remove it",
                                    material->name));
}

void parse_stiffness_scale(TableReader& table, ScalarField& out) {
  if (table.read("stiffness_scale", out) && (!out.expression.empty() || out.constant != 1)) {
    table.fail(
        "stiffness_scale",
        "varying stiffness is not available in this version; give the body its own material");
  }
}

// The body, or its instances.
void add_bodies(TableReader& table, Scene& scene, Body body, Names& names) {
  std::vector<Shape> copies = parse_instances(table, scene, body.shape);
  const bool alone = copies.empty();
  if (alone) copies.push_back(body.shape);
  place_shapes(table, scene, copies);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    Body copy = body;
    if (!alone) {
      copy.name = fmt::format("{}.{}", body.name, i);
      take_name(table, "body", copy.name, names);
    }
    copy.shape = std::move(copies[i]);
    scene.bodies.push_back(std::move(copy));
  }
}

void check_not_empty(const Node& root, const Scene& scene, ReadContext& context) {
  const Node* body = root.find("body");
  const bool readable = body == nullptr || body->is(NodeType::kArray);
  const bool moves = std::any_of(scene.colliders.begin(), scene.colliders.end(),
                                 [](const Collider& c) { return c.dynamics.has_value(); });
  if (!context.may_be_empty && readable && !moves && scene.bodies.empty() &&
      scene.sources.empty()) {
    context.findings.add(root.where,
                         "the scene has no [[body]], no [[source]] and no [[collider]] with a "
                         "mass: there is nothing to simulate");
  }
}

}  // namespace

constinit const Table kBody = {"[[body]]", "Material that is there at the start.", kBodyKeys};
constinit const Table kSource = {
    "[[source]]", "Keeps its shape full of material that flows through it.", kSourceKeys};
constinit const Table kSink = {"[[sink]]", "Deletes particles.", kSinkKeys};
void parse_name(TableReader& table, std::string_view kind, std::size_t index, std::string& name,
                Names& taken) {
  name = fmt::format("{}{}", kind, index);
  if (table.read("name", name) && name.empty())
    return table.fail("name", "'name' must not be empty");
  take_name(table, kind, name, taken);
}

void take_name(TableReader& table, std::string_view kind, const std::string& name, Names& taken) {
  if (!taken.insert(name).second)
    table.fail("name", fmt::format("there is already a {} named '{}'", kind, excerpt(name)));
}

void check_stress(TableReader& table, const Scene& scene, const Body& body) {
  if (body.stretch != 1 && begins_stressed(body))
    for (const char* key : {"stress", "stress_xy", "stress_yz", "stress_zx"})
      if (table.has(key)) {
        table.fail(
            key,
            fmt::format("a body begins with a '{}' or with a 'stretch': remove one of them", key));
        break;
      }
  if (scene.simulation.dimension == 3) return;
  for (const char* key : {"stress_yz", "stress_zx"})
    if (table.has(key))
      table.fail(
          key, fmt::format("'{}' is not in the plane (simulation.dimension = 2): remove it", key));
}

void parse_bodies(const Node& root, Scene& scene, ReadContext& context) {
  Names names;
  parse_sections(root, "body", context, [&](TableReader& table, std::size_t index) {
    Body body;
    parse_name(table, "body", index, body.name, names);
    const Material* material = parse_material_name(table, scene, body.material);
    parse_shape_key(table, body.name, body.shape);
    parse_per_cell(table, body.particles_per_cell);
    table.read_members(body);
    parse_stiffness_scale(table, body.stiffness_scale);
    check_mass(table, scene, material, body.density_scale, body.particles_per_cell);
    check_stretch(table, material, body.stretch);
    check_stress(table, scene, body);
    parse_start(table, scene, material, body.temperature, body.phase);
    add_bodies(table, scene, std::move(body), names);
  });
}

void parse_sources(const Node& root, Scene& scene, ReadContext& context) {
  // A top-level string `source` says where the scene comes from; the emitters are an array of
  // tables.
  const Node* node = root.find("source");
  Names names;
  const bool has_sources = node != nullptr && node->is(NodeType::kArray);
  if (has_sources) {
    parse_sections(root, "source", context, [&](TableReader& table, std::size_t index) {
      Source source;
      parse_name(table, "source", index, source.name, names);
      const Material* material = parse_material_name(table, scene, source.material);
      parse_shape_key(table, source.name, source.shape);
      table.read_members(source);
      if (const Node* motion = table.find("motion")) source.motion = parse_motion(*motion, context);
      if (!(source.end > source.start)) {
        table.fail("end", fmt::format("'end' ({}) must come after 'start' ({})", source.end,
                                      source.start));
      }
      parse_per_cell(table, source.particles_per_cell);
      check_mass(table, scene, material, 1, source.particles_per_cell);
      parse_start(table, scene, material, source.temperature, source.phase);
      scene.sources.push_back(std::move(source));
    });
  }
  check_not_empty(root, scene, context);
}

void parse_sinks(const Node& root, Scene& scene, ReadContext& context) {
  Names names;
  parse_sections(root, "sink", context, [&](TableReader& table, std::size_t index) {
    Sink sink;
    parse_name(table, "sink", index, sink.name, names);
    parse_shape_key(table, sink.name, sink.shape);
    scene.sinks.push_back(std::move(sink));
  });
}

}  // namespace firn::scene
