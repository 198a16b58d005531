// Massless points that a liquid carries: their integrator on fields whose paths are known.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

template <class T>
class Tracers : public testing::Test {};
TYPED_TEST_SUITE(Tracers, Spaces);

template <int D>
constexpr double kDx = D == 2 ? 1.0 / 32 : 1.0 / 16;

// The unit cube full of liquid and tracers.
template <int D, class Real>
Scene full_cube(double dx = kDx<D>) {
  Scene scene = liquid_scene(D, dx, sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble);
  scene.bodies = {lattice("cube", box({0, 0, 0}, {1, 1, 1}))};
  scene.tracers.per_cell = 16;
  return scene;
}

std::vector<Vec3> random_points(int dimension, double low, double high, int n = 300) {
  std::mt19937_64 random(20170711);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<Vec3> points(static_cast<std::size_t>(n));
  for (Vec3& x : points)
    for (int a = 0; a < dimension; ++a) x[static_cast<std::size_t>(a)] = uniform(random);
  return points;
}

template <int D>
using Matrix = Eigen::Matrix<double, D, D>;
template <int D>
using Point = Eigen::Matrix<double, D, 1>;

// About the centre of the cube, by an angle.
template <int D>
Matrix<D> rotation(double angle) {
  if constexpr (D == 2)
    return Eigen::Rotation2Dd(angle).toRotationMatrix();
  else
    return Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 2, 2) / 3).toRotationMatrix();
}
// d x / dt at 1 rad/s: rotations by +-90 degrees differ by twice the skew part.
template <int D>
Matrix<D> spin() {
  const double quarter = 0.5 * std::numbers::pi;
  return 0.5 * (rotation<D>(quarter) - rotation<D>(-quarter));
}

template <int D>
Point<D> from_centre(const Vec3& x) {
  Point<D> p;
  for (int a = 0; a < D; ++a) p[a] = x[static_cast<std::size_t>(a)] - 0.5;
  return p;
}

template <int D, class Real>
void set_spin(FluidHarness<D, Real>& h) {
  h.complete();
  h.set_velocities([](int axis, const Vec3& x) { return (spin<D>() * from_centre<D>(x))[axis]; });
}

// Faces interpolate a linear field exactly, so that each step is the method's own polynomial of
// dt times the field: 1 + z + z^2 / 2 + z^3 / 6.
TYPED_TEST(Tracers, TakeStepsOfTheMethod) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  FluidHarness<D, Real> h(full_cube<D, Real>());
  h.prepare(1e-3);
  set_spin(h);
  const std::vector<Vec3> start = random_points(D, 0.3, 0.7);
  for (int steps : {1, 7}) {
    const double dt = 0.3;
    const std::vector<Vec3> end = h.carried(start, dt, steps);
    const Matrix<D> z = dt * spin<D>();
    const Matrix<D> step = Matrix<D>::Identity() + z + z * z / 2 + z * z * z / 6;
    // The start, and in each step a sum of positions below 1 and of three velocities below dt,
    // each a sum of 2^d products.
    const double tolerance =
        (2 + steps * (1 + 3 * dt * (1 << D))) * std::numeric_limits<Real>::epsilon();
    for (std::size_t i = 0; i < start.size(); ++i) {
      Point<D> expected = from_centre<D>(start[i]);
      for (int s = 0; s < steps; ++s) expected = step * expected;
      ASSERT_LE((from_centre<D>(end[i]) - expected).norm(), tolerance) << i;
    }
  }
}

template <int D>
void expect_third_order() {
  FluidHarness<D, double> h(full_cube<D, double>());
  h.prepare(1e-3);
  set_spin(h);
  const std::vector<Vec3> start = random_points(D, 0.3, 0.7);
  std::vector<double> step, error;
  for (int steps : {4, 8, 16, 32}) {
    step.push_back(1.0 / steps);
    error.push_back(0);
    const std::vector<Vec3> end = h.carried(start, step.back(), steps);
    for (std::size_t i = 0; i < start.size(); ++i)
      error.back() =
          std::max(error.back(),
                   (from_centre<D>(end[i]) - rotation<D>(1) * from_centre<D>(start[i])).norm());
  }
  const double order = fitted_slope(step, error);
  std::printf("%dD: errors %.3g ... %.3g, order %.3f\n", D, error.front(), error.back(), order);
  // The next term of the error is less than dt / 5 of the first.
  EXPECT_NEAR(order, 3, 0.05);
}
TEST(TracersInARotation, AreOfThirdOrderInTime) {
  expect_third_order<2>();
  expect_third_order<3>();
}

