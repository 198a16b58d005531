// Sand that gains volume where it slides: by Mohr and Coulomb's rule in triaxial compression, up to
// its limit, and without making energy.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "kernels/materials/material.h"
#include "src/state/material_params.h"

namespace firn {
namespace {

constexpr double kFriction = 0.6, kDilatancy = 0.2, kPressure = 1e3, kModulus = 1e6;

Material dense_sand() {
  Material m;
  m.model = MaterialModel::kDruckerPrager;
  m.density = 1500;
  m.youngs_modulus = kModulus;
  m.poisson_ratio = 0.25;
  m.friction_angle = kFriction;
  m.dilatancy_angle = kDilatancy;
  return m;
}

// A sample under the same pressure from all sides, which is then shortened along z while its sides
// stay under that pressure.
class Triaxial {
 public:
  explicit Triaxial(const Material& sand) : params_(make_material_params<double>(sand, 3)) {
    const double strain = -kPressure / (3 * params_.lambda + 2 * params_.mu);
    state_.F = Mat<double, 3>::scaled_identity(std::exp(strain));
    start_history<double, 3>(params_.model, state_.history);
  }
  // By a strain of `axial`; yields by how much it widens.
  double shorten(double axial) {
    double wider = 0, step = 1e-3 * axial;
    double excess = excess_at(axial, wider);
    for (int k = 0; k < 50 && std::abs(excess) > 1e-9 * kPressure; ++k) {  // secants
      const double next = excess_at(axial, wider + step);
      const double slope = (next - excess) / step;
      wider += step, excess = next;
      step = -excess / slope;
    }
    EXPECT_LE(std::abs(excess), 1e-9 * kPressure);
    apply(axial, wider, state_);
    stress_ratio_ = apply(0, 0, state_).first;
    return wider;
  }
  double stress_ratio() const { return stress_ratio_; }
  // ln of what all its flow has gained in volume.
  double gained() const { return std::log(kept_volume<3>(params_.model, state_.history)); }
  double log_volume() const { return gained() + std::log(determinant(state_.F)); }

 private:
  // The axial stress over the lateral one, and the latter.
  std::pair<double, double> apply(double axial, double wider,
                                  MaterialState<double, 3>& state) const {
    state.F =
        Mat<double, 3>::diagonal({{std::exp(wider), std::exp(wider), std::exp(-axial)}}) * state.F;
    const Mat<double, 3> tau = respond(params_, state).tau;
    return {tau(2, 2) / tau(0, 0), tau(0, 0)};
  }
  double excess_at(double axial, double wider) const {
    MaterialState<double, 3> trial = state_;
    return apply(axial, wider, trial).second + kPressure;
  }

