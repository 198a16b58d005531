// Colliders that material moves on CUDA: they move as on the CPU within what another order of sums
// explains, repeat where runs repeat, whether steps are replayed or not, and go on from a saved
// state; key frames that are set from code reach the device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/device.h"
#include "tests/support/floating_scenes.h"
#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

class GpuRigidBodies : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

double epsilon_of(Precision precision) {
  return precision == Precision::kSingle ? std::numeric_limits<float>::epsilon()
                                         : std::numeric_limits<double>::epsilon();
}

// 64 epsilon in a step, as in step_equality_test.cpp, of the speed of sound (12 m/s), with which
// stress carries on what differs. A body sums up the momentum of all its nodes, some of which are
// heavier than it is: ten times at most here.
void expect_same_motion(const Scene& scene, int steps) {
  Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
  cpu.advance_steps(steps);
  gpu.advance_steps(steps);
  ASSERT_EQ(cpu.time(), gpu.time());
  const double tolerance = 64 * steps * epsilon_of(scene.simulation.precision) * 12 * 10;
  const auto a = cpu.colliders(), b = gpu.colliders();
  double moved = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    EXPECT_EQ(a[c].mass, b[c].mass);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(a[c].velocity[k], b[c].velocity[k], tolerance);
      EXPECT_NEAR(a[c].translation[k], b[c].translation[k], tolerance * cpu.time());
      EXPECT_NEAR(a[c].angular_velocity[k], b[c].angular_velocity[k], tolerance / 0.1);
    }
    moved = std::max(moved, std::abs(a[c].velocity[0] - scene.colliders[c].dynamics->velocity[0]));
  }
  EXPECT_GT(moved, 1e-3) << "nothing was hit";
}

TEST_F(GpuRigidBodies, MoveAsOnTheCpu) {
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const BoundaryType boundary : {BoundaryType::kSticky, BoundaryType::kSlip})
        for (const bool fused : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << dimension << "D, precision " << static_cast<int>(precision)
                       << ", boundary " << static_cast<int>(boundary) << ", fused " << fused);
          Scene scene = struck_plank(dimension, precision, boundary);
          scene.simulation.fused = fused;
          expect_same_motion(scene, 12);
        }
}

// Which nodes touch is judged by signs that rounding may turn, so that only double precision tells
// that the rest is the same.
TEST_F(GpuRigidBodies, RubAsOnTheCpu) {
  for (const int dimension : {2, 3})
    expect_same_motion(struck_plank(dimension, Precision::kDouble, BoundaryType::kSeparate, 0.4),
                       60);  // it has to come to where the blob is
}

// Alone in a scene: a blow goes through a row, and what is stacked rests from step to step.
TEST_F(GpuRigidBodies, PassBlowsOnAsOnTheCpu) {
  Scene scene = empty_scene(2, 0.1);
  scene.time.dt_max = 2e-3;
  scene.colliders = {collider("ground", ground(), BoundaryType::kSeparate)};
  for (int k = 0; k < 3; ++k) {
    scene.colliders.push_back(
        dynamic(collider("disc" + std::to_string(k), sphere({0.4 * k, 0.2, 0}, 0.2),
                         BoundaryType::kSeparate),
                500, {k == 0 ? 2.0 : 0, 0, 0}));
    scene.colliders.back().dynamics->restitution = 1;
    scene.colliders.push_back(
        dynamic(collider("box" + std::to_string(k), box({3, 0.3 * k, 0}, {3.4, 0.3 * (k + 1), 0}),
                         BoundaryType::kSeparate),
                500));
  }
  Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
  cpu.advance_steps(12);
  gpu.advance_steps(12);
  const auto a = cpu.colliders(), b = gpu.colliders();
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(a[c].translation[k], b[c].translation[k], 1e-6) << c;
      EXPECT_NEAR(a[c].velocity[k], b[c].velocity[k], 1e-4) << c;
    }
  EXPECT_NEAR(b[5].velocity[0], 2, 0.1);
  EXPECT_NEAR(b[1].velocity[0], 0, 0.1);
}

