// [[collider]], and how things move: key frames of colliders and sources, masses of colliders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "src/scene/key_frames.h"
#include "src/scene/parse_shape_files.h"

namespace firn::scene {
namespace {

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
    key<&Keyframes::rotation>("rotation",
                              "at each of the times, about x, then y, then z; in between the "
                              "shortest way, or that of one angle that changes alone",
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
    place_key("where the shape says"),
    choice_key<&Collider::boundary, kBoundaries>("boundary", "what it does to what touches it"),
    key<&Collider::friction>("friction", "Coulomb's coefficient; incompressible, thermal: only 0",
                             {.range = Range::non_negative()}),
    table_key("motion", kMotion, "how it moves", {.otherwise = "at rest"}),
    key<&Dynamics::density>("density",
                            "of the shape filled evenly; it is then moved by material, gravity and "
                            "what it hits, not by `motion`",
                            {.unit = "kg/m^3 (2D: kg/m^2)",
                             .range = Range::positive(),
                             .under = Under::kMoved,
                             .otherwise = "not moved",
                             .value = no_default}),
    key<&Dynamics::mass>("mass", "in place of `density`",
                         {.unit = "kg",
                          .range = Range::positive(),
                          .under = Under::kMoved,
                          .otherwise = "not moved",
                          .value = no_default}),
    key<&Dynamics::inertia>(
        "inertia",
        "with `mass`: about the centre of mass, along the scene's axes: xx, yy, zz, or these and "
        "xy, xz, yz; 2D: one number",
        {.kind = Kind::kNumber,
         .unit = "kg m^2",
         .list = Count{1, 6},
         .under = Under::kMoved,
         .otherwise = "of the shape filled evenly",
         .by_hand = true,
         .value = no_default}),
    key<&Dynamics::velocity>("velocity", "of one with a mass, at the start",
                             {.unit = "m/s", .under = Under::kMoved}),
    key<&Dynamics::angular_velocity>(
        "angular_velocity", "of one with a mass, at the start",
        {.kind = Kind::kSpin, .unit = "rad/s", .under = Under::kMoved}),
    key<&Dynamics::contact_friction>("contact_friction",
                                     "of one with a mass: Coulomb's coefficient with walls and "
                                     "other colliders; of two with a mass, the mean",
                                     {.range = Range::non_negative(), .under = Under::kMoved}),
    key<&Dynamics::restitution>("restitution",
                                "of one with a mass: share of the speed at which it leaves what it "
                                "hits; of two, the smaller one",
                                {.range = Range::closed(0, 1), .under = Under::kMoved}),
    key<&Dynamics::collides>("collides",
                             "of one with a mass: whether it meets walls and other colliders; else "
                             "it passes through them",
                             {.under = Under::kMoved}),
    key<&Collider::color>("color", "in pictures", {.kind = Kind::kColor}),
    key<&Collider::visible>("visible", "in pictures; one that is not hides nothing"),
    key<&Collider::temperature>("temperature", "of its surface",
                                {.kind = Kind::kField,
                                 .unit = "K",
                                 .range = Range::positive(),
                                 .under = Under::kHeat,
                                 .otherwise = "insulated",
                                 .by_hand = true}),
};

// Between two keys a body turns the shortest way, unless one angle alone changes.
void require_turns(TableReader& table, const std::vector<Vec3>& rotation) {
  for (std::size_t k = 1; k < rotation.size(); ++k) {
    int changes = 0;
    double furthest = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double change = std::abs(rotation[k][a] - rotation[k - 1][a]);
      changes += change > 0 ? 1 : 0;
      furthest = std::max(furthest, change);
    }
    if (changes < 2 || furthest <= std::numbers::pi * (1 + 1e-9)) continue;
    table.fail("rotation",
               fmt::format("from entry {} to the next several angles change, one of them by more "
                           "than 180 degrees, and a body would turn the shortest way; give keys in "
                           "between, or change one angle at a time",
                           k - 1));
    return;
  }
}

// --- bodies that material moves ---

constexpr std::string_view kNotMoved =
    "is of a collider that material moves, which only integrators \"explicit\" and, without "
    "viscosity, \"incompressible\" do; remove it";
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
  constexpr std::string_view kKeys[] = {
      "density",          "mass",        "inertia", "velocity", "angular_velocity",
      "contact_friction", "restitution", "collides"};
  if (!moves_colliders(scene)) {
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

}  // namespace

constinit const Table kMotion = {"motion", "Rigid motion through key frames.", kMotionKeys};
constinit const Table kCollider = {
    "[[collider]]", "A solid; material moves it where it has a mass.", kColliderKeys};

Keyframes parse_motion(const Node& node, ReadContext& context) {
  Keyframes motion;
  TableReader table(node, kMotion, context);
  if (!node.is(NodeType::kTable)) return motion;
  std::size_t only = 0;
  table.read_word("type", only, "motion type");
  read_times(table, motion.times);
  const Node* times = table.at("times");
  table.find("translation");
  table.find("rotation");
  if (times != nullptr && times->is(NodeType::kArray)) {
    const auto vector = [](const Node& item, std::string_view what, Vec3& out, ReadContext& c) {
      return read_vector(item, what, out, c);
    };
    // All zero without the key.
    motion.translation.resize(times->items.size());
    motion.rotation.resize(times->items.size());
    read_frames(table, "translation", times->items.size(), motion.translation, vector);
    read_frames(table, "rotation", times->items.size(), motion.rotation, read_rotation);
    require_turns(table, motion.rotation);
  }
  if (!motion.times.empty() && !table.has("translation") && !table.has("rotation"))
    table.fail("times", "motion needs 'translation' or 'rotation': what is where at its 'times'");
  table.read_members(motion);
  table.finish();
  return motion;
}

void parse_colliders(const Node& root, Scene& scene, ReadContext& context) {
  Names names;
  parse_sections(root, "collider", context, [&](TableReader& table, std::size_t index) {
    Collider collider;
    parse_name(table, "collider", index, collider.name, names);
    parse_shape_key(table, collider.name, collider.shape, true);
    std::vector<Shape> alone{std::move(collider.shape)};
    place_shapes(table, scene, alone);
    collider.shape = std::move(alone[0]);
    table.read_members(collider);
    if (is_staggered(scene) && collider.friction > 0) table.fail("friction", kNoFriction);
    if (const Node* motion = table.find("motion")) collider.motion = parse_motion(*motion, context);
    parse_dynamics(table, scene, collider.dynamics);
    if (collider.dynamics && holds_mesh_sequence(collider.shape))
      table.fail("shape",
                 "material cannot move a mesh_sequence, whose mass would change its place; remove "
                 "its mass, and move it by 'motion'");
    parse_temperature(table, "temperature", scene, collider.temperature);
    scene.colliders.push_back(std::move(collider));
  });
}

}  // namespace firn::scene
