// Heat through particles and the grid: what a closed box keeps, how a slab cools, where a melting
// front stands, and what melting does to a body.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/stock_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- what is kept ---

// Two blocks that touch in an insulated box, one hot enough to melt the other, which it does in
// part.
Scene touching_blocks(Precision precision) {
  Scene scene = thermal_scene(2, 0.05, precision);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 0.5, 0});
  scene.time.dt_max = 1e-2;
  scene.materials = {solid("fat", 1e3, kInfinity), solid("stone", 1e3, 1e6)};
  scene.materials[0].heat.melting_point = 310;
  scene.materials[0].heat.melting_jitter = 2;
  scene.materials[0].heat.latent_heat = 2e4;
  scene.materials[0].heat.conductivity = {2e4, 1e4};
  scene.materials[1].heat.conductivity = {4e4, 4e4};
  scene.bodies = {body("cold", 0, box({0, 0, 0}, {0.5, 0.5, 0})),
                  body("hot", 1, box({0.5, 0, 0}, {1, 0.5, 0}))};
  scene.bodies[0].temperature.constant = 300;
  scene.bodies[1].temperature.constant = 340;
  return scene;
}

TEST(Heat, AnInsulatedBoxKeepsIt) {
  Simulation simulation = simulate(touching_blocks(Precision::kDouble));
  const double before = simulation.stats().totals.heat;
  simulation.advance_steps(1000);
  const Snapshot s = simulation.snapshot();
  int molten = 0;
  for (std::uint16_t phase : s.phase) molten += phase;
  EXPECT_GT(molten, 100) << "nothing melts";
  const double exchanged = 500 * 0.25 * 2000 * 10;  // of the order of what passes between the two
  EXPECT_NEAR(simulation.stats().totals.heat, before, 1e-10 * exchanged);
}

// --- a slab between two cold walls ---

constexpr double kSlabTime = 0.05, kWall = 300;

Scene slab_scene(int cells) {
  const double dx = 1.0 / cells;
  Scene scene = thermal_scene(2, dx);
  scene.simulation.fps = 1 / kSlabTime;
  scene.time.dt_max = 0.5 * dx * dx;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 8 * dx, 0});
  scene.grid.domain->temperature[0] = scene.grid.domain->temperature[1] = ScalarField{kWall, ""};
  scene.materials = {solid("slab", 1e3, kInfinity)};
  scene.materials[0].heat.capacity = {1, 1};
  scene.materials[0].heat.conductivity = {1000, 1000};  // a diffusivity of 1 m^2/s
  scene.bodies = {lattice("slab", box({0, 0, 0}, {1, 8 * dx, 0}))};
  scene.bodies[0].temperature.constant = kWall + 1;
  return scene;
}

double slab_error(int cells) {
  Simulation simulation = simulate(slab_scene(cells));
  simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  double sum = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double exact = slab_temperature(static_cast<double>(s.position[2 * i]), kSlabTime);
    sum += std::pow(static_cast<double>(s.temperature[i]) - kWall - exact, 2);
  }
  return std::sqrt(sum / static_cast<double>(s.size()));
}

// What is left in small cells is the hundredth of conduction by which differences within them
// settle (kSettled).
TEST(Heat, ASlabCoolsAsFourierSays) {
  EXPECT_LE(slab_error(16), 0.0075);
  EXPECT_LE(slab_error(32), 0.003);
  EXPECT_LE(slab_error(64), 0.003);
}

// The stock scene, in single precision, in which the last step of a frame may be as short as a
// thousandth of the others: the residual of a heat solve is then all rounding.
TEST(Heat, TheStockSlabCoolsToItsEndInSinglePrecision) {
  const Scene scene = load_stock_scene("heat-slab");
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < scene.simulation.frames; ++frame) simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i)
    ASSERT_NEAR(s.temperature[i], 300 + 100 * slab_temperature(s.position[2 * i], 0.2), 0.4);
}

// --- the one-phase Stefan problem ---

