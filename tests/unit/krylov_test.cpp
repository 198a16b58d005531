// The Krylov solvers in a space of their own, as whoever adds a system uses them: a chain of
// springs on some of the values of a few blocks, against Eigen's solution.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/exec/host.h"
#include "kernels/solve/conjugate_gradients.inl"
#include "kernels/solve/minres.inl"
#include "src/solvers/conjugate_gradients.h"
#include "src/solvers/minres.h"

namespace firn::test {
namespace {

constexpr std::uint32_t kBlocks = 3, kUnknowns = 150;

// Every value but each seventh is an unknown, up to kUnknowns of them; the solution lies in `x`.
template <class RealType>
struct ChainSpace {
  using Real = RealType;
  static constexpr std::uint32_t kValues = 64, kCompanions = 0;
  Real* x;
  FIRN_HD bool is_active(std::uint64_t at) const { return at < kUnknowns && at % 7 != 3; }
  FIRN_HD void add(std::uint64_t at, Real step, Real w) const { x[at] += step * w; }
};

// (A u)_i = d_i u_i - u_(i-1) - u_(i+1): all of it local.
template <class Real>
struct ChainProduct {
  const Real *in, *diagonal;
  FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t at) const {
    const Real below = at > 0 ? in[at - 1] : Real(0);
    return diagonal[at] * in[at] - below - in[at + 1];
  }
};
template <class Real>
struct Chain {
  const Real* diagonal;
  void enqueue(KrylovVector<Real>, Real*) {}
  ChainProduct<Real> local(KrylovVector<Real> in, const Real*) { return {in.value, diagonal}; }
};
// The same by way of launches that add, as particles do.
template <class Real>
struct ScatteredChain {
  const Real* diagonal;
  struct Sum {
    const Real* out;
    FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t at) const {
      return out[at];
    }
  };
  void enqueue(KrylovVector<Real> in, Real* out) {
    for (std::uint32_t i = 0; i < kUnknowns; ++i) {
      out[i] += diagonal[i] * in.value[i];
      out[i + 1] -= in.value[i];
      if (i > 0) out[i - 1] -= in.value[i];
    }
  }
  Sum local(KrylovVector<Real>, const Real* out) { return {out}; }
};

template <class Real>
struct Jacobi {
  static constexpr bool kIsSolve = false;
  const Real* diagonal;
  struct Inverse {
    const Real *r, *diagonal;
    FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t at) const {
      const Real d = diagonal[at] < Real(0) ? -diagonal[at] : diagonal[at];
      return r[at] / d;
    }
  };
  SolveReport solve(const Real*, KrylovVector<Real>) { return solved(); }
  Inverse local(const Real* r, KrylovVector<Real>) { return {r, diagonal}; }
};
template <class Real>
struct Backwards : Jacobi<Real> {
  struct Inverse {
    typename Jacobi<Real>::Inverse right;
    FIRN_HD Real operator()(std::uint32_t block, std::uint32_t i, std::uint64_t at) const {
      return -right(block, i, at);
    }
  };
  Inverse local(const Real* r, KrylovVector<Real> z) { return {Jacobi<Real>::local(r, z)}; }
};
// A solve of its own that fails the second time.
template <class Real>
struct Fails : Jacobi<Real> {
  int solves = 0;
  SolveReport solve(const Real*, KrylovVector<Real>) {
    SolveReport report;
    report.converged = ++solves < 2;
    report.iterations = 77;
    return report;
  }
};

template <class RealType>
class Krylov : public testing::Test {
 protected:
  using Real = RealType;
  using Vector = Eigen::VectorXd;
  static constexpr std::size_t kSize = std::size_t{kBlocks} * 64;

