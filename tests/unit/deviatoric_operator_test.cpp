// The operator of the implicit deviatoric forces on blocks of particles of random deformation, with
// a surface on all sides and a floor at one: its symmetry, the energy that it is the second
// derivative of, and the solve together with the pressure against a dense one.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "kernels/materials/corotated_deviatoric.h"
#include "tests/support/deviatoric_harness.h"
#include "tests/support/random_matrices.h"
#include "tests/support/spaces.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

template <class T>
class DeviatoricOperator : public testing::Test {};
TYPED_TEST_SUITE(DeviatoricOperator, Spaces);

constexpr double kDx = 0.1, kMu = 1e5, kViscosity = 40, kDt = 2e-3;
constexpr double kLeast = 0.7, kMost = 1.5;  // stretches

template <class Real>
constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::kSingle : Precision::kDouble;

template <int D, class Real>
Scene block_scene(BoundaryType floor, int kernel = 2) {
  Scene scene = thermal_scene(D, kDx, kPrecision<Real>);
  scene.transfer.kernel = kernel;
  scene.thermal.heat = false;
  scene.grid.domain = closed_box({0, 0, 0}, {3, 3, 3});
  scene.grid.domain->boundary[2] = floor;
  Material gel = solid("gel", kMu, 1e6);
  gel.viscosity = kViscosity;
  scene.materials = {gel};
  return scene;
}

// 2^D particles to each of `cells`^D cells on the floor, which do not begin with those of the grid;
// some are liquid. All numbers are exact in Real.
template <int D, class Real>
std::vector<HarnessParticle<D>> block_particles(int cells, double least, double most,
                                                unsigned seed = 1) {
  RandomMatrices<D> random(seed);
  std::vector<HarnessParticle<D>> particles;
  const auto exact = [](double v) { return static_cast<double>(static_cast<Real>(v)); };
  const double step = kDx / 2;
  const auto count = static_cast<int>(std::lround(std::pow(2 * cells, D)));
  for (int i = 0; i < count; ++i) {
    HarnessParticle<D> p;
    for (int a = 0, rest = i; a < D; ++a, rest /= 2 * cells) {
      p.x[a] = exact((a == 1 ? 0 : 0.43) + step * (rest % (2 * cells) + random.uniform(0, 1)));
      p.v[a] = random.uniform(-1, 1);
    }
    p.volume = exact(std::pow(step, D));
    p.mass = exact(1000 * p.volume);
    p.liquid = random.uniform(0, 1) < 0.1;
    const auto F = random.deformation(least, most);
    for (int j = 0; j < D * D; ++j) p.F(j / D, j % D) = exact(F(j / D, j % D));
    particles.push_back(p);
  }
  return particles;
}

template <int D>
std::vector<double> random_field(const std::vector<DeviatoricFace<D>>& faces, unsigned seed) {
  RandomMatrices<D> random(seed);
  std::vector<double> u;
  for (const DeviatoricFace<D>& f : faces) u.push_back(f.solved ? random.uniform(-1, 1) : 0);
  return u;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
// Of H on full faces at rest up to a small factor, and a bound of it for little deformed material.
template <int D>
double stiffness_norm(const std::vector<double>& u) {
  return std::sqrt((kMu + kViscosity / kDt) * std::pow(kDx, D - 2) * dot(u, u));
}

// --- symmetry ---

// Rounding of the sums over a stencil's faces, some 3^D D of them, and over a face's particles.
template <int D, class Real>
constexpr double kRounding = 100 * D* static_cast<double>(kEpsilon<Real>);

constexpr BoundaryType kFloors[] = {BoundaryType::kSlip, BoundaryType::kSticky,
                                    BoundaryType::kSeparate};

// f(harness, kernel, floor) on blocks of little deformed material.
template <int D, class Real, class F>
void for_each_block(const std::vector<HarnessParticle<D>>& particles, F&& f) {
  for (int kernel : {2, 3})
    for (BoundaryType floor : kFloors) {
      SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", floor " << int(floor));
      Cpu exec(1);
      DeviatoricHarness<D, Real> h(exec, block_scene<D, Real>(floor, kernel));
      h.prepare(particles, kDt);
      h.begin();
      f(h, kernel, floor);
    }
}