// A hot wall melts its way into a solid at the melting point: the front stands at 2 beta
// sqrt(alpha t) with beta exp(beta^2) erf(beta) = St / sqrt(pi). [stefan_one_phase_lambda.csv]
struct StefanCase {
  double stefan, beta;
};
constexpr StefanCase kStefan[] = {
    {0.01, 0.0705932765604}, {0.1, 0.220016272743}, {0.5, 0.464785920646}, {3, 0.913751269972}};

// How far from its place in the middle the front stands, in cells, by the share of the slab that
// the latent heat taken up is enough for: particles within a few cells of it are half molten.
double front_error(const StefanCase& c, int cells) {
  const double dx = 1.0 / cells, time = 0.25 / (4 * c.beta * c.beta);
  Scene scene = thermal_scene(2, dx);
  scene.simulation.fps = 1 / time;
  scene.time.dt_max = time / (20.0 * cells);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 4 * dx, 0});
  scene.grid.domain->temperature[0] = ScalarField{kWall + 1, ""};
  scene.materials = {solid("ice", 1e3, kInfinity)};
  HeatProperties& heat = scene.materials[0].heat;
  heat.capacity = {1, 1};
  heat.conductivity = {1000, 1000};
  heat.melting_point = kWall;
  heat.latent_heat = 1 / c.stefan;
  scene.bodies = {lattice("ice", box({0, 0, 0}, {1, 4 * dx, 0}))};
  scene.bodies[0].temperature.constant = kWall;
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  double sensible = 0, mass = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    mass += static_cast<double>(s.mass[i]);
    sensible += static_cast<double>(s.mass[i]) *
                std::max(static_cast<double>(s.temperature[i]) - kWall, 0.0);
  }
  const double latent = simulation.stats().totals.heat - sensible;
  return std::abs(latent * c.stefan / mass - 0.5) * cells;
}

// Within one cell, however small the cells are: of first order.
TEST(Heat, TheMeltingFrontStandsWhereStefanSays) {
  for (const StefanCase& c : kStefan)
    for (int cells : {16, 32}) EXPECT_LE(front_error(c, cells), 1) << c.stefan << ", " << cells;
}

// --- at rest ---

// Liquid without lambda, and a solid: neither moves.
TEST(Heat, AStillPoolStaysStill) {
  Scene scene = thermal_scene(2, 0.05);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 5e-3;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  Material pool = solid("pool", 0, kInfinity);
  scene.materials = {pool};
  scene.bodies = {lattice("pool", box({0, 0, 0}, {1, 0.5, 0}))};
  scene.bodies[0].temperature.constant = 300;
  Simulation simulation = simulate(scene);
  simulation.advance_steps(200);
  const Snapshot s = simulation.snapshot();
  double fastest = 0;
  for (float v : s.velocity) fastest = std::max(fastest, std::abs(static_cast<double>(v)));
  EXPECT_LE(fastest, 1e-3 * std::sqrt(9.81 * 0.5));
}

// --- a cold body that cuts cells ---

// Liquid freezes onto a disc whose surface passes anywhere through cells. Where a cell's mean was
// held at the disc's temperature, particles next to it were driven 67 K below.
TEST(Heat, NothingGetsMuchColderThanTheBodyThatCoolsIt) {
  constexpr double kCold = 290, kHot = 410;
  Scene scene = thermal_scene(2, 0.05);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  const Shape disc = sphere({0.5, 0.5, 0}, 0.23);
  scene.colliders = {collider("disc", disc, BoundaryType::kSticky)};
  scene.colliders[0].temperature = ScalarField{kCold, ""};
  Material syrup = solid("syrup", 1e3, kInfinity);
  syrup.heat.capacity = {1500, 2200};
  syrup.heat.conductivity = {2e4, 2e4};
  syrup.heat.melting_point = 390;
  syrup.heat.latent_heat = 2e4;
  scene.materials = {syrup};
  Shape around;
  around.type = ShapeType::kDifference;
  around.children = {box({0, 0, 0}, {1, 0.85, 0}), disc};
  scene.bodies = {body("syrup", 0, around)};
  scene.bodies[0].temperature.constant = kHot;
  Simulation simulation = simulate(scene);
  double coldest = kHot;
  for (int frame = 0; frame < 10; ++frame) {
    simulation.advance_frame();
    for (float T : simulation.snapshot().temperature)
      coldest = std::min(coldest, static_cast<double>(T));
  }
  // Only particles that do not reach into the disc may overshoot, by what one step's exchange of
  // means is off.
  EXPECT_GE(coldest, kCold - 0.02 * (kHot - kCold));
  EXPECT_LE(coldest, kCold + 0.5 * (kHot - kCold)) << "nothing has cooled";
}

