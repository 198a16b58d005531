#include "src/state/initial_stress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "firn/error.h"
#include "kernels/math/svd.h"
#include "kernels/math/symmetric_eigen.h"
#include "src/scene/expression.h"
#include "src/scene/stressed_bodies.h"
#include "src/state/material_params.h"

namespace firn {
namespace {

template <int D>
class StressInverse {
 public:
  using Vector = Vec<double, D>;
  explicit StressInverse(const Material& material)
      : params_(make_material_params<double>(material, D)) {}

  // Logarithms of the stretches; none where the law has no such stress, or flows there.
  std::optional<Vector> strain_of(const Vector& stress) const {
    return has_deformation(params_.model) ? of_solid(stress) : of_liquid(stress);
  }

 private:
  static constexpr int kMostSteps = 60;
  static constexpr double kAsGood = 1e-10;  // of the stress

  struct State {
    Vector stress;
    bool flowed;
  };
  State state_of(const Vector& strain) const {
    MaterialState<double, D> state{};
    Vector stretch;
    double volume = 0;
    for (int i = 0; i < D; ++i) stretch[i] = std::exp(strain[i]), volume += strain[i];
    state.F = Mat<double, D>::diagonal(stretch);
    start_history<double, D>(params_.model, state.history);
    if (!has_deformation(params_.model)) state.history[0] = std::expm1(volume);
    const Mat<double, D> before = state.F, tau = respond(params_, state).tau;
    State now{{}, false};
    const double per_volume = 1 / std::exp(volume);  // Kirchhoff's to Cauchy's
    for (int i = 0; i < D; ++i) {
      now.stress[i] = per_volume * tau(i, i);
      // A return to where it was differs by rounding.
      now.flowed = now.flowed || std::abs(state.F(i, i) - before(i, i)) > 1e-9 * before(i, i);
    }
    return now;
  }
  static double largest(const Vector& v) {
    double most = 0;
    for (int i = 0; i < D; ++i) most = std::max(most, std::abs(v[i]));
    return most;
  }

  Vector strain_by_hooke(const Vector& stress) const {
    const double mu = params_.mu, lambda = params_.lambda;
    double sum = 0;
    for (int i = 0; i < D; ++i) sum += stress[i];
    Vector strain;
    for (int i = 0; i < D; ++i)
      strain[i] = (stress[i] - lambda / (2 * mu + D * lambda) * sum) / (2 * mu);
    return strain;
  }
  // Newton's method, from Hooke's law; with the slope of that for strains so small that differences
  // might leave the cone of a law, else with differences.
  std::optional<Vector> of_solid(const Vector& stress) const {
    constexpr double kSmall = 1e-5;
    // What a rounding of the stretches makes.
    const double rounding = 4 * kEpsilon<double> * (2 * params_.mu + D * params_.lambda);
    Vector strain = strain_by_hooke(stress);
    for (int step = 0; step < kMostSteps; ++step) {
      const State now = state_of(strain);
      const Vector wrong = stress - now.stress;
      if (largest(wrong) <= std::max(kAsGood * largest(stress), rounding))
        return now.flowed ? std::nullopt : std::optional(strain);
      if (largest(strain) < kSmall) {
        strain = strain + strain_by_hooke(wrong);
        continue;
      }
      const double h = 1e-6 * std::max(largest(strain), 1e-3);
      Mat<double, D> slope;
      for (int j = 0; j < D; ++j) {
        Vector ahead = strain, behind = strain;
        ahead[j] += h, behind[j] -= h;
        const Vector change = state_of(ahead).stress - state_of(behind).stress;
        for (int i = 0; i < D; ++i) slope(i, j) = change[i] / (2 * h);
      }
      if (!(std::abs(determinant(slope)) > 0)) return std::nullopt;
      Vector way = inverse(slope) * wrong;
      constexpr double kFarthest = 0.2;
      if (const double far = largest(way); !(far <= kFarthest)) way = (kFarthest / far) * way;
      strain = strain + way;
      if (!std::isfinite(largest(strain))) return std::nullopt;
    }
    return std::nullopt;
  }

