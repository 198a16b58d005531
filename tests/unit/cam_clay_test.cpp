// Modified Cam clay: every return ends on the ellipse that its own compaction has left, along the
// ellipse's normal; paths that have closed forms follow them; and 2D is plane strain.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/materials/material.h"
#include "src/state/material_params.h"
#include "tests/support/law_cases.h"
#include "tests/support/random_matrices.h"

namespace firn::test {
namespace {

// Elastic strains, stresses / K and how much flow has enlarged the volume, of three axes.
struct Soil {
  explicit Soil(const Material& m, const MaterialParams<double>& p)
      : material(m), bulk(p.lambda + 2 * p.mu / 3), mu(p.mu) {}
  double M() const { return critical_slope(material.friction_angle); }
  double preconsolidation(double flowed) const {
    const double xi = material.hardening, p0 = material.preconsolidation;
    if (material.hardening_law == HardeningLaw::kExponential) return p0 * std::exp(-xi * flowed);
    return bulk * std::sinh(std::max(std::asinh(p0 / bulk) - xi * flowed, 0.0));
  }
  Material material;
  double bulk, mu;
};

template <int D>
Mat<double, D> near_identity(RandomMatrices<D>& random, double amount) {
  return Mat<double, D>::identity() + random.matrix() * amount;
}

template <int D>
Vec<double, 3> elastic_strain(const MaterialState<double, D>& state) {
  return CamClay::in_space(state, StvkHencky::hencky_strain(svd(state.F)));
}
double pressure(const Soil& soil, const Vec<double, 3>& e) {
  return -soil.bulk * StvkHencky::sum(e);
}
Vec<double, 3> deviator(const Vec<double, 3>& e) {
  const double mean = StvkHencky::sum(e) / 3;
  return {{e[0] - mean, e[1] - mean, e[2] - mean}};
}
// The uniaxial stress q.
double shear_stress(const Soil& soil, const Vec<double, 3>& e) {
  return std::sqrt(6.0) * soil.mu * norm(deviator(e));
}
// q^2 (1 + 2 beta) + M^2 (p + beta p0) (p - p0), over the square of the largest stress.
double yield(const Soil& soil, const Vec<double, 3>& e, double p0) {
  const double p = pressure(soil, e), q = shear_stress(soil, e), M = soil.M();
  const double beta = soil.material.tension_ratio;
  const double scale = std::max({std::abs(p), q, p0, 1e-12 * soil.bulk});
  return (q * q * (1 + 2 * beta) + M * M * (p + beta * p0) * (p - p0)) / (scale * scale);
}

template <int D>
void expect_associated_return(const Material& material) {
  const auto params = make_material_params<double>(material, D);
  const Soil soil(material, params);
  RandomMatrices<D> random(3);
  int compacted = 0, dilated = 0, elastic = 0, apart = 0;
  for (int k = 0; k < 2000; ++k) {
    MaterialState<double, D> state =
        state_at<D>(params, near_identity(random, k % 2 ? 0.02 : 0.004));
    state.history[0] = 0.01 * (k % 5 - 2);
    const double flowed = CamClay::plastic_volume_strain(state);
    const Vec<double, 3> trial = elastic_strain(state);
    respond(params, state);
    const Vec<double, 3> e = elastic_strain(state), flow = trial - e;
    const double after = CamClay::plastic_volume_strain(state);
    const double p0 = soil.preconsolidation(after);
    EXPECT_NEAR(after - flowed, StvkHencky::sum(flow), 1e-13);
    if (yield(soil, trial, soil.preconsolidation(flowed)) <= 0) {
      ++elastic;
      EXPECT_LE(norm(flow), 1e-14);
      continue;
    }
    if (p0 < 1e-7 * soil.bulk) {  // nothing is left
      EXPECT_LE(norm(e), 1e-7);
      ++apart;
      continue;
    }
    EXPECT_NEAR(yield(soil, e, p0), 0, 1e-8);
    ++(after < flowed ? compacted : dilated);
    // Along the normal of the ellipse where it ends: that of p is M^2 (2 p - (1 - beta) p0), that
    // of q is 2 q (1 + 2 beta); flow of q is |dev| sqrt(2/3).
    const double beta = material.tension_ratio, M = soil.M();
    const double along_p = M * M * (2 * pressure(soil, e) - (1 - beta) * p0);
    const double along_q = 2 * (1 + 2 * beta) * shear_stress(soil, e);
    const double flow_p = -StvkHencky::sum(flow);
    const double flow_q = std::sqrt(2.0 / 3) * norm(deviator(flow));
    const double scale = std::hypot(along_p, along_q) * std::hypot(flow_p, flow_q);
    EXPECT_NEAR(along_p * flow_q - along_q * flow_p, 0, 1e-6 * scale);
    EXPECT_GE(along_p * flow_p + along_q * flow_q, 0);
  }
  EXPECT_GT(compacted, 200);
  EXPECT_GT(dilated, 50);
  EXPECT_GT(elastic, 30);
  EXPECT_EQ(apart > 50, material.hardening_law == HardeningLaw::kSinh);
}

TEST(CamClay, ReturnsAlongTheNormalOfTheEllipseThatItLeaves) {
  for (const Material& m : {soil_material(), porous_snow_material()}) {
    expect_associated_return<2>(m);
    expect_associated_return<3>(m);
  }
  Material ideal = soil_material();
  ideal.hardening = 0;
  expect_associated_return<3>(ideal);
}

// Squeezed alike from all sides, by a strain e: p / K + ln(p / p0) / xi, the line of normal
// consolidation, and back along p / K.
TEST(CamClay, IsCompactedAlongTheLineOfNormalConsolidation) {
  const Material m = soil_material();
  const auto params = make_material_params<double>(m, 3);
  const Soil soil(m, params);
  for (const int steps : {1, 40}) {
    auto state = state_at<3>(params, Mat<double, 3>::identity());
    const double strain = 0.1;
    for (int k = 0; k < steps; ++k) {
      state.F = std::exp(-strain / 3 / steps) * state.F;
      respond(params, state);
    }
    const double p = pressure(soil, elastic_strain(state));
    EXPECT_NEAR(p / soil.bulk + std::log(p / m.preconsolidation) / m.hardening, strain, 1e-12);
    EXPECT_GT(p, 2 * m.preconsolidation);
    state.F = std::exp(0.5 * p / soil.bulk / 3) * state.F;
    const auto unloaded = respond(params, state);
    EXPECT_NEAR(-trace(unloaded.tau) / 3, p / 2, 1e-9 * p);
  }
}

// Sheared at constant volume the pressure is p_i - K m where flow has compacted it by m, and the
// ellipse of that has q = M sqrt(p (p0 e^(xi m) - p)); where p is half of it shear goes on for
// ever.
TEST(CamClay, FollowsTheUndrainedPathToTheCriticalState) {
  const Material m = soil_material();
  const auto params = make_material_params<double>(m, 3);
  const Soil soil(m, params);
  for (const double start : {0.95, 0.2}) {  // of p0: normally consolidated, and overconsolidated
    const double p_start = start * m.preconsolidation, squeeze = -p_start / soil.bulk / 3;
    auto state = state_at<3>(params, Mat<double, 3>::scaled_identity(std::exp(squeeze)));
    double p = 0, q = 0, flowed = 0;
    for (int k = 0; k < 400; ++k) {
      const double step = 2e-3;
      state.F =
          Mat<double, 3>::diagonal({{std::exp(-step), std::exp(step / 2), std::exp(step / 2)}}) *
          state.F;
      respond(params, state);
      const Vec<double, 3> e = elastic_strain(state);
      p = pressure(soil, e), q = shear_stress(soil, e), flowed = state.history[0];
      EXPECT_NEAR(p, p_start + soil.bulk * flowed, 1e-9 * m.preconsolidation);
      const double limit = soil.M() * std::sqrt(p * (soil.preconsolidation(flowed) - p));
      if (flowed != 0) {
        EXPECT_NEAR(q, limit, 1e-7 * limit);
      }
    }
    EXPECT_NEAR(p, soil.preconsolidation(flowed) / 2, 1e-4 * m.preconsolidation);
    EXPECT_NEAR(q, soil.M() * p, 1e-4 * q);
    EXPECT_EQ(flowed<0, start> 0.5);  // loose soil compacts, dense soil dilates
  }
}

// The same strains in 2D and 3D: what lies across the plane is not strained in all.
template <class Law>
void expect_plane_strain(const Material& m) {
  const auto flat = make_material_params<double>(m, 2), solid = make_material_params<double>(m, 3);
  RandomMatrices<2> random(11);
  auto plane = state_at<2>(flat, Mat<double, 2>::identity());
  auto space = state_at<3>(solid, Mat<double, 3>::identity());
  double most = 0;
  for (int k = 0; k < 200; ++k) {
    const Mat<double, 2> step = near_identity(random, 0.003);
    Mat<double, 3> same = Mat<double, 3>::identity();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) same(i, j) = step(i, j);
    plane.F = step * plane.F;
    space.F = same * space.F;
    const auto in_plane = respond(flat, plane);
    const auto in_space = respond(solid, space);
    const double scale = 1e-9 * kModulus;
    most = std::max(most, std::abs(Law::across(plane)));
    EXPECT_NEAR(in_plane.psi, in_space.psi, scale);
    EXPECT_NEAR(std::log(space.F(2, 2)), Law::across(plane), 1e-11);
    EXPECT_NEAR(kept_volume<2>(m.model, plane.history) * determinant(plane.F),
                kept_volume<3>(m.model, space.history) * determinant(space.F), 1e-9);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) EXPECT_NEAR(in_plane.tau(i, j), in_space.tau(i, j), scale);
  }
  EXPECT_GT(most, 1e-3);
}

