// Massless points that a liquid carries: their integrator on fields whose paths are known, and
// what a run promises of them.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

// --- the operator ---

template <class T>
class Tracers : public testing::Test {};
TYPED_TEST_SUITE(Tracers, Spaces);

template <int D>
constexpr double kDx = D == 2 ? 1.0 / 32 : 1.0 / 16;

// The unit cube full of liquid.
template <int D, class Real>
Scene full_cube(double dx = kDx<D>) {
  Scene scene = liquid_scene(D, dx, sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble);
  scene.bodies = {lattice("cube", box({0, 0, 0}, {1, 1, 1}))};
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
void set_spin(FluidHarness<Cpu, D, Real>& h) {
  h.set_velocities([](int axis, const Vec3& x) { return (spin<D>() * from_centre<D>(x))[axis]; });
}

// Faces interpolate a linear field exactly, so that each step is the method's own polynomial of
// dt times the field: 1 + z + z^2 / 2 + z^3 / 6.
TYPED_TEST(Tracers, TakeStepsOfTheMethod) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  FluidHarness<Cpu, D, Real> h(exec, full_cube<D, Real>());
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
  Cpu exec(1);
  FluidHarness<Cpu, D, double> h(exec, full_cube<D, double>());
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
    Cpu exec(1);
    FluidHarness<Cpu, 2, double> h(exec, full_cube<2, double>(dx.back()));
    h.prepare(1e-3);
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
// layers of which each changes the mask that says which have.
TYPED_TEST(Tracers, ReadOnlyFacesThatHaveAVelocity) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const Vec3 velocity{0.3, -0.2, 0.1};
  const double dx = kDx<D>, dt = 0.01 * dx;
  // A position is rounded in each of three stages and at the end.
  const double tolerance = 4 * std::numeric_limits<Real>::epsilon();
  for (int layers = 0; layers <= 3; ++layers) {
    Cpu exec(1);
    FluidHarness<Cpu, D, Real> h(exec, full_cube<D, Real>());
    h.prepare(1e-3);
    h.set_velocities(
        [&](int axis, const Vec3&) { return velocity[static_cast<std::size_t>(axis)]; });
    h.extrapolate(layers);
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
  }
}

TYPED_TEST(Tracers, StayInTheDomain) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Scene scene = full_cube<D, Real>();
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  Cpu exec(1);
  FluidHarness<Cpu, D, Real> h(exec, scene);
  h.prepare(1e-3);
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
  Cpu exec(1);
  FluidHarness<Cpu, D, Real> h(exec, full_cube<D, Real>());
  h.prepare(1e-3);
  set_spin(h);
  std::vector<Vec3> start = random_points(D, 0.3, 0.7);
  start = h.carried(start, 0.1, 1);  // from here on they are of this precision
  h.set_stop(kStopUnsolved);
  EXPECT_EQ(h.carried(start, 0.1, 1), start);
  h.set_stop(0);
  EXPECT_NE(h.carried(start, 0.1, 1), start);
}

// --- runs ---

Scene with_tracers(Scene scene, double per_cell, std::vector<int> bodies = {}) {
  scene.tracers.per_cell = per_cell;
  scene.tracers.bodies = std::move(bodies);
  return scene;
}

// A column that falls to one side, 8 cells deep.
Scene collapse(int dimension) {
  Scene scene = liquid_scene(dimension, 0.05, Precision::kSingle);
  scene.grid.domain = closed_box({0, 0, 0}, {1.6, 1, 0.4});
  scene.bodies = {body("column", 0, box({0, 0, 0}, {0.4, 0.8, 0.4}))};
  return scene;
}
// A disc that turns in liquid at rest.
Scene turning_disc(int dimension) {
  Scene scene = liquid_scene(dimension, 1.0 / 32, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0.25});
  Shape disc;
  disc.type = ShapeType::kCylinder;
  disc.from = {0.5, 0.5, 0};
  disc.to = {0.5, 0.5, 0.25};
  disc.radius = 0.25;
  if (dimension == 2) disc = sphere({0.5, 0.5, 0}, 0.25);
  Shape rest;
  rest.type = ShapeType::kDifference;
  rest.children = {box({0, 0, 0}, {1, 1, 0.25}), disc};
  scene.bodies = {body("rest", 0, rest), body("disc", 0, disc)};
  scene.bodies[1].angular_velocity = {0, 0, 2};
  return scene;
}

