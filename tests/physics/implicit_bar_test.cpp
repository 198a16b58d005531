// Bars under steps by optimisation: static equilibria in a few long steps, from soft to steel; what
// backward Euler does to a vibration, and that it converges to the explicit step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/validation.h"

namespace firn::test {
namespace {

using std::numbers::pi;

constexpr double kLength = 50, kRho = 80, kGravity = 10;

// tau = E ln(stretch) = -rho g (L - Y) stretch along the column: its settlement to first order and
// beyond by fixed-point iteration on the stretch.
double settled_length(double E) {
  constexpr int kSlices = 20000;
  double length = 0;
  for (int i = 0; i < kSlices; ++i) {
    const double Y = (i + 0.5) / kSlices * kLength;
    double stretch = 1;
    for (int k = 0; k < 200; ++k)
      stretch = std::exp(-kRho * kGravity * (kLength - Y) * stretch / E);
    length += stretch * kLength / kSlices;
  }
  return length;
}

class ImplicitColumn : public testing::TestWithParam<double> {};

TEST_P(ImplicitColumn, SettlesInAFewSteps) {
  const double E = GetParam();
  Material material;
  material.name = "Hencky";
  material.model = MaterialModel::kStvkHencky;
  material.density = kRho;
  material.youngs_modulus = E;
  constexpr int kCells = 50;
  // A tenth of the period of its swing or more: it is damped within the first steps.
  const double dt = 5;
  Scene scene = plane_scene(material, kLength / kCells, dt);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {-kGravity, 0, 0};
  scene.implicit.tolerance = 1e-6;
  add_row(scene, 0, kLength, 4);
  scene.grid.domain->max[0] = 2 * kLength;
  Simulation simulation(scene, kOneThread);
  const std::vector<float> start = simulation.snapshot().position;
  int steps = 0;
  for (; steps < 40 && simulation.stats().time < 20 * dt; ++steps) simulation.advance_steps(1);
  const Snapshot now = simulation.snapshot();
  double tip = 0, top = 0, stress_error = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const double Y = start[2 * p];
    if (Y > top) top = Y, tip = now.position[2 * p] + (kLength - Y);
    const float* F = &now.deformation_gradient[4 * p];
    const double stress = now.kirchhoff_stress[4 * p] / (F[0] * F[3] - F[1] * F[2]);
    stress_error += std::abs(stress + kRho * kGravity * (kLength - Y));
  }
  // A snapshot is in single precision: what steel settles does not show in it.
  const double settlement = kLength - settled_length(E);
  EXPECT_NEAR(kLength - tip, settlement, 0.02 * settlement + 1e-5);
  EXPECT_LE(stress_error / static_cast<double>(now.size()), 0.015 * kRho * kGravity * kLength);
  EXPECT_LE(simulation.stats().implicit.max_iterations, 8);
  EXPECT_EQ(simulation.stats().implicit.rejected, 0);
}

INSTANTIATE_TEST_SUITE_P(Stiffness, ImplicitColumn, testing::Values(1e6, 1e8, 2e11),
                         [](const auto& info) {
                           return "E" + std::to_string(static_cast<long>(std::log10(info.param)));
                         });

// A row that vibrates in its first mode under FLIP, which damps nothing itself.
Scene bar(double dt, Integrator integrator) {
  constexpr double kBar = 1;
  Material material;
  material.name = "elastic";
  material.density = 1000;
  material.youngs_modulus = 1e4;
  Scene scene = plane_scene(material, kBar / 40, dt);
  scene.simulation.integrator = integrator;
  scene.transfer.type = TransferType::kFlip;
  add_row(scene, 0, kBar, 2);
  scene.grid.domain->max[0] = 2 * kBar;
  scene.bodies[0].velocity.component[0] = field("1e-3*sin(_pi*x/2)");
  return scene;
}
double energy_after(const Scene& scene, int steps) {
  Simulation simulation(scene, kOneThread);
  const Totals start = simulation.totals();
  simulation.advance_steps(steps);
  const Totals now = simulation.totals();
  return (now.kinetic + now.elastic) / (start.kinetic + start.elastic);
}

// Of a mode of frequency w, backward Euler leaves 1 / (1 + w^2 dt^2) of the energy in every step.
TEST(Implicit, DampsAVibrationAsBackwardEulerDoes) {
  const double w = 0.5 * pi * std::sqrt(1e4 / 1000.0);
  for (const double dt : {0.01, 0.02, 0.04}) {
    Scene scene = bar(dt, Integrator::kOptimization);
    scene.implicit.tolerance = 1e-8;
    const int steps = static_cast<int>(std::lround(2 * pi / w / dt));  // a period
    const double expected = std::pow(1 + w * w * dt * dt, -steps);
    EXPECT_NEAR(energy_after(scene, steps), expected, 0.03 * expected) << dt;
  }
}

// Towards the explicit step's result at first order.
TEST(Implicit, ConvergesToTheExplicitStep) {
  const double time = 0.2;
  const auto centre = [&](double dt, Integrator integrator) {
    Simulation simulation(bar(dt, integrator), kOneThread);
    simulation.advance_until(time);
    const Snapshot s = simulation.snapshot();
    double sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i) sum += s.velocity[2 * i];
    return sum / static_cast<double>(s.size());
  };
  const double exact = centre(2.5e-4, Integrator::kExplicit);
  std::vector<double> errors;
  const std::vector<double> steps{0.02, 0.01, 0.005};
  for (double dt : steps) errors.push_back(std::abs(centre(dt, Integrator::kOptimization) - exact));
  EXPECT_NEAR(fitted_slope(steps, errors), 1, 0.25)
      << errors[0] << " " << errors[1] << " " << errors[2];
}

}  // namespace
}  // namespace firn::test
