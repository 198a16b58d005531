// The solve of the implicit deviatoric forces on blocks of particles of random deformation:
// together with the pressure against a dense one, for any number of threads, and on a floor.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/dense_deviatoric.h"
#include "tests/support/deviatoric_blocks.h"
#include "tests/support/deviatoric_harness.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

TYPED_TEST_SUITE(DeviatoricOperator, Spaces);

// What the pressures of the solve leave, relative, and what that may grow to in a few iterations.
constexpr double kPressures = 10 * 1e-4;

// The solver ends when the residual, in the norm of the preconditioner, is below its tolerance; it
// knows that residual by a recurrence, which loses a rounding of the right-hand side per iteration.
// The error is at most the residual over the smallest eigenvalue, and what the velocities lack of
// being free of divergence, for the pressures are solved to a tolerance of their own.
template <int D, class Real>
void expect_dense_solution(const std::vector<HarnessParticle<D>>& particles, double dt,
                           double inverse_lambda, bool indefinite) {
  SCOPED_TRACE(inverse_lambda);
  DeviatoricHarness<D, Real> h(
      block_scene<D, Real>(BoundaryType::kSlip, 2, {sizeof(Real) == 4 ? 1e-4 : 1e-10, 2000}));
  h.prepare(particles, dt);
  ASSERT_TRUE(h.project(inverse_lambda).converged);
  h.begin();
  const auto faces = h.list();
  const DenseSystem dense(h, faces, dt, inverse_lambda);
  const Eigen::VectorXd lambda = dense.eigenvalues();
  EXPECT_EQ(lambda[0] < 0, indefinite) << lambda[0];
  const Eigen::VectorXd before = dense.pick(h.velocities(faces)), r = dense.right_side(before);
  const SolveReport report = h.solve();
  ASSERT_TRUE(report.converged) << report.iterations;
  EXPECT_GT(report.initial, 100 * report.tolerance) << "nothing to do";
  EXPECT_GE(report.iterations, 5);
  const Eigen::VectorXd exact = dense.solve(r), delta = dense.pick(h.velocities(faces)) - before;
  Eigen::VectorXd y(dense.B.rows());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    y[i] = -h.pressure(dense.cells[static_cast<std::size_t>(i)]);
  const double rounding = report.iterations * static_cast<double>(kEpsilon<Real>) *
                          std::max(dense.norm_of_change(before), report.initial);
  const double residual = dense.residual_norm(r, delta, y),
               allowed = report.tolerance + 10 * rounding;
  EXPECT_LE(residual, allowed);
  const Eigen::VectorXd error = delta - exact.head(delta.size());
  EXPECT_LE(dense.norm_of_change(error),
            (allowed + kPressures * report.initial) / lambda.cwiseAbs().minCoeff());
  EXPECT_LE(dense.largest_outflow(delta, y), kPressures * dense.largest_outflow_of(r) + rounding);
  std::printf("%zu faces, eigenvalues %.3g to %.3g, %u iterations, residual %.3g of %.3g\n",
              dense.solved.size(), lambda[0], lambda[lambda.size() - 1], report.iterations,
              residual, report.initial);
}

TYPED_TEST(DeviatoricOperator, TheSolveIsThatOfTheDenseSystem) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  // dt^2 mu / (rho dx^2) is 9: the mass is the smaller part.
  for (double inverse_lambda : {1e-3, 1e-6, 0.0})
    expect_dense_solution<D, Real>(block_particles<D, Real>(3, 0.97, 1.05), 0.03, inverse_lambda,
                                   false);
}

// Material that is pressed flat would rather buckle.
TYPED_TEST(DeviatoricOperator, AnIndefiniteSystemIsSolvedToo) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto particles = block_particles<D, Real>(3, 1, 1);
  for (auto& p : particles) {
    p.F = Mat<double, D>::identity();
    p.F(0, 0) = 0.25;
    p.liquid = false;
  }
  expect_dense_solution<D, Real>(particles, 0.05, 1e-5, true);
}

TYPED_TEST(DeviatoricOperator, TheNumberOfThreadsDoesNotMatter) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  std::vector<double> velocities[2];
  for (int threads : {1, 2}) {
    DeviatoricHarness<D, Real> h(block_scene<D, Real>(BoundaryType::kSeparate), threads);
    h.prepare(block_particles<D, Real>(6, kLeastStretch, kMostStretch), kBlockDt);
    ASSERT_TRUE(h.project().converged);
    ASSERT_TRUE(h.solve().converged);
    velocities[threads - 1] = h.velocities(h.list());
  }
  EXPECT_EQ(velocities[0], velocities[1]);
}

// A sticky floor holds its faces: they move as it does, which is not at all. One that material may
// leave opens where it pulls.
TYPED_TEST(DeviatoricOperator, FacesOnAFloorMoveWhereItOpened) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (BoundaryType floor : kFloors)
    for (bool opens : {false, true}) {
      DeviatoricHarness<D, Real> h(block_scene<D, Real>(floor));
      auto particles = block_particles<D, Real>(3, kLeastStretch, kMostStretch);
      for (auto& p : particles) p.v[1] += opens ? 20 : -20;
      h.prepare(particles, kBlockDt);
      ASSERT_TRUE(h.project().converged);
      const bool free = opens && floor == BoundaryType::kSeparate;
      ASSERT_TRUE(h.solve().converged);
      const auto faces = h.list();
      const auto v = h.velocities(faces);
      int on_floor = 0;
      for (std::size_t i = 0; i < faces.size(); ++i) {
        const bool lies_on_it = faces[i].own && faces[i].axis == 1 && faces[i].cell[1] == 0;
        if (!lies_on_it) continue;
        ++on_floor;
        EXPECT_EQ(faces[i].solved, free);
        EXPECT_EQ(v[i] == 0, !free);
      }
      EXPECT_GE(on_floor, 3);
    }
}

}  // namespace
}  // namespace firn::test
