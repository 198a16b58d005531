// The decompositions of the dense system of the deviatoric solve, and products with its matrices.
#include "tests/support/dense_deviatoric.h"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace firn::test {
namespace {

double largest(const Eigen::VectorXd& v) { return v.cwiseAbs().maxCoeff(); }

}  // namespace

Eigen::VectorXd DenseSystem::pick(const std::vector<double>& field) const {
  Eigen::VectorXd out(static_cast<Eigen::Index>(solved.size()));
  for (Eigen::Index j = 0; j < out.size(); ++j) out[j] = field[solved[static_cast<std::size_t>(j)]];
  return out;
}

Eigen::VectorXd DenseSystem::right_side(const Eigen::VectorXd& v) const { return M * v - A * v; }

// In the space that is left to the velocities: where C = 0, those that B sees nothing of.
Eigen::MatrixXd DenseSystem::basis() const {
  if (C > 0) return Eigen::MatrixXd::Identity(A.rows(), A.rows());
  return B.fullPivLu().kernel();
}

Eigen::MatrixXd DenseSystem::reduced(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Z) const {
  const Eigen::MatrixXd inner = Z.transpose() * X * Z;
  return C > 0 ? Eigen::MatrixXd(inner + B.transpose() * B / C) : inner;
}

Eigen::VectorXd DenseSystem::eigenvalues() const {
  const Eigen::MatrixXd Z = basis();
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(reduced(A, Z), reduced(M, Z),
                                                                   Eigen::EigenvaluesOnly)
      .eigenvalues();
}

Eigen::VectorXd DenseSystem::solve(const Eigen::VectorXd& r) const {
  const Eigen::Index n = A.rows(), m = B.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = A;
  K.bottomLeftCorner(m, n) = B;
  K.topRightCorner(n, m) = B.transpose();
  K.bottomRightCorner(m, m) = -C * Eigen::MatrixXd::Identity(m, m);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n + m);
  b.head(n) = r;
  return K.fullPivLu().solve(b);
}

double DenseSystem::norm(const Eigen::VectorXd& r) const {
  const Eigen::MatrixXd Z = basis();
  const Eigen::VectorXd in = Z.transpose() * r;
  return std::sqrt(in.dot(reduced(M, Z).ldlt().solve(in)));
}

double DenseSystem::residual_norm(const Eigen::VectorXd& r, const Eigen::VectorXd& delta,
                                  const Eigen::VectorXd& y) const {
  return norm(r - A * delta - B.transpose() * y);
}

double DenseSystem::norm_of_change(const Eigen::VectorXd& v) const { return norm(M * v); }

double DenseSystem::largest_outflow(const Eigen::VectorXd& delta, const Eigen::VectorXd& y) const {
  return largest(B * delta - C * y);
}

double DenseSystem::largest_outflow_of(const Eigen::VectorXd& r) const {
  return largest(B * M.inverse() * r);
}

}  // namespace firn::test