  // One pressure in all directions, and no tension.
  std::optional<Vector> of_liquid(const Vector& stress) const {
    for (int i = 1; i < D; ++i)
      if (std::abs(stress[i] - stress[0]) > kAsGood * largest(stress)) return std::nullopt;
    double low = -1, high = 0;  // log strain along each axis
    const auto at = [&](double strain) {
      Vector all;
      for (int i = 0; i < D; ++i) all[i] = strain;
      return state_of(all).stress[0];
    };
    if (stress[0] > 0 || at(low) > stress[0]) return std::nullopt;
    for (int step = 0; step < 200; ++step) {
      const double middle = (low + high) / 2;
      (at(middle) > stress[0] ? high : low) = middle;
    }
    Vector strain;
    for (int i = 0; i < D; ++i) strain[i] = high;
    return strain;
  }

  MaterialParams<double> params_;
};

// "[-100, -200] and xy 30".
template <int D>
std::string text_of(const SymmetricTensor& a) {
  std::string text = fmt::format("[{:.4g}]", fmt::join(a.begin(), a.begin() + D, ", "));
  constexpr const char* kNames[] = {"xy", "yz", "zx"};
  const char* before = " and";
  for (std::size_t k = 0; k < (D == 3 ? 3 : 1); ++k)
    if (a[3 + k] != 0)
      text += fmt::format("{} {} {:.4g}", before, kNames[k], a[3 + k]), before = ",";
  return text;
}

template <int D>
Mat<double, D> matrix_of(const SymmetricTensor& a) {
  Mat<double, D> m;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) m(i, j) = entry_of(a, i, j);
  return m;
}
template <int D>
SymmetricTensor tensor_of(const Mat<double, D>& m) {
  SymmetricTensor a{1, 1, 1, 0, 0, 0};
  constexpr int kRows[6] = {0, 1, 2, 0, 1, 2}, kColumns[6] = {0, 1, 2, 1, 2, 0};
  for (std::size_t k = 0; k < 6; ++k)
    if (kRows[k] < D && kColumns[k] < D) a[k] = m(kRows[k], kColumns[k]);
  return a;
}

// V with the principal directions of the stress; none where the law has no such stress.
template <int D>
std::optional<Mat<double, D>> stretch_of(const StressInverse<D>& inverse,
                                         const Mat<double, D>& stress) {
  Mat<double, D> Q;
  Vec<double, D> principal;
  symmetric_eigen(stress, Q, principal);
  const auto strain = inverse.strain_of(principal);
  if (!strain) return std::nullopt;
  Vec<double, D> stretch;
  for (int i = 0; i < D; ++i) stretch[i] = std::exp((*strain)[i]);
  return compose(Q, stretch, Q);
}

template <int D>
void fill(const Material& material, const Body& body, const std::vector<Vec3>& places,
          InitialStress& out) {
  const StressInverse<D> inverse(material);
  FieldEvaluator normal(body.stress),
      shear(VectorField{{body.stress_xy, body.stress_yz, body.stress_zx}});
  for (const Vec3& x : places) {
    const Vec3 along = normal.vector(x, 0.0), across = shear.vector(x, 0.0);
    const SymmetricTensor said{along[0], along[1], along[2], across[0], across[1], across[2]};
    const Mat<double, D> stress = matrix_of<D>(said);
    bool finite = true;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) finite = finite && std::isfinite(stress(i, j));
    const auto stretch = finite ? stretch_of(inverse, stress) : std::nullopt;
    if (!stretch)
      throw Error(
          ErrorCategory::kScene,
          fmt::format("body \"{}\": its stress at [{:.4g}], {} Pa, is {}", body.name,
                      fmt::join(x.begin(), x.begin() + D, ", "), text_of<D>(said),
                      !finite ? "not finite" : fmt::format("more than '{}' bears", material.name)));
    out.stress.push_back(said);
    out.stretches.push_back(tensor_of<D>(*stretch));
    out.volume_ratios.push_back(determinant(*stretch));
  }
}

}  // namespace

InitialStress initial_stress(const Scene& scene, const Body& body,
                             const std::vector<Vec3>& places) {
  InitialStress initial;
  if (!begins_stressed(body)) return initial;
  const Material& material = scene.materials[static_cast<std::size_t>(body.material)];
  if (scene.simulation.dimension == 2)
    fill<2>(material, body, places, initial);
  else
    fill<3>(material, body, places, initial);
  return initial;
}

}  // namespace firn
