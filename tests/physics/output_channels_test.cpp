// Every channel that a scene may name is there for every integrator and dimension, and says what it
// should; what a scene does not have is refused when it is loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

#include "firn/scene_file.h"
#include "src/io/particle_channels.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/output_channels.h"
#include "tests/support/expect_error.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

Scene scene_of(Integrator integrator, int dimension) {
  const double depth = dimension == 3 ? 0.4 : 0;
  if (integrator != Integrator::kIncompressible && integrator != Integrator::kThermal) {
    Scene s = empty_scene(dimension, 0.1, Precision::kDouble);
    s.simulation.integrator = integrator;
    s.materials = {elastic("snow", MaterialModel::kSnow)};
    s.materials[0].critical_compression = 0.02;
    s.materials[0].critical_stretch = 0.01;
    s.bodies = {body("lump", 0, box({0, 0, 0}, {0.4, 0.4, depth}), {0, -1, 0})};
    return s;
  }
  Scene s = integrator == Integrator::kIncompressible ? liquid_scene(dimension, 0.1)
                                                      : thermal_scene(dimension, 0.1);
  if (integrator == Integrator::kThermal)
    s.materials = {solid("gel", 1e4, std::numeric_limits<double>::infinity())};
  s.simulation.gravity = {0, -9.81, 0};
  s.grid.domain = closed_box({0, 0, 0}, {0.8, 0.8, depth});
  s.bodies = {lattice("pool", box({0, 0, 0}, {0.8, 0.4, depth}))};
  s.bodies[0].temperature.constant = 300;
  return s;
}

class Channels : public testing::TestWithParam<std::tuple<Integrator, int>> {};

TEST_P(Channels, AllThatASceneHasAreWritten) {
  const auto [integrator, dimension] = GetParam();
  const Scene scene = scene_of(integrator, dimension);
  Simulation simulation(scene, {Device::kCpu, 1});
  simulation.advance_frame();
  const Snapshot snapshot = simulation.snapshot();
  for (const std::string_view name : channels_of(scene)) {
    SCOPED_TRACE(name);
    const ChannelArray channel = gather_channels(snapshot, {std::string(name)}).back();
    const std::size_t numbers = snapshot.size() * component_count(channel.rank, dimension);
    std::visit(
        [&](const auto& values) {
          ASSERT_EQ(values.size(), numbers);
          for (const auto value : values) ASSERT_TRUE(std::isfinite(static_cast<double>(value)));
        },
        channel.values);
  }
}

TEST_P(Channels, NoOthersAreAccepted) {
  const auto [integrator, dimension] = GetParam();
  const Scene scene = scene_of(integrator, dimension);
  const auto has = channels_of(scene);
  std::size_t missing = 0;
  for (const OutputChannel& channel : output_channels()) {
    if (channel.exists(scene)) continue;
    ++missing;
    EXPECT_EQ(std::count(has.begin(), has.end(), channel.name), 0) << channel.name;
  }
  // A liquid has neither F nor stress; only what is heated has a temperature.
  const std::size_t expected = integrator == Integrator::kThermal          ? 1
                               : integrator == Integrator::kIncompressible ? 5
                                                                           : 2;
  EXPECT_EQ(missing, expected);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Integrator, int>>& info) {
  for (const IntegratorTraits& traits : kIntegratorTraits)
    if (traits.integrator == std::get<0>(info.param))
      return std::string(traits.name) + std::to_string(std::get<1>(info.param)) + "D";
  return "unknown";
}
INSTANTIATE_TEST_SUITE_P(Integrators, Channels,
                         testing::Combine(testing::Values(Integrator::kExplicit,
                                                          Integrator::kIncompressible,
                                                          Integrator::kThermal),
                                          testing::Values(2, 3)),
                         name_of);

