// Tracers on both backends: through the same random faces, of which some are not valid and some
// blocks are missing, they come to the same places within rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/exec/host.h"
#include "kernels/liquid/tracers.h"
#include "tests/support/device.h"

namespace firn {
namespace {

constexpr double kDx = 0.1, kStep = 0.3 * kDx;
constexpr int kBlocksAlong = 4;

// A grid on the host: blocks -1 ... 2 along each axis, every fifth of them missing.
template <int D, class Real>
struct Faces {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> ranks, valid, around;
  std::vector<Node<Real>> nodes;
  BlockHash hash;

  explicit Faces(std::uint64_t seed) : keys(256, kEmptyKey), ranks(256, 0) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    hash = {keys.data(), ranks.data(), nullptr, 255};
    const int count = D == 2 ? kBlocksAlong * kBlocksAlong : 64;
    std::uint32_t rank = 0;
    for (int i = 0; i < count; ++i) {
      if (i % 5 == 3) continue;
      Vec<int, D> block;
      for (int a = 0, rest = i; a < D; ++a, rest /= kBlocksAlong)
        block[a] = rest % kBlocksAlong - 1;
      ranks[hash.insert(HostDevice{}, block_key<D>(block))] = rank++;
    }
    around.resize(std::size_t{rank} * Around<D>::kBlocks);
    for (std::size_t slot = 0; slot < keys.size(); ++slot)
      for (int place = 0; keys[slot] != kEmptyKey && place < Around<D>::kBlocks; ++place) {
        Vec<int, D> other = block_of_key<D>(keys[slot]);
        for (int a = 0, rest = place; a < D; ++a, rest /= 3) other[a] += rest % 3 - 1;
        const std::uint32_t found = hash.find(block_key<D>(other));
        around[std::size_t{ranks[slot]} * Around<D>::kBlocks + static_cast<std::size_t>(place)] =
            found == kNoBlock ? kNoBlock : ranks[found];
      }
    valid.resize(std::size_t{rank} * D * 2);
    for (std::uint32_t& word : valid)  // three of four
      word = static_cast<std::uint32_t>(random() | random());
    nodes.resize(std::size_t{rank} * D * BlockTraits<D>::kNodes);
    for (auto& node : nodes) node = Node<Real>::make(static_cast<Real>(uniform(random)), 0, 0, 0);
  }
};

template <int D, class Real>
std::vector<Real> points(std::uint32_t count) {
  std::mt19937_64 random(20241105);
  const double block = kDx * BlockTraits<D>::kSide;
  std::uniform_real_distribution<double> uniform(-1.5 * block, 3.5 * block);
  std::vector<Real> x(std::size_t{count} * D);
  for (Real& v : x) v = static_cast<Real>(uniform(random));
  return x;
}

template <class Exec, int D, class Real>
std::vector<Real> carried(Exec& exec, const Faces<D, Real>& faces, const std::vector<Real>& start,
                          int steps) {
  Buffer<Exec, std::uint64_t> keys(exec, std::span<const std::uint64_t>(faces.keys));
  Buffer<Exec, std::uint32_t> ranks(exec, std::span<const std::uint32_t>(faces.ranks)),
      valid(exec, std::span<const std::uint32_t>(faces.valid)),
      around(exec, std::span<const std::uint32_t>(faces.around));
  Buffer<Exec, Node<Real>> nodes(exec, std::span<const Node<Real>>(faces.nodes));
  StepControl step{};
  step.dt = kStep;
  Buffer<Exec, StepControl> control(exec, std::span<const StepControl>(&step, 1));
  Buffer<Exec, Real> positions(exec, std::span<const Real>(start));
  GridView<Real> grid;
  grid.hash = {keys.data(), ranks.data(), nullptr, faces.hash.mask};
  grid.dx = static_cast<Real>(kDx);
  grid.inv_dx = static_cast<Real>(1 / kDx);
  MacView<Real> mac;
  mac.faces = nodes.data();
  mac.valid = valid.data();
  mac.around = around.data();
  SinkView<Real> sinks;  // of what goes up over the higher end
  sinks.open = true;
  for (int a = 0; a < D; ++a) {
    sinks.min[a] = -kLargest<Real>;
    sinks.max[a] = a == 1 ? static_cast<Real>(3 * kDx * BlockTraits<D>::kSide) : kLargest<Real>;
  }
  for (int s = 0; s < steps; ++s)
    advance_tracers<Exec, D, Real>(exec, {}, sinks, grid, mac, positions.data(),
                                   static_cast<std::uint32_t>(start.size() / D), control.data());
  return positions.download();
}

// Velocities differ by up to 2 from face to face along each axis: an error of a position grows by
// exp(2 d dt / dx) in a step. In each of the three stages a position, of up to 16 cells, is
// rounded, and so is a quotient of sums of 2^d products. The sum of the weights may be as small as
// 1e-3, but is hardly ever below 1/16, where rounding counts 16 times.
template <int D, class Real>
double tolerance_of(int steps) {
  const double rounding = 16 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  return 3 * 16 * kDx * rounding * std::exp(2 * D * kStep / kDx * steps);
}

template <class OtherExec, int D, class Real>
void compare(OtherExec& other) {
  constexpr std::uint32_t kCount = 20000;
  constexpr int kSteps = 2;
  const Faces<D, Real> faces(7);
  const std::vector<Real> start = points<D, Real>(kCount);
  Cpu reference(1);
  const std::vector<Real> a = carried<Cpu, D, Real>(reference, faces, start, kSteps),
                          b = carried<OtherExec, D, Real>(other, faces, start, kSteps);
  std::size_t moved = 0, worse = 0, gone = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    moved += a[i] != start[i];
    if (std::isnan(a[i]) && std::isnan(b[i]))
      ++gone;
    else
      worse += !(std::abs(a[i] - b[i]) <= tolerance_of<D, Real>(kSteps));
  }
  EXPECT_GT(gone, a.size() / 20);
  EXPECT_LT(gone, a.size() / 4);
  EXPECT_GT(moved, a.size() / 2);
  EXPECT_LT(moved, a.size());  // some have no face around them
  // On the border of what counts as no face at all, rounding may decide.
  EXPECT_LE(worse, a.size() / 1000);
}

