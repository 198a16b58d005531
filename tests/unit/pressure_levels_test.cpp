// The multigrid hierarchy against its definition: the blocks of the next level are the parents of
// coupled blocks, neighbours are mutual, and the coarse operator is P^T A P for piecewise constant
// P with the Laplacian part halved, or as it is.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/support/pressure_cases.h"

namespace firn::test {
namespace {

// build_levels on the CPU with memory for `pool` coarse blocks.
template <int D>
class LevelsHarness {
 public:
  static constexpr std::size_t kCells = BlockTraits<D>::kNodes;
  LevelsHarness(const PressureCase<D>& c, std::uint32_t pool, bool plain = false)
      : neighbours(2 * D * c.keys.size()),
        origin(c.keys.size()),
        kind(c.keys.size()),
        uniform(c.keys.size()),
        flags(c.keys.size()),
        ranks(c.keys.size() + 1),
        pool_neighbours(2 * D * pool),
        pool_origin(pool),
        pool_kind(pool),
        pool_uniform(pool) {
    coarse.keys.resize(pool);
    coarse.conductance.resize(D * kCells * pool);
    solution.resize(kCells * pool);
    for (auto* v : {&coarse.dirichlet, &coarse.mass, &coarse.rhs}) v->resize(kCells * pool);
    Hierarchy<double> h;
    h.finest = {
        c.keys.data(),        origin.data(),      neighbours.data(), kind.data(), uniform.data(),
        c.conductance.data(), c.dirichlet.data(), c.mass.data(),     nullptr,     nullptr};
    h.pool = {coarse.keys.data(),      pool_origin.data(),  pool_neighbours.data(),
              pool_kind.data(),        pool_uniform.data(), coarse.conductance.data(),
              coarse.dirichlet.data(), coarse.mass.data(),  coarse.rhs.data(),
              solution.data()};
    h.coarse = {coarse.keys.data(), coarse.conductance.data(), coarse.dirichlet.data(),
                coarse.mass.data(), coarse.rhs.data()};
    const auto n = static_cast<std::uint32_t>(c.keys.size());
    h.max_blocks = n, h.pool_blocks = pool, h.plain = plain;
    h.flags = flags.data(), h.ranks = ranks.data(), h.table = &table;
    Cpu exec(1);
    // In two parts, as where a system has more levels than the last one.
    build_levels<Cpu, D>(exec, h, {nullptr, n}, {0, 2}, nullptr);
    build_levels<Cpu, D>(exec, h, {nullptr, n}, {2, kMaxLevels}, nullptr);
  }
  // The channels of level 1. Its keys are of the parents' lattice, whose origin is elsewhere: cells
  // are told by index only.
  PressureCase<D> level_one() const {
    PressureCase<D> c = coarse;
    c.keys.resize(table.count[1]);
    c.conductance.resize(D * c.cells());
    for (auto* v : {&c.dirichlet, &c.mass, &c.rhs}) v->resize(c.cells());
    return c;
  }
  LevelTable table;
  std::vector<std::uint32_t> neighbours, origin, kind;
  std::vector<double> uniform;
  std::vector<std::uint32_t> flags, ranks, pool_neighbours, pool_origin, pool_kind;
  std::vector<double> pool_uniform;
  PressureCase<D> coarse;
  std::vector<double> solution;
};

// A sponge: many holes, some cells alone, blocks that only touch.
template <int D>
PressureCase<D> sponge_case() {
  const int n = D == 3 ? 18 : 50;
  auto c = make_case<D>(
      Vec<int, D>::filled(-n), Vec<int, D>::filled(n),
      [=](const Vec<int, D>& cell) {
        if (!inside(cell, Vec<int, D>::filled(-n), Vec<int, D>::filled(n))) return CellClass::kWall;
        Vec<int, D> region = cell;
        for (int a = 0; a < D; ++a) region[a] >>= 3;
        if (cell_noise<D>(region, 3) < 0.4) return CellClass::kAir;
        return cell_noise<D>(cell, 4) < 0.3 ? CellClass::kWall : CellClass::kActive;
      },
      [](const Vec<int, D>& cell, int axis) { return 0.1 + cell_noise<D>(cell, 10 + axis); });
  c.mass.assign(c.cells(), 0);
  const auto diagonal = c.diagonal();
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (diagonal[i] > 0) c.mass[i] = 0.2 * cell_noise<D>(c.cell(i), 15);
  return c;
}

template <class T>
class PressureLevels : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(PressureLevels, Dimensions);

TYPED_TEST(PressureLevels, ParentsAreThoseOfCoupledBlocks) {
  constexpr int D = TypeParam::value;
  const auto c = sponge_case<D>();
  const LevelsHarness<D> h(c, static_cast<std::uint32_t>(c.keys.size()));
  std::set<std::uint64_t> parents;
  for (std::size_t b = 0; b < c.keys.size(); ++b) {
    bool coupled = false;
    for (std::uint32_t side = 0; side < 2 * D; ++side) {
      const std::uint32_t other = h.neighbours[2 * D * b + side];
      if (other == kNoBlock) continue;
      coupled = true;
      EXPECT_EQ(h.neighbours[2 * D * other + (side ^ 1)], b);
      EXPECT_EQ(c.keys[other], neighbour_key<D>(c.keys[b], static_cast<int>(side / 2), side % 2));
    }
    EXPECT_EQ(is_coupled(h.kind[b]), coupled) << b;
    EXPECT_EQ(h.origin[b] != kNoBlock, coupled) << b;
    if (!coupled) continue;
    parents.insert(c.keys[b] >> D);
    EXPECT_EQ(h.coarse.keys[h.origin[b] / c.kCells], c.keys[b] >> D);
    EXPECT_EQ(h.origin[b] % c.kCells, coarse_cell<D>(c.keys[b], 0));
  }
  const std::vector<std::uint64_t> expected(parents.begin(), parents.end());
  EXPECT_GT(expected.size(), 4u);
  EXPECT_EQ(h.level_one().keys, expected);
}

// The coarse operator against products; where not `plain`, couplings to known values count up to
// six times the largest conductance of their aggregate, or up to the cell's own conductances.
template <int D>
void expect_product(bool plain) {
  auto c = sponge_case<D>();
  for (double& d : c.dirichlet) d *= 10;  // about half of them beyond the bound
  const double firmest = *std::max_element(c.dirichlet.begin(), c.dirichlet.end());
  auto coupling = c;
  for (auto* v : {&coupling.dirichlet, &coupling.mass}) v->assign(c.cells(), 0);
  const std::vector<double> own = coupling.diagonal();
  const LevelsHarness<D> h(c, static_cast<std::uint32_t>(c.keys.size()), plain);
  const auto coarse = h.level_one();
  // P of a random coarse vector, A split into its two parts, then sums over aggregates.
  const auto coarse_of = [&](std::size_t i) {
    const std::size_t b = i / c.kCells;
    return h.origin[b] / c.kCells * c.kCells +
           coarse_cell<D>(c.keys[b], static_cast<std::uint32_t>(i % c.kCells));
  };
  std::vector<double> e(coarse.cells()), fine(c.cells()), expected(coarse.cells());
  for (std::size_t i = 0; i < e.size(); ++i)
    e[i] = cell_noise<2>({{static_cast<int>(i), 1}}, 30) - 0.5;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (h.origin[i / c.kCells] != kNoBlock) fine[i] = e[coarse_of(i)];
  std::vector<double> largest(coarse.cells());
  for (std::size_t i = 0; i < c.cells(); ++i)
    for (int a = 0; a < D && h.origin[i / c.kCells] != kNoBlock; ++a)
      largest[coarse_of(i)] = std::max(largest[coarse_of(i)], c.conductance[c.at(i, a)]);
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (!plain && h.origin[i / c.kCells] != kNoBlock && largest[coarse_of(i)] > 0)
      c.dirichlet[i] = std::min(c.dirichlet[i], std::max(6 * largest[coarse_of(i)], own[i]));
  const auto whole = c.apply(fine);
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (h.origin[i / c.kCells] != kNoBlock)
      expected[coarse_of(i)] +=
          (plain ? 1.0 : 0.5) * (whole[i] - c.mass[i] * fine[i]) + c.mass[i] * fine[i];

  std::vector<double> product(coarse.cells());
  for (std::size_t i = 0; i < coarse.cells(); ++i) {
    product[i] += (coarse.dirichlet[i] + coarse.mass[i]) * e[i];
    for (int a = 0; a < D; ++a) {
      const double k = coarse.conductance[coarse.at(i, a)];
      if (k == 0) continue;
      // The cell below, through the neighbour table of level 1.
      const auto cell = static_cast<std::uint32_t>(i % c.kCells);
      const auto stride = static_cast<std::uint32_t>(CellTraits<D>::stride(a));
      const bool inner = cell / stride % CellTraits<D>::kSide != 0;
      const std::size_t other =
          h.pool_neighbours[2 * D * (i / c.kCells) + 2 * static_cast<std::size_t>(a)];
      const std::size_t j =
          inner ? i - stride
                : other * c.kCells + cell + (CellTraits<D>::kSide - 1) * std::size_t{stride};
      ASSERT_LT(j, coarse.cells());
      product[i] += k * (e[i] - e[j]);
      product[j] += k * (e[j] - e[i]);
    }
  }
  // Sums of 2^D cells with 2 D + 2 terms of at most the firmest tie, or 3, in either order.
  const double terms = (1 << D) * (2 * D + 2);
  const double tolerance =
      terms * terms * std::max(3.0, firmest) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < coarse.cells(); ++i) EXPECT_NEAR(product[i], expected[i], tolerance);
}
TYPED_TEST(PressureLevels, CoarseOperatorIsTheScaledGalerkinProduct) {
  expect_product<TypeParam::value>(false);
}
TYPED_TEST(PressureLevels, PlainCoarseOperatorIsTheGalerkinProduct) {
  expect_product<TypeParam::value>(true);
}

TYPED_TEST(PressureLevels, OverflowIsReported) {
  constexpr int D = TypeParam::value;
  const auto c = sponge_case<D>();
  const LevelsHarness<D> h(c, 2);
  EXPECT_NE(h.table.overflow, 0u);
  EXPECT_EQ(h.table.count[1], 0u);
}

}  // namespace
}  // namespace firn::test
