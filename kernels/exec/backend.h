// The two backends as objects with the same members: where memory lives, how it is copied, how time
// is taken. This header is plain C++, so that steppers and tests can hold buffers of either backend
// without a CUDA header.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace firn {

inline constexpr int kMaxStages = 8;

// Host memory and OpenMP threads.
class Cpu {
 public:
  static constexpr bool kIsCuda = false;
  struct Guard {
    explicit Guard(const Cpu&) {}
  };
  explicit Cpu(int threads = 0);  // 0: all hardware threads

  int threads() const { return threads_; }
  std::string name() const;

  // 64-byte aligned. Throws Error{kDevice} when memory is exhausted, naming the size.
  void* allocate(std::size_t bytes);
  void release(void* pointer) noexcept;
  void upload(void* to, const void* from, std::size_t bytes);
  void download(void* to, const void* from, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);
  void zero(void* to, std::size_t bytes);
  void synchronize() {}
  // Scratch for algorithms, grown on demand; its contents last until the next call.
  void* workspace(std::size_t bytes);

  // Charges the time since the previous mark to `stage` (-1: to nobody).
  void mark(int stage);
  // Seconds per stage since the last call; resets them.
  std::vector<double> collect_times();

 private:
  int threads_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double seconds_[kMaxStages] = {};
  std::vector<std::uint64_t> workspace_;
};

// One CUDA device and one stream. Every member throws Error{kDevice} on a CUDA error. They may be
// called from any thread, whatever device is current there.
class Cuda {
 public:
  static constexpr bool kIsCuda = true;

  // CUDA's calls go to the device, that is the context, that is current on the thread that makes
  // them. While one of these lives that is the device of `exec`; then the thread has again what it
  // had, also where that was no context: to name device 0 in its place would make one there, with
  // memory and time that nobody asked for. Members and launches hold one, at little cost where
  // another one of the same device is held around them.
  class Guard {
   public:
    explicit Guard(const Cuda& exec);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    void* before_ = nullptr;
    bool changed_ = false;
  };

  // `index`: of find_cuda_devices().names. Throws Error{kDevice} where there is none, with the ones
  // that there are.
  explicit Cuda(int index = 0);
  ~Cuda();
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;

  int threads() const { return 1; }
  std::string name() const;

  void* allocate(std::size_t bytes);
  void release(void* pointer) noexcept;
  void upload(void* to, const void* from, std::size_t bytes);
  void download(void* to, const void* from, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);
  void zero(void* to, std::size_t bytes);
  void synchronize();

  void mark(int stage);
  std::vector<double> collect_times();

  int device() const;    // the number that CUDA has for it
  void* stream() const;  // a cudaStream_t
  // Work goes to `other` from here on; returns where it went before.
  void* use_stream(void* other);
  int multiprocessors() const;
  // Sums whose order is open otherwise get a fixed one: the same run gives the same bits.
  void set_reproducible(bool reproducible) { reproducible_ = reproducible; }
  bool reproducible() const { return reproducible_; }
  // Scratch for CUB, grown on demand outside the warm step.
  void* workspace(std::size_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool reproducible_ = false;
};

// The CUDA devices that this program can use. Where there are none, `problem` says why and how to
// mend it.
struct CudaDevices {
  std::vector<std::string> names;
  std::vector<int> numbers;  // that CUDA has for them: it also counts those that are of no use
  std::string problem;
  // They are interpreted on the CPU, to test and count (tests/software_device): nobody gets one who
  // has not asked for it.
  bool in_software = false;
};
CudaDevices find_cuda_devices();

}  // namespace firn
