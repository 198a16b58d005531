// The CPU backend's work-groups: a group is one task of one thread, its phases are plain loops,
// `sync` is nothing and the arena lies on the stack. Include it in .cpp files only: nvcc never sees
// packs.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/exec/backend.h"
#include "kernels/exec/launch.h"
#include "kernels/exec/pack_rows.h"
#include "kernels/exec/row_gather.h"
#include "kernels/math/pack.h"

namespace firn {

// Atomics over plain storage. Sums of reals are not among them: their order would depend on the
// threads.
struct HostDevice {
  template <class T>
  void atomic_max(T& target, T value) const {
    std::atomic_ref<T> ref(target);
    T old = ref.load(std::memory_order_relaxed);
    while (old < value && !ref.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
  }
  template <class T>
  void atomic_min(T& target, T value) const {
    std::atomic_ref<T> ref(target);
    T old = ref.load(std::memory_order_relaxed);
    while (value < old && !ref.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
  }
  void atomic_or(std::uint32_t& target, std::uint32_t value) const {
    std::atomic_ref<std::uint32_t>(target).fetch_or(value, std::memory_order_relaxed);
  }
  std::uint32_t atomic_increment(std::uint32_t& target, std::uint32_t by = 1) const {
    return std::atomic_ref<std::uint32_t>(target).fetch_add(by, std::memory_order_relaxed);
  }
  // Integers only: their sums do not depend on the order.
  void atomic_add(std::int64_t& target, std::int64_t value) const {
    std::atomic_ref<std::int64_t>(target).fetch_add(value, std::memory_order_relaxed);
  }
  template <class T>
  T load(const T& target) const {
    return std::atomic_ref<T>(const_cast<T&>(target)).load(std::memory_order_relaxed);
  }
  template <class T>
  void store(T& target, T value) const {
    std::atomic_ref<T>(target).store(value, std::memory_order_relaxed);
  }
  // Returns the value found; the exchange happened if that equals `expected`.
  template <class T>
  T compare_exchange(T& target, T expected, T desired) const {
    std::atomic_ref<T>(target).compare_exchange_strong(expected, desired,
                                                       std::memory_order_relaxed);
    return expected;
  }
};

// When a particle may add to nodes that others add to as well: either take(add) calls add(turn) in
// its turn, and turn.accumulate(node, value) adds; or accumulate waits for it at each node. A turn
// that repeats may come again for other particles of a warp, with all that add does. Here particles
// come one after another.
struct HostTurns {
  static constexpr bool kRepeats = false;
  template <class Value>
  void accumulate(Value& target, const Value& value) const {
    target += value;
  }
  template <class Add>
  void take(Add&& add) const {
    add(*this);
  }
};

// kWidth consecutive lanes of one chunk. `Value` is what constitutive code computes on.
template <class Real>
struct HostLanes {
  using Value = Pack<Real>;
  using Mask = typename Value::mask_type;
  static constexpr int kWidth = static_cast<int>(Value::size());
  static_assert(kLanes % kWidth == 0);
  static constexpr int kPacksPerChunk = kLanes / kWidth;

  // Values whose lanes are wanted one by one, where a pack meets its single particles.
  template <int kRows>
  struct Table {
    alignas(64) Real row[kRows][kWidth];
    void set(int r, const Value& value) { value.copy_to(row[r], stdx::vector_aligned); }
    Value get(int r) const { return Value(row[r], stdx::vector_aligned); }
    Real& at(int r, int i) { return row[r][i]; }
    const Real& at(int r, int i) const { return row[r][i]; }
  };

  // Where in a tile each particle's stencil begins; `place` is a whole number, in any lane that is
  // not active any number at all.
  struct Places {
    alignas(64) int at[kWidth];
  };
  Places places(const Value& place) const {
    typedef int Ints __attribute__((vector_size(kWidth * sizeof(int))));
    Places places;
    const Ints whole =
        __builtin_convertvector(to_vector<Real>(select(active(), place, Value(Real(0)))), Ints);
    std::memcpy(places.at, &whole, sizeof(whole));
    return places;
  }
  // A tile of single values from there on (pack_rows.h).
  static PackTile<Real> from(const Real* tile, const Places& places) { return {tile, places.at}; }

  std::uint32_t chunk;
  std::uint32_t first;  // first lane of this pack
  std::uint32_t count;  // active lanes of the chunk: lanes 0 .. count-1

  std::uint32_t pack_index() const { return chunk * kPacksPerChunk + first / kWidth; }
  Value load(const Real* row) const { return Value(row + first, stdx::element_aligned); }
  void store(Real* row, const Value& value) const {
    value.copy_to(row + first, stdx::element_aligned);
  }
  Mask active() const {
    const Value lane([](auto i) { return static_cast<Real>(static_cast<int>(i)); });
    return lane + Value(static_cast<Real>(first)) < Value(static_cast<Real>(count));
  }
  int active_lanes() const {
    return std::clamp(static_cast<int>(count) - static_cast<int>(first), 0, kWidth);
  }
  // f(i, lane) for every active lane; i counts within this pack.
  template <class F>
  void for_each_lane(F&& f) const {
    const int n = active_lanes();
    for (int i = 0; i < n; ++i) f(i, first + static_cast<std::uint32_t>(i));
  }
  static bool test(const Mask& mask, int i) { return mask[static_cast<std::size_t>(i)]; }
  // For particles that add to a tile that all of them share: f(i, lane, turns_at) for the active
  // lanes for which takes(i, lane) holds. turns_at(place) are those of a particle whose stencil
  // begins there, see HostTurns. All that take part add equally often, each time to the same node
  // of their stencils.
  template <class Takes, class F>
  void for_each_in_turn(Takes&& takes, F&& f) const {
    for_each_lane([&](int i, std::uint32_t lane) {
      if (takes(i, lane)) f(i, lane, [](int) { return HostTurns{}; });
    });
  }
  // A reduction over the active lanes.
  Real sum(const Value& value) const {
    const Value masked = select(active(), value, Value(Real(0)));
    return stdx::reduce(masked);
  }
  Real maximum(const Value& value) const {
    const Value masked = select(active(), value, Value(std::numeric_limits<Real>::lowest()));
    return stdx::hmax(masked);
  }
  // The largest of a value that each active thread holds: here there is one thread.
  Real across(Real value) const { return value; }
  // f(the largest of all lanes), once per warp: of what its packs have left behind.
  template <class F>
  static void with_largest(const Value& value, F&& f) {
    f(stdx::hmax(value));
  }
  // f(pack index) for the packs of the chunk that hold no particle and are not visited, once per
  // chunk.
  template <class F>
  void for_empty_packs(F&& f) const {
    if (first + kWidth < count) return;
    for (std::uint32_t p = pack_index() + 1; p < (chunk + 1) * kPacksPerChunk; ++p) f(p);
  }
  // Sets the bits of the chunk's lanes in `word`; the packs of a chunk come one after another.
  // Returns how many are set.
  std::uint32_t mark(std::uint32_t& word, const Mask& mask) const {
    std::uint32_t bits = 0;
    if (stdx::any_of(mask))
      for (int i = 0; i < kWidth; ++i) bits |= std::uint32_t{test(mask, i)} << i;
    word = (first == 0 ? 0 : word) | bits << first;
    return static_cast<std::uint32_t>(std::popcount(bits));
  }
  // Counting sort within a group of one warp: f(lane, place) for every active lane with the next
  // place of its bin, as if lane came after lane and pack after pack.
  template <class F>
  void take_places(const Value& bins, std::uint32_t* next, F&& f) const {
    Table<1> bin;
    bin.set(0, bins);
    const auto bin_of = [&](int i) { return static_cast<std::uint32_t>(bin.at(0, i)); };
    if (stdx::all_of(bins == Value(bin.at(0, 0)) || !active())) {  // most packs
      const std::uint32_t n = static_cast<std::uint32_t>(active_lanes()), from = next[bin_of(0)];
      for (std::uint32_t i = 0; i < n; ++i) f(first + i, from + i);
      next[bin_of(0)] += n;
      return;
    }
    for_each_lane([&](int i, std::uint32_t lane) { f(lane, next[bin_of(i)]++); });
  }
  // Asks early for the same lanes of the next chunk: rows of several channels are more streams than
  // the processor follows by itself. `channel` may be null.
  void prefetch_next(const Real* channel, int components) const {
    if (channel == nullptr) return;
    const Real* row = channel + std::uint64_t{chunk + 1} * components * kLanes + first;
    for (int k = 0; k < components; ++k) __builtin_prefetch(row + k * kLanes);
    asm volatile("");  // g++ 12 drops calls of functions that do nothing but prefetch
  }
  template <class Channel>
  requires std::is_class_v<Channel>
  void prefetch_next(const Channel& channel, int components) const {
    if (channel.empty()) return;
    for (int k = 0; k < components; ++k)
      __builtin_prefetch(channel.row(chunk + 1, components, k) + first);
    asm volatile("");
  }
  // Runs f once for the pack (on CUDA: one thread of the warp).
  template <class F>
  void once(F&& f) const {
    f();
  }
};
template <class Real>
struct LanesOf<Cpu, Real> {
  using type = HostLanes<Real>;
};

template <class ScratchType>
struct HostGroup : HostDevice {
  template <class Real>
  using Lanes = HostLanes<Real>;

  HostGroup(std::uint32_t index, ScratchType& arena) : scratch(arena), index_(index) {}

  ScratchType& scratch;

  std::uint32_t index() const { return index_; }
  std::uint32_t warp() const { return 0; }
  template <class F>
  void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  // f(line, i) for i in 0 .. kLength - 1 of `lines` lines; the calls are independent of each other,
  // so that a line becomes vector instructions.
  template <int kLength, class F>
  void for_each_line(std::uint32_t lines, F&& f) const {
    for (std::uint32_t line = 0; line < lines; ++line)
#pragma GCC ivdep
      for (std::uint32_t i = 0; i < kLength; ++i) f(line, i);
  }
  // The same with what `of` says of a line, asked once for all its entries: f(of(line), line, i).
  template <int kLength, class Of, class F>
  void for_each_line(std::uint32_t lines, Of&& of, F&& f) const {
    for (std::uint32_t line = 0; line < lines; ++line) {
      const auto state = of(line);
#pragma GCC unroll 16
#pragma GCC ivdep
      for (std::uint32_t i = 0; i < kLength; ++i) f(state, line, i);
    }
  }
  // How rows of 32 values are put together, given the slot that each lane comes from.
  template <class Real>
  RowGather<Real> gather_from(const std::uint32_t (&slot)[kLanes]) const {
    return RowGather<Real>(slot);
  }
  template <class F>
  void once(F&& f) const {
    f();
  }
  void sync() const {}

  // f(lanes) for all lanes of the chunks [first, last) that hold particles; counts come from
  // `count_of(chunk)`.
  template <class Real, class Counts, class F>
  void for_each_pack(std::uint32_t first, std::uint32_t last, Counts&& count_of, F&& f) const {
    for (std::uint32_t chunk = first; chunk < last; ++chunk) {
      const std::uint32_t count = count_of(chunk);
      for (std::uint32_t lane = 0; lane < count; lane += HostLanes<Real>::kWidth)
        f(HostLanes<Real>{chunk, lane, count});
    }
  }

  // Into the grid: the launch visits blocks colour by colour, so no other group writes this node
  // now.
  template <class Node>
  void accumulate_global(Node& target, const Node& value) const {
    target += value;
  }

 private:
  std::uint32_t index_;
};

inline std::uint32_t resolve(const DeviceCount& count) {
  return count.value != nullptr ? std::min(*count.value, count.bound) : count.bound;
}
inline bool stopped(const LaunchRange& range) { return range.stop != nullptr && *range.stop != 0; }

// Groups are handed to threads in runs: long enough that fetching the next run costs nothing beside
// it, short enough that the last one to finish is not waited for long.
inline int groups_per_run(std::int64_t groups, int threads) {
  return static_cast<int>(std::max<std::int64_t>(1, groups / (32 * threads)));
}

// Operators whose groups jump through memory may name what a group will read, by
// `template <class Fetch> void prefetch(std::uint32_t group, Fetch fetch) const` calling
// fetch(address, bytes): it is asked for this many groups ahead. The processor's own prefetching
// follows streams only.
inline constexpr std::int64_t kPrefetchedAhead = 8;
struct PrefetchLines {
  void operator()(const void* from, std::size_t bytes) const {
    for (std::size_t b = 0; b < bytes; b += 64)
      __builtin_prefetch(static_cast<const char*>(from) + b);
    asm volatile("");  // g++ 12 drops calls of functions that do nothing but prefetch
  }
};

// So few groups are done sooner by one thread than a second one starts: 8, or what operators with
// light groups state.
template <class Op>
constexpr std::int64_t serial_groups() {
  if constexpr (requires { Op::kSerialGroups; })
    return Op::kSerialGroups;
  else
    return 8;
}

template <class Op>
void launch_groups(Cpu& exec, const LaunchRange& range, const Op& op) {
  if (stopped(range)) return;
  const auto n = static_cast<std::int64_t>(resolve(range.count));
  const std::int64_t first = range.first != nullptr ? *range.first : 0;
  [[maybe_unused]] const int run = groups_per_run(n - first, exec.threads());
#pragma omp parallel for num_threads(exec.threads()) \
    schedule(dynamic, run) if (n - first > serial_groups <Op>())
  for (std::int64_t i = first; i < n; ++i) {
    alignas(64) typename Op::Scratch scratch;
    HostGroup<typename Op::Scratch> group(static_cast<std::uint32_t>(i), scratch);
    if constexpr (requires { op.prefetch(0u, PrefetchLines{}); })
      if (i + kPrefetchedAhead < n)
        op.prefetch(static_cast<std::uint32_t>(i + kPrefetchedAhead), PrefetchLines{});
    op(group);
  }
}

template <class Op>
void launch_items(Cpu& exec, const LaunchRange& range, const Op& op) {
  if (stopped(range)) return;
  const auto n = static_cast<std::int64_t>(resolve(range.count));
#pragma omp parallel for num_threads(exec.threads()) schedule(static) if (n > 4096)
  for (std::int64_t i = 0; i < n; ++i) {
    HostDevice device;
    op(device, static_cast<std::uint32_t>(i));
  }
}

// Groups whose flushes may overlap are told apart by colour: `begin[c] .. begin[c+1]` are the
// groups of colour c (device memory).
template <class Op>
void launch_coloured(Cpu& exec, const LaunchRange& range, const std::uint32_t* begin, int colours,
                     const Op& op) {
  for (int c = 0; c < colours; ++c)
    launch_groups(exec, {{begin + c + 1, range.count.bound}, range.stop, begin + c}, op);
}

}  // namespace firn
