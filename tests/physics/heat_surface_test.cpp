// Where heat passes and where not: to the air at surfaces alone, between bodies that touch, from a
// wall into as much of a cell as there is; and no temperature below absolute zero.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/expect_error.h"
#include "tests/support/stock_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.02, kInfinity = std::numeric_limits<double>::infinity();

// A metal: heat crosses a cell in 4 ms.
Scene metal(int dimension) {
  Scene scene = thermal_scene(dimension, kDx);
  scene.time.dt_max = 5e-3;
  scene.materials = {solid("metal", 1e4, kInfinity)};
  scene.materials[0].heat.capacity = {200, 200};
  scene.materials[0].heat.conductivity = {2e4, 2e4};
  return scene;
}

// Irregular particles fill their cells unevenly, and none of that is a surface.
TEST(HeatSurface, ThereIsNoneWithin) {
  for (const int dimension : {2, 3})
    for (const Sampling sampling : {Sampling::kPoisson, Sampling::kRandom}) {
      Scene scene = metal(dimension);
      const double depth = dimension == 3 ? 0.2 : 0;
      scene.grid.domain = closed_box({0, 0, 0}, {0.4, 0.2, depth});
      scene.thermal.ambient = ScalarField{300, ""};
      scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.2, depth}))};
      scene.bodies[0].sampling = sampling;
      scene.bodies[0].temperature.constant = 400;
      Simulation simulation = simulate(scene);
      const double before = simulation.stats().totals.heat;
      for (int frame = 0; frame < 12; ++frame) simulation.advance_frame();
      const double excess = simulation.stats().totals.mass * 200 * 100;
      EXPECT_NEAR(simulation.stats().totals.heat, before, 1e-6 * excess) << dimension;
    }
}

// Between a plate of 400 K, at x = 0.1, and air of 300 K.
Scene slab_before_air(Sampling sampling) {
  Scene scene = metal(2);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 0.2, 0});
  scene.materials[0].heat.conductivity = {2e5, 2e5};
  scene.thermal.ambient = ScalarField{300, ""};
  scene.bodies = {body("slab", 0, box({0.1, 0, 0}, {0.5, 0.2, 0}))};
  scene.bodies[0].sampling = sampling;
  scene.bodies[0].temperature.constant = 350;
  scene.colliders = {collider("plate", half_space({0.1, 0, 0}, {1, 0, 0}), BoundaryType::kSlip)};
  scene.colliders[0].temperature = ScalarField{400, ""};
  return scene;
}

// Temperatures come to lie on a line.
TEST(HeatSurface, IsWhereASlabMeetsTheAir) {
  for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson, Sampling::kRandom}) {
    Simulation simulation = simulate(slab_before_air(sampling));
    run_to(simulation, 1);
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      ASSERT_NEAR(s.temperature[i], 400 - 250 * (s.position[2 * i] - 0.1), 4);
  }
}

// The air takes less heat from a surface than the metal would bring there: half of the difference
// is left at it.
TEST(HeatSurface, TakesTheCoefficientOfHeatTransfer) {
  for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson}) {
    Scene scene = slab_before_air(sampling);
    scene.thermal.heat_transfer_coefficient = 2e5 / 0.4;
    Simulation simulation = simulate(scene);
    run_to(simulation, 2);
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      ASSERT_NEAR(s.temperature[i], 400 - 125 * (s.position[2 * i] - 0.1), 4);
  }
}

// What is as warm everywhere within cools by h A / (m c), wherever its surface lies and however it
// is turned: e^-1 of the excess in the time of one run.
double excess_left(Scene scene, const Shape& shape, double area, double volume, Sampling sampling) {
  constexpr double kCoefficient = 1e4, kCapacity = 200;
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain.reset();
  scene.materials[0].heat.conductivity = {2e5, 2e5};
  scene.thermal.ambient = ScalarField{300, ""};
  scene.thermal.heat_transfer_coefficient = kCoefficient;
  scene.bodies = {body("piece", 0, shape)};
  scene.bodies[0].sampling = sampling;
  scene.bodies[0].temperature.constant = 400;
  Simulation simulation = simulate(scene);
  const double excess = 100 * kCapacity * simulation.stats().totals.mass,
               cold = simulation.stats().totals.heat - excess,
               rate = kCoefficient * area / (kCapacity * scene.materials[0].density * volume);
  run_to(simulation, 1 / rate);
  return (simulation.stats().totals.heat - cold) / excess;
}
Shape turned_square(double side, double degrees) {
  Shape turned;
  turned.type = ShapeType::kTransform;
  turned.rotation = {0, 0, degrees * std::numbers::pi / 180};
  turned.children = {box({-side / 2, -side / 2, 0}, {side / 2, side / 2, 0})};
  return turned;
}

