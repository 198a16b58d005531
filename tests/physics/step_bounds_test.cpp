// How long a step may be: waves are faster and momentum spreads sooner in particles that are
// lighter than their material, and no body passes through what it has not met yet.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

// A square that is let go when it is stretched.
Scene released(const Material& material, double density_scale) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, 0, 0};
  scene.time.dt_max = 1;
  scene.materials = {material};
  scene.bodies = {body("square", 0, box({0, 0, 0}, {0.5, 0.5, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.bodies[0].density_scale = density_scale;
  scene.bodies[0].stretch = 0.97;
  return scene;
}
Material thick_water() {
  Material m = water("syrup");
  m.viscosity = 300;
  return m;
}

double longest_step(Simulation& simulation) {
  simulation.advance_frame();
  return simulation.stats().dt_max;
}

TEST(StepBounds, KnowHowLightParticlesAre) {
  for (const double scale : {0.01, 0.25, 1.0, 4.0}) {
    Simulation jelly = simulate(released(elastic("jelly"), scale)),
               plain = simulate(released(elastic("jelly"), 1));
    EXPECT_NEAR(longest_step(jelly) / longest_step(plain), std::sqrt(scale),
                0.05 * std::sqrt(scale));
    for (int frame = 1; frame < 12; ++frame) jelly.advance_frame();
    EXPECT_LT(jelly.stats().energy.growth, 0.05) << scale;
  }
  for (const double scale : {0.1, 0.2, 1.0}) {
    Simulation syrup = simulate(released(thick_water(), scale)),
               plain = simulate(released(thick_water(), 1));
    EXPECT_NEAR(longest_step(syrup) / longest_step(plain), scale, 0.05 * scale);
    EXPECT_EQ(syrup.stats().limited_by, DtLimit::kViscosity);
  }
}

// Which a projection alone does not spread.
TEST(StepBounds, KnowThatViscosityHasNoEffectUnderAProjection) {
  Scene pool = liquid_scene(2, 2e-4);
  pool.materials[0].viscosity = 0.01;
  pool.grid.domain = closed_box({0, 0, 0}, {0.004, 0.004, 0});
  pool.bodies = {lattice("pool", box({0, 0, 0}, {0.004, 0.002, 0}))};
  Simulation simulation = simulate(pool);
  simulation.advance_frame();
  EXPECT_NE(simulation.stats().limited_by, DtLimit::kViscosity);
  EXPECT_LT(simulation.stats().steps, 30);  // 84 where it limited them
}

// And those that a program adds; a run that goes on from a saved state has the same steps.
TEST(StepBounds, KnowHowLightAddedParticlesAre) {
  const Scene scene = released(elastic("jelly"), 1);
  Simulation simulation = simulate(scene);
  const double before = longest_step(simulation);
  NewParticles light;
  light.material = "jelly";
  light.position = {{2, 2, 0}};
  light.volume = 0.025 * 0.025;
  light.mass = 0.25 * 0.025 * 0.025 * scene.materials[0].density;
  simulation.add_particles(light);
  const auto state = simulation.save_state();
  const double after = longest_step(simulation);
  EXPECT_NEAR(after / before, 0.5, 0.05);
  Simulation again = simulate(scene);
  again.load_state(state);
  EXPECT_EQ(longest_step(again), after);
  EXPECT_TRUE(again.save_state() == simulation.save_state());
}

// A plate of two cells comes at 50 m/s, 2.5 cells in the longest step, to what is at rest.
TEST(StepBounds, NoBodyPassesThroughWhatItHasNotMet) {
  Scene scene = empty_scene(2, 0.02);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("foam", MaterialModel::kFixedCorotated, 1e3)};
  scene.bodies = {body("block", 0, box({0.3, 0, 0}, {0.5, 0.2, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.colliders = {collider("plate", box({-0.04, -2, 0}, {0, 2, 0}), BoundaryType::kSlip)};
  for (const double rests : {0.0, 0.02}) {  // s, before it moves
    Keyframes motion;
    motion.times = {rests, rests + 1};
    motion.translation = {{0, 0, 0}, {50, 0, 0}};
    motion.rotation = {{0, 0, 0}, {0, 0, 0}};
    scene.colliders[0].motion = motion;
    Simulation simulation = simulate(scene);
    simulation.advance_until(rests + 0.015);
    const double face = 50 * 0.015, cells = simulation.stats().dt_max * 50 / 0.02;
    EXPECT_LE(cells, 1.0);
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      ASSERT_GT(static_cast<double>(s.position[2 * i]), face - 0.02) << rests;
  }
}

}  // namespace
}  // namespace firn::test
