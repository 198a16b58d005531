// What kernels and the host evaluate of an expression against muParser, whose syntax scenes are
// written in.
#include <gtest/gtest.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "firn/error.h"
#include "src/scene/expression.h"

namespace firn {
namespace {

double compiled(const std::string& expression, const Vec3& x, double t) {
  const auto code = compile_field({0, expression});
  const FieldProgram program{code.data(), static_cast<std::int32_t>(code.size()), true, 0};
  return field_at(program, {{x[0], x[1], x[2], t}});
}

double of_muparser(const std::string& expression, Vec3 x, double t) {
  mu::Parser parser;
  for (int a = 0; a < 3; ++a)
    parser.DefineVar(std::string(1, "xyz"[a]), &x[static_cast<std::size_t>(a)]);
  parser.DefineVar("t", &t);
  parser.DefineConst("pi", std::numbers::pi);
  parser.SetExpr(expression);
  return parser.Eval();
}

// Both call the same functions of the C library in the same order, but muParser writes small
// integer powers as products: some roundings of a few operands.
void expect_like_muparser(const std::string& expression, const Vec3& x, double t) {
  SCOPED_TRACE(expression);
  const double expected = of_muparser(expression, x, t);
  const double found = compiled(expression, x, t);
  const double on_host = FieldEvaluator(ScalarField{0, expression}).scalar(x, t);
  EXPECT_TRUE(on_host == found || (std::isnan(on_host) && std::isnan(found)));
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << found;
    return;
  }
  if (std::isinf(expected)) {
    EXPECT_EQ(found, expected);
    return;
  }
  EXPECT_NEAR(found, expected, 32 * std::numeric_limits<double>::epsilon() * std::abs(expected));
}

TEST(FieldProgram, PrecedenceIsThatOfMuParser) {
  for (const char* expression : {"1 + 2 * 3",
                                 "-2^2",
                                 "2^-1",
                                 "2^-1*3",
                                 "2^-1^2",
                                 "2^3^2",
                                 "-2*3",
                                 "-x/y",
                                 "8/4/2",
                                 "8-4-2",
                                 "-(x+y)^2",
                                 "x < y",
                                 "x < y + 1 && y < z",
                                 "1 || 0 && 0",
                                 "x == x != 0",
                                 "1 < 2 == 1",
                                 "2 < 3 < 1",
                                 "x > 0 ? y : z",
                                 "x < 0 ? y : y < 0 ? z : t",
                                 "x > 0 ? y > 0 ? 1 : 2 : 3",
                                 "0 ? sqrt(-1) : 2",
                                 "1 - -x",
                                 "+x",
                                 "\t( x )*2 ",
                                 ".5+1.",
                                 "1e-3*x+2E2",
                                 "_e + pi",
                                 "3 - 2 <= 1",
                                 "3 >= 4 || 2 > 1",
                                 "x*y^2*z",
                                 "2 * -x^2"})
    expect_like_muparser(expression, {0.3, 1.7, 2.9}, 0.625);
}

// Each that muParser knows, so that none is left out.
TEST(FieldProgram, FunctionsAreThoseOfMuParser) {
  const mu::Parser parser;
  for (const auto& [name, function] : parser.GetFunDef()) {
    std::string arguments = "(0.4 + x";
    const int count = function.GetArgc();
    for (int i = 1; i < (count < 0 ? 4 : count); ++i) arguments += ", y - " + std::to_string(i);
    for (double x : {0.2, -0.7, 1.9})
      for (double y : {-1.0, 3.5}) expect_like_muparser(name + arguments + ")", {x, y, 0}, 0);
  }
  for (const char* expression : {"min(x)", "max(x)", "sum(x)", "avg(x)", "sign(0)", "rint(-0.5)"})
    expect_like_muparser(expression, {1.5, 0, 0}, 0);
}

std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    constexpr const char* kLeaves[] = {"x", "y", "z", "t", "0.5", "2", "pi"};
    return kLeaves[pick(7)];
  }
  const auto part = [&] { return random_expression(random, depth - 1); };
  constexpr const char *kBinary[] = {"+", "-", "*", "/", "^", "<", ">=", "=="},
                       *kLogic[] = {"&&", "||"};
  switch (pick(6)) {
    case 0:
      return "(" + part() + ")";
    case 1:
      return "max(" + part() + "," + part() + ")";
    case 2:
      return "(" + part() + " ? " + part() + " : " + part() + ")";
    case 3:
      return "sqrt(" + part() + ")";
    case 4:  // of truths: muParser takes the integer part of constants, and of nothing else
      return part() + " < " + part() + kLogic[pick(2)] + part() + " != " + part();
    default:
      return part() + " " + kBinary[pick(8)] + " " + part();
  }
}

