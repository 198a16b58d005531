// Scenes for walls behind which nodes are mirror images.
#pragma once

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {

// How something is thrown at what holds it, on both backends.
struct ThrownCase {
  const char* name;
  Integrator integrator;
  TransferType transfer;
  double blend;
  int steps;
};
inline void PrintTo(const ThrownCase& c, std::ostream* out) { *out << c.name; }
inline std::vector<ThrownCase> thrown_cases() {
  return {{"apic", Integrator::kExplicit, TransferType::kApic, 1, 4},
          {"flip", Integrator::kExplicit, TransferType::kFlip, 0.95, 4},
          {"semi_implicit", Integrator::kSemiImplicit, TransferType::kApic, 1, 2},
          {"optimization", Integrator::kOptimization, TransferType::kFlip, 0.95, 2}};
}

// All walls slip. A drop far from `min` lies there, since scenes without any material are refused.
inline Scene walled_scene(int dimension, Precision precision, double dx, const Vec3& min,
                          const Vec3& max) {
  Scene s = empty_scene(dimension, dx, precision);
  s.simulation.gravity = {};
  s.materials = {elastic("jelly")};
  Domain walls;
  walls.min = min, walls.max = max;
  if (dimension == 2) walls.min[2] = walls.max[2] = 0;
  walls.boundary.fill(BoundaryType::kSlip);
  s.grid.domain = walls;
  const double z = dimension == 3 ? max[2] - 0.2 : 0;
  s.bodies = {body("apart", 0, sphere({max[0] - 0.2, max[1] - 0.2, z}, 1.5 * dx))};
  return s;
}

// Four or eight particles in each cell of a box, off the lattice by up to a fifth of their
// distance.
inline NewParticles scattered(const Scene& scene, const Vec3& min, const Vec3& max) {
  NewParticles added;
  added.material = scene.materials[0].name;
  const double apart = 0.5 * scene.grid.dx;
  int count[3] = {1, 1, 1};
  for (std::size_t a = 0; a < static_cast<std::size_t>(scene.simulation.dimension); ++a)
    count[a] = static_cast<int>(std::lround((max[a] - min[a]) / apart));
  std::uint32_t state = 1;
  const auto off = [&] {
    state = state * 1664525u + 1013904223u;  // Knuth's linear congruence
    return 0.4 * (state / 4294967296.0 - 0.5);
  };
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        Vec3 x{min[0] + apart * (i + 0.5 + off()), min[1] + apart * (j + 0.5 + off()), 0};
        if (scene.simulation.dimension == 3) x[2] = min[2] + apart * (k + 0.5 + off());
        added.position.push_back(x);
      }
  return added;
}

}  // namespace firn::test
