// Thermal runs of ten thousand steps with solid and liquid in the same cells, and columns of all
// compressibilities side by side in one scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- ten thousand steps ---

// A tank of material that is at its melting point, half of it by volume molten: particles melt over
// a wide range, so that phases lie side by side in every cell.
Scene mushy_tank(double dt, ForceIntegration forces) {
  Scene scene = thermal_scene(2, 0.05);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = dt;
  scene.thermal.forces = forces;
  scene.grid.domain = closed_box({0, 0, 0}, {0.3, 0.6, 0});
  Material fat = solid("fat", 1e3, kInfinity);
  fat.viscosity = 1;
  fat.heat.melting_point = 310;
  fat.heat.melting_jitter = 20;
  fat.heat.latent_heat = 1e4;
  scene.materials = {fat};
  scene.bodies = {body("mush", 0, box({0, 0, 0}, {0.3, 0.3, 0}))};
  scene.bodies[0].temperature.constant = 310;
  return scene;
}

// What it can have of mechanical energy is what it has at the start above the flat pool it may
// become; the volume stays.
TEST(HeatLong, SolidAndLiquidInOneCellStayBounded) {
  for (ForceIntegration forces : {ForceIntegration::kExplicit, ForceIntegration::kSemiImplicit})
    for (double dt : {3e-4, 3e-3}) {
      SCOPED_TRACE(testing::Message() << "dt " << dt << ", forces " << int(forces));
      Simulation simulation = simulate(mushy_tank(dt, forces));
      const Totals start = simulation.stats().totals;
      simulation.advance_steps(10000);
      const Snapshot s = simulation.snapshot();
      std::size_t molten = 0;
      double highest = 0, fastest = 0;
      for (std::size_t i = 0; i < s.size(); ++i) {
        molten += s.phase[i];
        highest = std::max(highest, static_cast<double>(s.position[2 * i + 1]));
        for (std::size_t a = 0; a < 2; ++a)
          fastest = std::max(fastest, std::abs(static_cast<double>(s.velocity[2 * i + a])));
      }
      EXPECT_GE(molten, s.size() / 4);
      EXPECT_LE(molten, 3 * s.size() / 4);
      EXPECT_LE(highest, 0.3 + 0.05) << "more than a cell above the surface";
      EXPECT_LE(fastest, 0.05 * std::sqrt(9.81 * 0.3)) << "of the speed of its waves";
      const Totals end = simulation.stats().totals;
      EXPECT_NEAR(end.potential, start.potential, 0.02 * start.potential);
      EXPECT_NEAR(end.heat, start.heat, 1e-8 * start.mass * 1e4);
    }
}

// --- all compressibilities at once ---

// The heights of columns of gel between frictionless walls of their own, which have settled.
struct Columns : Settling {
  std::vector<double> top;
};
constexpr double kDensity = 100, kHeight = 0.5, kMu = 2e3, kDx = 0.05, kPitch = 0.5;

Columns settle_columns(const std::vector<double>& lambdas) {
  Scene scene = thermal_scene(2, kDx);
  scene.thermal.heat = false;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 1;
  scene.time.dt_max = 2e-3;
  const double width = kPitch * static_cast<double>(lambdas.size());
  scene.grid.domain = closed_box({0, 0, 0}, {width, 1, 0});
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    const double left = kPitch * static_cast<double>(i);
    Material gel = solid("gel " + std::to_string(i), kMu, lambdas[i]);
    gel.density = kDensity;
    gel.viscosity = 20;
    scene.materials.push_back(gel);
    Body column = lattice("column " + std::to_string(i),
                          box({left, 0, 0}, {left + 0.6 * kPitch, kHeight, 0}));
    column.material = static_cast<int>(i);
    scene.bodies.push_back(column);
    if (i + 1 < lambdas.size())
      scene.colliders.push_back(collider("wall " + std::to_string(i),
                                         box({left + 0.6 * kPitch, -1, 0}, {left + kPitch, 2, 0}),
                                         BoundaryType::kSlip));
  }
  scene.grid.domain->max[0] = width - 0.4 * kPitch;
  Columns c;
  c.top.assign(lambdas.size(), 0);
  static_cast<Settling&>(c) = settle(scene, 4, [&](std::size_t material, double height) {
    c.top[material] = std::max(c.top[material], height);
  });
  return c;
}

// A confined column is shorter by rho g h^2 / (2 (lambda + 2 mu (1 - 1/d))) for small strains: the
// deviatoric law has no volumetric part of mu, 2 mu (1 - 1/2) = mu in the plane.
TEST(HeatLong, ColumnsOfAllCompressibilitiesSettleInOrder) {
  const std::vector<double> lambdas = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, kInfinity};
  const Columns c = settle_columns(lambdas);
  EXPECT_LE(c.iterations, 25);
  EXPECT_LE(c.fastest, 1e-3);
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    SCOPED_TRACE(lambdas[i]);
    const double shorter = kDensity * 9.81 * kHeight * kHeight / (2 * (lambdas[i] + kMu));
    // Half a cell of p = 0 above the top, of ten: 10 %, as much from the cells, and the square of
    // the strain.
    EXPECT_NEAR(c.top[i], kHeight - kDx / 4 - shorter,
                (0.2 + shorter / kHeight) * shorter + 2e-4 * kHeight);
    if (i > 0) {
      EXPECT_GE(c.top[i], c.top[i - 1] - 1e-6) << "not monotonic";
    }
    std::printf("lambda %g: top %.6f, expected %.6f\n", lambdas[i], c.top[i],
                kHeight - kDx / 4 - shorter);
  }
}

}  // namespace
}  // namespace firn::test
