// The system that the deviatoric solve meets together with the pressure, in dense matrices. Their
// decompositions take long to compile, so they have a file of their own.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/deviatoric_blocks.h"
#include "tests/support/deviatoric_harness.h"

namespace firn::test {

// On the solved faces and the cells around them: A = M + dt^2 H, B and the diagonal C.
struct DenseSystem {
  Eigen::MatrixXd A, B, M;
  double C = 0;  // of each cell
  std::vector<std::size_t> solved, cells;

  template <int D, class Real>
  DenseSystem(DeviatoricHarness<D, Real>& h, const std::vector<DeviatoricFace<D>>& faces, double dt,
              double inverse_lambda)
      : C(inverse_lambda / (dt * dt) * std::pow(kBlockDx, D)) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      if (faces[i].solved) solved.push_back(i);
    const auto n = static_cast<Eigen::Index>(solved.size());
    A.resize(n, n), M = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      std::vector<double> unit(faces.size(), 0);
      unit[solved[static_cast<std::size_t>(j)]] = 1;
      M(j, j) = faces[solved[static_cast<std::size_t>(j)]].mass;
      A.col(j) = dt * dt * pick(h.apply(faces, unit)) + M.col(j);
    }
    A = (0.5 * (A + A.transpose())).eval();
    fill_outflows(h.outflows(faces));
  }

  Eigen::VectorXd pick(const std::vector<double>& field) const;
  Eigen::VectorXd right_side(const Eigen::VectorXd& v) const;  // M v - A v
  // Of the preconditioned matrix, in order.
  Eigen::VectorXd eigenvalues() const;
  // delta and y.
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const;

  // sqrt(r . G^-1 r) of the residual that delta and y leave of r, and of what changes velocities by
  // v.
  double residual_norm(const Eigen::VectorXd& r, const Eigen::VectorXd& delta,
                       const Eigen::VectorXd& y) const;
  double norm_of_change(const Eigen::VectorXd& v) const;
  // The largest entries of B delta - C y, and of B M^-1 r.
  double largest_outflow(const Eigen::VectorXd& delta, const Eigen::VectorXd& y) const;
  double largest_outflow_of(const Eigen::VectorXd& r) const;

 private:
  template <class Outflows>
  void fill_outflows(const Outflows& outflows) {
    for (const auto& o : outflows) cells.push_back(o.cell);
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    B = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(cells.size()), A.rows());
    for (const auto& o : outflows) {
      const auto face = std::lower_bound(solved.begin(), solved.end(), o.face);
      if (face == solved.end() || *face != o.face) continue;
      B(std::lower_bound(cells.begin(), cells.end(), o.cell) - cells.begin(),
        face - solved.begin()) = o.area;
    }
  }
  Eigen::MatrixXd basis() const;
  Eigen::MatrixXd reduced(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Z) const;
  double norm(const Eigen::VectorXd& r) const;
};

}  // namespace firn::test
