// Steps by optimisation: free flight, momentum and energy of every law, contact with friction,
// reactions, contacts that open, threads and restart, and what happens where a solve cannot end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Scene implicit_scene(int dimension, double dx, double dt) {
  Scene scene = empty_scene(dimension, dx, Precision::kDouble);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.time.dt_max = dt;
  scene.time.cfl = 1;
  return scene;
}

double height(const Snapshot& s) {
  double sum = 0;
  const std::size_t d = s.position.size() / s.size();
  for (std::size_t i = 0; i < s.size(); ++i) sum += s.position[d * i + 1];
  return sum / static_cast<double>(s.size());
}

// Nothing deforms, so v* is the solution, and positions follow backward Euler: y0 - g dt^2 n (n+1)
// / 2.
TEST(Implicit, FreeFall) {
  for (int dimension : {2, 3}) {
    Scene scene = implicit_scene(dimension, 0.1, 1e-2);
    scene.simulation.gravity = {0, -9.81, 0};
    scene.materials = {elastic("steel", MaterialModel::kFixedCorotated, 2e11, 7800)};
    scene.bodies = {lattice("ball", sphere({0, 1, 0}, 0.25))};
    Simulation simulation = simulate(scene);
    const double start = height(simulation.snapshot());
    simulation.advance_steps(10);
    EXPECT_NEAR(height(simulation.snapshot()), start - 9.81 * 1e-4 * 55, 1e-6);
    EXPECT_EQ(simulation.stats().implicit.iterations, 0);
    EXPECT_EQ(simulation.stats().implicit.solves, 10);
  }
}

// Two spinning discs that collide, every law: momenta stay to the tolerance, energy only falls.
Scene collision(MaterialModel law, double dt) {
  Scene scene = implicit_scene(2, 0.1, dt);
  scene.simulation.gravity = {0, 0, 0};
  scene.implicit.tolerance = 1e-8;
  scene.materials = {elastic("rubber", law, 1e5, 1000)};
  scene.materials[0].bulk_modulus = 1e5;
  scene.materials[0].relaxation_time = 0.05;
  scene.materials[0].yield_stress = 2e3;
  scene.materials[0].consistency = 100;
  scene.materials[0].flow_index = 0.5;
  scene.bodies = {lattice("left", sphere({-0.45, 0.05, 0}, 0.4), {2, 0, 0}),
                  lattice("right", sphere({0.45, -0.05, 0}, 0.4), {-2, 0, 0})};
  for (Body& body : scene.bodies) body.angular_velocity = {0, 0, 3};
  return scene;
}

class ImplicitCollision : public testing::TestWithParam<MaterialModel> {};

TEST_P(ImplicitCollision, KeepsMomentumAndGainsNoEnergy) {
  Simulation simulation = simulate(collision(GetParam(), 5e-3));
  const Totals start = simulation.totals();
  double lowest = start.kinetic + start.elastic;
  for (int step = 0; step < 30; ++step) {
    simulation.advance_steps(1);
    const Totals now = simulation.totals();
    const ImplicitStats& solve = simulation.stats().implicit;
    EXPECT_LE(solve.energy_after, solve.energy_before * (1 + 1e-12));
    EXPECT_LE(solve.imbalance, solve.tolerance);
    for (std::size_t a = 0; a < 2; ++a)
      EXPECT_NEAR(now.momentum[a], start.momentum[a], 1e-6 * 2 * start.mass);
    const double energy = now.kinetic + now.elastic;
    EXPECT_LE(energy, lowest * (1 + 2e-3)) << step;
    lowest = std::min(lowest, energy);
  }
  EXPECT_GT(simulation.totals().elastic, 0);
  EXPECT_LE(simulation.stats().implicit.max_iterations, 8);
}

INSTANTIATE_TEST_SUITE_P(
    Laws, ImplicitCollision,
    testing::Values(MaterialModel::kFixedCorotated, MaterialModel::kNeoHookean,
                    MaterialModel::kStvkHencky, MaterialModel::kCorotatedDeviatoric,
                    MaterialModel::kViscoelastic, MaterialModel::kHerschelBulkley,
                    MaterialModel::kWeaklyCompressible),
    [](const auto& info) { return std::to_string(static_cast<int>(info.param)); });

