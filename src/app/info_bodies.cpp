#include "src/app/info_bodies.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/scene/mass_properties.h"

namespace firn::app {
namespace {

struct RigidBody {
  std::string name;
  double mass, density;  // kg; kg/m^3 (2D: kg/m^2)
};

std::vector<RigidBody> rigid_bodies(const Scene& scene) {
  const std::vector<RigidMass> masses = rigid_masses(scene);
  std::vector<RigidBody> bodies;
  for (const Collider& collider : scene.colliders) {
    if (!collider.dynamics) continue;
    const double mass = masses[bodies.size()].mass;
    double density = collider.dynamics->density;
    if (collider.dynamics->mass > 0) {
      const auto shape = compile_shape(collider.shape, scene.simulation.dimension, scene.grid.dx);
      density = mass / mass_properties(shape, 1, collider.name).mass;
    }
    bodies.push_back({collider.name, mass, density});
  }
  return bodies;
}

}  // namespace

void print_rigid_bodies(const Scene& scene) {
  const std::vector<RigidBody> bodies = rigid_bodies(scene);
  if (bodies.empty()) return;
  fmt::print("  colliders  {}, of which material moves {}\n", scene.colliders.size(),
             bodies.size());
  for (const RigidBody& body : bodies)
    fmt::print("  rigid body {}: {:.4g} kg, {:.4g} {}\n", body.name, body.mass, body.density,
               scene.simulation.dimension == 2 ? "kg/m^2" : "kg/m^3");
}

Json rigid_bodies_json(const Scene& scene) {
  Json list = Json::array();
  for (const RigidBody& body : rigid_bodies(scene))
    list.push_back({{"name", body.name}, {"mass", body.mass}, {"density", body.density}});
  return list;
}

}  // namespace firn::app
