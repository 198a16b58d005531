// What materials exert on each other where they touch, as sensors and reports tell it: against the
// momentum that they gain, against Newton's third law, and against Coulomb's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "firn/sensors.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/expect_error.h"
#include "tests/support/sensors.h"
#include "tests/support/stock_scenes.h"

namespace firn::test {
namespace {

Sensor contact(std::string name, std::vector<int> materials, std::vector<int> bodies = {}) {
  Sensor s = sensor(std::move(name), SensorKind::kContact);
  s.materials = std::move(materials), s.bodies = std::move(bodies);
  return s;
}

Vec3 momentum_of(const Simulation& simulation, std::int32_t which) {
  const Snapshot now = simulation.snapshot();
  const std::vector<double> velocity = simulation.field<double>("velocity");
  const auto axes = static_cast<std::size_t>(now.dimension);
  Vec3 sum{};
  for (std::size_t p = 0; p < now.size(); ++p)
    for (std::size_t a = 0; a < axes && now.body[p] == which; ++a)
      sum[a] += static_cast<double>(now.mass[p]) * velocity[axes * p + a];
  return sum;
}
double mass_of(const Simulation& simulation, std::int32_t which) {
  const Snapshot now = simulation.snapshot();
  double sum = 0;
  for (std::size_t p = 0; p < now.size(); ++p)
    if (now.body[p] == which) sum += static_cast<double>(now.mass[p]);
  return sum;
}

// All that a block gets is its weight and what the slab gives it, fused or not, with momentum and
// impulses in one table or in two.
TEST(ContactSensors, TellWhatABlockIsGiven) {
  for (const int d : {2, 3})
    for (const TransferType transfer : {TransferType::kApic, TransferType::kFlip})
      for (const bool fused : {true, false}) {
        Scene scene = block_on_slab(d, 0.05, 0.41, 0.3, 0.2, 1, 1e5, d == 3 ? 1 : 3);
        scene.transfer.type = transfer;
        scene.simulation.fused = fused;
        Simulation simulation = simulate(scene);
        const double mass = mass_of(simulation, 1);
        for (int frame = 0; frame < 8; ++frame) {
          const Vec3 before = momentum_of(simulation, 1);
          simulation.advance_frame();
          const Vec3 after = momentum_of(simulation, 1);
          const FrameStats stats = simulation.stats();
          ASSERT_EQ(stats.contacts.size(), 2u);
          const ColliderReaction &slab = stats.contacts[0], &block = stats.contacts[1];
          for (std::size_t a = 0; a < 3; ++a) {
            const double gained =
                (after[a] - before[a]) * scene.simulation.fps - mass * scene.simulation.gravity[a];
            EXPECT_NEAR(block.force[a], gained, 1e-5 * mass * kGravity) << d << " " << a;
            EXPECT_NEAR(block.force[a], -slab.force[a], 1e-9 * mass * kGravity);
            EXPECT_NEAR(block.torque[a], -slab.torque[a], 1e-9 * mass * kGravity);
          }
          EXPECT_LE(block.power + slab.power, 1e-9 * mass * kGravity);
        }
        EXPECT_GT(simulation.stats().contacts[1].force[1], 0.3 * mass * kGravity);
      }
}

TEST(ContactSensors, ReadTheWeightOfABlockAndItsFriction) {
  constexpr double kFriction = 0.3, kAngle = 0.6;
  Scene scene = block_on_slab(2, 0.025, 0.4, kAngle, kFriction, 1);
  scene.sensors = {contact("block", {1}), contact("slab", {}, {0})};
  scene.sensors[0].rate = 250;  // and the slab's once a frame, of 0.01 s
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  EXPECT_EQ(sensors.columns(0).size(), 3u);
  EXPECT_EQ(sensors.columns(0)[2].name, "torque_z");
  simulation.advance_until(0.1);
  const double mass = mass_of(simulation, 1), from = 0.1;
  Vec3 on_block{}, on_slab{};
  double power = 0, speed = 0;
  constexpr int kFrames = 30;
  for (int frame = 0; frame < kFrames; ++frame) {
    sensors.advance_frame(simulation, [&](const SensorReading& reading) {
      Vec3& sum = reading.sensor == 0 ? on_block : on_slab;
      const double seconds = reading.sensor == 0 ? 0.004 : 0.01;
      for (std::size_t i = 0; i < 3; ++i) sum[i] += reading.values[i] * seconds;
    });
    for (const ColliderReaction& r : simulation.stats().contacts) power += r.power / kFrames;
    speed += motion_of(simulation, 2, 1).velocity[0] / kFrames;
  }
  const double seconds = simulation.time() - from, weight = mass * kGravity * std::cos(kAngle);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(on_block[i], -on_slab[i], 0.02 * weight * seconds) << i;
  EXPECT_NEAR(on_block[1] / seconds, weight, 0.02 * weight);
  EXPECT_NEAR(on_block[0] / seconds, -kFriction * weight, 0.06 * weight);
  // Friction's, and what is lost where nodes come at each other: a third more.
  EXPECT_LT(power, -0.94 * kFriction * weight * speed);
  EXPECT_GT(power, -1.6 * kFriction * weight * speed);
}

// About the world's origin, wherever what touches is.
TEST(ContactSensors, TorquesAreThoseOfTheForcesWhereTheyAct) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {};
  scene.materials = {elastic("left", MaterialModel::kNeoHookean, 1e5),
                     elastic("right", MaterialModel::kNeoHookean, 1e5)};
  scene.contacts = {{{0, 1}, 0}};
  constexpr double kHeight = 2.3;
  scene.bodies = {body("left", 0, box({0, kHeight - 0.2, 0}, {0.4, kHeight + 0.2, 0}), {1, 0, 0}),
                  body("right", 1, box({0.45, kHeight - 0.2, 0}, {0.85, kHeight + 0.2, 0}))};
  for (Body& b : scene.bodies) b.sampling = Sampling::kUniform;
  scene.sensors = {contact("right", {1}), contact("both", {0, 1})};
  Simulation simulation = simulate(scene);
  const Sensors sensors(scene);
  double most = 0;
  for (int frame = 0; frame < 6; ++frame) {
    simulation.advance_frame();
    const std::vector<SensorReading> read = sensors.read(simulation);
    const std::vector<double>&right = read[0].values, &both = read[1].values;
    EXPECT_NEAR(right[2], -kHeight * right[0], 1e-6 * std::abs(right[2]) + 1e-9);
    for (const double sum : both) EXPECT_NEAR(sum, 0, 1e-9);
    most = std::max(most, right[0]);
  }
  EXPECT_GT(most, 100);
}

// Three that touch: what the middle one is given is what the others are not.
TEST(ContactSensors, OfSeveralCancel) {
  Scene scene = block_on_slab(2, 0.05, 0.4, 0, 0.3, 0);
  scene.materials.push_back(elastic("ball", MaterialModel::kNeoHookean, 1e5));
  scene.materials.push_back(elastic("idle"));
  scene.bodies.push_back(body("ball", 2, sphere({0.5, 0.72, 0}, 0.1), {0, -1, 0}));
  scene.contacts = {{{0, 1, 2}, 0.3}};
  scene.sensors = {contact("tower", {1, 2}), contact("block", {1}), contact("ball", {2})};
  Simulation simulation = simulate(scene);
  const Sensors sensors(scene);
  for (int frame = 0; frame < 4; ++frame) simulation.advance_frame();  // the ball is landing
  const FrameStats stats = simulation.stats();
  ASSERT_EQ(stats.contacts.size(), 4u);
  EXPECT_EQ(stats.contacts[3].force, Vec3{});
  EXPECT_EQ(stats.contacts[3].power, 0);
  const std::vector<SensorReading> read = sensors.read(simulation);
  EXPECT_GT(read[2].values[1], 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double scale = 1 + std::abs(read[1].values[i]);
    EXPECT_NEAR(read[0].values[i], read[1].values[i] + read[2].values[i], 1e-9 * scale);
    EXPECT_NEAR(read[0].values[i],
                i == 2 ? -stats.contacts[0].torque[2] : -stats.contacts[0].force[i], 1e-9 * scale);
  }
}

// Two balls of ten cells' radius that meet head on, against Hertz [Johnson 1985]: read were 1.06 of
// the force, 1.02 of the approach and 0.92 of the time; 0.967 of the speed is left.
TEST(ContactSensors, ReadHowBallsCollide) {
  const Scene scene = load_stock_scene("hertz-impact");
  Simulation simulation = simulate(scene, 2);
  Sensors sensors(scene);
  std::vector<double> force, left, right;
  double mass = 0, speed_after = 0;
  while (simulation.time() < 0.055)
    sensors.advance_frame(simulation, [&](const SensorReading& r) {
      if (r.sensor == 0) force.push_back(r.values[0]);
      if (r.sensor == 1)
        mass = r.values[0], left.push_back(r.values[1]), speed_after = -r.values[4];
      if (r.sensor == 2) right.push_back(r.values[1]), speed_after += r.values[4];
    });
  constexpr double kRadius = 0.1, kSpeed = 1;
  const double rate = scene.sensors[0].rate.value(), reduced = mass / 2, curved = kRadius / 2,
               modulus = 1e6 / (2 * (1 - 0.3 * 0.3));
  const double closest = std::pow(
                   15 * reduced * kSpeed * kSpeed / (16 * std::sqrt(curved) * modulus), 0.4),
               strongest = 4.0 / 3 * modulus * std::sqrt(curved) * std::pow(closest, 1.5),
               lasts =  // with more than 2 % of that
               0.95 * 2.87 *
               std::pow(reduced * reduced / (curved * modulus * modulus * kSpeed), 0.2);
  double most = 0, nearest = 1, impulse = 0, touching = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    most = std::max(most, force[i]);
    nearest = std::min(nearest, right[i] - left[i]);
    impulse += force[i] / rate;
    touching += force[i] > 0.02 * strongest ? 1 / rate : 0;
  }
  EXPECT_NEAR(most, strongest, 0.1 * strongest);
  EXPECT_NEAR(2 * kRadius - nearest, closest, 0.05 * closest);
  EXPECT_NEAR(touching, lasts, 0.1 * lasts);
  EXPECT_GT(speed_after, 0.95 * kSpeed);
  EXPECT_LT(speed_after, kSpeed);
  EXPECT_NEAR(impulse, reduced * (kSpeed + speed_after), 1e-4 * impulse);
}

