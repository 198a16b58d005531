// [[force]]: what accelerates material beside gravity.
#include <fmt/format.h>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Key kForceKeys[] = {
    name_key("force0, force1, ..."),
    table_key("shape", kShape, "where it acts, at rest in the world", {.otherwise = "everywhere"}),
    key<&ForceField::acceleration>("acceleration", "of material that is there",
                                   {.unit = "m/s^2", .otherwise = "none"}),
    key<&ForceField::drag>(
        "drag", "rate at which material takes on the velocity of the air; 0: there is no air",
        {.unit = "1/s", .range = Range::non_negative()}),
    key<&ForceField::velocity>("velocity", "of the air", {.unit = "m/s", .otherwise = "at rest"}),
    key("materials", "names of those it acts on",
        {.kind = Kind::kString, .list = Count{1}, .otherwise = "all"}),
};

}  // namespace

constinit const Table kForce = {
    "[[force]]",
    "Accelerates material beside gravity: by a field of accelerations, by air that drags it along, "
    "or both. Forces add up.",
    kForceKeys};

void parse_forces(const Node& root, Scene& scene, ReadContext& context) {
  Names names;
  parse_sections(root, "force", context, [&](TableReader& table, std::size_t index) {
    ForceField force;
    parse_name(table, "force", index, force.name, names);
    if (table.find("shape") != nullptr) parse_shape_key(table, force.name, force.shape.emplace());
    table.read_members(force);
    force.materials = table.read_indices("materials", names_of(scene.materials),
                                         "leave it out for a force on all of them");
    if (!table.has("acceleration") && !(force.drag > 0))
      table.fail(table.node(), "a force needs 'acceleration' or 'drag', or does nothing");
    if (table.has("velocity") && !(force.drag > 0))
      table.fail("velocity", "air moves nothing without 'drag' (1/s)");
    scene.forces.push_back(std::move(force));
  });
}

}  // namespace firn::scene