  // Definite chains have d > 2; of the others every third value pulls the other way.
  explicit Krylov() : diagonal(kSize), b(kSize), x(kSize) {}
  void make(bool definite) {
    std::mt19937 engine(17);
    const auto random = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(engine);
    };
    for (std::size_t i = 0; i < kSize; ++i) {
      diagonal[i] = static_cast<Real>(random(2.1, 5));
      if (!definite && i % 3 == 1) diagonal[i] = -diagonal[i];
      b[i] = static_cast<Real>(random(-1, 1));
      x[i] = Real(0);
    }
  }
  template <class A, class G>
  SolveReport by_gradients(A&& a, G&& g, const SolveOptions& options = kOptions,
                           const std::uint32_t* stop = nullptr) {
    ConjugateGradients<Cpu, ChainSpace<Real>> solver(exec);
    solver.reserve(kBlocks);
    return solver.solve({x.data()}, {nullptr, kBlocks}, b.data(), x.data(), a, g, options, stop);
  }
  template <class A, class G>
  SolveReport by_minres(A&& a, G&& g, const SolveOptions& options = kOptions,
                        const std::uint32_t* stop = nullptr) {
    Minres<Cpu, ChainSpace<Real>> solver(exec);
    solver.reserve(kBlocks);
    EXPECT_EQ(solver.bytes(), solver.bytes_for(kBlocks));
    const MinresView<ChainSpace<Real>> view{{x.data()}, {nullptr, kBlocks}, solver.vectors()};
    const auto begin = [&] {
      begin_minres(exec, view, options, stop);
      exec.copy(view.v.r2, b.data(), kSize * sizeof(Real));
    };
    return solver.solve(view, begin, a, g);
  }

  Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(kUnknowns, kUnknowns);
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j)
        if (active(i) && active(j) && std::abs(i - j) <= 1)
          a(i, j) = i == j ? static_cast<double>(diagonal[static_cast<std::size_t>(i)]) : -1;
    return a;
  }
  static bool active(Eigen::Index i) {
    return ChainSpace<Real>{}.is_active(static_cast<std::uint64_t>(i));
  }
  Vector vector(const std::vector<Real>& values) const {
    Vector v = Vector::Zero(kUnknowns);
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (active(i)) v[i] = static_cast<double>(values[static_cast<std::size_t>(i)]);
    return v;
  }
  // The error is at most the residual over the smallest eigenvalue. The residual holds to the
  // tolerance, in whose norm G scales by at most the largest diagonal, 5, and the recursion loses a
  // rounding of the right-hand side in every iteration.
  void expect_solution(const SolveReport& report) {
    ASSERT_TRUE(report.converged) << report.residual << " of " << report.tolerance;
    EXPECT_GE(report.iterations, 5u);
    EXPECT_LE(report.residual, report.tolerance);
    EXPECT_GT(report.initial, 100 * report.tolerance) << "nothing to do";
    const Eigen::MatrixXd a = matrix();
    const Vector exact = a.ldlt().solve(vector(b)), found = vector(x);
    const double smallest =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().cwiseAbs().minCoeff();
    const double allowed =
        std::sqrt(5.0 * kUnknowns) * report.tolerance +
        report.iterations * static_cast<double>(kEpsilon<Real>) * a.norm() * exact.norm();
    EXPECT_LE((a * found - vector(b)).norm(), allowed);
    EXPECT_LE((found - exact).norm(), allowed / smallest);
    for (std::size_t i = 0; i < kSize; ++i)
      if (!active(static_cast<Eigen::Index>(i))) {
        EXPECT_EQ(x[i], Real(0)) << i;
      }
  }

  static constexpr SolveOptions kOptions{sizeof(Real) == 4 ? 1e-5 : 1e-12, 0, 300};
  Cpu exec{1};
  std::vector<Real> diagonal, b, x;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Krylov, Precisions);

TYPED_TEST(Krylov, GradientsSolveADefiniteSystem) {
  this->make(true);
  this->expect_solution(this->by_gradients(Chain<TypeParam>{this->diagonal.data()},
                                           Jacobi<TypeParam>{this->diagonal.data()}));
}

TYPED_TEST(Krylov, MinresSolvesADefiniteSystem) {
  this->make(true);
  this->expect_solution(this->by_minres(Chain<TypeParam>{this->diagonal.data()},
                                        Jacobi<TypeParam>{this->diagonal.data()}));
}

TYPED_TEST(Krylov, MinresSolvesAnIndefiniteSystem) {
  this->make(false);
  this->expect_solution(this->by_minres(Chain<TypeParam>{this->diagonal.data()},
                                        Jacobi<TypeParam>{this->diagonal.data()}));
}

TYPED_TEST(Krylov, GradientsReportThatASystemIsIndefinite) {
  this->make(false);
  const SolveReport report = this->by_gradients(Chain<TypeParam>{this->diagonal.data()},
                                                Jacobi<TypeParam>{this->diagonal.data()});
  EXPECT_FALSE(report.converged);
  EXPECT_LT(report.iterations, this->kOptions.max_iterations);
}

