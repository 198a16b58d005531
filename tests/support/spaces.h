// Dimension and precision as a type, for tests that run in all four combinations.
#pragma once

#include <gtest/gtest.h>

namespace firn::test {

template <int Dim, class Scalar>
struct Space {
  static constexpr int D = Dim;
  using Real = Scalar;
};
using Spaces = testing::Types<Space<2, float>, Space<2, double>, Space<3, float>, Space<3, double>>;

}  // namespace firn::test
