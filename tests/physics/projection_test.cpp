// The projection on the MAC grid, as operators: what it leaves of the divergence, recomputed from
// faces and open areas, and its order of convergence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

template <class T>
class Projection : public testing::Test {};
TYPED_TEST_SUITE(Projection, Spaces);

// What the solver promises, and in single precision at least what rounding leaves of N cells'
// pressures that differ by little: 4 N epsilon of the divergence at the start.
template <class Real>
double allowed(const SolveReport& report, double before, double cells) {
  const double rounding = 4 * cells * static_cast<double>(std::numeric_limits<Real>::epsilon());
  return std::max(report.tolerance, rounding * before);
}

// Stirred liquid below a free surface in a box, around a sphere that cuts the cells.
template <int D, class Real>
Scene stirred_scene() {
  Scene scene = liquid_scene(D, D == 2 ? 1.0 / 64 : 1.0 / 24,
                             sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  const double z = D == 3 ? 0.5 : 0;
  const Shape ball = sphere({0.55, 0.35, 0.9 * z}, 0.19);
  Shape pool;
  pool.type = ShapeType::kDifference;
  pool.children = {box({0, 0, 0}, {1, 0.6, 1}), ball};
  scene.bodies = {body("pool", 0, pool), body("drop", 0, sphere({0.3, 0.8, z}, 0.13))};
  scene.colliders = {collider("ball", ball, BoundaryType::kSlip)};
  const char* const velocity[] = {"sin(7*y)+x", "cos(5*x)-2*y*z", "x-y"};
  for (Body& b : scene.bodies)
    for (std::size_t a = 0; a < D; ++a) b.velocity.component[a].expression = velocity[a];
  return scene;
}

template <int D, class Real>
void expect_free_of_divergence(const Scene& scene) {
  FluidHarness<D, Real> h(scene);
  h.prepare(1e-3);
  const double before = h.largest_divergence();
  const SolveReport report = h.project();
  ASSERT_TRUE(report.converged);
  const double after = h.largest_divergence(),
               most = allowed<Real>(report, before, 0.6 / scene.grid.dx);
  EXPECT_GT(before, 1e3 * most);  // there was something to do
  EXPECT_LE(after, most);
  std::printf("%zu cells, divergence %.3g -> %.3g, allowed %.3g, %u iterations\n", h.fluid_cells(),
              before, after, most, report.iterations);
}

TYPED_TEST(Projection, LeavesNoDivergence) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  expect_free_of_divergence<D, Real>(stirred_scene<D, Real>());
}

TYPED_TEST(Projection, LeavesNoDivergenceAroundAMovingBody) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Scene scene = stirred_scene<D, Real>();
  Keyframes motion{{0, 1}, {{0, 0, 0}, {3, -2, 1}}, {{0, 0, 0}, {0, 0, 2}}, {}};
  motion.pivot = {0.5, 0.5, 0.5};
  scene.colliders[0].motion = motion;
  expect_free_of_divergence<D, Real>(scene);
}

// A cell amid liquid that has lost its particles is liquid all the same; a bubble of four is air.
TYPED_TEST(Projection, FloodsACellAmidLiquid) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  constexpr double dx = 1.0 / 8, at = 3 * dx;
  for (const int side : {1, 2}) {
    Scene scene = liquid_scene(D, dx, sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble);
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
    Shape pool;
    pool.type = ShapeType::kDifference;
    pool.children = {box({0, 0, 0}, {1, 1, 1}),
                     box({at, at, at}, {at + side * dx, at + side * dx, at + dx})};
    if (D == 2) pool.children[1].min[2] = 0;
    scene.bodies = {lattice("pool", pool)};
    FluidHarness<D, Real> h(scene);
    h.prepare(1e-3);
    EXPECT_EQ(h.fluid_cells(), static_cast<std::size_t>(int_power(8, D)) - (side == 1 ? 0 : 4));
  }
}

