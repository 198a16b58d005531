// A warm step allocates nothing, neither from the heap nor buffers of the backend. A program of its
// own, so that what counts allocations (counted_allocations.cpp) is in no other test.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "kernels/exec/backend.h"
#include "tests/allocation/counted_allocations.h"
#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr int kSteps = 8;

// What was allocated in each of the next steps, which are steps within a frame.
std::array<long, kSteps> allocations_per_step(Simulation& simulation) {
  std::array<long, kSteps> per_step{};
  long before = 0;
  int step = -1;
  const auto between_steps = [&] {
    if (step >= 0) per_step[static_cast<std::size_t>(step)] = allocations() - before;
    before = allocations();
    return ++step == kSteps;
  };
  EXPECT_FALSE(simulation.advance_frame(between_steps)) << "the frame has too few steps";
  return per_step;
}

// The first steps meet memory for the first time. With two threads the work is shared out.
void expect_none(Scene scene) {
  scene.simulation.fps = 1;  // a frame holds all the steps
  for (int threads : {1, 2}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    Simulation simulation = simulate(scene, threads);
    for (int i = 0; i < 2; ++i) {
      allocations_per_step(simulation);
      simulation.advance_steps(1);  // ends with the state on the particles, which makes a layout
    }
    const FrameStats warm = simulation.stats();
    EXPECT_EQ(allocations_per_step(simulation), (std::array<long, kSteps>{}));
    simulation.advance_steps(1);
    EXPECT_EQ(simulation.stats().grown, warm.grown) << "the scene is to stay in its memory";
  }
}

TEST(Allocations, AreCounted) {
  const long before = allocations();
  const auto list = std::make_unique<std::vector<int>>(3);
  EXPECT_EQ(allocations() - before, 2);
  Cpu exec(1);
  exec.release(exec.allocate(64));
  EXPECT_EQ(allocations() - before, 3);
}

// A bar of three materials that trembles in place beside a moving paddle; in 3D of more than the
// 16384 particles from which on sorts run in parts.
Scene trembling_bar(int dimension, Precision precision) {
  Scene scene = empty_scene(dimension, dimension == 3 ? 0.04 : 0.05, precision);
  scene.simulation.gravity = {0, 0, 0};
  scene.time.dt_max = 1e-4;
  scene.materials = {elastic("jelly"), snow("snow"), sand("sand")};
  const double side = dimension == 3 ? 0.5 : 2.0;
  for (int m = 0; m < 3; ++m) {
    const double x = 0.025 + m * side;
    scene.bodies.push_back(body(scene.materials[static_cast<std::size_t>(m)].name, m,
                                box({x, 0.025, 0.025}, {x + side, side, 0.5})));
    scene.bodies.back().velocity.component[1] = {0, "0.05*sin(9*x)"};
  }
  Collider paddle = collider("paddle", box({0, -0.2, 0}, {0.5, 0.1, 0.6}), BoundaryType::kSlip);
  paddle.motion = Keyframes{{0, 1}, {{0, 0, 0}, {0, 0.01, 0}}, {{0, 0, 0}, {0, 0, 0.01}}, {}};
  scene.colliders = {paddle};
  return scene;
}

TEST(Allocations, NoneInAnExplicitStep) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (DiagnosticsLevel level : {DiagnosticsLevel::kTotals, DiagnosticsLevel::kStages})
        for (bool fused : {true, false}) {
          Scene scene = trembling_bar(dimension, precision);
          scene.output.diagnostics = level;
          scene.simulation.fused = fused;
          expect_none(scene);
        }
}

// Where particles may leave, steps are plain. In flight layouts follow each other, and how many
// blocks they need goes up and down with the places of the bodies between them.
TEST(Allocations, NoneAboveASinkAndInFlight) {
  Scene scene = trembling_bar(3, Precision::kSingle);
  for (Body& b : scene.bodies) b.velocity.component[2].constant = 40;  // a cell in 10 steps
  expect_none(scene);
  scene.sinks = {{"drain", box({-9, -9, -9}, {9, -8, 9})}};
  expect_none(scene);
}

// On CUDA a run takes as much for many steps as for few.
TEST(GpuAllocations, NoneInAReplayedStep) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Simulation simulation(trembling_bar(2, Precision::kSingle), {Device::kCuda, 1});
  // The layout after steps whose state lies on the particles meets the workspace of the sort for
  // the first time, and the step is captured anew.
  for (int i = 0; i < 2; ++i) simulation.advance_steps(10);
  std::array<long, 2> taken{};
  for (std::size_t i = 0; i < 2; ++i) {
    const long before = allocations();
    simulation.advance_steps(i == 0 ? 10 : 60);
    taken[i] = allocations() - before;
  }
  EXPECT_EQ(taken[0], taken[1]);
}

TEST(Allocations, NoneWithTheOtherTransfers) {
  for (TransferType type : {TransferType::kFlip, TransferType::kPolypic})
    for (ForceForm force : {ForceForm::kMls, ForceForm::kGradient}) {
      Scene scene = trembling_bar(3, Precision::kSingle);
      scene.transfer.type = type;
      scene.transfer.force = force;
      expect_none(scene);
    }
}

// A pool with air above it, walls that may let go, a drop of tracers and a stirrer; and a full box,
// whose sealed region has a mean to be taken out.
Scene stirred_pool(int dimension, Precision precision, bool full) {
  Scene scene = liquid_scene(dimension, dimension == 2 ? 0.02 : 0.05, precision);
  scene.time.dt_max = 1e-3;
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0.4});
  if (!full) scene.grid.domain->boundary.fill(BoundaryType::kSeparate);
  scene.bodies = {lattice("pool", box({0, 0, 0}, {1, full ? 1 : 0.5, 0.4}))};
  scene.bodies[0].velocity.component[0] = {0, "0.05*sin(3*y)"};
  scene.tracers.per_cell = 1;
  scene.colliders = {collider("stirrer", sphere({0.5, 0.2, dimension == 3 ? 0.2 : 0.0}, 0.1),
                              BoundaryType::kSlip)};
  return scene;
}

TEST(Allocations, NoneInAnIncompressibleStep) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (bool full : {false, true}) {
        SCOPED_TRACE(testing::Message() << dimension << "D" << (full ? ", full" : ""));
        expect_none(stirred_pool(dimension, precision, full));
      }
}

}  // namespace
}  // namespace firn::test