double vortex(int axis, double x, double y) {
  constexpr double k = 2 * std::numbers::pi;
  return axis == 0 ? std::sin(k * x) * std::cos(k * y) : -std::cos(k * x) * std::sin(k * y);
}
Vec3 carried_by_vortices(Vec3 x, double time) {
  constexpr int kSteps = 200;
  const double h = time / kSteps;
  const auto velocity = [](double px, double py) {
    return std::array{vortex(0, px, py), vortex(1, px, py)};
  };
  for (int s = 0; s < kSteps; ++s) {  // the classical fourth-order method
    const auto a = velocity(x[0], x[1]), b = velocity(x[0] + h / 2 * a[0], x[1] + h / 2 * a[1]),
               c = velocity(x[0] + h / 2 * b[0], x[1] + h / 2 * b[1]),
               d = velocity(x[0] + h * c[0], x[1] + h * c[1]);
    for (std::size_t i = 0; i < 2; ++i) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return x;
}

TEST(TracersInVortices, AreOfSecondOrderInSpace) {
  const std::vector<Vec3> start = random_points(2, 0.02, 0.98, 2000);
  std::vector<double> dx, error;
  for (int cells : {16, 32, 64}) {
    dx.push_back(1.0 / cells);
    FluidHarness<2, double> h(full_cube<2, double>(dx.back()));
    h.prepare(1e-3);
    h.complete();
    h.set_velocities([](int axis, const Vec3& x) { return vortex(axis, x[0], x[1]); });
    const std::vector<Vec3> end = h.carried(start, 0.5 / 64, 64);
    double sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
      sum += distance(end[i], carried_by_vortices(start[i], 0.5));
    error.push_back(sum / static_cast<double>(start.size()));
  }
  const double order = fitted_slope(dx, error);
  std::printf("mean errors %.3g %.3g %.3g, order %.2f\n", error[0], error[1], error[2], order);
  EXPECT_NEAR(order, 2, 0.2);
}

// Where some of the faces around a tracer have no velocity the others speak for them, also beyond
// layers of which each changes the mask that says which have. A wider kernel has more of them, and
// so has a scene with a body.
TYPED_TEST(Tracers, ReadOnlyFacesThatHaveAVelocity) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const Vec3 velocity{0.3, -0.2, 0.1};
  const double dx = kDx<D>, dt = 0.01 * dx;
  // A position is rounded in each of three stages and at the end.
  const double tolerance = 4 * std::numeric_limits<Real>::epsilon();
  const auto expect_layers = [&](const Scene& scene) {
    FluidHarness<D, Real> h(scene);
    const int layers = h.layers();
    if (layers > 4) return -1;  // beyond the grid
    h.prepare(1e-3);
    h.set_velocities(
        [&](int axis, const Vec3&) { return velocity[static_cast<std::size_t>(axis)]; });
    h.project();
    h.complete();
    const auto displacement = [&](double beyond) {
      std::vector<Vec3> x{{-beyond * dx, 0.43, D == 3 ? 0.47 : 0}};
      const Vec3 start = x[0];
      x = h.carried(x, dt, 1);
      return Vec3{x[0][0] - start[0], x[0][1] - start[1], x[0][2] - start[2]};
    };
    const Vec3 near = displacement(layers + 0.45), far = displacement(layers + 2);
    for (std::size_t a = 0; a < D; ++a) {
      EXPECT_NEAR(near[a], dt * velocity[a], tolerance) << layers << " layers, axis " << a;
      EXPECT_NEAR(far[a], 0, tolerance) << layers << " layers, axis " << a;
    }
    return layers;
  };
  bool odd = false, even = false;
  for (const int kernel : {1, 2, 3})
    for (const bool with_body : {false, true}) {
      Scene scene = full_cube<D, Real>();
      scene.transfer.kernel = kernel;
      if (with_body)
        scene.colliders = {collider("ball", sphere({9, 9, 0}, 0.1), BoundaryType::kSlip)};
      const int layers = expect_layers(scene);
      odd |= layers > 0 && layers % 2 == 1, even |= layers > 0 && layers % 2 == 0;
    }
  EXPECT_TRUE(odd && even);
}

TYPED_TEST(Tracers, StayInTheDomain) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Scene scene = full_cube<D, Real>();
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  FluidHarness<D, Real> h(scene);
  h.prepare(1e-3);
  h.complete();
  h.set_velocities(
      [](int axis, const Vec3& x) { return 4 * (x[static_cast<std::size_t>(axis)] - 0.5); });
  const std::vector<Vec3> start = random_points(D, 0, 1);
  const std::vector<Vec3> end = h.carried(start, 0.1, 10);
  // What starts further than exp(-4) / 2 from the middle arrives; the method falls short of the
  // exponential by a tenth of a percent in each step.
  for (std::size_t i = 0; i < start.size(); ++i)
    for (std::size_t a = 0; a < D; ++a) {
      EXPECT_GE(end[i][a], 0);
      EXPECT_LE(end[i][a], 1);
      if (std::fabs(start[i][a] - 0.5) > 0.01) {
        EXPECT_EQ(end[i][a], start[i][a] < 0.5 ? 0 : 1);
      }
    }
}

TYPED_TEST(Tracers, DoNotMoveInAStepThatIsStopped) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  FluidHarness<D, Real> h(full_cube<D, Real>());
  h.prepare(1e-3);
  set_spin(h);
  std::vector<Vec3> start = random_points(D, 0.3, 0.7);
  start = h.carried(start, 0.1, 1);  // from here on they are of this precision
  h.set_stop(kStopUnsolved);
  EXPECT_EQ(h.carried(start, 0.1, 1), start);
  h.set_stop(0);
  EXPECT_NE(h.carried(start, 0.1, 1), start);
}

}  // namespace
}  // namespace firn::test
