// Comparisons, predicates, and selections by them.
#include <immintrin.h>

#include "functors.h"

namespace emulator::core {

namespace {

inline Mask pack_bits(const u32* flags) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_load_si512(flags), high = _mm512_load_si512(flags + 16);
  return static_cast<Mask>(_mm512_test_epi32_mask(low, low)) |
         static_cast<Mask>(_mm512_test_epi32_mask(high, high)) << 16;
#else
  Mask m = 0;
  for (int i = 0; i < kLanes; ++i) m |= Mask{flags[i] != 0} << i;
  return m;
#endif
}

// setp p|q, a, b {, c}: p = (a cmp b) op c, q = !(a cmp b) op c
template <class Op, class T>
void compare(Warp& w, const Instruction& in, Mask m) {
  alignas(64) u32 flags[kLanes];
  const Lane<T>*a = w.lanes<T>(in.r[2]), *b = w.lanes<T>(in.r[3]);
  for (int i = 0; i < kLanes; ++i)
    flags[i] = Op::apply(from_lane<T>(a[i]), from_lane<T>(b[i])) ? 1 : 0;
  Mask p = pack_bits(flags), q = ~p;
  if (in.modifier != 0) {
    const Mask c = w.read_predicate(in, 4);
    p = in.modifier == 1 ? p & c : in.modifier == 2 ? p | c : p ^ c;
    q = in.modifier == 1 ? q & c : in.modifier == 2 ? q | c : q ^ c;
  }
  w.write_predicate(in.r[1], q, m);
  w.write_predicate(in.r[0], p, m);
}

// set.cmp.dtype.stype: all ones or 1.0
template <class Op, class D, class T>
struct SetValue {
  static D apply(T a, T b) {
    if (!Op::apply(a, b)) return D(0);
    if constexpr (std::is_floating_point_v<D>)
      return D(1);
    else
      return static_cast<D>(~D(0));
  }
};

template <class T>
void select(Warp& w, const Instruction& in, Mask m) {
  using L = Lane<T>;
  L* d = w.lanes<T>(in.r[0]);
  const L *a = w.lanes<T>(in.r[1]), *b = w.lanes<T>(in.r[2]);
  const Mask p = w.read_predicate(in, 3);
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    const L v = (p >> i & 1) != 0 ? a[i] : b[i];
    d[i] = (m >> i & 1) != 0 ? v : d[i];
  }
}

template <class Op>
void predicate_operation(Warp& w, const Instruction& in, Mask m) {
  w.write_predicate(in.r[0], Op::apply(w.read_predicate(in, 1), w.read_predicate(in, 2)), m);
}
void predicate_not(Warp& w, const Instruction& in, Mask m) {
  w.write_predicate(in.r[0], ~w.read_predicate(in, 1), m);
}
void predicate_move(Warp& w, const Instruction& in, Mask m) {
  w.write_predicate(in.r[0], w.read_predicate(in, 1), m);
}

struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Unequal {
  template <class T>
  static bool apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a < b || a > b;  // false for NaN
    else
      return a != b;
  }
};
struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
template <class Op>
struct OrUnordered {
  template <class T>
  static bool apply(T a, T b) {
    return Op::apply(a, b) || a != a || b != b;
  }
};
struct Numbers {
  template <class T>
  static bool apply(T a, T b) {
    return a == a && b == b;
  }
};
struct NotNumbers {
  template <class T>
  static bool apply(T a, T b) {
    return a != a || b != b;
  }
};

