// One linear solve per step where the laws are far from linear.
#include <gtest/gtest.h>

#include <algorithm>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// Water that falls on a disc, in steps in which it would be squeezed to nothing: they run again,
// shorter, and no energy comes from nowhere.
TEST(SemiImplicit, GainsNothingWhereWaterMeetsABody) {
  for (const char* boundary : {"slip", "sticky"}) {
    SCOPED_TRACE(boundary);
    const Scene scene = parse_scene(
        R"(
[simulation]
dimension = 2
frames = 20
fps = 24
gravity = [0, -9.81]
integrator = "semi_implicit"
[grid]
dx = 0.02
domain = { min = [0, 0], max = [1.28, 1], boundary = "slip" }
[material.water]
preset = "water"
[[body]]
material = "water"
shape = { type = "box", min = [0, 0], max = [0.5, 0.4] }
[[collider]]
shape = { type = "sphere", center = [0.8, 0.1], radius = 0.1 }
boundary = ")" +
            std::string(boundary) + "\"\n",
        "dam", ".");
    Simulation simulation = simulate(scene);
    double largest = 0, first = 0;
    std::int64_t rejected = 0;
    for (int frame = 0; frame < scene.simulation.frames; ++frame) {
      simulation.advance_frame();
      const Totals t = simulation.totals();
      const double energy = t.kinetic + t.elastic + t.potential;
      if (frame == 0) first = energy;
      largest = std::max(largest, energy);
      rejected += simulation.stats().implicit.rejected;
    }
    EXPECT_LT(largest, 1.01 * first);
    EXPECT_GT(rejected, 0);
  }
}

}  // namespace
}  // namespace firn::test
