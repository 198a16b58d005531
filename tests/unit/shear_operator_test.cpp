// The operator of the implicit deviatoric forces on blocks of particles of random deformation, with
// a surface on all sides and a floor at one: its symmetry, the energy that it is the second
// derivative of, its diagonal, and the solve against a dense one.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "kernels/materials/corotated_deviatoric.h"
#include "tests/support/random_matrices.h"
#include "tests/support/shear_harness.h"
#include "tests/support/spaces.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

template <class T>
class ShearOperator : public testing::Test {};
TYPED_TEST_SUITE(ShearOperator, Spaces);

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
std::vector<double> random_field(const std::vector<ShearFace<D>>& faces, unsigned seed) {
  RandomMatrices<D> random(seed);
  std::vector<double> u;
  for (const ShearFace<D>& f : faces) u.push_back(f.solved ? random.uniform(-1, 1) : 0);
  return u;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
// Of H at rest, which bounds that of little deformed material up to a small factor.
template <int D>
double stiffness_norm(const std::vector<ShearFace<D>>& faces, const std::vector<double>& u) {
  double sum = 0;
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (faces[i].solved) sum += (faces[i].diagonal - faces[i].mass) / (kDt * kDt) * u[i] * u[i];
  return std::sqrt(sum);
}

// --- symmetry ---

// Rounding of the sums over a stencil's faces, some 3^D D of them, and over a face's particles.
template <int D, class Real>
constexpr double kRounding = 100 * D* static_cast<double>(kEpsilon<Real>);

constexpr BoundaryType kFloors[] = {BoundaryType::kSlip, BoundaryType::kSticky,
                                    BoundaryType::kSeparate};

TYPED_TEST(ShearOperator, IsSymmetricWithFoldsAndExtensions) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (int kernel : {2, 3})
    for (BoundaryType floor : kFloors) {
      SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", floor " << int(floor));
      Cpu exec(1);
      ShearHarness<D, Real> h(exec, block_scene<D, Real>(floor, kernel));
      h.prepare(block_particles<D, Real>(4, kLeast, kMost), kDt);
      h.begin();
      const auto faces = h.list();
      const auto a = random_field(faces, 11), b = random_field(faces, 12);
      const auto Ha = h.apply(faces, a), Hb = h.apply(faces, b);
      const double size = stiffness_norm(faces, a) * stiffness_norm(faces, b);
      EXPECT_NEAR(dot(a, Hb), dot(b, Ha), (kRounding<D, Real> * size));
      EXPECT_GT(std::abs(dot(a, Ha)), 1e-3 * size) << "nothing to compare";
    }
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
  ContinuedField(const std::vector<ShearFace<D>>& faces, const std::vector<double>& u,
                 bool sticky_floor) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      if (faces[i].own) value_[key(faces[i].axis, faces[i].cell)] = u[i];
    for (int layer = 0; layer < FaceLayers::kMax; ++layer) {
      const auto inner = value_;
      for (const ShearFace<D>& f : faces)
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
  static bool lies_in_floor(const ShearFace<D>& f) {
    return f.cell[1] + (f.axis == 1 ? 0 : 1) <= 0;
  }

  // Along the straight lines through two inner faces where there are any, but not into the floor;
  // else the mean of the neighbours.
  void continue_to(const ShearFace<D>& f, const Values& inner) {
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

TYPED_TEST(ShearOperator, IsTheSecondDerivativeOfTheEnergy) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (int kernel : {2, 3})
    for (BoundaryType floor : kFloors) {
      SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", floor " << int(floor));
      Cpu exec(1);
      ShearHarness<D, Real> h(exec, block_scene<D, Real>(floor, kernel));
      const auto particles = block_particles<D, Real>(3, kLeast, kMost);
      h.prepare(particles, kDt);
      h.begin();
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
    }
}

// --- the diagonal ---

// Whether no outer face follows it: those follow faces up to two steps away.
template <int D>
bool is_inner(const ShearFace<D>& f, const std::vector<ShearFace<D>>& faces) {
  int beside = 0;
  for (const ShearFace<D>& other : faces) {
    if (other.axis != f.axis || !other.own) continue;
    int steps = 0, along = 0;
    for (int a = 0; a < D; ++a) {
      steps += std::abs(other.cell[a] - f.cell[a]);
      along += other.cell[a] != f.cell[a] ? 1 : 0;
    }
    beside += along == 1 && steps <= 2 ? 1 : 0;
  }
  return beside == 4 * D;
}

TYPED_TEST(ShearOperator, TheDiagonalIsThatOfTheOperatorAtRest) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  Cpu exec(1);
  ShearHarness<D, Real> h(exec, block_scene<D, Real>(BoundaryType::kSlip));
  h.prepare(block_particles<D, Real>(6, 1, 1), kDt);
  h.begin();
  const auto faces = h.list();
  int compared = 0, solved = 0;
  double worst = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (!faces[i].solved) continue;
    ++solved;
    EXPECT_GT(faces[i].mass, 0);
    EXPECT_GE(faces[i].diagonal, faces[i].mass);
    if (!is_inner(faces[i], faces)) continue;
    std::vector<double> unit(faces.size(), 0);
    unit[i] = 1;
    const double exact = faces[i].mass + kDt * kDt * h.apply(faces, unit)[i];
    worst = std::max(worst, std::abs(faces[i].diagonal / exact - 1));
    ++compared;
  }
  EXPECT_LE(worst, (kRounding<D, Real>));
  EXPECT_GE(compared, solved / 20);
}

