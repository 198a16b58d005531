// When a particle may add to the nodes that others of its warp add to as well: see HostTurns.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace firn {

// Particles of one cell add to the same nodes: they take turns, and those of different cells add
// at the same time, to different nodes. Plain additions in an order that does not change; atomic
// ones on floats in shared memory are loops of compare-and-swap.
struct CudaTurn {
  static constexpr bool kRepeats = true;
  std::uint32_t lanes;  // whose it is
  template <class Node>
  FIRN_HD void accumulate([[maybe_unused]] Node& target, [[maybe_unused]] const Node& value) const {
#if defined(__CUDA_ARCH__)
    target += value;
    __syncwarp(lanes);
#endif
  }
};
struct CudaTurns {
  static constexpr bool kRepeats = false;
  std::uint32_t lanes;  // that take part
  int turn, turns;
  template <class Node>
  FIRN_HD void accumulate([[maybe_unused]] Node& target, [[maybe_unused]] const Node& value) const {
#if defined(__CUDA_ARCH__)
    for (int t = 0; t < turns; ++t) {
      if (t == turn) target += value;
      __syncwarp(lanes);
    }
#endif
  }
  template <class Add>
  FIRN_HD void take([[maybe_unused]] Add&& add) const {
#if defined(__CUDA_ARCH__)
    for (int t = 0; t < turns; ++t) {
      const std::uint32_t now = __ballot_sync(lanes, turn == t);
      if (turn == t) add(CudaTurn{now});
      __syncwarp(lanes);
    }
#endif
  }
};

}  // namespace firn
