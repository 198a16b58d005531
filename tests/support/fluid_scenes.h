// Scenes of incompressible liquid built in code, and what the tests measure on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {

inline Material liquid(double density = 1000) {
  Material m;
  m.name = "liquid";
  m.model = MaterialModel::kIncompressible;
  m.density = density;
  return m;
}

// One liquid, no bodies; the defaults that a scene file of this integrator gets, except for the
// free surface: the first-order one, which the tests' closed forms are for.
inline Scene liquid_scene(int dimension, double dx, Precision precision = Precision::kDouble) {
  Scene s = empty_scene(dimension, dx, precision);
  s.simulation.integrator = Integrator::kIncompressible;
  s.transfer.kernel = 1;
  s.time.dt_max = 1 / s.simulation.fps;
  s.fluid.free_surface = FreeSurface::kFirstOrder;
  s.materials = {liquid()};
  return s;
}

inline Domain closed_box(const Vec3& min, const Vec3& max) {
  Domain domain;
  domain.min = min;
  domain.max = max;
  domain.boundary.fill(BoundaryType::kSlip);
  return domain;
}

// A body sampled on the regular lattice, 2^d to a cell.
inline Body lattice(std::string name, const Shape& shape, const Vec3& velocity = {}) {
  Body b = body(std::move(name), 0, shape, velocity);
  b.sampling = Sampling::kUniform;
  return b;
}

// The busy scene with liquids of four densities in place of its materials.
inline Scene busy_liquid_scene(int dimension, Precision precision) {
  Scene s = busy_scene(dimension, precision);
  s.simulation.integrator = Integrator::kIncompressible;
  s.transfer.kernel = 1;
  s.time.dt_max = 1 / s.simulation.fps;
  s.grid.domain->friction = {};
  for (Collider& c : s.colliders) c.friction = 0;
  for (Material& m : s.materials) {
    const std::string name = m.name;
    m = liquid(m.density);
    m.name = name;
  }
  return s;
}

// Through whole frames until `time`.
inline void run_to(Simulation& simulation, double time) {
  while (simulation.stats().time < time - 1e-9) simulation.advance_frame();
}

// Mean over the columns of cells of twice the mean height of their particles, in a plane tank from
// 0 to `length` with its floor at 0. Unlike twice the height of the centre of mass it does not rise
// with waves.
inline double depth_of_pool(const Snapshot& s, double dx, double length) {
  const auto columns = static_cast<std::size_t>(std::lround(length / dx));
  std::vector<double> height(columns, 0), count(columns, 0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = std::min(static_cast<std::size_t>(s.position[2 * i] / dx), columns - 1);
    height[c] += s.position[2 * i + 1];
    count[c] += 1;
  }
  double sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += count[c] > 0 ? 2 * height[c] / count[c] : 0;
  return sum / static_cast<double>(columns);
}

}  // namespace firn::test
