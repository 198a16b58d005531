// Arithmetic of integers, bits, and moves of whole registers.
#include <algorithm>
#include <bit>

#include "functors.h"

namespace emulator::core {

namespace {

struct AddSaturated {
  static s32 apply(s32 a, s32 b) {
    return static_cast<s32>(std::clamp<s64>(s64{a} + b, kLeast<s32>, kMost<s32>));
  }
};
struct SubtractSaturated {
  static s32 apply(s32 a, s32 b) {
    return static_cast<s32>(std::clamp<s64>(s64{a} - b, kLeast<s32>, kMost<s32>));
  }
};
struct MultiplyHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <class T>
  static Wide<T> apply(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
struct MultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    return static_cast<T>(Ring<T>(a) * Ring<T>(b) + Ring<T>(c));
  }
};
struct MultiplyAddHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MultiplyHigh::apply(a, b), c);
  }
};
struct MultiplyAddWide {
  template <class T>
  static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply<Wide<T>>(Wide<T>(a) * Wide<T>(b), c);
  }
};
template <class T>
T low24(T v) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(v) << 8) >> 8);
}
struct Multiply24 {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(s64{low24(a)} * s64{low24(b)});
  }
};
struct MultiplyAdd24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Multiply24::apply(a, b), c);
  }
};
struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct SumOfDifference {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Subtract::apply(Maximum::apply(a, b), Minimum::apply(a, b)), c);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  static T apply(T a) {
    return a == 0;
  }
};
struct ShiftLeft {
  template <class T>
  static T apply(T a, u32 b) {
    return b >= 8 * sizeof(T) ? T(0) : static_cast<T>(Ring<T>(a) << b);
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, u32 b) {
    constexpr u32 kBits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (b >= kBits ? kBits - 1 : b));
    else
      return b >= kBits ? T(0) : static_cast<T>(a >> b);
  }
};
template <bool kLeft, bool kClamp>
struct Funnel {
  static u32 apply(u32 low, u32 high, u32 shift) {
    const u32 n = kClamp ? std::min(shift, 32u) : shift & 31;
    const u64 both = u64{high} << 32 | low;
    return static_cast<u32>(kLeft ? (both << n) >> 32 : both >> n);
  }
};
struct PopulationCount {
  template <class T>
  static u32 apply(T a) {
    return static_cast<u32>(std::popcount(a));
  }
};
struct LeadingZeros {
  template <class T>
  static u32 apply(T a) {
    return static_cast<u32>(std::countl_zero(a));
  }
};
struct Reverse {
  template <class T>
  static T apply(T a) {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) r |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return r;
  }
};
template <bool kShiftAmount>
struct FindHighest {
  template <class T>
  static u32 apply(T a) {
    Unsigned<T> v = static_cast<Unsigned<T>>(a);
    if (std::is_signed_v<T> && a < 0) v = static_cast<Unsigned<T>>(~v);
    if (v == 0) return ~0u;
    const u32 zeros = static_cast<u32>(std::countl_zero(v));
    return kShiftAmount ? zeros : 8 * sizeof(T) - 1 - zeros;
  }
};
struct ExtractField {
  template <class T>
  static T apply(T a, u32 position, u32 length) {
    constexpr u32 kBits = 8 * sizeof(T);
    const u32 pos = position & 0xFF, len = length & 0xFF;
    if (len == 0) return 0;
    const u32 top = std::min(pos + len - 1, kBits - 1);
    const bool sign = std::is_signed_v<T> && (Unsigned<T>(a) >> top & 1) != 0;
    Unsigned<T> v = pos < kBits ? Unsigned<T>(a) >> pos : 0;
    if (len < kBits) v &= (Unsigned<T>(1) << len) - 1;
    const u32 have = pos <= top ? top - pos + 1 : 0;
    if (sign && have < kBits) v |= ~Unsigned<T>(0) << have;
    return static_cast<T>(v);
  }
};
struct InsertField {
  template <class T>
  static T apply(T a, T b, u32 position, u32 length) {
    constexpr u32 kBits = 8 * sizeof(T);
    const u32 pos = position & 0xFF, len = length & 0xFF;
    if (pos >= kBits || len == 0) return b;
    const T mask = static_cast<T>((len >= kBits ? ~T(0) : (T(1) << len) - 1) << pos);
    return (b & ~mask) | ((a << pos) & mask);
  }
};
template <bool kClamp>
struct MaskOfBits {
  static u32 apply(u32 position, u32 length) {
    const u32 p = kClamp ? std::min(position, 32u) : position & 31,
              n = kClamp ? std::min(length, 32u) : length & 31;
    const u64 ones = (u64{1} << n) - 1;
    return static_cast<u32>(ones << p);
  }
};
struct Permute {
  static u32 apply(u32 a, u32 b, u32 selector) {
    const u64 bytes = u64{b} << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; ++i) {
      const u32 s = selector >> 4 * i & 0xF;
      u32 byte = static_cast<u32>(bytes >> 8 * (s & 7)) & 0xFF;
      if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
      r |= byte << 8 * i;
    }
    return r;
  }
};
struct LogicOfThree {
  static u32 apply(u32 a, u32 b, u32 c, u32 table) {
    u32 r = 0;
    for (u32 k = 0; k < 8; ++k) {
      const u32 minterm =
          ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
      r |= (table >> k & 1) != 0 ? minterm : 0;
    }
    return r;
  }
};
// dp4a: four bytes by four; dp2a: two halves of a by two bytes of b.
template <class A, class B, int kParts, int kFirst>
struct DotProduct {
  static u32 apply(u32 a, u32 b, u32 c) {
    using Part = std::conditional_t<kParts == 4, std::conditional_t<std::is_signed_v<A>, s8, u8>,
                                    std::conditional_t<std::is_signed_v<A>, s16, u16>>;
    using Byte = std::conditional_t<std::is_signed_v<B>, s8, u8>;
    for (int i = 0; i < kParts; ++i)
      c += static_cast<u32>(s32{static_cast<Part>(a >> (32 / kParts) * i)} *
                            s32{static_cast<Byte>(b >> 8 * (i + kFirst))});
    return c;
  }
};