  MaterialParams<double> params_;
  MaterialState<double, 3> state_{};
  double stress_ratio_ = 1;
};

TEST(Dilatancy, IsMohrCoulombsInTriaxialCompression) {
  for (const double angle : {0.0, kDilatancy, kFriction}) {
    Material sand = dense_sand();
    sand.dilatancy_angle = angle;
    Triaxial sample(sand);
    for (int step = 0; step < 200; ++step) sample.shorten(1e-4);  // yields
    EXPECT_NEAR(sample.stress_ratio(), (1 + std::sin(kFriction)) / (1 - std::sin(kFriction)), 1e-9);
    const double before = sample.log_volume();
    for (int step = 0; step < 100; ++step) sample.shorten(1e-4);
    const double expected = 2 * std::sin(angle) / (1 - std::sin(angle));
    EXPECT_NEAR((sample.log_volume() - before) / 1e-2, expected, 1e-6 + 1e-6 * expected) << angle;
  }
}

// Shortened along y under a pressure along x, in the plane, where there is nothing else; and in 3D,
// where nothing moves along z.
template <int D>
void shorten_in_the_plane(const Material& sand, double& stress_ratio, double& widening) {
  const auto params = make_material_params<double>(sand, D);
  MaterialState<double, D> state{};
  state.F =
      Mat<double, D>::scaled_identity(std::exp(-kPressure / (D * params.lambda + 2 * params.mu)));
  start_history<double, D>(params.model, state.history);
  Vec<double, D> tau;
  const auto apply = [&](double axial, double wider, MaterialState<double, D>& to) {
    Vec<double, D> stretch;
    for (int i = 0; i < D; ++i) stretch[i] = std::exp(i == 0 ? wider : i == 1 ? -axial : 0);
    to.F = Mat<double, D>::diagonal(stretch) * to.F;
    const Mat<double, D> stress = respond(params, to).tau;
    for (int i = 0; i < D; ++i) tau[i] = stress(i, i);
    return tau[0] + kPressure;
  };
  constexpr double kAxial = 1e-4;
  for (int step = 0; step < 600; ++step) {
    double low = -kAxial, high = 10 * kAxial;  // wider presses less
    for (int k = 0; k < 60; ++k) {
      MaterialState<double, D> trial = state;
      const double middle = (low + high) / 2;
      (apply(kAxial, middle, trial) < 0 ? low : high) = middle;
    }
    widening = low / kAxial;
    apply(kAxial, low, state);
  }
  stress_ratio = tau[1] / tau[0];
}

TEST(FrictionMatch, HasTheStrengthOfMohrCoulombWhereItSays) {
  const double mohr = (1 + std::sin(kFriction)) / (1 - std::sin(kFriction));
  double ratio = 0, wider = 0;
  Material sand = dense_sand();
  sand.friction_match = FrictionMatch::kPlaneStrain;
  shorten_in_the_plane<2>(sand, ratio, wider);
  EXPECT_NEAR(ratio, mohr, 1e-6);
  // sin(psi) is the rate of volume over that of shear.
  EXPECT_NEAR((wider - 1) / (wider + 1), std::sin(kDilatancy), 1e-6);
  sand.dilatancy_angle = 0;
  shorten_in_the_plane<3>(sand, ratio, wider);
  EXPECT_NEAR(ratio, mohr, 1e-3);  // as the stress across the plane comes to be the mean
  EXPECT_NEAR(wider, 1, 1e-3);
  sand.friction_match = FrictionMatch::kExtension;
  Triaxial sample(sand);
  for (int step = 0; step < 300; ++step) sample.shorten(-1e-4);
  EXPECT_NEAR(1 / sample.stress_ratio(), mohr, 1e-9);
}

TEST(Dilatancy, EndsAtItsLimitAndTheSandSlidesOn) {
  Material sand = dense_sand();
  sand.dilatancy_limit = 0.03;
  Triaxial sample(sand);
  for (int step = 0; step < 3000; ++step) sample.shorten(1e-4);
  EXPECT_NEAR(sample.gained(), 0.03, 1e-12);
  EXPECT_NEAR(sample.stress_ratio(), (1 + std::sin(kFriction)) / (1 - std::sin(kFriction)), 1e-9);
  const double before = sample.log_volume();
  for (int step = 0; step < 100; ++step) sample.shorten(1e-3);
  EXPECT_NEAR(sample.log_volume(), before, 1e-9);
}

// What tension opens closes again; what sliding has gained stays.
TEST(Dilatancy, StaysWhereWhatIsOpenCloses) {
  const auto params = make_material_params<double>(dense_sand(), 3);
  MaterialState<double, 3> state{};
  state.F = Mat<double, 3>::diagonal({{1.01, 1.01, 0.97}});
  start_history<double, 3>(params.model, state.history);
  respond(params, state);
  const double gained = state.history[0], slip = state.history[1];
  EXPECT_GT(slip, 1e-3);
  EXPECT_NEAR(gained, params.dilatancy * slip, 1e-15);
  state.F = state.F * 1.05;
  EXPECT_EQ(trace(respond(params, state).tau), 0);
  EXPECT_GT(state.history[0], gained + 0.05);
  EXPECT_EQ(state.history[1], slip);
  // From the stress-free tip back by what the opening has let go of.
  state.F = state.F * std::exp(-(state.history[0] - gained) / 3 - 0.001);
  respond(params, state);
  EXPECT_NEAR(state.history[0], gained, 1e-12);
  EXPECT_NEAR(std::log(determinant(state.F)), -0.003, 1e-12);
}

template <int D>
void expect_on_the_cone_without_more_energy(const Material& sand) {
  const auto params = make_material_params<double>(sand, D);
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  int slid = 0, opened = 0;
  for (int k = 0; k < 500; ++k) {
    MaterialState<double, D> state{};
    state.F = Mat<double, D>::identity();
    for (auto& row : state.F.m)
      for (double& x : row) x += 0.05 * normal(engine);
    start_history<double, D>(params.model, state.history);
    state.history[1] = 0.01 * std::abs(normal(engine));
    state.history[0] = DruckerPrager::dilated(params, state.history[1]);
    const double gained = state.history[0], volume = std::log(determinant(state.F));
    const double before = elastic_energy(params, state);
    const double slope = DruckerPrager::friction(params, state.history[1]);
    respond(params, state);
    EXPECT_LE(elastic_energy(params, state), before * (1 + 1e-12));
    const Vec<double, D> e = StvkHencky::hencky_strain(svd(state.F));
    const double tr = StvkHencky::sum(e);
    double squares = 0;
    for (int i = 0; i < D; ++i) squares += (e[i] - tr / D) * (e[i] - tr / D);
    EXPECT_LE(std::sqrt(squares) + params.cone_ratio * slope * tr, 1e-13);
    // Of the whole, nothing is lost.
    EXPECT_NEAR(tr + state.history[0], volume + gained, 1e-13);
    if (state.history[0] > gained) ++(tr < 0 ? slid : opened);
  }
  EXPECT_GT(slid, 50);
  EXPECT_GT(opened, 20);
}

TEST(Dilatancy, ReturnsToTheConeAndMakesNoEnergy) {
  Material sand = dense_sand();
  expect_on_the_cone_without_more_energy<2>(sand);
  expect_on_the_cone_without_more_energy<3>(sand);
  sand.dilatancy_angle = kFriction;  // associated
  expect_on_the_cone_without_more_energy<2>(sand);
  expect_on_the_cone_without_more_energy<3>(sand);
  sand.dilatancy_limit = 0.02;
  sand.friction_hardening = {0.7, 0.157, 0.2, 0.05};
  expect_on_the_cone_without_more_energy<3>(sand);
}

}  // namespace
}  // namespace firn
