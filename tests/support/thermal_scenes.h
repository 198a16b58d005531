// Scenes of the thermal integrator built in code.
#pragma once

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

}  // namespace firn::test
