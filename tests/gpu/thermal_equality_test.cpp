// One melting scene on both backends, in motion: a soft block in part molten and a stiff one of
// finite lambda that meet on a wall, with explicit and with implicit forces, agree within what the
// tolerances of the solves and another order of summation explain.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "tests/support/device.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

Scene melting_scene(int dimension, Precision precision, ForceIntegration forces) {
  Scene s = thermal_scene(dimension, 0.05, precision);
  s.simulation.gravity = {0, -9.81, 0};
  s.time.dt_max = 1e-3;
  const double depth = dimension == 3 ? 0.3 : 0;
  s.grid.domain = closed_box({0, 0, 0}, {1, 1, depth});
  s.grid.domain->temperature[2] = ScalarField{340, ""};
  s.materials = {solid("fat", 2e4, std::numeric_limits<double>::infinity()),
                 solid("foam", 5e4, 1e6)};
  HeatProperties& heat = s.materials[0].heat;
  heat.melting_point = 310;
  heat.latent_heat = 1e3;
  heat.conductivity = {2e4, 2e4};
  s.materials[0].viscosity = 5;
  s.bodies = {body("fat", 0, box({0, 0, 0}, {0.5, 0.4, depth})),
              body("foam", 1, box({0.5, 0.02, 0}, {0.8, 0.42, depth}))};
  s.bodies[0].temperature.constant = 308;
  s.bodies[1].temperature.constant = 300;
  s.bodies[1].velocity.component[0].constant = -1;
  s.colliders = {collider("plate", box({0.5, -0.2, -1}, {1, 0.02, 1}), BoundaryType::kSticky)};
  s.thermal.forces = forces;
  const double tight = precision == Precision::kDouble ? 1e-12 : 1e-6;
  s.thermal.force_solve.tolerance = s.thermal.heat_solve.tolerance = tight;
  s.thermal.pressure_solve.tolerance = tight;
  return s;
}

void expect_close(std::span<const float> a, std::span<const float> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= worst)) worst = difference;  // a NaN counts as the worst
  }
  EXPECT_LE(worst, tolerance);
}

void expect_backends_agree(const Scene& scene) {
  Simulation cpu(scene, {Device::kCpu, 1}), cuda(scene, {Device::kCuda, 1});
  const int steps = scene.simulation.dimension == 3 ? 4 : 10;
  cpu.advance_steps(steps);
  cuda.advance_steps(steps);
  const Snapshot a = cpu.snapshot(), b = cuda.snapshot();
  // Solves of the projection leave their tolerance of the velocities (1 m/s), ten times over;
  // snapshots are in single precision.
  const double tolerance = scene.simulation.precision == Precision::kDouble ? 1e-6 : 1e-3;
  expect_close(a.velocity, b.velocity, tolerance);
  expect_close(a.position, b.position, tolerance);
  expect_close(a.temperature, b.temperature, 300 * tolerance);
  EXPECT_NEAR(cpu.totals().volume, cuda.totals().volume, tolerance * cpu.totals().volume);
  const Vec3 on_cpu = cpu.stats().reactions.at(0).force, on_cuda = cuda.stats().reactions[0].force;
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(on_cpu[c] * cpu.time(), on_cuda[c] * cpu.time(), tolerance * cpu.totals().mass);
  int differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a.phase[i] != b.phase[i] ? 1 : 0;
  EXPECT_LE(differ, static_cast<int>(a.size() / 1000)) << "at the melting point to rounding";
}

TEST(GpuThermalEquality, AMeltingSceneAgrees) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (ForceIntegration forces :
           {ForceIntegration::kExplicit, ForceIntegration::kSemiImplicit}) {
        SCOPED_TRACE(testing::Message()
                     << dimension << "D, precision " << static_cast<int>(precision) << ", forces "
                     << static_cast<int>(forces));
        expect_backends_agree(melting_scene(dimension, precision, forces));
      }
}

TEST(GpuThermalEquality, AMeltingSceneWithFacesOfWholeCellsAgrees) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Scene scene = melting_scene(dimension, Precision::kDouble, ForceIntegration::kExplicit);
    scene.thermal.face_density = FaceDensity::kCell;
    expect_backends_agree(scene);
  }
}

}  // namespace
}  // namespace firn::test
