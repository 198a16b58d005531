// What sensors cannot read, and whose they are not.
#include <gtest/gtest.h>

#include <cmath>

#include "firn/sensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/sensors.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Scene block_on_ground() {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.5, 0.5, 0}))};
  scene.colliders = {collider("ground", box({-1, -1, 0}, {2, 0, 0}), BoundaryType::kSeparate)};
  return scene;
}

TEST(SensorErrors, WhatIsNotThere) {
  Scene scene = block_on_ground();
  scene.sensors = {on_collider(1)};
  expect_error(ErrorCategory::kScene, {"no collider 1"}, [&] { Sensors{scene}; });
  Sensor point = sensor("point", SensorKind::kPoint);
  point.channels = {"temperature"};
  scene.sensors = {point};
  expect_error(ErrorCategory::kScene, {"no channel 'temperature'"}, [&] { Sensors{scene}; });
  for (const Vec3& none : {Vec3{}, Vec3{NAN, 0, 0}, Vec3{INFINITY, 0, 0}})
    for (const SensorKind kind : {SensorKind::kPlane, SensorKind::kHeight}) {
      if (kind == SensorKind::kHeight && none == Vec3{}) continue;  // against gravity
      scene.sensors = {sensor("gauge", kind)};
      scene.sensors[0].direction = none;
      expect_error(ErrorCategory::kScene, {"sensor \"gauge\"", "must be a direction"},
                   [&] { Sensors{scene}; });
    }
  for (const double rate : {0.0, -10.0, double(NAN)}) {
    scene.sensors = {on_collider(0)};
    scene.sensors[0].rate = rate;
    expect_error(ErrorCategory::kScene, {"sensor \"collider\"", "rate must be > 0"},
                 [&] { Sensors{scene}; });
  }
  scene.sensors = {on_collider(0)};
  Sensors sensors(scene);
  expect_error(ErrorCategory::kFile, {"state of the sensors"}, [&] { sensors.set_state({1}); });
  for (const auto& look :
       {std::function([&] { sensors.name(1); }), std::function([&] { sensors.columns(1); })})
    expect_error(ErrorCategory::kScene, {"no sensor 1: the scene has 1"}, look);
}

TEST(SensorErrors, SimulationsOfOtherScenes) {
  Scene scene = block_on_ground(), other = scene;
  scene.sensors = {on_collider(0)};
  other.colliders.clear();
  Sensors sensors(scene);
  Simulation simulation = simulate(other);
  const auto expect = [](const auto& use) {
    expect_error(ErrorCategory::kScene, {"of another scene: it has 0 colliders, theirs has 1"},
                 use);
  };
  expect([&] { sensors.read(simulation); });
  expect([&] { sensors.advance_frame(simulation, [](const SensorReading&) {}); });
}

// Steps that count as a frame have a mean, too.
TEST(SensorErrors, NoneBehindStepsBeforeTheFirstFrame) {
  Scene scene = block_on_ground();
  scene.sensors = {on_collider(0)};
  Simulation simulation = simulate(scene);
  const Sensors sensors(scene);
  EXPECT_TRUE(std::isnan(sensors.read(simulation)[0].values[0]));
  simulation.advance_steps(20);
  EXPECT_EQ(sensors.read(simulation)[0].values[1], simulation.stats().reactions[0].force[1]);
}

}  // namespace
}  // namespace firn::test