// Sums with carry; the carry flag is a predicate of each thread. r: d, a, b, (c,) carry
template <bool kIn, bool kOut, bool kSubtract>
void carry_add(Warp& w, const Instruction& in, Mask m) {
  const u32 *a = w.lanes<u32>(in.r[1]), *b = w.lanes<u32>(in.r[2]);
  u32* d = w.lanes<u32>(in.r[0]);
  Mask& carry = w.predicate(in.r[3]);
  for_each_lane(m, [&](int i) {
    const u64 c = kIn ? carry >> i & 1 : 0;  // of a subtraction: the borrow
    const u64 sum = kSubtract ? u64{a[i]} - b[i] - c : u64{a[i]} + b[i] + c;
    if (kOut) carry = (carry & ~(1u << i)) | static_cast<u32>(sum >> 32 & 1) << i;
    d[i] = static_cast<u32>(sum);
  });
}
template <bool kIn, bool kOut, bool kHigh, class T>
void carry_multiply(Warp& w, const Instruction& in, Mask m) {
  const Lane<T>*a = w.lanes<T>(in.r[1]), *b = w.lanes<T>(in.r[2]);
  const u32* c = w.lanes<u32>(in.r[3]);
  u32* d = w.lanes<u32>(in.r[0]);
  Mask& carry = w.predicate(in.r[4]);
  for_each_lane(m, [&](int i) {
    const u64 product = static_cast<u64>(Wide<T>(a[i]) * Wide<T>(b[i]));
    const u64 sum =
        (kHigh ? product >> 32 : product & 0xFFFFFFFFu) + c[i] + (kIn ? carry >> i & 1 : 0);
    if (kOut) carry = (carry & ~(1u << i)) | static_cast<u32>(sum >> 32 & 1) << i;
    d[i] = static_cast<u32>(sum);
  });
}

