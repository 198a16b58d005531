// A recursive descent with the levels of precedence ?: lowest, then ||, &&, comparisons,
// sums, products and signs, powers, which associate to the right.
#include "src/scene/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numbers>
#include <string_view>

#include "firn/error.h"

namespace firn {
namespace {

struct Operator {
  std::string_view sign;
  FieldOp op;
  int level;
};
// Longer signs before those they begin with.
constexpr Operator kOperators[] = {
    {"||", FieldOp::kOr, 1},           {"&&", FieldOp::kAnd, 2},     {"<=", FieldOp::kLessEqual, 3},
    {">=", FieldOp::kGreaterEqual, 3}, {"==", FieldOp::kEqual, 3},   {"!=", FieldOp::kUnequal, 3},
    {"<", FieldOp::kLess, 3},          {">", FieldOp::kGreater, 3},  {"+", FieldOp::kAdd, 4},
    {"-", FieldOp::kSubtract, 4},      {"*", FieldOp::kMultiply, 5}, {"/", FieldOp::kDivide, 5}};
constexpr int kLowestLevel = 1;

struct Function {
  std::string_view name;
  FieldOp op;
  bool folds = false;  // over any number of values, two at a time
};
constexpr Function kFunctions[] = {
    {"sin", FieldOp::kSin},       {"cos", FieldOp::kCos},       {"tan", FieldOp::kTan},
    {"asin", FieldOp::kAsin},     {"acos", FieldOp::kAcos},     {"atan", FieldOp::kAtan},
    {"sinh", FieldOp::kSinh},     {"cosh", FieldOp::kCosh},     {"tanh", FieldOp::kTanh},
    {"asinh", FieldOp::kAsinh},   {"acosh", FieldOp::kAcosh},   {"atanh", FieldOp::kAtanh},
    {"exp", FieldOp::kExp},       {"log", FieldOp::kLog},       {"ln", FieldOp::kLog},
    {"log2", FieldOp::kLog2},     {"log10", FieldOp::kLog10},   {"sqrt", FieldOp::kSqrt},
    {"abs", FieldOp::kAbs},       {"sign", FieldOp::kSign},     {"rint", FieldOp::kRint},
    {"atan2", FieldOp::kAtan2},   {"min", FieldOp::kMin, true}, {"max", FieldOp::kMax, true},
    {"sum", FieldOp::kAdd, true}, {"avg", FieldOp::kAdd, true}};

struct Malformed {
  std::string why;
};

// Throws Malformed.
class Compiler {
 public:
  // Programs of more than `deepest` values at once are refused.
  Compiler(std::string_view text, std::string_view variables, int deepest)
      : text_(text), variables_(variables), deepest_(deepest) {}

  std::vector<FieldInstruction> run() {
    choice();
    skip_blanks();
    if (at_ == text_.size()) return std::move(code_);
    switch (text_[at_]) {
      case ',':
        throw Malformed{"it has several values separated by commas; a field has one"};
      case '=':
        throw Malformed{"it assigns with '='; to compare use '=='"};
      case '"':
        throw Malformed{"strings have no place in a field"};
      case ')':
        fail("there is a ')' without its '('");
      default:
        fail("an operator is missing");
    }
  }

 private:
  void choice() {
    binary(kLowestLevel);
    if (!accept("?")) return;
    choice();
    if (!accept(":")) fail("':' is missing after '?'");
    choice();
    emit(FieldOp::kChoose);
  }

  void binary(int level) {
    sign();
    while (const Operator* found = next_operator(level)) {
      at_ += found->sign.size();
      binary(found->level + 1);
      emit(found->op);
    }
  }
  const Operator* next_operator(int level) {
    skip_blanks();
    const auto* found =
        std::find_if(std::begin(kOperators), std::end(kOperators),
                     [&](const Operator& o) { return text_.substr(at_).starts_with(o.sign); });
    return found != std::end(kOperators) && found->level >= level ? found : nullptr;
  }

  // Binds less than a power does: -x^2 is -(x^2).
  void sign() {
    if (accept("-")) {
      sign();
      emit(FieldOp::kNegate);
    } else if (accept("+")) {
      sign();
    } else {
      power();
    }
  }
  void power() {
    operand();
    if (!accept("^")) return;
    sign();
    emit(FieldOp::kPower);
  }

  void operand() {
    skip_blanks();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (accept("(")) {
      choice();
      close();
    } else if (is_digit(next) || next == '.') {
      number();
    } else if (is_letter(next)) {
      name();
    } else if (next == '"') {
      throw Malformed{"strings have no place in a field"};
    } else {
      fail("a value is missing");
    }
  }
  void number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number is out of range");
    if (error != std::errc{}) fail("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    emit(FieldOp::kNumber, 0, value);
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const std::size_t variable = name.size() == 1 ? variables_.find(name[0]) : variables_.npos;
    if (variable != variables_.npos)
      emit(FieldOp::kVariable, static_cast<std::int32_t>(variable));
    else if (name == "pi" || name == "_pi")
      emit(FieldOp::kNumber, 0, std::numbers::pi);
    else if (name == "_e")
      emit(FieldOp::kNumber, 0, std::numbers::e);
    else
      call(name, begin);
  }

