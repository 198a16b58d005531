// A liquid that is denser than its material says, by `density_scale` or by the masses of particles
// that were added, is as one of a denser material: volume ratios are held against its own density.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Scene dam(double density) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {water("water")};
  scene.materials[0].bulk_modulus = 2e5;
  scene.materials[0].density = density;
  scene.grid.domain = closed_box({0, 0, 0}, {2, 1.5, 0});
  scene.bodies = {body("dam", 0, box({0, 0, 0}, {0.6, 0.8, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.bodies[0].particles_per_cell = 4;
  return scene;
}

void expect_same(Simulation& a, Simulation& b) {
  for (int frame = 0; frame < 12; ++frame) {
    a.advance_frame();
    b.advance_frame();
    ASSERT_NEAR(a.totals().mass, b.totals().mass, 1e-9 * a.totals().mass);
    // In steps of other lengths, as waves are as fast as in the material at its own density.
    ASSERT_NEAR(a.totals().volume, b.totals().volume, 0.01 * a.totals().volume) << frame;
    ASSERT_NEAR(a.totals().elastic, b.totals().elastic, 0.3 * a.totals().elastic) << frame;
  }
}

TEST(LiquidDensity, OfBodiesIsTheirOwn) {
  Scene scaled = dam(1000);
  scaled.bodies[0].density_scale = 1.5;
  Simulation a = simulate(dam(1500)), b = simulate(scaled);
  expect_same(a, b);
}

TEST(LiquidDensity, OfAddedParticlesIsTheirOwn) {
  Scene scene = dam(1000);
  Simulation a = simulate(dam(1500)), b = simulate(scene);
  const Snapshot there = b.snapshot();
  NewParticles particles;
  particles.material = "water";
  for (std::size_t p = 0; p < there.size(); ++p)
    particles.position.push_back({there.position[2 * p], there.position[2 * p + 1], 0});
  particles.volume = there.volume[0];
  particles.mass = 1.5 * there.mass[0];
  b.remove_particles(there.id);
  b.add_particles(particles);
  expect_same(a, b);
}

}  // namespace
}  // namespace firn::test