// In incompressible liquid, with walls to run into: pressure and contact are solved for on the
// device, to the tolerance of the solve.
// The pressure of what a body closes off is that which holds it.
TEST_F(GpuRigidBodies, RestOnSealedLiquidAsOnTheCpu) {
  Scene scene = sealed_piston(0.1);
  scene.fluid.tolerance = 1e-10;
  scene.time.dt_max = 0.02;
  Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
  cpu.advance_steps(5);
  gpu.advance_steps(5);
  EXPECT_NEAR(cpu.colliders()[0].translation[1], gpu.colliders()[0].translation[1], 1e-8);
  EXPECT_NEAR(gpu.colliders()[0].translation[1], 0, 0.02);
}

TEST_F(GpuRigidBodies, FloatAsOnTheCpu) {
  for (const int dimension : {2, 3})
    for (const BoundaryType boundary : {BoundaryType::kSlip, BoundaryType::kSticky}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, boundary " << static_cast<int>(boundary));
      const double dx = dimension == 2 ? 0.1 : 0.2;
      Scene scene = tank_with(floating_block(400, boundary, dimension), dimension, dx);
      scene.colliders[0].dynamics->velocity = {1.5, -1, 0};
      const double z = dimension == 3 ? 0.6 : 0;
      scene.colliders.push_back(
          dynamic(collider("stone", sphere({1.9, 0.25, z}, 0.2), boundary), 2500, {3, 0, 0}));
      scene.fluid.tolerance = 1e-10;
      scene.time.dt_max = 0.02;
      Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
      cpu.advance_steps(10);
      gpu.advance_steps(10);
      const auto a = cpu.colliders(), b = gpu.colliders();
      for (std::size_t c = 0; c < a.size(); ++c)
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(a[c].velocity[k], b[c].velocity[k], 1e-7);
          EXPECT_NEAR(a[c].translation[k], b[c].translation[k], 1e-8);
          EXPECT_NEAR(a[c].angular_velocity[k], b[c].angular_velocity[k], 1e-6);
        }
      EXPECT_LT(a[1].velocity[0], 1) << "it has not met the wall";
      EXPECT_LT(a[0].velocity[0], 1.4);
    }
}

TEST_F(GpuRigidBodies, RepeatReplayedOrNot) {
  Scene scene = struck_plank(3, Precision::kSingle, BoundaryType::kSeparate, 0.4);
  scene.simulation.reproducible = true;
  std::vector<std::vector<std::byte>> states;
  for (const bool replayed : {true, true, false}) {
    Simulation simulation(scene, {Device::kCuda, 1});
    simulation.time_stages(!replayed);
    simulation.advance_steps(20);
    states.push_back(simulation.save_state());
    EXPECT_EQ(simulation.stats().enqueued.replayed > 0, replayed);
  }
  EXPECT_EQ(states[0], states[1]);
  EXPECT_EQ(states[0], states[2]);
}

TEST_F(GpuRigidBodies, GoOnFromASavedState) {
  Scene scene = struck_plank(2, Precision::kSingle, BoundaryType::kSticky);
  scene.simulation.reproducible = true;
  Simulation whole(scene, {Device::kCuda, 1}), before(scene, {Device::kCuda, 1}),
      after(scene, {Device::kCuda, 1});
  whole.advance_steps(10);
  whole.advance_steps(10);
  before.advance_steps(10);
  after.load_state(before.save_state());
  after.advance_steps(10);
  EXPECT_EQ(after.save_state(), whole.save_state());
}

// In the middle of replayed steps, and to the bit what a step by step launch gives.
TEST_F(GpuRigidBodies, KeyFramesAreSetFromCode) {
  Scene scene = struck_plank(2, Precision::kSingle, BoundaryType::kSticky);
  scene.colliders[0].dynamics.reset();
  scene.simulation.reproducible = true;
  std::vector<std::vector<std::byte>> states;
  for (const bool replayed : {true, false}) {
    Simulation simulation(scene, {Device::kCuda, 1});
    simulation.time_stages(!replayed);
    simulation.advance_steps(8);
    const double now = simulation.time();
    simulation.set_collider_motion("plank", {{now, now + 1}, {{0, 0, 0}, {-2, 0, 0}}, {}, {}});
    simulation.advance_steps(8);
    states.push_back(simulation.save_state());
    EXPECT_NEAR(simulation.colliders()[0].translation[0], -2 * (simulation.time() - now), 1e-12);
    EXPECT_LT(simulation.totals().momentum[0] / simulation.totals().mass, 1.5);
  }
  EXPECT_EQ(states[0], states[1]);
}

}  // namespace
}  // namespace firn::test