TYPED_TEST(DeviatoricOperator, IsSymmetricWithTransposeAndExtrapolation) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for_each_block<D, Real>(block_particles<D, Real>(4, kLeast, kMost),
                          [](DeviatoricHarness<D, Real>& h, int, BoundaryType) {
                            const auto faces = h.list();
                            const auto a = random_field(faces, 11), b = random_field(faces, 12);
                            const auto Ha = h.apply(faces, a), Hb = h.apply(faces, b);
                            const double size = stiffness_norm<D>(a) * stiffness_norm<D>(b);
                            EXPECT_NEAR(dot(a, Hb), dot(b, Ha), (kRounding<D, Real> * size));
                            EXPECT_GT(std::abs(dot(a, Ha)), 1e-3 * size) << "nothing to compare";
                          });
}

// --- the energy ---

double spline(int degree, double x) {
  x = std::abs(x);
  if (degree == 2) return x < 0.5 ? 0.75 - x * x : x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0;
  if (x < 1) return 0.5 * x * x * x - x * x + 2.0 / 3;
  return x < 2 ? (2 - x) * (2 - x) * (2 - x) / 6 : 0;
}
double spline_slope(int degree, double x) {
  const double sign = x < 0 ? -1 : 1;
  x = std::abs(x);
  if (degree == 2) return sign * (x < 0.5 ? -2 * x : x < 1.5 ? x - 1.5 : 0);
  if (x < 1) return sign * (1.5 * x * x - 2 * x);
  return x < 2 ? -sign * 0.5 * (2 - x) * (2 - x) : 0;
}

// A field of faces with what E makes of it beyond the own ones.
template <int D>
class ContinuedField {
 public:
  ContinuedField(const std::vector<DeviatoricFace<D>>& faces, const std::vector<double>& u,
                 bool sticky_floor) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      if (faces[i].own) value_[key(faces[i].axis, faces[i].cell)] = u[i];
    for (int layer = 0; layer < FaceLayers::kMax; ++layer) {
      const auto inner = value_;
      for (const DeviatoricFace<D>& f : faces)
        if (!inner.contains(key(f.axis, f.cell)) && !(sticky_floor && lies_in_floor(f)))
          continue_to(f, inner);
    }
  }

  Mat<double, D> gradient(const Vec<double, D>& x, int degree) const {
    Mat<double, D> G = Mat<double, D>::zero();
    for (int axis = 0; axis < D; ++axis) add_slopes(x, degree, axis, 0, {}, G);
    return G;
  }

 private:
  using Values = std::unordered_map<std::uint64_t, double>;
  static std::uint64_t key(int axis, const Vec<int, D>& cell) {
    return block_key<D>(cell) * 3 + static_cast<std::uint64_t>(axis);
  }
  static bool lies_in_floor(const DeviatoricFace<D>& f) {
    return f.cell[1] + (f.axis == 1 ? 0 : 1) <= 0;
  }

  // Along the straight lines through two inner faces where there are any, but not into the floor;
  // else the mean of the neighbours.
  void continue_to(const DeviatoricFace<D>& f, const Values& inner) {
    double mean = 0, neighbours = 0, along_lines = 0, lines = 0;
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const auto at = inner.find(key(f.axis, stepped<D>(f.cell, b, by))),
                   behind = inner.find(key(f.axis, stepped<D>(f.cell, b, 2 * by)));
        if (at == inner.end()) continue;
        mean += at->second, neighbours += 1;
        if (behind == inner.end() || lies_in_floor(f)) continue;
        along_lines += 2 * at->second - behind->second, lines += 1;
      }
    if (neighbours > 0)
      value_[key(f.axis, f.cell)] = lines > 0 ? along_lines / lines : mean / neighbours;
  }
  // All faces of an axis whose kernel can reach x, axis by axis.
  void add_slopes(const Vec<double, D>& x, int degree, int axis, int b, Vec<int, D> cell,
                  Mat<double, D>& G) const {
    if (b == D) return add_slope(x, degree, axis, cell, G);
    const int home = static_cast<int>(std::floor(x[b] / kDx));
    for (int i = -3; i <= 3; ++i) {
      cell[b] = home + i;
      add_slopes(x, degree, axis, b + 1, cell, G);
    }
  }
  void add_slope(const Vec<double, D>& x, int degree, int axis, const Vec<int, D>& cell,
                 Mat<double, D>& G) const {
    const auto at = value_.find(key(axis, cell));
    if (at == value_.end()) return;
    for (int b = 0; b < D; ++b) {
      double slope = at->second / kDx;
      for (int c = 0; c < D; ++c) {
        const double z = x[c] / kDx - cell[c] - (c == axis ? 0 : 0.5);
        slope *= c == b ? spline_slope(degree, z) : spline(degree, z);
      }
      G(axis, b) += slope;
    }
  }

  Values value_;
};