// What has an even surface is not turned by a blow without friction, however it comes along; read
// were 0.05 rad/s, and -0.8 to 1.7 of scattered particles.
TEST(ContactSensors, AnEvenDiscTakesNoSpinWithoutFriction) {
  Scene scene = empty_scene(2, 0.02);
  scene.simulation.gravity = {};
  scene.materials = {elastic("bar", MaterialModel::kNeoHookean, 1e6),
                     elastic("disc", MaterialModel::kNeoHookean, 1e6)};
  scene.contacts = {{{0, 1}, 0}};
  scene.bodies = {body("bar", 0, box({0, 0, 0}, {0.2, 0.8, 0})),
                  body("disc", 1, sphere({0.32, 0.4, 0}, 0.1), {-2, 0.5, 0})};
  for (Body& b : scene.bodies) b.sampling = Sampling::kUniform;
  Sensor motion = sensor("disc", SensorKind::kMotion);
  motion.bodies = {1};
  scene.sensors = {motion};
  Simulation simulation = simulate(scene);
  const Sensors sensors(scene);
  simulation.advance_until(0.1);
  const std::vector<double> read = sensors.read(simulation)[0].values;
  EXPECT_GT(read[3], 0.5);  // it has come back
  EXPECT_NEAR(read[4], 0.5, 0.03);
  EXPECT_NEAR(read[5], 0, 0.2);
}

