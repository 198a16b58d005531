// Solids whose temperature matters: what little heat does to it, and how stiff they are at it.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

// A hundred-thousandth of a kelvin in every step, a third of what a float at 300 K tells apart.
TEST(WarmSolid, NoStepIsTooShortForHeat) {
  Scene scene = thermal_scene(2, 0.05, Precision::kSingle);
  scene.time.dt_max = 1e-4;
  scene.materials = {solid("stone", 1e3, 1e6)};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
  scene.bodies[0].temperature.constant = 300;
  HeatSource coil;
  coil.shape = box({-1, -1, -1}, {1, 1, 1});
  coil.power.constant = 2e5;  // 0.1 K/s
  scene.heat_sources = {coil};
  Simulation simulation = simulate(scene);
  const Totals before = simulation.stats().totals;
  simulation.advance_steps(2000);
  const double given = 2e5 * before.volume * 0.2;
  EXPECT_NEAR(simulation.stats().totals.heat - before.heat, given, 1e-3 * given);
}

// What it weighs bears down on a block of 300 K: the same whether its modulus is a number or
// softens from there on, whatever it would be at the melting point.
TEST(WarmSolid, IsAsStiffAsItsTemperatureSays) {
  const auto settled = [](const char* youngs_modulus, std::optional<double> melting_point) {
    Scene scene = thermal_scene(2, 0.02);
    scene.simulation.gravity = {0, -9.81, 0};
    scene.materials = {solid("wax", 0, 0)};
    scene.materials[0].lame.reset();
    scene.materials[0].poisson_ratio = 0.3;
    scene.materials[0].youngs_modulus_of_temperature = youngs_modulus;
    scene.materials[0].heat.melting_point = melting_point;
    scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
    scene.bodies[0].sampling = Sampling::kUniform;
    scene.bodies[0].temperature.constant = 300;
    scene.colliders = {collider("floor", ground(), BoundaryType::kSlip)};
    Simulation simulation = simulate(scene);
    simulation.advance_until(0.25);
    return simulation.totals();
  };
  const Totals plain = settled("2e5", {});
  for (const auto& [E, melting] :
       {std::pair<const char*, std::optional<double>>{"2e5*exp((300-T)/100)", {}},
        {"2e5*exp((300-T)/15)", 400}}) {
    const Totals soft = settled(E, melting);
    EXPECT_NEAR(soft.volume, plain.volume, 5e-4 * plain.volume) << E;
    EXPECT_NEAR(soft.center_of_mass[1], plain.center_of_mass[1], 1e-3) << E;
    EXPECT_NEAR(soft.elastic, plain.elastic, 0.1 * plain.elastic) << E;
  }
}

}  // namespace
}  // namespace firn::test
