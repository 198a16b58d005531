// What sensors read against what is known: blocks of known mass moving as one, a column at rest, a
// resting weight; when they read; and that reading and stopping change nothing.
#include "firn/sensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sensors.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/stock_scenes.h"

namespace firn::test {
namespace {

Sensor point(const Vec3& position, std::vector<std::string> channels) {
  Sensor s = sensor("point", SensorKind::kPoint);
  s.position = position, s.channels = std::move(channels);
  return s;
}
Sensor region(const Shape& shape, std::vector<std::string> channels) {
  Sensor s = sensor("region", SensorKind::kRegion);
  s.shape = shape, s.channels = std::move(channels);
  return s;
}
Sensor plane(const Vec3& position, const Vec3& normal, std::optional<double> radius = {}) {
  Sensor s = sensor("plane", SensorKind::kPlane);
  s.position = position, s.direction = normal, s.radius = radius;
  return s;
}
Sensor height(const Vec3& position, const Vec3& up = {}) {
  Sensor s = sensor("height", SensorKind::kHeight);
  s.position = position, s.direction = up;
  return s;
}
Sensor at_rate(Sensor s, double rate) {
  s.rate = rate;
  return s;
}

constexpr double kDx = 0.05, kDensity = 1000;

// A block of jelly, 0.4 x 0.6 (x 0.3), in free flight; `turn` about z.
Scene flying_block(int dimension, const Vec3& velocity = {}) {
  Scene s = empty_scene(dimension, kDx);
  s.simulation.gravity = {};
  s.materials = {elastic("jelly")};
  s.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.6, 0.3}), velocity)};
  s.bodies[0].sampling = Sampling::kUniform;
  return s;
}
double block_area(int dimension) { return dimension == 3 ? 0.6 * 0.3 : 0.6; }
double block_mass(int dimension) { return kDensity * 0.4 * block_area(dimension); }

double at_start(const Scene& scene, std::size_t column) {
  return Sensors(scene).read(simulate(scene)).at(0).values.at(column);
}

TEST(Sensors, PointsReadWhatMovesAroundThem) {
  for (const int d : {2, 3}) {
    Scene scene = flying_block(d, {3, -1, 0});
    scene.sensors = {point({0.2, 0.3, d == 3 ? 0.15 : 0}, {"velocity", "speed", "stress"}),
                     point({0.7, 0.3, d == 3 ? 0.15 : 0}, {"velocity"})};
    scene.sensors[1].name = "outside";
    const Sensors sensors(scene);
    const auto readings = sensors.read(simulate(scene));
    const std::vector<double>& inside = readings.at(0).values;
    const auto components = static_cast<std::size_t>(d);
    ASSERT_EQ(inside.size(), 2 + components + components * components);
    ASSERT_EQ(sensors.columns(0).size(), inside.size());
    EXPECT_EQ(sensors.columns(0)[1].name, "velocity_x");
    EXPECT_EQ(sensors.columns(0)[1].unit, "m/s");
    EXPECT_EQ(sensors.columns(0).back().name, d == 3 ? "stress_zz" : "stress_yy");
    EXPECT_NEAR(inside[0], kDensity, 1e-3 * kDensity);
    EXPECT_NEAR(inside[1], 3, 1e-5);
    EXPECT_NEAR(inside[2], -1, 1e-5);
    EXPECT_NEAR(inside[1 + components], std::sqrt(10), 1e-5);
    EXPECT_EQ(readings.at(1).values[0], 0);
    EXPECT_TRUE(std::isnan(readings.at(1).values[1]));
  }
}

