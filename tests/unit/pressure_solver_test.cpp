// The pressure solver against dense knowledge of its systems: the preconditioner is symmetric and
// positive, answers have small true residuals on irregular and singular systems, failures are
// reported, and nothing depends on the number of threads.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/pressure_cases.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

template <class T>
class PressureSolverTest : public testing::Test {};
TYPED_TEST_SUITE(PressureSolverTest, Spaces);

// A blob with holes, around the origin so that its blocks never join into one: part of its outside
// is air, part wall; conductances are cut-cell like, in [low, 1).
template <int D>
PressureCase<D> blob_case(int radius, double low, double air_above) {
  const auto classify = [=](const Vec<int, D>& c) {
    double r2 = 0;
    for (int a = 0; a < D; ++a) r2 += (c[a] + 0.5) * (c[a] + 0.5);
    const bool hole = cell_noise<D>(c, 1) < 0.1;
    if (r2 < radius * radius && !hole) return CellClass::kActive;
    return c[D - 1] > air_above * radius ? CellClass::kAir : CellClass::kWall;
  };
  auto made = make_case<D>(
      Vec<int, D>::filled(-radius), Vec<int, D>::filled(radius), classify,
      [=](const Vec<int, D>& c, int axis) { return low + (1 - low) * cell_noise<D>(c, 2 + axis); });
  random_rhs(made);
  return made;
}

// What the true residual may be: the tolerance, or what rounding x by epsilon does to it, with the
// solver's own factor of 4 and as much again for the rounding of the coefficients themselves.
template <class Real, int D>
double residual_bound(const PressureCase<D>& c, const std::vector<Real>& x, double tolerance) {
  const std::vector<double> diagonal = c.diagonal();
  double rounding = 0;
  for (std::size_t i = 0; i < c.cells(); ++i)
    rounding = std::max(rounding,
                        diagonal[i] * std::fabs(static_cast<double>(x[i])) + std::fabs(c.rhs[i]));
  return tolerance + 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * rounding;
}

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

TYPED_TEST(PressureSolverTest, EmptySystemAndOneCell) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> none(exec, PressureCase<D>{});
  const SolveReport empty = none.solve();
  EXPECT_TRUE(empty.converged);
  EXPECT_EQ(empty.iterations, 0u);

  auto c = cube_case<D>(1, CubeWalls::kOpen);
  c.rhs[0] = 3;
  PressureHarness<Cpu, D, Real> one(exec, c);
  one.set_solution(std::vector<Real>(c.cells(), Real(9)));  // also where nothing is active
  EXPECT_TRUE(one.solve().converged);
  const auto x = one.solution();
  const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  EXPECT_NEAR(x[0], 3.0 / (2 * D), 2 * epsilon * 3 / (2 * D) + 1e-6 * 3 / (2 * D));
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_EQ(x[i], Real(0));
}

TYPED_TEST(PressureSolverTest, ExactGuessTakesNoIteration) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const auto c = blob_case<D>(10, 0.5, 0.0);
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  EXPECT_GT(h.solve({1e-4, 0, 100}).iterations, 0u);
  const auto x = h.solution();
  EXPECT_EQ(h.solve({1e-4, 0, 100}).iterations, 0u);
  EXPECT_EQ(h.solution(), x);
}

TYPED_TEST(PressureSolverTest, BadGuessesAreDropped) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto c = blob_case<D>(10, 0.5, 0.0);
  for (double& b : c.rhs) b *= 1e-12;
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> small(exec, c), none(exec, c);
  small.set_solution(std::vector<Real>(c.cells(), Real(100)));
  const SolveReport report = small.solve();
  EXPECT_TRUE(report.converged);
  none.solve();
  EXPECT_EQ(small.solution(), none.solution());

  for (double& b : c.rhs) b = 0;
  PressureHarness<Cpu, D, Real> rest(exec, c);
  rest.set_solution(std::vector<Real>(c.cells(), Real(100)));
  EXPECT_TRUE(rest.solve().converged);
  for (const Real x : rest.solution()) EXPECT_EQ(x, Real(0));
}