// Near the solution an iteration takes off at least a digit, since linear solves are as exact as it
// needs: from a hundredth to a billionth takes a few, however stiff the block is.
TEST(Implicit, NewtonsMethodConvergesFast) {
  for (const double stiffness : {1e5, 1e9}) {
    const auto iterations = [&](double tolerance) {
      Scene scene = implicit_scene(2, 0.1, 1e-2);
      scene.simulation.gravity = {0, 0, 0};
      scene.implicit.tolerance = tolerance;
      scene.implicit.max_linear_iterations = 2000;
      scene.materials = {elastic("rubber", MaterialModel::kNeoHookean, stiffness, 1000)};
      scene.bodies = {lattice("block", box({0, 0, 0}, {1, 1, 0}))};
      scene.bodies[0].stretch = 0.9;
      Simulation simulation = simulate(scene);
      simulation.advance_steps(1);
      EXPECT_EQ(simulation.stats().implicit.rejected, 0);
      return simulation.stats().implicit.iterations;
    };
    const auto coarse = iterations(1e-2), fine = iterations(1e-5), exact = iterations(1e-9);
    EXPECT_GT(coarse, 0);
    EXPECT_LE(fine, coarse + 2) << stiffness;
    EXPECT_LE(exact, fine + 3) << stiffness;
  }
}

// Backward Euler changes it by dt^2 v x f in a step: at first order over a time.
TEST(Implicit, AngularMomentumIsKeptAtFirstOrder) {
  std::vector<double> errors;
  const std::vector<double> steps{5e-3, 2.5e-3, 1.25e-3};
  for (double dt : steps) {
    Simulation simulation = simulate(collision(MaterialModel::kFixedCorotated, dt));
    const double start = simulation.totals().angular_momentum[2];
    simulation.advance_until(0.15);
    errors.push_back(std::abs(simulation.totals().angular_momentum[2] / start - 1));
  }
  EXPECT_NEAR(fitted_slope(steps, errors), 1, 0.25);
  EXPECT_LT(errors[0], 0.05);
}

// A block on an incline (gravity is inclined): it stays below the angle of friction, and above it
// slides with g (sin - mu cos).
TEST(Implicit, FrictionHoldsOrLetsSlide) {
  const auto slid = [](double angle, double friction, BoundaryType type) {
    Scene scene = implicit_scene(2, 0.05, 5e-3);
    scene.simulation.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    scene.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e6, 1000)};
    scene.grid.domain = closed_box({-2, 0, 0}, {4, 2, 0});
    scene.grid.domain->boundary.fill(type);
    scene.grid.domain->friction.fill(friction);
    scene.bodies = {lattice("block", box({0, 0, 0}, {0.4, 0.2, 0}))};
    Simulation simulation = simulate(scene);
    const auto middle = [&] {
      const Snapshot s = simulation.snapshot();
      double x = 0;
      for (std::size_t i = 0; i < s.size(); ++i) x += s.position[2 * i];
      return x / static_cast<double>(s.size());
    };
    const double start = middle();
    simulation.advance_until(0.4);
    return middle() - start;
  };
  const double angle = 0.4, g = 9.81, fall = 0.5 * 0.4 * 0.4;
  EXPECT_LT(slid(angle, 0.6, BoundaryType::kSeparate), 2e-3);
  EXPECT_NEAR(slid(angle, 0.2, BoundaryType::kSeparate),
              g * (std::sin(angle) - 0.2 * std::cos(angle)) * fall, 0.06 * g * fall);
  EXPECT_NEAR(slid(angle, 0, BoundaryType::kSlip), g * std::sin(angle) * fall, 0.03 * g * fall);
}

