// Expressions: what expression_error has nothing against compiles and has a value everywhere, which
// may be no number, and kernels take it or refuse it by its depth. The first byte chooses the
// variables.
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "firn/error.h"
#include "src/scene/expression.h"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr firn::FieldPoint kPoints[] = {
    {{0, 0, 0, 0}}, {{-1.5, 0.25, 0, 1}}, {{1e300, -1e-300, 3, 1e9}}, {{kInfinity, -kInfinity}}};

void evaluate_place(const std::string& expression) {
  const firn::FieldEvaluator evaluator(firn::ScalarField{0, expression});
  const firn::FieldEvaluator vector(
      firn::VectorField{{{{1, ""}, {0, expression}, {0, expression}}}});
  for (const firn::FieldPoint& p : kPoints) {
    const firn::Vec3 x = {p.coordinate[0], p.coordinate[1], p.coordinate[2]};
    evaluator.scalar(x, p.coordinate[3]);
    if (vector.vector(x, p.coordinate[3])[0] != 1) std::abort();
  }
  try {
    const std::vector<firn::FieldInstruction> code = firn::compile_field({0, expression});
    for (const firn::FieldPoint& p : kPoints)
      firn::run_field({code.data(), static_cast<std::int32_t>(code.size()), true, 0}, p);
  } catch (const firn::Error&) {  // too deep for kernels
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kVariables[] = {"xyzt", "xz", "x", "T"};
  const std::string_view variables = kVariables[data[0] % 4];
  const std::string expression(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (firn::expression_error(expression, variables)) return 0;
  if (variables == "T") {
    const firn::TemperatureEvaluator evaluator(expression);
    for (const double temperature : {0.0, 273.15, 1e300, kInfinity}) evaluator.at(temperature);
  } else {
    evaluate_place(expression);
  }
  return 0;
}
