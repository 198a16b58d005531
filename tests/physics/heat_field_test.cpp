// Temperatures and heat sources that scenes give as expressions of place and time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kDensity = 1000, kCapacity = 2000;

ScalarField expression(std::string text) { return {0, std::move(text)}; }

// A solid that fills the unit square, or cube, from wall to wall; all insulated.
Scene filled_box(int dimension, double dx, double conductivity,
                 Precision precision = Precision::kDouble) {
  Scene s = empty_scene(dimension, dx, precision);
  s.simulation.integrator = Integrator::kThermal;
  s.simulation.gravity = {0, 0, 0};
  s.transfer.force = ForceForm::kGradient;
  s.fluid.free_surface = FreeSurface::kFirstOrder;
  const Vec3 max{1, 1, dimension == 3 ? 1.0 : 0.0};
  s.grid.domain = closed_box({0, 0, 0}, max);
  Material m;
  m.name = "stone";
  m.model = MaterialModel::kCorotatedDeviatoric;
  m.density = kDensity;
  m.lame = LameParameters{1e3, std::numeric_limits<double>::infinity()};
  m.heat.capacity = {kCapacity, kCapacity};
  m.heat.conductivity = {conductivity, conductivity};
  s.materials = {m};
  s.bodies = {lattice("block", box({0, 0, 0}, max))};
  s.bodies[0].temperature.constant = 300;
  return s;
}

// --- temperatures in place ---

class HeatFields : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, HeatFields, testing::Values(2, 3),
                         [](const auto& info) { return std::to_string(info.param) + "D"; });

// How far from linear the temperature is between walls with one that is, in root mean square over
// the particles, at a Fourier number of 2, when exp(-2 pi^2) of the start is left; per cell size
// and slope.
double distance_from_linear(int dimension, int cells) {
  const double dx = 1.0 / cells, slope[3] = {20, 30, dimension == 3 ? 10.0 : 0.0};
  Scene scene = filled_box(dimension, dx, kDensity * kCapacity);
  scene.simulation.fps = 0.5;
  scene.time.dt_max = 0.05;
  scene.grid.domain->temperature.fill(expression("300 + 20 * x + 30 * y + 10 * z"));
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  const auto d = static_cast<std::size_t>(dimension);
  double squares = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    double off = static_cast<double>(s.temperature[i]) - 300;
    for (std::size_t a = 0; a < d; ++a)
      off -= slope[a] * static_cast<double>(s.position[i * d + a]);
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(s.size())) /
         (dx * (slope[0] + slope[1] + slope[2]));
}

TEST_P(HeatFields, BetweenWallsOfALinearTemperatureTheProfileIsLinear) {
  const int coarse = GetParam() == 3 ? 4 : 8;
  const double error = distance_from_linear(GetParam(), coarse);
  // The outermost particles are a quarter of a cell away from the wall, and of first order.
  EXPECT_LE(error, 0.25);
  EXPECT_LE(distance_from_linear(GetParam(), 2 * coarse), error);
}

// --- temperatures in time ---

// Two runs of constants, one after the other, are the run of a step in time, bit for bit: each step
// has the temperature of its end.
TEST_P(HeatFields, AStepInTimeIsTwoConstants) {
  const double dx = 0.125;
  const auto scene_of = [&](const ScalarField& temperature) {
    Scene scene = filled_box(GetParam(), dx, 1e6);
    scene.simulation.fps = 4;
    scene.time.dt_max = 0.02;
    scene.bodies[0].shape.max[1] = 0.5;
    scene.grid.domain->temperature[0] = temperature;
    scene.thermal.ambient = temperature;
    Shape rod = sphere({0.5, 0.25, GetParam() == 3 ? 0.5 : 0.0}, 0.15);
    scene.colliders = {collider("rod", rod, BoundaryType::kSlip)};
    scene.colliders[0].temperature = temperature;
    return scene;
  };
  Simulation step = simulate(scene_of(expression("t <= 0.25 ? 320 : 280")));
  Simulation hot = simulate(scene_of({320, ""})), cold = simulate(scene_of({280, ""}));
  step.advance_frame();
  hot.advance_frame();
  EXPECT_TRUE(step.save_state() == hot.save_state());
  cold.load_state(hot.save_state());
  step.advance_frame();
  cold.advance_frame();
  EXPECT_TRUE(step.save_state() == cold.save_state());
}

