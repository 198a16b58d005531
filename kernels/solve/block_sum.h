// Sums over the 64 cells of a block in a fixed order, in double, and the largest of 64 magnitudes.
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/math/scalar.h"

namespace firn {

struct BlockSums {
  double term[64];
};

// *out = sum of a b over a block's cells. Enter without a barrier, where each thread has written
// the cells with its number itself.
template <class Group, class Real>
FIRN_HD inline void store_block_product(Group& g, BlockSums& sums, const Real* a, const Real* b,
                                        double* out) {
  double* t = sums.term;
  g.template for_each_line<64>(1, [&](std::uint32_t, std::uint32_t i) {
    t[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
  });
  g.sync();
  g.template for_each_line<16>(1, [&](std::uint32_t, std::uint32_t i) {
    t[i] = (t[i] + t[i + 16]) + (t[i + 32] + t[i + 48]);
  });
  g.sync();
  g.once([&] {
    double sum = 0;
    for (int i = 0; i < 16; ++i) sum += t[i];
    *out = sum;
  });
}

// |v|, and infinity for what is not a number: a maximum would pass over it. Value is a Real or a
// strip of them.
template <class Real, class Value>
FIRN_HD inline Value magnitude(Value v) {
  const Value m = v < Value{} ? -v : v, largest = Value{} + kLargest<Real>;
  return m <= largest ? m : Value{} + std::numeric_limits<Real>::infinity();
}

template <class Real>
struct BlockMaxima {
  Real term[64];
};
template <class Real, class Group>
FIRN_HD inline void store_block_maximum(Group& g, BlockMaxima<Real>& maxima, double* out) {
  g.sync();
  Real* t = maxima.term;
  const auto larger = [](Real a, Real b) { return a > b ? a : b; };
  g.template for_each_line<16>(1, [&](std::uint32_t, std::uint32_t i) {
    t[i] = larger(larger(t[i], t[i + 16]), larger(t[i + 32], t[i + 48]));
  });
  g.sync();
  g.once([&] {
    Real m = 0;
    for (int i = 0; i < 16; ++i) m = larger(m, t[i]);
    *out = static_cast<double>(m);
  });
}

}  // namespace firn
