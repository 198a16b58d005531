// What a step adds to positions.
#pragma once

#include <cstdint>

#include "kernels/math/generic_scalar.h"

namespace firn {

// The sum of a position and what a step adds. Rounded to the nearest float, what is less than half
// of the last digit would never move a particle, and what is more would be off by up to that, to
// the same side in every step. So the sum goes one digit on, to the other side of what it stands
// for, in as large a share of the steps as what rounding has lost is of a digit: in those where
// that share is above the fraction of the step's number times the golden ratio, whose values spread
// evenly (Weyl). At constant velocity particles are within five digits of their way after a million
// steps. Doubles are rounded to the nearest.
template <class Real>
struct PositionSum {
  Real least;  // share of the last digit, between 0 and 1

  FIRN_HD explicit PositionSum(std::uint64_t step)
      : least(static_cast<Real>(2 * (static_cast<std::uint32_t>(step) * kGoldenRatio >> 9) + 1) *
              Real(0x1p-24)) {}

  template <class T>
  FIRN_HD T operator()(const T& x, const T& by) const {
    const T sum = x + by;
    if constexpr (sizeof(Real) > sizeof(float)) {
      return sum;
    } else {
      const T lost = by - (sum - x), digit = last_place(sum);
      const T further = select(lost < T(Real(0)), -digit, digit);
      return sum + select(abs(lost) > T(least) * digit, further, T(Real(0)));
    }
  }

 private:
  static constexpr std::uint32_t kGoldenRatio = 0x9e3779b9;  // its fraction times 2^32
};

}  // namespace firn
