// How kernels run: control flow that diverges, warps, blocks and their barriers, and the memories
// of threads, blocks and modules.
#include <cstddef>
#include <numeric>
#include <vector>

#include "core_harness.h"

namespace emulator::test {
namespace {

void adds() {
  const int n = 1000;
  Array<float> a(random_values<float>(n, -1, 1)), b(random_values<float>(n, -1, 1, 2)), c(n);
  run("add", 4, 256, a.data(), b.data(), c.data(), n);
  for (int i = 0; i < n; ++i) EXPECT(c[i] == a[i] + b[i]);
}

void sums() {
  Array<float> a(std::vector<float>(5000, 0.5f)), s(7);
  run("sum_blocks", 7, 128, a.data(), s.data(), 5000);
  EXPECT(std::accumulate(s.all().begin(), s.all().end(), 0.0f) == 2500.0f);
}

void divergence() {
  Array<unsigned> start(counting<unsigned>(256)), steps(256);
  run("collatz", 2, 128, start.data(), steps.data());
  for (unsigned i = 0; i < 256; ++i) {
    unsigned n = 0;
    for (unsigned long long v = i; v > 1; v = v & 1 ? 3 * v + 1 : v / 2) ++n;
    EXPECT(steps[i] == n);
  }
}

void partial_masks() {
  std::vector<unsigned> key(64);
  for (unsigned i = 0; i < 64; ++i) key[i] = i * 7 % 5;
  Array<unsigned> k(key), members(64), rank(64), total(64);
  run("groups", 1, 64, k.data(), members.data(), rank.data(), total.data());
  for (unsigned i = 0; i < 64; ++i) {
    unsigned m = 0, r = 0, t = 0;
    for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
      if (key[j] == key[i]) m |= 1u << j % 32, r += j < i, t += j % 32;
    EXPECT(members[i] == m && rank[i] == r && total[i] == t);
  }
  Array<unsigned> v(counting<unsigned>(32)), out(32);
  run("ballots", 1, 32, v.data(), out.data());
  EXPECT(out[1] == ((0xAAAAAAAAu & ~0x1FFu) | 1u << 31) && out[0] == 240);
}

void histograms() {
  const int n = 4096;
  std::vector<unsigned char> bytes(n);
  for (int i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * i >> 3);
  Array<unsigned char> v(bytes);
  Array<unsigned> bins(std::vector<unsigned>(256, 0));
  run("histogram", 3, 256, v.data(), bins.data(), n);
  std::vector<unsigned> expected(256, 0);
  for (unsigned char b : bytes) ++expected[b];
  EXPECT(bins.all() == expected);
}

void local_arrays() {
  std::vector<int> index(80);
  for (int i = 0; i < 80; ++i) index[i] = i * 5 + i / 3;
  Array<int> in(index), out(64);
  run("local_array", 1, 64, in.data(), out.data(), 16);
  for (int t = 0; t < 64; ++t) {
    int a[16];
    unsigned s = 0;
    for (int i = 0; i < 16; ++i) a[i] = i * i + t;
    for (int i = 0; i < 16; ++i) a[index[i + t] & 15] += i;
    for (int i = 0; i < 16; ++i) s = s * 31 + static_cast<unsigned>(a[i]);
    EXPECT(out[t] == static_cast<int>(s));
  }
}

struct Large {
  float scale[80];
  int pick;
  const float* in;
  float* out;
};
void parameters() {
  Array<float> in(counting<float>(128)), out(128);
  Large p{{}, 17, in.data(), out.data()};
  for (int i = 0; i < 80; ++i) p.scale[i] = 0.25f * static_cast<float>(i);
  run("by_value", 1, 128, p, 3);
  for (int i = 0; i < 128; ++i) EXPECT(out[i] == in[i] * p.scale[(i + 3) % 80] + p.scale[17]);
}

void variables() {
  Array<int> letters(8);
  run("variables", 1, 32, letters.data());
  std::size_t bytes = 0;
  EXPECT(*static_cast<int*>(variable(kernels, "counter", &bytes)) == 5 + 496 && bytes == 4);
  EXPECT(static_cast<float*>(variable(kernels, "seen", &bytes))[1] == 3.5f && bytes == 16);
  EXPECT(variable(kernels, "nothing", &bytes) == nullptr);
  EXPECT(letters[0] == 'h' && letters[4] == 'o');
}

void shared_memory() {
  Array<float> in(counting<float>(100)), out(100);
  run_with("reverse", {1, 1, 1}, {100, 1, 1}, 400, in.data(), out.data());
  for (int i = 0; i < 100; ++i) EXPECT(out[i] == static_cast<float>(99 - i));
  Array<int> order(8);
  run("relay", 1, 256, order.data());
  for (int i = 0; i < 8; ++i) EXPECT(order[i] == 7 - i);
  Array<int> chain(9);
  run("chain", 9, 32, chain.data());
  for (int i = 0; i < 9; ++i) EXPECT(chain[i] == i);
  Array<int> v(counting<int>(64)), votes(192);
  run("barrier_sum", 1, 64, v.data(), votes.data());
  EXPECT(votes[0] == 60 && votes[1] == 0 && votes[2] == 1 && votes[191] == 1);
  Array<int> half(32);
  run("halves", 1, 32, half.data());
  EXPECT(half[0] == 15 && half[15] == 0 && half[16] == 62 && half[31] == 32);
}

void clusters() {
  Array<unsigned> v(4 * 64), sums(std::vector<unsigned>(4 * 64, 0)), ranks(4);
  run("pass_round", 4, 64, v.data(), sums.data());
  for (unsigned i = 0; i < 4 * 64; ++i) EXPECT(sums[i] == 300 + 3 * ((i / 64 + 1) % 4));
  run("rank_in_cluster", 4, 1, ranks.data());
  for (unsigned i = 0; i < 4; ++i) EXPECT(ranks[i] == 40 + i);
}

}  // namespace

std::vector<CoreTest> execution_tests() {
  return {{"adds", adds},
          {"sums", sums},
          {"divergence", divergence},
          {"partial_masks", partial_masks},
          {"histograms", histograms},
          {"local_arrays", local_arrays},
          {"parameters", parameters},
          {"variables", variables},
          {"shared_memory", shared_memory},
          {"clusters", clusters}};
}

}  // namespace emulator::test
