// Points on the surface of a shape: they lie on it, all over it, and on its edges and corners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/scene/surface_points.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

double nearest(const SurfacePoints& of, const Vec3& x) {
  double least = 1e30;
  for (const Vec3& p : of.points)
    least = std::min(least, std::hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]));
  return least;
}

TEST(SurfacePoints, LieOnTheSurfaceAndAllOverIt) {
  for (const int dimension : {2, 3}) {
    const CompiledShape ball = compile_shape(sphere({1, 2, 0}, 0.5), dimension, 0.05);
    const SurfacePoints of = surface_points(ball, 0.05);
    EXPECT_EQ(of.spacing, 0.05);
    for (const Vec3& x : of.points) EXPECT_NEAR(distance(ball, x), 0, 1e-4 * 0.05);
    for (int i = 0; i < 60; ++i) {
      const double turn = 0.1047 * i, rise = dimension == 3 ? std::sin(0.37 * i) : 0,
                   flat = std::sqrt(1 - rise * rise);
      EXPECT_LT(nearest(of, {1 + 0.5 * flat * std::cos(turn), 2 + 0.5 * flat * std::sin(turn),
                             0.5 * rise}),
                0.05);
    }
    // As many as the surface has room for, give or take what the lattice does.
    const double room = dimension == 2 ? 3.1416 / 0.05 : 3.1416 / (0.05 * 0.05);
    EXPECT_GT(static_cast<double>(of.points.size()), 0.7 * room);
    EXPECT_LT(static_cast<double>(of.points.size()), 2.5 * room);
  }
}

TEST(SurfacePoints, HaveEdgesAndCorners) {
  const SurfacePoints of =
      surface_points(compile_shape(box({0.1, 0.2, 0.3}, {0.61, 0.7, 0.8}), 3, 0.05), 0.05);
  for (int corner = 0; corner < 8; ++corner)
    EXPECT_LT(nearest(of, {(corner & 1) != 0 ? 0.61 : 0.1, (corner & 2) != 0 ? 0.7 : 0.2,
                           (corner & 4) != 0 ? 0.8 : 0.3}),
              1e-4);
  EXPECT_LT(nearest(of, {0.1, 0.2, 0.55}), 0.03);
}

// What is large has no more points than a body that is 32 of its spacings long.
TEST(SurfacePoints, AreNoMoreThanContactNeeds) {
  const SurfacePoints of =
      surface_points(compile_shape(box({0, 0, 0}, {10, 10, 10}), 3, 0.01), 0.01);
  EXPECT_NEAR(of.spacing, 10.0 / 32, 1e-12);
  EXPECT_LT(of.points.size(), 10000u);
}

}  // namespace
}  // namespace firn::test