  void call(std::string_view name, std::size_t begin) {
    const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const Function& f) { return f.name == name; });
    if (found == std::end(kFunctions)) {
      at_ = begin;
      fail(fmt::format("'{}' is not known", name));
    }
    if (!accept("(")) fail(fmt::format("'(' is missing after '{}'", name));
    choice();
    int values = 1;
    for (; accept(","); ++values) {
      choice();
      if (found->folds) emit(found->op);
    }
    close();
    const int takes = operands_of(found->op);
    if (!found->folds && values != takes)
      fail(
          fmt::format("'{}' takes {} value{}, not {}", name, takes, takes == 1 ? "" : "s", values));
    if (!found->folds) emit(found->op);
    if (name != "avg") return;
    emit(FieldOp::kNumber, 0, values);
    emit(FieldOp::kDivide);
  }
  void close() {
    if (!accept(")")) fail("')' is missing");
  }

  bool accept(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  void emit(FieldOp op, std::int32_t index = 0, double number = 0) {
    code_.push_back({op, index, number});
    depth_ += 1 - operands_of(op);
    if (depth_ > deepest_)
      throw Malformed{"it is nested too deeply for a kernel; give it fewer brackets"};
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Malformed{fmt::format("{} at its character {}", why, std::min(at_, text_.size()) + 1)};
  }

  std::string_view text_, variables_;
  int deepest_;
  std::size_t at_ = 0;
  int depth_ = 0;  // values on the stack
  std::vector<FieldInstruction> code_;
};

constexpr std::size_t kLongest = 2000;
constexpr int kHostDepth = 1024;  // more than fits in that length

std::vector<FieldInstruction> compile(const std::string& expression, std::string_view variables,
                                      int deepest) {
  if (expression.size() > kLongest)
    throw Malformed{fmt::format("it is longer than {} characters", kLongest)};
  if (expression.find_first_not_of(" \t") == std::string::npos) throw Malformed{"it is empty"};
  return Compiler(expression, variables, deepest).run();
}

// Or throws Error{kScene}.
std::vector<FieldInstruction> valid(const std::string& expression, std::string_view variables,
                                    int deepest) {
  try {
    return compile(expression, variables, deepest);
  } catch (const Malformed& malformed) {
    throw Error(ErrorCategory::kScene, fmt::format("field \"{}\": {}", expression, malformed.why));
  }
}

double run(const std::vector<FieldInstruction>& code, const FieldPoint& at) {
  return run_field<kHostDepth>({code.data(), static_cast<std::int32_t>(code.size()), true, 0}, at);
}

constexpr std::string_view kPlaceAndTime = "xyzt";

}  // namespace

std::optional<std::string> expression_error(const std::string& expression,
                                            std::string_view variables) {
  try {
    compile(expression, variables, kHostDepth);
  } catch (const Malformed& malformed) {
    std::string names;
    for (const char name : variables) names += fmt::format("{}, ", name);
    return fmt::format("{} (it may use {}pi)", malformed.why, names);
  }
  return std::nullopt;
}

std::vector<std::string_view> expression_functions() {
  std::vector<std::string_view> names;
  for (const Function& function : kFunctions) names.push_back(function.name);
  return names;
}

std::vector<FieldInstruction> compile_field(const ScalarField& field) {
  if (field.expression.empty()) return {};
  return valid(field.expression, kPlaceAndTime, kMaxFieldDepth);
}

double FieldEvaluator::Component::at(const FieldPoint& point) const {
  return code.empty() ? constant : run(code, point);
}

FieldEvaluator::Component FieldEvaluator::component_of(const ScalarField& field) {
  if (field.expression.empty()) return {field.constant};
  return {0, valid(field.expression, kPlaceAndTime, kHostDepth)};
}

FieldEvaluator::FieldEvaluator(const ScalarField& field)
    : components_{component_of(field), Component{}, Component{}} {}

FieldEvaluator::FieldEvaluator(const VectorField& field)
    : components_{component_of(field.component[0]), component_of(field.component[1]),
                  component_of(field.component[2])} {}

double FieldEvaluator::scalar(const Vec3& x, double time) const {
  return components_[0].at({{x[0], x[1], x[2], time}});
}

Vec3 FieldEvaluator::vector(const Vec3& x, double time) const {
  const FieldPoint at{{x[0], x[1], x[2], time}};
  return {components_[0].at(at), components_[1].at(at), components_[2].at(at)};
}

TemperatureEvaluator::TemperatureEvaluator(const std::string& expression)
    : code_(valid(expression, "T", kHostDepth)) {}

double TemperatureEvaluator::at(double temperature) const {
  return run(code_, {{temperature, 0, 0, 0}});
}

}  // namespace firn
