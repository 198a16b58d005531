// Replay and Readback on both backends: what a replayed sequence does, when it is captured anew,
// and that a value read back is that of its place in the order of the work.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "firn/simulation.h"
#include "kernels/exec/buffer.h"
#include "kernels/exec/replay.h"
#include "tests/support/device.h"

namespace firn {
namespace {

int value_of(const void* seen) {
  int value;
  std::memcpy(&value, seen, sizeof value);
  return value;
}

template <class Exec>
void reads_in_order(Exec& exec) {
  Buffer<Exec, int> value(exec, 1), next(exec, 1);
  Readback<Exec> looks(exec, sizeof(int));
  EXPECT_EQ(looks.pending(), 0);
  for (int round = 0; round < 5; ++round) {
    // Behind the copy of the first value, the work that changes it.
    value.upload(std::vector{2 * round});
    next.upload(std::vector{2 * round + 1});
    looks.start(value.data());
    exec.copy(value.data(), next.data(), sizeof(int));
    looks.start(value.data());
    EXPECT_EQ(looks.pending(), 2);
    EXPECT_EQ(value_of(looks.wait()), 2 * round);
    EXPECT_EQ(value_of(looks.wait()), 2 * round + 1);
  }
}

template <class Exec>
void forgets(Exec& exec) {
  Buffer<Exec, int> value(exec, std::vector{7});
  Readback<Exec> looks(exec, sizeof(int));
  looks.start(value.data());
  looks.start(value.data());
  looks.forget();
  EXPECT_EQ(looks.pending(), 0);
  value.upload(std::vector{8});
  looks.start(value.data());
  EXPECT_EQ(value_of(looks.wait()), 8);
}

// Moves values through three buffers, one place per run.
template <class Exec>
class Shifter {
 public:
  explicit Shifter(Exec& exec)
      : exec_(exec), replay_(exec), a_(exec, std::vector{1}), b_(exec, 1), c_(exec, 1) {
    b_.zero();
    c_.zero();
  }
  int calls = 0;
  bool run(std::uint64_t key) {
    return replay_.run(key, [this] {
      ++calls;
      exec_.copy(c_.data(), b_.data(), sizeof(int));
      exec_.copy(b_.data(), a_.data(), sizeof(int));
      exec_.zero(a_.data(), sizeof(int));
    });
  }
  void put(int value) { a_.upload(std::vector{value}); }
  std::vector<int> values() { return {a_.download()[0], b_.download()[0], c_.download()[0]}; }

 private:
  Exec& exec_;
  Replay<Exec> replay_;
  Buffer<Exec, int> a_, b_, c_;
};

template <class Exec>
void runs_each_time(Exec& exec) {
  Shifter<Exec> shifter(exec);
  for (int i = 1; i < 6; ++i) {
    shifter.put(10 + i);
    shifter.run(3);
    EXPECT_EQ(shifter.values(), (std::vector{0, 10 + i, i == 1 ? 0 : 9 + i}));
  }
}

TEST(CpuLaunches, AreReadInOrder) {
  Cpu exec(1);
  reads_in_order(exec);
  forgets(exec);
}
TEST(CpuLaunches, RunEachTime) {
  Cpu exec(1);
  runs_each_time(exec);
}

#if defined(FIRN_WITH_CUDA)

class GpuLaunches : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = test::no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(GpuLaunches, AreReadInOrder) {
  Cuda exec;
  reads_in_order(exec);
  forgets(exec);
}
TEST_F(GpuLaunches, RunEachTime) {
  Cuda exec;
  runs_each_time(exec);
}

#if defined(NDEBUG)  // a debug build captures nothing

TEST_F(GpuLaunches, AreCapturedTheSecondTime) {
  Cuda exec;
  Shifter<Cuda> shifter(exec);
  EXPECT_FALSE(shifter.run(0));
  EXPECT_TRUE(shifter.run(0));
  EXPECT_EQ(shifter.calls, 2);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(shifter.run(0));
  EXPECT_EQ(shifter.calls, 2);
}

TEST_F(GpuLaunches, AreCapturedAnewUnderAnotherKey) {
  Cuda exec;
  Shifter<Cuda> shifter(exec);
  for (int i = 0; i < 4; ++i) shifter.run(0);
  EXPECT_FALSE(shifter.run(1));
  EXPECT_EQ(shifter.calls, 3);
  EXPECT_TRUE(shifter.run(1));
  EXPECT_EQ(shifter.calls, 4);
  EXPECT_FALSE(shifter.run(0));  // only the last one is kept
}

// The graph holds its address. (The driver cannot reuse the old one: small buffers lie around it.)
TEST_F(GpuLaunches, AreCapturedAnewWhenTheWorkspaceMoved) {
  Cuda exec;
  exec.workspace(1 << 10);
  Shifter<Cuda> shifter(exec);
  for (int i = 0; i < 4; ++i) shifter.run(0);
  EXPECT_EQ(shifter.calls, 2);
  const void* before = exec.workspace(0);
  const void* after = exec.workspace(std::size_t{64} << 20);
  ASSERT_NE(before, after);
  EXPECT_FALSE(shifter.run(0));
  EXPECT_EQ(shifter.calls, 3);
}

// What cannot be captured (waiting for the device) runs as it is written.
TEST_F(GpuLaunches, ThatWaitAreNeverCaptured) {
  Cuda exec;
  Replay<Cuda> replay(exec);
  Buffer<Cuda, int> value(exec, std::vector{5});
  int seen = 0, calls = 0;
  for (int i = 0; i < 4; ++i) {
    const bool replayed = replay.run(0, [&] {
      ++calls;
      exec.download(&seen, value.data(), sizeof(int));
    });
    EXPECT_FALSE(replayed);
    EXPECT_EQ(seen, 5);
    seen = 0;
  }
  EXPECT_EQ(calls, 5);  // one of them in the attempt
}

#endif
#endif

}  // namespace
}  // namespace firn
