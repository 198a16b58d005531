// What kernels evaluate of an expression against muParser, whose syntax scenes are written in.
#include <gtest/gtest.h>
#include <muParser.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "firn/error.h"
#include "src/scene/expression.h"
#include "src/scene/field_program.h"

namespace firn {
namespace {

double compiled(const std::string& expression, const Vec3& x, double t) {
  const auto code = compile_field({0, expression});
  const FieldProgram program{code.data(), static_cast<std::int32_t>(code.size()), true, 0};
  return field_at(program, {{x[0], x[1], x[2], t}});
}

// Both call the same functions of the C library in the same order, but muParser writes small
// integer powers as products: some roundings of a few operands.
void expect_like_muparser(const std::string& expression, const Vec3& x, double t) {
  SCOPED_TRACE(expression);
  const double expected = FieldEvaluator(ScalarField{0, expression}).scalar(x, t);
  const double found = compiled(expression, x, t);
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
  for (const char* expression : {"1 +", "(x", "x y", "f(x)", "x ? 1", "1e999", "max()"})
    EXPECT_THROW(compile_field({0, expression}), Error) << expression;
}

}  // namespace
}  // namespace firn
