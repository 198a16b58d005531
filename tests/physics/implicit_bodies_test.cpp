// Long steps and bodies that move: what rides on a plate has the stresses of rest.
#include <gtest/gtest.h>

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

// A block on a plate of E = 1e8 Pa; its own weight bends it by micrometres.
Scene ride(Integrator integrator, const Vec3& velocity) {
  Scene scene = long_steps(integrator, Precision::kDouble, 0.02, 24);
  scene.materials = {elastic("stiff", MaterialModel::kFixedCorotated, 1e8)};
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

INSTANTIATE_TEST_SUITE_P(Of, LongSteps,
                         testing::Values(Integrator::kOptimization, Integrator::kSemiImplicit),
                         [](const auto& test) {
                           return test.param == Integrator::kOptimization ? "Optimization"
                                                                          : "SemiImplicit";
                         });

}  // namespace
}  // namespace firn::test