template <class T>
void put_wide(Table& t, Named<T> type) {
  using W = Wide<T>;
  t.put(std::string("mul.wide") + type.name, Map<MultiplyWide, W, T, T>::run,
        Signature<W, T, T>::text, Class::kInt32);
  t.put(std::string("mad.wide") + type.name, Map<MultiplyAddWide, W, T, T, W>::run,
        Signature<W, T, T, W>::text, Class::kInt32);
}
template <class Op, class T>
void put_shift(Table& t, const std::string& name, Named<T> type) {
  t.put(name + type.name, Map<Op, T, T, u32>::run, Signature<T, T, u32>::text, class_of<T>());
}
template <class Op, class... T>
void shifts(Table& t, const std::string& name, Named<T>... types) {
  (put_shift<Op>(t, name, types), ...);
}
template <class Op, class T>
void put_count(Table& t, const std::string& name, Named<T> type) {
  t.put(name + type.name, Map<Op, u32, T>::run, Signature<u32, T>::text, class_of<T>());
}
template <class T>
void put_fields(Table& t, Named<T> type) {
  t.put(std::string("bfe") + type.name, Map<ExtractField, T, T, u32, u32>::run,
        Signature<T, T, u32, u32>::text, class_of<T>());
}
template <class A, class B>
void put_dot(Table& t, Named<A> a, Named<B> b) {
  const std::string types = std::string(a.name) + b.name;
  const char* signature = Signature<u32, u32, u32, u32>::text;
  t.put("dp4a" + types, Map<DotProduct<A, B, 4, 0>, u32, u32, u32, u32>::run, signature,
        Class::kInt32);
  t.put("dp2a.lo" + types, Map<DotProduct<A, B, 2, 0>, u32, u32, u32, u32>::run, signature,
        Class::kInt32);
  t.put("dp2a.hi" + types, Map<DotProduct<A, B, 2, 2>, u32, u32, u32, u32>::run, signature,
        Class::kInt32);
}

