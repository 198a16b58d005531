// A simulation on one of several devices: its calls work from any thread, whatever device or
// context is current there, and leave that as it was.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/library_scenes.h"

#if defined(FIRN_WITH_CUDA)
#include <cuda_runtime_api.h>

namespace firn::test {
namespace {

constexpr int kSteps = 8, kTurn = 2;

class GpuDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};
class GpuSeveralDevices : public GpuDevices {
 protected:
  void SetUp() override {
    GpuDevices::SetUp();
    if (!IsSkipped() && cuda_devices().size() < 2) GTEST_SKIP() << "there is one device only";
  }
};

int current() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}
void make_current(int device) { ASSERT_EQ(cudaSetDevice(device), cudaSuccess); }
int device_of(const void* memory) {
  cudaPointerAttributes about{};
  EXPECT_EQ(cudaPointerGetAttributes(&about, memory), cudaSuccess);
  return about.device;
}

std::vector<Scene> scenes() {
  std::vector<Scene> list{busy_case({2, Precision::kSingle, true}),
                          busy_case({2, Precision::kDouble, false}),
                          busy_liquid_scene(2, Precision::kSingle)};
  list[2].simulation.reproducible = true;
  return list;
}
RunOptions on_device(int index) { return {Device::kCuda, 0, index}; }

std::vector<std::byte> run(const Scene& scene, int index) {
  Simulation simulation(scene, on_device(index));
  for (int step = 0; step < kSteps; step += kTurn) simulation.advance_steps(kTurn);
  return simulation.save_state();
}

TEST_F(GpuDevices, ThatAreNotThereAreNamed) {
  const int n = static_cast<int>(cuda_devices().size());
  for (const int index : {n, -1})
    expect_error(ErrorCategory::kDevice,
                 {"there is no CUDA device " + std::to_string(index), "0 (" + cuda_devices()[0]},
                 [&] { Simulation(scenes()[0], on_device(index)); });
}

// Where CuPy and PyTorch work, and kernels that are launched without a stream.
TEST_F(GpuDevices, DefaultStreamsAreWaitedFor) {
  Scene scene = scenes()[0];
  scene.simulation.reproducible = true;
  constexpr int kByte = 0x40;  // floats of four of them are 3.0 m/s^2
  const auto pushed = [&](cudaStream_t stream, Memory memory) {
    Simulation simulation(scene, on_device(0));
    simulation.set_force(
        [&](const ForceStep& step) {
          const WritableField& a = step.acceleration;
          for (std::int64_t chunk = 0; chunk < a.chunks; ++chunk) {
            if (memory == Memory::kHost) {
              std::memset(a.row<float>(chunk, 1), kByte, sizeof(float) * a.lanes);
              continue;
            }
            float* row = static_cast<float*>(a.data) + chunk * a.chunk_stride + a.component_stride;
            EXPECT_EQ(cudaMemsetAsync(row, kByte, sizeof(float) * a.lanes, stream), cudaSuccess);
          }
        },
        memory);
    simulation.advance_steps(kSteps);
    return simulation.snapshot().velocity;
  };
  const auto expected = pushed(nullptr, Memory::kHost);
  EXPECT_EQ(pushed(cudaStreamLegacy, Memory::kNative), expected);
  EXPECT_EQ(pushed(cudaStreamPerThread, Memory::kNative), expected);
}

// Every call with its own device current, or the other one; that stays current.
TEST_F(GpuSeveralDevices, AnyMayBeCurrent) {
  for (const Scene& scene : scenes()) {
    const auto expected = run(scene, 0);
    for (const int index : {0, 1})
      for (const int at_first : {0, 1}) {
        int now = at_first;
        const auto change = [&] { make_current(now = 1 - now); };
        make_current(now);
        Simulation simulation(scene, on_device(index));
        EXPECT_EQ(current(), now);
        for (int step = 0; step < kSteps; step += kTurn) {
          change();
          simulation.advance_steps(kTurn);
          EXPECT_EQ(current(), now);
        }
        change();
        const FieldView view = simulation.field_view("position");
        EXPECT_EQ(view.device, index);
        EXPECT_EQ(device_of(view.data), index);
        simulation.totals();
        EXPECT_TRUE(simulation.save_state() == expected);
        change();
        simulation.load_state(expected);
        simulation.time_stages(true);
        simulation.advance_steps(kTurn);
        change();
        simulation.advance_steps(kTurn);
        simulation.snapshot();
        EXPECT_EQ(current(), now);
        {
          const Simulation moved = std::move(simulation);
          change();
        }
        EXPECT_EQ(current(), now) << "also when it has ended";
      }
  }
  make_current(0);
}

// One made, run and ended by a thread each, while another runs on the other device.
TEST_F(GpuSeveralDevices, RunOnTwoThreads) {
  const std::vector<Scene> list = scenes();
  std::vector<std::vector<std::byte>> expected, reached(2 * list.size());
  for (const Scene& scene : list) expected.push_back(run(scene, 0));
  const auto all_on = [&](int index) {
    for (std::size_t i = 0; i < list.size(); ++i)
      reached[2 * i + static_cast<std::size_t>(index)] = run(list[i], index);
  };
  std::thread other(all_on, 1);
  all_on(0);
  other.join();
  for (std::size_t i = 0; i < reached.size(); ++i)
    EXPECT_TRUE(reached[i] == expected[i / 2]) << "scene " << i / 2 << ", device " << i % 2;
}

// It may move to a thread where something else is current.
TEST_F(GpuSeveralDevices, MovesToAnotherThread) {
  const Scene scene = scenes()[0];
  Simulation simulation(scene, on_device(1));
  simulation.advance_steps(kSteps / 2);
  std::thread([&] {
    EXPECT_EQ(current(), 0);
    simulation.advance_steps(kSteps / 2);
    EXPECT_EQ(current(), 0);
  }).join();
  Simulation whole(scene, on_device(0));
  for (int half = 0; half < 2; ++half) whole.advance_steps(kSteps / 2);
  EXPECT_TRUE(simulation.save_state() == whole.save_state());
}

// Callbacks that give device memory find its device current.
TEST_F(GpuSeveralDevices, IsCurrentForForces) {
  make_current(0);
  Simulation simulation(scenes()[0], on_device(1));
  int asked = 0;
  simulation.set_force([&](const ForceStep&) { asked += current(); }, Memory::kNative);
  simulation.set_grid_boundary([&](const BoundaryStep&) { asked += current(); }, Memory::kNative);
  simulation.advance_steps(3);
  EXPECT_EQ(asked, 6);
  EXPECT_EQ(current(), 0);
}

}  // namespace
}  // namespace firn::test
#endif
