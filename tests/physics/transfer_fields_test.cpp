// Fields that the transfers carry unchanged, what the affine map does, and the energy of a transfer
// pair.
#include <gtest/gtest.h>

#include "kernels/transfer/spline.h"
#include "tests/support/transfer_fixture.h"

namespace firn {
namespace {

using test::all_transfers;
using test::distance;
using test::HarnessParticle;
using test::kDx;
using test::Multilinear;
using test::named;
using test::NamedTransfer;
using test::scale_of;
using test::Sums;

template <class S>
class TransferFields : public test::TransferTest<S> {};
TYPED_TEST_SUITE_P(TransferFields);

// --- fields that come back unchanged ---

// Particles that carry the field as their modes; transfer sets without products get its affine
// part.
template <class T>
void expect_field_unchanged(T& test, const NamedTransfer& t) {
  constexpr int D = T::kD;
  Multilinear<D> field;
  for (int term = 0; term < 1 << D; ++term)
    for (int a = 0; a < D; ++a) {
      const bool product = (term & (term - 1)) != 0;
      field.coefficient[term][a] =
          product && t.params.set == ModeSet::kAffine ? 0 : test.uniform(-1, 1);
    }
  auto particles = test.scattered(t, 400);
  double scale = 0;
  for (auto& p : particles) {
    const Vec<double, D> x = (1 / kDx) * p.x;
    p.v = field.derivative(0, x);
    scale = std::max(scale, norm(p.v));
    for (int r = 1; r <= t.stored_modes; ++r) {
      int bits = 0;
      for (int a = 0; a < D; ++a) bits |= mode_power(t.params.set, D, r, a) << a;
      p.modes[static_cast<std::size_t>(r - 1)] = field.derivative(bits, x);
    }
  }
  auto h = test.harness(t, particles);
  h.particles_to_grid();
  h.update_grid();
  const double tolerance = T::kValueTolerance * scale;
  for (const auto& node : h.nodes())
    EXPECT_LE(norm(node.value - field.derivative(0, (1 / kDx) * node.x)), 4 * tolerance) << t.name;
  h.grid_to_particles();
  const auto back = h.particles();
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_LE(norm(back[i].v - particles[i].v), tolerance) << t.name;
    for (int r = 0; r < t.stored_modes; ++r) {
      const auto k = static_cast<std::size_t>(r);
      ASSERT_LE(norm(back[i].modes[k] - particles[i].modes[k]), 8 * tolerance)
          << t.name << " mode " << r + 1;
    }
  }
}

TYPED_TEST_P(TransferFields, AffineFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(TestFixture::kD, degree, TransferType::kApic, 1, 0));
}
TYPED_TEST_P(TransferFields, MultilinearFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(TestFixture::kD, degree, TransferType::kPolypic, 1, 0));
}

// With as many modes as nodes the trip grid -> particle -> grid loses nothing, whatever the nodes
// hold.
TYPED_TEST_P(TransferFields, GridComesBackUnchangedWithAsManyModesAsNodes) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2}) {
    const NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, int_power(degree + 1, D));
    for (const auto& particles : {this->scattered(t, 400), this->on_lattice(t)}) {
      auto h = this->harness(t, particles);
      h.particles_to_grid();
      h.update_grid();
      this->kick(h);
      const auto before = h.nodes();
      h.grid_to_particles();
      h.particles_to_grid();
      h.update_grid();
      const auto after = h.nodes();
      ASSERT_EQ(before.size(), after.size());
      // Per node 3^d modes of a few roundings each.
      const double tolerance =
          TestFixture::kDouble ? 1e-10 : 16 * int_power(3, D) * TestFixture::kEps;
      double largest = 0, scale = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        largest = std::max(largest, norm(after[i].value - before[i].value));
        scale = std::max(scale, norm(before[i].value));
      }
      EXPECT_LE(largest, tolerance * scale) << "degree " << degree;
    }
  }
}
// ... while fewer modes do lose something.
TYPED_TEST_P(TransferFields, GridLosesWhatTheModesCannotHold) {
  constexpr int D = TestFixture::kD;
  const NamedTransfer t = named(D, 2, TransferType::kPolypic, 1, int_power(2, D));
  auto h = this->harness(t, this->scattered(t, 400));
  h.particles_to_grid();
  h.update_grid();
  this->kick(h);
  const double before = h.grid_sums(true).kinetic;
  h.grid_to_particles();
  h.particles_to_grid();
  EXPECT_LT(h.grid_sums(false).kinetic, 0.99 * before);
}

// --- the affine map ---

// [PolyPIC 5.1] zeta = (I + dt C)^-1 z: linear momentum stays with affine modes alone, angular
// momentum does not; with products of modes neither does (measured 2e-4 and 3e-3 for moderate
// steps).
TYPED_TEST_P(TransferFields, AffineMapDoesNotConserve) {
  constexpr int D = TestFixture::kD;
  for (int degree : {2, 3})
    for (int modes : {1 + D, int_power(2, D), int_power(3, D)}) {
      NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
      t.params.affine_map = true;
      const auto particles =
          this->cloud(t, 500, [&](std::uint32_t, int) { return this->uniform(-3, 3); });
      auto h = this->harness(t, particles);
      h.set_dt(0, 0.5 * kDx);  // C dt up to 0.15
      const Sums before = h.particle_sums();
      h.particles_to_grid();
      const Sums grid = h.grid_sums(false);
      const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
      EXPECT_NEAR(grid.mass, before.mass, tolerance * before.mass);
      EXPECT_GE(distance(grid.angular, before.angular), 1e-5 * scale_of<D>(particles, true))
          << modes;
      const double drift = distance(grid.momentum, before.momentum) / scale_of<D>(particles, false);
      if (modes == 1 + D) {
        EXPECT_LE(drift, tolerance);
      } else {
        EXPECT_GE(drift, 1e-5) << modes;
      }
    }
}

