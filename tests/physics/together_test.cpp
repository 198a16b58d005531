// Several simulations in one process, by turns and on two threads of the caller's: each does what
// it does alone, bit for bit.
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr int kSteps = 24, kTurn = 4;

Scene melting_scene() {
  Scene scene = thermal_scene(2, 0.05);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1e-3;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.grid.domain->temperature[2] = ScalarField{0, "340 + 10 * x"};
  scene.materials = {solid("fat", 2e4, 1e6)};
  scene.materials[0].heat.melting_point = 310;
  scene.materials[0].heat.latent_heat = 1e3;
  scene.bodies = {body("fat", 0, box({0, 0, 0}, {0.5, 0.4, 0}))};
  scene.bodies[0].temperature.constant = 308;
  return scene;
}
std::vector<Scene> scenes() {
  return {busy_scene(2, Precision::kSingle), busy_scene(3, Precision::kDouble),
          busy_liquid_scene(2, Precision::kSingle), melting_scene()};
}

void make_turns(Simulation& simulation) {
  for (int step = 0; step < kSteps; step += kTurn) simulation.advance_steps(kTurn);
}
std::vector<std::byte> alone(const Scene& scene) {
  Simulation simulation = simulate(scene);
  make_turns(simulation);
  return simulation.save_state();
}

TEST(Together, TakeTurns) {
  const std::vector<Scene> list = scenes();
  std::vector<Simulation> together;
  for (const Scene& scene : list)
    for (const int threads : {1, 2}) together.push_back(simulate(scene, threads));
  for (int step = 0; step < kSteps; step += kTurn)
    for (Simulation& simulation : together) simulation.advance_steps(kTurn);
  for (std::size_t i = 0; i < together.size(); ++i)
    EXPECT_TRUE(together[i].save_state() == alone(list[i / 2])) << "simulation " << i;
}

// Each of them makes its scene, runs it with threads of its own, and ends it.
TEST(Together, RunOnTwoThreads) {
  const std::vector<Scene> list = scenes();
  std::vector<std::vector<std::byte>> expected, reached(2 * list.size());
  for (const Scene& scene : list) expected.push_back(alone(scene));
  const auto run = [&](std::size_t which) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t at = (i + which) % list.size();
      Simulation simulation = simulate(list[at], 2);
      make_turns(simulation);
      reached[2 * at + which] = simulation.save_state();
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  for (std::size_t i = 0; i < reached.size(); ++i)
    EXPECT_TRUE(reached[i] == expected[i / 2]) << "scene " << i / 2 << ", thread " << i % 2;
}

TEST(Together, MayEndAtAnyTime) {
  const Scene scene = scenes()[1];
  Simulation kept = simulate(scene);
  for (int step = 0; step < kSteps; step += kTurn) {
    Simulation other = simulate(scene, 2);
    other.advance_steps(2);
    kept.advance_steps(kTurn);
  }
  EXPECT_TRUE(kept.save_state() == alone(scene));
}

}  // namespace
}  // namespace firn::test
