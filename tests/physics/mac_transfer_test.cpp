// The transfers on MAC grids: the sums they keep, the fields they carry unchanged, what the scales
// of C, the FLIP blend and the affine map do.
#include <gtest/gtest.h>

#include "tests/support/mac_fixture.h"

namespace firn {
namespace {

using test::all_transfers;
using test::distance;
using test::HarnessParticle;
using test::kDx;
using test::named;
using test::NamedTransfer;
using test::scale_of;
using test::Sums;
using test::sums_of;

template <class S>
class MacSums : public test::MacTest<S> {};
TYPED_TEST_SUITE_P(MacSums);

// --- mass, volume and momentum ---

template <class T>
void expect_mass_and_momentum(T& test, const NamedTransfer& t,
                              const typename T::Particles& particles) {
  constexpr int D = T::kD;
  auto h = test.harness(t, particles);
  const Sums before = sums_of<D>(particles);
  double volume = 0;
  for (const auto& p : particles) volume += p.volume;
  const double tolerance = T::sum_tolerance(particles.size(), t.params.degree);
  h.particles_to_grid();
  const auto grid = h.grid_sums();
  for (int a = 0; a < D; ++a) {
    EXPECT_NEAR(grid.masses[a], before.mass, tolerance * before.mass) << t.name;
    EXPECT_NEAR(grid.volumes[a], volume, tolerance * volume) << t.name;
  }
  EXPECT_LE(distance(grid.momentum, before.momentum), tolerance * scale_of<D>(particles, false))
      << t.name;

  h.update_grid();
  test.kick(h);
  const Sums kicked = h.grid_sums();
  h.grid_to_particles();
  const auto moved = h.particles();
  const Sums after = sums_of<D>(moved);
  const double scale = scale_of<D>(particles, false) + scale_of<D>(moved, false);
  EXPECT_EQ(after.mass, before.mass) << t.name;
  EXPECT_LE(distance(after.momentum, kicked.momentum), tolerance * scale) << t.name;
  EXPECT_EQ(h.control().fault, ~std::uint64_t{0}) << t.name;
}

TYPED_TEST_P(MacSums, KeepsMassVolumeAndMomentum) {
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree)) {
      expect_mass_and_momentum(*this, t, this->scattered(t, 500));
      // On nodes, faces, cell centres and the borders of blocks.
      expect_mass_and_momentum(*this, t, this->on_lattice(t));
    }
}

TYPED_TEST_P(MacSums, KeepsMassVolumeAndMomentumOfAnyNumber) {
  for (int degree : {1, 2, 3})
    for (int modes : {1, 1 + TestFixture::kD, int_power(2, TestFixture::kD)}) {
      const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kPolypic, 1, modes);
      for (std::uint32_t n : {0u, 1u, 31u, 32u, 33u, 65u}) {
        expect_mass_and_momentum(*this, t, this->scattered(t, n));
        // ... all in one block, away from the origin.
        expect_mass_and_momentum(*this, t, this->cloud(t, n, [&](std::uint32_t, int) {
          return this->uniform(-39, -37);
        }));
      }
    }
}

TYPED_TEST_P(MacSums, KeepsMassVolumeAndMomentumOfSeveralMaterials) {
  for (int degree : {1, 2, 3}) {
    const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kApic, 1, 0);
    auto particles = this->scattered(t, 3000);
    for (std::uint32_t i = 0; i < particles.size(); ++i) particles[i].material = i / 1000;
    expect_mass_and_momentum(*this, t, particles);
    const auto sorted = this->harness(t, particles).particles();
    for (std::size_t i = 0; i < sorted.size(); ++i)
      ASSERT_EQ(sorted[i].material, particles[i].material);
  }
}

// --- angular momentum: sum over faces of x cross e_a (m v) ---