TYPED_TEST_P(TransferFields, AffineMapFallsBackToTranslationWhereItIsNearlySingular) {
  constexpr int D = TestFixture::kD;
  for (int degree : {2, 3})
    for (int modes : {1 + D, int_power(2, D), int_power(3, D)}) {
      NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
      auto particles = this->scattered(t, 100);
      for (auto& p : particles)
        for (int a = 0; a < D; ++a)
          for (int b = 0; b < D; ++b)
            p.modes[static_cast<std::size_t>(linear_mode(t.params.set, D, b) - 1)][a] =
                a == b ? -0.75 : 0;
      auto plain = this->harness(t, particles);
      plain.particles_to_grid();
      t.params.affine_map = true;
      auto mapped = this->harness(t, particles);
      mapped.set_dt(0, kDx);  // det(I + dt C) = 1 / 4^d
      mapped.particles_to_grid();
      const auto expected = plain.nodes(), got = mapped.nodes();
      ASSERT_EQ(expected.size(), got.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_LE(norm(got[i].value - expected[i].value), TestFixture::kValueTolerance)
            << degree << " " << modes;
    }
}

// --- energy ---

// Grid to particle, an orthogonal projection, and particle to grid, an average, each lose energy.
TYPED_TEST_P(TransferFields, EnergyNeverRisesOverAnApicPair) {
  for (int degree : {2, 3}) {
    const NamedTransfer t = named(TestFixture::kD, degree, TransferType::kApic, 1, 0);
    for (std::uint32_t n : {1u, 30u, 500u}) {
      auto h = this->harness(t, this->scattered(t, n));
      const double tolerance = TestFixture::sum_tolerance(n, degree);
      double energy = h.particle_sums().kinetic;
      for (int round = 0; round < 5; ++round) {
        h.particles_to_grid();
        h.update_grid();
        const double grid = h.grid_sums(true).kinetic;
        EXPECT_LE(grid, energy * (1 + tolerance)) << n << " round " << round;
        h.grid_to_particles();
        const double after = h.particle_sums().kinetic;
        EXPECT_LE(after, grid * (1 + tolerance)) << n << " round " << round;
        energy = after;
      }
    }
  }
}

// The engine's kinetic energy of the modes against the energy of the field they stand for, on the
// particle's stencil: 1/2 m sum_i w |sum_r s_r(z_i) c_r|^2, which equals the sum of squares only
// because the modes are orthogonal.
template <int Degree, int D>
double energy_on_stencil(const HarnessParticle<D>& p, const NamedTransfer& t) {
  const auto s = make_stencil<D, Degree>(p.x, 1 / kDx);
  double energy = 0;
  for (int node = 0; node < int_power(Degree + 1, D); ++node) {
    double w = 1;
    int index[D];
    for (int a = 0, rest = node; a < D; ++a, rest /= Degree + 1) {
      index[a] = rest % (Degree + 1);
      w *= s.axis[a].w[index[a]];
    }
    Vec<double, D> v = p.v;
    for (int r = 1; r <= t.stored_modes; ++r) {
      double mode = 1;
      for (int a = 0; a < D; ++a) {
        const int power = mode_power(t.params.set, D, r, a);
        mode *= power == 0 ? 1 : power == 1 ? s.axis[a].z[index[a]] : s.axis[a].g[index[a]];
      }
      v += mode * p.modes[static_cast<std::size_t>(r - 1)];
    }
    energy += 0.5 * p.mass * w * norm_squared(v);
  }
  return energy;
}

TYPED_TEST_P(TransferFields, KineticEnergyCountsAllModes) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(D, degree)) {
      const auto particles = this->scattered(t, 200);
      auto h = this->harness(t, particles);
      double expected = 0;
      for (const auto& p : particles)
        expected += degree == 1   ? energy_on_stencil<1>(p, t)
                    : degree == 2 ? energy_on_stencil<2>(p, t)
                                  : energy_on_stencil<3>(p, t);
      // Offsets come from positions up to 30 cells away, rounded to epsilon of that.
      EXPECT_NEAR(h.particle_sums().kinetic, expected, 64 * TestFixture::kEps * expected) << t.name;
    }
}

REGISTER_TYPED_TEST_SUITE_P(TransferFields, AffineFieldsComeBackUnchanged,
                            MultilinearFieldsComeBackUnchanged,
                            GridComesBackUnchangedWithAsManyModesAsNodes,
                            GridLosesWhatTheModesCannotHold, AffineMapDoesNotConserve,
                            AffineMapFallsBackToTranslationWhereItIsNearlySingular,
                            EnergyNeverRisesOverAnApicPair, KineticEnergyCountsAllModes);
FIRN_ON_BOTH_BACKENDS(TransferFields);

}  // namespace
}  // namespace firn