TEST(Sensors, RegionsCountWhatIsInThem) {
  for (const int d : {2, 3}) {
    Scene scene = flying_block(d, {2, 0, 0});
    // Half of it.
    scene.sensors = {region(box({-1, -1, -1}, {0.2, 2, 2}), {"velocity"}),
                     region(sphere({5, 5, d == 3 ? 5.0 : 0.0}, 0.3), {"velocity"})};
    scene.sensors[1].name = "elsewhere";
    const auto readings = Sensors(scene).read(simulate(scene));
    const std::vector<double>& half = readings.at(0).values;
    EXPECT_EQ(half[0], static_cast<double>(simulate(scene).stats().particles) / 2);
    EXPECT_NEAR(half[1], block_mass(d) / 2, 1e-6 * block_mass(d));
    EXPECT_NEAR(half[2], block_mass(d) / 2 / kDensity, 1e-6);
    EXPECT_NEAR(half[3], 2, 1e-5);
    EXPECT_EQ(readings.at(1).values[0], 0);
    EXPECT_TRUE(std::isnan(readings.at(1).values[3]));
  }
}

TEST(Sensors, PlanesReadWhatPasses) {
  for (const int d : {2, 3}) {
    Scene scene = flying_block(d, {2, 0.5, 0});
    const double flux = 2 * kDensity * block_area(d);
    for (const double x : {0.1, 0.2, 0.3137}) {
      scene.sensors = {plane({x, 0.1, 0}, {1, 0, 0})};
      EXPECT_NEAR(at_start(scene, 0), flux, 0.005 * flux) << x;
      EXPECT_NEAR(at_start(scene, 1), flux / kDensity, 0.005 * flux / kDensity);
      EXPECT_NEAR(at_start(scene, 2), block_area(d), 0.005 * block_area(d));
      EXPECT_NEAR(at_start(scene, 3), 2, 1e-5);
    }
    scene.sensors = {plane({0.2, 0, 0}, {-0.6, 0.8, 0})};
    EXPECT_NEAR(at_start(scene, 3), -0.6 * 2 + 0.8 * 0.5, 1e-5);
    const double across = at_start(scene, 0);
    scene.sensors = {plane({0.2, 0, 0}, {-1.8, 2.4, 0})};  // of any length, as in files
    EXPECT_NEAR(at_start(scene, 0), across, 1e-12 * std::fabs(across));
    scene.sensors = {plane({0.2, 0, 0}, {1, 0, 0}, 0.3)};  // a quarter of a disc, or half a line
    const double seen = d == 3 ? 0.25 * std::numbers::pi * 0.09 : 0.3;
    EXPECT_NEAR(at_start(scene, 2), seen, 0.03 * seen);
    scene.sensors = {plane({3, 0, 0}, {1, 0, 0})};
    EXPECT_EQ(at_start(scene, 0), 0);
    EXPECT_TRUE(std::isnan(at_start(scene, 3)));
  }
}

TEST(Sensors, FluxesAddUpToWhatHasPassed) {
  Scene scene = flying_block(3, {4, 0, 0});
  scene.simulation.fps = 50;
  scene.sensors = {at_rate(plane({0.6, 0.3, 0.15}, {1, 0, 0}), 400)};
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  double passed = 0;
  for (int frame = 0; frame < 12; ++frame)
    sensors.advance_frame(simulation, [&](const SensorReading& r) { passed += r.values[0] / 400; });
  EXPECT_NEAR(passed, block_mass(3), 0.005 * block_mass(3));
}

TEST(Sensors, HeightsEndWhereMaterialDoes) {
  for (const int d : {2, 3})
    for (const double top : {0.6, 0.613, 0.63}) {
      Scene scene = flying_block(d);
      scene.simulation.gravity = {0, -9.8, 0};
      scene.bodies[0].shape.max[1] = top;
      scene.bodies[0].sampling = Sampling::kPoisson;
      const double z = d == 3 ? 0.15 : 0;
      scene.sensors = {height({0.2, 0.15, z})};
      EXPECT_NEAR(at_start(scene, 0), top - 0.15, 0.2 * kDx) << top;
      scene.sensors = {height({0.2, -0.5, z})};  // from below, through what is empty
      EXPECT_NEAR(at_start(scene, 0), top + 0.5, 0.2 * kDx) << top;
      scene.sensors = {height({0.2, 0.3, z}, {1, 0, 0})};
      EXPECT_NEAR(at_start(scene, 0), 0.2, 0.2 * kDx);
      scene.sensors = {height({1, 0, z})};
      EXPECT_EQ(at_start(scene, 0), 0);
      scene.sensors = {height({0.2, 0.9, z})};  // above it
      EXPECT_EQ(at_start(scene, 0), 0);
    }
}