struct AngularErrors {
  double p2g, g2p;  // relative to sum m |x| |v|
};
// Particles move by dt with the velocity they read: with D_p the same everywhere (quadratic and
// cubic kernels) that changes nothing, since v x v = 0.
template <class T>
AngularErrors angular_errors(T& test, const NamedTransfer& t,
                             const typename T::Particles& particles, double dt) {
  auto h = test.harness(t, particles);
  h.set_dt(dt, dt);
  const Sums before = h.particle_sums();
  h.particles_to_grid();
  const Sums grid = h.grid_sums();
  h.update_grid();
  test.kick(h);
  const Sums kicked = h.grid_sums();
  h.grid_to_particles();
  const Sums after = h.particle_sums();
  const double scale = scale_of<T::kD>(particles, true);
  return {distance(grid.angular, before.angular) / scale,
          distance(after.angular, kicked.angular) / scale};
}

TYPED_TEST_P(MacSums, RpicApicAndPolypicKeepAngularMomentum) {
  for (int degree : {2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree)) {
      if (!t.keeps_angular_momentum) continue;
      for (const auto& particles : {this->scattered(t, 500), this->on_lattice(t)}) {
        const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
        const auto error = angular_errors(*this, t, particles, 0.3 * kDx);
        EXPECT_LE(error.p2g, tolerance) << t.name;
        EXPECT_LE(error.g2p, tolerance) << t.name;
      }
    }
}

// With the linear kernel D_p depends on the position, so that only a particle that stays keeps its
// spin. RPIC then needs the moments of the faces it reads, half a cell off.
TYPED_TEST_P(MacSums, LinearKernelKeepsAngularMomentumOnTheSpot) {
  constexpr int D = TestFixture::kD;
  for (const NamedTransfer& t :
       {named(D, 1, TransferType::kRpic, 1, 0), named(D, 1, TransferType::kApic, 1, 0),
        named(D, 1, TransferType::kPolypic, 1, int_power(2, D))}) {
    const auto particles = this->scattered(t, 500);
    const double tolerance = TestFixture::sum_tolerance(particles.size(), 1);
    const auto resting = angular_errors(*this, t, particles, 0);
    EXPECT_LE(resting.p2g, tolerance);
    EXPECT_LE(resting.g2p, tolerance);
    EXPECT_GE(angular_errors(*this, t, particles, 0.3 * kDx).g2p, 1e-5);
  }
}

// A small cloud is set spinning on the grid: the spin inside each particle's stencil, which PIC and
// FLIP have no mode for, is then some per cent of all.
TYPED_TEST_P(MacSums, PicAndFlipLoseAngularMomentum) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(D, degree)) {
      const bool loses = t.stored_modes == 0;
      if (!loses && !t.keeps_angular_momentum) continue;
      auto h = this->harness(
          t, this->cloud(t, 500, [&](std::uint32_t, int) { return this->uniform(-2, 2); }));
      h.particles_to_grid();
      h.update_grid();
      h.change_velocities([&](double v, int axis, const Vec<double, D>& x) {
        return axis == 0 ? v - 10 * x[1] : axis == 1 ? v + 10 * x[0] : v;
      });
      const Sums spinning = h.grid_sums();
      h.grid_to_particles();
      const double loss = 1 - h.particle_sums().angular[2] / spinning.angular[2];
      if (loses) {
        EXPECT_GE(loss, 0.01) << t.name;
      } else {
        EXPECT_LE(std::abs(loss), TestFixture::sum_tolerance(500, degree)) << t.name;
      }
    }
}

// --- energy ---

