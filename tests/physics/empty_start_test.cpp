// Scenes without bodies and sources: a program adds what is in them, as often as it likes, and a
// state that was saved in between goes on as the simulation itself.
#include <gtest/gtest.h>

#include <cmath>

#include "firn/scene_file.h"
#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.05, kGravity = -9.81;

Scene empty_tank(int dimension, Integrator integrator) {
  Scene scene = integrator == Integrator::kThermal          ? thermal_scene(dimension, kDx)
                : integrator == Integrator::kIncompressible ? liquid_scene(dimension, kDx)
                                                            : empty_scene(dimension, kDx);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, kGravity, 0};
  if (integrator == Integrator::kThermal) scene.materials = {solid("gel", 1e4, 1e5)};
  if (scene.materials.empty()) scene.materials = {elastic("jelly")};
  scene.bodies.clear();
  scene.colliders = {collider("floor", ground(), BoundaryType::kSticky)};
  return scene;
}

NewParticles block_at(const Scene& scene, double height) {
  NewParticles block;
  block.material = scene.materials[0].name;
  const bool is_3d = scene.simulation.dimension == 3;
  constexpr int kSide = 8;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      for (int k = 0; k < (is_3d ? kSide : 1); ++k)
        block.position.push_back(
            {0.5 * kDx * i, height + 0.5 * kDx * j, is_3d ? 0.5 * kDx * k : 0});
  if (scene.solves_heat()) block.temperature.assign(block.position.size(), 300);
  return block;
}

void expect_falls(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  simulation.advance_steps(3);
  EXPECT_EQ(simulation.totals().mass, 0);
  EXPECT_EQ(simulation.snapshot().size(), 0U);

  const double begin = simulation.time();
  const std::size_t count = simulation.add_particles(block_at(scene, 1)).size();
  simulation.advance_steps(4);
  const Totals falling = simulation.totals();
  ASSERT_GT(falling.mass, 0);
  EXPECT_NEAR(falling.momentum[1] / falling.mass, kGravity * (simulation.time() - begin),
              1e-3 * std::abs(kGravity) * (simulation.time() - begin));

  const auto saved = simulation.save_state();
  Simulation resumed(scene, options);
  resumed.load_state(saved);
  EXPECT_TRUE(resumed.save_state() == saved);
  simulation.add_particles(block_at(scene, 3));
  resumed.add_particles(block_at(scene, 3));
  simulation.advance_steps(3);
  resumed.advance_steps(3);
  EXPECT_EQ(simulation.snapshot().size(), 2 * count);
  EXPECT_TRUE(simulation.save_state() == resumed.save_state());
}

TEST(EmptyStart, WhatIsAddedFalls) {
  for (const int dimension : {2, 3})
    for (const Integrator integrator :
         {Integrator::kExplicit, Integrator::kSemiImplicit, Integrator::kOptimization,
          Integrator::kIncompressible, Integrator::kThermal}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << static_cast<int>(integrator));
      expect_falls(empty_tank(dimension, integrator), {Device::kCpu, 1});
    }
}

TEST(GpuEmptyStart, WhatIsAddedFalls) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const Integrator integrator :
       {Integrator::kExplicit, Integrator::kIncompressible, Integrator::kOptimization}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    expect_falls(empty_tank(2, integrator), {Device::kCuda});
  }
}

// What a file says is all that a run of the program has.
TEST(EmptyStart, AFileIsEmptyOnlyWhereThatIsMeant) {
  const std::string text = "simulation.dimension = 2\n[grid]\ndx = 0.1\n";
  EXPECT_THROW(parse_scene(text, "s.toml", ""), Error);
  SceneOptions options;
  options.may_be_empty = true;
  EXPECT_TRUE(parse_scene(text, "s.toml", "", options).bodies.empty());
}

}  // namespace
}  // namespace firn::test
