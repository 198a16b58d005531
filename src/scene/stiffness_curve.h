// The elastic moduli of a material of the thermal integrator, whichever way its scene gives them:
// Young's modulus (a number, or an expression of the temperature) with Poisson's ratio, or Lame's
// parameters. Kernels read a table of them.
#pragma once

#include <optional>

#include "firn/scene.h"
#include "src/scene/expression.h"

namespace firn {

class StiffnessCurve {
 public:
  // `material` is "corotated_deviatoric" or "incompressible".
  explicit StiffnessCurve(const Material& material);

  bool varies() const { return youngs_modulus_.has_value(); }

  // Young's modulus at T in K as the expression has it, which may be no valid modulus; at the
  // melting point for every T above it, since an expression means the solid. Only if it varies.
  double youngs_modulus(double temperature) const;

  // mu is that of the solid, lambda that of both phases. Throws Error{kScene} naming the material
  // where its expression gives a modulus that is not positive and finite.
  LameParameters at(double temperature) const;

 private:
  Material material_;
  std::optional<TemperatureEvaluator> youngs_modulus_;
};

// E and nu (in [0, 0.5]) as Lame's parameters; lambda is infinite at 0.5.
LameParameters lame_parameters(double youngs_modulus, double poisson_ratio);

}  // namespace firn