// A gauge at a wall or in a corner sees what there is room for.
TEST(Sensors, HeightsAreThoseAtWalls) {
  for (const int d : {2, 3}) {
    Scene scene = flying_block(d);
    scene.simulation.gravity = {0, -9.8, 0};
    scene.bodies[0].sampling = Sampling::kPoisson;
    scene.grid.domain = closed_box({0, 0, 0}, {0.4, 1, d == 3 ? 0.3 : 0});
    for (const double x : {0.0, 0.01, 0.03, 0.06, 0.4})
      for (const double z : {0.0, 0.02, 0.3}) {
        scene.sensors = {height({x, 0, d == 3 ? z : 0})};
        EXPECT_NEAR(at_start(scene, 0), 0.6, 0.3 * kDx) << d << "D, at " << x << ", " << z;
      }
  }
}

TEST(Sensors, SeeAcrossPeriodicFaces) {
  Scene scene = flying_block(2, {1, 0, 0});
  scene.grid.domain.emplace();
  scene.bodies[0].shape.max[0] = 0.8;
  scene.grid.domain->min = {0, 0, 0}, scene.grid.domain->max = {0.8, 0.8, 0};
  scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                 BoundaryType::kSlip, BoundaryType::kSlip};
  scene.sensors = {point({0, 0.3, 0}, {"velocity"})};
  EXPECT_NEAR(at_start(scene, 0), kDensity, 1e-3 * kDensity);
}