// 1/2 m sum over faces of w (sum_r s_r c_r)^2, on each axis' own stencil: equal to the engine's sum
// of squares only because the modes are orthogonal there.
template <int Degree, int D>
double energy_on_faces(const HarnessParticle<D>& p, const NamedTransfer& t) {
  double energy = 0;
  for (int axis = 0; axis < D; ++axis) {
    const auto s = make_face_stencil<D, Degree>(p.x, 1 / kDx, axis);
    for (int face = 0; face < int_power(Degree + 1, D); ++face) {
      double w = 1, v = p.v[axis];
      int index[D];
      for (int b = 0, rest = face; b < D; ++b, rest /= Degree + 1) {
        index[b] = rest % (Degree + 1);
        w *= s.axis[b].w[index[b]];
      }
      for (int r = 1; r <= t.stored_modes; ++r) {
        double mode = 1;
        for (int b = 0; b < D; ++b) {
          const int power = mode_power(t.params.set, D, r, b);
          mode *= power == 0 ? 1 : power == 1 ? s.axis[b].z[index[b]] : s.axis[b].g[index[b]];
        }
        v += mode * p.modes[static_cast<std::size_t>(r - 1)][axis];
      }
      energy += 0.5 * p.mass * w * v * v;
    }
  }
  return energy;
}

TYPED_TEST_P(MacSums, KineticEnergyCountsAllModes) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(D, degree)) {
      const auto particles = this->scattered(t, 200);
      auto h = this->harness(t, particles);
      double expected = 0;
      for (const auto& p : particles)
        expected += degree == 1   ? energy_on_faces<1>(p, t)
                    : degree == 2 ? energy_on_faces<2>(p, t)
                                  : energy_on_faces<3>(p, t);
      // Offsets come from positions up to 30 cells away, rounded to epsilon of that.
      EXPECT_NEAR(h.particle_sums().kinetic, expected, 64 * TestFixture::kEps * expected) << t.name;
    }
}

TYPED_TEST_P(MacSums, EnergyNeverRisesOverAnApicPair) {
  for (int degree : {2, 3}) {
    const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kApic, 1, 0);
    for (std::uint32_t n : {1u, 30u, 500u}) {
      auto h = this->harness(t, this->scattered(t, n));
      const double tolerance = TestFixture::sum_tolerance(n, degree);
      double energy = h.particle_sums().kinetic;
      for (int round = 0; round < 5; ++round) {
        h.particles_to_grid();
        h.update_grid();
        const double grid = h.grid_sums().kinetic;
        EXPECT_LE(grid, energy * (1 + tolerance)) << n << " round " << round;
        h.grid_to_particles();
        energy = h.particle_sums().kinetic;
        EXPECT_LE(energy, grid * (1 + tolerance)) << n << " round " << round;
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(MacSums, KeepsMassVolumeAndMomentum,
                            KeepsMassVolumeAndMomentumOfAnyNumber,
                            KeepsMassVolumeAndMomentumOfSeveralMaterials,
                            RpicApicAndPolypicKeepAngularMomentum,
                            LinearKernelKeepsAngularMomentumOnTheSpot,
                            PicAndFlipLoseAngularMomentum, KineticEnergyCountsAllModes,
                            EnergyNeverRisesOverAnApicPair);
FIRN_ON_BOTH_BACKENDS(MacSums);

// --- threads ---

template <class S>
class MacThreads : public test::MacTest<S> {};
TYPED_TEST_SUITE(MacThreads, test::CpuSetups);

// Colours keep threads apart, and each face adds in the order of the layout.
TYPED_TEST(MacThreads, GiveTheSameBits) {
  using T = TestFixture;
  for (int degree : {1, 2}) {
    const NamedTransfer t = named(T::kD, degree, TransferType::kAflip, 0.9, 0);
    const auto particles = this->scattered(t, 5000);
    typename T::Exec one(1), three(3);
    auto serial = T::harness_on(one, t, particles);
    auto parallel = T::harness_on(three, t, particles);
    for (auto* h : {&serial, &parallel})
      for (int round = 0; round < 2; ++round) {
        h->particles_to_grid();
        h->update_grid();
        h->grid_to_particles();
      }
    const auto expected = serial.particles(), got = parallel.particles();
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(norm(got[i].v - expected[i].v), 0) << i;
      for (std::size_t r = 0; r < static_cast<std::size_t>(t.stored_modes); ++r)
        ASSERT_EQ(norm(got[i].modes[r] - expected[i].modes[r]), 0) << i;
    }
  }
}

}  // namespace
}  // namespace firn