// --- air ---

// Cells that particles at a wall reach beyond it are no free surface. Nothing flows but for the
// rounding of each cell's mean.
TEST_P(HeatFields, NoAirIsBehindInsulatedWalls) {
  Scene scene = filled_box(GetParam(), 0.125, 1e5);
  scene.thermal.ambient = ScalarField{500, ""};
  scene.time.dt_max = 0.05;
  Simulation simulation = simulate(scene);
  const double before = simulation.stats().totals.heat;
  simulation.advance_steps(20);
  const double whole = kDensity * kCapacity * 300;
  EXPECT_NEAR(simulation.stats().totals.heat, before,
              20 * std::numeric_limits<double>::epsilon() * whole);
}

// --- heat sources ---

HeatSource heat_source(const Shape& shape, std::string power) {
  HeatSource source;
  source.shape = shape;
  source.power = expression(std::move(power));
  return source;
}

// Of the body's centre half, whose faces lie between the particles of a lattice.
constexpr double kShare[] = {1.0 / 4, 1.0 / 8};

// The power is taken in the middle of a step, so that one linear in time is exact but for the
// roundings of each step, of which each is of the particles' whole enthalpy.
TEST_P(HeatFields, AnInsulatedBoxGainsWhatItsSourcesGive) {
  Scene scene = filled_box(GetParam(), 0.125, 1e4);
  scene.time.dt_max = 0.02;
  scene.simulation.fps = 1;
  scene.heat_sources = {heat_source(box({-1, -1, -1}, {2, 2, 2}), "1e6 + 3e6 * t"),
                        heat_source(box({0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}), "-4e5")};
  Simulation simulation = simulate(scene);
  const double before = simulation.stats().totals.heat;
  simulation.advance_frame();
  const double expected = 1e6 + 1.5e6 - 4e5 * kShare[GetParam() - 2];
  const double whole = kDensity * kCapacity * 300;
  const double steps = static_cast<double>(simulation.stats().steps);
  EXPECT_NEAR(simulation.stats().totals.heat - before, expected,
              (steps + 1) * std::numeric_limits<double>::epsilon() * whole);
}

// Particles beside the seam of a periodic axis are kept beyond it.
TEST_P(HeatFields, OnAPeriodicAxisASourceHeatsTheFirstColumnOfCells) {
  Scene scene = filled_box(GetParam(), GetParam() == 2 ? 0.0625 : 0.125, 1e4);
  scene.time.dt_max = 0.02;
  scene.simulation.fps = 1;
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  scene.heat_sources = {heat_source(box({0, -1, -1}, {0.125, 2, 2}), "4e5")};
  Simulation simulation = simulate(scene);
  const double before = simulation.stats().totals.heat;
  simulation.advance_frame();
  EXPECT_NEAR(simulation.stats().totals.heat - before, 4e5 / 8, 1e-6 * 4e5);
}

TEST_P(HeatFields, ASourceInEmptySpaceGivesNothing) {
  Scene scene = filled_box(GetParam(), 0.125, 1e4);
  scene.bodies[0].shape.max[1] = 0.5;
  scene.time.dt_max = 0.02;
  Simulation without = simulate(scene);
  scene.heat_sources = {heat_source(box({0, 0.55, -1}, {1, 1, 2}), "1e9")};
  Simulation with = simulate(scene);
  without.advance_steps(20);
  with.advance_steps(20);
  EXPECT_EQ(with.stats().totals.heat, without.stats().totals.heat);
}

// --- saved states ---