TYPED_TEST(PressureSolverTest, FailuresAreReported) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  auto c = blob_case<D>(12, 0.1, 0.0);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const SolveReport cut = h.solve({1e-6, 0, 2});
  EXPECT_FALSE(cut.converged);
  EXPECT_EQ(cut.iterations, 2u);
  EXPECT_GT(cut.residual, cut.tolerance);

  const std::size_t middle = c.index(Vec<int, D>::filled(1)) < c.cells()
                                 ? c.index(Vec<int, D>::filled(1))
                                 : std::size_t{0};
  ASSERT_GT(c.diagonal()[middle], 0);
  for (auto* values : {&c.rhs, &c.dirichlet}) {
    const double before = (*values)[middle];
    (*values)[middle] = std::numeric_limits<double>::quiet_NaN();
    PressureHarness<Cpu, D, Real> poisoned(exec, c);
    EXPECT_FALSE(poisoned.solve().converged);
    (*values)[middle] = before;
  }
  // An indefinite system may still be solved, since the true residual decides; a negative one never
  // gets that far.
  c.dirichlet[middle] -= 100;
  PressureHarness<Cpu, D, Real> indefinite(exec, c);
  const SolveReport lucky = indefinite.solve();
  const auto x = indefinite.solution();
  if (lucky.converged) {
    EXPECT_LE((true_residual<D, Real>(c, x)), residual_bound(c, x, lucky.tolerance));
  }
  for (auto* values : {&c.conductance, &c.dirichlet})
    for (double& v : *values) v = -v;
  PressureHarness<Cpu, D, Real> negative(exec, c);
  EXPECT_FALSE(negative.solve().converged);
}

TYPED_TEST(PressureSolverTest, StoppedStepDoesNothing) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const auto c = blob_case<D>(9, 0.5, 0.0);
  Cpu exec(1);
  PressureHarness<Cpu, D, Real> h(exec, c);
  const std::uint32_t stop = 4;
  const SolveReport report = h.solve({}, &stop);
  EXPECT_TRUE(report.stopped);
  EXPECT_FALSE(report.converged);
  for (const Real x : h.solution()) EXPECT_EQ(x, Real(0));
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

// Grows from one system to the next larger one and back: nothing of the first may remain.
// With sealed pockets and without: bit for bit what a solver that builds everything anew finds.
TYPED_TEST(PressureSolverTest, AnotherRightHandSideSolvesAgain) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (const auto& c : {blob_case<D>(20, 0.3, 0.2), cube_case<D>(20, CubeWalls::kClosed)}) {
    auto other = c;
    for (std::size_t i = 0; i < c.cells(); ++i) other.rhs[i] = cell_noise<D>(c.cell(i), 5);
    Cpu exec(1);
    PressureHarness<Cpu, D, Real> twice(exec, c), once(exec, other);
    twice.solve();
    const SolveReport again = twice.solve_again(other.rhs), fresh = once.solve();
    EXPECT_TRUE(again.converged);
    EXPECT_EQ(again.iterations, fresh.iterations);
    EXPECT_EQ(again.singular_components, fresh.singular_components);
    EXPECT_EQ(again.imbalance, fresh.imbalance);
    EXPECT_EQ(twice.solution(), once.solution());
  }
}

TYPED_TEST(PressureSolverTest, SystemsMayChangeSize) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  EllipticSolver<Cpu, D, Real> solver(exec);
  const auto large = blob_case<D>(D == 3 ? 12 : 40, 0.1, 0.2), small = blob_case<D>(7, 0.1, 0.2);
  std::vector<Real> fresh, again;
  for (const auto* c : {&small, &large, &small}) {
    PressureHarness<Cpu, D, Real> h(exec, *c);
    EXPECT_TRUE(solver.solve(h.system(), {}, nullptr).converged);
    if (c == &large) continue;
    (fresh.empty() ? fresh : again) = h.solution();
  }
  EXPECT_EQ(fresh, again);
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

TEST(PressureSolverMemory, StaysWithinItsBudget) {
  // Dense blocks, all levels and the caller's channels (24 B), single precision.
  const auto c = cube_case<3>(64, CubeWalls::kOpenTop);
  Cpu exec(1);
  PressureHarness<Cpu, 3, float> h(exec, c);
  EXPECT_TRUE(h.solve().converged);
  EXPECT_LE(static_cast<double>(h.bytes()) / static_cast<double>(c.cells()), 48.0);
}

}  // namespace
}  // namespace firn::test