TEST(HeatSurface, CoolsByItsAreaHoweverItLies) {
  const double left = std::exp(-1.0), side = 0.4;
  for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson, Sampling::kRandom}) {
    SCOPED_TRACE(static_cast<int>(sampling));
    const auto cools = [&](int dimension, const Shape& shape, double area, double volume,
                           double tolerance) {
      EXPECT_NEAR(excess_left(metal(dimension), shape, area, volume, sampling), left,
                  tolerance * left);
    };
    cools(2, sphere({0.013, 0, 0}, 0.2), 0.4, 0.04, 0.02);
    cools(3, sphere({0.013, 0, 0}, 0.15), 3, 0.15, 0.02);
    for (const double angle : {0.0, 15.0, 30.0, 45.0})
      cools(2, turned_square(side, angle), 4 * side, side * side, 0.08);
    // Of one cell and of one and a half.
    cools(2, box({-0.2, -0.01, 0}, {0.2, 0.01, 0}), 0.84, 0.008, 0.12);
    cools(2, box({-0.2, -0.015, 0}, {0.2, 0.015, 0}), 0.86, 0.012, 0.06);
  }
}

// Hot melt runs over what is cold, and the air warms both.
TEST(HeatSurface, NothingGetsHotterThanTheAir) {
  const Scene scene = load_stock_scene("hot-air", {"", {"grid.dx=0.02"}});
  Simulation simulation = simulate(scene);
  run_to(simulation, 4);
  const Snapshot s = simulation.snapshot();
  double hottest = 0, liquid = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    hottest = std::max(hottest, double{s.temperature[i]});
    liquid += s.phase[i];
  }
  EXPECT_GT(liquid, 0.5 * static_cast<double>(s.size()));
  EXPECT_LE(hottest, 390.5);  // 410 K without it
}

// K, that a cold block has risen by in half a second, `gap` cells beside a hot one.
double rise_across(double gap) {
  Scene scene = metal(2);
  const double at = 0.2 + gap * kDx;
  scene.bodies = {lattice("hot", box({0, 0, 0}, {0.2, 0.2, 0})),
                  lattice("cold", box({at, 0, 0}, {at + 0.2, 0.2, 0}))};
  scene.bodies[0].temperature.constant = 400;
  scene.bodies[1].temperature.constant = 300;
  Simulation simulation = simulate(scene);
  run_to(simulation, 0.5);
  const Snapshot s = simulation.snapshot();
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s.body[i] == 1) sum += s.temperature[i] - 300, ++count;
  return sum / count;
}

TEST(HeatSurface, AGapInsulates) {
  const double touching = rise_across(0);
  EXPECT_GT(touching, 20);
  EXPECT_GT(rise_across(0.5), 0.5 * touching) << "less than cells tell apart";
  EXPECT_LT(rise_across(1.5), 0.03 * touching);
  EXPECT_LT(rise_across(2), 1e-3 * touching);
}

// Of the heat that a slab should have taken from a wall after a quarter of a second: `at`, in
// cells, is how far that lies above a line of the grid, `gap` how far before it the slab begins.
double taken_from_wall(double at, double gap) {
  Scene scene = metal(2);
  const double k = 2e4, alpha = k / (1000 * 200), time = 0.25, width = 0.2, x = at * kDx;
  scene.time.dt_max = 2e-3;
  scene.bodies = {body("slab", 0, box({x + gap * kDx, 0, 0}, {x + 1, width, 0}))};
  scene.bodies[0].temperature.constant = 300;
  scene.colliders = {collider("wall", half_space({x, 0, 0}, {1, 0, 0}), BoundaryType::kSlip)};
  scene.colliders[0].temperature = ScalarField{400, ""};
  Simulation simulation = simulate(scene);
  const double before = simulation.stats().totals.heat;
  run_to(simulation, time);
  return (simulation.stats().totals.heat - before) /
         (2 * k * 100 * std::sqrt(time / (std::numbers::pi * alpha)) * width);
}

