// A beam under steps by optimisation: clamped at one end, bent far by its weight, against the
// elastica.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/validation.h"

namespace firn::test {
namespace {

constexpr double kLength = 10, kHeight = 1, kE = 1e6, kRho = 100.0 / 3, kGravity = 10;

struct Point {
  double x, y;
};

// Where the axis of the beam ends. Its slope th(s) holds EI th'' = -w (L - s) cos th, th(0) = 0,
// th'(L) = 0 (w the weight per length), found by fixed-point iteration on th; shear leans each
// section by w (L - s) cos th / (5/6 G h) further [Timoshenko], and tension w (L - s) sin th
// stretches it.
Point bent_tip() {
  constexpr int kSections = 2000;
  const double ds = kLength / kSections, w = kRho * kGravity * kHeight;
  const double bending = kE * kHeight * kHeight * kHeight / 12,
               shear = 5.0 / 6 * 0.5 * kE * kHeight;
  std::vector<double> th(kSections + 1, 0.0), next(kSections + 1, 0.0);
  const auto force = [&](int i) {
    return w * (kLength - i * ds) * std::cos(th[static_cast<std::size_t>(i)]);
  };
  for (int round = 0; round < 200; ++round) {
    double moment = 0;
    std::vector<double> curvature(kSections + 1, 0.0);
    for (int i = kSections - 1; i >= 0; --i) {
      moment += 0.5 * (force(i) + force(i + 1)) * ds;
      curvature[static_cast<std::size_t>(i)] = moment / bending;
    }
    for (std::size_t i = 1; i <= kSections; ++i)
      next[i] = next[i - 1] + 0.5 * (curvature[i - 1] + curvature[i]) * ds;
    for (std::size_t i = 0; i <= kSections; ++i) th[i] += 0.5 * (next[i] - th[i]);
  }
  Point tip{0, 0};
  for (int i = 0; i <= kSections; ++i) {
    const double share = i == 0 || i == kSections ? 0.5 * ds : ds;
    const double lean = th[static_cast<std::size_t>(i)] + force(i) / shear;
    const double tension = w * (kLength - i * ds) * std::sin(th[static_cast<std::size_t>(i)]);
    const double stretched = share * (1 + tension / (kE * kHeight));
    tip.x += stretched * std::cos(lean), tip.y -= stretched * std::sin(lean);
  }
  return tip;
}

// How far the tip moves on a grid of so many cells to the thickness, in a few steps that are long
// beside its period, 3.6 s: every step adds to the error, and 600 of a tenth of a second bend it by
// a tenth too far.
Point moved_tip(int cells) {
  constexpr double kStep = 20;
  const double kDx = kHeight / cells;
  Material rubber;
  rubber.name = "rubber";
  rubber.density = kRho;
  rubber.youngs_modulus = kE;
  rubber.poisson_ratio = 0;  // plane strain is plane stress, and bending is linear in curvature
  Scene scene = plane_scene(rubber, kDx, kStep);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.simulation.fps = 1 / kStep;
  scene.transfer.force = ForceForm::kGradient;
  scene.implicit.tolerance = 1e-5;
  Body beam;
  beam.name = "beam";
  beam.shape = box({-4 * kDx, 0, 0}, {kLength, kHeight, 0});
  beam.sampling = Sampling::kUniform;
  beam.particles_per_cell = 16;
  scene.bodies = {beam};
  Collider wall;
  wall.name = "wall";
  wall.shape = box({-1, -1, 0}, {0, 2, 0});
  wall.boundary = BoundaryType::kSticky;
  scene.colliders = {wall};

  Simulation simulation(scene, kOneThread);
  const std::vector<float> start = simulation.snapshot().position;
  simulation.advance_until(60 * kStep);
  const Snapshot now = simulation.snapshot();
  Point moved{0, 0};  // the last column of particles, whose mean is the axis
  int count = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    if (start[2 * p] < kLength - 0.2 * kDx) continue;
    moved.x += now.position[2 * p] - start[2 * p];
    moved.y += now.position[2 * p + 1] - start[2 * p + 1];
    ++count;
  }
  EXPECT_EQ(count, 4 * cells);
  EXPECT_EQ(simulation.stats().implicit.iterations, 0) << "not at rest";
  EXPECT_EQ(simulation.stats().implicit.rejected, 0);
  return {moved.x / count, moved.y / count};
}

// The nodes that the wall holds let go of the beam behind the last of them, a quarter of a cell:
// the free length, and with it the bending, is off at first order in dx. Two grids tell what is
// left without that.
TEST(ImplicitBeam, BendsAsTheElasticaDoes) {
  const Point coarse = moved_tip(4), fine = moved_tip(8), tip = bent_tip();
  const auto off = [&](const Point& p) { return p.y / tip.y - 1; };
  EXPECT_LT(off(fine), 0.015);
  EXPECT_NEAR(off(coarse) / off(fine), 2, 0.4);
  EXPECT_NEAR(2 * fine.y - coarse.y, tip.y, 0.01 * std::abs(tip.y));
  EXPECT_NEAR(2 * fine.x - coarse.x, tip.x - kLength, 0.01 * (kLength - tip.x));
}

}  // namespace
}  // namespace firn::test