#if defined(FIRN_WITH_CUDA)
template <int D, class Real>
void compare_with_device() {
  if (const auto why = test::no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda device(0);
  compare<Cuda, D, Real>(device);
}
#else
template <int D, class Real>
void compare_with_device() {
  GTEST_SKIP() << "built without CUDA";
}
#endif

TEST(GpuTracersEquality, PlaneSingle) { compare_with_device<2, float>(); }
TEST(GpuTracersEquality, PlaneDouble) { compare_with_device<2, double>(); }
TEST(GpuTracersEquality, SpaceSingle) { compare_with_device<3, float>(); }
TEST(GpuTracersEquality, SpaceDouble) { compare_with_device<3, double>(); }

// Without a device: the comparison runs, and sees a nudged tracer.
TEST(TracersEquality, ThreadsOnTheCpu) {
  Cpu three(3);
  compare<Cpu, 2, float>(three);
  compare<Cpu, 3, double>(three);
}
TEST(TracersEquality, SeesASmallDifference) {
  const Faces<2, double> faces(7);
  std::vector<double> start = points<2, double>(100);
  Cpu exec(1);
  const std::vector<double> before = carried<Cpu, 2, double>(exec, faces, start, 1);
  for (double& x : start) x += 1e-9;
  const std::vector<double> after = carried<Cpu, 2, double>(exec, faces, start, 1);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    seen += std::abs(after[i] - before[i]) > tolerance_of<2, double>(1);
  EXPECT_GT(seen, before.size() / 2);
}

}  // namespace
}  // namespace firn
