// Colliders that change their shape, on CUDA: material meets them as on the CPU, by every
// integrator; steps that are replayed see what those launched one by one do; runs go on from a
// saved state to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/device.h"
#include "tests/support/sequences.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

class GpuMeshSequence : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
  // 120 meshes per second, so that few steps pass several of them.
  SequenceFiles files_{cube(0.25, {0.25, -0.25, 0.25}), 5, 120, [](const Vec3& x, double t) {
                         return Vec3{x[0] + 0.5 * t * x[1], x[1] + t * (0.5 + x[0]), x[2]};
                       }};
};

Scene squeezed_block(const Shape& floor, Integrator integrator, Precision precision) {
  Scene scene = empty_scene(3, 0.1, precision);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.reproducible = true;
  scene.materials = {elastic("jelly")};
  if (integrator == Integrator::kIncompressible) {
    scene.materials[0] = {};
    scene.materials[0].name = "water";
    scene.materials[0].model = MaterialModel::kIncompressible;
    scene.materials[0].density = 1000;
  }
  scene.bodies = {body("block", 0, box({0.1, 0, 0.1}, {0.4, 0.2, 0.4}), {0, -1, 0})};
  scene.colliders = {collider("floor", floor, BoundaryType::kSlip)};
  return scene;
}

// 64 epsilon in a step, as in step_equality_test.cpp, of the speed of sound (12 m/s), with which
// stress carries on what differs; solves end within a tolerance of 1e-4 of what they start from.
void expect_same(const Scene& scene, double until, double of_solves) {
  Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
  cpu.advance_until(until);
  gpu.advance_until(until);
  ASSERT_EQ(cpu.time(), gpu.time());
  const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
  ASSERT_EQ(a.size(), b.size());
  const double epsilon = scene.simulation.precision == Precision::kSingle
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  const double steps = std::max(until / 1e-4, 1.0),
               tolerance = 64 * steps * epsilon * 12 + of_solves;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    ASSERT_NEAR(a.position[i], b.position[i], tolerance * until + 1e-6);
  const ColliderImpulse of_cpu = cpu.collider_impulses()[0];
  const ColliderImpulse of_gpu = gpu.collider_impulses()[0];
  const double mass = 18;  // kg
  EXPECT_GT(std::abs(of_cpu.impulse[1]), 0.1 * mass) << "it was hit";
  EXPECT_GT(std::abs(of_cpu.work), 0.05 * mass) << "and pushed";
  EXPECT_NEAR(of_cpu.impulse[1], of_gpu.impulse[1], tolerance * mass);
  EXPECT_NEAR(of_cpu.work, of_gpu.work, tolerance * mass);
}

TEST_F(GpuMeshSequence, MovesMaterialAsOnTheCpu) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble})
    for (const bool fused : {false, true}) {
      Scene scene = squeezed_block(files_.shape(), Integrator::kExplicit, precision);
      scene.simulation.fused = fused;
      expect_same(scene, 0.02, 0);
    }
}

TEST_F(GpuMeshSequence, InSolvesAsOnTheCpu) {
  // Past a mesh; later the floor, along which water may only slide, pulls as much as it has pushed.
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kIncompressible})
    expect_same(squeezed_block(files_.shape(), integrator, Precision::kDouble), 0.01, 1e-3);
}

TEST_F(GpuMeshSequence, RepeatsReplayedOrNot) {
  const Scene scene = squeezed_block(files_.shape(), Integrator::kExplicit, Precision::kSingle);
  std::vector<std::vector<std::byte>> states;
  for (const bool replayed : {true, true, false}) {
    Simulation simulation(scene, {Device::kCuda, 1});
    simulation.time_stages(!replayed);
    simulation.advance_until(0.02);  // past the meshes at 1/120 s and 2/120 s
    states.push_back(simulation.save_state());
  }
  EXPECT_EQ(states[0], states[1]);
  EXPECT_EQ(states[0], states[2]);
}

TEST_F(GpuMeshSequence, GoesOnFromASavedState) {
  const Scene scene = squeezed_block(files_.shape(), Integrator::kExplicit, Precision::kSingle);
  Simulation whole(scene, {Device::kCuda, 1}), after(scene, {Device::kCuda, 1});
  whole.advance_until(0.012);
  after.load_state(whole.save_state());
  whole.advance_until(0.02);
  after.advance_until(0.02);
  EXPECT_EQ(after.save_state(), whole.save_state());
}

}  // namespace
}  // namespace firn::test
