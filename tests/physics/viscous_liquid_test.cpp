// Viscosity of incompressible liquids against closed forms: between plates, in a film with a free
// surface, in vortices that decay; what plates feel; and what no viscosity may change.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDensity = 1000;

Material syrup(double viscosity, double density = kDensity) {
  Material m = liquid(density);
  m.name = "syrup";
  m.viscosity = viscosity;
  return m;
}

Keyframes along_x(double speed) {
  Keyframes motion;
  motion.times = {0, 100};
  motion.translation = {{0, 0, 0}, {100 * speed, 0, 0}};
  return motion;
}

// All along x between two sticky plates, `offset` cells above a line of the grid.
struct Plates {
  double dx = 0.01, offset = 0, height = 0.16, viscosity = 10;
  int kernel = 1;
  double below = 0, above = 0;  // speeds
  static constexpr double kLength = 0.32;

  Scene scene() const {
    const double bottom = 0.08 + offset * dx, top = bottom + height;
    Scene scene = liquid_scene(2, dx);
    scene.transfer.kernel = kernel;
    scene.time.dt_max = 2e-3;
    scene.grid.domain = closed_box({0, 0, 0}, {kLength, kLength, 0});
    scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
    scene.simulation.gravity = {};
    scene.materials = {syrup(viscosity)};
    scene.bodies = {lattice("between", box({0, bottom, 0}, {kLength, top, 0}),
                            {below == above ? below : 0, 0, 0})};
    scene.colliders = {
        collider("below", box({-400, -1, 0}, {400, bottom, 0}), BoundaryType::kSticky),
        collider("above", box({-400, top, 0}, {400, 1, 0}), BoundaryType::kSticky)};
    if (below != 0) scene.colliders[0].motion = along_x(below);
    if (above != 0) scene.colliders[1].motion = along_x(above);
    return scene;
  }
};

double mean_speed(const Simulation& simulation) {
  const Totals totals = simulation.totals();
  return totals.momentum[0] / totals.mass;
}

// g H^2 / (12 nu) in the mean of a channel, wherever its walls lie in their cells.
TEST(ViscousLiquid, ChannelsFlowAsTheyShould) {
  constexpr double kPull = 0.1;
  for (const int kernel : {1, 2, 3})
    for (const double offset : {0.0, 0.3, 0.5, 0.8}) {
      const Plates plates{.offset = offset, .kernel = kernel};
      Scene scene = plates.scene();
      scene.simulation.gravity = {kPull, 0, 0};
      Simulation simulation = simulate(scene);
      simulation.advance_until(1.5);
      const double mean =
          kPull * plates.height * plates.height / (12 * plates.viscosity / kDensity);
      EXPECT_NEAR(mean_speed(simulation), mean, 0.03 * mean) << kernel << " " << offset;
    }
}

// What rides along with both plates rides on for ever, and feels nothing.
TEST(ViscousLiquid, RidesBetweenPlates) {
  Simulation simulation = simulate(Plates{.dx = 0.02, .below = 0.1, .above = 0.1}.scene());
  simulation.advance_until(0.5);
  EXPECT_NEAR(mean_speed(simulation), 0.1, 1e-5);
  for (const ColliderReaction& r : simulation.stats().reactions) EXPECT_NEAR(r.force[0], 0, 1e-3);
}

// What one plate gives and the other does not take sets the liquid in motion; in the end both feel
// the same, mu U / H.
TEST(ViscousLiquid, PlatesFeelItsShear) {
  for (const double offset : {0.0, 0.5}) {
    const Plates plates{.dx = 0.02, .offset = offset, .below = 0.1};
    Simulation simulation = simulate(plates.scene());
    double impulse = 0, time = 0;
    while (simulation.stats().time < 2) {
      simulation.advance_frame();
      const FrameStats& stats = simulation.stats();
      for (const ColliderReaction& r : stats.reactions) impulse -= r.force[0] * (stats.time - time);
      time = stats.time;
    }
    const double momentum = simulation.totals().momentum[0];
    EXPECT_NEAR(impulse, momentum, 0.06 * momentum) << offset;
    EXPECT_NEAR(mean_speed(simulation), 0.05, 2e-3) << offset;
    const auto& reactions = simulation.stats().reactions;
    const double shear = plates.viscosity * 0.1 / plates.height * Plates::kLength;
    EXPECT_NEAR(-reactions[0].force[0], shear, 0.02 * shear) << offset;
    EXPECT_NEAR(reactions[1].force[0], shear, 0.02 * shear) << offset;
  }
}

// A film on an incline, without end along x: u(y) = g sin / nu (h y - y^2 / 2), in steps in which
// momentum spreads over two cells and over thirteen.
TEST(ViscousLiquid, FilmsFlowAsTheyShould) {
  constexpr double kDx = 0.01, kHeight = 0.16, kGravity = 10, kAngle = 0.5, kViscosity = 400;
  for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid})
    for (const double dt : {1e-3, 1.0 / 24}) {
      Scene scene = liquid_scene(2, kDx);
      scene.fluid.free_surface = surface;
      scene.time.dt_max = dt;
      scene.simulation.gravity = {kGravity * std::sin(kAngle), -kGravity * std::cos(kAngle), 0};
      scene.materials = {syrup(kViscosity)};
      scene.grid.domain = closed_box({0, 0, 0}, {0.32, 0.32, 0});
      scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                     BoundaryType::kSticky,   BoundaryType::kSlip,
                                     BoundaryType::kSlip,     BoundaryType::kSlip};
      scene.bodies = {lattice("film", box({0, 0, 0}, {0.32, kHeight, 0}))};
      Simulation simulation = simulate(scene);
      simulation.advance_until(1);
      const Snapshot s = simulation.snapshot();
      const double scale = kGravity * std::sin(kAngle) / (kViscosity / kDensity);
      const double top = scale * kHeight * kHeight / 2;
      for (std::size_t i = 0; i < s.size(); ++i) {
        const double y = s.position[2 * i + 1];
        EXPECT_NEAR(s.velocity[2 * i], scale * (kHeight * y - y * y / 2), 0.04 * top)
            << int(surface) << " " << dt << " at " << y;
      }
    }
}

