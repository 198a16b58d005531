// The hash of blocks: what there is room for is found, and a table that is too small says so
// without being searched from end to end for each key.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/fields/blocks.h"

namespace firn {
namespace {

// Counts what is looked at.
struct CountingDevice {
  std::int64_t* looks;
  std::uint64_t load(const std::uint64_t& at) const {
    ++*looks;
    return at;
  }
  std::uint64_t compare_exchange(std::uint64_t& at, std::uint64_t expected,
                                 std::uint64_t desired) const {
    const std::uint64_t found = at;
    if (found == expected) at = desired;
    return found;
  }
};

struct Table {
  explicit Table(std::size_t places) : keys(places, kEmptyKey) {
    hash.keys = keys.data();
    hash.mask = static_cast<std::uint32_t>(places - 1);
  }
  // Of a cloud: every third block along each axis, from a negative corner.
  std::int64_t enter(int side) {
    std::int64_t refused = 0;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j)
        for (int k = 0; k < side; ++k)
          refused += hash.insert(CountingDevice{&looks},
                                 block_key<3>({{3 * i - 40, 3 * j - 40, 3 * k - 40}})) == kNoBlock;
    return refused;
  }
  std::vector<std::uint64_t> keys;
  BlockHash hash;
  std::int64_t looks = 0;
};

TEST(BlockHash, HalfFullItTakesAllInAFewLooks) {
  for (const int side : {3, 10, 31, 50}) {
    const auto n = static_cast<std::int64_t>(side) * side * side;
    Table table(std::bit_ceil(static_cast<std::size_t>(2 * n)));
    EXPECT_EQ(table.enter(side), 0);
    EXPECT_LT(table.looks, 3 * n);
  }
}

TEST(BlockHash, OneThatIsTooSmallSaysSoSoon) {
  constexpr int kSide = 50;
  constexpr std::int64_t n = kSide * kSide * kSide;
  Table table(1 << 14);
  EXPECT_GT(table.enter(kSide), n - (1 << 14) - 1);
  EXPECT_LE(table.looks, n * BlockHash::kMostProbes);
  Table tiny(8);
  EXPECT_EQ(tiny.enter(2), 0);
  EXPECT_EQ(tiny.enter(3), 27 - 8);
}

template <int D>
void expect_keys_tell() {
  using Traits = BlockTraits<D>;
  const int last = static_cast<int>(Traits::kBias) - 1;
  for (const int at : {-last - 1, -last, -17, -1, 0, 1, 5, 4321, last - 1, last})
    for (int field = 0; field < kMostFields; ++field) {
      Vec<int, D> block;
      for (int a = 0; a < D; ++a) block[a] = a == 1 ? at : (at ^ 0x155);
      const std::uint64_t key = block_key<D>(block, field);
      ASSERT_NE(key, kEmptyKey);
      EXPECT_EQ(field_of_key(key), field);
      for (int a = 0; a < D; ++a) EXPECT_EQ(block_of_key<D>(key)[a], block[a]);
      EXPECT_EQ(key_beside<D>(key, block), key);
      EXPECT_EQ(field_of_key(key_beside<D>(key, {})), field);
    }
}
TEST(BlockKeys, TellBlockAndField) {
  expect_keys_tell<2>();
  expect_keys_tell<3>();
}

}  // namespace
}  // namespace firn
