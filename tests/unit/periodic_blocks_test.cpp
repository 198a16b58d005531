// Particles on a ring of blocks: wherever they are, they come home into it, however x rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/fields/blocks.h"

namespace firn {
namespace {

template <class Real>
class PeriodicHomes : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PeriodicHomes, Reals);

// Every number around both ends of rings of several spacings, and of others rounds of them.
TYPED_TEST(PeriodicHomes, LieInTheRing) {
  using Real = TypeParam;
  constexpr int D = 3, kSide = BlockTraits<D>::kSide;
  int wrapped = 0, left_outside = 0;  // by one subtraction
  for (const double spacing : {0.05, 0.1, 1.0 / 3, 0.013})
    for (const Real shift : {Real(0.5), Real(0), Real(1)})
      for (const int first : {0, -2, 5})
        for (const int rounds : {-1000, -3, -1, 0, 1, 2, 1000}) {
          PeriodicBlocks ring;
          ring.first[0] = first, ring.count[0] = 8;
          const Real dx = static_cast<Real>(spacing), inv_dx = static_cast<Real>(1 / spacing);
          const auto block_of = [&](Real at) {
            return axis_base(at, inv_dx, shift).node >> BlockTraits<D>::kShift;
          };
          const double seam =
              ((first + 8.0 * rounds) * kSide + static_cast<double>(shift)) * spacing;
          Real x = static_cast<Real>(seam);
          for (int i = 0; i < 100; ++i) x = std::nextafter(x, -std::numeric_limits<Real>::max());
          for (int i = 0; i < 200; ++i, x = std::nextafter(x, std::numeric_limits<Real>::max())) {
            Real home = x;
            const int block = come_home<D>(ring, 0, dx, inv_dx, shift, home);
            ASSERT_EQ(ring.turns(0, block), 0) << "x = " << x << ", dx = " << spacing;
            ASSERT_EQ(block_of(home), block);
            const double turned =
                (static_cast<double>(x) - static_cast<double>(home)) / (8 * kSide * spacing);
            const double rounding = 4 * static_cast<double>(kEpsilon<Real>) *
                                    (std::abs(static_cast<double>(x)) / spacing + 8 * kSide);
            ASSERT_NEAR(turned, std::round(turned), rounding);
            wrapped += home != x;
            const int turns = ring.turns(0, block_of(x));
            const Real once = x - static_cast<Real>(turns * 8 * kSide) * dx;
            left_outside += ring.turns(0, block_of(once)) != 0;
          }
        }
  EXPECT_GT(wrapped, 1000);
  EXPECT_GT(left_outside, 0);
}

}  // namespace
}  // namespace firn
