// Blocks and discs of materials that touch each other (Scene::contacts), for tests on both
// backends.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {

inline constexpr double kGravity = 9.81;

// A slab that is held from below and ends at x = `end`, its surface at y = `height`, and a block of
// four by two tenths of a metre that lies on it and moves along at `speed`; gravity as on a slope
// that descends along x.
inline Scene block_on_slab(int dimension, double dx, double height, double angle, double friction,
                           double speed, double stiffness = 1e6, double end = 3) {
  Scene scene = empty_scene(dimension, dx);
  scene.simulation.fps = 100;
  scene.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
  const double width = dimension == 3 ? 0.4 : 0, margin = dimension == 3 ? 0.2 : 0;
  scene.grid.domain = Domain{};
  scene.grid.domain->min = {-0.2, 0, -margin};
  scene.grid.domain->max = {end, 1.2, width + margin};
  scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  scene.grid.domain->boundary[2] = BoundaryType::kSticky;
  scene.materials = {elastic("slab", MaterialModel::kNeoHookean, 10 * stiffness),
                     elastic("block", MaterialModel::kNeoHookean, stiffness)};
  scene.contacts = {{{0, 1}, friction}};
  scene.bodies = {
      body("slab", 0, box({-0.2, 0, -margin}, {end, height, width + margin})),
      body("block", 1, box({0.3, height, 0}, {0.7, height + 0.2, width}), {speed, 0, 0})};
  return scene;
}

struct Motion {
  Vec3 centre{}, velocity{};  // means over the particles, m and m/s
};
inline Motion motion_of(const Simulation& simulation, int dimension, std::int32_t which) {
  const Snapshot now = simulation.snapshot();
  const auto axes = static_cast<std::size_t>(dimension);
  Motion mean;
  double count = 0;
  for (std::size_t p = 0; p < now.id.size(); ++p) {
    if (now.body[p] != which) continue;
    ++count;
    for (std::size_t a = 0; a < axes; ++a) {
      mean.centre[a] += static_cast<double>(now.position[axes * p + a]);
      mean.velocity[a] += static_cast<double>(now.velocity[axes * p + a]);
    }
  }
  for (std::size_t a = 0; a < axes; ++a) mean.centre[a] /= count, mean.velocity[a] /= count;
  return mean;
}

}  // namespace firn::test
