// Several simulations in one process, by turns and on two threads, with CPU ones among them: each
// does what it does alone.
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr int kSteps = 12, kTurn = 3;

class GpuSeveral : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

std::vector<Scene> scenes() {
  std::vector<Scene> list{busy_scene(2, Precision::kSingle), busy_scene(3, Precision::kSingle),
                          busy_liquid_scene(2, Precision::kSingle)};
  for (Scene& scene : list) scene.simulation.reproducible = true;
  return list;
}

std::vector<std::byte> alone(const Scene& scene, Device device) {
  Simulation simulation(scene, {device, 1});
  for (int step = 0; step < kSteps; step += kTurn) simulation.advance_steps(kTurn);
  return simulation.save_state();
}

TEST_F(GpuSeveral, TakeTurns) {
  std::vector<Simulation> together;
  for (const Scene& scene : scenes())
    for (const Device device : {Device::kCuda, Device::kCpu, Device::kCuda})
      together.emplace_back(scene, RunOptions{device, 1});
  for (int step = 0; step < kSteps; step += kTurn)
    for (Simulation& simulation : together) simulation.advance_steps(kTurn);
  std::size_t i = 0;
  for (const Scene& scene : scenes())
    for (const Device device : {Device::kCuda, Device::kCpu, Device::kCuda})
      EXPECT_EQ(together[i++].save_state(), alone(scene, device)) << "simulation " << i;
}

TEST_F(GpuSeveral, RunOnTwoThreads) {
  const std::vector<Scene> list = scenes();
  std::vector<std::vector<std::byte>> reached(list.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < list.size(); ++i)
    threads.emplace_back([&, i] { reached[i] = alone(list[i], Device::kCuda); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_EQ(reached[i], alone(list[i], Device::kCuda)) << "scene " << i;
}

// A simulation that ends leaves the others alone.
TEST_F(GpuSeveral, MayEndAtAnyTime) {
  const Scene scene = scenes()[1];
  Simulation kept(scene, {Device::kCuda, 1});
  for (int step = 0; step < kSteps; step += kTurn) {
    Simulation other(scene, {Device::kCuda, 1});
    other.advance_steps(2);
    kept.advance_steps(kTurn);
  }
  EXPECT_EQ(kept.save_state(), alone(scene, Device::kCuda));
}

}  // namespace
}  // namespace firn::test
