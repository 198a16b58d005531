// Colliders that key frames move, under steps that would be longer than their motion: what they
// meet is pushed as by explicit steps, and the energy that it is given is known, whenever in a
// frame it is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "firn/scene_file.h"
#include "firn/simulation.h"

namespace firn::test {
namespace {

// A block on a plate that goes up by 6 cm within the first frame, at 2 m/s, and stops.
Scene kicked(const std::string& integrator, const std::string& material) {
  return parse_scene(R"(
[simulation]
frames = 6
integrator = ")" + integrator +
                         R"("
[grid]
dx = 0.05
[material.m]
)" + material + R"(
[[body]]
material = "m"
shape = { type = "box", min = [-0.2, 0, -0.2], max = [0.2, 0.2, 0.2] }
[[collider]]
name = "plate"
shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
boundary = "separate"
motion = { type = "keyframes", times = [0.005, 0.035], translation = [[0, 0, 0], [0, 0.06, 0]] }
)",
                     "kicked.toml", "");
}
constexpr const char* kJelly = "preset = \"jello\"";

Simulation after(const Scene& scene, int frames) {
  Simulation simulation(scene, {.device = Device::kCpu});
  for (int f = 0; f < frames; ++f) simulation.advance_frame();
  return simulation;
}

double lowest(const Simulation& simulation) {
  const Snapshot s = simulation.snapshot();
  double low = s.position[1];
  for (std::size_t i = 0; i < s.size(); ++i) low = std::min<double>(low, s.position[3 * i + 1]);
  return low;
}

TEST(MovedColliders, LongStepsSeeMotionsWithinAFrame) {
  const Simulation reference = after(kicked("explicit", kJelly), 2);
  const double rise = reference.totals().center_of_mass[1] - 0.1;
  EXPECT_GT(rise, 0.05);
  for (const char* integrator : {"optimization", "semi_implicit"}) {
    const Simulation simulation = after(kicked(integrator, kJelly), 2);
    // Backward Euler damps the bounce.
    EXPECT_GT(simulation.totals().center_of_mass[1] - 0.1, 0.6 * rise) << integrator;
    EXPECT_GT(lowest(simulation), 0.06 - 0.05) << integrator;
    EXPECT_GT(simulation.stats().energy.fed, 10) << integrator;
    EXPECT_LT(simulation.stats().energy.growth, 0.05) << integrator;
  }
}

TEST(MovedColliders, LiquidsSeeThemToo) {
  const Simulation simulation = after(kicked("incompressible", "preset = \"water\""), 2);
  EXPECT_GT(simulation.totals().center_of_mass[1], 0.1);
  EXPECT_GT(lowest(simulation), 0.06 - 0.05);
  EXPECT_GT(simulation.stats().energy.fed, 10);
}

// What the plate gives in a part of a frame is what it gives in frames of a millisecond. It starts
// and stops in steps of its speed that are small: what a jolt gives depends on the step that it
// falls into.
TEST(MovedColliders, EnergyIsFedByTheStep) {
  Scene scene = kicked("explicit", kJelly);
  Keyframes smooth;
  for (int i = 0; i <= 30; ++i) {
    const double s = i / 30.0;
    smooth.times.push_back(0.005 + 0.03 * s);
    smooth.translation.push_back({0, 0.06 * s * s * (3 - 2 * s), 0});
  }
  scene.colliders[0].motion = smooth;
  const Simulation coarse = after(scene, 1);
  scene.simulation.fps = 48 * 24;
  scene.simulation.frames = 48;
  const Simulation fine = after(scene, 48);
  EXPECT_GT(fine.stats().energy.fed, 50);
  EXPECT_NEAR(coarse.stats().energy.fed, fine.stats().energy.fed, 0.02 * fine.stats().energy.fed);
  EXPECT_LT(coarse.stats().energy.growth, 0.05);
}

// There and back, ever turning where a frame ends.
TEST(MovedColliders, EnergyIsFedWhereTheyTurnToo) {
  Scene scene = kicked("explicit", kJelly);
  scene.colliders[0].motion = Keyframes{{0, 1 / 24.0, 2 / 24.0, 3 / 24.0},
                                        {{}, {0, 0.05, 0}, {}, {0, 0.05, 0}},
                                        {{}, {}, {}, {}},
                                        {}};
  const Simulation simulation = after(scene, 4);
  EXPECT_GT(simulation.stats().energy.fed, 10);
  EXPECT_LT(simulation.stats().energy.growth, 0.05);
}

// A plate that crosses cells within a frame does not jump over them, from the first step on.
TEST(MovedColliders, StepsFollowTheirSpeed) {
  Scene scene = kicked("incompressible", "preset = \"water\"");
  scene.colliders[0].motion = Keyframes{{0, 0.5}, {{}, {0, 2, 0}}, {{}, {}}, {}};
  Simulation simulation = after(scene, 1);
  // 4 m/s over a frame of 1/24 s are 3.3 cells.
  EXPECT_GE(simulation.stats().steps,
            static_cast<int>(std::ceil(4.0 / 24 / (scene.time.cfl * scene.grid.dx))));
}

}  // namespace
}  // namespace firn::test
