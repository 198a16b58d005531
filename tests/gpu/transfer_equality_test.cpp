// The transfers on both backends, on nodes and on faces: the grid after P2G and particles after G2P
// agree within what another order of summation explains, for every transfer, kernel, dimension and
// precision.
#include <gtest/gtest.h>

#include "tests/support/transfer_fixture.h"

namespace firn::test {
namespace {

// What one backend makes of the particles: the grid, then the particles after a change of all
// velocities.
template <int D>
struct Outcome {
  std::vector<GridValue<D>> grid;
  std::vector<HarnessParticle<D>> particles;
  double speed_squared = 0;
};
template <class Space>
Outcome<Space::D> transfer(const NamedTransfer& t,
                           const std::vector<HarnessParticle<Space::D>>& particles,
                           int threads = 1) {
  const auto h = make_harness<Space>(t.settings, particles, threads);
  h->set_dt(0.2 * kDx, 0.2 * kDx);
  h->particles_to_grid();
  Outcome<Space::D> outcome;
  outcome.grid = h->values();
  h->update_grid();
  h->change_velocities([](double v, int axis, const Vec<double, Space::D>& x) {
    return v + std::sin(10 * x[0] + axis) * std::cos(7 * x[1]);
  });
  h->grid_to_particles();
  outcome.particles = h->particles();
  outcome.speed_squared = h->control().speed_squared;
  return outcome;
}

// A place sums some 30 (n) products, a particle 4^d, in other orders: random walks of sqrt(n)
// roundings. A velocity is a quotient of two such sums, read by another; the functional of a mode
// sums up to 2^d times as much.
template <class Real>
constexpr double kTolerance = 64 * std::numeric_limits<Real>::epsilon();

template <class Real, int D>
void expect_equal(const Outcome<D>& a, const Outcome<D>& b, const std::string& name) {
  constexpr double tolerance = kTolerance<Real>;
  ASSERT_EQ(a.grid.size(), b.grid.size()) << name;
  double scale = 0;  // of a momentum
  for (const auto& v : a.grid) scale = std::max(scale, v.mass);
  for (std::size_t i = 0; i < a.grid.size(); ++i) {
    ASSERT_EQ(a.grid[i].axis, b.grid[i].axis) << name;
    ASSERT_NEAR(a.grid[i].mass, b.grid[i].mass, tolerance * scale) << name;
    ASSERT_NEAR(a.grid[i].volume, b.grid[i].volume, tolerance * scale) << name;
    ASSERT_NEAR(a.grid[i].value, b.grid[i].value, tolerance * scale) << name;
  }
  ASSERT_EQ(a.particles.size(), b.particles.size()) << name;
  for (std::size_t i = 0; i < a.particles.size(); ++i) {
    ASSERT_LE(norm(a.particles[i].x - b.particles[i].x), tolerance) << name;
    ASSERT_LE(norm(a.particles[i].v - b.particles[i].v), 4 * tolerance) << name;
    for (std::size_t r = 0; r < a.particles[i].modes.size(); ++r)
      ASSERT_LE(norm(a.particles[i].modes[r] - b.particles[i].modes[r]), 16 * tolerance)
          << name << " mode " << r + 1;
  }
  EXPECT_NEAR(a.speed_squared, b.speed_squared, 16 * tolerance * a.speed_squared) << name;
}

template <class Space>
class TransferEquality : public TransferTest<Space> {
 public:
  static constexpr int kD = Space::D;
  using Real = typename Space::Real;
  using OnCpu = TransferSpace<Space::kPlaces, Cpu, kD, Real>;

  // Some 16 to a cell in 2D, one in 3D; without stress, as dt is not 0.
  auto crowd(const NamedTransfer& t) {
    auto particles = kD == 3 ? this->within(t, 1000, -5, 5) : this->within(t, 4000, -8, 8);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      particles[i].material = static_cast<std::uint32_t>(i * kHarnessMaterials / particles.size());
      particles[i].stress.fill(0);
    }
    return particles;
  }
  // With so many threads, where it is the CPU.
  void compare(int threads) {
    for (int degree : {1, 2, 3})
      for (NamedTransfer t : all_transfers(kD, degree))
        for (const AdvectionMap map : {AdvectionMap::kTranslation, AdvectionMap::kAffine}) {
          // How particles move has nothing to do with the kernel.
          if (map == AdvectionMap::kAffine && degree != 2) continue;
          t.settings.advection = map;
          const auto particles = crowd(t);
          expect_equal<Real>(transfer<OnCpu>(t, particles), transfer<Space>(t, particles, threads),
                             t.name);
        }
  }
};
TYPED_TEST_SUITE_P(TransferEquality);

TYPED_TEST_P(TransferEquality, WithOneThread) { this->compare(3); }
REGISTER_TYPED_TEST_SUITE_P(TransferEquality, WithOneThread);
#if defined(FIRN_WITH_CUDA)
FIRN_ON(GpuNodes, TransferEquality);
FIRN_ON(GpuFaces, TransferEquality);
#endif

// Without a device: the comparison runs, and sees threads equal one, and a nudged particle not.
template <Places Where>
using PlaneDouble = testing::Types<TransferSpace<Where, Cpu, 2, double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(CpuNodes, TransferEquality, PlaneDouble<Places::kNodes>);
INSTANTIATE_TYPED_TEST_SUITE_P(CpuFaces, TransferEquality, PlaneDouble<Places::kFaces>);

template <class Space>
class TransferDifference : public TransferEquality<Space> {};
TYPED_TEST_SUITE_P(TransferDifference);
TYPED_TEST_P(TransferDifference, IsSeenWhereItIsSmall) {
  const NamedTransfer t = named(2, 2, TransferType::kApic);
  auto particles = this->crowd(t);
  const auto before = transfer<TypeParam>(t, particles);
  particles[7].v[0] += 1e-10;
  const auto after = transfer<TypeParam>(t, particles);
  double difference = 0;
  for (std::size_t i = 0; i < before.grid.size(); ++i)
    difference = std::max(difference, std::abs(before.grid[i].value - after.grid[i].value));
  EXPECT_GT(difference, 10 * kTolerance<double>);
}
REGISTER_TYPED_TEST_SUITE_P(TransferDifference, IsSeenWhereItIsSmall);
INSTANTIATE_TYPED_TEST_SUITE_P(CpuNodes, TransferDifference, PlaneDouble<Places::kNodes>);
INSTANTIATE_TYPED_TEST_SUITE_P(CpuFaces, TransferDifference, PlaneDouble<Places::kFaces>);

}  // namespace
}  // namespace firn::test
