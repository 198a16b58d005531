// Masks of cells and faces against what they stand for, cell by cell, within a block and across its
// sides; and the cell beside a cell, which is the one that coordinates say.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/exec/host.h"
#include "kernels/mac/face_masks.h"
#include "tests/support/pressure_cases.h"

namespace firn::test {
namespace {

// A block with all blocks around it, each with random cells of fluid.
template <int D>
struct Neighbourhood {
  static constexpr int kBlocks = Around<D>::kBlocks, kCells = BlockTraits<D>::kNodes;
  static constexpr std::uint32_t kSelf = Around<D>::kSelf;
  std::vector<std::uint32_t> around = std::vector<std::uint32_t>(kBlocks * kBlocks, kNoBlock);
  std::vector<std::uint32_t> fluid = std::vector<std::uint32_t>(2 * kBlocks);
  MacView<float> mac;

  explicit Neighbourhood(double share) {
    for (int block = 0; block < kBlocks; ++block) {
      for (int place = 0; place < kBlocks; ++place) link(block, place);
      for (int cell = 0; cell < kCells; ++cell)
        if (cell_noise<2>({{block, cell}}, 7) < share)
          fluid[2 * block + cell / 32] |= 1u << (cell % 32);
    }
    mac.around = around.data();
    mac.fluid = fluid.data();
  }
  void link(int block, int place) {
    int other = 0;
    for (int a = 0, stride = 1; a < D; ++a, stride *= 3) {
      const int at = block / stride % 3 + place / stride % 3 - 1;
      if (at < 0 || at > 2) return;
      other += at * stride;
    }
    around[block * kBlocks + place] = static_cast<std::uint32_t>(other);
  }
};

template <class T>
class FaceMasks : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(FaceMasks, Dimensions);

TYPED_TEST(FaceMasks, TheCellBesideIsWhereCoordinatesSay) {
  constexpr int D = TypeParam::value;
  const Neighbourhood<D> n(0);
  int gone = 0;
  for (std::uint32_t block = 0; block < Around<D>::kBlocks; ++block)
    for (std::uint32_t cell = 0; cell < BlockTraits<D>::kNodes; ++cell)
      for (int axis = 0; axis < D; ++axis)
        for (int by = -BlockTraits<D>::kSide; by <= BlockTraits<D>::kSide; ++by) {
          const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
          const CellAddress there = cell_address<D>(n.mac, block, stepped<D>(local, axis, by)),
                            beside = cell_beside<D>(n.mac, {block, cell}, axis, by);
          EXPECT_EQ(beside.block, there.block) << block << ' ' << cell << ' ' << axis << ' ' << by;
          EXPECT_EQ(beside.cell, there.cell) << block << ' ' << cell << ' ' << axis << ' ' << by;
          gone += there.exists() ? 0 : 1;
        }
  EXPECT_GT(gone, 0);
}

TYPED_TEST(FaceMasks, FacesOfFluidCellsAreThoseBesideOne) {
  constexpr int D = TypeParam::value;
  for (const double share : {0.0, 0.05, 0.5, 1.0}) {
    const Neighbourhood<D> n(share);
    for (std::uint32_t block = 0; block < Around<D>::kBlocks; ++block) {
      int scratch = 0;
      HostGroup<int> g(block, scratch);
      std::uint32_t words[2 * D];
      find_fluid_faces<D>(g, n.mac, block, words);
      for (std::uint32_t i = 0; i < D * 64; ++i) {
        const CellAddress upper{block, i % 64};
        const bool touches =
            is_fluid(n.mac, upper) ||
            is_fluid(n.mac, cell_beside<D>(n.mac, upper, static_cast<int>(i / 64), -1));
        EXPECT_EQ(test_bit(words, i), touches) << share << ' ' << block << ' ' << i;
      }
    }
  }
}

TYPED_TEST(FaceMasks, BitsAreVisitedInTheirOrderAndKeptWhereAsked) {
  int scratch = 0;
  HostGroup<int> g(0, scratch);
  const std::uint32_t words[3] = {0x80000001u, 0, 0x00010f00u};
  std::vector<std::uint32_t> seen, kept;
  for_each_bit(
      g, 3, [&](std::uint32_t w) { return words[w]; }, [&](std::uint32_t i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 31, 72, 73, 74, 75, 80}));
  select_bits(
      g, 3, [&](std::uint32_t w) { return words[w]; }, [](std::uint32_t i) { return i % 2 == 1; },
      [&](std::uint32_t w, std::uint32_t bits) {
        EXPECT_EQ(w, kept.size());
        kept.push_back(bits);
      });
  EXPECT_EQ(kept, (std::vector<std::uint32_t>{0x80000000u, 0, 0x00000a00u}));
}

}  // namespace
}  // namespace firn::test
