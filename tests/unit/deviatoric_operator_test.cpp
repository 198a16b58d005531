// The operator of the implicit deviatoric forces on blocks of particles of random deformation: its
// symmetry, and the energy that it is the second derivative of.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kernels/materials/corotated_deviatoric.h"
#include "tests/support/deviatoric_blocks.h"
#include "tests/support/deviatoric_harness.h"
#include "tests/support/random_matrices.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

TYPED_TEST_SUITE(DeviatoricOperator, Spaces);

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
  return std::sqrt((kGelMu + kGelViscosity / kBlockDt) * std::pow(kBlockDx, D - 2) * dot(u, u));
}

// --- symmetry ---

// Rounding of the sums over a stencil's faces, some 3^D D of them, and over a face's particles.
template <int D, class Real>
constexpr double kRounding = 100 * D* static_cast<double>(kEpsilon<Real>);

// f(harness, kernel, floor) on blocks of little deformed material.
template <int D, class Real, class F>
void for_each_block(const std::vector<HarnessParticle<D>>& particles, F&& f) {
  for (int kernel : {2, 3})
    for (BoundaryType floor : kFloors) {
      SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", floor " << int(floor));
      DeviatoricHarness<D, Real> h(block_scene<D, Real>(floor, kernel));
      h.prepare(particles, kBlockDt);
      h.begin();
      f(h, kernel, floor);
    }
}

TYPED_TEST(DeviatoricOperator, IsSymmetricWithTransposeAndExtrapolation) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  for_each_block<D, Real>(block_particles<D, Real>(4, kLeastStretch, kMostStretch),
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
                 bool sticky_floor)
      : sticky_floor_(sticky_floor) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      if (faces[i].own) value_[key(faces[i].axis, faces[i].cell)] = u[i];
    for (int layer = 0; layer < FaceLayers::kMax; ++layer) {
      const auto inner = value_;
      for (const DeviatoricFace<D>& f : faces)
        if (!inner.contains(key(f.axis, f.cell)) &&
            !(sticky_floor && f.axis == 1 && lies_in_floor(f)))
          continue_to(f, inner, layer == 0);
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
  // else the mean of the neighbours. Along a sticky floor the first face below it with those above
  // is 0 at the floor itself, the others lie on lines or are held.
  void continue_to(const DeviatoricFace<D>& f, const Values& inner, bool first) {
    const bool clings = sticky_floor_ && lies_in_floor(f);
    double mean = 0, neighbours = 0, along_lines = 0, lines = 0, heights = 0;
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const auto at = inner.find(key(f.axis, stepped<D>(f.cell, b, by))),
                   behind = inner.find(key(f.axis, stepped<D>(f.cell, b, 2 * by)));
        if (at == inner.end()) continue;
        mean += at->second, neighbours += 1;
        heights += stepped<D>(f.cell, b, by)[1] + 0.5;
        if (behind == inner.end() || (lies_in_floor(f) && !clings)) continue;
        along_lines += 2 * at->second - behind->second, lines += 1;
      }
    if (neighbours == 0 || (clings && !first && lines == 0)) return;
    if (clings && first)
      value_[key(f.axis, f.cell)] = (f.cell[1] + 0.5) / heights * mean;
    else
      value_[key(f.axis, f.cell)] = lines > 0 ? along_lines / lines : mean / neighbours;
  }
  // All faces of an axis whose kernel can reach x, axis by axis.
  void add_slopes(const Vec<double, D>& x, int degree, int axis, int b, Vec<int, D> cell,
                  Mat<double, D>& G) const {
    if (b == D) return add_slope(x, degree, axis, cell, G);
    const int home = static_cast<int>(std::floor(x[b] / kBlockDx));
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
      double slope = at->second / kBlockDx;
      for (int c = 0; c < D; ++c) {
        const double z = x[c] / kBlockDx - cell[c] - (c == axis ? 0 : 0.5);
        slope *= c == b ? spline_slope(degree, z) : spline(degree, z);
      }
      G(axis, b) += slope;
    }
  }

  bool sticky_floor_;
  Values value_;
};

// The second derivative of sum V0 psi((I + t G) F) in t at 0 by differences, and what viscosity
// dissipates, 2 V0 J mu^N |sym G|^2 / dt. The size of both goes to `scale`.
template <int D>
double second_derivative(const std::vector<HarnessParticle<D>>& particles,
                         const std::vector<Mat<double, D>>& gradients, double& scale) {
  MaterialParams<double> law{};
  law.mu = kGelMu;
  double sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto& [F, G] = std::tie(particles[i].F, gradients[i]);
    const auto energy = [&, &F = F, &G = G](double t) {
      return CorotatedDeviatoric::elastic_energy(law, F + t * (G * F));
    };
    const double V = particles[i].volume;
    if (!particles[i].liquid)
      sum += V * derivative(
                     [&](double s) { return derivative([&](double t) { return energy(s + t); }); });
    const auto rate = symmetric_part(G);
    sum += 2 * V * determinant(F) * kGelViscosity / kBlockDt * contract(rate, rate);
    scale += 2 * V * (kGelMu + kGelViscosity / kBlockDt);
  }
  return sum;
}

// The differences leave 10 epsilon psi / h^2 with h = 1e-3.
constexpr double kDifferences = 1e-8;

TYPED_TEST(DeviatoricOperator, IsTheSecondDerivativeOfTheEnergy) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  const auto particles = block_particles<D, Real>(3, kLeastStretch, kMostStretch);
  for_each_block<D, Real>(
      particles, [&](DeviatoricHarness<D, Real>& h, int kernel, BoundaryType floor) {
        const auto faces = h.list();
        std::vector<double> u = random_field(faces, 21);
        for (double& v : u) v = static_cast<double>(static_cast<Real>(0.3 * kBlockDx * v));
        const ContinuedField<D> field(faces, u, floor == BoundaryType::kSticky);
        std::vector<Mat<double, D>> gradients;
        for (const auto& p : particles) gradients.push_back(field.gradient(p.x, kernel));
        double scale = 0;
        const double expected = second_derivative(particles, gradients, scale);
        EXPECT_NEAR(dot(u, h.apply(faces, u)), expected, (kDifferences + kRounding<D, Real>)*scale);
        EXPECT_GT(std::abs(expected), 1e-3 * scale) << "nothing to compare";
      });
}

}  // namespace
}  // namespace firn::test
