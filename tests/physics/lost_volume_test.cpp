// The room that a liquid has lost because its particles lie too close together.
#include "src/run/liquid_volume.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Snapshot block_of(int dimension, Sampling sampling) {
  Scene scene = liquid_scene(dimension, 0.02, Precision::kSingle);
  scene.bodies = {body("block", 0, box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}))};
  scene.bodies[0].sampling = sampling;
  return simulate(scene).snapshot();
}

TEST(LostVolume, IsNextToNothingAtTheStart) {
  for (const int d : {2, 3}) {
    EXPECT_LT(lost_volume(block_of(d, Sampling::kUniform)), 1e-6);
    EXPECT_LT(lost_volume(block_of(d, Sampling::kPoisson)), 0.01);
  }
}

// Squeezed by a fifth along each axis: what is lost is known but for cells at the surface.
TEST(LostVolume, OfASqueezedBlockIsWhatItHasLost) {
  for (const int d : {2, 3}) {
    Snapshot s = block_of(d, Sampling::kPoisson);
    for (float& x : s.position) x *= 0.8f;
    EXPECT_NEAR(lost_volume(s), 1 - std::pow(0.8, d), 0.06) << d;
    // Wherever it lies.
    for (float& x : s.position) x += 100 * static_cast<float>(s.dx);
    EXPECT_NEAR(lost_volume(s), 1 - std::pow(0.8, d), 0.06) << d;
  }
}

// A jet that falls into a tank stirs it.
TEST(LostVolume, GrowsWhereNothingKeepsParticlesApart) {
  for (const bool corrected : {true, false}) {
    Scene scene = liquid_scene(2, 1.0 / 32, Precision::kSingle);
    scene.fluid.free_surface = FreeSurface::kGhostFluid;
    scene.fluid.density_correction = corrected;
    scene.grid.domain = closed_box({0, 0, 0}, {1, 2, 0});
    scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0})),
                    body("jet", 0, box({0.6, 0.7, 0}, {0.8, 1.5, 0}), {0, -3, 0})};
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 72; ++frame) simulation.advance_frame();
    if (corrected)
      EXPECT_LT(simulation.stats().lost_volume, 0.02);
    else
      EXPECT_GT(simulation.stats().lost_volume, 0.05);
  }
}

}  // namespace
}  // namespace firn::test
