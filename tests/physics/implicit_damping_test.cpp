// Rayleigh's damping under implicit steps: how fast a bar's first mode decays, by stiffness and by
// mass, against the closed form of the damped oscillator as steps get short; and that damping by
// stiffness takes nothing from momentum nor from what only turns.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

#include "tests/support/validation.h"

namespace firn::test {
namespace {

using std::numbers::pi;

constexpr double kBar = 1, kDx = kBar / 80, kE = 1e4, kRho = 1000;
constexpr double kRatio = 0.1;  // of the critical damping
const double kOmega = 0.5 * pi * std::sqrt(kE / kRho);

enum class By { kStiffness, kMass };
using Case = std::tuple<Integrator, int, By>;  // dimension
class ImplicitDamping : public testing::TestWithParam<Case> {};

// A row that vibrates in its first mode under FLIP, which damps nothing itself.
Scene bar(const Case& c, double dt) {
  const auto& [integrator, dimension, by] = c;
  Material material;
  material.name = "elastic";
  material.density = kRho;
  material.youngs_modulus = kE;
  if (by == By::kStiffness) material.stiffness_damping = 2 * kRatio / kOmega;
  Scene scene = plane_scene(material, kDx, dt);
  scene.simulation.dimension = dimension;
  scene.simulation.integrator = integrator;
  scene.transfer.type = TransferType::kFlip;
  scene.implicit.tolerance = 1e-8;
  if (by == By::kMass) scene.implicit.mass_damping = 2 * kRatio * kOmega;
  add_row(scene, 0, kBar, 2);
  scene.grid.domain->max[0] = 2 * kBar;
  scene.bodies[0].velocity.component[0] = field("1e-3*sin(_pi*x/2)");
  return scene;
}

// Of energy over a period of the damped oscillator, in whose course its state shrinks to a part of
// itself.
double decay_rate(const Case& c, int steps) {
  const double period = 2 * pi / (kOmega * std::sqrt(1 - kRatio * kRatio));
  Simulation simulation(bar(c, period / steps), kOneThread);
  const Totals start = simulation.totals();
  simulation.advance_until(period);
  const Totals now = simulation.totals();
  EXPECT_EQ(simulation.stats().implicit.rejected, 0);
  return -std::log((now.kinetic + now.elastic) / (start.kinetic + start.elastic)) / period;
}

// Backward Euler damps by itself, at first order in dt: two steps tell what is left without it. The
// nodes that the wall holds hold the field up to half a cell behind the last of them, so the bar
// is up to that much longer than it should be, and omega^2 up to dx / length less.
TEST_P(ImplicitDamping, DecaysAsTheDampedOscillator) {
  const double coarse = decay_rate(GetParam(), 200), fine = decay_rate(GetParam(), 400);
  const double exact = 2 * kRatio * kOmega;
  EXPECT_GT(coarse, fine);
  EXPECT_NEAR(2 * fine - coarse, exact, kDx / kBar * exact);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [integrator, dimension, by] = info.param;
  return std::string(integrator == Integrator::kOptimization ? "optimization" : "semi_implicit") +
         "_" + std::to_string(dimension) + "d_by_" + (by == By::kMass ? "mass" : "stiffness");
}
INSTANTIATE_TEST_SUITE_P(
    Bars, ImplicitDamping,
    testing::Combine(testing::Values(Integrator::kOptimization, Integrator::kSemiImplicit),
                     testing::Values(2, 3), testing::Values(By::kStiffness, By::kMass)),
    name_of);

// A disc that spins and rings, stretched far enough that a damping of all of the velocity gradient
// would brake it.
Scene spinning(int dimension, double damping) {
  Material material;
  material.name = "rubber";
  material.density = 1000;
  material.youngs_modulus = 1e5;
  material.poisson_ratio = 0.3;
  material.stiffness_damping = damping;
  Scene scene = plane_scene(material, 0.1, 2e-3);
  scene.simulation.dimension = dimension;
  scene.simulation.integrator = Integrator::kOptimization;
  scene.implicit.tolerance = 1e-8;
  Body body;
  body.name = "body";
  body.shape = box({-0.4, -0.4, -0.2}, {0.4, 0.4, 0.2});
  body.sampling = Sampling::kUniform;
  body.particles_per_cell = 1 << dimension;
  body.velocity.component[0].constant = 1;
  body.angular_velocity = {0, 0, 8};
  scene.bodies = {body};
  return scene;
}

TEST(ImplicitDampingMomentum, StaysAndTurningGoesOn) {
  for (const int dimension : {2, 3}) {
    double kept[2], elastic[2];
    for (const bool damped : {false, true}) {
      Simulation simulation(spinning(dimension, damped ? 0.05 : 0), kOneThread);
      const Totals start = simulation.totals();
      simulation.advance_steps(100);
      const Totals now = simulation.totals();
      for (std::size_t a = 0; a < 2; ++a)
        EXPECT_NEAR(now.momentum[a], start.momentum[a], 1e-6 * start.mass) << dimension;
      kept[damped] = now.angular_momentum[2] / start.angular_momentum[2];
      elastic[damped] = now.elastic;
    }
    EXPECT_GT(elastic[1], 0) << "nothing is stretched";
    EXPECT_NE(elastic[1], elastic[0]);
    // What backward Euler takes is first order in dt, and less where nothing rings.
    EXPECT_NEAR(kept[1], 1, 0.02) << dimension;
    EXPECT_LE(std::abs(kept[1] - 1), std::abs(kept[0] - 1) + 2e-3) << dimension;
  }
}

}  // namespace
}  // namespace firn::test