TEST(CamClay, IsInPlaneStrainIn2D) {
  expect_plane_strain<CamClay>(soil_material());
  expect_plane_strain<CamClay>(porous_snow_material());
}
TEST(VonMises, IsInPlaneStrainIn2D) {
  expect_plane_strain<VonMises>(metal_material());
  Material hard = metal_material();
  hard.hardening = 1e4;
  expect_plane_strain<VonMises>(hard);
}

// Flow that dilates snow by what had compacted it leaves nothing that bears stress; what has opened
// must close before anything bears stress again.
TEST(CamClay, SnowFallsApartAndBearsAgainWhenItHasClosed) {
  const Material m = porous_snow_material();
  const auto params = make_material_params<double>(m, 3);
  const double had = std::asinh(m.preconsolidation / Soil(m, params).bulk) / m.hardening;
  auto state = state_at<3>(params, Mat<double, 3>::scaled_identity(1.02));
  EXPECT_NEAR(trace(respond(params, state).tau), 0, 1e-6 * kModulus);
  const double opened = 3 * std::log(1.02);
  EXPECT_NEAR(state.history[0], opened, 1e-9);
  const auto squeeze = [&](double strain) {
    state.F = std::exp(-strain / 3) * state.F;
    return -trace(respond(params, state).tau) / 3;
  };
  EXPECT_NEAR(squeeze(opened - had), 0, 1e-6 * kModulus);  // to where p0 begins
  EXPECT_GT(squeeze(0.01), 0.1 * m.preconsolidation);
}

TEST(CamClay, SinglePrecisionFollowsDouble) {
  for (const Material& m : {soil_material(), porous_snow_material()}) {
    const auto single = make_material_params<float>(m, 3);
    const auto twice = make_material_params<double>(m, 3);
    RandomMatrices<3> random(5);
    for (int k = 0; k < 3000; ++k) {
      const Mat<double, 3> F = near_identity(random, std::pow(10.0, -4 + k % 4));
      if (!(determinant(F) > 0.05)) continue;
      MaterialState<float, 3> a;
      MaterialState<double, 3> b;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          a.F(i, j) = static_cast<float>(F(i, j)), b.F(i, j) = static_cast<double>(a.F(i, j));
      start_history<float, 3>(m.model, a.history);
      start_history<double, 3>(m.model, b.history);
      const auto ra = respond(single, a);
      const auto rb = respond(twice, b);
      const double scale = kModulus * (1e-6 + 5e-5 * norm(elastic_strain(b)));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(double(ra.tau(i, j)), rb.tau(i, j), scale);
      EXPECT_NEAR(double(a.history[0]), b.history[0], 1e-5);
    }
  }
}

}  // namespace
}  // namespace firn::test
