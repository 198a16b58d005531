// Calls that a callback stops, and states that are loaded into simulations which have run: clocks,
// reactions, pressures and the watch over energy are those of the state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"

namespace firn::test {
namespace {

Observer stops_after(int steps) {
  Observer observer;
  observer.step = [steps, made = 0](const StepInfo&) mutable { return ++made < steps; };
  return observer;
}

// A fused step carries momentum for the dt that the next one was to have.
TEST(Interrupted, TheClockGoesAsFarAsTheMaterial) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.3, 0.3, 0}), {1, 0, 0})};
  for (const double part : {0.1, 0.5, 1.0, 3.5}) {
    Simulation simulation = simulate(scene);
    const double from = simulation.totals().center_of_mass[0];
    EXPECT_FALSE(simulation.advance_frame(stops_after(5)));
    const double dt = simulation.time() / 5, target = simulation.time() + part * dt;
    EXPECT_TRUE(simulation.advance_until(target));
    EXPECT_GE(simulation.time(), target * (1 - 1e-12)) << part;
    EXPECT_LE(simulation.time(), target + dt) << part;
    EXPECT_NEAR(simulation.totals().center_of_mass[0] - from, simulation.time(), 1e-9 * dt) << part;
    EXPECT_TRUE(simulation.advance_frame());
    EXPECT_EQ(simulation.time(), 1 / scene.simulation.fps);
    EXPECT_NEAR(simulation.totals().center_of_mass[0] - from, simulation.time(), 1e-9 * dt) << part;
  }
}

// What own forces do is not known, before a state is loaded as behind it.
TEST(Interrupted, EnergyIsNotWatchedAgainOnceAStateIsLoaded) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.3, 0.3, 0}))};
  scene.diagnostics.on_energy_growth = OnGrowth::kStop;
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const auto before = simulation.save_state();
  simulation.set_force(force_of([](std::uint32_t, double) { return Vec3{50, 50, 0}; }));
  for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
  simulation.load_state(before);
  for (int frame = 0; frame < 6; ++frame) EXPECT_NO_THROW(simulation.advance_frame()) << frame;
}

Scene pool_scene() {
  Scene scene = liquid_scene(2, 0.05);
  scene.simulation.fps = 20;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {lattice("pool", box({0, 0, 0}, {1, 0.4, 0}))};
  return scene;
}

TEST(Interrupted, PressuresOfAnotherTimeAreNotShownOnceAStateIsLoaded) {
  Simulation simulation = simulate(pool_scene());
  const auto start = simulation.save_state();
  simulation.advance_frame();
  const auto most = [&] {
    const std::vector<float> pressure = simulation.snapshot().pressure;
    return pressure.empty() ? 0 : *std::max_element(pressure.begin(), pressure.end());
  };
  EXPECT_GT(most(), 1000);
  simulation.load_state(start);
  EXPECT_EQ(most(), 0);
}

// Reactions are means over what is left of a frame, also where steps were made in it before.
TEST(Interrupted, ReactionsOfABrokenFrameComeBackWithItsState) {
  Scene scene = pool_scene();
  scene.colliders = {collider("pier", box({0.4, -0.1, 0}, {0.6, 0.2, 0}), BoundaryType::kSlip)};
  scene.bodies[0].shape = box({0, 0, 0}, {0.4, 0.4, 0});
  scene.time.dt_max = 0.01;
  Simulation whole = simulate(scene);
  whole.advance_frame();
  whole.advance_steps(2);
  EXPECT_FALSE(whole.advance_frame(stops_after(1)));
  const auto state = whole.save_state();
  Simulation other = simulate(scene);
  other.load_state(state);
  whole.advance_frame();
  other.advance_frame();
  ASSERT_EQ(whole.stats().frame, other.stats().frame);
  EXPECT_GT(std::abs(whole.stats().reactions[0].force[0]), 1);
  EXPECT_EQ(whole.stats().reactions[0].force[0], other.stats().reactions[0].force[0]);
}

}  // namespace
}  // namespace firn::test
