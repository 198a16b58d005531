// A bar fixed at one end that swings in its first longitudinal mode: period and energy over ten
// periods.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/validation.h"

namespace firn {
namespace {

using std::numbers::pi;

// Parameters of the public case (LearnMPM, bar-vibration1d): L = 25, E = 100, rho = 0.8, v0 = 0.1
// sin(pi x / 2L).
constexpr double kLength = 25, kE = 100, kRho = 0.8, kV0 = 0.1;
constexpr int kElements = 120, kPeriods = 10, kFramesPerPeriod = 80;

double exact_period() { return 4 * kLength / std::sqrt(kE / kRho); }  // 8.94427191 s

Scene bar_scene() {
  Material material;
  material.name = "elastic";
  material.model = MaterialModel::kNeoHookean;
  material.density = kRho;
  material.youngs_modulus = kE;
  const double dx = kLength / kElements;
  Scene scene = test::plane_scene(material, dx, 0.4 * dx / std::sqrt(kE / kRho));
  test::add_row(scene, 0, kLength, 2);
  scene.grid.domain->max[0] = 2 * kLength;  // the other end is free
  scene.bodies[0].velocity.component[0] = test::field("0.1*sin(_pi*x/50)");
  scene.simulation.fps = kFramesPerPeriod / exact_period();
  return scene;
}

TEST(VibratingBar, PeriodAndEnergy) {
  Simulation sim(bar_scene(), test::kOneThread);
  const auto energy = [&] { return sim.totals().kinetic + sim.totals().elastic; };
  const double start = energy(), mass = sim.totals().mass;
  EXPECT_NEAR(start, 0.25 * mass * kV0 * kV0, 1e-3 * start);  // 1/2 m v0^2 <sin^2>
  // Upward passages of the momentum through zero, between two frames.
  std::vector<double> passages;
  double lowest = start, highest = start, before = 1, time = 0;
  for (int frame = 0; frame < kPeriods * kFramesPerPeriod; ++frame) {
    sim.advance_frame();
    const double momentum = sim.totals().momentum[0], now = sim.stats().time;
    if (before < 0 && momentum >= 0)
      passages.push_back(time + (now - time) * before / (before - momentum));
    before = momentum;
    time = now;
    lowest = std::min(lowest, energy());
    highest = std::max(highest, energy());
  }
  ASSERT_EQ(passages.size(), static_cast<std::size_t>(kPeriods));
  const double period = (passages.back() - passages.front()) / (kPeriods - 1);
  EXPECT_NEAR(period, exact_period(), 5e-3 * exact_period());
  EXPECT_LT(highest - lowest, 0.01 * start);
}

}  // namespace
}  // namespace firn
