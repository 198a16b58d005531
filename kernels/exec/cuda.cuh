// The CUDA backend's work-groups: a group is a thread block, `for_each` a strided loop over its
// threads, `sync` a barrier, the arena shared memory. Include it in .cu files only. Members are
// marked for both sides because operators are; on the host side, which never runs them, they are
// empty.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/base/host_device.h"
#include "kernels/exec/backend.h"
#include "kernels/exec/cuda_lanes.cuh"
#include "kernels/exec/launch.h"
#include "kernels/math/scalar.h"

namespace firn {

// Throws Error{kDevice} naming the operator when the last CUDA call failed.
void check_launch(const char* label);

struct CudaDevice {
  template <class T>
  FIRN_HD void atomic_max([[maybe_unused]] T& target, [[maybe_unused]] T value) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) {
      // Non-negative floats order like their bits.
      if (value > load(target)) atomicMax(reinterpret_cast<int*>(&target), __float_as_int(value));
    } else if constexpr (std::is_same_v<T, double>) {
      if (value > load(target))
        atomicMax(reinterpret_cast<long long*>(&target), __double_as_longlong(value));
    } else if constexpr (sizeof(T) == 8) {
      atomicMax(reinterpret_cast<unsigned long long*>(&target),
                static_cast<unsigned long long>(value));
    } else {
      atomicMax(&target, value);
    }
#endif
  }
  template <class T>
  FIRN_HD void atomic_min([[maybe_unused]] T& target, [[maybe_unused]] T value) const {
#if defined(__CUDA_ARCH__)
    static_assert(std::is_integral_v<T>);
    if constexpr (sizeof(T) == 8)
      atomicMin(reinterpret_cast<unsigned long long*>(&target),
                static_cast<unsigned long long>(value));
    else
      atomicMin(&target, value);
#endif
  }
  FIRN_HD void atomic_or([[maybe_unused]] std::uint32_t& target,
                         [[maybe_unused]] std::uint32_t value) const {
#if defined(__CUDA_ARCH__)
    atomicOr(&target, value);
#endif
  }
  FIRN_HD std::uint32_t atomic_increment([[maybe_unused]] std::uint32_t& target,
                                         [[maybe_unused]] std::uint32_t by = 1) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&target, by);
#else
    return 0;
#endif
  }
  FIRN_HD void atomic_add([[maybe_unused]] std::int64_t& target,
                          [[maybe_unused]] std::int64_t value) const {
#if defined(__CUDA_ARCH__)
    atomicAdd(reinterpret_cast<unsigned long long*>(&target),
              static_cast<unsigned long long>(value));
#endif
  }
  template <class T>
  FIRN_HD T load(const T& target) const {
    return *const_cast<const volatile T*>(&target);
  }
  template <class T>
  FIRN_HD void store(T& target, T value) const {
    *const_cast<volatile T*>(&target) = value;
  }
  template <class T>
  FIRN_HD T compare_exchange([[maybe_unused]] T& target, T expected,
                             [[maybe_unused]] T desired) const {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 8)
      return atomicCAS(reinterpret_cast<unsigned long long*>(&target), expected, desired);
    else
      return atomicCAS(&target, expected, desired);
#else
    return expected;
#endif
  }
};

// Rows of 32 values, each lane from a slot of its own, by all threads of a group.
struct CudaRowGather {
  const std::uint32_t* slot;

  // A warp takes whole rows, so each thread stays with one lane. Nothing is written that is read
  // here: reads of several rows may be under way before the first is written.
  template <class T>
  FIRN_HD void rows([[maybe_unused]] std::uint32_t n, [[maybe_unused]] const T* __restrict__ from,
                    [[maybe_unused]] std::uint32_t stride,
                    [[maybe_unused]] T* __restrict__ to) const {
#if defined(__CUDA_ARCH__)
    const std::uint32_t lane = threadIdx.x % kLanes, own = slot[lane];
    from += static_cast<std::uint64_t>(own / kLanes) * stride * kLanes + own % kLanes;
    to += lane;
#pragma unroll 4
    for (std::uint32_t k = threadIdx.x / kLanes; k < n; k += blockDim.x / kLanes)
      to[k * kLanes] = from[k * kLanes];
#endif
  }
};

