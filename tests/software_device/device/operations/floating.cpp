// Arithmetic of floating point numbers. Contraction must be off (-ffp-contract=off): PTX says where
// a product is fused into a sum.
#include "functors.h"
#include "half.h"

namespace emulator::core {

namespace {

struct FusedMultiplyAdd {
  template <class T>
  static T apply(T a, T b, T c) {
    if constexpr (sizeof(T) == 4)
      return __builtin_fmaf(a, b, c);
    else
      return __builtin_fma(a, b, c);
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T a) {
    if constexpr (sizeof(T) == 4)
      return __builtin_sqrtf(a);
    else
      return __builtin_sqrt(a);
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};
struct CopySign {
  template <class T>
  static T apply(T sign, T a) {
    return std::copysign(a, sign);
  }
};

// Approximations of the GPU are stood in for by the value in double precision, rounded once more.
template <double (*kFunction)(double)>
struct Approximate {
  static float apply(float a) { return static_cast<float>(kFunction(static_cast<double>(a))); }
};
inline double reciprocal_root(double a) { return 1.0 / std::sqrt(a); }
inline double sine(double a) { return std::sin(a); }
inline double cosine(double a) { return std::cos(a); }
inline double exponential(double a) { return std::exp2(a); }
inline double logarithm(double a) { return std::log2(a); }
inline double tangent(double a) { return std::tanh(a); }

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper 32 bits only.
template <class Op>
struct UpperHalf {
  static double apply(double a) {
    const double seen = flush(std::bit_cast<double>(std::bit_cast<u64>(a) >> 32 << 32));
    const double v = flush(Op::apply(seen));
    if (v != v) return v;
    return std::bit_cast<double>((std::bit_cast<u64>(v) + 0x80000000u) >> 32 << 32);
  }
};
struct ReciprocalRoot {
  template <class T>
  static T apply(T a) {
    return T(1) / SquareRoot::apply(a);
  }
};

template <class Op>
struct InHalf {
  template <class... T>
  static u16 apply(T... a) {
    return to_half(static_cast<float>(Op::apply(static_cast<double>(from_half(a))...)));
  }
};

void test_class(Warp& w, const Instruction& in, Mask m, bool (*holds)(double), bool wide) {
  Mask p = 0;
  for_each_lane(m, [&](int i) {
    p |= Mask{holds(wide ? w.lanes<double>(in.r[1])[i]
                         : static_cast<double>(w.lanes<float>(in.r[1])[i]))}
         << i;
  });
  w.write_predicate(in.r[0], p, m);
}
template <bool (*kHolds)(double), bool kWide>
void test_property(Warp& w, const Instruction& in, Mask m) {
  test_class(w, in, m, kHolds, kWide);
}
inline bool finite(double a) { return std::isfinite(a); }
inline bool infinite(double a) { return std::isinf(a); }
inline bool number(double a) { return a == a; }
inline bool not_number(double a) { return a != a; }

// The variants that the suffixes .ftz and .sat make.
template <class Op, class... T>
void float_binary(Table& t, const std::string& name, Named<T>... types) {
  binary<Op>(t, name, types...);
  binary<Flush<Op>>(t, name + ".ftz", kF32);
  binary<Saturate<Op>>(t, name + ".sat", kF32);
  binary<Flush<Saturate<Op>>>(t, name + ".ftz.sat", kF32);
}
template <class Op, int kMode>
void rounded_binary(Table& t, const std::string& name) {
  binary<Rounded<Op, kMode>>(t, name, kF32, kF64);
  binary<Flush<Rounded<Op, kMode>>>(t, name + ".ftz", kF32);
}
template <class Op>
void roundings_binary(Table& t, const std::string& name) {
  float_binary<Op>(t, name, kF32, kF64);
  float_binary<Op>(t, name + ".rn", kF32, kF64);
  rounded_binary<Op, FE_TOWARDZERO>(t, name + ".rz");
  rounded_binary<Op, FE_DOWNWARD>(t, name + ".rm");
  rounded_binary<Op, FE_UPWARD>(t, name + ".rp");
}
template <class Op, int kMode>
void rounded_unary(Table& t, const std::string& name) {
  unary<Rounded<Op, kMode>>(t, name, kF32, kF64);
  unary<Flush<Rounded<Op, kMode>>>(t, name + ".ftz", kF32);
}
template <class Op>
void roundings_unary(Table& t, const std::string& name) {
  unary<Op>(t, name + ".rn", kF32, kF64);
  unary<Flush<Op>>(t, name + ".rn.ftz", kF32);
  rounded_unary<Op, FE_TOWARDZERO>(t, name + ".rz");
  rounded_unary<Op, FE_DOWNWARD>(t, name + ".rm");
  rounded_unary<Op, FE_UPWARD>(t, name + ".rp");
}
template <int kMode>
void rounded_fma(Table& t, const std::string& suffix) {
  ternary<Rounded<FusedMultiplyAdd, kMode>>(t, "fma" + suffix, kF32, kF64);
  ternary<Flush<Rounded<FusedMultiplyAdd, kMode>>>(t, "fma" + suffix + ".ftz", kF32);
}
template <class Op>
void approximation(Table& t, const std::string& name) {
  for (const char* ftz : {".approx", ".approx.ftz"})
    t.put(name + ftz + ".f32",
          *ftz == '.' && std::string(ftz) == ".approx" ? Map<Op, float, float>::run
                                                       : Map<Flush<Op>, float, float>::run,
          "dw", Class::kSpecial);
}

}  // namespace

void put_floats(Table& t) {
  roundings_binary<Add>(t, "add");
  roundings_binary<Subtract>(t, "sub");
  roundings_binary<Multiply>(t, "mul");
  roundings_binary<Divide>(t, "div");
  float_binary<Divide>(t, "div.full", kF32);
  float_binary<Divide>(t, "div.approx", kF32);
  float_binary<Minimum>(t, "min", kF32, kF64);
  float_binary<Maximum>(t, "max", kF32, kF64);
  binary<KeepNan<Minimum>>(t, "min.NaN", kF32), binary<KeepNan<Maximum>>(t, "max.NaN", kF32);
  binary<CopySign>(t, "copysign", kF32, kF64);
  unary<Absolute>(t, "abs", kF32, kF64), unary<Flush<Absolute>>(t, "abs.ftz", kF32);
  unary<Negate>(t, "neg", kF32, kF64), unary<Flush<Negate>>(t, "neg.ftz", kF32);
  for (const char* name : {"fma.rn", "mad.rn"}) {
    ternary<FusedMultiplyAdd>(t, name, kF32, kF64);
    ternary<Flush<FusedMultiplyAdd>>(t, std::string(name) + ".ftz", kF32);
    ternary<Saturate<FusedMultiplyAdd>>(t, std::string(name) + ".sat", kF32);
    ternary<Flush<Saturate<FusedMultiplyAdd>>>(t, std::string(name) + ".ftz.sat", kF32);
  }
  rounded_fma<FE_TOWARDZERO>(t, ".rz"), rounded_fma<FE_DOWNWARD>(t, ".rm"),
      rounded_fma<FE_UPWARD>(t, ".rp");
  roundings_unary<SquareRoot>(t, "sqrt");
  roundings_unary<Reciprocal>(t, "rcp");
  unary<UpperHalf<Reciprocal>>(t, "rcp.approx.ftz", kF64);
  unary<UpperHalf<ReciprocalRoot>>(t, "rsqrt.approx.ftz", kF64);
  unary<ReciprocalRoot>(t, "rsqrt.approx", kF64);
  approximation<Reciprocal>(t, "rcp");
  approximation<SquareRoot>(t, "sqrt");
  approximation<Approximate<reciprocal_root>>(t, "rsqrt");
  approximation<Approximate<sine>>(t, "sin");
  approximation<Approximate<cosine>>(t, "cos");
  approximation<Approximate<exponential>>(t, "ex2");
  approximation<Approximate<logarithm>>(t, "lg2");
  t.put("tanh.approx.f32", Map<Approximate<tangent>, float, float>::run, "dw", Class::kSpecial);
  const auto put_test = [&](const char* name, Execute narrow, Execute wide) {
    t.put(std::string("testp.") + name + ".f32", narrow, "pw", Class::kFp32);
    t.put(std::string("testp.") + name + ".f64", wide, "pL", Class::kFp64);
  };
  put_test("finite", test_property<finite, false>, test_property<finite, true>);
  put_test("infinite", test_property<infinite, false>, test_property<infinite, true>);
  put_test("number", test_property<number, false>, test_property<number, true>);
  put_test("notanumber", test_property<not_number, false>, test_property<not_number, true>);
  for (const char* rn : {"", ".rn"}) {
    binary<InHalf<Add>>(t, std::string("add") + rn, kF16);
    binary<InHalf<Subtract>>(t, std::string("sub") + rn, kF16);
    binary<InHalf<Multiply>>(t, std::string("mul") + rn, kF16);
  }
}

}  // namespace emulator::core
