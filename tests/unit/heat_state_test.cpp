// The enthalpy of a particle: temperature and phase follow from it, and no heat is lost or counted
// twice where it crosses the melting point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "firn/error.h"
#include "kernels/heat/enthalpy.h"
#include "src/state/heat_model.h"

namespace firn::test {
namespace {

template <class Real>
class HeatStateOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(HeatStateOf, Precisions);

// Water: the two phases differ by a factor of two.
template <class Real>
ThermalMaterial<Real> water() {
  ThermalMaterial<Real> m{};
  m.capacity[0] = 2100;
  m.capacity[1] = 4200;
  m.melting_point = 273;
  m.latent_heat = 334e3f;
  m.melts = true;
  return m;
}

// A solid whose Young's modulus is this expression of T.
Material softening(const char* youngs_modulus) {
  Material m;
  m.name = "wax";
  m.model = MaterialModel::kCorotatedDeviatoric;
  m.density = 1000;
  m.poisson_ratio = 0.3;
  m.youngs_modulus_of_temperature = youngs_modulus;
  m.heat.capacity = {1000, 1000};
  return m;
}

// Heat from absolute zero up, J/kg.
template <class Real>
double heat_content(const ThermalMaterial<Real>& m, double temperature) {
  const double T_m = m.melting_point;
  if (temperature <= T_m) return m.capacity[0] * temperature;
  return m.capacity[0] * T_m + m.latent_heat + m.capacity[1] * (temperature - T_m);
}

TYPED_TEST(HeatStateOf, TemperatureGoesThereAndBack) {
  const auto m = water<TypeParam>();
  for (int T = 200; T < 380; ++T) {
    const auto s = heat_state_at(m, m.melting_point, TypeParam(T));
    EXPECT_EQ(s.liquid, T > 273);
    // Enthalpies of up to 8e5 are rounded once.
    EXPECT_NEAR(temperature_of(m, m.melting_point, s.enthalpy), T,
                8e5 / 2100 * std::numeric_limits<TypeParam>::epsilon());
  }
}

TYPED_TEST(HeatStateOf, AnyPathNeedsTheSameHeat) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> temperature(150, 400), part(0.05, 1);
  const auto m = water<TypeParam>();
  for (int i = 0; i < 200; ++i) {
    const double from = temperature(random), to = temperature(random);
    auto s = heat_state_at(m, m.melting_point, TypeParam(from));
    double left = heat_content(m, to) - heat_content(m, from);
    int additions = 1;
    TypeParam rest = 0;
    for (; additions < 40; ++additions) {
      const auto now = static_cast<TypeParam>(part(random) * left);
      add_heat(m, now, s, rest);
      left -= now;
    }
    add_heat(m, static_cast<TypeParam>(left), s, rest);
    // Each addition rounds an enthalpy of up to 1e6.
    const double error = additions * 1e6 * std::numeric_limits<TypeParam>::epsilon() / 2100;
    EXPECT_NEAR(temperature_of(m, m.melting_point, s.enthalpy), to, error);
    if (std::abs(to - 273) > error) {
      EXPECT_EQ(s.liquid, to > 273);
    }
  }
}

TYPED_TEST(HeatStateOf, ThePhaseChangesWhereTheBufferIsFullOrEmpty) {
  const auto m = water<TypeParam>();
  auto s = heat_state_at(m, m.melting_point, TypeParam(272));
  TypeParam rest = 0;
  add_heat(m, TypeParam(2100) + m.latent_heat / 2, s, rest);
  EXPECT_FALSE(s.liquid) << "half melted ice is ice";
  EXPECT_EQ(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
  add_heat(m, m.latent_heat, s, rest);
  EXPECT_TRUE(s.liquid);
  add_heat(m, TypeParam(-1.2) * m.latent_heat, s, rest);
  EXPECT_TRUE(s.liquid) << "half frozen water is water";
  EXPECT_EQ(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
  add_heat(m, -m.latent_heat, s, rest);
  EXPECT_FALSE(s.liquid);
  EXPECT_LT(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
}

TYPED_TEST(HeatStateOf, WithoutLatentHeatThePhaseFollowsTheTemperature) {
  auto m = water<TypeParam>();
  m.latent_heat = 0;
  auto s = heat_state_at(m, m.melting_point, TypeParam(272));
  TypeParam rest = 0;
  add_heat(m, TypeParam(2100 + 4200), s, rest);
  EXPECT_TRUE(s.liquid);
  EXPECT_NEAR(temperature_of(m, m.melting_point, s.enthalpy), 274, 1e-3);
  add_heat(m, TypeParam(-4200 - 2100), s, rest);
  EXPECT_FALSE(s.liquid);
}

TYPED_TEST(HeatStateOf, WhatDoesNotMeltStaysWhatItIs) {
  auto m = water<TypeParam>();
  m.melts = false;
  m.capacity[1] = m.capacity[0];
  HeatState<TypeParam> s{0, true};
  TypeParam rest = 0;
  add_heat(m, TypeParam(-1e5), s, rest);
  EXPECT_TRUE(s.liquid);
  EXPECT_NEAR(temperature_of(m, m.melting_point, s.enthalpy), 273 - 1e5 / 2100, 1e-3);
}

TEST(HeatState, MeltingPointsAreSpreadEvenly) {
  auto m = water<double>();
  m.melting_jitter = 4;
  constexpr int n = 100000;
  double sum = 0, squares = 0, least = 1e9, most = 0;
  for (std::uint32_t id = 0; id < n; ++id) {
    const double offset = melting_point(m, id) - m.melting_point;
    sum += offset;
    squares += offset * offset;
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
  // Uniform in [-4, 4]: variance 16/3, whose own deviation over n samples is sqrt(4/45) 16 / sqrt
  // n.
  EXPECT_NEAR(sum / n, 0, 4 * 4 / std::sqrt(3.0 * n));
  EXPECT_NEAR(squares / n, 16.0 / 3, 4 * 16 * std::sqrt(4.0 / 45 / n));
  EXPECT_GE(least, -4);
  EXPECT_LE(most, 4);
}

TEST(HeatState, StiffnessIsInterpolatedAndEndsWithItsSamples) {
  ThermalMaterial<double> m{};
  m.stiffness_from = 250;
  m.samples_per_kelvin = 2;
  for (int i = 0; i < kStiffnessSamples; ++i) m.stiffness[i] = 1 - 0.01 * i;
  EXPECT_DOUBLE_EQ(stiffness_at(m, 200.0), 1);
  EXPECT_NEAR(stiffness_at(m, 260.25), 1 - 0.01 * 20.5, 1e-14);
  EXPECT_NEAR(stiffness_at(m, 1e5), 1 - 0.01 * (kStiffnessSamples - 1), 1e-11);
}

// A tenth of a kelvin in a million steps, each of them less than the last digit of a float.
TYPED_TEST(HeatStateOf, NoStepIsTooSmall) {
  auto m = water<TypeParam>();
  for (const bool melts : {false, true}) {
    m.melts = melts;
    auto s = heat_state_at(m, m.melting_point, TypeParam(melts ? 280 : 400));
    const auto before = static_cast<double>(s.enthalpy);
    TypeParam rest = 0;
    for (int i = 0; i < 1000000; ++i) add_heat(m, TypeParam(2.1e-4), s, rest);
    EXPECT_NEAR(static_cast<double>(s.enthalpy) - before, 210, 0.1);
  }
}

// lambda is Young's modulus times a function of Poisson's ratio, whatever the temperature.
TEST(HeatModel, SolidsAreAsHardToCompressAsTheirTemperatureSays) {
  Material material = softening("1e6*exp(-(T-300)/15)");
  for (const bool melts : {false, true}) {
    if (melts) material.heat.melting_point = 400;
    const auto m = thermal_material<double>(material);
    for (const double T : {280.0, 300.0, 345.0, 390.0}) {
      const double E = 1e6 * std::exp(-(T - 300) / 15);
      const auto state = heat_state_at(m, m.melting_point, T);
      ASSERT_FALSE(state.liquid);
      EXPECT_NEAR(compressibility_of(m, m.melting_point, state) * lame_parameters(E, 0.3).lambda, 1,
                  0.01)
          << T;
      EXPECT_NEAR(deviatoric_params<double>(material, 3).mu * stiffness_at(m, T) /
                      lame_parameters(E, 0.3).mu,
                  1, 0.01)
          << T;
    }
    if (!melts) continue;
    const auto liquid = heat_state_at(m, m.melting_point, 450.0);
    EXPECT_NEAR(compressibility_of(m, m.melting_point, liquid) *
                    lame_parameters(1e6 * std::exp(-100.0 / 15), 0.3).lambda,
                1, 1e-9);
  }
}
// A kelvin beside a step of the modulus it is what the expression says.
TEST(HeatModel, StiffnessFollowsSharpSteps) {
  const Material material = softening("1e3+1e6*(T<340)");
  const auto m = thermal_material<double>(material);
  const double mu = deviatoric_params<double>(material, 3).mu;
  EXPECT_NEAR(mu * stiffness_at(m, 338.5), lame_parameters(1.001e6, 0.3).mu, 1);
  EXPECT_NEAR(mu * stiffness_at(m, 341.5), lame_parameters(1e3, 0.3).mu, 1e-3);
}
// Where the expression has no modulus, the nearest that it has holds.
TEST(HeatModel, StiffnessEndsWhereItsExpressionDoes) {
  const Material material = softening("2e6-2e3*T");
  const auto m = thermal_material<double>(material);
  const double mu = deviatoric_params<double>(material, 3).mu;
  EXPECT_NEAR(mu * stiffness_at(m, 300.0) / lame_parameters(1.4e6, 0.3).mu, 1, 1e-9);
  EXPECT_GT(stiffness_at(m, 1500.0), 0);
  EXPECT_EQ(stiffness_at(m, 1500.0), stiffness_at(m, 1999.0));
  EXPECT_THROW(thermal_material<double>(softening("-T")), Error);
}

}  // namespace
}  // namespace firn::test
