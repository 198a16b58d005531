// One system on both backends: the solver's decisions agree, and so do solutions within what the
// tolerance leaves open. Sums differ in nothing but the contraction of products, so the iterations
// may differ by one where the residual ends close to its tolerance.
#include <gtest/gtest.h>

#if defined(FIRN_WITH_CUDA)

#include "tests/support/device.h"
#include "tests/support/pressure_cases.h"
#include "tests/support/pressure_pockets.h"

namespace firn::test {
namespace {

template <int D, class Real, class Exec>
SolveReport solve_on(Exec& exec, const PressureCase<D>& c, std::vector<Real>& x) {
  PressureHarness<Exec, D, Real> h(exec, c);
  const SolveReport report = h.solve({1e-5, 0, 100});
  x = h.solution();
  return report;
}

template <int D, class Real>
void expect_equal() {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  // Singular and regular components side by side.
  const auto c = random_tank<D>(Tank::kPocket, D == 3 ? 40 : 150);
  Cpu cpu;
  Cuda cuda;
  std::vector<Real> a, b, again;
  const SolveReport on_cpu = solve_on<D>(cpu, c, a), on_cuda = solve_on<D>(cuda, c, b);
  EXPECT_TRUE(on_cpu.converged);
  EXPECT_TRUE(on_cuda.converged);
  EXPECT_EQ(on_cuda.singular_components, on_cpu.singular_components);
  EXPECT_GE(on_cpu.singular_components, 1u);
  EXPECT_EQ(on_cuda.levels, on_cpu.levels);
  EXPECT_NEAR(on_cuda.iterations, on_cpu.iterations, 1);
  // Both residuals are below the tolerance t, so the difference d has |A d| <= 2 t; along a domain
  // of n cells, with conductances of 0.1 at least, that lets |d| reach 10 n^2 t.
  const double n = D == 3 ? 40 : 150, t = std::max(on_cpu.residual, on_cuda.residual);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 10 * n * n * t) << i;
  solve_on<D>(cuda, c, again);
  EXPECT_EQ(b, again);  // integer sums and a fixed order: bitwise repeatable on CUDA too
}

TEST(GpuPressureSolver, EqualsTheCpu2DSingle) { expect_equal<2, float>(); }
TEST(GpuPressureSolver, EqualsTheCpu2DDouble) { expect_equal<2, double>(); }
TEST(GpuPressureSolver, EqualsTheCpu3DSingle) { expect_equal<3, float>(); }
TEST(GpuPressureSolver, EqualsTheCpu3DDouble) { expect_equal<3, double>(); }

TEST(GpuPressureSolver, DeeperHierarchiesKnowSealedPockets) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  expect_growth_keeps_pockets<2, float>(exec, 9);
  expect_growth_keeps_pockets<3, double>(exec, 5);
}

TEST(GpuPressureSolver, IterationsOfRandomConductances) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  for (const Tank tank : {Tank::kOpenTop, Tank::kPillars, Tank::kClosed}) {
    for (const int n : {16, 64, 200}) expect_iterations<2, float>(exec, tank, n, false, 25);
    for (const int n : {16, 32}) expect_iterations<3, float>(exec, tank, n, false, 25);
  }
}
// At the full size on the CPU as well (PressureCycle.IterationsOfLargeRandomSystems).
TEST(GpuPressureSolver, IterationsOfALargePlane) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  expect_iterations<2, float>(exec, Tank::kCorner, in_software() ? 512 : 1024, false, 25);
}
TEST(GpuPressureSolver, IterationsOfALargeVolume) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  expect_iterations<3, float>(exec, Tank::kCorner, in_software() ? 64 : 128, false, 25);
}

}  // namespace
}  // namespace firn::test

#endif
