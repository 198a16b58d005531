// Heat in solids whose particles lie irregularly.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

// The diffusivity of an insulated slab, over that of its material, by how fast one wave along it
// decays: the amplitude of cos(pi x).
double diffusivity(int dimension, double dx, Sampling sampling) {
  constexpr double kDiffusivity = 0.1;  // m^2/s
  Scene scene = thermal_scene(dimension, dx);
  scene.time.dt_max = 5e-3;
  scene.grid.domain = Domain{{0, 0, 0}, {1, 0.2, 0.2}, {}, {}, {}};
  scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  scene.materials = {solid("slab", 3.8e4, 5.8e4)};
  PhaseValues& capacity = scene.materials[0].heat.capacity;
  capacity.solid = capacity.liquid = 2000;
  PhaseValues& conductivity = scene.materials[0].heat.conductivity;
  conductivity.solid = conductivity.liquid = kDiffusivity * scene.materials[0].density * 2000;
  scene.bodies = {body("slab", 0, box({0, 0, 0}, {1, 0.2, 0.2}))};
  scene.bodies[0].sampling = sampling;
  scene.bodies[0].temperature = {0, "400+50*cos(pi*x)"};
  Simulation simulation = simulate(scene);
  const auto amplitude = [&] {
    const Snapshot s = simulation.snapshot();
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double wave =
          std::cos(std::numbers::pi * s.position[i * static_cast<std::size_t>(dimension)]);
      sum += (s.temperature[i] - 400) * wave;
      squares += wave * wave;
    }
    return sum / squares;
  };
  const double before = amplitude();
  simulation.advance_until(0.5);
  const double rate = std::log(before / amplitude()) / simulation.time();
  return rate / (kDiffusivity * std::numbers::pi * std::numbers::pi);
}

TEST(HeatSampling, IrregularParticlesConductAsRegularOnes) {
  EXPECT_NEAR(diffusivity(2, 0.02, Sampling::kUniform), 1, 0.01);
  EXPECT_NEAR(diffusivity(2, 0.02, Sampling::kPoisson), 1, 0.015);
  EXPECT_NEAR(diffusivity(2, 0.02, Sampling::kRandom), 1, 0.015);
  EXPECT_NEAR(diffusivity(3, 0.04, Sampling::kPoisson), 1, 0.025);
}

}  // namespace
}  // namespace firn::test
