// The gather by rows of nodes, which the CPU uses, against the one node by node, which CUDA uses:
// the same sums in another order.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/transfer/gather.h"

namespace firn::test {
namespace {

template <int Degree, class Real>
void compare() {
  constexpr int kSide = 4 + Degree, kNodes = kSide * kSide * kSide;
  std::mt19937 random(7);
  std::uniform_real_distribution<Real> values(-1, 1), offsets(0, 1);
  Node<Real> tile[kNodes + 4];
  Real component[4][kNodes];
  for (int t = 0; t < kNodes; ++t)
    for (int c = 0; c < 4; ++c) {
      component[c][t] = values(random);
      tile[t].set(c, component[c][t]);
    }
  for (int t = kNodes; t < kNodes + 4; ++t) tile[t] = Node<Real>::zero();
  for (int trial = 0; trial < 20; ++trial) {
    Vec<Real, 3> x;
    for (int a = 0; a < 3; ++a) x[a] = 1 + offsets(random);
    const auto s = make_stencil<3, Degree>(x, Real(1));
    const int at = (trial % 4 * kSide + trial / 4 % 4) * kSide + trial % 3;
    Node<Real> rows[4];
    gather_affine<kSide>(s, &AxisStencil<Degree, Real>::linear, tile + at, rows);
    for (int c = 0; c < 4; ++c) {
      Real nodes[4];
      gather_affine<kSide>(s, &AxisStencil<Degree, Real>::linear, component[c] + at, nodes);
      // Each of the sums has at most 64 terms whose weights add up to less than 8.
      for (int m = 0; m < 4; ++m) EXPECT_NEAR(rows[m][c], nodes[m], 8 * 8 * kEpsilon<Real>);
    }
  }
}

TEST(GatherRows, AgreesWithTheGatherOfSingleNodes) {
  compare<1, float>();
  compare<2, float>();
  compare<3, float>();
  compare<1, double>();
  compare<2, double>();
  compare<3, double>();
}

}  // namespace
}  // namespace firn::test
