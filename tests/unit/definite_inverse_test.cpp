// Blocks of nodes that are stiff one way and all but free the others: as preconditioners their
// inverses must stay positive definite, whatever rounding has done to the block.
#include "kernels/implicit/definite_inverse.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace firn {
namespace {

template <int D>
using Matrix = Eigen::Matrix<double, D, D>;

template <int D>
Mat<double, D> as_mat(const Matrix<D>& A) {
  Mat<double, D> B;
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) B(a, b) = A(a, b);
  return B;
}

// `rank` directions of stiffness 1, the others `soft`, entries rounded to Real.
template <class Real, int D>
Matrix<D> random_block(std::mt19937& random, int rank, double soft) {
  std::normal_distribution<double> normal;
  Matrix<D> A;
  for (int i = 0; i < D * D; ++i) A(i / D, i % D) = normal(random);
  const Matrix<D> Q = Eigen::HouseholderQR<Matrix<D>>(A).householderQ();
  Eigen::Matrix<double, D, 1> stiffness;
  for (int a = 0; a < D; ++a) stiffness[a] = a < rank ? 1 : soft;
  Matrix<D> B = Q * stiffness.asDiagonal() * Q.transpose();
  for (int i = 0; i < D * D; ++i) B(i / D, i % D) = static_cast<Real>(B(i / D, i % D));
  return B;
}

template <class Real, int D>
void expect_definite() {
  std::mt19937 random(9);
  const double share = 16 * static_cast<double>(kEpsilon<Real>);
  for (const double soft : {0.1, 1e-3, 1e-5, 1e-7, 1e-9, 0.0})
    for (int rank = 1; rank < D; ++rank)
      for (int k = 0; k < 500; ++k) {
        const Matrix<D> B = random_block<Real, D>(random, rank, soft);
        const Mat<Real, D> G = definite_inverse<Real>(as_mat<D>(B), share);
        Matrix<D> inverse;
        for (int a = 0; a < D; ++a)
          for (int b = 0; b < D; ++b) inverse(a, b) = static_cast<double>(G(a, b));
        ASSERT_EQ(inverse, inverse.transpose());
        const double least =
            Eigen::SelfAdjointEigenSolver<Matrix<D>>(inverse).eigenvalues().minCoeff();
        ASSERT_GT(least, 0) << "soft " << soft << ", rank " << rank << ", block " << k;
        if (soft < 1e-3) continue;
        // Off by the share, and by what rounding of B and G does to the soft directions.
        const double off = (inverse * B - Matrix<D>::Identity()).norm();
        ASSERT_LT(off, 4 * D * share / soft) << "soft " << soft;
      }
}
TEST(DefiniteInverse, IsDefiniteWhereRoundingHasMadeTheBlockIndefinite) {
  expect_definite<float, 2>();
  expect_definite<float, 3>();
  expect_definite<double, 2>();
  expect_definite<double, 3>();
}

// Of what is not positive definite at all, the diagonal.
TEST(DefiniteInverse, OfAnIndefiniteBlockIsThatOfItsDiagonal) {
  Mat<double, 2> B = Mat<double, 2>::diagonal({{1, 3}});
  B(0, 1) = B(1, 0) = 4;
  const Mat<double, 2> G = definite_inverse<double>(B, 1e-12);
  EXPECT_NEAR(G(0, 0), 1, 1e-10);
  EXPECT_NEAR(G(1, 1), 1.0 / 3, 1e-10);
  EXPECT_EQ(G(0, 1), 0);
}

}  // namespace
}  // namespace firn
