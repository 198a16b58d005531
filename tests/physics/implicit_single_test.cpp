// Optimisation integrator in single precision, where a step changes less than energies can show:
// stiff material carries its weight, falls freely, and swings in short steps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;

Scene implicit_scene(double dx) {
  Scene s = empty_scene(2, dx, Precision::kSingle);
  s.simulation.integrator = Integrator::kOptimization;
  return s;
}

TEST(ImplicitSingle, StiffColumnsCarryTheirWeight) {
  for (const MaterialModel model : {MaterialModel::kNeoHookean, MaterialModel::kFixedCorotated})
    for (const double E : {3e8, 1e9}) {
      Scene s = implicit_scene(0.02);
      s.materials = {elastic("stiff", model, E, 1000)};
      s.bodies = {body("column", 0, box({0, 0, 0}, {0.4, 0.8, 0}))};
      s.bodies[0].sampling = Sampling::kUniform;
      Domain walls;
      walls.min = {0, -0.2, 0};
      walls.max = {0.4, 2, 0};
      walls.boundary.fill(BoundaryType::kSlip);
      s.grid.domain = walls;
      s.colliders = {collider("floor", ground(), BoundaryType::kSlip)};
      Simulation simulation = simulate(s);
      for (int frame = 0; frame < 2; ++frame) simulation.advance_frame();
      const double weight = 0.4 * 0.8 * 1000 * kGravity;
      EXPECT_NEAR(simulation.stats().reactions[0].force[1], -weight, 0.01 * weight) << E;
      // (rho g)^2 h^3 w / 6 M
      const double nu = s.materials[0].poisson_ratio, M = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)),
                   energy = std::pow(1000 * kGravity, 2) * std::pow(0.8, 3) * 0.4 / (6 * M);
      EXPECT_NEAR(simulation.totals().elastic, energy, 0.1 * energy) << E;
    }
}

TEST(ImplicitSingle, StiffBodiesFall) {
  Scene s = implicit_scene(0.05);
  s.materials = {elastic("stiff", MaterialModel::kNeoHookean, 1e12, 1000)};
  s.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.4, 0}))};
  Simulation simulation = simulate(s);
  const int frames = 12;
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
  const Totals totals = simulation.totals();
  const double fall = kGravity * frames / s.simulation.fps;
  EXPECT_NEAR(totals.momentum[1] / totals.mass, -fall, 1e-3 * fall);
}

// Against backward Euler's damping of the first mode, (1 + (w dt)^2)^-1 per step, from double
// precision; it turns around twice, and never gains.
TEST(ImplicitSingle, BarsSwingInShortSteps) {
  for (const MaterialModel model : {MaterialModel::kNeoHookean, MaterialModel::kFixedCorotated})
    for (const double dt : {1e-3, 2e-4}) {
      SCOPED_TRACE(dt);
      Scene s = implicit_scene(0.05);
      s.simulation.gravity = {0, 0, 0};
      s.simulation.fps = 100;
      s.time.dt_max = dt;
      s.materials = {elastic("soft", model, 1e5, 1000)};
      s.materials[0].poisson_ratio = 0;
      s.bodies = {body("bar", 0, box({0, 0, 0}, {1, 0.2, 0}))};
      s.bodies[0].velocity.component[0] = ScalarField{0, "0.02 * sin(pi * x / 2)"};
      s.colliders = {collider("wall", half_space({0, 0, 0}, {1, 0, 0}), BoundaryType::kSticky)};
      Simulation simulation = simulate(s);
      const Totals start = simulation.totals();
      double most = start.kinetic, last = start.momentum[0];
      int turns = 0;
      const int frames = static_cast<int>(0.35 * s.simulation.fps);
      for (int frame = 0; frame < frames; ++frame) {
        simulation.advance_frame();
        const Totals now = simulation.totals();
        most = std::max(most, now.kinetic + now.elastic);
        turns += now.momentum[0] * last < 0 ? 1 : 0;
        last = now.momentum[0];
      }
      EXPECT_EQ(turns, 2);
      EXPECT_LT(most, 1.005 * start.kinetic);
      const Totals end = simulation.totals();
      EXPECT_GT(end.kinetic + end.elastic, 0.85 * start.kinetic);
    }
}

// The linear solve of a step that begins next to its end has no digits left for its share of the
// tolerance; its imbalance is within it all the same.
TEST(ImplicitSingle, SolvesThatBeginAtTheirEndAreSolved) {
  Scene s = implicit_scene(0.01);
  s.simulation.integrator = Integrator::kSemiImplicit;
  s.materials = {elastic("jelly", MaterialModel::kNeoHookean, 5e4, 1000)};
  s.bodies = {body("disc", 0, sphere({0, -0.34, 0}, 0.15))};
  Shape drum;
  drum.type = ShapeType::kDifference;
  drum.children = {sphere({0, 0, 0}, 0.6), sphere({0, 0, 0}, 0.5)};
  s.colliders = {collider("drum", drum, BoundaryType::kSlip)};
  s.colliders[0].motion = Keyframes{{0, 4}, {}, {{0, 0, 0}, {0, 0, 0}}, {}};
  Simulation simulation = simulate(s);
  for (int frame = 0; frame < 48; ++frame) ASSERT_NO_THROW(simulation.advance_frame()) << frame;
}