// Stopped between two readings, they go on as in one piece.
TEST(ContactSensors, GoOnFromASavedState) {
  Scene scene = block_on_slab(2, 0.05, 0.41, 0.3, 0.2, 1, 1e5);
  scene.sensors = {contact("block", {1})};
  scene.sensors[0].rate = 70;
  Simulation whole = simulate(scene), stopped = simulate(scene), resumed = simulate(scene, 2);
  Sensors of_whole(scene), before(scene), after(scene);
  std::vector<double> expected, read;
  const auto into = [](std::vector<double>& all) {
    return [&](const SensorReading& reading) {
      all.insert(all.end(), reading.values.begin(), reading.values.end());
    };
  };
  while (whole.stats().frame < 6) of_whole.advance_frame(whole, into(expected));
  const Observer until_step_50{
      .interrupted = {}, .step = [](const StepInfo& step) { return step.step < 50; }, .frame = {}};
  while (before.advance_frame(stopped, into(read), until_step_50)) continue;
  EXPECT_GT(std::abs(stopped.contact_impulses()[1].impulse[1]), 0);
  resumed.load_state(stopped.save_state());
  after.set_state(before.state());
  EXPECT_EQ(resumed.contact_impulses()[1].impulse, stopped.contact_impulses()[1].impulse);
  while (resumed.stats().frame < 6) after.advance_frame(resumed, into(read));
  ASSERT_GT(read.size(), 10u);
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_TRUE(read[i] == expected[i] || (std::isnan(read[i]) && std::isnan(expected[i]))) << i;
}

TEST(ContactSensors, WhatTouchesNothingHasNone) {
  Scene scene = block_on_slab(2, 0.05, 0.4, 0, 0.3, 0);
  const auto expect = [&](const Sensor& reads, const std::string& why) {
    scene.sensors = {reads};
    expect_error(ErrorCategory::kScene, {"sensor \"s\"", why}, [&] { Sensors{scene}; });
  };
  expect(contact("s", {2}), "no material 2");
  expect(contact("s", {}, {7}), "no body 7");
  expect(contact("s", {}), "touches nothing");
  scene.bodies.push_back(body("other", 1, box({1, 0.6, 0}, {1.2, 0.8, 0})));
  expect(contact("s", {}, {1}), "there is more of the material of 'block'");
  scene.sensors = {contact("s", {}, {1, 2})};
  EXPECT_EQ(Sensors(scene).size(), 1u);
  const Scene touching = scene;
  scene.contacts.clear();
  expect(contact("s", {1}), "touches nothing");
  scene.sensors.clear();
  const Simulation other = simulate(scene);
  EXPECT_TRUE(other.contact_impulses().empty());
  EXPECT_TRUE(other.stats().contacts.empty());
  const Sensors sensors(touching);
  expect_error(ErrorCategory::kScene, {"of another scene: its materials touch nothing"},
               [&] { sensors.read(other); });
}

}  // namespace
}  // namespace firn::test
