// Scenes of the thermal integrator built in code.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tests/support/fluid_scenes.h"

namespace firn::test {

inline Material solid(std::string name, double mu, double lambda) {
  Material m;
  m.name = std::move(name);
  m.model = MaterialModel::kCorotatedDeviatoric;
  m.density = 1000;
  m.lame = LameParameters{mu, lambda};
  m.heat.capacity = {2000, 3000};
  m.heat.conductivity = {2, 1};
  return m;
}

inline Scene thermal_scene(int dimension, double dx, Precision precision = Precision::kDouble) {
  Scene s = empty_scene(dimension, dx, precision);
  s.simulation.integrator = Integrator::kThermal;
  s.simulation.gravity = {0, 0, 0};
  s.transfer.force = ForceForm::kGradient;
  s.fluid.free_surface = FreeSurface::kFirstOrder;
  return s;
}

// Runs columns of gel that settle in damped ringing: how fast they move in the end, and the most
// iterations of a pressure. `at_rest` takes each particle's material and height.
struct Settling {
  double fastest = 0;
  std::int64_t iterations = 0;
};
template <class AtRest>
Settling settle(const Scene& scene, int frames, AtRest&& at_rest) {
  Simulation simulation = simulate(scene);
  Settling settling;
  for (int frame = 0; frame < frames; ++frame) {
    simulation.advance_frame();
    settling.iterations = std::max(settling.iterations, simulation.stats().pressure.max_iterations);
  }
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i) {
    at_rest(s.material[i], static_cast<double>(s.position[2 * i + 1]));
    settling.fastest =
        std::max(settling.fastest, std::abs(static_cast<double>(s.velocity[2 * i + 1])));
  }
  return settling;
}

// T of the slab 0 < x < 1 that starts at 1 between walls at 0, after Fourier number `fo`.
// [reference/heat_slab_1d.csv]
inline double slab_temperature(double x, double fo) {
  double sum = 0;
  for (int n = 1; n < 200; n += 2)
    sum += 4 / (n * std::numbers::pi) * std::sin(n * std::numbers::pi * x) *
           std::exp(-n * n * std::numbers::pi * std::numbers::pi * fo);
  return sum;
}

}  // namespace firn::test
