// Conjugate gradients need a preconditioner M that is symmetric and positive. Rayleigh quotients of
// M A over random systems and depths; systems for which the faster cycle is not positive;
// iterations where conductances are random.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "tests/support/pressure_cases.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

struct Spectrum {
  bool positive = true;  // <r, M r> > 0 for all residuals that came up
  double least = 0, largest = 0;
};

// A with the places of its entries looked up once.
template <int D>
class Matrix {
 public:
  explicit Matrix(const PressureCase<D>& c) : ground_(c.dirichlet) {
    for (std::size_t i = 0; i < c.cells(); ++i) {
      if (!c.mass.empty()) ground_[i] += c.mass[i];
      for (int a = 0; a < D; ++a)
        if (const double k = c.conductance[c.at(i, a)]; k != 0)
          faces_.push_back({i, c.index(c.below(c.cell(i), a)), k});
    }
  }
  std::vector<double> operator*(const std::vector<double>& x) const {
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = ground_[i] * x[i];
    for (const auto& [i, j, k] : faces_) {
      const double flux = k * (x[i] - x[j]);
      y[i] += flux, y[j] -= flux;
    }
    return y;
  }

 private:
  struct Face {
    std::size_t above, below;
    double k;
  };
  std::vector<double> ground_;
  std::vector<Face> faces_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
Spectrum extremes(const std::vector<double>& alpha, const std::vector<double>& beta) {
  const auto n = static_cast<Eigen::Index>(alpha.size());
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    T(k, k) = 1 / alpha[i] + (k > 0 ? beta[i - 1] / alpha[i - 1] : 0);
    if (k + 1 < n) T(k, k + 1) = T(k + 1, k) = std::sqrt(beta[i]) / alpha[i];
  }
  const auto values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(T).eigenvalues();
  return {true, values(0), values(n - 1)};
}
// The extreme Ritz values of M A, which are Rayleigh quotients, from the coefficients of conjugate
// gradients (Lanczos' method) for a right-hand side in the range of A. `steps` end early where the
// residual has lost six digits: what is left of constants in closed parts stays far below that.
template <int D>
Spectrum spectrum(const PressureCase<D>& c, bool plain, int steps = 30) {
  Cpu exec(1);
  PressureHarness<Cpu, D, double> h(exec, c);
  h.solve({0.5, 0, 1});
  if (plain) h.make_plain();
  const Matrix<D> A(c);
  std::vector<double> r(c.cells()), p(c.cells()), alpha, beta;
  for (std::size_t i = 0; i < c.cells(); ++i) p[i] = cell_noise<D>(c.cell(i), 99) - 0.5;
  r = A * p;
  double rz = 0, first = 0;
  for (int k = 0; k < steps; ++k) {
    const auto z = h.precondition(r);
    const double next = dot(r, z);
    if (!(next > 0)) return {false};
    if (k == 0) first = next;
    if (next < 1e-12 * first) break;
    if (k > 0) beta.push_back(next / rz);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + (k > 0 ? beta.back() * p[i] : 0);
    rz = next;
    const auto Ap = A * p;
    alpha.push_back(rz / dot(p, Ap));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha.back() * Ap[i];
  }
  beta.resize(alpha.size() - 1);
  return extremes(alpha, beta);
}

template <int D>
PressureCase<D> with_ties(PressureCase<D> c, double strongest, int seed) {
  for (std::size_t i = 0; i < c.cells(); ++i)
    c.dirichlet[i] *= std::pow(strongest, cell_noise<D>(c.cell(i), 700 + seed));
  return c;
}

