// Clouds of particles in a box, whose surfaces end at its walls.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/surface/particle_surface.h"
#include "src/surface/walls.h"
#include "tests/support/particle_clouds.h"

namespace firn::test {

using V3 = Walls::V3;

inline constexpr double kVoxel = 0.67;  // spacings
// Of a surface on a wall.
inline constexpr double kOff = 0.02 * kVoxel * kSpacing;
// The domain is [-0.4, 0.4]^3.
inline Scene scene_in_box() {
  Scene scene;
  scene.simulation.dimension = 3;
  scene.grid.dx = 2 * kSpacing;
  scene.grid.domain.emplace();
  scene.grid.domain->min = {-0.4, -0.4, -0.4};
  scene.grid.domain->max = {0.4, 0.4, 0.4};
  scene.materials.resize(1);
  return scene;
}

inline Walls walls_of(const Scene& scene) { return SceneWalls(scene).at({}); }

inline V3 vertex(const SurfaceMesh& mesh, std::size_t i) {
  const float* x = &mesh.positions[3 * i];
  return {{x[0], x[1], x[2]}};
}

// `cloud` only reaches to 0.5; the domain's walls lie on the lattice.
inline Cloud in_box(const std::function<bool(double, double, double)>& holds) {
  return cloud([&](double x, double y, double z) {
    return std::max({std::abs(x), std::abs(y), std::abs(z)}) < 0.4 && holds(x, y, z);
  });
}

}  // namespace firn::test