// A pool on a lattice rests, and the surface of such a one is known exactly: what is left of
// rho g h is the tolerance of the solve, relative to the largest divergence that it starts from, g
// dt / dx, over as many cells as the pool is deep, and the rounding of a snapshot.
template <class MakeScene>
void expect_hydrostatic(MakeScene&& make, int dimension) {
  Scene scene = make(dimension);
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.fluid.tolerance = 1e-10;
  Simulation simulation(scene, {Device::kCpu, 1});
  simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  ASSERT_EQ(s.pressure.size(), s.size());
  const double weight = 1000 * 9.81, depth = 0.4;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double y = s.position[i * static_cast<std::size_t>(dimension) + 1];
    ASSERT_NEAR(s.pressure[i], weight * (depth - y), 1e-5 * weight * depth) << "at height " << y;
  }
}

TEST(ParticlePressure, IsHydrostaticInAPool) {
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    expect_hydrostatic([](int d) { return scene_of(Integrator::kIncompressible, d); }, dimension);
  }
}

// Of steps within a frame only who watches them is told.
TEST(ParticlePressure, IsKnownOfStepsThatAreWatched) {
  for (const Integrator integrator : {Integrator::kIncompressible, Integrator::kThermal}) {
    Scene scene = scene_of(integrator, 2);
    scene.simulation.fps = 1;
    scene.time.dt_max = 0.01;
    Simulation simulation(scene, {Device::kCpu, 1});
    int steps = 0;
    EXPECT_FALSE(simulation.advance_frame(Observer{.step = [&](const StepInfo&) {
      const Snapshot s = simulation.snapshot();
      EXPECT_EQ(s.pressure.size(), s.size());
      EXPECT_GT(*std::max_element(s.pressure.begin(), s.pressure.end()), 0.5 * 1000 * 9.81 * 0.4);
      return ++steps < 3;
    }}));
    int polls = 0;
    EXPECT_FALSE(simulation.advance_frame([&] { return ++polls == 3; }));
    const Snapshot unseen = simulation.snapshot();
    EXPECT_TRUE(unseen.pressure.empty());
    EXPECT_TRUE(unseen.kirchhoff_stress.empty());
    simulation.advance_steps(1);
    EXPECT_EQ(simulation.snapshot().pressure.size(), unseen.size());
  }
}

TEST(ParticlePressure, OfSolidsIsInTheirStress) {
  const Scene scene = scene_of(Integrator::kThermal, 2);
  Simulation simulation(scene, {Device::kCpu, 1});
  simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  double largest = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double trace = s.kirchhoff_stress[4 * i] + s.kirchhoff_stress[4 * i + 3];
    // lambda is infinite: J = 1, and the deviatoric part has no trace.
    EXPECT_NEAR(-trace / 2, s.pressure[i], 1e-3 * std::abs(s.pressure[i]) + 1);
    largest = std::max(largest, static_cast<double>(s.pressure[i]));
  }
  EXPECT_GT(largest, 0.5 * 1000 * 9.81 * 0.4);
}

TEST(OutputChannels, OfAnotherSceneAreRefusedWithTheListOfWhatThereIs) {
  const std::string text = R"(
[simulation]
dimension = 2
integrator = "incompressible"
[grid]
dx = 0.1
domain.min = [0, 0]
domain.max = [1, 1]
[material.water]
model = "incompressible"
density = 1000
[[body]]
material = "water"
shape = { type = "box", min = [0, 0], max = [0.5, 0.5] }
[output]
)";
  for (const char* wrong : {"channels = [\"stress\"]", "channels = [\"temperature\"]",
                            "color = \"mass\"", "color = \"temperature\""}) {
    SCOPED_TRACE(wrong);
    expect_error(ErrorCategory::kScene, {"pressure"},
                 [&] { parse_scene(text + wrong, "scene.toml", "."); });
  }
  EXPECT_NO_THROW(
      parse_scene(text + "channels = [\"pressure\"]\ncolor = \"pressure\"", "scene.toml", "."));
}

}  // namespace
}  // namespace firn::test
