// Sensors that follow what moves as a whole, and sensors of which only some particles count.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "firn/sensors.h"
#include "tests/support/sensors.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.05;

std::vector<double> read_one(const Scene& scene, const Simulation& simulation) {
  return Sensors(scene).read(simulation).at(0).values;
}
std::vector<std::string> names_of_columns(const Scene& scene) {
  const Sensors sensors(scene);
  std::vector<std::string> names;
  for (const SensorColumn& column : sensors.columns(0)) names.push_back(column.name);
  return names;
}

void set_velocity(Body& body, const Vec3& velocity) {
  for (std::size_t a = 0; a < 3; ++a) body.velocity.component[a] = {velocity[a], ""};
}

// Of two bodies of one material; the ball turns.
Scene ball_and_block(int dimension) {
  Scene scene = empty_scene(dimension, kDx);
  scene.simulation.gravity = {};
  scene.materials = {elastic("jelly"), elastic("other")};
  const double z = dimension == 3 ? 0.1 : 0;
  scene.bodies = {body("ball", 0, sphere({0.3, 0.5, z}, 0.2), {1, 2, dimension == 3 ? 3.0 : 0}),
                  body("block", 0, box({2, 0, 0}, {2.4, 0.2, 0.2}), {-1, 0, 0}),
                  body("far", 1, box({4, 0, 0}, {4.4, 0.2, 0.2}), {0, -1, 0})};
  scene.bodies[0].angular_velocity = {0, 0, 4};
  if (dimension == 3) scene.bodies[0].angular_velocity = {1, -2, 4};
  for (Body& b : scene.bodies) b.sampling = Sampling::kUniform;
  return scene;
}

TEST(MotionSensors, FollowABody) {
  for (const int d : {2, 3}) {
    Scene scene = ball_and_block(d);
    Sensor follow = sensor("ball", SensorKind::kMotion);
    follow.bodies = {0};
    scene.sensors = {follow};
    const Simulation simulation = simulate(scene);
    const std::vector<double> read = read_one(scene, simulation);
    const auto axes = static_cast<std::size_t>(d);
    if (d == 2) {
      EXPECT_EQ(names_of_columns(scene),
                (std::vector<std::string>{"mass", "position_x", "position_y", "velocity_x",
                                          "velocity_y", "angular_velocity_z", "kinetic_energy"}));
    }
    const double volume = d == 2 ? std::numbers::pi * 0.04 : 4 * std::numbers::pi / 3 * 0.008;
    EXPECT_NEAR(read[0], 1000 * volume, 0.02 * 1000 * volume);
    const Body& ball = scene.bodies[0];
    for (std::size_t a = 0; a < axes; ++a) {
      EXPECT_NEAR(read[1 + a], ball.shape.center[a], 2e-3);
      EXPECT_NEAR(read[1 + axes + a], ball.velocity.component[a].constant, 1e-6);
    }
    if (d == 2)
      EXPECT_NEAR(read[5], 4, 1e-5);
    else
      for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(read[7 + a], ball.angular_velocity[a], 1e-5);
    // Of the way and of the turn; particles' own turning is not in it.
    const double speed2 = d == 2 ? 5 : 14, turn2 = d == 2 ? 16 : 21,
                 radius2 = d == 2 ? 0.5 * 0.04 : 0.4 * 0.04;
    EXPECT_NEAR(read.back(), 0.5 * read[0] * (speed2 + turn2 * radius2), 0.02 * read.back());
  }
}

TEST(MotionSensors, FollowMaterialsAsOne) {
  Scene scene = ball_and_block(2);
  Sensor follow = sensor("jelly", SensorKind::kMotion);
  follow.materials = {0};
  scene.sensors = {follow};
  set_velocity(scene.bodies[0], {1, 0, 0});
  scene.bodies[0].angular_velocity = {};
  Simulation simulation = simulate(scene);
  const double mass = simulation.totals().mass - 1000 * 0.08;
  const std::vector<double> at_start = read_one(scene, simulation);
  EXPECT_NEAR(at_start[0], mass, 1e-3 * mass);
  EXPECT_NEAR(at_start[3], (mass - 2 * 1000 * 0.08) / mass, 1e-3);
  simulation.advance_until(0.1);
  const std::vector<double> later = read_one(scene, simulation);
  EXPECT_NEAR(later[1] - at_start[1], 0.1 * at_start[3], 1e-5);
  EXPECT_NEAR(later[2], at_start[2], 1e-5);
}

TEST(MotionSensors, FollowABodyAcrossAPeriodicFace) {
  Scene scene = ball_and_block(2);
  scene.bodies.resize(1);
  scene.bodies[0].shape.center = {0.7, 0.4, 0};
  set_velocity(scene.bodies[0], {1, 0, 0});
  scene.grid.domain = Domain{};
  scene.grid.domain->min = {0, 0, 0};
  scene.grid.domain->max = {0.8, 0.8, 0};
  scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
  Sensor follow = sensor("ball", SensorKind::kMotion);
  follow.bodies = {0};
  scene.sensors = {follow};
  Simulation simulation = simulate(scene);
  for (int i = 0; i < 4; ++i) {
    const std::vector<double> read = read_one(scene, simulation);
    const double off = (read[1] - 0.7 - 0.1 * i) / 0.8;
    EXPECT_NEAR(off, std::round(off), 5e-3) << i;
    EXPECT_NEAR(read[3], 1, 1e-4);
    EXPECT_NEAR(read[5], 4, 0.05);
    simulation.advance_until(0.1 * (i + 1));
  }
}

