// What a launch needs to know besides the operator: how many work-groups, and when to do nothing.
// Counts live in device memory, so that a step is enqueued without asking the device how large it
// became. A count is where indices end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firn {

// A count in device memory with an upper bound that the host knows; without `value` the bound is
// the count.
struct DeviceCount {
  const std::uint32_t* value = nullptr;
  std::uint32_t bound = 0;
};

struct LaunchRange {
  DeviceCount count;
  const std::uint32_t* stop = nullptr;   // device flag: when it is not 0 the launch does nothing
  const std::uint32_t* first = nullptr;  // groups only: in device memory, the index to begin with
};

// 32 particles of one block and one material: a warp on CUDA, a few SIMD packs on the CPU.
inline constexpr int kLanes = 32;

// The packs of a backend: `type` has the members of HostLanes (host.h) and CudaLanes (cuda.cuh).
template <class Exec, class Real>
struct LanesOf;

// Shared memory of a group on CUDA: what every device grants without being asked.
inline constexpr std::size_t kCudaArenaBytes = 48 * 1024;

// Operators are structs with
//   static constexpr const char* kName;    for traces and error messages
//   static constexpr int kThreads;         CUDA threads of a group (tuning)
//   static constexpr int kResidentGroups;  optional: CUDA groups on a multiprocessor, for registers
//   static constexpr bool kFewWarps;       optional: few fit a CUDA multiprocessor, each of which
//   so
//                                          asks early for what it will wait for
//   static constexpr int kSerialGroups;    optional: this few groups stay on one CPU thread
//   prefetch(group, fetch)                 optional: what the CPU should fetch early (host.h)
//   using Scratch = ...;                   the arena: shared memory on CUDA, the stack on the CPU
//   template <class Group> FIRN_HD void operator()(Group& g) const;
// launched by launch_groups(exec, range, op), or element operators with
//   template <class Device> FIRN_HD void operator()(Device& device, std::uint32_t i) const;
// launched by launch_items(exec, range, op).

}  // namespace firn
