// What stands in space: [[body]], [[source]], [[sink]] and [[collider]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/scene/parse.h"

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
    kPerCell,
    choice_key<&Body::sampling, kSamplings>("sampling", "how particles are placed"),
    key<&Body::velocity>("velocity", "at the start", {.unit = "m/s"}),
    key<&Body::angular_velocity>("angular_velocity", "about the body's centre of mass",
                                 {.kind = Kind::kSpin, .unit = "rad/s"}),
    key<&Body::stretch>("stretch", "initial deformation gradient over the identity; 1: at rest",
                        {.range = Range::positive()}),
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

constexpr Choice<int> kMotions[] = {{"keyframes", 0, "piecewise linear in time"}};
constexpr Key kMotionKeys[] = {
    key("type", "of motion",
        {.kind = Kind::kChoice, .required = true, .words = kWordsOf<kMotions>}),
    key<&Keyframes::times>(
        "times", "of the key frames, increasing",
        {.kind = Kind::kNumber, .unit = "s", .list = Count{1}, .required = true, .by_hand = true}),
    key<&Keyframes::translation>("translation", "at each of the times",
                                 {.kind = Kind::kVector,
                                  .unit = "m",
                                  .list = Count{},
                                  .otherwise = "none",
                                  .by_hand = true,
                                  .value = no_default}),
    key<&Keyframes::rotation>("rotation", "at each of the times, about x, then y, then z",
                              {.kind = Kind::kRotation,
                               .unit = "degrees",
                               .list = Count{},
                               .otherwise = "none",
                               .by_hand = true,
                               .value = no_default}),
    key<&Keyframes::pivot>("pivot", "point that the rotation is about", {.unit = "m"}),
};

constexpr Key kColliderKeys[] = {
    name_key("collider0, collider1, ..."),
    shape_key("of the solid"),
    choice_key<&Collider::boundary, kBoundaries>("boundary", "what it does to what touches it"),
    key<&Collider::friction>("friction", "Coulomb's coefficient; incompressible, thermal: only 0",
                             {.range = Range::non_negative()}),
    table_key("motion", kMotion, "how it moves", {.otherwise = "at rest"}),
    key<&Dynamics::density>("density",
                            "of the shape filled evenly; it is then moved by material and gravity, "
                            "not by `motion`, and passes through colliders and walls",
                            {.unit = "kg/m^3 (2D: kg/m^2)",
                             .range = Range::positive(),
                             .under = Under::kExplicit,
                             .otherwise = "not moved",
                             .value = no_default}),
    key<&Dynamics::mass>("mass", "in place of `density`",
                         {.unit = "kg",
                          .range = Range::positive(),
                          .under = Under::kExplicit,
                          .otherwise = "not moved",
                          .value = no_default}),
    key<&Dynamics::inertia>(
        "inertia",
        "with `mass`: about the centre of mass, along the scene's axes: xx, yy, zz, or these and "
        "xy, xz, yz; 2D: one number",
        {.kind = Kind::kNumber,
         .unit = "kg m^2",
         .list = Count{1, 6},
         .under = Under::kExplicit,
         .otherwise = "of the shape filled evenly",
         .by_hand = true,
         .value = no_default}),
    key<&Dynamics::velocity>("velocity", "of one with a mass, at the start",
                             {.unit = "m/s", .under = Under::kExplicit}),
    key<&Dynamics::angular_velocity>(
        "angular_velocity", "of one with a mass, at the start",
        {.kind = Kind::kSpin, .unit = "rad/s", .under = Under::kExplicit}),
    key<&Collider::color>("color", "in pictures", {.kind = Kind::kColor}),
    key<&Collider::temperature>("temperature", "of its surface",
                                {.kind = Kind::kField,
                                 .unit = "K",
                                 .range = Range::positive(),
                                 .under = Under::kHeat,
                                 .otherwise = "insulated",
                                 .by_hand = true}),
};

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
  const double heaviest = scene.simulation.precision == Precision::kSingle ? 1e30 : 1e140;
  if (mass <= heaviest && mass >= 1 / heaviest) return;
  table.fail("material",
             fmt::format("a particle of '{}' would weigh {:.3g} kg, which is beyond what a run can "
                         "sum; check the units of its density ({}) and of grid.dx ({})",
                         material->name, mass, material->density, scene.grid.dx));
}

void parse_stiffness_scale(TableReader& table, ScalarField& out) {
  if (table.read("stiffness_scale", out) && (!out.expression.empty() || out.constant != 1)) {
    table.fail(
        "stiffness_scale",
        "varying stiffness is not available in this version; give the body its own material");
  }
}

// --- motion ---

