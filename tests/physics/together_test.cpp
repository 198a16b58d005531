// Several simulations in one process, by turns and on two threads of the caller's: each does what
// it does alone, bit for bit.
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "tests/support/stock_scenes.h"
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

// The calling threads belong to one team of OpenMP's, which grants them no more.
TEST(Together, RunInAParallelRegion) {
  const std::vector<Scene> list = scenes();
  std::vector<std::vector<std::byte>> reached(list.size());
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (std::size_t i = 0; i < list.size(); ++i) {
    Simulation simulation = simulate(list[i], 2);
    make_turns(simulation);
    reached[i] = simulation.save_state();
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    EXPECT_TRUE(reached[i] == alone(list[i])) << "scene " << i;
}

// Scene files too, and callbacks, which come on the thread that advances.
TEST(Together, ReadScenesOnTwoThreads) {
  std::vector<std::string> names{"wax", "fountain", "jello-drop"};
  if (!lacks_openvdb("mesh-drop")) names.push_back("mesh-drop");
  struct Outcome {
    Scene scene;
    std::int64_t estimated = 0;
    std::vector<double> times;
    std::vector<std::byte> state;
    bool operator==(const Outcome&) const = default;
  };
  const auto run = [&](std::size_t first) {
    std::vector<Outcome> outcomes(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      Outcome& out = outcomes[(i + first) % names.size()];
      out.scene = load_stock_scene(names[(i + first) % names.size()], {"", {"grid.dx=0.05"}});
      out.estimated = estimate(out.scene).particles;
      Simulation simulation = simulate(out.scene, 2);
      const auto self = std::this_thread::get_id();
      simulation.advance_until(0.5 / out.scene.simulation.fps,
                               {{}, [&](const StepInfo& step) {
                                  EXPECT_EQ(std::this_thread::get_id(), self);
                                  out.times.push_back(step.time);
                                  return out.times.size() < 20;
                                }});
      out.state = simulation.save_state();
    }
    return outcomes;
  };
  const std::vector<Outcome> expected = run(0);
  std::vector<Outcome> other_reached;
  std::thread other([&] { other_reached = run(1); });
  const std::vector<Outcome> reached = run(0);
  other.join();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(reached[i] == expected[i]) << names[i];
    EXPECT_TRUE(other_reached[i] == expected[i]) << names[i] << ", the other thread";
  }
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
