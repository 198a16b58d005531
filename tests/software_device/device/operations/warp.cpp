// What lanes of a warp do together: `m` holds the lanes that have met.
#include <algorithm>
#include <bit>

#include "functors.h"

namespace emulator::core {

namespace {

// Code may drop such a value, as CUB does behind the last valid item.
void report_foreign_lane(Warp& w, const Instruction& in, int lane, int from) {
  if (checks().sync && count_finding(w, in, Kind::kSync))
    describe_finding(w, in, Kind::kSync, lane,
                     "reads from lane " + std::to_string(from) +
                         ", which does not take part; the value is undefined");
}

enum class Shuffle { kIdx, kUp, kDown, kButterfly };

// r: d, p, a, b, c, mask
template <Shuffle kKind>
void shuffle(Warp& w, const Instruction& in, Mask m) {
  alignas(64) u32 a[kLanes], b[kLanes], c[kLanes];
  std::copy_n(w.lanes<u32>(in.r[2]), kLanes, a);
  std::copy_n(w.lanes<u32>(in.r[3]), kLanes, b);
  std::copy_n(w.lanes<u32>(in.r[4]), kLanes, c);
  u32* d = w.lanes<u32>(in.r[0]);
  Mask valid = 0;
  for_each_lane(m, [&](int i) {
    const int clamp = static_cast<int>(c[i] & 0x1F), segment = static_cast<int>(c[i] >> 8 & 0x1F),
              by = static_cast<int>(b[i] & 0x1F);
    const int most = (i & segment) | (clamp & ~segment), least = i & segment;
    int from = 0;
    bool inside = false;
    switch (kKind) {
      case Shuffle::kUp:
        from = i - by, inside = from >= most;
        break;
      case Shuffle::kDown:
        from = i + by, inside = from <= most;
        break;
      case Shuffle::kButterfly:
        from = i ^ by, inside = from <= most;
        break;
      case Shuffle::kIdx:
        from = least | (by & ~segment), inside = from <= most;
        break;
    }
    if (!inside) from = i;
    const bool takes_part = (m >> from & 1) != 0;
    if (!takes_part) report_foreign_lane(w, in, i, from);
    d[i] = takes_part ? a[from] : 0xBADC0DE5u;
    valid |= Mask{inside} << i;
  });
  w.write_predicate(in.r[1], valid, m);
}

enum class Vote { kAll, kAny, kUniform };
template <Vote kKind>
void vote(Warp& w, const Instruction& in, Mask m) {
  const Mask p = w.read_predicate(in, 1) & m;
  const bool all = p == m, any = p != 0;
  const bool result = kKind == Vote::kAll ? all : kKind == Vote::kAny ? any : all || !any;
  w.write_predicate(in.r[0], result ? kFull : 0, m);
}
void ballot(Warp& w, const Instruction& in, Mask m) {
  const Mask p = w.read_predicate(in, 1) & m;
  u32* d = w.lanes<u32>(in.r[0]);
  for_each_lane(m, [&](int i) { d[i] = p; });
}
template <class T>
void match_any(Warp& w, const Instruction& in, Mask m) {
  T a[kLanes];
  std::copy_n(w.lanes<T>(in.r[1]), kLanes, a);
  for_each_lane(m, [&](int i) {
    Mask same = 0;
    for (int j = 0; j < kLanes; ++j) same |= Mask{a[j] == a[i]} << j;
    w.lanes<u32>(in.r[0])[i] = same & m;
  });
}
template <class T>
void match_all(Warp& w, const Instruction& in, Mask m) {
  const T* a = w.lanes<T>(in.r[2]);
  const T first = a[std::countr_zero(m)];
  bool same = true;
  for_each_lane(m, [&](int i) { same &= a[i] == first; });
  for_each_lane(m, [&](int i) { w.lanes<u32>(in.r[0])[i] = same ? m : 0; });
  w.write_predicate(in.r[1], same ? kFull : 0, m);
}
template <class Op, class T>
void reduce(Warp& w, const Instruction& in, Mask m) {
  const Lane<T>* a = w.lanes<T>(in.r[1]);
  T v = from_lane<T>(a[std::countr_zero(m)]);
  for_each_lane(m & (m - 1), [&](int i) { v = Op::apply(v, from_lane<T>(a[i])); });
  for_each_lane(m, [&](int i) { w.lanes<T>(in.r[0])[i] = to_lane<T>(v); });
}
void elect(Warp& w, const Instruction& in, Mask m) {
  for_each_lane(m,
                [&](int i) { w.lanes<u32>(in.r[0])[i] = static_cast<u32>(std::countr_zero(m)); });
  w.write_predicate(in.r[1], m & (0 - m), m);
}
void active_mask(Warp& w, const Instruction& in, Mask m) {
  for_each_lane(m, [&](int i) { w.lanes<u32>(in.r[0])[i] = m; });
}
void nothing(Warp&, const Instruction&, Mask) {}
void trap(Warp& w, const Instruction& in, Mask m) { fault(w, in, std::countr_zero(m), "trap"); }

}  // namespace

void put_warp_operations(Table& t) {
  const auto put = [&](const char* name, Execute run, const char* signature) {
    t.put(name, run, signature, Class::kSync, Flow::kWarpSync);
  };
  put("bar.warp.sync", nothing, "w");
  put("shfl.sync.idx.b32", shuffle<Shuffle::kIdx>, "dqwwww");
  put("shfl.sync.up.b32", shuffle<Shuffle::kUp>, "dqwwww");
  put("shfl.sync.down.b32", shuffle<Shuffle::kDown>, "dqwwww");
  put("shfl.sync.bfly.b32", shuffle<Shuffle::kButterfly>, "dqwwww");
  put("vote.sync.all.pred", vote<Vote::kAll>, "pbw"),
      put("vote.all.sync.pred", vote<Vote::kAll>, "pbw");
  put("vote.sync.any.pred", vote<Vote::kAny>, "pbw"),
      put("vote.any.sync.pred", vote<Vote::kAny>, "pbw");
  put("vote.sync.uni.pred", vote<Vote::kUniform>, "pbw"),
      put("vote.uni.sync.pred", vote<Vote::kUniform>, "pbw");
  put("vote.sync.ballot.b32", ballot, "dbw"), put("vote.ballot.sync.b32", ballot, "dbw");
  put("match.any.sync.b32", match_any<u32>, "dww"),
      put("match.any.sync.b64", match_any<u64>, "dLw");
  put("match.sync.any.b32", match_any<u32>, "dww"),
      put("match.sync.any.b64", match_any<u64>, "dLw");
  put("match.all.sync.b32", match_all<u32>, "dqww"),
      put("match.all.sync.b64", match_all<u64>, "dqLw");
  put("match.sync.all.b32", match_all<u32>, "dqww"),
      put("match.sync.all.b64", match_all<u64>, "dqLw");
  put("redux.sync.add.u32", reduce<Add, u32>, "dww"),
      put("redux.sync.add.s32", reduce<Add, u32>, "dww");
  put("redux.sync.min.u32", reduce<Minimum, u32>, "dww"),
      put("redux.sync.min.s32", reduce<Minimum, s32>, "dww");
  put("redux.sync.max.u32", reduce<Maximum, u32>, "dww"),
      put("redux.sync.max.s32", reduce<Maximum, s32>, "dww");
  put("redux.sync.and.b32", reduce<And, u32>, "dww"),
      put("redux.sync.or.b32", reduce<Or, u32>, "dww");
  put("redux.sync.xor.b32", reduce<Xor, u32>, "dww"), put("elect.sync", elect, "dqw");
  t.put("activemask.b32", active_mask, "d", Class::kSync);
  t.put("nanosleep.u32", nothing, "w", Class::kOther, Flow::kYield);
  for (const char* name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
        "fence.acq_rel.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys",
        "fence.acq_rel.cluster", "griddepcontrol.wait", "griddepcontrol.launch_dependents"})
    t.put(name, nothing, "", Class::kSync);
  t.put("trap", trap, "", Class::kOther);
}

}  // namespace emulator::core
