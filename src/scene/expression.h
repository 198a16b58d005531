// Fields of a scene that are written as expressions of x, y, z and t, or of a temperature T:
// checking them when the scene is read and evaluating them on the host. muParser does the work.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "firn/scene.h"

namespace firn {

// Why `expression` cannot be evaluated, or nothing if it can. Each letter of `variables` is one
// that it may use, beside the constant pi.
std::optional<std::string> expression_error(const std::string& expression,
                                            std::string_view variables = "xyzt");

// Evaluates one field of x, y, z, t; not safe to share between threads (make one per thread).
// Constants cost nothing. Throws Error{kScene} if an expression is malformed.
class FieldEvaluator {
 public:
  explicit FieldEvaluator(const ScalarField& field);
  explicit FieldEvaluator(const VectorField& field);
  ~FieldEvaluator();
  FieldEvaluator(FieldEvaluator&&) noexcept;
  FieldEvaluator& operator=(FieldEvaluator&&) noexcept;

  double scalar(const Vec3& position, double time) const;  // a vector field's first component
  Vec3 vector(const Vec3& position, double time) const;    // zeros after a scalar field's component

 private:
  struct Component;
  std::array<std::unique_ptr<Component>, 3> components_;
};

// Evaluates one expression of T, likewise.
class TemperatureEvaluator {
 public:
  explicit TemperatureEvaluator(const std::string& expression);
  ~TemperatureEvaluator();
  TemperatureEvaluator(TemperatureEvaluator&&) noexcept;
  TemperatureEvaluator& operator=(TemperatureEvaluator&&) noexcept;

  double at(double temperature) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firn
