// Sorting, bucketing and sums before each number against the standard library's. On CUDA there are
// ways of their own for few numbers and for many; sizes stand on both sides of where they change.
#include "kernels/exec/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/exec/buffer.h"
#include "tests/support/device.h"

namespace firn::test {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kSizes[] = {1, 31, 33, 1000, 4096, 4097, 16384, 16385, 40000};
constexpr std::uint32_t kUntouched = 0xabcdef01u;

template <class Exec, class T>
Buffer<Exec, T> on_device(Exec& exec, const std::vector<T>& values) {
  return Buffer<Exec, T>(exec, std::span<const T>(values));
}

// Of `size` places the first `count` hold keys, some of them twice.
template <class Exec>
void expect_sorted(Exec& exec, std::uint32_t size, std::uint32_t count) {
  SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(size));
  std::mt19937_64 random(size);
  std::vector<std::uint64_t> keys(size, ~std::uint64_t{0});
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = i % 7 == 6 ? keys[i / 2] : random() >> 1;
  auto on = on_device(exec, keys);
  const auto n = on_device(exec, Words{count});
  sort_keys(exec, on.data(), {n.data(), size}, nullptr);
  std::sort(keys.begin(), keys.end());
  ASSERT_EQ(on.download(), keys);
}

template <class Exec>
void expect_bucketed(Exec& exec, std::uint32_t size, std::uint32_t bins, bool stopped,
                     bool with_spare) {
  SCOPED_TRACE(std::to_string(size) + " items, " + std::to_string(bins) + " bins");
  std::mt19937 random(size + bins);
  Words bin_of(size), expected_order, expected_begin(bins + 1);
  for (std::uint32_t& bin : bin_of)
    bin = random() % 5 == 0 ? kNoBin : static_cast<std::uint32_t>(random()) % bins;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    expected_begin[bin] = static_cast<std::uint32_t>(expected_order.size());
    for (std::uint32_t i = 0; i < size; ++i)
      if (bin_of[i] == bin) expected_order.push_back(i);
  }
  expected_begin[bins] = static_cast<std::uint32_t>(expected_order.size());

  auto on = on_device(exec, bin_of), order = on_device(exec, Words(size, kUntouched)),
       begin = on_device(exec, Words(bins + 1, kUntouched));
  Buffer<Exec, std::uint32_t> spare(exec, with_spare ? 2 * std::size_t{size} : 0);
  const auto stop = on_device(exec, Words{stopped ? 1u : 0u});
  bucket_permutation(exec, on.data(), {nullptr, size}, {nullptr, bins}, stop.data(),
                     with_spare ? spare.data() : nullptr, order.data(), begin.data());
  if (stopped) {
    ASSERT_EQ(begin.download(), Words(bins + 1, kUntouched));
    return;
  }
  ASSERT_EQ(begin.download(), expected_begin);
  Words found = order.download();
  found.resize(expected_order.size());
  ASSERT_EQ(found, expected_order);
  if (!with_spare) {
    ASSERT_EQ(on.download(), bin_of);
  }
}

template <class Exec>
void expect_summed(Exec& exec, std::uint32_t size, std::uint32_t count) {
  SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(size));
  std::mt19937 random(size);
  Words in(size, 0), expected(size + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i) in[i] = static_cast<std::uint32_t>(random()) % 100;
  std::partial_sum(in.begin(), in.end(), expected.begin() + 1);
  const auto on = on_device(exec, in);
  auto out = on_device(exec, Words(size + 1, kUntouched));
  const auto n = on_device(exec, Words{count});
  exclusive_scan(exec, on.data(), {n.data(), size}, nullptr, out.data());
  Words found = out.download();
  found.resize(count + 1);
  expected.resize(count + 1);
  ASSERT_EQ(found, expected);
}

template <class Exec>
void expect_all(Exec& exec) {
  for (const std::uint32_t size : kSizes) {
    for (const std::uint32_t count : {size, size / 2, std::uint32_t{0}}) {
      expect_sorted(exec, size, count);
      expect_summed(exec, size, count);
    }
    for (const std::uint32_t bins : {1u, 27u, 5000u})
      for (const bool with_spare : {false, true})
        expect_bucketed(exec, size, bins, false, with_spare);
    expect_bucketed(exec, size, 27, true, false);
  }
}

TEST(Algorithms, AreThoseOfTheStandardLibrary) {
  Cpu exec(2);
  expect_all(exec);
}

#if defined(FIRN_WITH_CUDA)
TEST(GpuAlgorithms, AreThoseOfTheStandardLibrary) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  expect_all(exec);
}
#endif

}  // namespace
}  // namespace firn::test