TYPED_TEST(Krylov, OperatorsMayAddWhatTheyMake) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  this->expect_solution(this->by_gradients(ScatteredChain<Real>{d}, Jacobi<Real>{d}));
  this->make(false);
  this->expect_solution(this->by_minres(ScatteredChain<Real>{d}, Jacobi<Real>{d}));
}

// What the operator had added for a step that was not to be is no part of the residual.
TYPED_TEST(Krylov, TheResidualOfABreakdownIsTheTrueOne) {
  using Real = TypeParam;
  this->make(false);
  const Real* d = this->diagonal.data();
  const SolveReport stencil = this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d});
  for (Real& value : this->x) value = Real(0);
  const SolveReport added = this->by_gradients(ScatteredChain<Real>{d}, Jacobi<Real>{d});
  EXPECT_GT(stencil.residual, stencil.tolerance);
  EXPECT_EQ(added.iterations, stencil.iterations);
  EXPECT_NEAR(added.residual, stencil.residual, 1e-5 * stencil.residual);
}

TYPED_TEST(Krylov, AGuessThatIsTheSolutionTakesNoIteration) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  EXPECT_TRUE(this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}).converged);
  const std::vector<Real> x = this->x;
  EXPECT_EQ(this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}).iterations, 0u);
  EXPECT_EQ(this->x, x);
  for (Real& value : this->b) value = Real(0);
  EXPECT_EQ(this->by_minres(Chain<Real>{d}, Jacobi<Real>{d}).iterations, 0u);
  EXPECT_EQ(this->x, x);
}

// A guess far worse than none is dropped, and values that are no unknowns are cleared.
TYPED_TEST(Krylov, ABadGuessIsDropped) {
  using Real = TypeParam;
  this->make(true);
  for (Real& value : this->x) value = Real(1e6);
  const Real* d = this->diagonal.data();
  this->expect_solution(this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}));
}

TYPED_TEST(Krylov, TooFewIterationsAreAFailure) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  const SolveOptions few{this->kOptions.relative, 0, 3};
  for (const SolveReport& report : {this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}, few),
                                    this->by_minres(Chain<Real>{d}, Jacobi<Real>{d}, few)}) {
    EXPECT_FALSE(report.converged);
    EXPECT_FALSE(report.stopped);
    EXPECT_EQ(report.iterations, 3u);
    EXPECT_GT(report.residual, report.tolerance);
    EXPECT_LT(report.residual, report.initial);
  }
}

TYPED_TEST(Krylov, WhatIsNotFiniteIsAFailure) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  for (Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    this->b[20] = bad;
    for (const SolveReport& report : {this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}),
                                      this->by_minres(Chain<Real>{d}, Jacobi<Real>{d})}) {
      EXPECT_FALSE(report.converged);
      EXPECT_EQ(report.iterations, 0u);
      EXPECT_FALSE(std::isfinite(report.residual));
    }
  }
}

TYPED_TEST(Krylov, NothingIsDoneInAStepThatHasBeenStopped) {
  using Real = TypeParam;
  this->make(true);
  const std::uint32_t stop = 1;
  const Real* d = this->diagonal.data();
  for (const SolveReport& report :
       {this->by_gradients(Chain<Real>{d}, Jacobi<Real>{d}, this->kOptions, &stop),
        this->by_minres(Chain<Real>{d}, Jacobi<Real>{d}, this->kOptions, &stop)}) {
    EXPECT_TRUE(report.stopped);
    EXPECT_FALSE(report.converged);
  }
  EXPECT_EQ(this->x, std::vector<Real>(this->kSize));
}

TYPED_TEST(Krylov, APreconditionerThatFailsIsReported) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  for (const SolveReport& report : {this->by_gradients(Chain<Real>{d}, Fails<Real>{{d}}),
                                    this->by_minres(Chain<Real>{d}, Fails<Real>{{d}})}) {
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 77u);
  }
}

TYPED_TEST(Krylov, APreconditionerThatPushesTheWrongWayIsAFailure) {
  using Real = TypeParam;
  this->make(true);
  const Real* d = this->diagonal.data();
  EXPECT_FALSE(this->by_gradients(Chain<Real>{d}, Backwards<Real>{{d}}).converged);
  EXPECT_FALSE(this->by_minres(Chain<Real>{d}, Backwards<Real>{{d}}).converged);
}

}  // namespace
}  // namespace firn::test
