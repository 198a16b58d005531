// Sums that the transfers keep, on nodes and on faces: mass, volume, momentum, angular momentum,
// the resultant of internal forces; energy, which none of them may gain; and which transfers lose
// which.
#include <gtest/gtest.h>

#include "kernels/transfer/spline.h"
#include "tests/support/transfer_fixture.h"

namespace firn::test {
namespace {

template <class Space>
class TransferSums : public TransferTest<Space> {};
TYPED_TEST_SUITE_P(TransferSums);

// --- mass, volume and momentum ---

template <class T>
void expect_mass_and_momentum(T& test, const NamedTransfer& t,
                              const typename T::Particles& particles) {
  constexpr int D = T::kD;
  const auto h = test.harness(t, particles);
  const Sums before = sums_of<D>(particles);
  double volume = 0;
  for (const auto& p : particles) volume += p.volume;
  const double tolerance = T::sum_tolerance(particles.size(), t.params.degree);
  h->particles_to_grid();
  const auto grid = h->grid_sums();
  for (int a = 0; a < D; ++a) {
    EXPECT_NEAR(grid.masses[a], before.mass, tolerance * before.mass) << t.name;
    if (T::kFaces) {
      EXPECT_NEAR(grid.volumes[a], volume, tolerance * volume) << t.name;
    }
  }
  EXPECT_LE(distance(grid.momentum, before.momentum), tolerance * scale_of<D>(particles, false))
      << t.name;

  h->update_grid();
  test.kick(*h);
  const Sums kicked = h->grid_sums();
  h->grid_to_particles();
  const auto moved = h->particles();
  const Sums after = sums_of<D>(moved);
  const double scale = scale_of<D>(particles, false) + scale_of<D>(moved, false);
  EXPECT_EQ(after.mass, before.mass) << t.name;
  EXPECT_LE(distance(after.momentum, kicked.momentum), tolerance * scale) << t.name;
  EXPECT_EQ(h->control().fault, ~std::uint64_t{0}) << t.name;
}

TYPED_TEST_P(TransferSums, KeepsMassVolumeAndMomentum) {
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree)) {
      expect_mass_and_momentum(*this, t, this->scattered(t, 500));
      expect_mass_and_momentum(*this, t, this->on_lattice(t));
    }
}

// Around a chunk, and nothing at all.
TYPED_TEST_P(TransferSums, KeepsMassVolumeAndMomentumOfAnyNumber) {
  for (int degree : {1, 2, 3})
    for (int modes : {1, 1 + TestFixture::kD, int_power(2, TestFixture::kD)}) {
      const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kPolypic, 1, modes);
      for (std::uint32_t n : {0u, 1u, 31u, 32u, 33u, 64u, 65u}) {
        expect_mass_and_momentum(*this, t, this->scattered(t, n));
        // ... all in one block, away from the origin.
        expect_mass_and_momentum(*this, t, this->within(t, n, -39, -37));
      }
    }
}

TYPED_TEST_P(TransferSums, KeepsMassVolumeAndMomentumOfACrowdedCell) {
  for (int degree : {1, 2, 3}) {
    const int most = int_power(degree == 1 ? 2 : 3, TestFixture::kD);
    for (int modes : {1 + TestFixture::kD, most}) {
      const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kPolypic, 1, modes);
      expect_mass_and_momentum(*this, t, this->within(t, 4000, -3, -2));
    }
  }
}

TYPED_TEST_P(TransferSums, KeepsMassVolumeAndMomentumOfSeveralMaterials) {
  for (int degree : {1, 2, 3}) {
    const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kApic);
    auto particles = this->scattered(t, 1000 * kHarnessMaterials);
    for (std::uint32_t i = 0; i < particles.size(); ++i) particles[i].material = i / 1000;
    expect_mass_and_momentum(*this, t, particles);
    const auto sorted = this->harness(t, particles)->particles();
    for (std::size_t i = 0; i < sorted.size(); ++i)
      ASSERT_EQ(sorted[i].material, particles[i].material);
  }
}

// --- angular momentum: the sum over nodes or faces of x cross e_a (m v_a) ---