// --- melting and freezing again ---

// A block between walls of one temperature.
Scene block_between(double wall) {
  Scene scene = thermal_scene(2, 0.025);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 0.5;
  scene.time.dt_max = 3e-3;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  for (std::size_t face = 0; face < 4; ++face)
    scene.grid.domain->temperature[face] = ScalarField{wall, ""};
  Material fat = solid("fat", 2e4, kInfinity);
  fat.viscosity = 20;
  fat.heat.capacity = {2000, 2000};
  fat.heat.conductivity = {2e5, 2e5};
  fat.heat.melting_point = 310;
  fat.heat.latent_heat = 1e5;
  scene.materials = {fat};
  scene.bodies = {lattice("block", box({0.25, 0, 0}, {0.75, 0.5, 0}))};
  scene.bodies[0].temperature.constant = 300;
  return scene;
}

std::size_t molten(const Snapshot& s) {
  std::size_t sum = 0;
  for (std::uint16_t phase : s.phase) sum += phase;
  return sum;
}

TEST(Heat, ABlockMeltsAndFreezesAgain) {
  Simulation hot = simulate(block_between(350)), cold = simulate(block_between(280));
  hot.advance_frame();
  hot.advance_frame();
  ASSERT_EQ(molten(hot.snapshot()), hot.snapshot().size());
  const double joules_hot = hot.stats().totals.heat, mechanical = hot.stats().totals.potential;
  cold.load_state(hot.save_state());
  for (int frame = 0; frame < 6; ++frame) cold.advance_frame();  // of 2 s: it freezes, and rings
  const Snapshot s = cold.snapshot();
  EXPECT_EQ(molten(s), 0u);
  double fastest = 0, height = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    fastest = std::max({fastest, std::abs(static_cast<double>(s.velocity[2 * i])),
                        std::abs(static_cast<double>(s.velocity[2 * i + 1]))});
    height += 2 * static_cast<double>(s.position[2 * i + 1]) / static_cast<double>(s.size());
  }
  EXPECT_LE(fastest, 2e-5) << "it slumped at 2 m/s";
  EXPECT_NEAR(height, 0.25, 0.005 * 0.25) << "the volume is not what it was";
  // 250 kg from the liquid at the walls' 350 K to the solid at 280 K.
  EXPECT_NEAR(joules_hot, 250 * (1e5 + 2000 * 40.0), 1e-3 * 250 * 1e5);
  EXPECT_NEAR(cold.stats().totals.heat, -250 * 2000 * 30.0, 1e-3 * 250 * 1e5);
  EXPECT_NEAR(cold.stats().totals.potential, mechanical, 1e-3 * mechanical);
  EXPECT_LE(cold.stats().totals.kinetic, 1e-8);
}

// --- elastic bodies ---

// A block of 2D foam in free flight that has been given a stretching velocity, and its energies
// afterwards. Projection and stress must see the same kinetic energy, and faces beyond the surface
// must hand their forces to those that they follow: without either, the block shook itself to
// pieces within half a second, whatever lambda was.
Scene ringing_block(double lambda) {
  Scene scene = thermal_scene(2, 0.03);
  scene.thermal.heat = false;
  scene.simulation.fps = 48;
  scene.time.dt_max = 2e-3;
  Material foam = solid("foam", 2e5, lambda);
  foam.density = 600;
  scene.materials = {foam};
  scene.bodies = {body("block", 0, box({0.6, 0.6, 0}, {1.1, 1.1, 0}))};
  scene.bodies[0].velocity.component = {ScalarField{0, "3 + 2 * (x - 0.85)"},
                                        ScalarField{0, "-2 * (y - 0.85)"}, ScalarField{}};
  return scene;
}