// kFixedThreads: as many as a group has, of operators of few warps; 0 of others, which read it.
template <class ScratchType, int kFixedThreads = 0>
struct CudaGroup : CudaDevice {
  template <class Real>
  using Lanes = CudaLanes<Real, (kFixedThreads > 0)>;

  FIRN_HD CudaGroup(std::uint32_t index, ScratchType& arena) : scratch(arena), index_(index) {}

  ScratchType& scratch;

  FIRN_HD std::uint32_t index() const { return index_; }
  // Which warp of the group this thread is in: packs go to warps.
  FIRN_HD std::uint32_t warp() const {
#if defined(__CUDA_ARCH__)
    return threadIdx.x / kLanes;
#else
    return 0;
#endif
  }
  template <class F>
  FIRN_HD void for_each([[maybe_unused]] std::uint32_t n, [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    for (std::uint32_t i = threadIdx.x; i < n; i += threads()) f(i);
#endif
  }
  template <class>
  FIRN_HD CudaRowGather gather_from(const std::uint32_t (&slot)[kLanes]) const {
    return {slot};
  }
  template <int kLength, class F>
  FIRN_HD void for_each_line(std::uint32_t lines, F&& f) const {
    for_each(lines * kLength, [&](std::uint32_t i) { f(i / kLength, i % kLength); });
  }
  template <int kLength, class Of, class F>
  FIRN_HD void for_each_line(std::uint32_t lines, Of&& of, F&& f) const {
    for_each(lines * kLength,
             [&](std::uint32_t i) { f(of(i / kLength), i / kLength, i % kLength); });
  }
  template <class F>
  FIRN_HD void once([[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 0) f();
#endif
  }
  FIRN_HD void sync() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  template <class Real, class Counts, class F>
  FIRN_HD void for_each_pack([[maybe_unused]] std::uint32_t first,
                             [[maybe_unused]] std::uint32_t last,
                             [[maybe_unused]] Counts&& count_of, [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    const std::uint32_t warps = threads() / kLanes;
    for (std::uint32_t chunk = first + warp(); chunk < last; chunk += warps)
      f(Lanes<Real>{chunk, threadIdx.x % kLanes, count_of(chunk),
                    chunk + warps < last ? chunk + warps : chunk});
#endif
  }
  template <class Node>
  FIRN_HD void accumulate_global([[maybe_unused]] Node& target,
                                 [[maybe_unused]] const Node& value) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_arithmetic_v<Node>) {
      atomicAdd(&target, value);
#if __CUDA_ARCH__ >= 900
    } else if constexpr (std::is_same_v<std::remove_reference_t<decltype(target.c[0])>, float>) {
      atomicAdd(reinterpret_cast<float4*>(&target),
                make_float4(value.c[0], value.c[1], value.c[2], value.c[3]));
#endif
    } else {
      for (int i = 0; i < 4; ++i) atomicAdd(&target.c[i], value.c[i]);
    }
#endif
  }

 private:
  FIRN_HD static std::uint32_t threads() {
#if defined(__CUDA_ARCH__)
    if constexpr (kFixedThreads == 0) return blockDim.x;
#endif
    return kFixedThreads;
  }

  std::uint32_t index_;
};

// How many groups a multiprocessor is to hold at once at least, which bounds their registers: 1, or
// what operators state.
template <class Op>
constexpr int resident_groups() {
  if constexpr (requires { Op::kResidentGroups; })
    return Op::kResidentGroups;
  else
    return 1;
}

FIRN_HD inline bool is_stopped(const std::uint32_t* stop) {
  return stop != nullptr && CudaDevice{}.load(*stop) != 0;
}
// Whether a group does nothing. What works in it raises the flag while others begin: all of its
// threads must have seen the same, since they wait for each other.
template <int threads>
__device__ inline bool is_group_stopped(const std::uint32_t* stop) {
  const bool stopped = is_stopped(stop);
  if (threads <= static_cast<int>(kLanes) || stop == nullptr) return stopped;
  return __syncthreads_or(stopped) != 0;
}

template <class Op>
constexpr bool has_few_warps() {
  if constexpr (requires { Op::kFewWarps; })
    return Op::kFewWarps;
  else
    return false;
}

template <class Op>
__global__ void __launch_bounds__(Op::kThreads, resident_groups<Op>())
    run_groups(const Op op, const LaunchRange range) {
  if (is_group_stopped<Op::kThreads>(range.stop)) return;
  __shared__ typename Op::Scratch scratch;
  const std::uint32_t n = range.count.value != nullptr
                              ? ::min(*range.count.value, range.count.bound)
                              : range.count.bound;
  const std::uint32_t first = range.first != nullptr ? *range.first : 0;
  for (std::uint32_t i = first + blockIdx.x; i < n; i += gridDim.x) {
    CudaGroup<typename Op::Scratch, has_few_warps<Op>() ? Op::kThreads : 0> group(i, scratch);
    op(group);
    __syncthreads();
  }
}

inline constexpr std::uint32_t kItemThreads = 256;  // of a thread block

template <class Op>
__global__ void __launch_bounds__(kItemThreads) run_items(const Op op, const LaunchRange range) {
  if (is_stopped(range.stop)) return;
  const std::uint32_t n = range.count.value != nullptr
                              ? ::min(*range.count.value, range.count.bound)
                              : range.count.bound;
  CudaDevice device;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    op(device, i);
}

inline cudaStream_t stream_of(const Cuda& exec) { return static_cast<cudaStream_t>(exec.stream()); }

template <class Op>
void launch_groups(Cuda& exec, const LaunchRange& range, const Op& op) {
  if (range.count.bound == 0) return;
  const Cuda::Guard guard(exec);
  const std::uint32_t resident = static_cast<std::uint32_t>(exec.multiprocessors()) * 32;
  const std::uint32_t grid = range.count.bound < resident ? range.count.bound : resident;
  run_groups<Op><<<grid, Op::kThreads, 0, stream_of(exec)>>>(op, range);
  check_launch(Op::kName);
}

template <class Op>
void launch_items(Cuda& exec, const LaunchRange& range, const Op& op) {
  if (range.count.bound == 0) return;
  const Cuda::Guard guard(exec);
  const std::uint32_t blocks = (range.count.bound + kItemThreads - 1) / kItemThreads;
  const std::uint32_t resident = static_cast<std::uint32_t>(exec.multiprocessors()) * 16;
  const std::uint32_t grid = blocks < resident ? blocks : resident;
  // One item gets one thread: others would look at a stop flag that it may be about to set.
  const std::uint32_t threads = range.count.bound == 1 ? 1 : kItemThreads;
  run_items<Op><<<grid, threads, 0, stream_of(exec)>>>(op, range);
  check_launch(Op::kName);
}

// Flushes are atomic here, so all colours go in one launch: groups 0 .. begin[colours]. Only the
// order in which nodes receive them is then open, and with it the rounding: where runs are to be
// reproducible, colours follow each other.
template <class Op>
void launch_coloured(Cuda& exec, const LaunchRange& range, const std::uint32_t* begin, int colours,
                     const Op& op) {
  const std::uint32_t bound = range.count.bound;
  if (!exec.reproducible()) return launch_groups(exec, {{begin + colours, bound}, range.stop}, op);
  for (int c = 0; c < colours; ++c)
    launch_groups(exec, {{begin + c + 1, bound}, range.stop, begin + c}, op);
}

}  // namespace firn