// The second derivative of sum V0 psi((I + t G) F) in t at 0 by differences, and what viscosity
// dissipates, 2 V0 J mu^N |sym G|^2 / dt. The size of both goes to `scale`.
template <int D>
double second_derivative(const std::vector<HarnessParticle<D>>& particles,
                         const std::vector<Mat<double, D>>& gradients, double& scale) {
  MaterialParams<double> law{};
  law.mu = kMu;
  double sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto& [F, G] = std::tie(particles[i].F, gradients[i]);
    const auto energy = [&, &F = F, &G = G](double t) {
      return corotated_deviatoric::elastic_energy(law, F + t * (G * F));
    };
    const double V = particles[i].volume;
    if (!particles[i].liquid)
      sum += V * derivative(
                     [&](double s) { return derivative([&](double t) { return energy(s + t); }); });
    const auto rate = symmetric_part(G);
    sum += 2 * V * determinant(F) * kViscosity / kDt * contract(rate, rate);
    scale += 2 * V * (kMu + kViscosity / kDt);
  }
  return sum;
}

// The differences leave 10 epsilon psi / h^2 with h = 1e-3.
constexpr double kDifferences = 1e-8;

TYPED_TEST(DeviatoricOperator, IsTheSecondDerivativeOfTheEnergy) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const auto particles = block_particles<D, Real>(3, kLeast, kMost);
  for_each_block<D, Real>(
      particles, [&](DeviatoricHarness<D, Real>& h, int kernel, BoundaryType floor) {
        const auto faces = h.list();
        std::vector<double> u = random_field(faces, 21);
        for (double& v : u) v = static_cast<double>(static_cast<Real>(0.3 * kDx * v));
        const ContinuedField<D> field(faces, u, floor == BoundaryType::kSticky);
        std::vector<Mat<double, D>> gradients;
        for (const auto& p : particles) gradients.push_back(field.gradient(p.x, kernel));
        double scale = 0;
        const double expected = second_derivative(particles, gradients, scale);
        EXPECT_NEAR(dot(u, h.apply(faces, u)), expected, (kDifferences + kRounding<D, Real>)*scale);
        EXPECT_GT(std::abs(expected), 1e-3 * scale) << "nothing to compare";
      });
}

// --- the solve ---

// On the solved faces and the cells around them: A = M + dt^2 H, B and the diagonal C.
struct DenseSystem {
  Eigen::MatrixXd A, B, M;
  double C = 0;  // of each cell
  std::vector<std::size_t> solved, cells;

