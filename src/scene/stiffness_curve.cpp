// Young's modulus at a temperature, and Lame's parameters from it.
#include "src/scene/stiffness_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"

namespace firn {

LameParameters lame_parameters(double youngs_modulus, double poisson_ratio) {
  const double incompressibility = 1 - 2 * poisson_ratio;
  return {youngs_modulus / (2 * (1 + poisson_ratio)),
          incompressibility > 0
              ? youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * incompressibility)
              : std::numeric_limits<double>::infinity()};
}

StiffnessCurve::StiffnessCurve(const Material& material) : material_(material) {
  if (!material.youngs_modulus_of_temperature.empty())
    youngs_modulus_.emplace(material.youngs_modulus_of_temperature);
}

double StiffnessCurve::youngs_modulus(double temperature) const {
  return youngs_modulus_->at(
      std::min(temperature, material_.heat.melting_point.value_or(temperature)));
}

LameParameters StiffnessCurve::at(double temperature) const {
  if (material_.model == MaterialModel::kIncompressible)
    return {0, std::numeric_limits<double>::infinity()};
  if (material_.lame) return *material_.lame;
  if (!varies()) return lame_parameters(material_.youngs_modulus, material_.poisson_ratio);
  const double E = youngs_modulus(temperature);
  if (!(E > 0) || !std::isfinite(E))
    throw Error(
        ErrorCategory::kScene,
        fmt::format("material '{}': youngs_modulus = \"{}\" is {:.6g} Pa at {:.6g} K; it "
                    "must be positive at every temperature that the solid reaches",
                    material_.name, material_.youngs_modulus_of_temperature, E, temperature));
  return lame_parameters(E, material_.poisson_ratio);
}

}  // namespace firn
