// Expressions in a scene: fields of x, y, z and t, and properties of a temperature T. They become
// postfix programs (kernels/math/field_program.h), which the host evaluates as kernels do. The
// syntax is that of muParser; without it, 0.5 && 1 is 1, and pi has all its digits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "kernels/math/field_program.h"

namespace firn {

// Why `expression` cannot be evaluated, or nothing if it can. Each letter of `variables` is one
// that it may use, beside the constant pi.
std::optional<std::string> expression_error(const std::string& expression,
                                            std::string_view variables = "xyzt");

// The functions that an expression may call.
std::vector<std::string_view> expression_functions();

// For kernels; empty for a constant. Throws Error{kScene} for an expression that is malformed, or
// nested too deeply for them.
std::vector<FieldInstruction> compile_field(const ScalarField& field);

// A field of x, y, z, t. Throws Error{kScene} if an expression is malformed.
class FieldEvaluator {
 public:
  explicit FieldEvaluator(const ScalarField& field);
  explicit FieldEvaluator(const VectorField& field);

  double scalar(const Vec3& position, double time) const;  // a vector field's first component
  Vec3 vector(const Vec3& position, double time) const;    // zeros after a scalar field's component

 private:
  struct Component {
    double constant = 0;
    std::vector<FieldInstruction> code = {};  // empty: it is constant
    double at(const FieldPoint& point) const;
  };
  static Component component_of(const ScalarField& field);

  std::array<Component, 3> components_;
};

// An expression of T, likewise.
class TemperatureEvaluator {
 public:
  explicit TemperatureEvaluator(const std::string& expression);
  double at(double temperature) const;

 private:
  std::vector<FieldInstruction> code_;
};

}  // namespace firn
