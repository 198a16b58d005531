// What the tests against closed forms share: scenes built in code, a row of particles that makes a
// 2D scene one-dimensional, and orders of convergence.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "tests/support/fitted_slope.h"

namespace firn::test {

// One thread: the scenes are small, and their run time is bounded by the sum.
inline const RunOptions kOneThread{Device::kCpu, 1};

// A 2D scene in double precision without gravity and output, with one material of index 0. Every
// step takes dt_max.
inline Scene plane_scene(const Material& material, double dx, double dt) {
  Scene s;
  s.name = "validation";
  s.simulation.dimension = 2;
  s.simulation.gravity = {0, 0, 0};
  s.simulation.precision = Precision::kDouble;
  s.grid.dx = dx;
  s.time.dt_max = dt;
  s.time.cfl = s.time.cfl_material = 1;
  s.materials = {material};
  return s;
}

inline ScalarField field(const std::string& expression) { return {0, expression}; }

inline Shape box(const Vec3& min, const Vec3& max) {
  Shape s;
  s.type = ShapeType::kBox;
  s.min = min;
  s.max = max;
  return s;
}

// Adds a bar along x as one row of particles in the lowest cells, `per_cell` of them in a cell's
// length, between slipping walls at y = 0 and y = dx (3D: also z). All nodes that the row reaches
// lie on or behind these walls, so nothing moves along y, and as every column of nodes gets the
// same weights from the row, the motion along x is that of a bar in uniaxial strain, exactly. Ends
// in x are the caller's.
inline void add_row(Scene& scene, double from, double to, int per_cell) {
  const double dx = scene.grid.dx, deep = scene.simulation.dimension == 3 ? dx : 0;
  Body row;
  row.name = "row";
  row.shape = box({from, 0, 0}, {to, dx / per_cell, deep / per_cell});
  row.sampling = Sampling::kUniform;
  row.particles_per_cell = static_cast<int>(std::pow(per_cell, scene.simulation.dimension));
  scene.bodies.push_back(row);
  Domain domain;
  domain.min = {from, 0, 0};
  domain.max = {to, dx, deep};
  domain.boundary.fill(BoundaryType::kSlip);
  scene.grid.domain = domain;
}

}  // namespace firn::test