// --- the solve ---

// mass + dt^2 H on the solved faces, and the velocities before the solve.
struct DenseSystem {
  Eigen::MatrixXd A;
  Eigen::VectorXd mass, diagonal;
  std::vector<std::size_t> solved;

  template <int D, class Real>
  DenseSystem(ShearHarness<D, Real>& h, const std::vector<ShearFace<D>>& faces, double dt) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      if (faces[i].solved) solved.push_back(i);
    const auto n = static_cast<Eigen::Index>(solved.size());
    A.resize(n, n), mass.resize(n), diagonal.resize(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const ShearFace<D>& f = faces[solved[static_cast<std::size_t>(j)]];
      mass[j] = f.mass, diagonal[j] = f.diagonal;
      std::vector<double> unit(faces.size(), 0);
      unit[solved[static_cast<std::size_t>(j)]] = 1;
      A.col(j) = dt * dt * pick(h.apply(faces, unit));
      A(j, j) += f.mass;
    }
    A = (0.5 * (A + A.transpose())).eval();
  }
  Eigen::VectorXd pick(const std::vector<double>& field) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(solved.size()));
    for (Eigen::Index j = 0; j < out.size(); ++j)
      out[j] = field[solved[static_cast<std::size_t>(j)]];
    return out;
  }
  // Of the preconditioned matrix, in order.
  Eigen::VectorXd eigenvalues() const {
    const Eigen::VectorXd scale = diagonal.cwiseSqrt().cwiseInverse();
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
               scale.asDiagonal() * A * scale.asDiagonal(), Eigen::EigenvaluesOnly)
        .eigenvalues();
  }
};

// The solver ends when the residual, in the norm of the inverse diagonal, is below its tolerance;
// it knows that residual by a recurrence, which loses a rounding of the right-hand side per
// iteration. The error is at most the residual over the smallest eigenvalue.
template <int D, class Real>
void expect_dense_solution(const std::vector<HarnessParticle<D>>& particles, double dt,
                           bool indefinite) {
  Cpu exec(1);
  ShearHarness<D, Real> h(exec, block_scene<D, Real>(BoundaryType::kSlip));
  h.prepare(particles, dt);
  h.begin();
  const auto faces = h.list();
  const DenseSystem dense(h, faces, dt);
  const Eigen::VectorXd lambda = dense.eigenvalues();
  EXPECT_EQ(lambda[0] < 0, indefinite) << lambda[0];
  const Eigen::VectorXd b = dense.mass.cwiseProduct(dense.pick(h.velocities(faces)));
  const SolveReport report = h.solve({sizeof(Real) == 4 ? 1e-4 : 1e-10, 0, 2000});
  ASSERT_TRUE(report.converged) << report.iterations;
  EXPECT_GT(report.initial, 100 * report.tolerance) << "nothing to do";
  const Eigen::VectorXd v = dense.pick(h.velocities(faces)), exact = dense.A.fullPivLu().solve(b);
  EXPECT_GE(report.iterations, 5);
  const auto norm = [&](const Eigen::VectorXd& r) {
    return std::sqrt(r.cwiseQuotient(dense.diagonal).dot(r));
  };
  const double rounding = report.iterations * static_cast<double>(kEpsilon<Real>) *
                          std::max(norm(dense.mass.cwiseProduct(v)), report.initial);
  const double allowed = report.tolerance + 10 * rounding;
  EXPECT_LE(norm(b - dense.A * v), allowed);
  EXPECT_LE(norm(dense.diagonal.cwiseProduct(v - exact)), allowed / lambda.cwiseAbs().minCoeff());
  std::printf("%zu faces, eigenvalues %.3g to %.3g, %u iterations, residual %.3g of %.3g\n",
              dense.solved.size(), lambda[0], lambda[lambda.size() - 1], report.iterations,
              norm(b - dense.A * v), allowed);
}

TYPED_TEST(ShearOperator, TheSolveIsThatOfTheDenseSystem) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  // dt^2 mu / (rho dx^2) is 9: the mass is the smaller part.
  expect_dense_solution<D, Real>(block_particles<D, Real>(3, 0.97, 1.05), 0.03, false);
}

// Material that is pressed flat would rather buckle.
TYPED_TEST(ShearOperator, AnIndefiniteSystemIsSolvedToo) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  auto particles = block_particles<D, Real>(3, 1, 1);
  for (auto& p : particles) {
    p.F = Mat<double, D>::identity();
    p.F(0, 0) = 0.25;
    p.liquid = false;
  }
  expect_dense_solution<D, Real>(particles, 0.05, true);
}

TYPED_TEST(ShearOperator, TheNumberOfThreadsDoesNotMatter) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  std::vector<double> velocities[2];
  for (int threads : {1, 2}) {
    Cpu exec(threads);
    ShearHarness<D, Real> h(exec, block_scene<D, Real>(BoundaryType::kSeparate));
    h.prepare(block_particles<D, Real>(6, kLeast, kMost), kDt);
    ASSERT_TRUE(h.solve({1e-5, 0, 500}).converged);
    velocities[threads - 1] = h.velocities(h.list());
  }
  EXPECT_EQ(velocities[0], velocities[1]);
}

// A sticky floor holds its faces: they move as it does, which is not at all.
TYPED_TEST(ShearOperator, FacesOnAFloorMoveWhereItOpened) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for (BoundaryType floor : kFloors)
    for (bool opens : {false, true}) {
      Cpu exec(1);
      ShearHarness<D, Real> h(exec, block_scene<D, Real>(floor));
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
