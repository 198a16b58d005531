// The pressure solver against dense knowledge of its systems: the preconditioner is symmetric and
// positive, answers have small true residuals on irregular and singular systems, and do not depend
// on the number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/pressure_blobs.h"
#include "tests/support/pressure_cases.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

TYPED_TEST_SUITE(PressureSolverTest, Spaces);

template <int D, class Real>
void expect_solved(const PressureCase<D>& c, SolveOptions options, std::uint32_t most = 25) {
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve(options);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, most);
  const auto x = h.solution();
  EXPECT_LE((true_residual<D, Real>(c, x)), residual_bound(c, x, report.tolerance));
}

TYPED_TEST(PressureSolverTest, PreconditionerIsSymmetricAndPositive) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const auto c = blob_case<D>(D == 3 ? 14 : 60, 0.01, 0.3);
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  EXPECT_GE(h.solve().levels, 4u);
  std::vector<double> u(c.cells()), v(c.cells());
  const std::vector<double> diagonal = c.diagonal();
  for (std::size_t i = 0; i < c.cells(); ++i) {
    if (diagonal[i] == 0) continue;
    u[i] = cell_noise<D>(c.cell(i), 5) - 0.5;
    v[i] = cell_noise<D>(c.cell(i), 6) - 0.2;
  }
  const auto Mu = h.precondition(u), Mv = h.precondition(v);
  double u_Mv = 0, v_Mu = 0, u_Mu = 0, v_Mv = 0;
  for (std::size_t i = 0; i < c.cells(); ++i) {
    u_Mv += u[i] * static_cast<double>(Mv[i]), v_Mu += v[i] * static_cast<double>(Mu[i]);
    u_Mu += u[i] * static_cast<double>(Mu[i]), v_Mv += v[i] * static_cast<double>(Mv[i]);
  }
  EXPECT_GT(u_Mu, 0);
  EXPECT_GT(v_Mv, 0);
  // Each value has gone through a few hundred roundings in the cycle, whose signs are random.
  const double scale = std::sqrt(u_Mu * v_Mv);
  EXPECT_NEAR(u_Mv, v_Mu, 32 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * scale);
}

TYPED_TEST(PressureSolverTest, IrregularSetsSolve) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  expect_solved<D, Real>(blob_case<D>(D == 3 ? 13 : 50, 0.02, 0.2), {1e-6, 0, 100});
}

TYPED_TEST(PressureSolverTest, VariableCoefficientsSolve) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const int n = D == 3 ? 24 : 96;
  const auto hi = Vec<int, D>::filled(n);
  auto c = make_case<D>(
      Vec<int, D>::filled(0), hi,
      [=](const Vec<int, D>& cell) {
        return inside(cell, Vec<int, D>::filled(0), hi) ? CellClass::kActive : CellClass::kAir;
      },
      [=](const Vec<int, D>& cell, int) {  // 1 : 1000 across a slanted interface
        return cell[0] + 2 * cell[D - 1] < 5 * n / 4 ? 1.0 : 1e-3;
      });
  random_rhs(c);
  expect_solved<D, Real>(c, {1e-6, 0, 100}, 40);
}

TYPED_TEST(PressureSolverTest, MassTermIsSolvedAndCoarsenedUnscaled) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto c = cube_case<D>(D == 3 ? 24 : 64, CubeWalls::kClosed);
  c.mass.assign(c.cells(), 0);
  const auto diagonal = c.diagonal();
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (diagonal[i] > 0) c.mass[i] = 1e-3;
  random_rhs(c);
  expect_solved<D, Real>(c, {1e-6, 0, 100}, 18);
  for (double& m : c.mass) m *= 1e5;  // the mass outweighs the Laplacian
  expect_solved<D, Real>(c, {1e-6, 0, 100}, 18);
}

TYPED_TEST(PressureSolverTest, ClosedBoxWithIncompatibleRhs) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto c = cube_case<D>(D == 3 ? 20 : 70, CubeWalls::kClosed, -3);
  random_rhs(c);
  for (double& b : c.rhs) b += 0.25;
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve();
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.singular_components, 1u);
  EXPECT_LE(report.iterations, 18u);
  double mean = 0, active = 0;
  const auto diagonal = c.diagonal();
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (diagonal[i] > 0) mean += c.rhs[i], active += 1;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (diagonal[i] > 0) c.rhs[i] -= mean / active;
  const auto x = h.solution();
  EXPECT_LE((true_residual<D, Real>(c, x)), residual_bound(c, x, report.tolerance));
}

TYPED_TEST(PressureSolverTest, ConstantRhsInAClosedBoxAsksForNothing) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto c = cube_case<D>(18, CubeWalls::kClosed);
  for (double& b : c.rhs) b = 0.7;
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve();
  EXPECT_TRUE(report.converged);
  const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (const Real x : h.solution()) EXPECT_LE(std::fabs(static_cast<double>(x)), 1e3 * epsilon);
}

// Open water below, a closed pocket (of several blocks) above a wall of inactive cells.
template <int D>
PressureCase<D> pocket_case() {
  const auto lo = Vec<int, D>::filled(0), hi = Vec<int, D>::filled(24);
  auto c = make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& cell) {
        if (!inside(cell, lo, hi)) return cell[0] < 0 ? CellClass::kAir : CellClass::kWall;
        return cell[0] == 10 ? CellClass::kWall : CellClass::kActive;
      },
      kUnitFace);
  random_rhs(c);
  return c;
}

TYPED_TEST(PressureSolverTest, ClosedPocketBesideOpenWater) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto c = pocket_case<D>();
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve();
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.singular_components, 1u);
  double mean = 0, cells = 0;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (c.cell(i)[0] > 10) mean += c.rhs[i], cells += 1;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (c.cell(i)[0] > 10) c.rhs[i] -= mean / cells;
  const auto x = h.solution();
  EXPECT_LE((true_residual<D, Real>(c, x)), residual_bound(c, x, report.tolerance));
}

