// What instructions compute: integers, floating point and its functions, conversions, atomics, and
// PTX that nvcc does not write.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core_harness.h"

namespace emulator::test {
namespace {

bool close(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

void tables() {
  std::vector<int> op(32);
  for (int i = 0; i < 32; ++i) op[i] = i % 11;
  Array<int> o(op), v(32);
  run("table", 1, 32, o.data(), v.data());
  for (int i = 0; i < 32; ++i) {
    unsigned reversed = 0;
    for (int b = 0; b < 32; ++b) reversed |= (static_cast<unsigned>(i) >> b & 1) << (31 - b);
    const int expected[] = {i * 3 + 1,
                            i ^ 0x55,
                            -i,
                            i * i,
                            i << 3,
                            i / 7,
                            i % 5,
                            static_cast<int>(reversed),
                            std::popcount(static_cast<unsigned>(i)),
                            1009,
                            1010};
    EXPECT(v[i] == expected[op[i]]);
  }
}

void functions() {
  const int n = 256;
  Array<double> x(random_values<double>(n, -20, 20)), out(8 * n);
  run("doubles", 2, 128, x.data(), out.data());
  for (int i = 0; i < n; ++i) {
    const double v = x[i];
    const double expected[] = {std::sin(v),
                               std::exp(v),
                               std::pow(std::fabs(v), 1.7),
                               std::cbrt(v),
                               std::cos(v * 1e6),
                               std::log(std::fabs(v) + 1e-3),
                               std::atan2(v, 0.7),
                               1 / std::sqrt(std::fabs(v) + 0.5)};
    for (int k = 0; k < 8; ++k) EXPECT(close(out[k * n + i], expected[k], 1e-14));
  }
  Array<float> y(random_values<float>(n, -20, 20)), f(8 * n);
  run("singles", 2, 128, y.data(), f.data());
  for (int i = 0; i < n; ++i) {
    const float v = y[i];
    const double expected[] = {std::sin(v), std::exp(v), std::pow(std::fabs(v), 1.7f),
                               std::cbrt(v)};
    for (int k = 0; k < 4; ++k) EXPECT(close(f[k * n + i], expected[k], 1e-6));
    EXPECT(f[4 * n + i] == (v < 0 ? std::nextafter(v, 0.0f) : v));
    EXPECT(double(f[5 * n + i]) >= double(v) * double(0.1f) &&
           double(std::nextafter(f[5 * n + i], -100.0f)) < double(v) * double(0.1f));
    EXPECT(f[6 * n + i] == v / 3.0f);
    const int whole = static_cast<int>(v * 16777216.0f) * 3 + 1;
    EXPECT(double(f[7 * n + i]) <= whole && double(std::nextafter(f[7 * n + i], 1e30f)) > whole);
  }
}

void atomic_operations() {
  Array<unsigned> u(std::vector<unsigned>(8, 0));
  Array<unsigned long long> l(std::vector<unsigned long long>(1, 0));
  Array<float> f(std::vector<float>(8, 0));
  Array<double> d(std::vector<double>(1, 0));
  Array<int> s(std::vector<int>(2, 0));
  run("atomics", 1, 64, u.data(), l.data(), f.data(), d.data(), s.data());
  EXPECT(f[0] == 11 && f[1] == 10.5f && f[2] == 10.5f && d[0] == 16 && s[0] == -63 && s[1] == 53);
  EXPECT(u[0] == 64 % 11 && u[1] == (10 - 63 % 11 + 11) % 11 && u[2] == 0 && u[3] == 7 &&
         u[5] == 64);
  EXPECT(l[0] == (1ull << 40 | 63) && f[4] == 64 && f[5] == 128 && f[6] == 192 && f[7] == 256);
}

void integers() {
  std::mt19937_64 g(3);
  std::vector<long long> x(32), y(32);
  for (int i = 0; i < 32; ++i)
    x[i] = static_cast<long long>(g()) >> i, y[i] = static_cast<long long>(g()) >> (63 - i) | 1;
  Array<long long> a(x), b(y), out(8 * 32);
  run("integers", 1, 32, a.data(), b.data(), out.data());
  for (int i = 0; i < 32; ++i) {
    const auto ua = static_cast<unsigned>(x[i]), ub = static_cast<unsigned>(y[i]);
    EXPECT(out[i] == x[i] / y[i] && out[32 + i] == x[i] % y[i]);
    EXPECT(out[64 + i] == static_cast<long long>(static_cast<__int128>(x[i]) * y[i] >> 64));
    EXPECT(out[96 + i] == std::countl_zero(static_cast<unsigned long long>(x[i])) * 100 +
                              std::popcount(static_cast<unsigned long long>(y[i])));
    EXPECT(out[128 + i] == static_cast<long long>(static_cast<unsigned long long>(ua) * ub >> 32));
    const unsigned long long both = static_cast<unsigned long long>(ub) << 32 | ua;
    unsigned permuted = 0, selector = 0x2716;
    int dot = 3;
    for (int k = 0; k < 4; ++k) {
      permuted |= static_cast<unsigned>(both >> 8 * (selector >> 4 * k & 7) & 0xFF) << 8 * k;
      dot += static_cast<signed char>(ua >> 8 * k) * static_cast<signed char>(ub >> 8 * k);
    }
    EXPECT(static_cast<unsigned>(out[160 + i]) == permuted + static_cast<unsigned>(dot));
    EXPECT(out[192 + i] == static_cast<long long>(ub << 13 | ua >> 19));
    EXPECT(out[224 + i] == static_cast<short>(x[i]) * static_cast<signed char>(y[i]));
  }
}

void conversions() {
  std::vector<double> x{0.5, 1.5,  2.5,          -0.5,   -2.5,     1e20, -1e20,    NAN,
                        3e9, -3e9, 4294967295.9, 1e-320, INFINITY, 0.1,  16777217, -1.5};
  Array<double> in(x);
  Array<int> i32(16);
  Array<long long> i64(16);
  Array<unsigned> u32(16);
  Array<float> f32(16);
  run("convert", 1, 16, in.data(), i32.data(), i64.data(), u32.data(), f32.data());
  EXPECT(i32[0] == 0 && i32[1] == 2 && i32[2] == 2 && i32[3] == 0 && i32[4] == -2 &&
         i32[5] == INT32_MAX && i32[6] == INT32_MIN && i32[7] == 0);
  EXPECT(i64[8] == 3000000000 && i64[5] == INT64_MAX && i64[6] == INT64_MIN &&
         i64[7] == INT64_MIN && i64[15] == -1);
  EXPECT(u32[8] == 3000000000u && u32[9] == 0 && u32[10] == 4294967295u && u32[12] == ~0u);
  EXPECT(f32[13] == 0.1f && f32[14] == 16777216.0f && std::isinf(f32[12]) && std::isnan(f32[7]));
}

void roundings() {
  const std::vector<int> x{INT32_MAX, INT32_MIN, INT32_MIN + 1, 16777217, -16777217, 5};
  const std::vector<double> d{0.1, -0.1, 16777217, 1e300, -1e300, 1e-320};
  Array<int> in(x);
  Array<double> wide(d);
  Array<float> down(6), up(6), zero(6);
  run("round_large", 1, 6, in.data(), down.data(), up.data(), wide.data(), zero.data());
  for (int i = 0; i < 6; ++i)
    EXPECT(double(down[i]) <= x[i] && double(up[i]) >= x[i] &&
           up[i] <= std::nextafter(down[i], 1e30f));
  EXPECT(down[0] == 2147483520.0f && up[0] == 2147483648.0f && up[2] == -2147483520.0f);
  EXPECT(double(zero[0]) <= 0.1 && double(zero[1]) >= -0.1 && zero[2] == 16777216.0f &&
         zero[3] == FLT_MAX && zero[4] == -FLT_MAX && zero[5] == 0);
}

void contraction() {
  Array<float> x(random_values<float>(32, 0.9, 1.1)), out(96);
  run("contraction", 1, 32, x.data(), out.data());
  for (int i = 0; i < 32; ++i) {
    volatile float square = x[i] * x[i];
    EXPECT(out[3 * i] == std::fma(x[i], x[i], -1.0f) && out[3 * i + 1] == square - 1.0f &&
           out[3 * i + 2] == square - 1.0f);
  }
}

// What nvcc does not make of plain C++.
constexpr const char* kText = R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry jumps(.param .u64 jumps_out)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [jumps_out];
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
places: .branchtargets A, B, C;
  brx.idx %r2, places;
A: mov.u32 %r3, 10;
  bra.uni D;
B: mov.u32 %r3, 20;
  bra.uni D;
C: mov.u32 %r3, 30;
D: add.cc.u32 %r4, %r3, 0xFFFFFFF0;  // carries from 16 on
  addc.u32 %r4, %r3, 0;
  st.global.u32 [%rd3], %r4;
  ret;
}
)";
void handwritten() {
  Module* const outer = std::exchange(kernels, load(kText));
  Array<unsigned> out(32);
  run("jumps", 1, 32, out.data());
  for (unsigned i = 0; i < 32; ++i) EXPECT(out[i] == (i % 3 == 0 ? 10 : i % 3 == 1 ? 21 : 31));
  kernels = outer;
}
// Registers that are wider than the types of a conversion.
void wide_conversions() {
  const char* text = R"(.version 9.0
.target sm_90
.address_size 64
.entry widen(.param .u64 out)
{
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .f32 %f<3>;
ld.param.u64 %rd1, [out];
mov.u64 %rd2, 0x123456789ABCDEF0;
cvt.u32.u16 %r1, %rd2;
cvt.s32.s8 %r2, %rd2;
cvt.rn.f32.u16 %f1, %rd2;
cvt.s16.s8 %rd3, %r2;
cvt.u16.u8 %rd4, %rd2;
st.global.u32 [%rd1], %r1;
st.global.u32 [%rd1+4], %r2;
st.global.f32 [%rd1+8], %f1;
st.global.u64 [%rd1+16], %rd3;
st.global.u64 [%rd1+24], %rd4;
ret;
}
)";
  Module* const outer = std::exchange(kernels, load(text));
  Array<std::uint64_t> out(4);
  run("widen", 1, 1, out.data());
  EXPECT(out[0] == 0xFFFFFFF00000DEF0u);
  EXPECT(static_cast<std::uint32_t>(out[1]) == std::bit_cast<std::uint32_t>(57072.0f));
  EXPECT(out[2] == 0xFFFFFFFFFFFFFFF0u && out[3] == 0xF0);
  kernels = outer;
}
void refusals() {
  const auto decode = [](std::string statement) {
    const std::string head =
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry e()\n{\n.reg .b32 %r<9>;\n";
    decode_all(load(head + statement + "\nret;\n}\n"));
  };
  expect_fault("PTX line 7: unknown instruction 'frobnicate.u32'",
               [&] { decode("frobnicate.u32 %r1, %r2;"); });
  expect_fault("PTX line 8: unknown label 'nowhere'",
               [&] { decode("mov.u32 %r1, 3;\nbra nowhere;"); });
  expect_fault("PTX line 7: a register has another width",
               [&] { decode("add.s64 %r1, %r2, %r3;"); });
  expect_fault("no body here", [&] { decode("call.uni other, ();"); });
}

}  // namespace

std::vector<CoreTest> instruction_tests() {
  return {{"tables", tables},
          {"functions", functions},
          {"atomic_operations", atomic_operations},
          {"integers", integers},
          {"conversions", conversions},
          {"contraction", contraction},
          {"roundings", roundings},
          {"handwritten", handwritten},
          {"refusals", refusals},
          {"wide_conversions", wide_conversions}};
}

}  // namespace emulator::test
