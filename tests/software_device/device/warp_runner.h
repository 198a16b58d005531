// Runs one warp. Lanes that stand at the same instruction run together; of several such fragments
// the one that is least far in the text goes first, so that they meet again behind a branch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>

#include "check.h"

namespace emulator::core {

// A warp gives way to others after so many backward branches: one may wait for another.
constexpr unsigned kSlice = 1 << 14;
// and a fragment to others of its warp
constexpr unsigned kFragmentSlice = 1 << 10;

enum class Stop { kBlocked, kExited, kYields };

class WarpRunner {
 public:
  WarpRunner(Warp& w, const Code& code)
      : w_(w), code_(code.instructions.data()), tables_(code.tables) {}

  Stop run() {
    unsigned turns = 0;
    std::uint32_t behind = kNone;  // choose a fragment behind this instruction, if there is one
    for (;;) {
      Fragment* f = pick(behind);
      if (f == nullptr) {
        if (complete_syncs()) continue;
        return w_.alive == 0 ? Stop::kExited : Stop::kBlocked;
      }
      behind = kNone;
      switch (run_fragment(static_cast<std::size_t>(f - w_.fragments.data()))) {
        case Leave::kAgain:
          break;
        case Leave::kTurned:
          if (w_.fragments.size() > 1) behind = last_;
          if ((turns += kFragmentSlice) >= kSlice) return Stop::kYields;
          break;
        case Leave::kYields:
          return Stop::kYields;
      }
    }
  }

  std::uint64_t executed = 0;

 private:
  enum class Leave { kAgain, kTurned, kYields };

  // The running fragment that is least far, others at the same instruction joined to it.
  Fragment* pick(std::uint32_t behind) {
    Fragment *least = nullptr, *later = nullptr;
    for (Fragment& f : w_.fragments) {
      if (f.state != Fragment::kRuns) continue;
      if (least == nullptr || f.at < least->at) least = &f;
      if (behind != kNone && f.at > behind && (later == nullptr || f.at < later->at)) later = &f;
    }
    Fragment* chosen = later != nullptr ? later : least;
    if (chosen == nullptr || w_.fragments.size() == 1) return chosen;
    return join(static_cast<std::size_t>(chosen - w_.fragments.data()));
  }

  // Joins all fragments in the same state and place into one; returns it.
  Fragment* join(std::size_t k) {
    auto& all = w_.fragments;
    for (std::size_t i = all.size(); i-- > 0;) {
      if (i == k || all[i].at != all[k].at || all[i].state != all[k].state) continue;
      all[k].lanes |= all[i].lanes;
      all[i] = all.back();
      if (k == all.size() - 1) k = i;
      all.pop_back();
    }
    return &all[k];
  }

  std::uint32_t limit_for(std::size_t k) const {
    std::uint32_t limit = kNone;
    for (std::size_t i = 0; i < w_.fragments.size(); ++i)
      if (i != k && w_.fragments[i].state == Fragment::kRuns &&
          w_.fragments[i].at > w_.fragments[k].at)
        limit = std::min(limit, w_.fragments[i].at);
    return limit;
  }

  // Runs until the fragment meets another, splits, waits, ends or has turned back often.
  Leave run_fragment(std::size_t k) {
    const std::uint32_t limit = limit_for(k);
    const Mask lanes = w_.fragments[k].lanes;
    std::uint32_t at = w_.fragments[k].at;
    unsigned turns = 0;
    const auto stay = [&](Leave leave) {
      w_.fragments[k].at = last_ = at;
      return leave;
    };
    for (;;) {
      if (at >= limit) return stay(Leave::kAgain);
      const Instruction& in = code_[at];
      Mask m = lanes;
      if (in.guard != kNone) {
        const Mask p = w_.predicate(in.guard);
        m &= in.guard_negated ? ~p : p;
      }
      ++in.executed;
      in.lanes += static_cast<unsigned>(std::popcount(m));
      ++executed;
      switch (in.flow) {
        case Flow::kNext:
          if (m != 0) in.run(w_, in, m);
          ++at;
          break;
        case Flow::kBranch:
          if (m == 0) {
            ++at;
          } else if (m == lanes) {
            const bool back = in.target <= at;
            at = in.target;
            if (back && ++turns == kFragmentSlice) return stay(Leave::kTurned);
          } else {
            ++at;
            stay(Leave::kAgain);
            split(k, m, in.target);
            return Leave::kAgain;
          }
          break;
        case Flow::kTable:
          return branch_by_table(k, in, m, at);
        case Flow::kExit:
          if (m == 0) {
            ++at;
            break;
          }
          w_.alive &= ~m;
          w_.fragments[k].lanes &= ~m;
          ++at;
          stay(Leave::kAgain);
          if (m == lanes) erase(k);
          return Leave::kAgain;
        case Flow::kYield:
          ++at;
          return stay(Leave::kYields);
        case Flow::kWarpSync:
          if (m == lanes && meets_at_once(in, m)) {
            ++at;
            break;
          }
          stay(Leave::kAgain);
          if (m != lanes) pass_by(k, m);
          if (m != 0) wait_for_lanes(k);
          return Leave::kAgain;
        case Flow::kBarrier:
        case Flow::kClusterBarrier:
          stay(Leave::kAgain);
          if (m != lanes) pass_by(k, m);
          if (m == 0) return Leave::kAgain;
          w_.fragments[k].state =
              in.flow == Flow::kBarrier ? Fragment::kAtBarrier : Fragment::kAtCluster;
          join(k);
          return Leave::kAgain;
      }
    }
  }

