// What a warp of the CUDA backend is to operators: 32 lanes of one chunk, a thread for each.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/base/host_device.h"
#include "kernels/exec/cuda_turns.cuh"
#include "kernels/exec/launch.h"
#include "kernels/math/scalar.h"

namespace firn {

// One lane: constitutive code runs on a scalar per thread. All 32 threads of the warp enter;
// inactive lanes compute on whatever their slot holds and store nothing.
template <class Real, bool kFewWarps = false>
struct CudaLanes {
  using Value = Real;
  using Mask = bool;
  static constexpr int kWidth = 1;
  static constexpr int kPacksPerChunk = 1;
  template <int kRows>
  struct Table {
    Real row[kRows];
    FIRN_HD void set(int r, Real value) { row[r] = value; }
    FIRN_HD Real get(int r) const { return row[r]; }
    FIRN_HD Real& at(int r, int) { return row[r]; }
    FIRN_HD const Real& at(int r, int) const { return row[r]; }
  };

  using Places = int;
  FIRN_HD static int places(int place) { return place; }
  FIRN_HD static const Real* from(const Real* tile, int place) { return tile + place; }

  std::uint32_t chunk;
  std::uint32_t first;  // this thread's lane
  std::uint32_t count;
  std::uint32_t next;  // chunk of this warp; the same one where there is none

  FIRN_HD std::uint32_t pack_index() const { return chunk; }
  FIRN_HD Value load(const Real* row) const { return row[first]; }
  FIRN_HD void store(Real* row, Value value) const {
    if (first < count) row[first] = value;
  }
  FIRN_HD Mask active() const { return first < count; }
  FIRN_HD int active_lanes() const { return first < count ? 1 : 0; }
  template <class F>
  FIRN_HD void for_each_lane(F&& f) const {
    if (first < count) f(0, first);
  }
  FIRN_HD static bool test(bool mask, int) { return mask; }
  // The tile must belong to this warp alone: groups of operators that scatter have one.
  template <class Takes, class F>
  FIRN_HD void for_each_in_turn([[maybe_unused]] Takes&& takes, [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    const bool takes_part = first < count && takes(0, first);
    const std::uint32_t lanes = __ballot_sync(0xffffffffu, takes_part);
    if (!takes_part) return;
    f(0, first, [lanes, this](int place) {
      const std::uint32_t before = (1u << first) - 1;
      const int turn = __popc(__match_any_sync(lanes, place) & before);
      int turns = 1;
      while (__any_sync(lanes, turn >= turns)) ++turns;
      return CudaTurns{lanes, turn, turns};
    });
#endif
  }
  FIRN_HD Real sum(Real value) const {
    return across_warp(first < count ? value : Real(0), [](Real a, Real b) { return a + b; });
  }
  FIRN_HD Real maximum(Real value) const {
    return largest(first < count ? value : std::numeric_limits<Real>::lowest());
  }
  FIRN_HD Real across(Real value) const { return maximum(value); }
  template <class F>
  FIRN_HD static void with_largest([[maybe_unused]] Value value, [[maybe_unused]] F&& f) {
#if defined(__CUDA_ARCH__)
    const Real of_all = largest(value);
    if (threadIdx.x % kLanes == 0) f(of_all);
#endif
  }
  // A warp is the whole chunk, so no pack of it stays unvisited.
  template <class F>
  FIRN_HD void for_empty_packs(F&&) const {}
  FIRN_HD std::uint32_t mark([[maybe_unused]] std::uint32_t& word,
                             [[maybe_unused]] bool mask) const {
#if defined(__CUDA_ARCH__)
    const std::uint32_t bits = __ballot_sync(0xffffffffu, mask);
    if (first == 0) word = bits;
    return static_cast<std::uint32_t>(__popc(bits));
#else
    return 0;
#endif
  }
  template <class F>
  FIRN_HD void take_places([[maybe_unused]] Value bins, [[maybe_unused]] std::uint32_t* next,
                           [[maybe_unused]] F&& f) const {
#if defined(__CUDA_ARCH__)
    const auto bin = static_cast<std::uint32_t>(bins);
    const std::uint32_t same = __match_any_sync(0xffffffffu, first < count ? bin : ~0u);
    const auto before = static_cast<std::uint32_t>(__popc(same & ((1u << first) - 1)));
    const std::uint32_t place = first < count ? next[bin] + before : 0;
    __syncwarp();
    if (first < count && before == 0) next[bin] += static_cast<std::uint32_t>(__popc(same));
    __syncwarp();
    if (first < count) f(first, place);
#endif
  }
  // For operators of few warps, into the L2 cache, a line of which is a row of floats: it is device
  // memory that takes long. Each thread asks for a row.
  FIRN_HD void prefetch_next(const Real* channel, int components) const {
    if (!kFewWarps || channel == nullptr) return;
    const Real* rows = channel + std::uint64_t{next} * components * kLanes;
    for (int k = static_cast<int>(first); k < components; k += kLanes) prefetch(rows + k * kLanes);
  }
  template <class Channel>
  requires std::is_class_v<Channel> FIRN_HD void prefetch_next(const Channel& channel,
                                                               int components) const {
    if (!kFewWarps || channel.empty()) return;
    for (int k = static_cast<int>(first); k < components; k += kLanes)
      prefetch(channel.row(next, components, k));
  }
  template <class F>
  FIRN_HD void once(F&& f) const {
    if (first == 0) f();
  }

 private:
  template <class Combine>
  FIRN_HD static Real across_warp(Real value, [[maybe_unused]] Combine&& combine) {
#if defined(__CUDA_ARCH__)
    for (int offset = kLanes / 2; offset > 0; offset /= 2)
      value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
#endif
    return value;
  }
  FIRN_HD static Real largest(Real value) {
    return across_warp(value, [](Real a, Real b) { return max(a, b); });
  }
  FIRN_HD static void prefetch([[maybe_unused]] const Real* row) {
#if defined(__CUDA_ARCH__)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(row)));
#endif
  }
};
template <class Real>
struct LanesOf<Cuda, Real> {
  using type = CudaLanes<Real>;
};

}  // namespace firn