Vec3 position_in(const Snapshot& s, std::size_t i) {
  Vec3 x{};
  const auto d = static_cast<std::size_t>(s.dimension);
  for (std::size_t a = 0; a < d; ++a) x[a] = s.position[i * d + a];
  return x;
}
std::vector<std::size_t> nearest_particles(const Snapshot& tracers, const Snapshot& particles) {
  std::vector<std::size_t> nearest(tracers.size());
  for (std::size_t t = 0; t < tracers.size(); ++t) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < particles.size(); ++p)
      if (const double d = distance(position_in(tracers, t), position_in(particles, p)); d < best)
        best = d, nearest[t] = p;
  }
  return nearest;
}

// Tracers and particles go with the same velocities by different methods.
TEST(TracersOfARun, StayWithTheParticlesTheyStartOn) {
  const Scene scenes[] = {collapse(2), collapse(3), turning_disc(2)};
  for (const Scene& scene : scenes) {
    Simulation simulation = simulate(with_tracers(scene, 1));
    const Snapshot start = simulation.tracers(), particles = simulation.snapshot();
    const std::vector<std::size_t> nearest = nearest_particles(start, particles);
    make_steps(simulation, 50);
    const Snapshot end = simulation.tracers(), carried = simulation.snapshot();
    ASSERT_EQ(end.size(), start.size());
    ASSERT_EQ(carried.id, particles.id);
    double apart = 0, moved = 0;
    for (std::size_t t = 0; t < end.size(); ++t) {
      apart += distance(position_in(end, t), position_in(carried, nearest[t]));
      moved += distance(position_in(end, t), position_in(start, t));
    }
    const double cells = 1 / (scene.grid.dx * static_cast<double>(end.size()));
    std::printf("%zu tracers moved %.2f cells, mean distance %.3f cells\n", end.size(),
                cells * moved, cells * apart);
    EXPECT_LT(cells * apart, 1);
    EXPECT_GT(moved, 3 * apart);  // there was a flow to follow
  }
}

// Once around and on, through the seam, at the velocity that the liquid has everywhere.
TEST(TracersOfARun, ComeBackAtTheOtherEndOfAPeriodicAxis) {
  for (int dimension : {2, 3}) {
    Scene scene = liquid_scene(dimension, 1.0 / 16);
    scene.simulation.gravity = {};
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
    scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
    scene.bodies = {lattice("liquid", box({0, 0, 0}, {1, 1, 1}), {2.25, -1.5, 0})};
    Simulation simulation = simulate(with_tracers(scene, 4));
    const Snapshot start = simulation.tracers();
    run_to(simulation, 0.5);
    const Snapshot end = simulation.tracers();
    const Vec3 path{1.125, -0.75, 0};
    // Snapshots are single; the solves leave 1e-6 of the divergence, and that is rounding.
    const double tolerance = 4 * std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < end.size(); ++i)
      for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) {
        const double from = position_in(start, i)[a], to = position_in(end, i)[a];
        EXPECT_GE(to, 0);
        EXPECT_LE(to, 1);
        EXPECT_NEAR(std::remainder(to - from - path[a], 1), 0, tolerance);
      }
  }
}

TEST(TracersOfARun, ChangeNothingElse) {
  const Scene scene = collapse(2);
  Simulation without = simulate(scene), with = simulate(with_tracers(scene, 8));
  make_steps(without, 30);
  make_steps(with, 30);
  EXPECT_EQ(without.snapshot().position, with.snapshot().position);
  EXPECT_EQ(without.snapshot().velocity, with.snapshot().velocity);
  EXPECT_EQ(without.stats().particles, with.stats().particles);
  EXPECT_EQ(without.tracers().size(), 0U);
}