// Anything goes: conductances over up to three decades, ties up to 1e4 of them, holes that are wall
// or air, thin sheets, any set of open sides, deep hierarchies around a corner.
template <int D>
PressureCase<D> hard_case(int seed) {
  const auto draw = [&](int what) { return cell_noise<2>({{seed, what}}, 900); };
  const int n = D == 3 ? 8 + static_cast<int>(16 * draw(0)) : 20 + static_cast<int>(100 * draw(0));
  const auto lo = Vec<int, D>::filled(draw(1) < 0.3 ? 0 : -1 - static_cast<int>(11 * draw(2)));
  auto hi = lo;
  for (int a = 0; a < D; ++a) hi[a] += n;
  if (draw(3) < 0.4) hi[0] = lo[0] + 1 + static_cast<int>(5 * draw(4));
  const auto open = 1 + static_cast<unsigned>(draw(5) * ((1 << 2 * D) - 1));
  const double holes = draw(6) < 0.5 ? 0 : 0.35 * draw(7), wide = 3 * draw(8);
  const bool air = draw(9) < 0.5;
  const auto c = make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& at) {
        for (int a = 0; a < D; ++a) {
          if (at[a] < lo[a]) return open >> 2 * a & 1 ? CellClass::kAir : CellClass::kWall;
          if (at[a] >= hi[a]) return open >> 2 * a & 2 ? CellClass::kAir : CellClass::kWall;
        }
        if (cell_noise<D>(at, 500 + seed) >= holes) return CellClass::kActive;
        return air ? CellClass::kAir : CellClass::kWall;
      },
      [=](const Vec<int, D>& at, int a) {
        return std::pow(10, -wide * cell_noise<D>(at, 600 + 3 * seed + a));
      });
  return with_ties<D>(c, std::pow(10, 4 * draw(10)), seed);
}

// A channel around a ring of `blocks` blocks with a wall across it, open at the top: two steps down
// its levels are one block around, and the wall is not where that block's row ends.
PressureCase<2> walled_ring(int blocks, int wall) {
  const int n = 8 * blocks;
  auto c = make_case<2>(
      {{0, 0}}, {{n, 64}},
      [=](const Vec<int, 2>& at) {
        if (at[1] < 0 || at[1] >= 64) return at[1] < 0 ? CellClass::kWall : CellClass::kAir;
        return (at[0] + n) % n == wall ? CellClass::kWall : CellClass::kActive;
      },
      kUnitFace);
  c.periodic.count[0] = blocks;
  random_rhs(c);
  return c;
}
// A tank that a strip of nine cells beyond a corner of the lattice holds by firm ties.
PressureCase<2> firmly_tied_strip() {
  const auto lo = Vec<int, 2>::filled(-9), hi = Vec<int, 2>::filled(51);
  auto c = make_case<2>(
      lo, hi, [=](const Vec<int, 2>& at) { return class_in_tank<2>(Tank::kCorner, at, lo, hi); },
      [](const Vec<int, 2>& at, int axis) { return 0.1 + 0.9 * cell_noise<2>(at, axis + 9); });
  for (double& d : c.dirichlet) d *= 20;
  random_rhs(c);
  return c;
}

// The bound of conjugate gradients, 1/2 sqrt(largest / least) ln(2 / tolerance), is 25 iterations
// to 1e-6 for a quotient of 12.
template <int D>
void expect_well_conditioned(Tank tank, int n, int seed) {
  const auto s = spectrum<D>(random_tank<D>(tank, n, false, seed), false);
  const std::string what = "tank " + std::to_string(static_cast<int>(tank)) + " of " +
                           std::to_string(n) + ", seed " + std::to_string(seed);
  ASSERT_TRUE(s.positive) << what;
  EXPECT_GT(s.least, 0) << what;
  EXPECT_LT(s.largest, 12 * s.least) << what;
}
TEST(PressureCycle, IsPositiveAtAllDepths) {
  for (const Tank tank : kTanks) {
    if (tank == Tank::kPocket) continue;  // aggregates glue the pocket to the tank
    for (int seed = 0; seed < 3; ++seed) {
      for (const int n : {9, 20, 46, 100, 150}) expect_well_conditioned<2>(tank, n + seed, seed);
      for (const int n : {6, 13, 28}) expect_well_conditioned<3>(tank, n + seed, seed);
    }
  }
}