  void split(std::size_t k, Mask lanes, std::uint32_t at) {
    w_.fragments[k].lanes &= ~lanes;
    w_.fragments.push_back({at, lanes, Fragment::kRuns});
  }
  void erase(std::size_t k) {
    w_.fragments[k] = w_.fragments.back();
    w_.fragments.pop_back();
  }
  // Lanes outside `m` do not take part in the instruction at hand.
  void pass_by(std::size_t k, Mask m) {
    const Mask others = w_.fragments[k].lanes & ~m;
    if (m == 0)
      ++w_.fragments[k].at;
    else
      split(k, others, w_.fragments[k].at + 1);
  }

  Leave branch_by_table(std::size_t k, const Instruction& in, Mask m, std::uint32_t at) {
    const auto& targets = tables_[in.target];
    const std::uint32_t* index = w_.lanes<std::uint32_t>(in.r[0]);
    Fragment f = w_.fragments[k];
    erase(k);
    if (f.lanes != m) w_.fragments.push_back({at + 1, f.lanes & ~m, Fragment::kRuns});
    for (Mask rest = m; rest != 0;) {
      const std::uint32_t value = index[std::countr_zero(rest)];
      if (value >= targets.size())
        fault(w_, in, std::countr_zero(rest), "brx.idx beyond its table");
      Mask same = 0;
      for_each_lane(rest, [&](int i) { same |= Mask{index[i] == value} << i; });
      w_.fragments.push_back({targets[value], same, Fragment::kRuns});
      rest &= ~same;
    }
    return Leave::kAgain;
  }
  const std::uint32_t* members(const Instruction& in) const {
    return w_.lanes<std::uint32_t>(in.r[in.operands - 1]);
  }

  // Lanes that a mask names and that are there: those that have ended are not waited for.
  Mask wanted(const Instruction& in, int lane) const {
    const Mask mask = members(in)[lane];
    if ((mask >> lane & 1) == 0) fault(w_, in, lane, "the mask does not name the lane itself");
    const Mask missing = mask & ~w_.alive;
    if (missing != 0 && checks().sync && count_finding(w_, in, Kind::kSync)) {
      char text[96];
      std::snprintf(text, sizeof text,
                    "names lanes %08x in its mask, which have ended or never were", missing);
      describe_finding(w_, in, Kind::kSync, lane, text);
    }
    return mask & w_.alive;
  }
  Mask with_mask(const Instruction& in, Mask lanes, Mask mask) const {
    const std::uint32_t* all = members(in);
    Mask same = 0;
    for (int i = 0; i < kLanes; ++i) same |= Mask{all[i] == mask} << i;
    return same & lanes;
  }
  bool meets_at_once(const Instruction& in, Mask m) {
    const int first = std::countr_zero(m);
    if (wanted(in, first) != m || with_mask(in, m, members(in)[first]) != m) return false;
    meet(in, m);
    return true;
  }
  void meet(const Instruction& in, Mask lanes) {
    w_.synchronised(lanes);
    in.run(w_, in, lanes);
  }
  void wait_for_lanes(std::size_t k) {
    w_.fragments[k].state = Fragment::kAtSync;
    const std::uint32_t at = w_.fragments[k].at;
    join(k);
    complete_sync(at);
  }
  // Lets those of the lanes that wait at instruction `at` go on who are complete.
  bool complete_sync(std::uint32_t at) {
    const Instruction& in = code_[at];
    bool any = false;
    for (std::size_t k = 0; k < w_.fragments.size(); ++k) {
      if (w_.fragments[k].at != at || w_.fragments[k].state != Fragment::kAtSync) continue;
      for (Mask rest = w_.fragments[k].lanes; rest != 0;) {
        const int lane = std::countr_zero(rest);
        const Mask want = wanted(in, lane),
                   same = with_mask(in, w_.fragments[k].lanes, members(in)[lane]);
        rest &= ~same & ~(1u << lane);
        if (want != same) continue;
        meet(in, same);
        split(k, same, at + 1);
        any = true;
      }
      if (w_.fragments[k].lanes == 0) erase(k--);
    }
    return any;
  }
  // When nothing runs: lanes may have ended since others began to wait, and bar.warp.sync may be
  // met at several places.
  bool complete_syncs() {
    std::vector<std::uint32_t> places;
    for (const Fragment& f : w_.fragments)
      if (f.state == Fragment::kAtSync) places.push_back(f.at);
    bool any = false;
    for (std::uint32_t at : places) any |= complete_sync(at);
    return any || meet_across_places();
  }
  static bool is_plain_sync(const Instruction& in) { return in.operands == 1; }
  bool meet_across_places() {
    for (const Fragment& f : std::vector<Fragment>(w_.fragments)) {
      if (f.state != Fragment::kAtSync || !is_plain_sync(code_[f.at])) continue;
      const Mask mask = members(code_[f.at])[std::countr_zero(f.lanes)];
      Mask waiting = 0;
      for (const Fragment& g : w_.fragments)
        if (g.state == Fragment::kAtSync && is_plain_sync(code_[g.at]))
          waiting |= with_mask(code_[g.at], g.lanes, mask);
      if (waiting != (mask & w_.alive)) continue;
      w_.synchronised(waiting);
      for (std::size_t k = w_.fragments.size(); k-- > 0;) {
        if (w_.fragments[k].state != Fragment::kAtSync || (w_.fragments[k].lanes & waiting) == 0)
          continue;
        split(k, w_.fragments[k].lanes & waiting, w_.fragments[k].at + 1);
        if (w_.fragments[k].lanes == 0) erase(k);
      }
      return true;
    }
    return false;
  }

  Warp& w_;
  const Instruction* code_;
  const std::vector<std::vector<std::uint32_t>>& tables_;
  std::uint32_t last_ = 0;
};

}  // namespace emulator::core