TEST(HeatSurface, AWallHeatsWhereverItLiesInItsCell) {
  for (const double at : {0.0, 0.1, 0.25, 0.4, 0.49, 0.51, 0.75, 0.9})
    EXPECT_NEAR(taken_from_wall(at, 0), 1, 0.025) << at;
}

// What rests on a body may lie more than half a cell from it.
TEST(HeatSurface, AGapBeforeAWallInsulates) {
  for (const double at : {0.0, 0.4, 0.75}) {
    EXPECT_GT(taken_from_wall(at, 0.5), 0.8) << at;
    EXPECT_LT(taken_from_wall(at, 1.25), 0.2) << at;
    EXPECT_LT(taken_from_wall(at, 1.5), 0.01) << at;
  }
}

// What a sticky body holds within it is as warm.
TEST(HeatSurface, ABodyIsWarmThroughout) {
  Scene scene = metal(2);
  scene.bodies = {body("block", 0, box({-0.2, -0.2, 0}, {0.2, 0.2, 0}))};
  scene.bodies[0].temperature.constant = 300;
  scene.colliders = {collider("core", sphere({0, 0, 0}, 0.1), BoundaryType::kSticky)};
  scene.colliders[0].temperature = ScalarField{400, ""};
  Simulation simulation = simulate(scene);
  run_to(simulation, 0.25);
  const Snapshot s = simulation.snapshot();
  int within = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (std::hypot(s.position[2 * i], s.position[2 * i + 1]) > 0.06) continue;
    ++within;
    ASSERT_NEAR(s.temperature[i], 400, 0.01);
  }
  EXPECT_GT(within, 50);
}

// The temperature of a wall is asked for where it is a wall.
TEST(HeatSurface, WallsEndWithTheDomain) {
  Scene scene = metal(2);
  scene.grid.domain = closed_box({0, 0, 0}, {0.2, 0.2, 0});
  scene.grid.domain->temperature[0] = {0, "300 + 200 * sqrt(y) + 100 * sqrt(0.2 - y)"};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
  scene.bodies[0].temperature.constant = 300;
  Simulation simulation = simulate(scene);
  const double before = simulation.stats().totals.heat;
  run_to(simulation, 0.05);
  EXPECT_GT(simulation.stats().totals.heat, before);
}

// Until the wave is at its end, a column takes up 2 k dT sqrt(t / (pi alpha)) for each of its
// width.
TEST(HeatSurface, AWallHeatsColumnsOfAnyWidthAlike) {
  for (const double cells : {1, 2, 10}) {
    Scene scene = metal(2);
    const double width = cells * kDx, k = 2e3, alpha = k / (1000 * 200), time = 0.25;
    scene.time.dt_max = 1e-3;
    scene.materials[0].heat.conductivity = {k, k};
    scene.bodies = {lattice("column", box({0, 0, 0}, {0.6, width, 0}))};
    scene.bodies[0].temperature.constant = 300;
    scene.colliders = {collider("wall", half_space({0, 0, 0}, {1, 0, 0}), BoundaryType::kSlip)};
    scene.colliders[0].temperature = ScalarField{400, ""};
    Simulation simulation = simulate(scene);
    const double before = simulation.stats().totals.heat;
    run_to(simulation, time);
    const double exact = 2 * k * 100 * std::sqrt(time / (std::numbers::pi * alpha)) * width;
    EXPECT_NEAR(simulation.stats().totals.heat - before, exact, 0.02 * exact) << cells;
  }
}

// K, that a film has risen by on a plate 100 K hotter after 2 ms, on cells of `dx`.
double rise_of_film(const Shape& shape, double dx) {
  Scene scene = metal(2);
  scene.grid.dx = dx;
  scene.time.dt_max = 1e-4;
  scene.bodies = {body("film", 0, shape)};
  scene.bodies[0].temperature.constant = 300;
  scene.colliders = {collider("plate", ground(), BoundaryType::kSlip)};
  scene.colliders[0].temperature = ScalarField{400, ""};
  Simulation simulation = simulate(scene);
  simulation.advance_until(2e-3);
  const Snapshot s = simulation.snapshot();
  double sum = 0;
  for (const float t : s.temperature) sum += t - 300;
  return sum / static_cast<double>(s.size());
}

