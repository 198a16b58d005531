// Vectors packed into registers and unpacked, generic addresses, the clock.
#include <chrono>

#include "functors.h"

namespace emulator::core {

namespace {

template <class D, int kParts>
void pack(Warp& w, const Instruction& in, Mask m) {
  constexpr int kBits = 8 * sizeof(D) / kParts;
  D* d = w.lanes<D>(in.r[0]);
  for_each_lane(m, [&](int i) {
    D v = 0;
    for (int k = 0; k < kParts; ++k) {
      const D part = w.lanes<u32>(in.r[1 + k])[i];
      v |= (part & ((D(1) << kBits) - 1)) << kBits * k;
    }
    d[i] = v;
  });
}
template <class S, int kParts>
void unpack(Warp& w, const Instruction& in, Mask m) {
  constexpr int kBits = 8 * sizeof(S) / kParts;
  const S* s = w.lanes<S>(in.r[kParts]);
  for_each_lane(m, [&](int i) {
    const S v = s[i];
    for (int k = 0; k < kParts; ++k)
      w.lanes<u32>(in.r[k])[i] = static_cast<u32>(v >> kBits * k & ((S(1) << kBits) - 1));
  });
}

template <u64 kWindow>
struct ToGeneric {
  static u64 apply(u64 a) { return a + kWindow; }
};
template <u64 kWindow>
struct FromGeneric {
  static u64 apply(u64 a) { return a & ~kWindowMask; }
};

template <u64 kWindow>
void is_space(Warp& w, const Instruction& in, Mask m) {
  const u64* a = w.lanes<u64>(in.r[1]);
  Mask p = 0;
  for (int i = 0; i < kLanes; ++i) p |= Mask{(a[i] & kWindowMask) == kWindow} << i;
  w.write_predicate(in.r[0], p, m);
}

template <class T>
void read_clock(Warp& w, const Instruction& in, Mask m) {
  const auto now = static_cast<T>(std::chrono::steady_clock::now().time_since_epoch().count());
  for_each_lane(m, [&](int i) { w.lanes<T>(in.r[0])[i] = now; });
}

}  // namespace

void put_moves(Table& t) {
  t.put("pack.b64.2", pack<u64, 2>, "", Class::kInt32),
      t.put("unpack.b64.2", unpack<u64, 2>, "", Class::kInt32);
  t.put("pack.b64.4", pack<u64, 4>, "", Class::kInt32),
      t.put("unpack.b64.4", unpack<u64, 4>, "", Class::kInt32);
  t.put("pack.b32.2", pack<u32, 2>, "", Class::kInt32),
      t.put("unpack.b32.2", unpack<u32, 2>, "", Class::kInt32);
  t.put("pack.b32.4", pack<u32, 4>, "", Class::kInt32),
      t.put("unpack.b32.4", unpack<u32, 4>, "", Class::kInt32);
  const auto windows = [&]<u64 kWindow>(std::integral_constant<u64, kWindow>,
                                        const std::string& name) {
    t.put("cvta." + name + ".u64", Map<ToGeneric<kWindow>, u64, u64>::run, "DL", Class::kInt64);
    t.put("cvta.to." + name + ".u64", Map<FromGeneric<kWindow>, u64, u64>::run, "DL",
          Class::kInt64);
    t.put("isspacep." + name, is_space<kWindow>, "pL", Class::kInt64);
  };
  windows(std::integral_constant<u64, kSharedWindow>{}, "shared");
  windows(std::integral_constant<u64, kLocalWindow>{}, "local");
  windows(std::integral_constant<u64, kParamWindow>{}, "param");
  windows(std::integral_constant<u64, 0>{}, "global");
  windows(std::integral_constant<u64, 0>{}, "const");
  t.put("isspacep.shared::cta", is_space<kSharedWindow>, "pL", Class::kInt64);
  t.put("clock.u32", read_clock<u32>, "d", Class::kOther),
      t.put("clock.u64", read_clock<u64>, "D", Class::kOther);
}

}  // namespace emulator::core