TEST(TracersOfARun, FillTheBodiesThatAreNamed) {
  const Scene scene = turning_disc(2);
  Simulation all = simulate(with_tracers(scene, 27)), one = simulate(with_tracers(scene, 27, {1}));
  const Snapshot a = all.tracers(), b = one.tracers();
  // 32 x 32 cells, 16 pi of them in the disc's quarter radius squared: pi 0.25^2 / dx^2. The
  // border adds or takes some of the points that lie within their spacing from it.
  const double disc = 27 * std::numbers::pi * 64, border = std::sqrt(27.0) * std::numbers::pi * 16;
  EXPECT_NEAR(static_cast<double>(a.size()), 27 * 1024, std::sqrt(27.0) * 4 * 32);
  EXPECT_NEAR(static_cast<double>(b.size()), disc, border);
  for (std::size_t i = 0; i < b.size(); ++i) {
    ASSERT_EQ(b.body[i], 1);
    ASSERT_EQ(b.id[i], i);
    ASSERT_LE(distance(position_in(b, i), {0.5, 0.5, 0}), 0.25 + 1e-6);
  }
  EXPECT_EQ(a.body.front(), 0);
  EXPECT_EQ(a.body.back(), 1);
  EXPECT_EQ(a.material.size(), a.size());
}

class TracersRestart : public testing::TestWithParam<std::tuple<int, Precision>> {};

TEST_P(TracersRestart, GoesOnBitForBit) {
  const auto [dimension, precision] = GetParam();
  const Scene scene = with_tracers(busy_liquid_scene(dimension, precision), 9, {0, 2});
  Simulation whole = simulate(scene);
  const Snapshot start = whole.tracers();
  ASSERT_GT(start.size(), 100U);
  make_steps(whole, 40);
  EXPECT_NE(whole.tracers().position, start.position);
  Simulation before = simulate(scene);
  make_steps(before, 23);
  const auto saved = before.save_state();
  Simulation after = simulate(scene, 2);
  after.load_state(saved);
  EXPECT_EQ(after.save_state(), saved);
  make_steps(after, 17);
  EXPECT_EQ(after.tracers().position, whole.tracers().position);
  EXPECT_TRUE(after.save_state() == whole.save_state());
}
INSTANTIATE_TEST_SUITE_P(Scenes, TracersRestart,
                         testing::Values(std::tuple(2, Precision::kSingle),
                                         std::tuple(2, Precision::kDouble),
                                         std::tuple(3, Precision::kSingle)));

TEST(TracersOfARun, DoNotDependOnTheNumberOfThreads) {
  const Scene scene = with_tracers(collapse(2), 64);
  std::vector<float> expected;
  for (int threads : {1, 2, 3}) {
    Simulation simulation = simulate(scene, threads);
    ASSERT_GT(simulation.tracers().size(), 4096U);  // enough for the parallel branch
    make_steps(simulation, 10);
    if (threads == 1) expected = simulation.tracers().position;
    EXPECT_EQ(simulation.tracers().position, expected) << threads << " threads";
  }
}

TEST(TracersOfARun, AreRefusedFromAStateThatDoesNotFit) {
  const Scene scene = with_tracers(collapse(2), 4);
  Simulation simulation = simulate(scene);
  const auto saved = simulation.save_state();
  Simulation denser = simulate(with_tracers(collapse(2), 5));
  expect_error(ErrorCategory::kFile, {"other tracers"}, [&] { denser.load_state(saved); });
  for (float value : {std::nanf(""), 1e30f}) {
    auto damaged = saved;  // the tracers come last
    std::memcpy(damaged.data() + damaged.size() - sizeof value, &value, sizeof value);
    expect_error(ErrorCategory::kFile, {"tracer", "outside"},
                 [&] { simulation.load_state(damaged); });
  }
}

TEST(TracersOfARun, AreInTheEstimate) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble}) {
      Scene plain = collapse(dimension);
      plain.simulation.precision = precision;
      const Scene scene = with_tracers(plain, 27);
      const SceneEstimate e = estimate(scene);
      Simulation without = simulate(plain), with = simulate(scene);
      EXPECT_EQ(static_cast<std::size_t>(e.tracers), with.tracers().size());
      EXPECT_EQ(e.tracer_bytes, with.stats().memory_bytes - without.stats().memory_bytes);
      EXPECT_EQ(e.state_bytes - estimate(plain).state_bytes, e.tracer_bytes);
      EXPECT_EQ(estimate(plain).tracer_bytes, 0U);
    }
}

}  // namespace
}  // namespace firn::test
