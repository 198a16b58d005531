// No step is a sliver where times of frames, emissions and key frames differ by rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// Of so many frames, over the length of one.
double shortest_step(const Scene& scene, int frames) {
  Simulation simulation = simulate(scene);
  double shortest = 1;
  for (int frame = 0; frame < frames; ++frame) {
    simulation.advance_frame();
    shortest = std::min(shortest, simulation.stats().dt_min * scene.simulation.fps);
  }
  return shortest;
}

Scene basin(double fps) {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.simulation.fps = fps;
  scene.materials = {liquid()};
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.4, 0}))};
  return scene;
}

TEST(Slivers, AreNotBetweenEmissionsAndFrames) {
  for (const double speed : {0.2, 0.21, 0.75}) {
    Scene scene = basin(24);
    scene.sources = {{}};
    scene.sources[0].shape = box({0, 0.1, 0}, {0.1, 0.2, 0});
    scene.sources[0].velocity = {speed, 0, 0};
    EXPECT_GT(shortest_step(scene, 40), 1e-4) << speed;
  }
}

TEST(Slivers, AreNotBetweenKeyFramesAndFrames) {
  Scene scene = basin(30);
  scene.colliders = {collider("plate", box({0.4, 0.2, 0}, {0.5, 0.3, 0}), BoundaryType::kSlip)};
  Keyframes motion;
  for (int k = 0; k <= 40; ++k) {
    motion.times.push_back(k * (1.0 / 30));
    motion.translation.push_back({0.002 * (k % 3), 0, 0});
  }
  // One rounding before and behind the end of a frame.
  motion.times[7] = 7 / 30.0 * (1 - 2.3e-16);
  motion.times[14] = 14 / 30.0 * (1 + 2.3e-16);
  scene.colliders[0].motion = motion;
  EXPECT_GT(shortest_step(scene, 30), 1e-3);
}

// The pressure in a basin that a source fills is that of its depth in every frame; a step of 1e-17
// s behind an emission had some 1e15 Pa.
TEST(Slivers, DoNotShowInThePressure) {
  Scene scene = basin(24);
  scene.sources = {{}};
  scene.sources[0].shape = box({0, 0.1, 0}, {0.1, 0.2, 0});
  scene.sources[0].velocity = {0.2, 0, 0};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 48; ++frame) {
    simulation.advance_frame();
    const Snapshot snapshot = simulation.snapshot();
    double most = 0;
    for (float p : snapshot.pressure) most = std::max(most, static_cast<double>(p));
    EXPECT_LT(most, 2 * 1000 * 9.81 * 0.45) << frame;
  }
}

}  // namespace
}  // namespace firn::test
