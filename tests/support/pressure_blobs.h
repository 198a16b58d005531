// Irregular systems for tests of the pressure solver, their fixture, and what their true residuals
// may be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/pressure_cases.h"

namespace firn::test {

template <class T>
class PressureSolverTest : public testing::Test {};

// A blob with holes, around the origin so that its blocks never join into one: part of its outside
// is air, part wall; conductances are cut-cell like, in [low, 1).
template <int D>
PressureCase<D> blob_case(int radius, double low, double air_above) {
  const auto classify = [=](const Vec<int, D>& c) {
    double r2 = 0;
    for (int a = 0; a < D; ++a) r2 += (c[a] + 0.5) * (c[a] + 0.5);
    const bool hole = cell_noise<D>(c, 1) < 0.1;
    if (r2 < radius * radius && !hole) return CellClass::kActive;
    return c[D - 1] > air_above * radius ? CellClass::kAir : CellClass::kWall;
  };
  auto made = make_case<D>(
      Vec<int, D>::filled(-radius), Vec<int, D>::filled(radius), classify,
      [=](const Vec<int, D>& c, int axis) { return low + (1 - low) * cell_noise<D>(c, 2 + axis); });
  random_rhs(made);
  return made;
}

// What the true residual may be: the tolerance, or what rounding x by epsilon does to it, with the
// solver's own factor of 4 and as much again for the rounding of the coefficients themselves.
template <class Real, int D>
double residual_bound(const PressureCase<D>& c, const std::vector<Real>& x, double tolerance) {
  const std::vector<double> diagonal = c.diagonal();
  double rounding = 0;
  for (std::size_t i = 0; i < c.cells(); ++i)
    rounding = std::max(rounding,
                        diagonal[i] * std::fabs(static_cast<double>(x[i])) + std::fabs(c.rhs[i]));
  return tolerance + 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * rounding;
}

}  // namespace firn::test
