// Random deformations for tests of constitutive laws, and difference quotients of what those say.
#pragma once

#include <cmath>
#include <random>

#include "kernels/math/mat.h"
#include "kernels/math/svd.h"

namespace firn::test {

// Random matrices, and deformations of prescribed stretches.
template <int D>
class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : engine_(seed) {}

  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  Mat<double, D> matrix() {
    Mat<double, D> m;
    for (auto& row : m.m)
      for (double& x : row) x = normal_(engine_);
    return m;
  }
  Mat<double, D> rotation() { return svd(matrix()).U; }
  Vec<double, D> unit_vector() {
    Vec<double, D> v;
    for (int i = 0; i < D; ++i) v[i] = normal_(engine_);
    return v * (1 / norm(v));
  }
  Mat<double, D> stretched(const Vec<double, D>& stretches) {
    return compose(rotation(), stretches, rotation());
  }
  // Stretches in [lo, hi]; a third of the draws repeat one, a third repeat all of them.
  Mat<double, D> deformation(double lo, double hi) {
    Vec<double, D> s;
    for (int i = 0; i < D; ++i) s[i] = uniform(lo, hi);
    const unsigned repeat = static_cast<unsigned>(engine_()) % 3;
    if (repeat > 0) s[1] = s[0];
    if (repeat > 1) s[D - 1] = s[0];
    return stretched(s);
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

template <int D>
double size(const Mat<double, D>& a) {
  return std::sqrt(contract(a, a));
}

// Central differences: fourth order in the step after one Richardson extrapolation, so a step of
// 1e-3 leaves ~1e-12 |f^(5)| of truncation and ~eps |f| / 1e-3 of round-off. Both are far below
// 1e-8 of the stiffness.
template <class Function>
auto derivative(const Function& f) {
  const double h = 1e-3;
  return (4.0 / 3.0) * ((f(h / 2) - f(-h / 2)) * (1 / h)) -
         (1.0 / 3.0) * ((f(h) - f(-h)) * (1 / (2 * h)));
}

}  // namespace firn::test
