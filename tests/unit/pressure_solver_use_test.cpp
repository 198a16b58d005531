// How the pressure solver is used: nothing to solve, guesses good and bad, failures, which are
// reported, one solver for several systems, and its memory.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/pressure_blobs.h"
#include "tests/support/pressure_cases.h"
#include "tests/support/pressure_pockets.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

TYPED_TEST_SUITE(PressureSolverTest, Spaces);

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

// Grows from one system to the next larger one and back: nothing of the first may remain.
TYPED_TEST(PressureSolverTest, SystemsMayChangeSize) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  EllipticSolver<Cpu, D, Real> solver(exec);
  const auto large = blob_case<D>(D == 3 ? 20 : 60, 0.1, 0.2), small = blob_case<D>(7, 0.1, 0.2);
  std::vector<Real> fresh, again;
  std::uint32_t levels = 0;
  for (const auto* c : {&small, &large, &small}) {
    PressureHarness<Cpu, D, Real> h(exec, *c);
    const SolveReport report = solver.solve(h.system(), {}, nullptr);
    EXPECT_TRUE(report.converged);
    if (c == &large) {  // which has levels that the small one had not
      PressureHarness<Cpu, D, Real> alone(exec, *c);
      const SolveReport expected =
          EllipticSolver<Cpu, D, Real>(exec).solve(alone.system(), {}, nullptr);
      EXPECT_EQ(report.levels, expected.levels);
      EXPECT_GT(report.levels, levels);
      EXPECT_EQ(h.solution(), alone.solution());
      continue;
    }
    levels = report.levels;
    (fresh.empty() ? fresh : again) = h.solution();
  }
  EXPECT_EQ(fresh, again);
}

TYPED_TEST(PressureSolverTest, DeeperHierarchiesKnowSealedPockets) {
  Cpu exec(1);
  expect_growth_keeps_pockets<TypeParam::D, typename TypeParam::Real>(exec, 12);
}

// Closed, heavy and loaded evenly: single precision knows such a solution by its digits alone. What
// they hide must be little of what was to be solved for.
TEST(PressureSolverRounding, IsNoSolutionWhereItHidesTheRightHandSide) {
  Cpu exec(1);
  for (const double weight : {1e-3, 1e-8, 1e-10}) {
    auto c = cube_case<2>(40, CubeWalls::kClosed);
    random_rhs(c);
    const std::vector<double> diagonal = c.diagonal();
    c.mass.assign(c.cells(), 0);
    for (std::size_t i = 0; i < c.cells(); ++i)
      if (diagonal[i] > 0) c.mass[i] = weight, c.rhs[i] = 0.9 * c.rhs[i] + 0.1;
    PressureHarness<Cpu, 2, float> single(exec, c);
    PressureHarness<Cpu, 2, double> known(exec, c);
    const SolveReport report = single.solve({1e-6, 0, 200});
    EXPECT_TRUE(known.solve({1e-6, 0, 200}).converged);
    if (report.converged) {
      EXPECT_LT(report.residual, 0.11);
    }
    EXPECT_EQ(report.converged, weight == 1e-3) << weight;
  }
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