TEST(Heat, AnElasticBlockOnlyLosesEnergy) {
  for (double lambda : {1e5, 1e6, 1e8, kInfinity}) {
    SCOPED_TRACE(lambda);
    Simulation simulation = simulate(ringing_block(lambda));
    const Totals start = simulation.stats().totals;
    const double drift = 4.5 * start.mass;  // kinetic energy of its flight, in J
    double before = start.kinetic - drift;
    for (int frame = 0; frame < 24; ++frame) {
      simulation.advance_frame();
      const Totals now = simulation.stats().totals;
      const double ringing = now.kinetic + now.elastic - drift;
      // What the explicit step exchanges within a period, (omega dt)^2 / 8 of it.
      EXPECT_LE(ringing, 1.03 * before) << "frame " << frame;
      before = ringing;
      EXPECT_NEAR(now.momentum[0], start.momentum[0], 1e-9 * start.momentum[0]);
      EXPECT_NEAR(now.momentum[1], start.momentum[1], 1e-9 * start.momentum[0]);
    }
    EXPECT_LE(before, 0.8 * (start.kinetic - drift));
    EXPECT_GE(before, 0.1 * (start.kinetic - drift)) << "it should still ring";
  }
}

// --- any compressibility ---

// A column of gel that settles under its weight, in seconds of damped ringing.
struct Settled : Settling {
  double top = 0;
};
Settled settle_column(double lambda, bool may_melt = false) {
  Scene scene = thermal_scene(2, 0.05);
  scene.thermal.heat = false;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 1;
  scene.time.dt_max = 2e-3;
  scene.grid.domain = closed_box({0, 0, 0}, {0.5, 2, 0});
  Material gel = solid("gel", 2e3, lambda);
  gel.viscosity = 50;
  if (may_melt) gel.heat.melting_point = 310;
  scene.materials = {gel};
  scene.bodies = {lattice("column", box({0, 0, 0}, {0.5, 1, 0}))};
  Settled s;
  static_cast<Settling&>(s) =
      settle(scene, 3, [&](std::size_t, double height) { s.top = std::max(s.top, height); });
  return s;
}

// The confined column is shorter by rho g h^2 / (2 (lambda + 2 mu)); its uppermost particles lie a
// quarter of a cell below the top. p = 0 in the middle of the cells of air above it is half a cell
// too high, of 20 that the column has, and the compression goes with the square: 5 %, and as much
// again from its cells.
TEST(Heat, SettledHeightsTendToTheIncompressibleOne) {
  const double weight = 1000 * 9.81 / 2, rest = 1 - 0.05 / 4;
  double below = 0;
  for (double lambda : {1e6, 1e7, 1e9, kInfinity}) {
    SCOPED_TRACE(lambda);
    const Settled s = settle_column(lambda);
    const double shorter = weight / (lambda + 2 * 2e3);
    EXPECT_NEAR(s.top, rest - shorter, 0.15 * shorter + 1e-4);
    EXPECT_GT(s.top, below) << "not monotonic";
    EXPECT_LE(s.fastest, 1e-3);
    EXPECT_LE(s.iterations, 25);
    below = s.top;
  }
}

// The density correction of what may become liquid solves for a drift where the pressure was: that
// must not become the volume of particles. Once it did, and a solid column sank for ever.
TEST(Heat, ASolidThatMayMeltSettlesLikeOneThatMayNot) {
  const Settled may = settle_column(1e6, true), may_not = settle_column(1e6);
  EXPECT_NEAR(may.top, may_not.top, 1e-6);
  EXPECT_LE(may.fastest, 1e-3);
}

}  // namespace
}  // namespace firn::test