// Stiff against changes of volume alone: what a node's block has of other directions is below the
// last digits of the stiff one.
Scene stiff_drops(Integrator integrator, double bulk_modulus) {
  Scene s = empty_scene(3, 0.02, Precision::kSingle);
  s.simulation.integrator = integrator;
  s.simulation.fps = 48;
  s.materials = {water("water")};
  s.materials[0].bulk_modulus = bulk_modulus;
  s.bodies = {body("drop", 0, sphere({0, 0, 0}, 0.04))};
  return s;
}
TEST(ImplicitSingle, StiffDropsFall) {
  for (const auto& [integrator, bulk_modulus] :
       {std::pair{Integrator::kSemiImplicit, 1e7}, std::pair{Integrator::kSemiImplicit, 1e8},
        std::pair{Integrator::kOptimization, 1e7}})
    for (const auto preconditioner :
         {ImplicitPreconditioner::kBlocks, ImplicitPreconditioner::kMultigrid}) {
      SCOPED_TRACE(testing::Message()
                   << static_cast<int>(integrator) << ", " << bulk_modulus << " Pa, preconditioner "
                   << static_cast<int>(preconditioner));
      Scene s = stiff_drops(integrator, bulk_modulus);
      s.implicit.preconditioner = preconditioner;
      Simulation simulation = simulate(s);
      simulation.advance_frame();
      const Totals totals = simulation.totals();
      const double fall = kGravity / s.simulation.fps;
      EXPECT_NEAR(totals.momentum[1] / totals.mass, -fall, 1e-2 * fall);
    }
}

// Two discs of steel within a cell of each other, of which one meets the other: rounding of their
// stresses is more than all that moves, and takes no momentum.
TEST(ImplicitSingle, SteelKeepsItsMomentum) {
  for (const auto preconditioner :
       {ImplicitPreconditioner::kBlocks, ImplicitPreconditioner::kDiagonal}) {
    Scene scene = empty_scene(2, 0.02, Precision::kSingle);
    scene.simulation.integrator = Integrator::kOptimization;
    scene.simulation.gravity = {0, 0, 0};
    scene.time.dt_max = 1 / scene.simulation.fps;
    scene.implicit.preconditioner = preconditioner;
    scene.materials = {elastic("steel", MaterialModel::kFixedCorotated, 2e11, 7800)};
    scene.bodies = {body("moving", 0, sphere({0, 1, 0}, 0.1), {0.5, 0, 0}),
                    body("resting", 0, sphere({0.21, 1, 0}, 0.1))};
    Simulation simulation = simulate(scene);
    const Totals before = simulation.totals();
    for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
    const Totals after = simulation.totals();
    EXPECT_NEAR(after.momentum[0], before.momentum[0], 0.01 * before.momentum[0]);
    EXPECT_NEAR(after.momentum[1], 0, 0.01 * before.momentum[0]);
    EXPECT_LT(after.kinetic, before.kinetic);
  }
}

// Spin has no momentum, and neither takes rounding any of it.
TEST(ImplicitSingle, SteelSpinsAsInDoublePrecision) {
  double spin[2], kinetic[2];
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = empty_scene(2, 0.02, precision);
    scene.simulation.integrator = Integrator::kOptimization;
    scene.simulation.gravity = {0, 0, 0};
    scene.time.dt_max = 2e-3;
    scene.simulation.fps = 100;
    scene.materials = {elastic("steel", MaterialModel::kFixedCorotated, 2e11, 7800)};
    scene.bodies = {body("disc", 0, sphere({0, 1, 0}, 0.1))};
    scene.bodies[0].angular_velocity = {0, 0, 60};
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
    const bool single = precision == Precision::kSingle;
    spin[single] = simulation.totals().angular_momentum[2];
    kinetic[single] = simulation.totals().kinetic;
  }
  EXPECT_NEAR(spin[1], spin[0], 0.02 * spin[0]);
  EXPECT_NEAR(kinetic[1], kinetic[0], 0.04 * kinetic[0]);
}

// A block that has landed, whose weight strains it by little more than its digits: what rounding
// leaves there is up to 1.5 times what is known of it.
class StiffBlock : public testing::TestWithParam<double> {};
TEST_P(StiffBlock, LandsAndRestsInSinglePrecision) {
  Scene scene = empty_scene(3, 0.01, Precision::kSingle);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.materials = {elastic("hard", MaterialModel::kFixedCorotated, 1e8, 1000)};
  scene.materials[0].poisson_ratio = 0.3;
  const double low = GetParam();
  scene.bodies = {
      body("block", 0, box({low, low, low}, {low + 0.16, low + 0.16, low + 0.16}), {0, -1, 0})};
  scene.bodies[0].sampling = Sampling::kUniform;
  Shape floor;
  floor.type = ShapeType::kHalfSpace;
  floor.point = {0, low, 0};
  scene.colliders = {collider("floor", floor, BoundaryType::kSticky)};
  Simulation simulation = simulate(scene);
  const double height = simulation.totals().center_of_mass[1];
  for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
  const FrameStats& stats = simulation.stats();
  EXPECT_NEAR(stats.totals.center_of_mass[1], height, 1e-4);
  EXPECT_LT(stats.max_speed, 0.05);
  EXPECT_GT(stats.implicit.at_rounding, 0);
}
// On a line of the grid, and within cells.
INSTANTIATE_TEST_SUITE_P(ImplicitSingle, StiffBlock, testing::Values(0.08, 0.083, 0.086));

}  // namespace
}  // namespace firn::test