// Where floats are an eighth of a cell apart.
TEST(Sensors, ReadPlacesWithoutRounding) {
  const auto readings = [](double x) {
    Scene scene = flying_block(2, {1, 0, 0});
    scene.bodies[0].shape = box({x, 0, 0}, {x + 0.4, 0.6, 0});
    scene.sensors = {point({x + 0.21, 0.3, 0}, {"velocity"}),
                     region(box({x + 0.1, 0.1, 0}, {x + 0.31, 0.31, 0}), {}),
                     plane({x + 0.22, 0.3, 0}, {1, 0, 0}), height({x + 0.2, 0, 0}, {0, 1, 0})};
    std::vector<double> all;
    for (const SensorReading& reading : Sensors(scene).read(simulate(scene)))
      all.insert(all.end(), reading.values.begin(), reading.values.end());
    return all;
  };
  const std::vector<double> here = readings(0), far = readings(1310720 * kDx);
  ASSERT_EQ(here.size(), far.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    EXPECT_NEAR(far[i], here[i], 1e-6 * std::abs(here[i]) + 1e-9) << i;
}

TEST(Sensors, ReadThePressureOfATank) {
  constexpr double kSurface = 0.6, kDepth = 0.36;
  Scene scene = liquid_scene(2, kDx);
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.grid.domain = closed_box({0, 0, 0}, {0.8, 1, 0});
  scene.bodies = {lattice("pool", box({0, 0, 0}, {0.8, kSurface, 0}))};
  scene.sensors = {point({0.4, kSurface - kDepth, 0}, {"pressure"}), height({0.4, 0, 0})};
  scene.sensors[1].name = "gauge";
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
  const auto readings = Sensors(scene).read(simulation);
  const double expected = 1000 * 9.81 * kDepth;
  EXPECT_NEAR(readings.at(0).values[1], expected, 0.05 * expected);
  EXPECT_NEAR(readings.at(1).values[0], kSurface, 0.2 * kDx);
}

// Where a dam stood the water is 4/9 of its depth deep, and 8/27 depth sqrt(g depth) pass.
TEST(Sensors, ReadWhatRitterFound) {
  SceneOptions options;
  options.overrides = {"grid.dx=0.04"};
  const Scene scene = load_stock_scene("dam-gauges", options);
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  double depth = 0, discharge = 0;
  int depths = 0, discharges = 0;
  const auto take = [&](const SensorReading& r) {
    if (r.time < 0.9) return;
    if (sensors.name(r.sensor) == "depth") depth += r.values[0], ++depths;
    if (sensors.name(r.sensor) == "discharge") discharge += r.values[1], ++discharges;
  };
  for (int frame = 0; frame < 36; ++frame) sensors.advance_frame(simulation, take);
  const double expected = 4.0 / 9 * 0.5, passing = 8.0 / 27 * 0.5 * std::sqrt(9.81 * 0.5);
  EXPECT_NEAR(depth / depths, expected, 0.06 * expected);
  EXPECT_NEAR(discharge / discharges, passing, 0.06 * passing);
}

// A block on the ground.
Scene resting_block() {
  Scene scene = flying_block(2);
  scene.simulation.fps = 20;
  scene.simulation.gravity = {0, -10, 0};
  scene.colliders = {collider("ground", ground(-0.5 * kDx), BoundaryType::kSeparate)};
  return scene;
}

TEST(Sensors, ReadingsOfAFrameAddUpToItsReaction) {
  Scene scene = resting_block();
  scene.sensors = {at_rate(on_collider(0), 100)};
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  double impulse = 0;
  for (int frame = 0; frame < 20; ++frame) {
    Vec3 sums{};
    int readings = 0;
    sensors.advance_frame(simulation, [&](const SensorReading& r) {
      for (std::size_t i = 0; i < 3; ++i) sums[i] += r.values[i] / 5;
      ++readings;
    });
    ASSERT_EQ(readings, 5);
    const ColliderReaction whole = simulation.stats().reactions.at(0);
    const double scale = std::hypot(whole.force[0], whole.force[1]) + 1;
    EXPECT_NEAR(sums[0], whole.force[0], 1e-9 * scale);
    EXPECT_NEAR(sums[1], whole.force[1], 1e-9 * scale);
    EXPECT_NEAR(sums[2], whole.torque[2], 1e-9 * scale);
    impulse += sums[1] / scene.simulation.fps;
  }
  // What gravity has given it, less what it still has.
  const double left = -10 * block_mass(2) * simulation.time() - simulation.totals().momentum[1];
  EXPECT_NEAR(impulse, left, 1e-6 * std::abs(left));
}

// Readings eight times a second, of frames of a twentieth: each is a mean since the one before.
TEST(Sensors, ReadingsAcrossFramesAddUpToTheirReactions) {
  Scene scene = resting_block();
  scene.sensors = {at_rate(on_collider(0), 8)};
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  double read = 0, impulse = 0;
  int readings = 0;
  for (int frame = 0; frame < 20; ++frame) {
    sensors.advance_frame(simulation, [&](const SensorReading& r) {
      read += r.values[1] / 8;
      ++readings;
    });
    impulse += simulation.stats().reactions.at(0).force[1] / scene.simulation.fps;
  }
  EXPECT_EQ(readings, 8);
  EXPECT_NEAR(read, impulse, -1e-9 * impulse);
}

TEST(Sensors, ReadAtTheirRates) {
  Scene scene = resting_block();
  scene.sensors = {at_rate(point({0.2, 0.3, 0}, {}), 60), height({0.2, 0, 0}),
                   at_rate(on_collider(0), 7)};
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  std::vector<std::vector<double>> times(3);
  for (int frame = 0; frame < 10; ++frame)
    sensors.advance_frame(simulation,
                          [&](const SensorReading& r) { times[r.sensor].push_back(r.time); });
  ASSERT_EQ(times[0].size(), 30u);
  ASSERT_EQ(times[1].size(), 10u);
  ASSERT_EQ(times[2].size(), 3u);
  for (std::size_t k = 0; k < times[0].size(); ++k)
    EXPECT_NEAR(times[0][k], double(k + 1) / 60, 1e-12);
  for (std::size_t k = 0; k < times[1].size(); ++k)
    EXPECT_NEAR(times[1][k], double(k + 1) / 20, 1e-12);
  for (std::size_t k = 0; k < times[2].size(); ++k)
    EXPECT_NEAR(times[2][k], double(k + 1) / 7, 1e-12);
}

// Fused and plain steps, and those of a liquid.
TEST(Sensors, ThoseOfFramesChangeNothing) {
  for (Scene scene : {busy_scene(2, Precision::kSingle), resting_block(),
                      busy_liquid_scene(2, Precision::kSingle)}) {
    Simulation alone = simulate(scene);
    scene.sensors = {region(box({0, 0, 0}, {1, 0.5, 1}), {"velocity"}), height({0.2, 0, 0}),
                     at_rate(point({0.2, 0.3, 0}, {"pressure"}), scene.simulation.fps / 2)};
    Simulation watched = simulate(scene);
    Sensors sensors(scene);
    int readings = 0;
    for (int frame = 0; frame < 4; ++frame) {
      ASSERT_TRUE(alone.advance_frame());
      ASSERT_TRUE(sensors.advance_frame(watched, [&](const SensorReading&) { ++readings; }));
    }
    EXPECT_EQ(readings, 4 * 2 + 2);
    EXPECT_TRUE(alone.save_state() == watched.save_state());
  }
}

// A stop at every seventh step, the state taken to another simulation in between.
TEST(Sensors, AStopIsAPause) {
  for (Scene scene :
       {busy_scene(2, Precision::kSingle), busy_liquid_scene(2, Precision::kSingle)}) {
    const double fps = scene.simulation.fps;
    scene.sensors = {at_rate(region(box({0, 0, 0}, {1, 0.5, 1}), {"velocity"}), 2.5 * fps),
                     at_rate(on_collider(0), 3 * fps), plane({0.4, 0, 0}, {1, 0, 0})};
    std::vector<SensorReading> whole, in_parts;
    Simulation simulation = simulate(scene);
    Sensors sensors(scene);
    for (int frame = 0; frame < 3; ++frame)
      sensors.advance_frame(simulation, [&](const SensorReading& r) { whole.push_back(r); });
    Simulation other = simulate(scene);
    auto others = std::make_unique<Sensors>(scene);
    while (other.stats().frame < 3) {
      int steps = 0;
      others->advance_frame(other, [&](const SensorReading& r) { in_parts.push_back(r); },
                            {.interrupted = [&] { return ++steps > 7; }});
      const auto state = other.save_state();
      const auto last = others->state();
      other = simulate(scene);
      other.load_state(state);
      others = std::make_unique<Sensors>(scene);
      others->set_state(last);
    }
    ASSERT_EQ(whole.size(), in_parts.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(whole[i].sensor, in_parts[i].sensor);
      EXPECT_EQ(whole[i].time, in_parts[i].time);
      for (std::size_t k = 0; k < whole[i].values.size(); ++k)
        EXPECT_TRUE(whole[i].values[k] == in_parts[i].values[k] ||
                    (std::isnan(whole[i].values[k]) && std::isnan(in_parts[i].values[k])))
            << i << ' ' << k << ' ' << whole[i].values[k] << ' ' << in_parts[i].values[k];
    }
  }
}

TEST(Sensors, GoBackWithTheState) {
  Scene scene = resting_block();
  scene.sensors = {at_rate(on_collider(0), 100)};
  Simulation simulation = simulate(scene);
  Sensors sensors(scene);
  const auto state = simulation.save_state();
  std::vector<std::vector<double>> first, again;
  sensors.advance_frame(simulation, [&](const SensorReading& r) { first.push_back(r.values); });
  simulation.load_state(state);
  sensors.advance_frame(simulation, [&](const SensorReading& r) { again.push_back(r.values); });
  EXPECT_EQ(first, again);
}

}  // namespace
}  // namespace firn::test
