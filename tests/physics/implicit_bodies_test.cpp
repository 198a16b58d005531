// Long steps and bodies: what rides on one that moves has the stresses of rest, and what falls to
// one in the middle of a step does not end within it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Scene long_steps(Integrator integrator, Precision precision, double dx, double fps) {
  Scene scene = empty_scene(2, dx, precision);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = fps;
  scene.time.dt_max = 1 / fps;
  return scene;
}

class LongSteps : public testing::TestWithParam<Integrator> {};

// A block on a plate; its own weight bends it by micrometres.
Scene ride(Integrator integrator, const Vec3& velocity, double stiffness = 1e8) {
  Scene scene = long_steps(integrator, Precision::kDouble, 0.02, 24);
  scene.materials = {elastic("stiff", MaterialModel::kFixedCorotated, stiffness)};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.1, 0}), velocity)};
  Collider plate;
  plate.shape.type = ShapeType::kHalfSpace;
  plate.shape.normal = {0, 1, 0};
  plate.boundary = BoundaryType::kSticky;
  plate.motion.emplace();
  plate.motion->times = {0, 10};
  plate.motion->translation = {{0, 0, 0}, {10 * velocity[0], 10 * velocity[1], 0}};
  scene.colliders = {plate};
  return scene;
}

TEST_P(LongSteps, WhatRidesOnAPlateHasTheStressesOfRest) {
  Simulation resting = simulate(ride(GetParam(), {0, 0, 0}));
  for (int frame = 0; frame < 6; ++frame) resting.advance_frame();
  const double energy = resting.totals().elastic;
  const double weight = resting.totals().mass * 9.81;
  ASSERT_NEAR(resting.stats().reactions[0].force[1], -weight, 0.02 * weight);
  for (const Vec3& velocity : {Vec3{0.2, 0, 0}, Vec3{-0.5, 0, 0}, Vec3{0, 0.1, 0}}) {
    Simulation riding = simulate(ride(GetParam(), velocity));
    for (int frame = 0; frame < 6; ++frame) riding.advance_frame();
    EXPECT_NEAR(riding.stats().reactions[0].force[1], -weight, 0.05 * weight) << velocity[0];
    // A plate that rises takes nodes as it comes to them.
    if (velocity[1] > 0) continue;
    EXPECT_LT(riding.totals().elastic, energy + 0.01 * riding.totals().kinetic) << velocity[0];
  }
}

TEST_P(LongSteps, SteelThatRidesWeighsWhatItWeighs) {
  Simulation riding = simulate(ride(GetParam(), {0.2, 0, 0}, 2e11));
  const double weight = riding.totals().mass * 9.81;
  for (int frame = 0; frame < 8; ++frame) {
    riding.advance_frame();
    EXPECT_NEAR(riding.stats().reactions[0].force[1], -weight, 0.05 * weight) << frame;
  }
}

// Within a step from rest it falls by g dt^2, almost five cells.
Scene falling(Integrator integrator) {
  Scene scene = long_steps(integrator, Precision::kDouble, 0.02, 10);
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e6)};
  scene.bodies = {body("block", 0, box({0.3, 0.4, 0}, {0.5, 0.5, 0}))};
  return scene;
}
double lowest_of(const Simulation& simulation) {
  const Snapshot s = simulation.snapshot();
  double lowest = double{s.position[1]};
  for (std::size_t p = 0; p < s.size(); ++p)
    lowest = std::min(lowest, double{s.position[2 * p + 1]});
  return lowest;
}

TEST_P(LongSteps, LandOnAThinPlate) {
  for (const BoundaryType type : {BoundaryType::kSticky, BoundaryType::kSeparate}) {
    Scene scene = falling(GetParam());
    Collider plate;
    const double thickness = type == BoundaryType::kSticky ? 0.02 : 0.04;
    plate.shape = box({0, 0.35 - thickness, 0}, {0.8, 0.35, 0});
    plate.boundary = type;
    scene.colliders = {plate};
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 8; ++frame) {
      simulation.advance_frame();
      EXPECT_GT(lowest_of(simulation), 0.35 - 0.5 * scene.grid.dx - 1e-6) << frame;
    }
  }
}

TEST_P(LongSteps, LandOnTheFloorOfTheDomain) {
  Scene scene = falling(GetParam());
  scene.bodies = {body("block", 0, box({0.3, 0.05, 0}, {0.5, 0.15, 0}))};
  scene.grid.domain = closed_box({0, 0, 0}, {0.8, 0.8, 0});
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  // It has not been squashed where the domain ends: no more than two rows lie in the lowest cell.
  const Snapshot s = simulation.snapshot();
  std::size_t low = 0;
  for (std::size_t p = 0; p < s.size(); ++p)
    low += double{s.position[2 * p + 1]} < 0.5 * scene.grid.dx ? 1 : 0;
  EXPECT_LT(low, s.size() / 5);
}

// Just before the face of what lets go comes to the next nodes, those within it have a few
// hundredths of a node's mass and bear all: nothing but the way that is left may hold the next
// ones, or the clay springs back past the face within a step and half of the load is gone.
TEST(LongStepsOfClay, AFootingKeepsItsLoadWhereItComesToALineOfTheGrid) {
  Scene scene = long_steps(Integrator::kOptimization, Precision::kSingle, 0.1, 10);
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain.emplace();
  scene.grid.domain->min = {-1.6, -1.2, 0};
  scene.grid.domain->max = {1.6, 1, 0};
  scene.grid.domain->boundary = {BoundaryType::kSlip,   BoundaryType::kSlip,
                                 BoundaryType::kSticky, BoundaryType::kSeparate,
                                 BoundaryType::kSlip,   BoundaryType::kSlip};
  Material clay = elastic("clay", MaterialModel::kVonMises, 1e6);
  clay.density = 2000;
  clay.poisson_ratio = 0.45;
  clay.yield_stress = 2e4;
  scene.materials = {clay};
  scene.bodies = {body("ground", 0, box({-1.6, -1.2, 0}, {1.6, 0, 0}))};
  Collider footing = collider("footing", box({-0.5, 0, 0}, {0.5, 0.4, 0}), BoundaryType::kSeparate);
  footing.motion.emplace();
  footing.motion->times = {0, 5};
  footing.motion->translation = {{0, 0, 0}, {0, -0.2, 0}};
  scene.colliders = {footing};
  Simulation pressed = simulate(scene);
  double before = 0, strongest = 0;
  for (int frame = 0; frame < 27; ++frame) {  // the base passes a line after 25
    pressed.advance_frame();
    const double load = pressed.stats().reactions[0].force[1];
    EXPECT_GT(load, 0.9 * before) << frame;
    before = load;
    strongest = std::max(strongest, load);
  }
  const double prandtl = 5.14 * clay.yield_stress / std::sqrt(3.0);  // N/m, of 1 m
  EXPECT_NEAR(strongest, prandtl, 0.2 * prandtl);
}

INSTANTIATE_TEST_SUITE_P(Of, LongSteps,
                         testing::Values(Integrator::kOptimization, Integrator::kSemiImplicit),
                         [](const auto& test) {
                           return test.param == Integrator::kOptimization ? "Optimization"
                                                                          : "SemiImplicit";
                         });

}  // namespace
}  // namespace firn::test