void parse_times(TableReader& table, std::vector<double>& times) {
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

// One entry per key frame, all zero if the key is absent.
template <class Read>
void parse_frames(TableReader& table, std::string_view key, std::size_t count,
                  std::vector<Vec3>& out, Read read) {
  const Node* node = table.at(key);
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
  TableReader table(node, kMotion, context);
  if (!node.is(NodeType::kTable)) return motion;
  std::size_t only = 0;
  table.read_word("type", only, "motion type");
  parse_times(table, motion.times);
  const Node* times = table.at("times");
  table.find("translation");
  table.find("rotation");
  if (times != nullptr && times->is(NodeType::kArray)) {
    const auto vector = [](const Node& item, std::string_view what, Vec3& out, ReadContext& c) {
      return read_vector(item, what, out, c);
    };
    parse_frames(table, "translation", times->items.size(), motion.translation, vector);
    parse_frames(table, "rotation", times->items.size(), motion.rotation, read_rotation);
  }
  table.read_members(motion);
  table.finish();
  return motion;
}

// --- bodies that material moves ---

constexpr std::string_view kNotMoved =
    "is of a collider that material moves, which only integrator \"explicit\" does; remove it";
constexpr std::string_view kNeedsMass =
    "is of a collider that material moves; give it a 'density' or a 'mass'";

void parse_inertia(TableReader& table, std::vector<double>& inertia) {
  const Node* node = table.find("inertia");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "inertia", table.context())) return;
  const std::size_t n = node->items.size();
  if (table.context().is_2d() ? n != 1 : n != 3 && n != 6) {
    table.fail(*node, fmt::format("'inertia' must have {}, found {}",
                                  table.context().is_2d() ? "1 entry" : "3 or 6 entries", n));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Range range = i < 3 ? Range::positive() : Range::any();
    read_number(node->items[i], fmt::format("inertia.{}", i), range, inertia.emplace_back(),
                table.context());
  }
}

void parse_dynamics(TableReader& table, const Scene& scene, std::optional<Dynamics>& out) {
  constexpr std::string_view kKeys[] = {"density", "mass", "inertia", "velocity",
                                        "angular_velocity"};
  if (is_staggered(scene)) {
    for (const std::string_view key : kKeys) table.refuse(key, kNotMoved);
    return;
  }
  Dynamics dynamics;
  table.read_members(dynamics);
  parse_inertia(table, dynamics.inertia);
  if (!table.has("density") && !table.has("mass")) {
    for (const std::string_view key : kKeys) table.refuse(key, kNeedsMass);
    return;
  }
  if (table.has("density") && table.has("mass"))
    table.fail("mass", "give either 'density' or 'mass'");
  if (table.has("inertia") && !table.has("mass"))
    table.fail("inertia", "'inertia' goes with 'mass'; a 'density' says it by itself");
  if (table.has("motion"))
    table.fail("motion",
               "a collider with a mass is moved by material; remove 'motion' or the mass");
  if (dynamics.density > 0 || dynamics.mass > 0) out = std::move(dynamics);
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

constinit const Table kBody = {"[[body]]", "Material that is there at the start.", kBodyKeys};
constinit const Table kSource = {
    "[[source]]", "Keeps its shape full of material that flows through it.", kSourceKeys};
constinit const Table kSink = {"[[sink]]", "Deletes particles.", kSinkKeys};
constinit const Table kMotion = {"motion", "Rigid motion through key frames.", kMotionKeys};
constinit const Table kCollider = {
    "[[collider]]", "A rigid solid; material moves it where it has a mass.", kColliderKeys};

void parse_name(TableReader& table, std::string_view kind, std::size_t index, std::string& name,
                std::vector<std::string>& taken) {
  name = fmt::format("{}{}", kind, index);
  if (!table.read("name", name)) return;
  if (name.empty()) {
    table.fail("name", "'name' must not be empty");
  } else if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    table.fail("name", fmt::format("there is already a {} named '{}'", kind, excerpt(name)));
  }
  taken.push_back(name);
}

void parse_bodies(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "body", context, [&](TableReader& table, std::size_t index) {
    Body body;
    parse_name(table, "body", index, body.name, names);
    const Material* material = parse_material_name(table, scene, body.material);
    parse_shape_key(table, body.name, body.shape);
    parse_per_cell(table, body.particles_per_cell);
    table.read_members(body);
    parse_stiffness_scale(table, body.stiffness_scale);
    check_mass(table, scene, material, body.density_scale, body.particles_per_cell);
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
  std::vector<std::string> names;
  parse_sections(root, "sink", context, [&](TableReader& table, std::size_t index) {
    Sink sink;
    parse_name(table, "sink", index, sink.name, names);
    parse_shape_key(table, sink.name, sink.shape);
    scene.sinks.push_back(std::move(sink));
  });
}

void parse_colliders(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "collider", context, [&](TableReader& table, std::size_t index) {
    Collider collider;
    parse_name(table, "collider", index, collider.name, names);
    parse_shape_key(table, collider.name, collider.shape);
    table.read_members(collider);
    if (is_staggered(scene) && collider.friction > 0) table.fail("friction", kNoFriction);
    if (const Node* motion = table.find("motion")) collider.motion = parse_motion(*motion, context);
    parse_dynamics(table, scene, collider.dynamics);
    parse_temperature(table, "temperature", scene, collider.temperature);
    scene.colliders.push_back(std::move(collider));
  });
}

}  // namespace firn::scene
