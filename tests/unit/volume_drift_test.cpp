// Volume ratios of liquids and the density that nodes have: what a step makes of one particle's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/materials/volume_drift.h"
#include "kernels/transfer/transfer.h"

namespace firn {
namespace {

constexpr double kDensity = 800, kDx = 0.1, kDt = 0.01;
constexpr double kCell = kDensity * kDx * kDx * kDx;  // mass of a full cell, kg

// One particle in lane 3 of its chunk, of twice the density of its material.
struct OneParticle {
  explicit OneParticle(MaterialModel model) {
    law.model = model;
    law.density = 0.5 * kDensity;
    mass[3] = kDensity * volume[3];
    view.mass = mass.data();
    view.volume = volume.data();
    view.chunks = &chunk;
    view.displacement = displacement.data();
    view.history = &history[0];
    view.history_values = 1;
  }
  void set(const Mat<double, 3>& F) {
    for (int i = 0; i < 9; ++i)
      displacement[static_cast<std::size_t>(i * kLanes + 3)] = F(i / 3, i % 3) - (i % 4 == 0);
  }
  Mat<double, 3> F() const {
    Mat<double, 3> F;
    for (int i = 0; i < 9; ++i)
      F(i / 3, i % 3) = displacement[static_cast<std::size_t>(i * kLanes + 3)] + (i % 4 == 0);
    return F;
  }
  // Nodes about it hold that share of what full ones do, the emptiest of them `least` of it.
  void correct(double share, double least, double rate) {
    const VolumeDrift<3, double> drift(&law, view, 1 / kDx);
    drift.correct(OneLane<double>{0, 3}, share * kCell, least * kCell, rate, kDt);
  }

  MaterialParams<double> law{};
  Chunk chunk{};
  std::vector<double> mass = std::vector<double>(kLanes, 1e-3),
                      volume = std::vector<double>(kLanes, 2e-5);
  std::vector<double> displacement = std::vector<double>(9 * kLanes, 7);
  std::array<double, kLanes> history{};
  ParticleView<double> view;
};

const Mat<double, 3> kF{{{1.1, 0.3, -0.1}, {0.2, 0.9, 0.15}, {0.05, -0.2, 1.05}}};

TEST(VolumeDrift, GoesTowardsTheDensityByTheShear) {
  for (const double J : {0.8, 1.0, 1.3}) {
    OneParticle water(MaterialModel::kWeaklyCompressible);
    water.history[3] = J - 1;
    water.correct(1.25, 1, 2);
    EXPECT_NEAR(water.history[3], J - 1 + 0.3 * kDt * 2 * (0.8 - J), 1e-14);

    OneParticle paste(MaterialModel::kHerschelBulkley);
    const Mat<double, 3> F = kF * std::cbrt(J / determinant(kF));
    paste.set(F);
    paste.correct(1.25, 1, 2);
    const double after = J + 0.3 * kDt * 2 * (0.8 - J);
    EXPECT_NEAR(determinant(paste.F()), after, 1e-12);
    // It is the volume alone that changes.
    const Mat<double, 3> scaled = F * std::cbrt(after / J);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(paste.F()(i / 3, i % 3), scaled(i / 3, i % 3), 1e-12);
  }
}

TEST(VolumeDrift, LeavesWhatIsNotShearedToTheLastDigit) {
  OneParticle water(MaterialModel::kWeaklyCompressible);
  water.history[3] = 0.123456789;
  water.correct(2, 1, 0);
  EXPECT_EQ(water.history[3], 0.123456789);
  OneParticle paste(MaterialModel::kHerschelBulkley);
  paste.set(kF);
  const std::vector<double> before = paste.displacement;
  paste.correct(2, 1, 0);
  EXPECT_EQ(paste.displacement, before);
}

// Where a node is all but empty the density is too low, and only too large a J is known to be
// wrong.
TEST(VolumeDrift, AtASurfaceOnlyLowersJ) {
  OneParticle water(MaterialModel::kWeaklyCompressible);
  water.correct(0.7, 0.2, 2);
  EXPECT_EQ(water.history[3], 0);
  water.correct(1.25, 0.2, 2);
  EXPECT_NEAR(water.history[3], 0.3 * kDt * 2 * -0.2, 1e-14);
}

TEST(VolumeDrift, CountsShearAlone) {
  const Mat<double, 3> turn{{{0, -2, 1}, {2, 0, -3}, {-1, 3, 0}}};
  using Drift = VolumeDrift<3, double>;
  EXPECT_EQ(Drift::rate_of(turn), 0);
  EXPECT_EQ(Drift::rate_of(turn + Mat<double, 3>::scaled_identity(-4)), 0);
  Mat<double, 3> simple = Mat<double, 3>::zero();
  simple(0, 1) = 6;
  EXPECT_NEAR(Drift::rate_of(turn + simple), 6 / std::sqrt(2), 1e-14);
}

// However long the step, J does not go beyond.
TEST(VolumeDrift, GoesNoFurtherThanTheDensity) {
  OneParticle water(MaterialModel::kWeaklyCompressible);
  water.correct(1.25, 1, 1e6);
  EXPECT_NEAR(water.history[3], -0.2, 1e-14);
}

TEST(VolumeDrift, SpansOfAnIntervalAreTheTimeThatPassed) {
  StepControl control{};
  control.dt = 0.25;
  for (const std::uint32_t interval : {1U, 8U}) {
    TransferParams params;
    params.volume_interval = interval;
    std::uint32_t turns = 0;
    for (control.step = 0; control.step < 16; ++control.step)
      turns += holds_volumes(params, control) ? 1 : 0;
    EXPECT_EQ(turns, 16 / interval);
    EXPECT_EQ(turns * volume_span(params, control.dt), 16 * control.dt) << "interval " << interval;
  }
  control.step = 0;
  EXPECT_FALSE(holds_volumes({}, control)) << "no materials that flow";
}

// Foam that is shaken faster than it relaxes is a solid.
TEST(VolumeDrift, IsOfWhatRelaxes) {
  for (const double rate : {1.0, 2.0, 50.0}) {
    OneParticle foam(MaterialModel::kViscoelastic);
    foam.law.relaxation_time = 2;
    foam.set(kF);
    foam.correct(1.25, 1, rate);
    const double J = determinant(kF);
    EXPECT_NEAR(determinant(foam.F()), J + 0.3 * kDt * std::min(rate, 2.0) * (0.8 - J), 1e-12);
  }
}

TEST(VolumeDrift, IsOfLiquidsAlone) {
  OneParticle jelly(MaterialModel::kNeoHookean);
  jelly.set(kF);
  const std::vector<double> before = jelly.displacement;
  jelly.correct(1.25, 1, 2);
  EXPECT_EQ(jelly.displacement, before);
}

}  // namespace
}  // namespace firn