void put_sums(Table& t) {
  binary<Add>(t, "add", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<Subtract>(t, "sub", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<AddSaturated>(t, "add.sat", kS32);
  binary<SubtractSaturated>(t, "sub.sat", kS32);
  binary<Multiply>(t, "mul.lo", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<MultiplyHigh>(t, "mul.hi", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<Multiply24>(t, "mul24.lo", kS32, kU32);
  ternary<MultiplyAdd>(t, "mad.lo", kS16, kU16, kS32, kU32, kS64, kU64);
  ternary<MultiplyAddHigh>(t, "mad.hi", kS16, kU16, kS32, kU32, kS64, kU64);
  ternary<MultiplyAdd24>(t, "mad24.lo", kS32, kU32);
  ternary<SumOfDifference>(t, "sad", kS16, kU16, kS32, kU32, kS64, kU64);
  put_wide(t, kS16), put_wide(t, kU16), put_wide(t, kS32), put_wide(t, kU32);
  binary<Divide>(t, "div", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<Remainder>(t, "rem", kS16, kU16, kS32, kU32, kS64, kU64);
  unary<Absolute>(t, "abs", kS16, kS32, kS64);
  unary<Negate>(t, "neg", kS16, kS32, kS64);
  binary<Minimum>(t, "min", kS16, kU16, kS32, kU32, kS64, kU64);
  binary<Maximum>(t, "max", kS16, kU16, kS32, kU32, kS64, kU64);
}

void put_logic(Table& t) {
  binary<And>(t, "and", kB16, kB32, kB64);
  binary<Or>(t, "or", kB16, kB32, kB64);
  binary<Xor>(t, "xor", kB16, kB32, kB64);
  unary<Not>(t, "not", kB16, kB32, kB64);
  unary<LogicalNot>(t, "cnot", kB16, kB32, kB64);
  unary<Copy>(t, "mov", kB16, kU16, kS16, kF16, kB32, kU32, kS32, kF32, kB64, kU64, kS64, kF64);
}

void put_bits(Table& t) {
  shifts<ShiftLeft>(t, "shl", kB16, kB32, kB64);
  shifts<ShiftRight>(t, "shr", kB16, kU16, kS16, kB32, kU32, kS32, kB64, kU64, kS64);
  put_count<PopulationCount>(t, "popc", kB32), put_count<PopulationCount>(t, "popc", kB64);
  put_count<LeadingZeros>(t, "clz", kB32), put_count<LeadingZeros>(t, "clz", kB64);
  put_count<FindHighest<false>>(t, "bfind", kU32), put_count<FindHighest<false>>(t, "bfind", kS32);
  put_count<FindHighest<false>>(t, "bfind", kU64), put_count<FindHighest<false>>(t, "bfind", kS64);
  put_count<FindHighest<true>>(t, "bfind.shiftamt", kU32),
      put_count<FindHighest<true>>(t, "bfind.shiftamt", kS32);
  put_count<FindHighest<true>>(t, "bfind.shiftamt", kU64),
      put_count<FindHighest<true>>(t, "bfind.shiftamt", kS64);
  unary<Reverse>(t, "brev", kB32, kB64);
  put_fields(t, kU32), put_fields(t, kS32), put_fields(t, kU64), put_fields(t, kS64);
  t.put("bfi.b32", Map<InsertField, u32, u32, u32, u32, u32>::run, "dwwww", Class::kInt32);
  t.put("bfi.b64", Map<InsertField, u64, u64, u64, u32, u32>::run, "DLLww", Class::kInt64);
  binary<MaskOfBits<true>>(t, "bmsk.clamp", kB32);
  binary<MaskOfBits<false>>(t, "bmsk.wrap", kB32);
  ternary<Funnel<true, false>>(t, "shf.l.wrap", kB32);
  ternary<Funnel<true, true>>(t, "shf.l.clamp", kB32);
  ternary<Funnel<false, false>>(t, "shf.r.wrap", kB32);
  ternary<Funnel<false, true>>(t, "shf.r.clamp", kB32);
  ternary<Permute>(t, "prmt", kB32);
  t.put("lop3.b32", Map<LogicOfThree, u32, u32, u32, u32, u32>::run, "dwwww", Class::kInt32);
  put_dot(t, kS32, kS32), put_dot(t, kS32, kU32), put_dot(t, kU32, kS32), put_dot(t, kU32, kU32);
}

void put_carries(Table& t) {
  for (const char* type : {".u32", ".s32"}) {
    const auto put = [&](const char* name, Execute run) {
      t.put(std::string(name) + type, run, "dwwC", Class::kInt32);
    };
    put("add.cc", carry_add<false, true, false>), put("addc.cc", carry_add<true, true, false>),
        put("addc", carry_add<true, false, false>);
    put("sub.cc", carry_add<false, true, true>), put("subc.cc", carry_add<true, true, true>),
        put("subc", carry_add<true, false, true>);
  }
  const auto put_mad = [&]<class T>(Named<T> type) {
    const auto put = [&](const char* name, Execute run) {
      t.put(std::string(name) + type.name, run, "dwwwC", Class::kInt32);
    };
    put("mad.lo.cc", carry_multiply<false, true, false, T>),
        put("mad.hi.cc", carry_multiply<false, true, true, T>);
    put("madc.lo.cc", carry_multiply<true, true, false, T>),
        put("madc.hi.cc", carry_multiply<true, true, true, T>);
    put("madc.lo", carry_multiply<true, false, false, T>),
        put("madc.hi", carry_multiply<true, false, true, T>);
  };
  put_mad(kU32), put_mad(kS32);
}

}  // namespace

void put_integers(Table& t) {
  put_sums(t);
  put_logic(t);
  put_bits(t);
  put_carries(t);
}

}  // namespace emulator::core
