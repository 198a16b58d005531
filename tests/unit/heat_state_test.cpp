// The enthalpy of a particle: temperature and phase follow from it, and no heat is lost or counted
// twice where it crosses the melting point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/heat/enthalpy.h"

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
    for (; additions < 40; ++additions) {
      const auto now = static_cast<TypeParam>(part(random) * left);
      add_heat(m, now, s);
      left -= now;
    }
    add_heat(m, static_cast<TypeParam>(left), s);
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
  add_heat(m, TypeParam(2100) + m.latent_heat / 2, s);
  EXPECT_FALSE(s.liquid) << "half melted ice is ice";
  EXPECT_EQ(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
  add_heat(m, m.latent_heat, s);
  EXPECT_TRUE(s.liquid);
  add_heat(m, TypeParam(-1.2) * m.latent_heat, s);
  EXPECT_TRUE(s.liquid) << "half frozen water is water";
  EXPECT_EQ(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
  add_heat(m, -m.latent_heat, s);
  EXPECT_FALSE(s.liquid);
  EXPECT_LT(temperature_of(m, m.melting_point, s.enthalpy), m.melting_point);
}

TYPED_TEST(HeatStateOf, WithoutLatentHeatThePhaseFollowsTheTemperature) {
  auto m = water<TypeParam>();
  m.latent_heat = 0;
  auto s = heat_state_at(m, m.melting_point, TypeParam(272));
  add_heat(m, TypeParam(2100 + 4200), s);
  EXPECT_TRUE(s.liquid);
  EXPECT_NEAR(temperature_of(m, m.melting_point, s.enthalpy), 274, 1e-3);
  add_heat(m, TypeParam(-4200 - 2100), s);
  EXPECT_FALSE(s.liquid);
}

TYPED_TEST(HeatStateOf, WhatDoesNotMeltStaysWhatItIs) {
  auto m = water<TypeParam>();
  m.melts = false;
  m.capacity[1] = m.capacity[0];
  HeatState<TypeParam> s{0, true};
  add_heat(m, TypeParam(-1e5), s);
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
  EXPECT_NEAR(stiffness_at(m, 1000.0), 1 - 0.01 * 63, 1e-14);
}

}  // namespace
}  // namespace firn::test
