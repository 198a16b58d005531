// A recursive descent with muParser's levels of precedence: ?: lowest, then ||, &&, comparisons,
// sums, products and signs, powers, which associate to the right.
#include "src/scene/field_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numbers>
#include <string_view>

#include "firn/error.h"
#include "src/scene/expression.h"

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
};
constexpr Function kFunctions[] = {
    {"sin", FieldOp::kSin},     {"cos", FieldOp::kCos},     {"tan", FieldOp::kTan},
    {"asin", FieldOp::kAsin},   {"acos", FieldOp::kAcos},   {"atan", FieldOp::kAtan},
    {"sinh", FieldOp::kSinh},   {"cosh", FieldOp::kCosh},   {"tanh", FieldOp::kTanh},
    {"asinh", FieldOp::kAsinh}, {"acosh", FieldOp::kAcosh}, {"atanh", FieldOp::kAtanh},
    {"exp", FieldOp::kExp},     {"log", FieldOp::kLog},     {"ln", FieldOp::kLog},
    {"log2", FieldOp::kLog2},   {"log10", FieldOp::kLog10}, {"sqrt", FieldOp::kSqrt},
    {"abs", FieldOp::kAbs},     {"sign", FieldOp::kSign},   {"rint", FieldOp::kRint},
    {"atan2", FieldOp::kAtan2}, {"min", FieldOp::kMin},     {"max", FieldOp::kMax},
    {"sum", FieldOp::kAdd},     {"avg", FieldOp::kAdd}};

class Compiler {
 public:
  explicit Compiler(std::string_view text) : text_(text) {}

  std::vector<FieldInstruction> run() {
    choice();
    if (at_ < text_.size()) fail("something follows its end");
    return std::move(code_);
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
    if (accept("(")) {
      choice();
      close();
    } else if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      number();
    } else {
      name();
    }
  }
  void number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a number is out of range");
    at_ = static_cast<std::size_t>(end - text_.data());
    emit(FieldOp::kNumber, 0, value);
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    constexpr std::string_view kVariables = "xyzt";
    if (name.size() == 1 && kVariables.find(name[0]) != std::string_view::npos)
      emit(FieldOp::kVariable, static_cast<std::int32_t>(kVariables.find(name[0])));
    else if (name == "pi" || name == "_pi")
      emit(FieldOp::kNumber, 0, std::numbers::pi);
    else if (name == "_e")
      emit(FieldOp::kNumber, 0, std::numbers::e);
    else
      call(name);
  }

  void call(std::string_view name) {
    const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const Function& f) { return f.name == name; });
    if (found == std::end(kFunctions) || !accept("("))
      fail(fmt::format("\"{}\" is nothing that a field on the grid may use", name));
    choice();
    int arguments = 1;
    for (; accept(","); ++arguments) {
      choice();
      emit(found->op);
    }
    close();
    if (operands_of(found->op) == 1) emit(found->op);
    if (name != "avg") return;
    emit(FieldOp::kNumber, 0, arguments);
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
    if (depth_ > kMaxFieldDepth) fail("it is nested too deeply; give it fewer brackets");
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCategory::kScene, fmt::format("field \"{}\": {}", text_, why));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;  // values on the stack
  std::vector<FieldInstruction> code_;
};

}  // namespace

std::vector<FieldInstruction> compile_field(const ScalarField& field) {
  if (field.expression.empty()) return {};
  const FieldEvaluator checked(field);  // reports what muParser has against it
  return Compiler(field.expression).run();
}

}  // namespace firn
