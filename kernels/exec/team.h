// Groups of several thread blocks: for work of many short phases, each too much for one of them and
// too little for a launch. On CUDA a team is a cluster, whose blocks meet at a barrier of the
// hardware; on the CPU, and before compute capability 9.0, it is one group.
//
// Operators state kTeam, how many thread blocks (at most 8, what every device of capability 9.0
// has), beside what launch.h asks of a group's. Each block of a team has an arena of its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/base/host_device.h"
#if defined(__CUDACC__)
#include "kernels/exec/cuda.cuh"
#else
#include "kernels/exec/host.h"
#endif

namespace firn {

#if defined(__CUDACC__)

template <class Scratch>
struct CudaTeam : CudaDevice {
  using Member = CudaGroup<Scratch>;
  static constexpr bool kIsTeam = true;

  FIRN_HD explicit CudaTeam(Scratch& arena) : scratch_(arena) {}

  // Warps of all blocks in turn: few items are spread out.
  template <class F>
  FIRN_HD void for_each([[maybe_unused]] std::uint32_t n, [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    const std::uint32_t warp = threadIdx.x / kLanes * blocks() + block();
    for (std::uint32_t i = warp * kLanes + threadIdx.x % kLanes; i < n; i += blocks() * blockDim.x)
      f(i);
#endif
  }
  // f(member, first, count) for batches of at most `most` of n, each by one block.
  template <class F>
  FIRN_HD void for_each_batch([[maybe_unused]] std::uint32_t n, [[maybe_unused]] std::uint32_t most,
                              [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    const std::uint32_t share = (n + blocks() - 1) / blocks(), size = ::min(most, share);
    Member member(0, scratch_);
    for (std::uint32_t first = block() * size; first < n; first += blocks() * size) {
      f(member, first, ::min(size, n - first));
      member.sync();
    }
#endif
  }
  // f(member) by one block. The caller synchronises.
  template <class F>
  FIRN_HD void alone([[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    Member member(0, scratch_);
    if (block() == 0) f(member);
#endif
  }
  // What any thread of the team wrote, all of them see.
  FIRN_HD void sync() const {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
            : "memory");
#elif defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }

 private:
#if __CUDA_ARCH__ >= 900
  __device__ static std::uint32_t block() { return blockIdx.x; }
  __device__ static std::uint32_t blocks() { return gridDim.x; }
#else
  FIRN_HD static std::uint32_t block() { return 0; }
  FIRN_HD static std::uint32_t blocks() { return 1; }
#endif

  Scratch& scratch_;
};

// The host's pass, which launches, has to know as well.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FIRN_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#else
#define FIRN_CLUSTER(blocks)
#endif

template <class Op>
__global__ void FIRN_CLUSTER(Op::kTeam) __launch_bounds__(Op::kThreads, resident_groups<Op>())
    run_team(const Op op, const std::uint32_t* stop) {
  if (is_stopped(stop)) return;
  __shared__ typename Op::Scratch scratch;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  if (blockIdx.x != 0) return;
#endif
  CudaTeam<typename Op::Scratch> team(scratch);
  op(team);
}
#undef FIRN_CLUSTER

template <class Op>
void launch_team(Cuda& exec, const std::uint32_t* stop, const Op& op) {
  static_assert(Op::kTeam > 1 && Op::kTeam <= 8);
  const Cuda::Guard guard(exec);
  run_team<Op><<<Op::kTeam, Op::kThreads, 0, stream_of(exec)>>>(op, stop);
  check_launch(Op::kName);
}

#else

template <class Scratch>
struct HostTeam : HostGroup<Scratch> {
  using Member = HostGroup<Scratch>;
  static constexpr bool kIsTeam = true;

  explicit HostTeam(Scratch& arena) : HostGroup<Scratch>(0, arena) {}

  template <class F>
  void for_each_batch(std::uint32_t n, std::uint32_t most, F&& f) {
    Member member(0, this->scratch);
    for (std::uint32_t first = 0; first < n; first += most)
      f(member, first, std::min(most, n - first));
  }
  template <class F>
  void alone(F&& f) {
    Member member(0, this->scratch);
    f(member);
  }
};

template <class Op>
void launch_team(Cpu&, const std::uint32_t* stop, const Op& op) {
  if (stopped({{}, stop})) return;
  alignas(64) typename Op::Scratch scratch;
  HostTeam<typename Op::Scratch> team(scratch);
  op(team);
}

#endif

}  // namespace firn