// Of 0.6 and 1.2 cells, three and five cells wide, and one that thins out: as much as on cells of
// an eighth of that.
TEST(HeatSurface, FilmsTakeHeatWithAllOfTheirRims) {
  Shape drop;
  drop.type = ShapeType::kIntersection;
  drop.children = {sphere({0.003, -0.2, 0}, 0.22), half_space({0, 0, 0}, {0, -1, 0})};
  const Shape films[] = {box({-0.027, 0, 0}, {0.033, 0.012, 0}),
                         box({-0.047, 0, 0}, {0.053, 0.024, 0}), drop};
  for (const Shape& film : films) {
    const double fine = rise_of_film(film, kDx / 8);
    EXPECT_NEAR(rise_of_film(film, kDx), fine, 0.08 * fine);
  }
}

// A layer of four cells with a hundredth of the conductivity, between plates of 400 and 300 K.
TEST(HeatSurface, AThinLayerInsulates) {
  Scene scene = metal(2);
  const double k = 2e5, layer = 2e3;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 0.08, 0});
  scene.grid.domain->temperature[0] = ScalarField{400, ""};
  scene.grid.domain->temperature[1] = ScalarField{300, ""};
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "wool";
  scene.materials[0].heat.conductivity = {k, k};
  scene.materials[1].heat.conductivity = {layer, layer};
  scene.bodies = {lattice("hot", box({0, 0, 0}, {0.46, 0.08, 0})),
                  lattice("layer", box({0.46, 0, 0}, {0.54, 0.08, 0})),
                  lattice("cold", box({0.54, 0, 0}, {1, 0.08, 0}))};
  scene.bodies[1].material = 1;
  for (Body& b : scene.bodies) b.temperature = {0, "x < 0.5 ? 400 : 300"};
  Simulation simulation = simulate(scene);
  run_to(simulation, 5);
  const Snapshot s = simulation.snapshot();
  const double flux = 100 / (0.08 / layer + 0.92 / k);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double x = s.position[2 * i];
    if (x > 0.4) continue;
    EXPECT_NEAR((400 - s.temperature[i]) * k, flux * x, 0.03 * flux * 0.4);
  }
}

// What stays at the melting point does not conduct, whatever it could.
TEST(HeatSurface, AFrontIsNotHeldUpByTheOtherPhase) {
  for (const double other : {2e3, 5e4, 2e5}) {
    const Scene scene = load_stock_scene(
        "stefan", {"", {fmt::format("material.ice.conductivity={{solid={}, liquid=2e5}}", other)}});
    Simulation simulation = simulate(scene);
    const double before = simulation.stats().totals.heat;
    run_to(simulation, 1);
    // beta exp(beta^2) erf(beta) = St / sqrt(pi) of a Stefan number of 1/2
    const double beta = 0.4648, k = 2e5, alpha = k / 2e6;
    const double exact =
        k * 100 / std::erf(beta) * 2 * std::sqrt(1 / (std::numbers::pi * alpha)) * 0.2;
    EXPECT_NEAR(simulation.stats().totals.heat - before, exact, 0.02 * exact) << other;
  }
}

TEST(HeatSurface, NothingIsColderThanAbsoluteZero) {
  Scene scene = metal(2);
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
  scene.bodies[0].temperature = {0, "300 - 2000 * x"};
  expect_error(ErrorCategory::kScene, {"body \"block\" at [", "'temperature' must be > 0 K"},
               [&] { simulate(scene); });
  scene.bodies[0].temperature = {0, "sqrt(0.1 - x)"};
  expect_error(ErrorCategory::kScene, {"body \"block\" at [", "'temperature' must be > 0 K"},
               [&] { simulate(scene); });
  scene.bodies[0].temperature = {300, ""};
  HeatSource cooler;
  cooler.name = "cooler";
  cooler.shape = box({0, 0, 0}, {0.1, 0.1, 0});
  cooler.power = {-1e9, ""};
  scene.heat_sources = {cooler};
  Simulation simulation = simulate(scene);
  expect_divergence({"body \"block\"", "not above absolute zero", "a heat source that cools"}, [&] {
    for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  });
}

}  // namespace
}  // namespace firn::test