// An open tank whose far end a wall seals off, with pillars in both parts and conductances that
// vary by a factor of ten.
template <int D>
PressureCase<D> tank_case(int n) {
  const auto lo = Vec<int, D>::filled(-5), hi = Vec<int, D>::filled(n - 5);
  auto c = make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& cell) {
        if (!inside(cell, lo, hi)) return cell[0] < lo[0] ? CellClass::kAir : CellClass::kWall;
        const bool pillar = cell[0] % 9 == 0 && cell[1] % 7 == 0;
        return cell[0] == n - 16 || pillar ? CellClass::kWall : CellClass::kActive;
      },
      [](const Vec<int, D>& cell, int axis) { return 0.1 + 0.9 * cell_noise<D>(cell, axis); });
  random_rhs(c);
  return c;
}

TYPED_TEST(PressureSolverTest, TankWithPillarsAndASealedEnd) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const int n = D == 3 ? 40 : 150;
  auto c = tank_case<D>(n);
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve({1e-5, 0, 100});
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.singular_components, 1u);
  EXPECT_LE(report.iterations, 25u);
  double mean = 0, cells = 0;
  const std::vector<double> diagonal = c.diagonal();
  const auto sealed = [&](std::size_t i) { return c.cell(i)[0] > n - 16 && diagonal[i] > 0; };
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (sealed(i)) mean += c.rhs[i], cells += 1;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (sealed(i)) c.rhs[i] -= mean / cells;
  const auto x = h.solution();
  EXPECT_LE((true_residual<D, Real>(c, x)), residual_bound(c, x, report.tolerance));
}

// 200 droplets in air or, every fifth, sealed; of 1 to 3 cells' edge, at places that straddle block
// faces now and then.
template <int D>
PressureCase<D> droplet_case(int* sealed) {
  std::vector<Vec<int, D>> lo;
  std::vector<int> edge;
  std::mt19937 random(7);
  const int side = D == 3 ? 6 : 15;
  for (int n = 0; n < 200; ++n) {
    Vec<int, D> corner;
    int rest = n;
    for (int a = 0; a < D; ++a) {
      corner[a] = rest % side * 7 + static_cast<int>(random() % 3) - 20;
      rest /= side;
    }
    lo.push_back(corner);
    edge.push_back(1 + static_cast<int>(random() % 3));
  }
  const auto drop_at = [&](const Vec<int, D>& c) {
    int number = 0;
    for (int a = D - 1; a >= 0; --a) {
      const int k = (c[a] + 20 + 1) / 7;  // one cell of margin below a droplet belongs to it
      if (c[a] + 21 < 0 || k >= side) return -1;
      number = number * side + k;
    }
    return number < 200 ? number : -1;
  };
  const auto active = [&](const Vec<int, D>& c) {
    const int n = drop_at(c);
    if (n < 0) return false;
    Vec<int, D> hi = lo[n];
    for (int a = 0; a < D; ++a) hi[a] += edge[n];
    return inside(c, lo[n], hi);
  };
  auto made = make_case<D>(
      Vec<int, D>::filled(-20), Vec<int, D>::filled(side * 7 - 14),
      [&](const Vec<int, D>& c) {
        if (active(c)) return CellClass::kActive;
        const int n = drop_at(c);
        return n >= 0 && n % 5 == 0 ? CellClass::kWall : CellClass::kAir;
      },
      kUnitFace);
  random_rhs(made);
  *sealed = 0;
  for (int n = 0; n < 200; n += 5) *sealed += edge[n] > 1;  // one sealed cell has no coefficient
  return made;
}

TYPED_TEST(PressureSolverTest, DropletsSolve) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  int sealed = 0;
  auto c = droplet_case<D>(&sealed);
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport report = h.solve();
  EXPECT_TRUE(report.converged);
  EXPECT_GT(sealed, 0);
  EXPECT_EQ(report.singular_components, static_cast<std::uint32_t>(sealed));
  EXPECT_LE(report.iterations, 25u);
}

TYPED_TEST(PressureSolverTest, ThreadsDoNotChangeABit) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  int sealed = 0;
  for (const auto& c :
       {blob_case<D>(D == 3 ? 12 : 45, 0.02, 0.2), pocket_case<D>(), droplet_case<D>(&sealed)}) {
    std::vector<Real> first;
    for (int threads : {1, 2, 3}) {
      Cpu exec(threads);
      PressureHarness<Cpu, D, Real> h(exec, c);
      EXPECT_TRUE(h.solve({1e-3, 0, 100}).converged);
      if (first.empty())
        first = h.solution();
      else
        EXPECT_EQ(h.solution(), first) << threads << " threads";
    }
  }
}

// A sparse lattice of blocks joined by nothing but thin bridges needs more coarse blocks than a
// box: the pool grows, and the answer is right.
TYPED_TEST(PressureSolverTest, PoolOfLevelsGrows) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const int n = D == 3 ? 2500 : 5000;
  Vec<int, D> lo = Vec<int, D>::filled(0), hi = Vec<int, D>::filled(2);
  hi[0] = n;
  auto c = make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& cell) {
        if (inside(cell, lo, hi)) return CellClass::kActive;
        return cell[D - 1] >= 2 && cell[0] % 64 == 0 ? CellClass::kAir : CellClass::kWall;
      },
      kUnitFace);
  random_rhs(c);
  expect_solved<D, Real>(c, {1e-5, 0, 100}, 40);
}

}  // namespace
}  // namespace firn::test
