// Fields as expressions: values, independence of evaluators, and refusal of what is no field.
#include "src/scene/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "firn/error.h"

namespace firn {
namespace {

TEST(FieldEvaluator, Constants) {
  const FieldEvaluator scalar(ScalarField{2.5, ""});
  EXPECT_EQ(scalar.scalar({1, 2, 3}, 4), 2.5);
  EXPECT_EQ(scalar.vector({1, 2, 3}, 4), (Vec3{2.5, 0, 0}));
}

TEST(FieldEvaluator, Expressions) {
  VectorField field;
  field.component = {ScalarField{0, "x + 10*y + 100*z + 1000*t"}, ScalarField{0, "sin(pi*x)"},
                     ScalarField{0, "x < 0.25 ? 1 : -y^2"}};
  const FieldEvaluator evaluator(field);
  EXPECT_EQ(evaluator.vector({1, 2, 3}, 4)[0], 4321);  // integers: exact
  const Vec3 value = evaluator.vector({0.5, 3, 0}, 0);
  EXPECT_DOUBLE_EQ(value[1], std::sin(std::numbers::pi * 0.5));
  EXPECT_EQ(value[2], -9);
  EXPECT_EQ(evaluator.vector({0.125, 3, 0}, 0)[2], 1);
}

TEST(FieldEvaluator, SurvivesMovesAndTheFieldItCameFrom) {
  FieldEvaluator moved = [] {
    const ScalarField field{0, "x*t"};
    return FieldEvaluator(field);
  }();
  FieldEvaluator again(std::move(moved));
  EXPECT_EQ(again.scalar({3, 0, 0}, 5), 15);
}

TEST(FieldEvaluator, RefusesWhatIsNoField) {
  for (const char* text :
       {"x +", "foo(x)", "w", "x = 1", "x += 1", "x, y", "\"s\"", "1 2", ")", "sin()"}) {
    EXPECT_TRUE(expression_error(text).has_value()) << text;
    EXPECT_THROW(FieldEvaluator(ScalarField{0, text}), Error) << text;
  }
  EXPECT_TRUE(expression_error(std::string(3000, ' ') + "x").has_value());
  EXPECT_TRUE(expression_error(" ").has_value());
  for (const char* text : {"x == 1", "x <= y", "x >= y && z != t", "1e-3", "-x", "pi"}) {
    EXPECT_FALSE(expression_error(text).has_value()) << text << ": " << *expression_error(text);
  }
}

}  // namespace
}  // namespace firn