// Where single precision rounds positions to more than a thousandth of a cell, too.
TEST(ProjectionWalls, OnLinesOfTheGridAreClosedFarFromTheOrigin) {
  constexpr double dx = 0.025;
  for (const int cells : {0, 10242, 15002, 20010, 31337}) {
    Scene scene = liquid_scene(2, dx, Precision::kSingle);
    const double at = cells * dx;
    scene.grid.domain = closed_box({at, at, 0}, {at + 16 * dx, at + 16 * dx, 0});
    scene.bodies = {lattice("pool", box({at, at, 0}, {at + 16 * dx, at + 16 * dx, 0}))};
    FluidHarness<2, float> h(scene);
    h.prepare(1e-3);
    EXPECT_EQ(h.fluid_cells(), 256U) << cells;
    int on_walls = 0;
    h.for_each_face([&](const FluidFace& face) {
      const double x = (face.x[static_cast<std::size_t>(face.axis)] - at) / dx;
      const bool on_wall = std::abs(x) < 0.25 || std::abs(x - 16) < 0.25;
      on_walls += on_wall ? 1 : 0;
      EXPECT_EQ(face.open, on_wall ? 0 : 1) << cells << ", " << x;
    });
    EXPECT_EQ(on_walls, 64) << cells;
  }
}

// A floor that rises lifts all liquid on it as a plug, also along the edges of the box.
TYPED_TEST(Projection, APistonDrivesAPlugFlow) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const double dx = D == 2 ? 1.0 / 32 : 1.0 / 16;
  Scene scene = liquid_scene(D, dx, sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble);
  scene.simulation.gravity = {};
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.bodies = {lattice("pool", box({0, 0.25, 0}, {1, 0.75, 1}))};
  scene.colliders = {collider("piston", box({-1, -1, -1}, {2, 0.25, 2}), BoundaryType::kSlip)};
  scene.colliders[0].motion = Keyframes{{0, 1}, {{0, 0, 0}, {0, 0.5, 0}}, {}, {}};
  FluidHarness<D, Real> h(scene);
  h.prepare(1e-3);
  const double before = h.largest_divergence();
  const SolveReport report = h.project();
  ASSERT_TRUE(report.converged);
  // Divergences add up along the 1 m between the walls.
  const double bound = D * allowed<Real>(report, before, 0.5 / dx);
  double worst = 0;
  h.for_each_face([&](const FluidFace& face) {
    if (face.open > 0)
      worst = std::max(worst, std::fabs(face.velocity - (face.axis == 1 ? 0.5 : 0)));
  });
  EXPECT_LE(worst, bound);
  std::printf("largest error %.3g m/s of %.3g\n", worst, bound);
}

// u = curl-free-of-divergence part + grad phi in a closed full box; the projection must give the
// former back. phi is no eigenfunction of the discrete operators, which would give it back exactly.
TEST(ProjectionOrder, TaylorGreenPlusAGradient) {
  constexpr double kPi = std::numbers::pi;
  const auto vortex = [](int axis, const Vec3& x) {
    return axis == 0 ? std::sin(kPi * x[0]) * std::cos(kPi * x[1])
                     : -std::cos(kPi * x[0]) * std::sin(kPi * x[1]);
  };
  // Of x^2 (3 - 2x) y^2 (3 - 2y), whose normal derivative vanishes on the walls.
  const auto gradient = [](int axis, const Vec3& x) {
    const double a = x[static_cast<std::size_t>(axis)], b = x[static_cast<std::size_t>(1 - axis)];
    return 6 * a * (1 - a) * b * b * (3 - 2 * b);
  };
  std::vector<double> widths, errors;
  for (int n : {8, 16, 32, 64}) {
    Scene scene = liquid_scene(2, 1.0 / n);
    scene.simulation.gravity = {};
    scene.fluid.tolerance = 1e-10;
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
    scene.bodies = {lattice("liquid", box({0, 0, 0}, {1, 1, 0}))};
    FluidHarness<2, double> h(scene);
    h.prepare(1e-3);
    ASSERT_EQ(h.fluid_cells(), static_cast<std::size_t>(n * n));
    h.set_velocities([&](int axis, const Vec3& x) { return vortex(axis, x) + gradient(axis, x); });
    const SolveReport report = h.project();
    ASSERT_TRUE(report.converged);
    EXPECT_EQ(report.singular_components, 1u);
    double sum = 0, count = 0;
    h.for_each_face([&](const FluidFace& face) {
      if (face.open == 0) return;
      const double e = face.velocity - vortex(face.axis, face.x);
      sum += e * e;
      ++count;
    });
    widths.push_back(1.0 / n);
    errors.push_back(std::sqrt(sum / count));
    std::printf("n = %d: error %.4g\n", n, errors.back());
  }
  const double slope = fitted_slope(widths, errors);
  std::printf("order %.3f\n", slope);
  EXPECT_GE(slope, 1.9);
}

}  // namespace
}  // namespace firn::test
