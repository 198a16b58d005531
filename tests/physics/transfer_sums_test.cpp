// Sums that the transfers keep: mass, momentum, angular momentum, the resultant of internal forces;
// and which transfers lose which.
#include <gtest/gtest.h>

#include "tests/support/transfer_fixture.h"

namespace firn {
namespace {

using test::all_transfers;
using test::distance;
using test::kDx;
using test::named;
using test::NamedTransfer;
using test::scale_of;
using test::Sums;
using test::sums_of;

template <class S>
class TransferSums : public test::TransferTest<S> {};
TYPED_TEST_SUITE_P(TransferSums);

template <class T>
void expect_mass_and_momentum(T& test, const NamedTransfer& t,
                              const typename T::Particles& particles) {
  auto h = test.harness(t, particles);
  const Sums before = sums_of<T::kD>(particles);
  const double tolerance = T::sum_tolerance(particles.size(), t.params.degree);
  h.particles_to_grid();
  const Sums grid = h.grid_sums(false);
  EXPECT_NEAR(grid.mass, before.mass, tolerance * before.mass) << t.name;
  EXPECT_LE(distance(grid.momentum, before.momentum), tolerance * scale_of<T::kD>(particles, false))
      << t.name;

  h.update_grid();
  test.kick(h);
  const Sums kicked = h.grid_sums(true);
  h.grid_to_particles();
  const auto moved = h.particles();
  const Sums after = sums_of<T::kD>(moved);
  const double scale = scale_of<T::kD>(particles, false) + scale_of<T::kD>(moved, false);
  EXPECT_EQ(after.mass, before.mass) << t.name;
  EXPECT_LE(distance(after.momentum, kicked.momentum), tolerance * scale) << t.name;
  EXPECT_EQ(h.control().fault, ~std::uint64_t{0}) << t.name;
}

TYPED_TEST_P(TransferSums, KeepsMassAndMomentum) {
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree)) {
      expect_mass_and_momentum(*this, t, this->scattered(t, 500));
      expect_mass_and_momentum(*this, t, this->on_lattice(t));
    }
}

// Around a chunk, and nothing at all.
TYPED_TEST_P(TransferSums, KeepsMassAndMomentumOfAnyNumber) {
  for (int degree : {1, 2, 3})
    for (int modes : {1, 1 + TestFixture::kD, int_power(2, TestFixture::kD)}) {
      const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kPolypic, 1, modes);
      for (std::uint32_t n : {0u, 1u, 31u, 32u, 33u, 64u, 65u}) {
        expect_mass_and_momentum(*this, t, this->scattered(t, n));
        // ... all in one block, away from the origin.
        expect_mass_and_momentum(*this, t, this->cloud(t, n, [&](std::uint32_t, int) {
          return this->uniform(-39, -37);
        }));
      }
    }
}

TYPED_TEST_P(TransferSums, KeepsMassAndMomentumOfACrowdedCell) {
  for (int degree : {1, 2, 3}) {
    const int most = int_power(degree == 1 ? 2 : 3, TestFixture::kD);
    for (int modes : {1 + TestFixture::kD, most}) {
      const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kPolypic, 1, modes);
      expect_mass_and_momentum(*this, t, this->cloud(t, 10000, [&](std::uint32_t, int) {
        return this->uniform(-3, -2);
      }));
    }
  }
}

// --- angular momentum ---

template <class T>
struct AngularErrors {
  double p2g, g2p;  // relative to sum m |x| |v|
};
template <class T>
AngularErrors<T> angular_errors(T& test, const NamedTransfer& t,
                                const typename T::Particles& particles) {
  auto h = test.harness(t, particles);
  const Sums before = h.particle_sums();
  h.particles_to_grid();
  const Sums grid = h.grid_sums(false);
  h.update_grid();
  test.kick(h);
  const Sums kicked = h.grid_sums(true);
  h.grid_to_particles();
  const Sums after = h.particle_sums();
  const double scale = scale_of<T::kD>(particles, true);
  return {distance(grid.angular, before.angular) / scale,
          distance(after.angular, kicked.angular) / scale};
}