TEST(FieldProgram, RandomExpressionsHaveTheValuesOfMuParser) {
  std::mt19937 random(20);
  for (int i = 0; i < 2000; ++i)
    expect_like_muparser(random_expression(random, 1 + i % 4), {0.3, 1.7, 2.9}, 0.625);
}

TEST(FieldProgram, ConstantsHaveNoCode) {
  EXPECT_TRUE(compile_field({7, ""}).empty());
  EXPECT_EQ(field_at({nullptr, 0, true, 7}, {}), 7);
}

TEST(FieldProgram, WhatIsMalformedOrTooDeepIsRefused) {
  std::string deep = "x";
  for (int i = 0; i < kMaxFieldDepth; ++i) deep = "1 + (" + deep + ")";
  EXPECT_THROW(compile_field({0, deep}), Error);
  EXPECT_FALSE(expression_error(deep)) << "the host has room for it";
  EXPECT_EQ(FieldEvaluator(ScalarField{0, deep}).scalar({2, 0, 0}, 0), 2 + kMaxFieldDepth);
  for (const char* expression : {"1 +", "(x", "x y", "f(x)", "x ? 1", "1e999", "max()"})
    EXPECT_THROW(compile_field({0, expression}), Error) << expression;
}

// Right-nested as far as the length of an expression allows: the host's stack holds them all.
TEST(FieldProgram, TheDeepestExpressionsFitOnTheHost) {
  for (const char* link : {"x^", "x?x:", "x+(", "max(1,"}) {
    std::string text;
    const bool opens = std::string_view(link).find('(') != std::string_view::npos;
    while (text.size() + 8 < (opens ? 1400u : 2000u)) text += link;
    const auto brackets = std::count(text.begin(), text.end(), '(');
    text += "x" + std::string(static_cast<std::size_t>(brackets), ')');
    SCOPED_TRACE(text);
    EXPECT_FALSE(expression_error(text));
    EXPECT_TRUE(std::isfinite(FieldEvaluator(ScalarField{0, text}).scalar({1, 0, 0}, 0)));
  }
}

TEST(FieldProgram, ErrorsSayWhatAndWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 +", "a value is missing at its character 4"},
      {"x y", "an operator is missing at its character 3"},
      {"foo(x)", "'foo' is not known at its character 1"},
      {"2*w", "'w' is not known at its character 3"},
      {"sin x", "'(' is missing after 'sin'"},
      {"sin(x, y)", "'sin' takes 1 value, not 2"},
      {"atan2(x)", "'atan2' takes 2 values, not 1"},
      {"x = 1", "it assigns with '='; to compare use '=='"},
      {"x, y", "separated by commas"},
      {"x)", "a ')' without its '('"},
      {"(x", "')' is missing"},
      {"x > 0 ? 1", "':' is missing after '?'"},
      {"1e999", "a number is out of range"},
      {".", "this is no number"},
      {"", "it is empty"}};
  for (const auto& [text, message] : cases) {
    const auto error = expression_error(text);
    ASSERT_TRUE(error) << text;
    EXPECT_NE(error->find(message), std::string::npos) << text << ": " << *error;
    EXPECT_NE(error->find("(it may use x, y, z, t, pi)"), std::string::npos) << *error;
  }
}

}  // namespace
}  // namespace firn
