// Fields of a store of blocks: sizes, what is kept when it grows, and byte counts as estimated.
#include "src/state/block_fields.h"

#include <gtest/gtest.h>

#include "kernels/exec/host.h"

namespace firn {
namespace {

enum Field { kStep, kKept, kBegins, kAbsent, kFields };
constexpr FieldTable<kFields> kTable{
    {{kStep, 4}, {kKept, 2, 0, true}, {kBegins, 1, 1}, {kAbsent, 0, 7}}};
static_assert(in_order(kTable));
static_assert(!in_order(FieldTable<2>{{{1, 4}, {0, 4}}}));

using Fields = BlockFields<Cpu, float, kFields>;

TEST(BlockFields, HaveTheSizesOfTheirRows) {
  Cpu exec(1);
  Fields fields(exec, kTable);
  EXPECT_EQ(fields.bytes(), 0u);
  for (const std::uint32_t blocks : {1u, 5u, 64u}) {
    fields.reserve(blocks);
    EXPECT_EQ(fields[kStep].size(), 4 * blocks);
    EXPECT_EQ(fields[kKept].size(), 2 * blocks);
    EXPECT_EQ(fields[kBegins].size(), blocks + 1);
    EXPECT_EQ(fields.data(kAbsent), nullptr);
    EXPECT_EQ(fields.bytes(), sizeof(float) * (7 * blocks + 1));
    EXPECT_EQ(fields.bytes(), Fields::bytes_for(kTable, blocks));
  }
}

TEST(BlockFields, KeepOnlyWhatOutlivesAStep) {
  Cpu exec(1);
  Fields fields(exec, kTable);
  fields.reserve(1);
  for (const std::size_t f : {kStep, kKept, kBegins})
    for (std::size_t i = 0; i < fields[f].size(); ++i) fields.data(f)[i] = 1;
  fields.reserve(2);
  EXPECT_EQ(fields[kStep].download(), std::vector<float>(8, 0.0f));
  EXPECT_EQ(fields[kKept].download(), (std::vector<float>{1, 1, 0, 0}));
  EXPECT_EQ(fields[kBegins].download(), std::vector<float>(3, 0.0f));
}

}  // namespace
}  // namespace firn
