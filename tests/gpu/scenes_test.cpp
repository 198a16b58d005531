// Every scene that comes with the project, at twice its spacing, some steps on both backends: the
// same particles are at the same places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "firn/simulation.h"
#include "src/scene/integrator_traits.h"
#include "tests/support/device.h"
#include "tests/support/stock_scenes.h"

namespace firn::test {
namespace {

constexpr double kSteps = 6;             // in the frame, about
constexpr double kImplicitFrame = 1e-5;  // s

class GpuScene : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
    if (lacks_openvdb(GetParam())) GTEST_SKIP() << "mesh shapes need OpenVDB";
  }
};

double largest(std::span<const float> values) {
  double m = 0;
  for (float v : values) m = std::max(m, std::abs(static_cast<double>(v)));
  return m;
}
double largest_difference(std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= worst)) worst = difference;  // a NaN counts as the worst
  }
  return worst;
}

double root_mean_square(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return std::isfinite(sum) ? std::sqrt(sum / static_cast<double>(a.size())) : INFINITY;
}

// Sums whose order differs leave some 64 epsilon a step (tests/gpu/step_equality_test.cpp) of what
// they are sums of: places are as large as the scene, and stress moves velocities by those of
// waves, which pass at most a cell in a step. Solvers leave their tolerance besides, ten times
// over, of the velocities.
struct Tolerance {
  double position, velocity;
};
Tolerance tolerance_of(const Scene& scene, const FrameStats& stats, const Snapshot& state) {
  const double steps = static_cast<double>(stats.steps), dt = stats.time / steps;
  const double rounding = 64 * steps * std::numeric_limits<float>::epsilon();
  const double speed = largest(state.velocity);
  const double solver =
      traits_of(scene).implicit ? scene.implicit.tolerance : scene.fluid.tolerance;
  const double velocity = rounding * (scene.grid.dx / dt + speed) + 10 * solver * speed;
  return {rounding * largest(state.position) + velocity * stats.time, velocity};
}

TEST_P(GpuScene, AgreesWithTheCpu) {
  Scene scene = load_stock_scene(GetParam());
  scene.grid.dx *= 2;
  // An implicit step of full length takes thousands of iterations that are all alike.
  const double frame =
      traits_of(scene).implicit ? kImplicitFrame : kSteps * estimate(scene).dt_limit;
  scene.simulation.fps = std::max(scene.simulation.fps, 1 / frame);
  Simulation cpu(scene, {Device::kCpu, 2}), cuda(scene, {Device::kCuda, 1});
  for (Simulation* simulation : {&cpu, &cuda}) ASSERT_TRUE(simulation->advance_frame());
  const Snapshot a = cpu.snapshot(), b = cuda.snapshot();
  ASSERT_GT(a.size(), 0u);
  ASSERT_EQ(a.id, b.id);
  ASSERT_GT(cpu.stats().steps, 0);
  const Tolerance tolerance = tolerance_of(scene, cpu.stats(), a);
  // What an implicit solve promises is a mean, in which a node of hardly any mass counts for
  // nothing.
  const auto differ = traits_of(scene).implicit ? root_mean_square : largest_difference;
  EXPECT_LE(differ(a.position, b.position), tolerance.position);
  EXPECT_LE(differ(a.velocity, b.velocity), tolerance.velocity);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuScene, testing::ValuesIn(scene_names()), test_name);

}  // namespace
}  // namespace firn::test