  template <int D, class Real>
  DenseSystem(DeviatoricHarness<D, Real>& h, const std::vector<DeviatoricFace<D>>& faces, double dt,
              double inverse_lambda)
      : C(inverse_lambda / (dt * dt) * std::pow(kDx, D)) {
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
  Eigen::VectorXd pick(const std::vector<double>& field) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(solved.size()));
    for (Eigen::Index j = 0; j < out.size(); ++j)
      out[j] = field[solved[static_cast<std::size_t>(j)]];
    return out;
  }

  // In the space that is left to the velocities: where C = 0, those that B sees nothing of.
  Eigen::MatrixXd basis() const {
    if (C > 0) return Eigen::MatrixXd::Identity(A.rows(), A.rows());
    return B.fullPivLu().kernel();
  }
  Eigen::MatrixXd reduced(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Z) const {
    const Eigen::MatrixXd inner = Z.transpose() * X * Z;
    return C > 0 ? Eigen::MatrixXd(inner + B.transpose() * B / C) : inner;
  }
  // Of the preconditioned matrix, in order.
  Eigen::VectorXd eigenvalues() const {
    const Eigen::MatrixXd Z = basis();
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(reduced(A, Z), reduced(M, Z),
                                                                     Eigen::EigenvaluesOnly)
        .eigenvalues();
  }
  // sqrt(r . G^-1 r)
  double norm(const Eigen::VectorXd& r) const {
    const Eigen::MatrixXd Z = basis();
    const Eigen::VectorXd in = Z.transpose() * r;
    return std::sqrt(in.dot(reduced(M, Z).ldlt().solve(in)));
  }
  // delta and y.
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const {
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
};

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
  Cpu exec(1);
  DeviatoricHarness<D, Real> h(exec, block_scene<D, Real>(BoundaryType::kSlip));
  h.prepare(particles, dt);
  h.begin();
  const auto faces = h.list();
  const DenseSystem dense(h, faces, dt, inverse_lambda);
  const Eigen::VectorXd lambda = dense.eigenvalues();
  EXPECT_EQ(lambda[0] < 0, indefinite) << lambda[0];
  const Eigen::VectorXd before = dense.pick(h.velocities(faces)),
                        r = dense.M * before - dense.A * before;
  const SolveReport report = h.solve({sizeof(Real) == 4 ? 1e-4 : 1e-10, 0, 2000}, inverse_lambda);
  ASSERT_TRUE(report.converged) << report.iterations;
  EXPECT_GT(report.initial, 100 * report.tolerance) << "nothing to do";
  EXPECT_GE(report.iterations, 5);
  const Eigen::VectorXd exact = dense.solve(r), delta = dense.pick(h.velocities(faces)) - before;
  Eigen::VectorXd y(dense.B.rows());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    y[i] = -h.pressure(dense.cells[static_cast<std::size_t>(i)]);
  const double rounding = report.iterations * static_cast<double>(kEpsilon<Real>) *
                          std::max(dense.norm(dense.M * before), report.initial);
  const double residual = dense.norm(r - dense.A * delta - dense.B.transpose() * y),
               allowed = report.tolerance + 10 * rounding;
  EXPECT_LE(residual, allowed);
  const Eigen::VectorXd error = delta - exact.head(delta.size());
  EXPECT_LE(dense.norm(dense.M * error),
            (allowed + kPressures * report.initial) / lambda.cwiseAbs().minCoeff());
  const auto largest = [](const Eigen::VectorXd& v) { return v.cwiseAbs().maxCoeff(); };
  EXPECT_LE(largest(dense.B * delta - dense.C * y),
            kPressures * largest(dense.B * dense.M.inverse() * r) + rounding);
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
    Cpu exec(threads);
    DeviatoricHarness<D, Real> h(exec, block_scene<D, Real>(BoundaryType::kSeparate));
    h.prepare(block_particles<D, Real>(6, kLeast, kMost), kDt);
    ASSERT_TRUE(h.solve({1e-5, 0, 500}).converged);
    velocities[threads - 1] = h.velocities(h.list());
  }
  EXPECT_EQ(velocities[0], velocities[1]);
}

// A sticky floor holds its faces: they move as it does, which is not at all.
TYPED_TEST(DeviatoricOperator, FacesOnAFloorMoveWhereItOpened) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (BoundaryType floor : kFloors)
    for (bool opens : {false, true}) {
      Cpu exec(1);
      DeviatoricHarness<D, Real> h(exec, block_scene<D, Real>(floor));
      h.prepare(block_particles<D, Real>(3, kLeast, kMost), kDt);
      if (opens) h.open_walls();
      const bool free = opens && floor == BoundaryType::kSeparate;
      ASSERT_TRUE(h.solve({1e-5, 0, 500}).converged);
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
