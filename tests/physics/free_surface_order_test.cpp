// The pressure below a free surface that does not follow the grid, against a known one that is 0 on
// it: of second order with the ghost fluid, of first order without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kRadius = 0.4, kDensity = 1000;

// A ball off the grid's symmetries, and a pressure (times dt) that is 0 on its surface alone.
template <int D>
struct Ball {
  static constexpr double kCentre[3] = {0.503, 0.489, D == 3 ? 0.517 : 0};
  static double distance(const Vec3& x) {
    double squares = 0;
    for (std::size_t a = 0; a < D; ++a) squares += std::pow(x[a] - kCentre[a], 2);
    return kRadius - std::sqrt(squares);  // inwards
  }
  static double waves(const Vec3& x) { return 2 + std::sin(4 * x[0] + x[2]) * std::cos(3 * x[1]); }
  static double pressure(const Vec3& x) {
    const double r = kRadius - distance(x);
    return kDensity * (kRadius * kRadius - r * r) * waves(x);
  }
  // Its gradient over the density.
  static double velocity(int axis, const Vec3& x) {
    const double r = kRadius - distance(x);
    const auto a = static_cast<std::size_t>(axis);
    const double along[3] = {4 * std::cos(4 * x[0] + x[2]) * std::cos(3 * x[1]),
                             -3 * std::sin(4 * x[0] + x[2]) * std::sin(3 * x[1]),
                             std::cos(4 * x[0] + x[2]) * std::cos(3 * x[1])};
    return -2 * (x[a] - kCentre[a]) * waves(x) + (kRadius * kRadius - r * r) * along[a];
  }
};

// The share of the kernel about a cell that lies below a flat surface `depth` cells above its
// centre: what depth_of undoes.
double share_below(double depth) {
  const double d = std::clamp(depth, -1.0, 1.0);
  return d < 0 ? 0.5 * (1 + d) * (1 + d) : 1 - 0.5 * (1 - d) * (1 - d);
}

TEST(FreeSurfaceOrder, DepthIsTheInverseOfTheShareBelowASurface) {
  for (double d = -1; d <= 1; d += 0.125) EXPECT_NEAR(depth_of(share_below(d)), d, 1e-7) << d;
}

// The ghost fluid keeps the surface at least a hundredth of a cell from a centre, which leaves an
// error of a hundredth of a cell's pressure in cells nearer to it: those do not count as `largest`.
constexpr double kShallow = 0.01;

struct PressureError {
  double largest = 0, mean = 0;  // the mean of squares' root, over all cells
};

// One particle in each cell whose centre lies in the ball, so that those are the fluid cells: next
// to the centre, which makes the cell full and leaves the others empty, and below it, so that the
// cells around exist.
template <int D>
std::vector<HarnessParticle<D>> marked_cells(int n) {
  std::vector<HarnessParticle<D>> particles;
  const double dx = 1.0 / n, cell = std::pow(dx, D);
  for (int i = 0; i < int_power(n, D); ++i) {
    HarnessParticle<D> p;
    Vec3 centre{};
    for (int a = 0, rest = i; a < D; ++a, rest /= n) {
      centre[static_cast<std::size_t>(a)] = dx * (rest % n + 0.5);
      p.x[a] = dx * (rest % n + 0.499);
    }
    if (Ball<D>::distance(centre) <= 0) continue;
    p.volume = cell;
    p.mass = kDensity * cell;
    particles.push_back(p);
  }
  return particles;
}

enum class Filling { kExact, kParticles };

// How full cells are is given exactly, or found from the particles of a real body.
template <int D>
PressureError pressure_error(int n, FreeSurface surface, Filling filling) {
  Scene scene = liquid_scene(D, 1.0 / n);
  scene.simulation.gravity = {};
  scene.fluid.tolerance = 1e-10;
  scene.fluid.free_surface = surface;
  const auto& centre = Ball<D>::kCentre;
  scene.bodies = {body("ball", 0, sphere({centre[0], centre[1], centre[2]}, kRadius))};
  FluidHarness<D, double> h(scene);
  if (filling == Filling::kExact) h.set_particles(marked_cells<D>(n));
  h.prepare(1);
  h.set_velocities(Ball<D>::velocity);
  if (filling == Filling::kExact)
    h.set_filled([&](const Vec3& x) { return share_below(Ball<D>::distance(x) * n); });
  EXPECT_TRUE(h.project().converged);
  PressureError e;
  double count = 0;
  h.for_each_fluid_cell([&](const Vec3& x, double p) {
    if (Ball<D>::distance(x) < 0) return;  // a particle's cell may have its centre in the air
    const double off = std::fabs(p - Ball<D>::pressure(x)) / kDensity;
    if (Ball<D>::distance(x) * n > kShallow) e.largest = std::max(e.largest, off);
    e.mean += off * off;
    ++count;
  });
  e.mean = std::sqrt(e.mean / count);
  return e;
}

struct Orders {
  double largest, mean;
  PressureError finest;
};
template <int D>
Orders orders(const std::vector<int>& sizes, FreeSurface surface, Filling filling) {
  std::vector<double> h, largest, mean;
  PressureError e;
  for (const int n : sizes) {
    e = pressure_error<D>(n, surface, filling);
    h.push_back(1.0 / n);
    largest.push_back(e.largest);
    mean.push_back(e.mean);
    std::printf("n = %d: largest %.4g, mean %.4g\n", n, e.largest, e.mean);
  }
  const Orders o{fitted_slope(h, largest), fitted_slope(h, mean), e};
  std::printf("order %.2f of the largest, %.2f of the mean\n", o.largest, o.mean);
  return o;
}

const std::vector<int> kPlane = {16, 24, 32, 48, 64, 96, 128}, kSpace = {12, 16, 20, 24, 32};

// How the surface cuts cells differs from one grid to the next: up to a third in the largest error
// and a tenth in the mean, at either end of the range of grids.
double spread(const std::vector<int>& sizes, double factor) {
  return 2 * std::log(factor) / std::log(static_cast<double>(sizes.back()) / sizes.front());
}
template <int D>
void expect_order(const std::vector<int>& sizes, FreeSurface surface, double order) {
  const Orders found = orders<D>(sizes, surface, Filling::kExact);
  EXPECT_NEAR(found.largest, order, spread(sizes, 4.0 / 3));
  EXPECT_NEAR(found.mean, order, spread(sizes, 1.1));
}

TEST(FreeSurfaceOrder, SecondWithAGhostFluid) {
  expect_order<2>(kPlane, FreeSurface::kGhostFluid, 2);
  expect_order<3>(kSpace, FreeSurface::kGhostFluid, 2);
}
TEST(FreeSurfaceOrder, FirstWithoutOne) {
  expect_order<2>(kPlane, FreeSurface::kFirstOrder, 1);
  expect_order<3>(kSpace, FreeSurface::kFirstOrder, 1);
}

// The noise of a sampled surface is a share of a cell whatever its size, so that both are of first
// order; the share is what the ghost fluid makes smaller.
TEST(FreeSurfaceOrder, FirstThroughParticlesButNearer) {
  const Orders ghost = orders<2>(kPlane, FreeSurface::kGhostFluid, Filling::kParticles),
               first = orders<2>(kPlane, FreeSurface::kFirstOrder, Filling::kParticles);
  EXPECT_GE(ghost.mean, 0.9);
  EXPECT_LE(ghost.finest.mean, 0.2 * first.finest.mean);
  EXPECT_LE(ghost.finest.largest, 0.5 * first.finest.largest);
}

}  // namespace
}  // namespace firn::test
