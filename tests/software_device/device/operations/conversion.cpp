// Conversions among integers and floating point numbers of all sizes.
#include <algorithm>

#include "functors.h"
#include "half.h"

namespace emulator::core {

namespace {

struct Nearest {
  template <class T>
  static T apply(T a) {
    return sizeof(T) == 4 ? T(__builtin_rintf(float(a))) : T(__builtin_rint(double(a)));
  }
};
struct Truncated {
  template <class T>
  static T apply(T a) {
    return sizeof(T) == 4 ? T(__builtin_truncf(float(a))) : T(__builtin_trunc(double(a)));
  }
};
struct Floor {
  template <class T>
  static T apply(T a) {
    return sizeof(T) == 4 ? T(__builtin_floorf(float(a))) : T(__builtin_floor(double(a)));
  }
};
struct Ceiling {
  template <class T>
  static T apply(T a) {
    return sizeof(T) == 4 ? T(__builtin_ceilf(float(a))) : T(__builtin_ceil(double(a)));
  }
};

template <class D>
struct Convert {
  template <class A>
  static D apply(A a) {
    return static_cast<D>(a);
  }
};
template <class D>
struct ConvertSaturated {  // among integers
  template <class A>
  static D apply(A a) {
    return static_cast<D>(std::clamp<s128>(a, kLeast<D>, kMost<D>));
  }
};
// Floating point to integer: rounded as said, clamped to the range; NaN gives 0, or the least value
// of 64 bits.
template <class D, class Round>
struct ConvertToInteger {
  template <class A>
  static D apply(A a) {
    const A v = Round::apply(a);
    constexpr A kUpper = static_cast<A>(static_cast<long double>(kMost<D>) + 1);  // a power of two
    constexpr A kLower = static_cast<A>(kLeast<D>);
    const bool inside = v >= kLower && v < kUpper;
    const D cast = static_cast<D>(inside ? v : A(0));
    const D nan = sizeof(D) == 8 ? static_cast<D>(u64{1} << 63) : D(0);
    return inside ? cast : v != v ? nan : v < A(0) ? kLeast<D> : kMost<D>;
  }
};
struct HalfToFloat {
  static float apply(u16 a) { return from_half(a); }
};
struct HalfToDouble {
  static double apply(u16 a) { return from_half(a); }
};
struct FloatToHalf {
  static u16 apply(float a) { return to_half(a); }
};
struct BrainToFloat {
  static float apply(u16 a) { return std::bit_cast<float>(u32{a} << 16); }
};
struct FloatToBrain {
  static u16 apply(float a) {
    const u32 bits = std::bit_cast<u32>(a);
    return a != a ? 0x7FFF : static_cast<u16>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
};

// D from A under a suffix (rounding, .sat).
template <class Op, class D, class A>
void put_convert(Table& t, const std::string& suffix, const char* d, const char* a,
                 Class cls = Class::kConversion) {
  t.put("cvt" + suffix + d + a, Map<Op, D, A>::run, Signature<D, A>::text, cls);
}
template <class D, class... A>
void integers_from(Table& t, Named<D> d, Named<A>... sources) {
  (put_convert<Convert<D>, D, A>(t, "", d.name, sources.name, Class::kInt32), ...);
  (put_convert<ConvertSaturated<D>, D, A>(t, ".sat", d.name, sources.name, Class::kInt32), ...);
}
template <class F, class... A>
void float_from_integers(Table& t, Named<F> f, Named<A>... sources) {
  (put_convert<Convert<F>, F, A>(t, ".rn", f.name, sources.name), ...);
  (put_convert<Rounded<Convert<F>, FE_TOWARDZERO>, F, A>(t, ".rz", f.name, sources.name), ...);
  (put_convert<Rounded<Convert<F>, FE_DOWNWARD>, F, A>(t, ".rm", f.name, sources.name), ...);
  (put_convert<Rounded<Convert<F>, FE_UPWARD>, F, A>(t, ".rp", f.name, sources.name), ...);
}
template <class F, class D>
void put_to_integer(Table& t, Named<F> f, Named<D> d) {
  const auto all = [&]<class Round>(Round, const std::string& suffix) {
    for (const char* sat : {"", ".sat"}) {
      put_convert<ConvertToInteger<D, Round>, D, F>(t, suffix + sat, d.name, f.name);
      put_convert<Flush<ConvertToInteger<D, Round>>, D, F>(t, suffix + ".ftz" + sat, d.name,
                                                           f.name);
    }
  };
  all(Nearest{}, ".rni"), all(Truncated{}, ".rzi"), all(Floor{}, ".rmi"), all(Ceiling{}, ".rpi");
}
template <class F, class... D>
void integers_from_float(Table& t, Named<F> f, Named<D>... targets) {
  (put_to_integer(t, f, targets), ...);
}
template <class F>
void put_to_integral(Table& t, Named<F> f) {
  const auto all = [&]<class Round>(Round, const std::string& suffix) {
    put_convert<Round, F, F>(t, suffix, f.name, f.name);
    put_convert<Flush<Round>, F, F>(t, suffix + ".ftz", f.name, f.name);
    put_convert<Saturate<Round>, F, F>(t, suffix + ".sat", f.name, f.name);
  };
  all(Nearest{}, ".rni"), all(Truncated{}, ".rzi"), all(Floor{}, ".rmi"), all(Ceiling{}, ".rpi");
  put_convert<Saturate<Copy>, F, F>(t, ".sat", f.name, f.name);
  put_convert<Flush<Copy>, F, F>(t, ".ftz", f.name, f.name);
  put_convert<Flush<Saturate<Copy>>, F, F>(t, ".ftz.sat", f.name, f.name);
  put_convert<Copy, F, F>(t, "", f.name, f.name);
}

}  // namespace

void put_conversions(Table& t) {
  constexpr Named<s8> kS8{".s8"};
  constexpr Named<u8> kU8{".u8"};
  const auto from_all = [&](auto d) {
    integers_from(t, d, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64);
  };
  from_all(kU8), from_all(kS8), from_all(kU16), from_all(kS16), from_all(kU32), from_all(kS32),
      from_all(kU64), from_all(kS64);
  float_from_integers(t, kF32, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64);
  float_from_integers(t, kF64, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64);
  integers_from_float(t, kF32, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64);
  integers_from_float(t, kF64, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64);
  put_to_integral(t, kF32), put_to_integral(t, kF64);
  put_convert<Convert<double>, double, float>(t, "", ".f64", ".f32");
  put_convert<Flush<Convert<double>>, double, float>(t, ".ftz", ".f64", ".f32");
  put_convert<Convert<float>, float, double>(t, ".rn", ".f32", ".f64");
  put_convert<Flush<Convert<float>>, float, double>(t, ".rn.ftz", ".f32", ".f64");
  put_convert<Rounded<Convert<float>, FE_TOWARDZERO>, float, double>(t, ".rz", ".f32", ".f64");
  put_convert<Rounded<Convert<float>, FE_DOWNWARD>, float, double>(t, ".rm", ".f32", ".f64");
  put_convert<Rounded<Convert<float>, FE_UPWARD>, float, double>(t, ".rp", ".f32", ".f64");
  put_convert<HalfToFloat, float, u16>(t, "", ".f32", ".f16");
  put_convert<HalfToDouble, double, u16>(t, "", ".f64", ".f16");
  put_convert<FloatToHalf, u16, float>(t, ".rn", ".f16", ".f32");
  put_convert<BrainToFloat, float, u16>(t, "", ".f32", ".bf16");
  put_convert<FloatToBrain, u16, float>(t, ".rn", ".bf16", ".f32");
}

}  // namespace emulator::core