template <class Op, class T>
void put_compare(Table& t, const std::string& relation, Named<T> type) {
  static constexpr char plain[] = {'p', 'q', source_mark<T>(), source_mark<T>(), '\0'};
  static constexpr char combined[] = {'p', 'q', source_mark<T>(), source_mark<T>(), 'b', '\0'};
  const char* joins[] = {"", ".and", ".or", ".xor"};
  for (std::uint8_t k = 0; k < 4; ++k)
    for (const char* ftz : {"", ".ftz"}) {
      const std::string name = "setp." + relation + joins[k] + ftz + type.name;
      Execute run = compare<Op, T>;
      if constexpr (std::is_same_v<T, float>) run = *ftz == '\0' ? run : compare<Flush<Op>, T>;
      t.put(name, run, k == 0 ? plain : combined, class_of<T>()).modifier = k;
    }
  t.put("set." + relation + ".u32" + type.name, Map<SetValue<Op, u32, T>, u32, T, T>::run,
        Signature<u32, T, T>::text, class_of<T>());
  t.put("set." + relation + ".s32" + type.name, Map<SetValue<Op, u32, T>, u32, T, T>::run,
        Signature<u32, T, T>::text, class_of<T>());
  t.put("set." + relation + ".f32" + type.name, Map<SetValue<Op, float, T>, float, T, T>::run,
        Signature<float, T, T>::text, class_of<T>());
}
template <class Op, class... T>
void compares(Table& t, const std::string& relation, Named<T>... types) {
  (put_compare<Op>(t, relation, types), ...);
}

template <class T>
void put_select(Table& t, Named<T> type) {
  static constexpr char signature[] = {sizeof(T) == 8 ? 'D' : 'd', source_mark<T>(),
                                       source_mark<T>(), 'b', '\0'};
  t.put(std::string("selp") + type.name, select<T>, signature, class_of<T>());
}
template <class T, class C>
struct SelectBySign {
  static T apply(T a, T b, C c) { return c >= C(0) ? a : b; }
};
template <class T>
void put_slct(Table& t, Named<T> type) {
  t.put(std::string("slct") + type.name + ".s32", Map<SelectBySign<T, s32>, T, T, T, s32>::run,
        Signature<T, T, T, s32>::text, class_of<T>());
  t.put(std::string("slct") + type.name + ".f32", Map<SelectBySign<T, float>, T, T, T, float>::run,
        Signature<T, T, T, float>::text, class_of<T>());
}
void put_relations(Table& t) {
  compares<Equal>(t, "eq", kS16, kU16, kB16, kS32, kU32, kB32, kS64, kU64, kB64, kF32, kF64);
  compares<Unequal>(t, "ne", kS16, kU16, kB16, kS32, kU32, kB32, kS64, kU64, kB64, kF32, kF64);
  compares<Less>(t, "lt", kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64);
  compares<LessEqual>(t, "le", kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64);
  compares<Greater>(t, "gt", kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64);
  compares<GreaterEqual>(t, "ge", kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64);
  compares<Less>(t, "lo", kU16, kU32, kU64);
  compares<LessEqual>(t, "ls", kU16, kU32, kU64);
  compares<Greater>(t, "hi", kU16, kU32, kU64);
  compares<GreaterEqual>(t, "hs", kU16, kU32, kU64);
  compares<OrUnordered<Equal>>(t, "equ", kF32, kF64);
  compares<OrUnordered<Unequal>>(t, "neu", kF32, kF64);
  compares<OrUnordered<Less>>(t, "ltu", kF32, kF64);
  compares<OrUnordered<LessEqual>>(t, "leu", kF32, kF64);
  compares<OrUnordered<Greater>>(t, "gtu", kF32, kF64);
  compares<OrUnordered<GreaterEqual>>(t, "geu", kF32, kF64);
  compares<Numbers>(t, "num", kF32, kF64);
  compares<NotNumbers>(t, "nan", kF32, kF64);
}

void put_selections(Table& t) {
  put_select(t, kB16), put_select(t, kU16), put_select(t, kS16), put_select(t, kB32),
      put_select(t, kU32), put_select(t, kS32);
  put_select(t, kF32), put_select(t, kB64), put_select(t, kU64), put_select(t, kS64),
      put_select(t, kF64);
  put_slct(t, kU32), put_slct(t, kB32), put_slct(t, kS32), put_slct(t, kF32), put_slct(t, kU64),
      put_slct(t, kB64), put_slct(t, kF64);
  t.put("and.pred", predicate_operation<And>, "pbb", Class::kInt32);
  t.put("or.pred", predicate_operation<Or>, "pbb", Class::kInt32);
  t.put("xor.pred", predicate_operation<Xor>, "pbb", Class::kInt32);
  t.put("not.pred", predicate_not, "pb", Class::kInt32);
  t.put("mov.pred", predicate_move, "pb", Class::kInt32);
}

}  // namespace

void put_comparisons(Table& t) {
  put_relations(t);
  put_selections(t);
}

}  // namespace emulator::core
