// muParser behind FieldEvaluator. Assignment, several results and strings are things muParser can
// do and a field must not, so they are refused here.
#include "src/scene/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <numbers>

#include "firn/error.h"

namespace firn {
namespace {

struct Variables {
  double x = 0, y = 0, z = 0, t = 0, T = 0;
};

mu::Parser make_parser(const std::string& expression, Variables& variables,
                       std::string_view allowed = "xyzt") {
  mu::Parser parser;
  const std::pair<char, double*> known[] = {{'x', &variables.x},
                                            {'y', &variables.y},
                                            {'z', &variables.z},
                                            {'t', &variables.t},
                                            {'T', &variables.T}};
  for (const auto& [name, value] : known)
    if (allowed.find(name) != std::string_view::npos) parser.DefineVar(std::string(1, name), value);
  parser.DefineConst("pi", std::numbers::pi);
  parser.SetExpr(expression);
  return parser;
}

bool assigns(const std::string& expression) {
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '=') continue;
    const bool doubled = i + 1 < expression.size() && expression[i + 1] == '=';
    const bool compares =
        i > 0 && std::string_view("<>!").find(expression[i - 1]) != std::string_view::npos;
    if (!doubled && !compares) return true;
    if (doubled) ++i;
  }
  return false;
}

}  // namespace

std::optional<std::string> expression_error(const std::string& expression,
                                            std::string_view variables) {
  constexpr std::size_t kLongest = 2000;
  if (expression.size() > kLongest) return fmt::format("it is longer than {} characters", kLongest);
  if (expression.find_first_not_of(" \t") == std::string::npos) return "it is empty";
  if (expression.find('"') != std::string::npos) return "strings have no place in a field";
  if (assigns(expression)) return "it assigns with '='; to compare use '=='";
  try {
    Variables values;
    const mu::Parser parser = make_parser(expression, values, variables);
    int results = 0;
    parser.Eval(results);
    if (results != 1) return "it has several values separated by commas; a field has one";
  } catch (const mu::Parser::exception_type& error) {
    std::string names;
    for (const char name : variables) names += fmt::format("{}, ", name);
    return fmt::format("{} (it may use {}pi)", error.GetMsg(), names);
  }
  return std::nullopt;
}

namespace {

void require_valid(const std::string& expression, std::string_view variables) {
  if (const auto error = expression_error(expression, variables))
    throw Error(ErrorCategory::kScene, fmt::format("field \"{}\": {}", expression, *error));
}

}  // namespace

struct FieldEvaluator::Component {
  explicit Component(const ScalarField& field) : constant(field.constant) {
    if (field.expression.empty()) return;
    require_valid(field.expression, "xyzt");
    parser = make_parser(field.expression, variables);
    varies = true;
  }

  double at(const Vec3& position, double time) {
    if (!varies) return constant;
    variables = {position[0], position[1], position[2], time, 0};
    return parser.Eval();
  }

  Variables variables;  // the parser points into these
  mu::Parser parser;
  double constant = 0;
  bool varies = false;
};

FieldEvaluator::FieldEvaluator(const ScalarField& field)
    : components_{std::make_unique<Component>(field), std::make_unique<Component>(ScalarField{}),
                  std::make_unique<Component>(ScalarField{})} {}

FieldEvaluator::FieldEvaluator(const VectorField& field)
    : components_{std::make_unique<Component>(field.component[0]),
                  std::make_unique<Component>(field.component[1]),
                  std::make_unique<Component>(field.component[2])} {}

FieldEvaluator::~FieldEvaluator() = default;
FieldEvaluator::FieldEvaluator(FieldEvaluator&&) noexcept = default;
FieldEvaluator& FieldEvaluator::operator=(FieldEvaluator&&) noexcept = default;

double FieldEvaluator::scalar(const Vec3& position, double time) const {
  return components_[0]->at(position, time);
}

Vec3 FieldEvaluator::vector(const Vec3& position, double time) const {
  return {components_[0]->at(position, time), components_[1]->at(position, time),
          components_[2]->at(position, time)};
}

struct TemperatureEvaluator::State {
  explicit State(const std::string& expression) {
    require_valid(expression, "T");
    parser = make_parser(expression, variables, "T");
  }
  Variables variables;  // the parser points into these
  mu::Parser parser;
};

TemperatureEvaluator::TemperatureEvaluator(const std::string& expression)
    : state_(std::make_unique<State>(expression)) {}

TemperatureEvaluator::~TemperatureEvaluator() = default;
TemperatureEvaluator::TemperatureEvaluator(TemperatureEvaluator&&) noexcept = default;
TemperatureEvaluator& TemperatureEvaluator::operator=(TemperatureEvaluator&&) noexcept = default;

double TemperatureEvaluator::at(double temperature) const {
  state_->variables.T = temperature;
  return state_->parser.Eval();
}

}  // namespace firn
