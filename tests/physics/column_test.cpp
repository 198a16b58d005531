// A column that settles under its own weight: the stress at depth is the weight above it, whatever
// the material, and the height of the tip follows from the law. Public case of AMPLE
// (wmcoombs.github.io/tests).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/forces.h"
#include "tests/support/validation.h"

namespace firn {
namespace {

constexpr double kLength = 50, kE = 1e6, kRho = 80, kGravity = 10;
// Integral of the stretch of tau = E ln(stretch), tau = -rho g (L - Y) stretch, over the column.
constexpr double kTip = 49.0379914177;

struct Column {
  double tip = 0;
  double base_stress = 0;   // Cauchy, of the lowest particle, Pa
  double stress_error = 0;  // mean over the particles, relative to rho g L
};

// What holds the base: a wall, the mirror image of the column below it, or a collider.
enum class Base { kWall, kMirror, kCollider };

// In steps of half the time that sound takes through a cell.
Scene column_scene(int cells, double from) {
  Material material;
  material.name = "Hencky";
  material.model = MaterialModel::kStvkHencky;
  material.density = kRho;
  material.youngs_modulus = kE;
  const double dx = kLength / cells;
  Scene scene = test::plane_scene(material, dx, 0.5 * dx / std::sqrt(kE / kRho));
  test::add_row(scene, from, kLength, 4);
  scene.grid.domain->min[0] = 2 * from;
  scene.grid.domain->max[0] = 2 * kLength;
  return scene;
}

// `start`: positions of the particles at rest, above the base, which lies at `from`.
Column measure(const Simulation& sim, const std::vector<float>& start, double from) {
  const Snapshot now = sim.snapshot();
  Column column;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  int count = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const double Y = start[2 * p];
    if (Y < 0) continue;
    const float* F = &now.deformation_gradient[4 * p];
    const double stress = now.kirchhoff_stress[4 * p] / (F[0] * F[3] - F[1] * F[2]);
    column.stress_error +=
        std::abs(stress + kRho * kGravity * (kLength - Y)) / (kRho * kGravity * kLength);
    ++count;
    if (Y < lowest) {
      lowest = Y;
      column.base_stress = stress;
    }
    if (Y > highest) {
      highest = Y;
      column.tip = now.position[2 * p] - from + (kLength - Y);  // the stretch is 1 there
    }
  }
  column.stress_error /= count;
  return column;
}

// Gravity grows over eleven periods of the column's first mode, with two continuous derivatives, so
// that what is left of its swing (about 60 (period / (2 pi ramp))^3 of the settlement) is below
// 2e-4 of it.
// The base lies `off` cells above a line of the grid.
Column settle(int cells, Base base, BoundaryType floor = BoundaryType::kSlip, double off = 0) {
  const double ramp = 20, from = off * kLength / cells;
  Scene scene = column_scene(cells, base == Base::kMirror ? -kLength : from);
  scene.grid.domain->boundary[0] = floor;
  if (base == Base::kCollider) {
    scene.bodies[0].shape.max[0] += from;
    scene.grid.domain->min[0] = -kLength;
    Collider collider;
    collider.name = "base";
    collider.shape.type = ShapeType::kHalfSpace;
    collider.shape.point = {from, 0, 0};
    collider.shape.normal = {1, 0, 0};
    collider.boundary = floor;
    scene.colliders = {collider};
  }
  scene.simulation.fps = 1 / ramp;
  Simulation sim(scene, test::kOneThread);
  std::vector<float> start = sim.snapshot().position;
  for (std::size_t p = 0; p < start.size(); p += 2) start[p] -= static_cast<float>(from);
  sim.set_force(test::force_of([&](std::uint32_t id, double t) {
    const double s = t / ramp, share = s * s * s * (10 + s * (6 * s - 15));
    return Vec3{start[2 * id] > 0 ? -kGravity * share : kGravity * share, 0, 0};
  }));
  sim.advance_frame();
  return measure(sim, start, from);
}

const std::vector<double> kSpacings{kLength / 25, kLength / 50, kLength / 100};

TEST(Column, SettlesAsTheClosedFormAgainstItsMirrorImage) {
  std::vector<double> errors;
  for (double dx : kSpacings) {
    const Column column = settle(static_cast<int>(std::lround(kLength / dx)), Base::kMirror);
    EXPECT_NEAR(column.tip, kTip, 0.02) << dx;
    // The lowest particle may be off by the weight of the cell it stands for.
    EXPECT_NEAR(column.base_stress, -kRho * kGravity * kLength, kRho * kGravity * dx) << dx;
    errors.push_back(column.stress_error);
  }
  EXPECT_GE(test::fitted_slope(kSpacings, errors), 1)
      << errors[0] << " " << errors[1] << " " << errors[2];
}

// The same on a collider, wherever its face lies in its cell.
TEST(Column, SettlesOnAColliderThatBeginsWithinACell) {
  for (const BoundaryType floor : {BoundaryType::kSlip, BoundaryType::kSticky})
    for (const double off : {0.0, 0.25, 0.5, 0.75}) {
      const Column column = settle(25, Base::kCollider, floor, off);
      EXPECT_NEAR(column.tip, kTip, 0.01) << off;
      EXPECT_NEAR(column.base_stress, -kRho * kGravity * kLength, 0.03 * kRho * kGravity * kLength)
          << off;
      EXPECT_LE(column.stress_error, 0.005) << off;
    }
}

// A wall is a mirror.
TEST(Column, SettlesOnAWallAsOnItsMirrorImage) {
  for (const BoundaryType floor : {BoundaryType::kSlip, BoundaryType::kSticky}) {
    std::vector<double> errors;
    for (double dx : kSpacings) {
      const int cells = static_cast<int>(std::lround(kLength / dx));
      const Column column = settle(cells, Base::kWall, floor), image = settle(cells, Base::kMirror);
      EXPECT_NEAR(column.tip, kTip, 0.02) << dx;
      EXPECT_NEAR(column.tip, image.tip, 1e-4) << dx;
      EXPECT_NEAR(column.base_stress, image.base_stress, 1e-5 * kRho * kGravity * kLength) << dx;
      errors.push_back(column.stress_error);
    }
    EXPECT_GE(test::fitted_slope(kSpacings, errors), 1)
        << errors[0] << " " << errors[1] << " " << errors[2];
  }
}

// As a step of a second leaves it, after forty of them.
TEST(Column, SettlesOnAWallInLongSteps) {
  for (const Integrator integrator : {Integrator::kSemiImplicit, Integrator::kOptimization})
    for (double dx : kSpacings) {
      Scene scene = column_scene(static_cast<int>(std::lround(kLength / dx)), 0);
      scene.simulation.integrator = integrator;
      scene.simulation.gravity = {-kGravity, 0, 0};
      scene.simulation.fps = 1;
      scene.time.dt_max = 0.25;
      scene.time.cfl = 0.6;
      Simulation sim(scene, test::kOneThread);
      const std::vector<float> start = sim.snapshot().position;
      for (int frame = 0; frame < 40; ++frame) sim.advance_frame();
      const Column column = measure(sim, start, 0);
      EXPECT_NEAR(column.tip, kTip, 1e-3) << dx;
      EXPECT_NEAR(column.base_stress, -kRho * kGravity * kLength, kRho * kGravity * dx) << dx;
      EXPECT_LE(column.stress_error, 2e-3 * dx) << dx;
    }
}

}  // namespace
}  // namespace firn