struct AngularErrors {
  double p2g, g2p;  // relative to sum m |x| |v|
};
// Particles move by dt with the velocity they read: with D_p the same everywhere (quadratic and
// cubic kernels) that changes nothing, since v x v = 0.
template <class T>
AngularErrors angular_errors(T& test, const NamedTransfer& t,
                             const typename T::Particles& particles, double dt) {
  const auto h = test.harness(t, particles);
  h->set_dt(dt, dt);
  const Sums before = h->particle_sums();
  h->particles_to_grid();
  const Sums grid = h->grid_sums();
  h->update_grid();
  test.kick(*h);
  const Sums kicked = h->grid_sums();
  h->grid_to_particles();
  const Sums after = h->particle_sums();
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
        const auto error = angular_errors(*this, t, particles, 0.3 * kDx);
        EXPECT_LE(error.p2g, tolerance) << t.name;
        EXPECT_LE(error.g2p, tolerance) << t.name;
      }
    }
}

// With the linear kernel D_p depends on the position, so that only a particle that stays keeps its
// spin. RPIC then needs the moments of the places it reads, which on faces are half a cell off.
TYPED_TEST_P(TransferSums, LinearKernelKeepsAngularMomentumOnTheSpot) {
  constexpr int D = TestFixture::kD;
  for (const NamedTransfer& t : {named(D, 1, TransferType::kRpic), named(D, 1, TransferType::kApic),
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
TYPED_TEST_P(TransferSums, PicAndFlipLoseAngularMomentum) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(D, degree)) {
      const bool loses = t.stored_modes == 0;
      if (!loses && !t.keeps_angular_momentum) continue;
      const auto h = this->on_grid(t, this->within(t, 500, -2, 2));
      h->change_velocities([](double v, int axis, const Vec<double, D>& x) {
        return axis == 0 ? v - 10 * x[1] : axis == 1 ? v + 10 * x[0] : v;
      });
      const Sums spinning = h->grid_sums();
      h->grid_to_particles();
      const double loss = 1 - h->particle_sums().angular[2] / spinning.angular[2];
      if (loses) {
        EXPECT_GE(loss, 0.01) << t.name;
      } else {
        EXPECT_LE(std::abs(loss), TestFixture::sum_tolerance(500, degree)) << t.name;
      }
    }
}

// --- energy ---

// Grid to particle, an orthogonal projection, and particle to grid, an average, each lose energy.
TYPED_TEST_P(TransferSums, EnergyNeverRisesOverAnApicPair) {
  for (int degree : {2, 3}) {
    const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kApic);
    for (std::uint32_t n : {1u, 30u, 500u}) {
      const auto h = this->harness(t, this->scattered(t, n));
      const double tolerance = TestFixture::sum_tolerance(n, degree);
      double energy = h->particle_sums().kinetic;
      for (int round = 0; round < 5; ++round) {
        h->particles_to_grid();
        h->update_grid();
        const double grid = h->grid_sums().kinetic;
        EXPECT_LE(grid, energy * (1 + tolerance)) << n << " round " << round;
        h->grid_to_particles();
        energy = h->particle_sums().kinetic;
        EXPECT_LE(energy, grid * (1 + tolerance)) << n << " round " << round;
      }
    }
  }
}

