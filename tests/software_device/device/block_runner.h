// Runs the warps of a block in turn, and lets them go on from barriers.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "counters.h"
#include "settings.h"
#include "warp_runner.h"

namespace emulator::core {

class Order {
 public:
  explicit Order(const TurnOrder& order) : kind_(order.arrangement), random_(order.seed) {}
  bool forward() const { return kind_ == Arrangement::kForward; }
  void arrange(std::vector<unsigned>& indices) {
    if (kind_ == Arrangement::kReverse) std::reverse(indices.begin(), indices.end());
    if (kind_ == Arrangement::kRandom) std::shuffle(indices.begin(), indices.end(), random_);
  }

 private:
  Arrangement kind_;
  std::mt19937_64 random_;
};

inline Order& warp_order() {
  static Order order(settings().warp_order);
  return order;
}
class BlockRunner {
 public:
  explicit BlockRunner(Block& b) : b_(b), order_(b.warps.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  enum class Left { kRuns, kAtCluster, kEnded };

  // Lets each warp run until it must wait.
  Left pass() {
    bool yields = false, alive = false;
    warp_order().arrange(order_);
    for (unsigned i : order_) {
      Warp& w = b_.warps[i];
      if (w.alive == 0) continue;
      WarpRunner runner(w, *b_.code);
      const Stop stop = runner.run();
      executed_ += runner.executed;
      yields |= stop == Stop::kYields;
      alive |= stop != Stop::kExited;
    }
    if (!alive) return Left::kEnded;
    if (executed_ > settings().limit) stuck("the block does not end (EMULATOR_LIMIT)");
    if (release_barriers() || yields) return Left::kRuns;
    if (is_at_cluster()) return Left::kAtCluster;
    if (!release_divergent()) stuck("deadlock");
    return Left::kRuns;
  }
  // Once all blocks of the cluster are there.
  void leave_cluster() {
    ++b_.counters->barriers;
    std::uint32_t epoch = 0;
    for (const Warp& w : b_.warps) epoch = std::max(epoch, w.epoch);
    for (Warp& w : b_.warps) {
      for (Fragment& f : w.fragments) f.state = Fragment::kRuns, ++f.at;
      w.met(epoch + 1);
    }
  }

 private:
  bool is_at_cluster() const {
    for (const Warp& w : b_.warps)
      for (const Fragment& f : w.fragments)
        if (f.state != Fragment::kAtCluster || (at(f).aligned && f.lanes != w.alive)) return false;
    return true;
  }
  const Instruction& at(const Fragment& f) const { return b_.code->instructions[f.at]; }
  std::uint32_t value(const Warp& w, const Instruction& in, int k, Mask lanes) const {
    return w.lanes<std::uint32_t>(in.r[k])[std::countr_zero(lanes)];
  }

  // What waits at barrier `id`.
  struct Arrival {
    unsigned threads = 0, expected = 0;
    bool whole = true, waits = false;  // all warps stand at it undivided; someone waits
    const Instruction* in = nullptr;
    unsigned warp = 0;
  };
  Arrival arrivals(unsigned id) const {
    Arrival a;
    for (const Warp& w : b_.warps)
      for (const Fragment& f : w.fragments) {
        if (f.state != Fragment::kAtBarrier || value(w, at(f), 0, f.lanes) != id) continue;
        const bool whole = f.lanes == w.alive;
        a.whole &= whole || !at(f).aligned;
        a.in = &at(f);
        a.warp = w.index;
        a.expected = std::max(a.expected, value(w, at(f), 1, f.lanes));
        a.threads += whole ? kLanes : static_cast<unsigned>(std::popcount(f.lanes));
        a.waits = true;
      }
    if (a.expected == 0) {  // all that have not ended
      a.threads = 0;
      for (const Warp& w : b_.warps) {
        a.expected += static_cast<unsigned>(std::popcount(w.alive));
        for (const Fragment& f : w.fragments)
          if (f.state == Fragment::kAtBarrier && value(w, at(f), 0, f.lanes) == id)
            a.threads += static_cast<unsigned>(std::popcount(f.lanes));
      }
    }
    return a;
  }

  bool release_barriers() {
    bool any = false;
    for (unsigned id = 0; id < 16; ++id) {
      const Arrival a = arrivals(id);
      if (!a.waits || !a.whole || a.threads < a.expected) continue;
      release(id);
      any = true;
    }
    return any;
  }
  // Where divided warps are tolerated, threads count one by one.
  bool release_divergent() {
    for (unsigned id = 0; id < 16; ++id) {
      const Arrival a = arrivals(id);
      if (!a.waits || a.whole) continue;
      if (checks().sync)
        stuck("a barrier in divergent code: not all lanes of a warp reach the same one");
      if (a.threads < a.expected) continue;
      release(id);
      return true;
    }
    return false;
  }

  void release(unsigned id) {
    ++b_.counters->barriers;
    check_ended(id);
    unsigned count = 0;
    std::uint32_t epoch = 0;
    bool all = true, any = false;
    const auto each = [&](auto&& f) {
      for (Warp& w : b_.warps)
        for (Fragment& g : w.fragments)
          if (g.state == Fragment::kAtBarrier && value(w, at(g), 0, g.lanes) == id) f(w, g);
    };
    each([&](Warp& w, Fragment& g) {
      epoch = std::max(epoch, w.epoch);
      if (at(g).modifier < 2) return;
      const Mask p = w.read_predicate(at(g), 2) & g.lanes;
      count += static_cast<unsigned>(std::popcount(p));
      all &= p == g.lanes;
      any |= p != 0;
    });
    each([&](Warp& w, Fragment& g) {
      const Instruction& in = at(g);
      if (in.modifier == 2)
        for_each_lane(g.lanes, [&](int i) { w.lanes<std::uint32_t>(in.r[3])[i] = count; });
      if (in.modifier > 2)
        w.write_predicate(in.r[3], (in.modifier == 3 ? all : any) ? kFull : 0, g.lanes);
      g.state = Fragment::kRuns;
      ++g.at;
      w.met(epoch + 1);
    });
  }
  void check_ended(unsigned id) {
    if (!checks().sync) return;
    unsigned alive = 0;
    for (const Warp& w : b_.warps) alive += static_cast<unsigned>(std::popcount(w.alive));
    const Arrival a = arrivals(id);
    if (alive == b_.threads || a.expected != alive) return;
    const Warp& w = b_.warps[a.warp];
    if (count_finding(w, *a.in, Kind::kSync))
      describe_finding(w, *a.in, Kind::kSync, std::countr_zero(w.alive),
                       "waits at a barrier that " + std::to_string(b_.threads - alive) +
                           " threads of the block ended before");
  }

  [[noreturn]] void stuck(const std::string& what) const {
    std::string text = what;
    const Warp* one = nullptr;
    const Instruction* in = nullptr;
    int lane = 0, listed = 0;
    for (const Warp& w : b_.warps)
      for (const Fragment& f : w.fragments) {
        static const char* states[] = {"runs", "waits for lanes of its warp", "waits at a barrier",
                                       "waits at a barrier of its cluster"};
        if (in == nullptr || f.state != Fragment::kRuns)
          one = &w, in = &at(f), lane = std::countr_zero(f.lanes);
        char part[160];
        std::snprintf(part, sizeof part, "; warp %u lanes %08x %s at PTX line %u", w.index, f.lanes,
                      states[f.state], at(f).line);
        if (++listed <= 8) text += part;
      }
    fault(*one, *in, lane, text);
  }

  Block& b_;
  std::vector<unsigned> order_;
  std::uint64_t executed_ = 0;
};

}  // namespace emulator::core