// In a plain hierarchy M A lies in (0, 1], but for the rounding of a few hundred operations in the
// cycle, relative to the largest coefficient of a row where the quotient is of the smallest.
template <int D>
void expect_contraction(const PressureCase<D>& c, const std::string& what) {
  double largest = 0, least = std::numeric_limits<double>::infinity();
  for (const double d : c.diagonal())
    if (d > 0) largest = std::max(largest, d), least = std::min(least, d);
  if (largest == 0) return;
  const auto s = spectrum<D>(c, true);
  ASSERT_TRUE(s.positive) << what;
  EXPECT_GT(s.least, 0) << what;
  EXPECT_LT(s.largest, 1 + 1e3 * std::numeric_limits<double>::epsilon() * largest / least) << what;
}
TEST(PressureCycle, PlainHierarchiesAreNeverTooSoft) {
  for (int seed = 0; seed < 100; ++seed) {
    expect_contraction<2>(hard_case<2>(seed), "2D, seed " + std::to_string(seed));
    expect_contraction<3>(hard_case<3>(seed), "3D, seed " + std::to_string(seed));
  }
  expect_contraction<2>(walled_ring(2, 3), "walled ring");
  expect_contraction<2>(firmly_tied_strip(), "strip");
}

// Systems that the faster cycle breaks down on go on with the plain one, and stay with it for
// another right-hand side; the next system starts with the faster one again.
TEST(PressureCycle, BreakdownGoesOnWithThePlainCycle) {
  for (auto c : {walled_ring(2, 3), walled_ring(4, 7)}) {
    EXPECT_FALSE(spectrum<2>(c, false).positive);
    Cpu exec(1);
    PressureHarness<Cpu, 2, double> h(exec, c);
    const SolveReport first = h.solve({1e-6, 0, 100});
    EXPECT_TRUE(first.plain);
    EXPECT_TRUE(first.converged);
    EXPECT_LE(first.iterations, 25u);
    EXPECT_LE((true_residual<2, double>(c, h.solution())), first.tolerance);
    for (double& b : c.rhs) b = b * b - 0.3;
    const SolveReport again = h.solve_again(c.rhs, {1e-6, 0, 100});
    EXPECT_TRUE(again.plain);
    EXPECT_TRUE(again.converged);
    EXPECT_LE((true_residual<2, double>(c, h.solution())), again.tolerance);
    EXPECT_TRUE(h.solve({1e-6, 0, 100}).converged);
  }
  Cpu exec(1);
  PressureHarness<Cpu, 2, double> sound(exec, cube_case<2>(20, CubeWalls::kOpenTop));
  EXPECT_FALSE(sound.solve().plain);
}

template <class T>
class PressureIterations : public testing::Test {};
TYPED_TEST_SUITE(PressureIterations, Spaces);

// Where a coarse cell lies on both sides of the pocket's wall, coarse levels cannot tell the pocket
// from the tank.
TYPED_TEST(PressureIterations, OfRandomConductances) {
  Cpu exec(1);
  for (const Tank tank : kTanks)
    for (const int n : TypeParam::D == 3 ? std::vector{16, 32, 40} : std::vector{16, 64, 150, 200})
      expect_iterations<TypeParam::D, typename TypeParam::Real>(exec, tank, n, false,
                                                                tank == Tank::kPocket ? 30 : 25);
}
// Conductances over three decades: sums of faces in parallel, the coarse ones, are up to five times
// their means in series, and the quotient of the largest to the least m grows by as much.
TYPED_TEST(PressureIterations, OfConductancesOverThreeDecades) {
  Cpu exec(1);
  for (const Tank tank : {Tank::kOpenTop, Tank::kCorner, Tank::kClosed})
    expect_iterations<TypeParam::D, typename TypeParam::Real>(
        exec, tank, TypeParam::D == 3 ? 32 : 150, true, 70);
}
TEST(PressureCycle, IterationsOfLargeRandomSystems) {
  Cpu exec(1);
  expect_iterations<2, float>(exec, Tank::kCorner, 1024, false, 25);
  expect_iterations<3, float>(exec, Tank::kCorner, 128, false, 25);
}

}  // namespace
}  // namespace firn::test