// A hot rod that moves, air and a source that change in time, in both precisions.
Scene changing_scene(int dimension, Precision precision) {
  Scene scene = filled_box(dimension, 0.125, 1e5, precision);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.bodies[0].shape.max[1] = 0.5;
  scene.materials[0].heat.melting_point = 310;
  scene.materials[0].heat.latent_heat = 1e4;
  scene.time.dt_max = 3e-3;
  scene.thermal.ambient = expression("300 + 20 * sin(30 * t + x)");
  Collider rod =
      collider("rod", sphere({0.3, 0.25, dimension == 3 ? 0.5 : 0.0}, 0.15), BoundaryType::kSlip);
  rod.motion = Keyframes{{0, 0.2}, {{0, 0, 0}, {0.3, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {}};
  rod.temperature = expression("400 + 100 * x - 200 * t");
  scene.colliders = {rod};
  scene.heat_sources = {heat_source(box({0, 0, -1}, {0.4, 0.3, 2}), "1e8 * t * (1 + y)")};
  return scene;
}

TEST_P(HeatFields, GoOnBitForBit) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    const Scene scene = changing_scene(GetParam(), precision);
    Simulation whole = simulate(scene, 2);
    make_steps(whole, 20);
    Simulation before = simulate(scene);
    make_steps(before, 11);  // in the middle of a frame
    Simulation after = simulate(scene);
    after.load_state(before.save_state());
    make_steps(after, 9);
    EXPECT_TRUE(after.save_state() == whole.save_state());
    const auto phases = whole.snapshot().phase;
    EXPECT_GT(std::count(phases.begin(), phases.end(), 1), 0) << "nothing is heated";
  }
}

// --- expressions without a value ---

TEST_P(HeatFields, AnImpossibleValueIsNamed) {
  const auto run = [](const Scene& scene) { simulate(scene).advance_steps(40); };
  Scene scene = filled_box(GetParam(), 0.125, 1e5);
  scene.bodies[0].shape.max[1] = 0.5;
  scene.time.dt_max = 0.02;
  const Scene plain = scene;
  scene.thermal.ambient = expression("300 - 1000 * t");
  expect_error(ErrorCategory::kScene, {"thermal.ambient is -", " s; it must be finite and >= 0"},
               [&] { run(scene); });
  scene = plain;
  scene.grid.domain->temperature[2] = expression("sqrt(0.9 - x) * 300");
  expect_error(ErrorCategory::kScene, {"the temperature of grid.domain at y_min is", "nan at (0.9"},
               [&] { run(scene); });
  scene = plain;
  scene.colliders = {collider("rod", sphere({0.5, 0.25, 0}, 0.2), BoundaryType::kSlip)};
  scene.colliders[0].temperature = expression("1 / (y - y)");
  expect_error(ErrorCategory::kScene, {"the temperature of collider \"rod\" is inf at ("},
               [&] { run(scene); });
  scene = plain;
  scene.heat_sources = {heat_source(box({-1, -1, -1}, {2, 2, 2}), "log(0.1 - t)")};
  scene.heat_sources[0].name = "coil";
  expect_error(ErrorCategory::kScene,
               {"the power of heat source \"coil\" is", "it must be a finite number"},
               [&] { run(scene); });
}

// A simulation that takes up an earlier state after the error goes on, and finds it again.
TEST_P(HeatFields, AnImpossibleValueIsForgotten) {
  Scene scene = filled_box(GetParam(), 0.125, 1e5);
  scene.bodies[0].shape.max[1] = 0.5;
  scene.time.dt_max = 0.02;
  scene.thermal.ambient = expression("t < 0.05 ? 300 : -t");
  Simulation simulation = simulate(scene);
  const auto start = simulation.save_state();
  const auto fail = [&] { simulation.advance_steps(40); };
  expect_error(ErrorCategory::kScene, {"thermal.ambient is -0.06"}, fail);
  expect_error(ErrorCategory::kScene, {"means nothing any more", "thermal.ambient is -0.06"}, fail);
  expect_error(ErrorCategory::kScene, {"means nothing any more"},
               [&] { static_cast<void>(simulation.save_state()); });
  simulation.load_state(start);
  EXPECT_NO_THROW(simulation.advance_steps(2));
  expect_error(ErrorCategory::kScene, {"thermal.ambient is -0.06"}, fail);
}

// Where it is not needed it may be anything.
TEST_P(HeatFields, ElsewhereExpressionsNeedNoValue) {
  Scene scene = filled_box(GetParam(), 0.125, 1e5);
  scene.bodies[0].shape.max[1] = 0.5;
  scene.time.dt_max = 0.02;
  scene.grid.domain->temperature[0] = expression("sqrt(0.8 - y) * 300");
  scene.heat_sources = {heat_source(box({0, 0, -1}, {0.5, 1, 2}), "sqrt(0.55 - x)")};
  EXPECT_NO_THROW(simulate(scene).advance_steps(10));
}

}  // namespace
}  // namespace firn::test
