// Steps by optimisation and by one linear solve on both backends: solved to a tight tolerance, they
// are the same motion, whatever the order of sums. Laws, viscosity, contacts that open, stick and
// slide, a moving body, every kernel, both dimensions and precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>

#include "tests/support/device.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

using Case = std::tuple<Integrator, int, int, Precision>;  // kernel degree, dimension

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [integrator, kernel, dimension, precision] = info.param;
  return std::string(integrator == Integrator::kOptimization ? "optimization" : "semi_implicit") +
         "_kernel" + std::to_string(kernel) + "_" + std::to_string(dimension) + "d_" +
         (precision == Precision::kSingle ? "single" : "double");
}

Scene scene_of(const Case& c) {
  const auto& [integrator, kernel, dimension, precision] = c;
  Scene scene = busy_scene(dimension, precision);
  scene.simulation.integrator = integrator;
  scene.transfer.kernel = kernel;
  scene.transfer.force = kernel == 1 ? ForceForm::kGradient : ForceForm::kMls;
  scene.time.dt_max = 2e-3;
  scene.implicit.tolerance = precision == Precision::kSingle ? 1e-3 : 1e-8;
  scene.materials[0].viscosity = 5;
  scene.sources.clear();
  scene.sinks.clear();
  for (Body& body : scene.bodies) body.particles_per_cell = 1 << dimension;
  return scene;
}

struct Outcome {
  Snapshot particles;
  ImplicitStats solve;
};

Outcome after(const Scene& scene, Device device, int steps) {
  Simulation simulation(scene, {.device = device, .threads = 1});
  simulation.advance_steps(steps);
  EXPECT_EQ(simulation.stats().implicit.rejected, 0);
  EXPECT_GT(simulation.stats().implicit.linear_iterations, 0);
  return {simulation.snapshot(), simulation.stats().implicit};
}

double difference(std::span<const float> a, std::span<const float> b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(d <= most)) most = d;
  }
  return most;
}

class GpuImplicit : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(GpuImplicit, EqualsTheCpu) {
  const Scene scene = scene_of(GetParam());
  const bool single = scene.simulation.precision == Precision::kSingle;
  const Outcome cpu = after(scene, Device::kCpu, 2), gpu = after(scene, Device::kCuda, 2);
  // Velocities of some m/s are solved for to the tolerance; cells are 5 cm.
  EXPECT_LE(difference(cpu.particles.velocity, gpu.particles.velocity), single ? 2e-2 : 1e-5);
  EXPECT_LE(difference(cpu.particles.position, gpu.particles.position), single ? 5e-5 : 1e-6);
  // Newton's method forgives directions that are wrong: it takes longer.
  EXPECT_EQ(gpu.solve.iterations, cpu.solve.iterations);
  EXPECT_LE(gpu.solve.linear_iterations, cpu.solve.linear_iterations + 2);
}

// Laws whose flow takes time, in place of the jelly and the snow: they flow in the solve.
class GpuImplicitFlow : public GpuImplicit {};
TEST_P(GpuImplicitFlow, EqualsTheCpu) {
  Scene scene = scene_of(GetParam());
  scene.materials[0].model = MaterialModel::kViscoelastic;
  scene.materials[1].model = MaterialModel::kHerschelBulkley;
  for (Material& m : scene.materials) {
    m.relaxation_time = scene.time.dt_max;
    m.yield_stress = 200;
    m.consistency = 50;
    m.flow_index = 0.5;
  }
  const bool single = scene.simulation.precision == Precision::kSingle;
  const Outcome cpu = after(scene, Device::kCpu, 2), gpu = after(scene, Device::kCuda, 2);
  EXPECT_LE(difference(cpu.particles.velocity, gpu.particles.velocity), single ? 2e-2 : 1e-5);
  EXPECT_LE(difference(cpu.particles.position, gpu.particles.position), single ? 5e-5 : 1e-6);
}

// Sums over particles that come in any order change a coarse matrix's last digits, no more.
class GpuImplicitMultigrid : public GpuImplicit {};
TEST_P(GpuImplicitMultigrid, EqualsTheCpu) {
  Scene scene = scene_of(GetParam());
  scene.implicit.preconditioner = ImplicitPreconditioner::kMultigrid;
  const bool single = scene.simulation.precision == Precision::kSingle;
  const Outcome cpu = after(scene, Device::kCpu, 2), gpu = after(scene, Device::kCuda, 2);
  EXPECT_LE(difference(cpu.particles.velocity, gpu.particles.velocity), single ? 2e-2 : 1e-5);
  EXPECT_LE(difference(cpu.particles.position, gpu.particles.position), single ? 5e-5 : 1e-6);
  EXPECT_EQ(gpu.solve.iterations, cpu.solve.iterations);
  EXPECT_LE(gpu.solve.linear_iterations, cpu.solve.linear_iterations + 4);
}