TEST(MotionSensors, NothingIsNowhere) {
  Scene scene = ball_and_block(3);
  Sensor follow = sensor("other", SensorKind::kMotion);
  follow.materials = {1};
  scene.sensors = {follow};
  scene.bodies.resize(2);
  const std::vector<double> read = read_one(scene, simulate(scene));
  EXPECT_EQ(read[0], 0);
  for (std::size_t i = 1; i < read.size() - 1; ++i) EXPECT_TRUE(std::isnan(read[i])) << i;
  EXPECT_EQ(read.back(), 0);
}

TEST(MotionSensors, FollowColliders) {
  Scene scene = ball_and_block(3);
  Collider paddle = collider("paddle", box({6, 0, 0}, {6.2, 1, 1}), BoundaryType::kSlip);
  paddle.motion.emplace();
  paddle.motion->times = {0, 1};
  paddle.motion->translation = {{0, 0, 0}, {0, 3, 0}};
  paddle.motion->rotation = {{0, 0, 0}, {0, 0, 1}};
  paddle.motion->pivot = {6, 0.5, 0.5};
  Collider stone = collider("stone", sphere({9, 1, 0}, 0.2), BoundaryType::kSeparate);
  stone.dynamics.emplace();
  stone.dynamics->density = 2000;
  stone.dynamics->velocity = {0, 0, -2};
  stone.dynamics->angular_velocity = {3, 0, 0};
  scene.colliders = {paddle, stone};
  Sensor follow = sensor("paddle", SensorKind::kMotion);
  follow.rate = 100;
  scene.sensors = {follow, follow};
  scene.sensors[1].name = "stone", scene.sensors[1].collider = 1;
  const std::vector<std::string> columns = names_of_columns(scene);
  ASSERT_EQ(columns.size(), 12u);
  EXPECT_EQ(columns[3], "rotation_x");
  EXPECT_EQ(columns[9], "angular_velocity_x");
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  int readings = 0;
  sensors.advance_frame(simulation, [&](const SensorReading& r) {
    ++readings;
    const double t = r.time;
    const std::vector<double> expected =
        r.sensor == 0 ? std::vector<double>{6, 0.5 + 3 * t, 0.5, 0, 0, t, 0, 3, 0, 0, 0, 1}
                      : std::vector<double>{9, 1, -2 * t, 3 * t, 0, 0, 0, 0, -2, 3, 0, 0};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(r.values[i], expected[i], 1e-6) << i;
  });
  EXPECT_EQ(readings, 2 * static_cast<int>(100 / scene.simulation.fps + 1e-9));
}

// Where both bodies are, a sensor sees those that it is told to see.
TEST(MotionSensors, OthersDoNotCount) {
  Scene scene = ball_and_block(2);
  scene.bodies[1].shape = box({0, 0, 0}, {0.4, 0.2, 0});  // below
  set_velocity(scene.bodies[1], {-1, 0, 0});
  scene.bodies[0].shape = box({0, 0.3, 0}, {0.4, 0.5, 0});
  set_velocity(scene.bodies[0], {1, 0, 0});
  scene.bodies[0].angular_velocity = {};
  scene.bodies[0].material = 1;
  Sensor region = sensor("region", SensorKind::kRegion),
         point = sensor("point", SensorKind::kPoint), plane = sensor("plane", SensorKind::kPlane),
         height = sensor("height", SensorKind::kHeight);
  region.shape = box({-1, -1, 0}, {1, 1, 0});
  region.channels = point.channels = {"velocity"};
  point.position = {0.2, 0.2, 0};
  plane.position = {0.2, 0, 0}, plane.direction = {1, 0, 0};
  height.position = {0.2, 0, 0}, height.direction = {0, 1, 0};
  const auto read = [&](const std::vector<int>& bodies, const std::vector<int>& materials) {
    scene.sensors = {region, point, plane, height};
    for (Sensor& s : scene.sensors) s.bodies = bodies, s.materials = materials;
    std::vector<std::vector<double>> all;
    for (const SensorReading& r : Sensors(scene).read(simulate(scene))) all.push_back(r.values);
    return all;
  };
  const auto all = read({}, {}), upper = read({0}, {}), lower = read({}, {0}),
             both = read({0, 1}, {});
  EXPECT_EQ(all, both);
  EXPECT_EQ(read({1}, {}), lower);
  EXPECT_NEAR(all[0][1], 160, 1);
  EXPECT_NEAR(upper[0][1], 80, 1);
  EXPECT_NEAR(upper[0][3], 1, 1e-6);
  EXPECT_NEAR(lower[0][3], -1, 1e-6);
  EXPECT_NEAR(lower[1][0], 500, 60);  // on its surface
  EXPECT_NEAR(lower[1][1], -1, 1e-6);
  EXPECT_LT(upper[1][0], 100);
  EXPECT_NEAR(all[2][0], 0, 1e-6);
  EXPECT_NEAR(upper[2][0], 200, 4);
  EXPECT_NEAR(lower[2][0], -200, 4);
  EXPECT_NEAR(all[3][0], 0.5, 0.02);
  EXPECT_NEAR(upper[3][0], 0.5, 0.02);
  EXPECT_NEAR(lower[3][0], 0.2, 0.02);
}

}  // namespace
}  // namespace firn::test