// What rests on a body presses on it with its weight, and what was thrown up from it leaves.
TEST(Implicit, BodiesTakeTheWeightAndLetGo) {
  Scene scene = implicit_scene(2, 0.05, 1e-2);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 20;
  scene.materials = {elastic("block", MaterialModel::kNeoHookean, 1e6, 1000)};
  Collider floor;
  floor.name = "floor";
  floor.shape = box({-1, -0.3, 0}, {1, 0, 0});
  floor.boundary = BoundaryType::kSeparate;
  scene.colliders = {floor};
  scene.bodies = {lattice("block", box({0, 0, 0}, {0.4, 0.2, 0}))};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 10; ++frame) simulation.advance_frame();
  const double weight = 0.4 * 0.2 * 1000 * 9.81;
  EXPECT_NEAR(simulation.stats().reactions[0].force[1], -weight, 0.01 * weight);

  scene.bodies[0].velocity.component[1].constant = 2;
  Simulation thrown = simulate(scene);
  const double start = height(thrown.snapshot());
  thrown.advance_frame();
  EXPECT_NEAR(height(thrown.snapshot()) - start, 2 * 0.05 - 9.81 * 1e-4 * 15, 2e-3);
  EXPECT_EQ(thrown.stats().reactions[0].force[1], 0);
}

// One linear solve a step: as the other at small steps, and calmer than explicit at large ones.
TEST(SemiImplicit, IsOneLinearSolve) {
  const auto fallen = [](Integrator integrator, double dt) {
    Scene scene = implicit_scene(2, 0.05, dt);
    scene.simulation.integrator = integrator;
    scene.simulation.gravity = {0, -9.81, 0};
    scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e5, 1000)};
    scene.grid.domain = closed_box({-1, 0, 0}, {1, 1, 0});
    scene.grid.domain->boundary.fill(BoundaryType::kSeparate);
    scene.bodies = {lattice("block", box({-0.2, 0, 0}, {0.2, 0.4, 0}), {0, -1, 0})};
    Simulation simulation = simulate(scene);
    simulation.advance_until(0.1);
    const ImplicitStats stats = simulation.stats().implicit;
    EXPECT_EQ(stats.rejected, 0);
    if (integrator == Integrator::kSemiImplicit) {
      EXPECT_EQ(stats.iterations, stats.passes);
    }
    return height(simulation.snapshot());
  };
  const double exact = fallen(Integrator::kExplicit, 2e-4);
  const double semi = fallen(Integrator::kSemiImplicit, 1e-3),
               optimal = fallen(Integrator::kOptimization, 1e-3);
  EXPECT_NEAR(semi, exact, 0.003);
  EXPECT_NEAR(optimal, exact, 0.003);
  EXPECT_NEAR(fallen(Integrator::kSemiImplicit, 1e-2), exact, 0.02);
}

// What one linear solve leaves is to one side: by the tolerance alone a stiff disc lost 1 % of its
// speed in 250 steps of free flight while it spun.
TEST(Implicit, OneSolvePerStepKeepsTheMomentumOfASpinningDisc) {
  Scene scene = implicit_scene(2, 0.03125, 1e-3);
  scene.simulation.integrator = Integrator::kSemiImplicit;
  scene.simulation.gravity = {};
  scene.materials = {elastic("rubber", MaterialModel::kFixedCorotated, 1e6, 1000)};
  scene.bodies = {lattice("disc", sphere({0.013, 0.021, 0}, 0.2), {0.3, 0.1, 0})};
  scene.bodies[0].angular_velocity = {0, 0, 5};
  Simulation simulation = simulate(scene);
  const Totals before = simulation.totals();
  simulation.advance_steps(250);
  const Totals after = simulation.totals();
  for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(after.momentum[a] / before.momentum[a], 1, 3e-3);
}

// Material that yields in the solve: a block of metal far beyond its strength is squeezed flat by
// its weight, where one that flows after the step only stands as if it were elastic in it.
TEST(Implicit, PlasticFlowInsideTheSolve) {
  const auto height_after = [](PlasticFlow flow, Integrator integrator, double dt) {
    Scene scene = implicit_scene(2, 0.05, dt);
    scene.simulation.integrator = integrator;
    scene.simulation.gravity = {0, -9.81, 0};
    scene.implicit.plasticity = flow;
    scene.materials = {elastic("clay", MaterialModel::kVonMises, 1e6, 1000)};
    scene.materials[0].yield_stress = 500;
    scene.grid.domain = closed_box({-1, 0, 0}, {1, 1, 0});
    scene.bodies = {lattice("block", box({-0.2, 0, 0}, {0.2, 0.4, 0}))};
    Simulation simulation = simulate(scene);
    simulation.advance_until(0.1);
    return height(simulation.snapshot());
  };
  const double exact = height_after(PlasticFlow::kAfter, Integrator::kExplicit, 2e-4),
               inside = height_after(PlasticFlow::kInside, Integrator::kOptimization, 1e-2),
               after = height_after(PlasticFlow::kAfter, Integrator::kOptimization, 1e-2);
  ASSERT_LT(exact, 0.19);
  EXPECT_NEAR(inside, exact, 0.1 * (0.2 - exact) + 0.003);
  EXPECT_LT(std::abs(inside - exact), 0.5 * std::abs(after - exact));
}

