// What multigrid promises: iterations that do not grow with the size of the system, on boxes and on
// irregular domains, and solutions of the Poisson problem of second order.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/pressure_cases.h"

namespace firn::test {
namespace {

// In single precision the count may hold one more from a restart, where the rounding of the
// solution leaves a true residual above the tolerance.
template <int D, class Real>
std::uint32_t iterations(const PressureCase<D>& c) {
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve({1e-6, 0, 100});
  EXPECT_TRUE(report.converged);
  return report.iterations;
}

void expect_level(const std::vector<std::uint32_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  EXPECT_LE(*most, 16u);
  EXPECT_LE(counts.back(), counts.front() + 2);
  std::string list;
  for (const std::uint32_t n : counts) list += " " + std::to_string(n);
  testing::Test::RecordProperty("iterations", list);
  std::printf("iterations:%s\n", list.c_str());
}

TEST(Multigrid, IterationsOfCubes) {
  for (const CubeWalls walls : {CubeWalls::kOpenTop, CubeWalls::kClosed}) {
    std::vector<std::uint32_t> counts;
    for (const int n : {32, 64, 128}) {
      auto c = cube_case<3>(n, walls);
      random_rhs(c);
      counts.push_back(iterations<3, float>(c));
    }
    expect_level(counts);
  }
}

TEST(Multigrid, IterationsOfSquares) {
  std::vector<std::uint32_t> counts;
  for (const int n : {128, 256, 512, 1024}) {
    auto c = cube_case<2>(n, CubeWalls::kOpenTop, -n / 2 + 3);
    random_rhs(c);
    counts.push_back(iterations<2, float>(c));
  }
  expect_level(counts);
}

// The surface at a random height in each of its cells, as a ghost fluid sees it.
TEST(Multigrid, IterationsUnderAGhostFluid) {
  std::vector<std::uint32_t> counts;
  for (const int n : {32, 64, 128}) {
    const auto lo = Vec<int, 3>::zero(), hi = Vec<int, 3>::filled(n);
    auto c = make_case<3>(
        lo, hi,
        [=](const Vec<int, 3>& at) {
          if (inside(at, lo, hi)) return CellClass::kActive;
          return at[2] >= n ? CellClass::kAir : CellClass::kWall;
        },
        [=](const Vec<int, 3>& at, int axis) {
          return axis == 2 && at[2] == n ? 1 / std::max(0.01, cell_noise<3>(at, 3)) : 1.0;
        });
    random_rhs(c);
    counts.push_back(iterations<3, float>(c));
  }
  expect_level(counts);
}

// Rings of powers of two, of other even numbers, as thin as two blocks, all of them or with walls
// and air along the other axes. At first = 1 no coarser level's blocks meet the
// seam, so the finest level is the only one: a ring of 128 cells then takes long.
template <int D>
std::uint32_t ring_iterations(const Vec<int, D>& first, const Vec<int, D>& blocks, int rings) {
  auto c = ring_case<D>(first, blocks, rings);
  random_rhs(c);
  const std::uint32_t n = iterations<D, double>(c);
  std::string name;
  for (int a = 0; a < D; ++a) name += std::to_string(blocks[a]) + " ";
  std::printf("%sblocks from %d, %d rings: %u iterations\n", name.c_str(), first[0], rings, n);
  return n;
}

TEST(Multigrid, IterationsAroundRings) {
  for (int rings = 1; rings <= 2; ++rings) {
    EXPECT_LE(ring_iterations<2>({{0, 0}}, {{2, 2}}, rings), 16u);
    EXPECT_LE(ring_iterations<2>({{-8, -8}}, {{16, 16}}, rings), 16u);
    EXPECT_LE(ring_iterations<2>({{0, 0}}, {{2, 32}}, rings), 16u);
    EXPECT_LE(ring_iterations<2>({{0, 0}}, {{32, 2}}, rings), 16u);
    EXPECT_LE(ring_iterations<2>({{0, 0}}, {{6, 10}}, rings), 16u);
    EXPECT_LE(ring_iterations<2>({{1, 1}}, {{6, 8}}, rings), 25u);
    EXPECT_LE(ring_iterations<2>({{1, 1}}, {{16, 16}}, rings), 40u);
  }
  for (int rings = 1; rings <= 3; ++rings) {
    EXPECT_LE(ring_iterations<3>({{0, 0, 0}}, {{2, 2, 2}}, rings), 16u);
    EXPECT_LE(ring_iterations<3>({{-8, -8, -8}}, {{16, 16, 16}}, rings), 16u);
    EXPECT_LE(ring_iterations<3>({{0, 0, 0}}, {{2, 16, 16}}, rings), 16u);
    EXPECT_LE(ring_iterations<3>({{0, 0, 0}}, {{6, 10, 4}}, rings), 16u);
    EXPECT_LE(ring_iterations<3>({{1, 1, 1}}, {{8, 8, 8}}, rings), 25u);
  }
}

// A smooth right-hand side: all the error is on the coarse levels.
TEST(Multigrid, IterationsOfASmoothRightHandSide) {
  std::vector<std::uint32_t> counts;
  for (const int n : {32, 64, 96}) {
    auto c = cube_case<3>(n, CubeWalls::kOpenTop, -n / 2);
    for (double& b : c.rhs) b = 1;
    counts.push_back(iterations<3, double>(c));
  }
  expect_level(counts);
}

// A collapsing column between walls with a splash in front: an uneven surface in air, pillars, and
// faces cut at random.
PressureCase<3> dam_case(int n) {
  const auto hi = Vec<int, 3>::filled(n);
  auto c = make_case<3>(
      Vec<int, 3>::filled(0), hi,
      [=](const Vec<int, 3>& c) {
        if (!inside(c, Vec<int, 3>::filled(0), hi))
          return c[2] >= n ? CellClass::kAir : CellClass::kWall;
        const double x = (c[0] + 0.5) / n, y = (c[1] + 0.5) / n, z = (c[2] + 0.5) / n;
        if (std::hypot(x - 0.6, y - 0.5) < 0.08) return CellClass::kWall;
        const double height = 0.15 + 0.75 / (1 + std::exp(12 * (x - 0.35))) +
                              0.05 * std::sin(9 * y) * std::sin(13 * x);
        const bool splash = z < height + 0.25 && cell_noise<3>(c, 9) < 0.02;
        return z < height || splash ? CellClass::kActive : CellClass::kAir;
      },
      [](const Vec<int, 3>& c, int axis) { return 0.05 + 0.95 * cell_noise<3>(c, 20 + axis); });
  random_rhs(c);
  return c;
}
TEST(Multigrid, IterationsOfADamBreak) {
  std::vector<std::uint32_t> counts;
  for (const int n : {32, 64, 128}) counts.push_back(iterations<3, float>(dam_case(n)));
  expect_level(counts);
}

// -laplace p = f on the unit box, h^2 f as the right-hand side. Dirichlet values lie half a cell
// away, so the coupling to them is 2; walls have no flux, and the solution is a cosine there.
template <int D>
double poisson_error(int n, bool dirichlet) {
  const double h = 1.0 / n, pi = std::numbers::pi;
  auto c = cube_case<D>(n, dirichlet ? CubeWalls::kOpen : CubeWalls::kClosed);
  for (double& d : c.dirichlet) d *= 2;
  const auto exact = [&](const Vec<int, D>& cell) {
    double p = 1;
    for (int a = 0; a < D; ++a) {
      const double x = pi * (a + 1) * (cell[a] + 0.5) * h;
      p *= dirichlet ? std::sin(x) : std::cos(x);
    }
    return p;
  };
  double squares = 0;
  for (int a = 0; a < D; ++a) squares += pi * pi * (a + 1) * (a + 1);
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (inside(c.cell(i), Vec<int, D>::filled(0), Vec<int, D>::filled(n)))
      c.rhs[i] = h * h * squares * exact(c.cell(i));
  Cpu exec(1);
  PressureHarness<Cpu, D, double> solver(exec, c);
  EXPECT_TRUE(solver.solve({1e-9, 0, 100}).converged);
  const auto x = solver.solution();
  double error = 0;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (inside(c.cell(i), Vec<int, D>::filled(0), Vec<int, D>::filled(n)))
      error = std::max(error, std::fabs(x[i] - exact(c.cell(i))));
  return error;
}
template <int D>
void expect_second_order(int n) {
  for (const bool dirichlet : {true, false}) {
    const double coarse = poisson_error<D>(n, dirichlet), fine = poisson_error<D>(2 * n, dirichlet);
    EXPECT_LT(fine, 0.05);
    // The order differs from 2 by the next term of the error, of relative size (D pi / n)^2.
    const double next = D * std::numbers::pi / n;
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 2 * next * next + 0.05) << dirichlet;
  }
}
TEST(Multigrid, PoissonIsSecondOrderIn2D) { expect_second_order<2>(32); }
TEST(Multigrid, PoissonIsSecondOrderIn3D) { expect_second_order<3>(24); }

}  // namespace
}  // namespace firn::test
