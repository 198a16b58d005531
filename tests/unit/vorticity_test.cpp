// The vorticity of particles: exact for linear fields on any particles, of second order for others,
// zero where neighbours do not determine it, and the same across the seam of a periodic axis.
#include "src/analysis/vorticity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tests/support/fluid_scenes.h"

namespace firn {
namespace {

constexpr double kRound = std::numeric_limits<float>::epsilon();
constexpr double kPi = std::numbers::pi;

struct Cloud {
  int dimension = 2;
  std::vector<float> position, velocity, mass;

  std::size_t size() const { return mass.size(); }
  Vec3 at(std::size_t p) const {
    Vec3 x{};
    for (int a = 0; a < dimension; ++a) x[a] = position[p * dimension + a];
    return x;
  }
  void add(const Vec3& x, float m = 1) {
    for (int a = 0; a < dimension; ++a) position.push_back(static_cast<float>(x[a]));
    velocity.resize(position.size());
    mass.push_back(m);
  }
  template <class Field>
  void set_velocity(const Field& field) {
    for (std::size_t p = 0; p < size(); ++p) {
      const Vec3 v = field(at(p));
      for (int a = 0; a < dimension; ++a) velocity[p * dimension + a] = static_cast<float>(v[a]);
    }
  }
  ParticleMotion motion() const { return {dimension, position, velocity, mass}; }
};

// Random particles of random mass, about `per_cell` in each cell of size dx, in [-1, 1]^d: thrown
// anywhere in their part of the cell, so that there are neighbours but no order.
Cloud random_cloud(int dimension, double dx, int per_axis) {
  std::mt19937 random(1877);
  std::uniform_real_distribution<double> unit(0, 1);
  Cloud cloud;
  cloud.dimension = dimension;
  const int n = static_cast<int>(std::lround(2 / dx * per_axis));
  const double h = 2.0 / n;
  for (int k = 0; k < (dimension == 3 ? n : 1); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        cloud.add(
            {-1 + h * (i + unit(random)), -1 + h * (j + unit(random)), -1 + h * (k + unit(random))},
            static_cast<float>(0.5 + unit(random)));
  return cloud;
}

using Gradient = std::array<std::array<double, 3>, 3>;

Vec3 times(const Gradient& g, const Vec3& x) {
  Vec3 v{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) v[a] += g[a][b] * x[b];
  return v;
}

// Velocities are rounded to single precision, by half an ulp of the largest. A node counts if its
// particles spread by a tenth of a cell at least, so its gradient is off by at most that over 0.1
// dx, and a component of the curl by twice as much.
double round_off(const Cloud& cloud, double dx) {
  double largest = 0;
  for (const float v : cloud.velocity) largest = std::max(largest, std::abs(double{v}));
  return 2 * 0.5 * kRound * largest / (0.1 * dx);
}

class VorticityOf : public testing::TestWithParam<int> {
 protected:
  int dimension() const { return GetParam(); }

  void expect_exact(const Gradient& g, const std::vector<double>& omega) {
    constexpr double dx = 0.125;
    Cloud cloud = random_cloud(dimension(), dx, 2);
    cloud.set_velocity([&](const Vec3& x) {
      const Vec3 v = times(g, x);
      return Vec3{v[0] + 3, v[1] - 2, v[2] + 1};
    });
    const std::vector<float> found = vorticity(cloud.motion(), dx);
    ASSERT_EQ(found.size(), cloud.size() * omega.size());
    const double tolerance = round_off(cloud, dx);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - omega[i % omega.size()]));
    EXPECT_LE(worst, tolerance);
    std::printf("largest error %.2g 1/s, allowed %.2g\n", worst, tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Dimension, VorticityOf, testing::Values(2, 3));

// v = omega x r: the curl is 2 omega on every particle, also at the surface.
TEST_P(VorticityOf, RigidRotationIsTwiceTheSpin) {
  if (dimension() == 2) return expect_exact({{{0, -1.5, 0}, {1.5, 0, 0}}}, {3});
  expect_exact({{{0, -1.5, -0.75}, {1.5, 0, -0.5}, {0.75, 0.5, 0}}}, {1, -1.5, 3});
}

TEST_P(VorticityOf, ShearAndStrain) {
  if (dimension() == 2) return expect_exact({{{0.5, 2, 0}, {0.25, -0.5, 0}}}, {-1.75});
  expect_exact({{{0.5, 2, -1}, {0.25, -0.5, 0.75}, {1, 0.5, 3}}}, {-0.25, -2, -1.75});
}

// A spinning disc with a free surface, far from the origin and with a lattice it is not aligned to.
TEST(Vorticity, SurfacesOfSmallBodiesAreExact) {
  constexpr double dx = 0.1;
  const Cloud box = random_cloud(2, dx, 2);
  Cloud disc;
  for (std::size_t p = 0; p < box.size(); ++p)
    if (const Vec3 x = box.at(p); std::hypot(x[0], x[1]) < 0.35)
      disc.add({x[0] + 37.03, x[1] - 11.07, 0});
  disc.set_velocity([](const Vec3& x) { return Vec3{11.07 - 0 + x[1], 37.03 - x[0], 0}; });
  const std::vector<float> found = vorticity(disc.motion(), dx);
  const double tolerance = round_off(disc, dx);
  for (const float omega : found) EXPECT_NEAR(omega, -2, tolerance);
}

// --- smooth fields ---

struct Errors {
  double largest = 0, mean_square = 0;
};

// Of v = (sin x cos y, -cos x sin y), omega = 2 sin x sin y, on [0, 2 pi]^2 with periodic sides.
Errors taylor_green_errors(int n, bool regular) {
  const double length = 2 * kPi, dx = length / n;
  std::mt19937 random(1937);
  std::uniform_real_distribution<double> unit(0, 1);
  Cloud cloud;
  for (int j = 0; j < 2 * n; ++j)
    for (int i = 0; i < 2 * n; ++i)
      cloud.add({dx / 2 * (i + (regular ? 0.5 : unit(random))),
                 dx / 2 * (j + (regular ? 0.5 : unit(random))), 0});
  cloud.set_velocity([](const Vec3& x) {
    return Vec3{std::sin(x[0]) * std::cos(x[1]), -std::cos(x[0]) * std::sin(x[1]), 0};
  });
  const std::vector<float> found = vorticity(cloud.motion(), dx, {length, length, 0});
  Errors errors;
  for (std::size_t p = 0; p < cloud.size(); ++p) {
    const Vec3 x = cloud.at(p);
    const double error = found[p] - 2 * std::sin(x[0]) * std::sin(x[1]);
    errors.largest = std::max(errors.largest, std::abs(error));
    errors.mean_square += error * error / static_cast<double>(cloud.size());
  }
  return errors;
}

// A lattice of particles has no third moments about a node, so the next term is of second order:
// between the two finest grids the order is at least 1.9. Of random particles the third moments are
// noise that falls with dx.
TEST(Vorticity, TaylorGreenIsOfSecondOrder) {
  std::vector<Errors> regular, random;
  for (const int n : {16, 32, 64}) {
    regular.push_back(taylor_green_errors(n, true));
    random.push_back(taylor_green_errors(n, false));
    std::printf("n = %d: largest %.3g, rms %.3g; random: largest %.3g, rms %.3g\n", n,
                regular.back().largest, std::sqrt(regular.back().mean_square),
                random.back().largest, std::sqrt(random.back().mean_square));
  }
  EXPECT_GE(std::log2(regular[1].largest / regular[2].largest), 1.9);
  EXPECT_GE(0.5 * std::log2(random[1].mean_square / random[2].mean_square), 0.9);
  // The B-spline's variance of dx^2 / 4 smooths the fit and once more the average: by the factor
  // 1 - k^2 dx^2 / 4 each, k^2 = 2, and no more than twice that in all.
  const double dx = 2 * kPi / 64;
  EXPECT_LE(regular[2].largest, 2 * (2 * 2 * dx * dx / 4) * 2);
}

// --- where there is nothing to see ---

TEST(Vorticity, NoParticlesHaveNone) {
  for (const int dimension : {2, 3}) {
    Cloud cloud;
    cloud.dimension = dimension;
    EXPECT_TRUE(vorticity(cloud.motion(), 0.1).empty());
  }
}

TEST(Vorticity, LoneParticlesAndThreadsHaveNone) {
  for (const int dimension : {2, 3}) {
    Cloud cloud;
    cloud.dimension = dimension;
    cloud.add({0.3, 0.4, 0.5});
    for (int i = 0; i < 40; ++i) cloud.add({5 + 0.04 * i, 0.02 * i, 0.01 * i});
    cloud.set_velocity([](const Vec3& x) { return Vec3{10 - x[1], x[0], 7 * x[0]}; });
    for (const float omega : vorticity(cloud.motion(), 0.1)) EXPECT_EQ(omega, 0);
  }
}

TEST(Vorticity, UnusablePositionsAreLeftOut) {
  constexpr double dx = 0.25;
  Cloud cloud = random_cloud(3, dx, 2);
  const std::size_t good = cloud.size();
  cloud.set_velocity([](const Vec3& x) { return Vec3{-x[1], x[0], 0}; });
  for (const double x : {std::nan(""), std::numeric_limits<double>::infinity(), 1e30, -3e5})
    cloud.add({x, 0.1, 0.2});
  // So far away that the number of its cell needs more bits than there are.
  for (const double z : {-0.3, 0.1, 0.5}) cloud.add({0.1, 0.2, z + (1 << 21) * dx});
  const std::vector<float> found = vorticity(cloud.motion(), dx);
  const double tolerance = round_off(cloud, dx);
  for (std::size_t p = 0; p < cloud.size(); ++p)
    EXPECT_NEAR(found[3 * p + 2], p < good ? 2 : 0, tolerance) << p;
}

TEST(Vorticity, ParticlesCountByTheirMass) {
  constexpr double dx = 0.25;
  Cloud cloud = random_cloud(2, dx, 2);
  cloud.set_velocity([](const Vec3& x) { return Vec3{-x[1], x[0], 0}; });
  const double tolerance = round_off(cloud, dx);
  for (const double x : {-0.3, 0.1, 0.5}) {
    cloud.add({x, 0.2, 0}, 0);
    cloud.velocity.back() = 50;
  }
  for (const float omega : vorticity(cloud.motion(), dx)) EXPECT_NEAR(omega, 2, tolerance);
}

// --- periodic axes ---

// The field and the particles moved by part of a period give the same values: the seam is nowhere.
TEST(Vorticity, PeriodicAxesHaveNoSeam) {
  for (const int cells : {1, 2, 3, 20}) {
    const double length = 0.75, dx = length / cells, k = 2 * kPi / length;
    const double shift = std::max(1.0, std::floor(0.4 * cells)) * dx;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    Cloud here, there;
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 2 * cells; ++i) {
        const double x = dx * (i + unit(random)) / 2, y = dx * (j + unit(random)) / 2;
        here.add({x, y, 0});
        there.add({x + shift < length ? x + shift : x + shift - length, y, 0});
      }
    // A shear layer that waves with the period.
    here.set_velocity([&](const Vec3& x) { return Vec3{2 * x[1] / dx, std::sin(k * x[0]), 0}; });
    there.velocity = here.velocity;
    // The lattice takes the nearest spacing that fits the period.
    const std::vector<float> a = vorticity(here.motion(), 1.02 * dx, {length, 0, 0}),
                             b = vorticity(there.motion(), 1.02 * dx, {length, 0, 0});
    // Positions are rounded too; times the steepest gradients that is an error of the velocity.
    const double tolerance =
        2 * round_off(here, dx) + 2 * (2 / dx + k) * kRound * length / (0.1 * dx);
    for (std::size_t p = 0; p < a.size(); ++p) EXPECT_NEAR(a[p], b[p], tolerance) << cells;
  }
}

// Shear across one axis is exact also at the seams of the others.
TEST(Vorticity, ShearAcrossThePeriodIsExact) {
  constexpr double dx = 0.125;
  Cloud cloud = random_cloud(3, dx, 2);
  cloud.set_velocity([](const Vec3& x) { return Vec3{0, 0, 4 * x[1]}; });
  const std::vector<float> found = vorticity(cloud.motion(), dx, {2, 0, 2});
  const double tolerance = round_off(cloud, dx);
  for (std::size_t p = 0; p < cloud.size(); ++p) EXPECT_NEAR(found[3 * p], 4, tolerance);
}

// --- of snapshots ---

// A simulation says what its lattice and its periods are: vortices in a ring are seen as well at
// the seam as elsewhere. Fit and average each smooth by 1 - k^2 dx^2 / 4, k^2 = 2 (2 pi)^2; what
// follows is of the square of that.
TEST(Vorticity, SnapshotsOfASimulationKnowItsLattice) {
  constexpr double dx = 1.0 / 32;
  Scene scene = test::liquid_scene(2, dx);
  Domain ring = test::closed_box({0, 0, 0}, {1, 1, 1});
  ring.boundary.fill(BoundaryType::kPeriodic);
  scene.grid.domain = ring;
  scene.bodies = {test::lattice("liquid", test::box({0, 0, 0}, {1, 1, 1}))};
  auto& velocity = scene.bodies[0].velocity.component;
  velocity[0].expression = "sin(2*pi*x)*cos(2*pi*y)";
  velocity[1].expression = "-cos(2*pi*x)*sin(2*pi*y)";
  const Snapshot s = Simulation(scene, {}).snapshot();
  EXPECT_EQ(s.dx, dx);
  EXPECT_EQ(s.period, (Vec3{1, 1, 0}));
  const std::vector<float> found = vorticity(s);
  ASSERT_EQ(found.size(), s.size());
  const double allowed = 1.2 * 4 * kPi * 2 * (2 * 4 * kPi * kPi) * dx * dx / 4;
  for (std::size_t p = 0; p < s.size(); ++p)
    EXPECT_NEAR(
        found[p],
        4 * kPi * std::sin(2 * kPi * s.position[2 * p]) * std::sin(2 * kPi * s.position[2 * p + 1]),
        allowed);
}

TEST(Vorticity, SnapshotsWithoutTheDataHaveNone) {
  Snapshot s;
  s.dimension = 2;
  s.id = {0};
  s.position = s.velocity = {0, 0};
  s.mass = {1};
  EXPECT_TRUE(vorticity(s).empty());
  s.dx = 0.1;
  EXPECT_EQ(vorticity(s), std::vector<float>{0});
  s.velocity.clear();
  EXPECT_TRUE(vorticity(s).empty());
}

}  // namespace
}  // namespace firn
