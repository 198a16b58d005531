// Forces on a collider between any two readings against what the material has gained in momentum,
// however the simulation got from one to the other.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "firn/sensors.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sensors.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// A pusher that comes at a free block with 1 m/s; frames of 10 ms.
Scene pushed_block() {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.gravity = {};
  scene.simulation.fps = 100;
  scene.materials = {elastic("jelly", MaterialModel::kNeoHookean, 1e5, 1000)};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.4, 0}))};
  Collider pusher = collider("pusher", box({-0.4, -0.2, 0}, {0, 0.6, 0}), BoundaryType::kSeparate);
  pusher.motion.emplace();
  pusher.motion->times = {0, 10};
  pusher.motion->translation = {{0, 0, 0}, {10, 0, 0}};
  scene.colliders = {pusher};
  Sensor load = sensor("load", SensorKind::kCollider);
  load.collider = 0;
  scene.sensors = {load};
  return scene;
}

struct Look {
  double time, momentum, force;
};

// Velocities may lie on the grid where an advance has ended; a look then waits for the next one.
void expect_means_since_the_last_reading(
    const std::vector<std::function<void(Simulation&)>>& advances) {
  const Scene scene = pushed_block();
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  const auto look = [&] {
    return Look{simulation.time(), simulation.totals().momentum[0],
                sensors.read_on(simulation).at(0).values.at(0)};
  };
  Look before = look();
  EXPECT_TRUE(std::isnan(before.force));
  for (std::size_t k = 0; k < advances.size(); ++k) {
    advances[k](simulation);
    const Look now = look();
    const double gained = now.momentum - before.momentum, seconds = now.time - before.time;
    EXPECT_NEAR(-now.force * seconds, gained, 1e-9 + 1e-6 * std::abs(gained)) << k;
    EXPECT_EQ(sensors.read_on(simulation).at(0).values.at(0), now.force) << k;
    before = now;
  }
  EXPECT_GT(before.momentum, 1);
}

TEST(ReactionMeans, AreSinceTheLastReadingHoweverItWentOn) {
  const auto until = [](double t) { return [t](Simulation& s) { s.advance_until(t); }; };
  const auto steps = [](int n) { return [n](Simulation& s) { s.advance_steps(n); }; };
  const auto frame = [](Simulation& s) { s.advance_frame(); };
  expect_means_since_the_last_reading({until(0.003), until(0.006), until(0.009), until(0.012),
                                       until(0.015), until(0.02), until(0.027), until(0.031)});
  expect_means_since_the_last_reading({steps(3), steps(1), steps(20), frame, steps(2), frame});
  expect_means_since_the_last_reading({frame, frame, until(0.0255), frame, steps(7), until(0.041)});
}

TEST(ReactionMeans, WithMoreThanOneFrameBetweenAreThoseOfTheLast) {
  const Scene scene = pushed_block();
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  sensors.read_on(simulation);
  for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
  EXPECT_EQ(sensors.read_on(simulation).at(0).values.at(0),
            simulation.stats().reactions[0].force[0]);
  // A state that lies before is no time to look back to.
  Simulation again = simulate(scene);
  again.advance_frame();
  EXPECT_EQ(sensors.read_on(again).at(0).values.at(0), again.stats().reactions[0].force[0]);
}

}  // namespace
}  // namespace firn::test
