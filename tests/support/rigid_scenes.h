// Scenes with colliders that material moves, for the tests of both backends.
#pragma once

#include "tests/support/sim_scenes.h"

namespace firn::test {

inline Collider dynamic(Collider c, double density, const Vec3& velocity = {},
                        const Vec3& angular_velocity = {}) {
  c.dynamics =
      Dynamics{.density = density, .velocity = velocity, .angular_velocity = angular_velocity};
  return c;
}

// Without gravity and walls: a blob of jelly hits a spinning plank off its centre, and a ball flies
// beside it. All of it away from the origin, so that moments about it are no small numbers.
inline Scene struck_plank(int dimension, Precision precision, BoundaryType boundary,
                          double friction = 0) {
  Scene s = empty_scene(dimension, 0.05, precision);
  s.simulation.gravity = {0, 0, 0};
  s.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e5, 1000)};
  const double z = dimension == 3 ? 0.4 : 0;
  s.bodies = {body("blob", 0, sphere({0.45, 0.62, z}, 0.15), {1.5, 0.2, 0})};
  s.colliders = {
      dynamic(collider("plank", box({0.65, 0.1, z - 0.2}, {0.8, 0.9, z + 0.2}), boundary, friction),
              700, {-0.5, 0.1, 0}, {dimension == 3 ? 0.4 : 0.0, 0, 1}),
      dynamic(collider("ball", sphere({0.35, 0.3, z}, 0.12), boundary, friction), 300,
              {0.4, 0.6, 0})};
  return s;
}

// A ball on a bed of sand in a box, that falls onto it.
inline Scene ball_on_bed(int dimension, Precision precision, double density, double height,
                         BoundaryType boundary = BoundaryType::kSeparate, double friction = 0.4) {
  Scene s = empty_scene(dimension, 0.05, precision);
  s.materials = {sand("sand")};
  const double depth = dimension == 3 ? 0.8 : 0, z = 0.5 * depth;
  s.bodies = {body("bed", 0, box({0, 0, 0}, {0.8, 0.3, depth}))};
  s.colliders = {dynamic(
      collider("ball", sphere({0.4, 0.45 + height, z}, 0.15), boundary, friction), density)};
  Domain walls;
  walls.min = {0, 0, 0};
  walls.max = {0.8, 2, 0.8};
  walls.boundary.fill(BoundaryType::kSlip);
  walls.boundary[2] = BoundaryType::kSticky;
  s.grid.domain = walls;
  return s;
}

}  // namespace firn::test