TYPED_TEST_P(TransferSums, RpicApicAndPolypicKeepAngularMomentum) {
  for (int degree : {2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree)) {
      if (!t.keeps_angular_momentum) continue;
      for (const auto& particles : {this->scattered(t, 500), this->on_lattice(t)}) {
        const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
        const auto error = angular_errors(*this, t, particles);
        EXPECT_LE(error.p2g, tolerance) << t.name;
        EXPECT_LE(error.g2p, tolerance) << t.name;
      }
    }
}

// A small cloud is set spinning on the grid: the spin inside each particle's stencil, which PIC and
// FLIP have no mode for, is then some per cent of all.
TYPED_TEST_P(TransferSums, PicAndFlipLoseAngularMomentum) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(D, degree)) {
      const bool loses = t.stored_modes == 0;
      if (!loses && !t.keeps_angular_momentum) continue;
      auto h = this->harness(
          t, this->cloud(t, 500, [&](std::uint32_t, int) { return this->uniform(-2, 2); }));
      h.particles_to_grid();
      h.update_grid();
      h.change_velocities([&](Vec<double, D> v, const Vec<double, D>& x) {
        v[0] -= 10 * x[1];
        v[1] += 10 * x[0];
        return v;
      });
      const Sums spinning = h.grid_sums(true);
      h.grid_to_particles();
      const double loss = 1 - h.particle_sums().angular[2] / spinning.angular[2];
      if (loses) {
        EXPECT_GE(loss, 0.01) << t.name;
      } else {
        EXPECT_LE(std::abs(loss), TestFixture::sum_tolerance(500, degree)) << t.name;
      }
    }
}

// --- forces ---

// Internal forces sum to nothing, fused with the momentum or apart from it, and exert no torque.
TYPED_TEST_P(TransferSums, InternalForcesHaveNoResultant) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (bool gradient : {false, true})
      for (bool separate : {false, true})
        for (int modes : {1 + D, int_power(2, D)}) {
          if (degree == 1 && !gradient) continue;  // the linear kernel has only the gradient form
          NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
          t.params.gradient_force = gradient;
          auto particles = this->scattered(t, 500);
          for (auto& p : particles) {
            p.v = Vec<double, D>::zero();
            p.modes.fill(Vec<double, D>::zero());
          }
          auto h = this->harness(t, particles, separate);
          h.set_dt(kDx, kDx);
          h.particles_to_grid();
          Vec<double, D> sum = Vec<double, D>::zero();
          double scale = 0;
          Sums torque;
          if (separate) {
            for (const auto& f : h.increments()) {
              sum += f;
              scale += norm(f);
            }
          } else {
            torque = h.grid_sums(false);
            for (const auto& node : h.nodes()) {
              sum += node.value;
              scale += norm(node.value);
            }
          }
          const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
          EXPECT_GE(scale, 1);
          EXPECT_LE(norm(sum), tolerance * scale) << degree << gradient << separate;
          // Lever arms of up to 30 cells.
          if (degree > 1) {
            EXPECT_LE(distance(torque.angular, {}), tolerance * scale * 30 * kDx)
                << degree << gradient;
          }
        }
}

REGISTER_TYPED_TEST_SUITE_P(TransferSums, KeepsMassAndMomentum, KeepsMassAndMomentumOfAnyNumber,
                            KeepsMassAndMomentumOfACrowdedCell,
                            RpicApicAndPolypicKeepAngularMomentum, PicAndFlipLoseAngularMomentum,
                            InternalForcesHaveNoResultant);
FIRN_ON_BOTH_BACKENDS(TransferSums);

// --- threads ---

template <class S>
class TransferThreads : public test::TransferTest<S> {};
TYPED_TEST_SUITE(TransferThreads, test::CpuSetups);

// Colours keep threads apart, and each node adds in the order of the layout.
TYPED_TEST(TransferThreads, GiveTheSameBits) {
  using T = TestFixture;
  const NamedTransfer t = named(T::kD, 2, TransferType::kAflip, 0.9, 0);
  const auto particles = this->scattered(t, 5000);
  typename T::Exec one(1), three(3);
  auto serial = T::harness_on(one, t, particles, true);
  auto parallel = T::harness_on(three, t, particles, true);
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

}  // namespace
}  // namespace firn
