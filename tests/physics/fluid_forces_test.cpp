// Forces of still liquid on bodies: the weight on a floor and the buoyancy of a ball.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kDensity = 1000;

// Over a frame.
Vec3 force_on_body(Simulation& simulation) {
  simulation.advance_frame();
  return simulation.stats().reactions.at(0).force;
}

// Force on a floor at `bottom` below liquid up to 0.75, over the liquid's weight.
double share_of_weight(int dimension, double dx, double bottom, FreeSurface surface) {
  Scene scene = liquid_scene(dimension, dx);
  scene.fluid.free_surface = surface;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.bodies = {lattice("liquid", box({0, bottom, 0}, {1, 0.75, 1}))};
  scene.colliders = {collider("floor", ground(bottom), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  const double weight = kGravity * simulation.totals().mass;
  return -force_on_body(simulation)[1] / weight;
}

// What the tolerance leaves of the divergence, at most over the depth of n cells.
double solved_to(double cells) { return 1e-6 * cells * cells; }

TEST(FluidForces, AFloorOnTheGridCarriesTheWeight) {
  for (const int dimension : {2, 3})
    for (const int n : {8, 16}) {
      const double cells = 0.5 * n;
      EXPECT_NEAR(share_of_weight(dimension, 1.0 / n, 0.25, FreeSurface::kGhostFluid), 1,
                  solved_to(cells));
      // The first-order surface lies at the centres of the cells of air.
      EXPECT_NEAR(share_of_weight(dimension, 1.0 / n, 0.25, FreeSurface::kFirstOrder),
                  1 + 0.5 / cells, solved_to(cells));
    }
}

// Particles tell where the surface is to a tenth of a cell, and so the weight to that of a tenth.
TEST(FluidForces, AFloorThatCutsCellsCarriesTheWeight) {
  for (const int dimension : {2, 3})
    for (const int n : {8, 16})
      for (const double cut : {0.25, 0.5, 0.75}) {
        const double bottom = 0.25 + cut / n, cells = (0.75 - bottom) * n;
        const double share = share_of_weight(dimension, 1.0 / n, bottom, FreeSurface::kGhostFluid);
        EXPECT_NEAR(share, 1, 0.1 / cells) << n << " " << cut;
        std::printf("%dD n = %d, cut at %.2f: %.4f of the weight\n", dimension, n, cut, share);
      }
}

constexpr double kRadius = 0.25;

// Force on a submerged ball over the weight of the liquid it displaces.
Vec3 share_of_buoyancy(int dimension, double dx) {
  Scene scene = liquid_scene(dimension, dx);
  const bool space = dimension == 3;
  const Shape ball = sphere({0.51, 0.43, space ? 0.487 : 0}, kRadius);
  Shape pool;
  pool.type = ShapeType::kDifference;
  pool.children = {box({0, 0, 0}, {1, 0.875, 1}), ball};
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.bodies = {body("pool", 0, pool)};
  scene.colliders = {collider("ball", ball, BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  const double volume = (space ? 4.0 / 3 * kRadius : 1) * std::numbers::pi * kRadius * kRadius;
  Vec3 share = force_on_body(simulation);
  for (double& f : share) f /= kDensity * kGravity * volume;
  return share;
}

// The surface is a plane within a cell. A chord as long as the diagonal of a face, sqrt(2) dx, dips
// dx^2 / (4 r) below the surface, which is the share d/4 (dx / r)^2 of the ball.
TEST(FluidForces, ABallIsBuoyedUpByWhatItDisplaces) {
  for (const int dimension : {2, 3}) {
    std::vector<double> widths, errors;
    for (const int n : {8, 12, 16, 20, 24}) {
      const double dx = 1.0 / n;
      const Vec3 share = share_of_buoyancy(dimension, dx);
      const double bound = dimension * std::pow(dx / kRadius, 2) / 4;
      EXPECT_NEAR(share[1], 1, bound) << n;
      EXPECT_NEAR(share[0], 0, bound) << n;
      EXPECT_NEAR(share[2], 0, bound) << n;
      widths.push_back(dx);
      errors.push_back(std::fabs(share[1] - 1));
      std::printf("%dD, radius %.0f cells: %.4f of the buoyancy\n", dimension, kRadius * n,
                  share[1]);
    }
    const double slope = fitted_slope(widths, errors);
    std::printf("order %.2f\n", slope);
    // In the plane, few cells are cut and how they are varies from one grid to the next.
    EXPECT_GE(slope, dimension == 3 ? 1.9 : 1.3);
  }
}

}  // namespace
}  // namespace firn::test
