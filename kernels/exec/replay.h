// What lets the host run ahead of the device: a sequence of launches that is given to the device as
// one (a CUDA graph), and values of device memory that are copied behind the work enqueued so far
// and waited for later. On the CPU, where a launch is the work, both are plain calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/exec/backend.h"

namespace firn {

// A sequence of launches, enqueued again and again.
template <class Exec>
class Replay;

template <>
class Replay<Cpu> {
 public:
  explicit Replay(Cpu&) {}
  template <class F>
  bool run(std::uint64_t, F&& enqueue) {
    enqueue();
    return false;
  }
};

// The first run under a key calls `enqueue`: that loads the kernels and grows the workspace, which
// a capture must not. The second run captures what `enqueue` launches; all further ones launch the
// captured graph. So `enqueue` may only launch operators, clear and copy device memory, and under
// one key must do the same each time, buffers included. Not captured: a debug build, which waits
// for every launch, and a driver that refuses to; they run `enqueue` each time.
template <>
class Replay<Cuda> {
 public:
  explicit Replay(Cuda& exec);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Returns whether the graph was launched in place of `enqueue`.
  bool run(std::uint64_t key, const std::function<void()>& enqueue);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Enqueues what `enqueue` launches, to be done unless *skip, in device memory, is not 0 by then.
// The launches must heed the flag themselves: without a capture, CUDA cannot leave them out. Within
// a captured sequence they cost nothing where they are skipped, sorts included.
template <class F>
void run_unless(Cpu&, const std::uint32_t* skip, F&& enqueue) {
  if (*skip == 0) enqueue();
}
void run_unless(Cuda& exec, const std::uint32_t* skip, const std::function<void()>& enqueue);

// At most this many copies of a Readback are under way at once.
inline constexpr int kReadbackSlots = 2;

// Copies `bytes` of device memory to the host, oldest first.
template <class Exec>
class Readback;

template <>
class Readback<Cpu> {
 public:
  Readback(Cpu&, std::size_t bytes) : bytes_(bytes), values_(kReadbackSlots * bytes) {}

  void start(const void* from) { std::memcpy(slot(begun_++), from, bytes_); }
  const void* wait() { return slot(read_++); }
  int pending() const { return static_cast<int>(begun_ - read_); }
  void forget() { read_ = begun_; }

 private:
  std::byte* slot(std::uint64_t i) { return values_.data() + i % kReadbackSlots * bytes_; }

  std::size_t bytes_;
  std::uint64_t begun_ = 0, read_ = 0;
  std::vector<std::byte> values_;
};

template <>
class Readback<Cuda> {
 public:
  Readback(Cuda& exec, std::size_t bytes);
  ~Readback();
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;

  // Enqueues a copy of what `from` holds after the work enqueued so far.
  void start(const void* from);
  // Waits for the oldest copy that was not waited for; valid until kReadbackSlots further ones.
  const void* wait();
  int pending() const;
  // Nobody will wait for the copies under way.
  void forget();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firn