TEST(Implicit, RepeatsItsBitsForAnyThreadsAndAfterARestart) {
  Scene scene = busy_scene(2, Precision::kSingle);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.time.dt_max = 4e-3;
  Simulation one(scene, {.device = Device::kCpu, .threads = 1});
  Simulation two(scene, {.device = Device::kCpu, .threads = 2});
  one.advance_steps(3);
  const std::vector<std::byte> state = one.save_state();
  one.advance_steps(3);
  two.advance_steps(6);
  EXPECT_GT(one.stats().implicit.iterations, 0);
  Simulation again(scene, {.device = Device::kCpu, .threads = 2});
  again.load_state(state);
  again.advance_steps(3);
  EXPECT_EQ(one.snapshot().position, two.snapshot().position);
  EXPECT_EQ(one.snapshot().position, again.snapshot().position);
  EXPECT_EQ(one.snapshot().kirchhoff_stress, again.snapshot().kirchhoff_stress);
}

// A needle that tears what it is pushed into, on cells as wide as itself: no iteration more helps.
TEST(Implicit, ASolveThatComesNoFurtherSaysSo) {
  Scene scene = implicit_scene(2, 2e-3, 0.05);
  scene.simulation.fps = 20;
  scene.materials = {elastic("tissue", MaterialModel::kNeoHookean, 1e4, 1000)};
  scene.materials[0].poisson_ratio = 0.45;
  scene.bodies = {lattice("tissue", box({-0.03, -0.03, 0}, {0.03, 0, 0}))};
  Shape tip = box({-0.002, 0, 0}, {0.002, 0.04, 0});
  tip.rounding = 0.002;
  Keyframes down;
  down.times = {0, 1};
  down.translation = {{0, 0, 0}, {0, -0.02, 0}};
  scene.colliders = {collider("floor", half_space({0, -0.03, 0}, {0, 1, 0}), BoundaryType::kSticky),
                     collider("needle", tip, BoundaryType::kSeparate)};
  scene.colliders[1].friction = 0.2;
  scene.colliders[1].motion = down;
  Simulation simulation = simulate(scene);
  expect_divergence(
      {"the implicit solve stopped after ", "it came no further", "implicit.tolerance"},
      [&] { simulation.advance_until(1); });
}

TEST(Implicit, ASolveThatCannotEndEndsTheRun) {
  Scene scene = implicit_scene(2, 0.05, 1e-2);
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e6, 1000)};
  scene.bodies = {lattice("block", box({0, 0, 0}, {0.4, 0.2, 0}))};
  scene.bodies[0].velocity.component[0] = {0, "50*sin(30*x)"};
  scene.implicit.max_iterations = 1;
  scene.implicit.tolerance = 1e-12;
  Simulation simulation = simulate(scene);
  expect_divergence(
      {"step 1 ", "the implicit solve stopped after 1 iterations", "raise implicit.max_iterations"},
      [&] { simulation.advance_frame(); });
  // One linear solve has one limit.
  scene.simulation.integrator = Integrator::kSemiImplicit;
  scene.implicit.max_iterations = ImplicitSettings().max_iterations;
  scene.implicit.max_linear_iterations = 1;
  Simulation linear = simulate(scene);
  expect_divergence({"the implicit solve stopped", "raise implicit.max_linear_iterations or"},
                    [&] { linear.advance_frame(); });
}

}  // namespace
}  // namespace firn::test
