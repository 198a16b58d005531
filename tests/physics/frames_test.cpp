// What a caller is promised of frames: they end at their time exactly, one that is interrupted goes
// on, and a body force is asked for every particle in every step until it is taken away.
#include <gtest/gtest.h>

#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"

namespace firn::test {
namespace {

std::vector<Scene> scenes() {
  std::vector<Scene> list;
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    list.push_back(busy_scene(2, precision));
    list.push_back(busy_liquid_scene(2, precision));
  }
  list.push_back(list[0]);
  list.back().simulation.fused = false;
  return list;
}

TEST(Frames, EndExactly) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene);
    for (int frame = 1; frame <= 5; ++frame) {
      ASSERT_TRUE(simulation.advance_frame());
      EXPECT_EQ(simulation.stats().frame, frame);
      EXPECT_EQ(simulation.stats().time, frame / scene.simulation.fps);
    }
  }
}

TEST(Frames, AnInterruptedOneGoesOn) {
  for (const Scene& scene : scenes()) {
    Simulation whole = simulate(scene), halted = simulate(scene);
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_TRUE(whole.advance_frame());
      int polls = 0, halts = 0;
      while (!halted.advance_frame([&] { return ++polls % 2 == 0; })) {
        ++halts;
        halted.load_state(halted.save_state());
      }
      EXPECT_GT(halts, 0);
      EXPECT_EQ(whole.stats().time, halted.stats().time);
      EXPECT_EQ(whole.stats().total_steps, halted.stats().total_steps);
    }
    EXPECT_TRUE(whole.save_state() == halted.save_state());
  }
}

TEST(BodyForce, IsAskedOfEveryParticleInEveryStepWhileItIsThere) {
  for (const bool fused : {true, false}) {
    Scene scene = empty_scene(2, 0.1, Precision::kDouble);
    scene.simulation.gravity = {0, 0, 0};
    scene.simulation.fused = fused;
    scene.materials = {elastic("dust")};
    scene.bodies = {body("ball", 0, sphere({0, 0, 0}, 0.3))};
    Simulation simulation = simulate(scene);
    const auto particles = simulation.stats().particles;
    simulation.advance_steps(5);
    EXPECT_NEAR(simulation.totals().momentum[1], 0, 1e-12);
    std::int64_t asked = 0;
    simulation.set_force(force_of([&](std::uint32_t, double) {
      ++asked;
      return Vec3{0, 1, 0};
    }));
    simulation.advance_steps(5);
    EXPECT_EQ(asked, 5 * particles);
    const double kicked = simulation.totals().momentum[1];
    EXPECT_GT(kicked, 0);
    simulation.set_force({});
    simulation.advance_steps(20);
    EXPECT_EQ(asked, 5 * particles);
    EXPECT_NEAR(simulation.totals().momentum[1], kicked, 1e-12 * kicked);
  }
}

}  // namespace
}  // namespace firn::test