// The engine's kinetic energy of the modes against the energy of the field they stand for, on the
// particle's stencil of each axis: 1/2 m sum_i w (sum_r s_r(z_i) c_r)^2, which equals the sum of
// squares only because the modes are orthogonal there.
template <int Degree, class T>
double energy_on_stencil(const typename T::Particle& p, const NamedTransfer& t) {
  constexpr int D = T::kD;
  double energy = 0;
  for (int axis = 0; axis < D; ++axis) {
    const auto s = T::kFaces ? make_face_stencil<D, Degree>(p.x, 1 / kDx, axis)
                             : make_stencil<D, Degree>(p.x, 1 / kDx);
    for (int node = 0; node < int_power(Degree + 1, D); ++node) {
      double w = 1, v = p.v[axis];
      int index[D];
      for (int b = 0, rest = node; b < D; ++b, rest /= Degree + 1) {
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

TYPED_TEST_P(TransferSums, KineticEnergyCountsAllModes) {
  using T = TestFixture;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(T::kD, degree)) {
      const auto particles = this->scattered(t, 200);
      double expected = 0;
      for (const auto& p : particles)
        expected += degree == 1   ? energy_on_stencil<1, T>(p, t)
                    : degree == 2 ? energy_on_stencil<2, T>(p, t)
                                  : energy_on_stencil<3, T>(p, t);
      // Offsets come from positions up to 30 cells away, rounded to epsilon of that.
      EXPECT_NEAR(this->harness(t, particles)->particle_sums().kinetic, expected,
                  64 * T::kEps * expected)
          << t.name;
    }
}

REGISTER_TYPED_TEST_SUITE_P(
    TransferSums, KeepsMassVolumeAndMomentum, KeepsMassVolumeAndMomentumOfAnyNumber,
    KeepsMassVolumeAndMomentumOfACrowdedCell, KeepsMassVolumeAndMomentumOfSeveralMaterials,
    RpicApicAndPolypicKeepAngularMomentum, LinearKernelKeepsAngularMomentumOnTheSpot,
    PicAndFlipLoseAngularMomentum, EnergyNeverRisesOverAnApicPair, KineticEnergyCountsAllModes);
FIRN_ON_NODES(TransferSums);
FIRN_ON_FACES(TransferSums);

// --- forces, which on faces belong to the thermal step ---

template <class Space>
class TransferForces : public TransferTest<Space> {};
TYPED_TEST_SUITE_P(TransferForces);

// Internal forces sum to nothing, fused with the momentum or apart from it, and exert no torque.
TYPED_TEST_P(TransferForces, HaveNoResultant) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (bool gradient : {false, true})
      for (bool separate : {false, true})
        for (int modes : {1 + D, int_power(2, D)}) {
          if (degree == 1 && !gradient) continue;  // the linear kernel has only the gradient form
          NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
          t.settings.force = gradient ? ForceForm::kGradient : ForceForm::kMls;
          auto particles = this->scattered(t, 500);
          for (auto& p : particles) {
            p.v = Vec<double, D>::zero();
            p.modes.fill(Vec<double, D>::zero());
          }
          const auto h = this->harness(t, particles, 1, separate);
          h->set_dt(kDx, kDx);
          h->particles_to_grid();
          Vec<double, D> sum = Vec<double, D>::zero();
          double scale = 0;
          for (const auto& impulse : h->impulses()) {
            sum += impulse;
            scale += norm(impulse);
          }
          const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
          EXPECT_GE(scale, 1);
          EXPECT_LE(norm(sum), tolerance * scale) << degree << gradient << separate;
          // Lever arms of up to 30 cells.
          if (degree > 1) {
            EXPECT_LE(distance(h->grid_sums().angular, {}), tolerance * scale * 30 * kDx)
                << degree << gradient;
          }
        }
}
REGISTER_TYPED_TEST_SUITE_P(TransferForces, HaveNoResultant);
FIRN_ON_NODES(TransferForces);

// --- threads ---

template <class Space>
class TransferThreads : public TransferTest<Space> {};
TYPED_TEST_SUITE_P(TransferThreads);

// Colours keep threads apart, and each node or face adds in the order of the layout.
TYPED_TEST_P(TransferThreads, GiveTheSameBits) {
  using T = TestFixture;
  for (int degree : {1, 2}) {
    const NamedTransfer t = named(T::kD, degree, TransferType::kAflip, 0.9);
    const auto particles = this->scattered(t, 5000);
    const auto serial = T::harness(t, particles, 1), parallel = T::harness(t, particles, 3);
    for (auto* h : {serial.get(), parallel.get()})
      for (int round = 0; round < 2; ++round) {
        h->particles_to_grid();
        h->update_grid();
        h->grid_to_particles();
      }
    const auto expected = serial->particles(), got = parallel->particles();
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(norm(got[i].v - expected[i].v), 0) << i;
      for (std::size_t r = 0; r < static_cast<std::size_t>(t.stored_modes); ++r)
        ASSERT_EQ(norm(got[i].modes[r] - expected[i].modes[r]), 0) << i;
    }
  }
}
REGISTER_TYPED_TEST_SUITE_P(TransferThreads, GiveTheSameBits);
FIRN_ON(CpuNodes, TransferThreads);
FIRN_ON(CpuFaces, TransferThreads);

}  // namespace
}  // namespace firn::test