// What an implicit scene may ask for: damping by stiffness and by mass, coarser grids that know of
// it, and positions by backward Euler.
class GpuImplicitOptions : public GpuImplicit {};
TEST_P(GpuImplicitOptions, EqualsTheCpu) {
  Scene scene = scene_of(GetParam());
  const bool single = scene.simulation.precision == Precision::kSingle;
  scene.implicit.positions = ParticlePositions::kBackwardEuler;
  scene.implicit.mass_damping = 2;
  scene.materials[0].stiffness_damping = 0.01;
  scene.materials[1].stiffness_damping = 0.003;
  // As far down as 1e-8, Newton's method in 3D wants blocks.
  const bool newton = scene.simulation.integrator == Integrator::kOptimization;
  if (!single && !(newton && scene.simulation.dimension == 3))
    scene.implicit.preconditioner = ImplicitPreconditioner::kMultigrid;
  const Outcome cpu = after(scene, Device::kCpu, 2), gpu = after(scene, Device::kCuda, 2);
  EXPECT_LE(difference(cpu.particles.velocity, gpu.particles.velocity), single ? 2e-2 : 1e-5);
  EXPECT_LE(difference(cpu.particles.position, gpu.particles.position), single ? 5e-5 : 1e-6);
  EXPECT_EQ(gpu.solve.iterations, cpu.solve.iterations);
  scene.implicit.mass_damping = 0;
  for (Material& m : scene.materials) m.stiffness_damping = 0;
  const Outcome undamped = after(scene, Device::kCpu, 2);
  EXPECT_GT(difference(cpu.particles.velocity, undamped.particles.velocity), 5e-2);
}

// The host waits for guesses together, for conjugate gradients every few iterations, for each trial
// of the line search, for the contacts and for what would end within a body, and for nothing else.
TEST_P(GpuImplicitOptions, LooksAreFew) {
  Scene scene = scene_of(GetParam());
  scene.materials[0].youngs_modulus = 1e7;
  const ImplicitStats s = after(scene, Device::kCuda, 2).solve;
  const std::int64_t trials = s.iterations + s.cuts;
  ASSERT_GT(s.linear_iterations, 4 * s.iterations) << "nothing to save";
  if (std::get<0>(GetParam()) == Integrator::kOptimization) {
    // A batch of four at least, and what is left of two guesses at how many there will be.
    EXPECT_LE(s.looks,
              2 * s.solves + s.linear_iterations / 4 + s.iterations + trials + 2 * s.passes);
  } else {
    // Of each pass also the begin and the end, what is left, and the contacts.
    EXPECT_LE(s.looks, 2 * s.solves + s.linear_iterations / 4 + 5 * s.passes);
  }
}

// What falls by g dt^2 = 10 cells in a step meets a plate half way down: the step runs again,
// shorter.
TEST_P(GpuImplicitOptions, WhatFallsLandsAsOnTheCpu) {
  const auto& [integrator, degree, dimension, precision] = GetParam();
  Scene scene = empty_scene(dimension, 0.05, precision);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 1 / std::sqrt(10 * 0.05 / 9.81);
  scene.transfer.kernel = degree;
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.materials = {elastic("rubber", MaterialModel::kFixedCorotated, 1e6, 1000)};
  scene.bodies = {body("block", 0, box({0, 0.4, 0}, {0.2, 0.6, 0.2}))};
  scene.colliders = {collider("plate", box({-1, 0.05, -1}, {1, 0.15, 1}), BoundaryType::kSeparate)};
  Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
  for (Simulation* simulation : {&cpu, &gpu}) simulation->advance_steps(1);
  EXPECT_GT(cpu.stats().implicit.rejected, 0);
  EXPECT_EQ(gpu.stats().implicit.rejected, cpu.stats().implicit.rejected);
  EXPECT_EQ(gpu.time(), cpu.time());
  const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
  // Snapshots are single: where sums come in any order, two units in their last place may lie
  // between what rounds up and what rounds down.
  EXPECT_LE(difference(a.position, b.position), precision == Precision::kSingle ? 1e-5 : 2.4e-7);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuImplicitOptions,
                         testing::Combine(testing::Values(Integrator::kOptimization,
                                                          Integrator::kSemiImplicit),
                                          testing::Values(2, 3), testing::Values(2, 3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, GpuImplicitMultigrid,
                         testing::Combine(testing::Values(Integrator::kOptimization),
                                          testing::Values(1, 2, 3), testing::Values(2),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(GpuLinear, GpuImplicitMultigrid,
                         testing::Combine(testing::Values(Integrator::kSemiImplicit),
                                          testing::Values(1, 2, 3), testing::Values(3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, GpuImplicitFlow,
                         testing::Combine(testing::Values(Integrator::kOptimization,
                                                          Integrator::kSemiImplicit),
                                          testing::Values(2), testing::Values(2, 3),
                                          testing::Values(Precision::kSingle)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, GpuImplicit,
                         testing::Combine(testing::Values(Integrator::kOptimization),
                                          testing::Values(1, 2, 3), testing::Values(2, 3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(GpuLinear, GpuImplicit,
                         testing::Combine(testing::Values(Integrator::kSemiImplicit),
                                          testing::Values(2), testing::Values(2, 3),
                                          testing::Values(Precision::kSingle, Precision::kDouble)),
                         name_of);

}  // namespace
}  // namespace firn::test
