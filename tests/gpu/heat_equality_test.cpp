// Expressions of temperature and heat sources on both backends: a block between walls, a body and
// air that change in place and time, with a source in it, is as warm on the device as on the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

ScalarField expression(const char* text) { return {0, text}; }

Scene heated_scene(int dimension) {
  Scene s = empty_scene(dimension, 0.125);
  s.simulation.integrator = Integrator::kThermal;
  s.simulation.gravity = {0, 0, 0};
  s.transfer.force = ForceForm::kGradient;
  s.fluid.free_surface = FreeSurface::kFirstOrder;
  s.time.dt_max = 0.01;
  s.thermal.heat_solve.tolerance = 1e-12;
  if (dimension == 3) s.thermal.heat_transfer_coefficient = 1e6;
  s.thermal.ambient = expression("300 + 50 * sin(10 * t + x) + z");
  const double depth = dimension == 3 ? 1 : 0;
  s.grid.domain = closed_box({0, 0, 0}, {1, 1, depth});
  s.grid.domain->temperature[0] = expression("y < 0.3 ? 400 : 250 + 20 * exp(-y^2)");
  Material m;
  m.name = "stone";
  m.model = MaterialModel::kCorotatedDeviatoric;
  m.density = 1000;
  m.lame = LameParameters{1e3, std::numeric_limits<double>::infinity()};
  m.heat.capacity = {2000, 2000};
  m.heat.conductivity = {1e5, 1e5};
  s.materials = {m};
  s.bodies = {lattice("block", box({0, 0, 0}, {1, 0.5, depth}))};
  s.bodies[0].temperature.constant = 300;
  s.colliders = {collider("rod", sphere({0.6, 0.2, depth / 2}, 0.15), BoundaryType::kSlip)};
  s.colliders[0].temperature = expression("max(280, 350 - 40 * sqrt(x^2 + y^2))");
  HeatSource coil;
  coil.shape = box({0, 0, -1}, {0.4, 0.3, 2});
  coil.power = expression("1e8 * t * (1 + y) * atan2(y, 1 + x)");
  s.heat_sources = {coil};
  return s;
}

TEST(GpuHeatEquality, TemperaturesAgree) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Simulation cpu(heated_scene(dimension), {Device::kCpu, 1});
    Simulation cuda(heated_scene(dimension), {Device::kCuda, 1});
    cpu.advance_steps(20);
    cuda.advance_steps(20);
    const Snapshot a = cpu.snapshot(), b = cuda.snapshot();
    ASSERT_EQ(a.size(), b.size());
    // Computed in double precision, told in single.
    constexpr float kTolerance = 4 * 500 * std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a.temperature[i], b.temperature[i], kTolerance) << "particle " << a.id[i];
  }
}

}  // namespace
}  // namespace firn::test