// Vortices in a periodic box lose speed as exp(-2 nu k^2 t).
TEST(ViscousLiquid, VorticesDecay) {
  constexpr int kCells = 32;
  constexpr double kSide = 1, kSpeed = 0.05, kViscosity = 20, kTime = 0.6;
  Scene scene = liquid_scene(2, kSide / kCells);
  scene.grid.domain = closed_box({0, 0, 0}, {kSide, kSide, 0});
  scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
  scene.simulation.gravity = {};
  scene.time.dt_max = 5e-3;
  scene.transfer.type = TransferType::kApic;
  scene.materials = {syrup(kViscosity)};
  scene.bodies = {lattice("all", box({0, 0, 0}, {kSide, kSide, 0}))};
  const double k = 2 * kPi / kSide;
  scene.bodies[0].velocity.component[0].expression = "0.05*sin(2*pi*x)*cos(2*pi*y)";
  scene.bodies[0].velocity.component[1].expression = "-0.05*cos(2*pi*x)*sin(2*pi*y)";
  Simulation simulation = simulate(scene);
  const double before = simulation.totals().kinetic;
  simulation.advance_until(kTime);
  const double left = std::sqrt(simulation.totals().kinetic / before);
  EXPECT_NEAR(std::log(left), -2 * kViscosity / kDensity * k * k * kTime,
              0.05 * 2 * kViscosity / kDensity * k * k * kTime)
      << kSpeed;
}

// In flight a drop keeps its momentum, turns on as it did, and no step gives it energy: but for
// what surfaces take, whose faces the projection takes for whole ones (without viscosity 3e-4 and
// 0.997).
TEST(ViscousLiquid, DropsKeepTheirMomentum) {
  for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid}) {
    Scene scene = liquid_scene(2, 0.02);
    scene.fluid.free_surface = surface;
    scene.simulation.fps = 48;
    scene.simulation.gravity = {};
    scene.time.dt_max = 5e-3;
    scene.materials = {syrup(100)};
    scene.bodies = {body("drop", 0, sphere({0, 0, 0}, 0.2), {})};
    scene.bodies[0].velocity.component[0].expression = "0.3+y";
    scene.bodies[0].velocity.component[1].expression = "0.1-x";
    Simulation simulation = simulate(scene);
    const Totals before = simulation.totals();
    double energy = before.kinetic;
    for (int frame = 0; frame < 12; ++frame) {
      simulation.advance_frame();
      const Totals now = simulation.totals();
      EXPECT_LE(now.kinetic, energy * (1 + 1e-6)) << int(surface) << " " << frame;
      energy = now.kinetic;
      for (int a = 0; a < 2; ++a)
        EXPECT_NEAR(now.momentum[a], before.momentum[a], 4e-3 * before.momentum[0]);
    }
    EXPECT_GT(simulation.totals().angular_momentum[2] / before.angular_momentum[2], 0.955);
  }
}

// A viscosity that takes longer than a second to cross a cell is not solved for, that of water in
// cells as small as it reaches is.
TEST(ViscousLiquid, ThatOfWaterCountsWhereCellsAreSmall) {
  const auto solves = [](double dx, double viscosity) {
    Scene scene = liquid_scene(2, dx);
    scene.simulation.frames = 1, scene.simulation.fps = 1000;
    scene.materials = {syrup(viscosity)};
    scene.bodies = {lattice("drop", box({0, 0, 0}, {8 * dx, 8 * dx, 0}))};
    Simulation simulation = simulate(scene);
    simulation.advance_frame();
    return simulation.stats().viscosity.solves > 0;
  };
  EXPECT_FALSE(solves(0.01, 1e-3));
  EXPECT_FALSE(solves(0.0011, 1e-3));
  EXPECT_TRUE(solves(0.0009, 1e-3));
  EXPECT_TRUE(solves(0.5, 0.011));
  EXPECT_FALSE(solves(0.0009, 0));
}

// Nothing couples a body that it would move with its solve.
TEST(ViscousLiquid, MovesNoBodies) {
  Scene scene = liquid_scene(2, 0.02);
  scene.materials = {syrup(10)};
  scene.bodies = {lattice("pool", box({0, 0, 0}, {0.2, 0.2, 0}))};
  scene.colliders = {collider("float", box({0, 0.3, 0}, {0.1, 0.4, 0}), BoundaryType::kSlip)};
  scene.colliders[0].dynamics = Dynamics{};
  scene.colliders[0].dynamics->mass = 10;
  expect_error(ErrorCategory::kScene, {"collider.0.mass", "without viscosity"},
               [&] { (void)simulate(scene); });
}

}  // namespace
}  // namespace firn::test
