// Contact with a body: what sticky, slip and separate leave of a velocity, and Coulomb's cone.
#include "kernels/collide/boundary.h"

#include <gtest/gtest.h>

#include <random>

namespace firn {
namespace {

template <int D>
Vec<double, D> random_vector(std::mt19937& engine) {
  std::normal_distribution<double> u;
  Vec<double, D> v;
  for (int i = 0; i < D; ++i) v[i] = u(engine);
  return v;
}

template <class Check>
void for_random_contacts(Check check) {
  std::mt19937 engine(17);
  const auto run = [&]<int D>(std::integral_constant<int, D>) {
    for (int q = 0; q < 500; ++q) {
      const Vec<double, D> v = random_vector<D>(engine), body = random_vector<D>(engine);
      Vec<double, D> n = random_vector<D>(engine);
      n *= 1 / norm(n);
      check(v, body, n);
    }
  };
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 3>());
}

constexpr double kRounding = 1e-14;  // numbers of order one, a few operations

TEST(Boundary, StickyTakesOverTheBodysVelocity) {
  for_random_contacts([](auto v, auto body, auto n) {
    EXPECT_EQ(norm(apply_boundary(BoundaryType::kSticky, 0.3, v, body, n) - body), 0);
  });
}

TEST(Boundary, SlipRemovesTheNormalPartBothWays) {
  for_random_contacts([](auto v, auto body, auto n) {
    const auto after = apply_boundary(BoundaryType::kSlip, 0.3, v, body, n);
    EXPECT_NEAR(dot(after - body, n), 0, kRounding);
    EXPECT_NEAR(norm(after - v), std::abs(dot(v - body, n)), kRounding);
  });
}

TEST(Boundary, SeparateLetsGoAndObeysCoulombsCone) {
  int stuck = 0, sliding = 0, leaving = 0;
  for (double friction : {0.0, 0.4, 2.0})
    for_random_contacts([&](auto v, auto body, auto n) {
      const auto after = apply_boundary(BoundaryType::kSeparate, friction, v, body, n);
      const double approach = -dot(v - body, n);
      if (approach <= 0) {
        EXPECT_EQ(norm(after - v), 0);
        ++leaving;
        return;
      }
      EXPECT_NEAR(dot(after - body, n), 0, kRounding);
      const auto before_t = v - body + approach * n, after_t = after - body;
      const double loss = norm(before_t - after_t);
      EXPECT_LE(loss, friction * approach + kRounding);
      // Friction acts against sliding, in full unless that stops it.
      EXPECT_NEAR(norm(after_t), std::max(norm(before_t) - friction * approach, 0.0), kRounding);
      EXPECT_NEAR(dot(after_t, before_t), norm(after_t) * norm(before_t), 4 * kRounding);
      ++(norm(after_t) == 0 ? stuck : sliding);
    });
  EXPECT_GT(stuck, 100);
  EXPECT_GT(sliding, 100);
  EXPECT_GT(leaving, 100);
}

TEST(Boundary, MovingBodiesCarryTheFrame) {
  for (BoundaryType type : {BoundaryType::kSlip, BoundaryType::kSeparate})
    for_random_contacts([type](auto v, auto body, auto n) {
      const auto zero = body - body;
      const auto moving = apply_boundary(type, 0.5, v, body, n);
      const auto resting = apply_boundary(type, 0.5, v - body, zero, n);
      EXPECT_NEAR(norm(moving - resting - body), 0, kRounding);
    });
}

TEST(Boundary, NoSlidingNeedsNoDirection) {
  const Vec<float, 3> v = {{0, -1, 0}}, rest = {{0, 0, 0}}, up = {{0, 1, 0}};
  EXPECT_EQ(norm(apply_boundary(BoundaryType::kSeparate, 0.5f, v, rest, up)), 0);
}

}  // namespace
}  // namespace firn
