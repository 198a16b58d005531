// What the transfers do to single fields, on nodes and on faces: which come back unchanged, and
// what the scales of C, the FLIP blend, the modes and the move do.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/support/transfer_fixture.h"

namespace firn::test {
namespace {

template <class Space>
class TransferFields : public TransferTest<Space> {};
TYPED_TEST_SUITE_P(TransferFields);

// --- fields that come back unchanged ---

// Particles that carry the terms of a random field with at most `most_axes` factors as their modes.
template <class T>
void expect_field_unchanged(T& test, const NamedTransfer& t, int most_axes) {
  constexpr int D = T::kD;
  Multilinear<D> field;
  for (unsigned term = 0; term < 1u << D; ++term)
    for (int a = 0; a < D; ++a)
      field.coefficient[term][a] = std::popcount(term) > most_axes ? 0 : test.uniform(-1, 1);
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
  const auto h = test.on_grid(t, particles);
  const double tolerance = T::kValueTolerance * scale;
  for (const auto& v : h->values())
    EXPECT_LE(std::abs(v.value - field.derivative(0, (1 / kDx) * v.x)[v.axis]),
              4 * T::kComponent * tolerance)
        << t.name;
  h->grid_to_particles();
  const auto back = h->particles();
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_LE(norm(back[i].v - particles[i].v), tolerance) << t.name;
    for (std::size_t r = 0; r < static_cast<std::size_t>(t.stored_modes); ++r)
      ASSERT_LE(norm(back[i].modes[r] - particles[i].modes[r]), 8 * tolerance)
          << t.name << " mode " << r + 1;
  }
}

TYPED_TEST_P(TransferFields, ConstantFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree))
      if (t.params.set != ModeSet::kFull) expect_field_unchanged(*this, t, 0);
}
TYPED_TEST_P(TransferFields, AffineFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(TestFixture::kD, degree, TransferType::kApic), 1);
}
TYPED_TEST_P(TransferFields, MultilinearFieldsComeBackUnchanged) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(D, degree, TransferType::kPolypic, 1, int_power(2, D)), D);
}

// With as many modes as places in the stencil the trip grid -> particle -> grid loses nothing,
// whatever the grid holds.
TYPED_TEST_P(TransferFields, GridComesBackUnchangedWithAsManyModesAsPlaces) {
  using T = TestFixture;
  for (int degree : {1, 2}) {
    const NamedTransfer t =
        named(T::kD, degree, TransferType::kPolypic, 1, int_power(degree + 1, T::kD));
    for (const auto& particles : {this->scattered(t, 400), this->on_lattice(t)}) {
      const auto h = this->on_grid(t, particles);
      this->kick(*h);
      const auto before = h->values();
      h->grid_to_particles();
      h->particles_to_grid();
      h->update_grid();
      const auto after = h->values();
      ASSERT_EQ(before.size(), after.size());
      // Per place 3^d modes of a few roundings each.
      const double tolerance = T::kDouble ? 1e-10 : 16 * int_power(3, T::kD) * T::kEps;
      double largest = 0, scale = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        largest = std::max(largest, std::abs(after[i].value - before[i].value));
        scale = std::max(scale, std::abs(before[i].value));
      }
      EXPECT_LE(largest, T::kComponent * tolerance * scale) << "degree " << degree;
    }
  }
}
// ... while fewer modes do lose something.
TYPED_TEST_P(TransferFields, GridLosesWhatTheModesCannotHold) {
  constexpr int D = TestFixture::kD;
  const NamedTransfer t = named(D, 2, TransferType::kPolypic, 1, int_power(2, D));
  const auto h = this->on_grid(t, this->scattered(t, 400));
  this->kick(*h);
  const double before = h->grid_sums().kinetic;
  h->grid_to_particles();
  h->particles_to_grid();
  EXPECT_LT(h->grid_sums().kinetic, 0.99 * before);
}

// --- blends, modes and scales ---

TYPED_TEST_P(TransferFields, FlipBlendsTheIncrementWithPic) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3}) {
    const NamedTransfer pic = named(D, degree, TransferType::kPic),
                        flip = named(D, degree, TransferType::kFlip),
                        blend = named(D, degree, TransferType::kFlip, 0.75);
    const auto particles = this->scattered(pic, 300);
    const auto a = this->after_a_kick(pic, particles), b = this->after_a_kick(flip, particles),
               c = this->after_a_kick(blend, particles);
    double difference = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
      EXPECT_LE(norm(c[i].v - (0.75 * b[i].v + 0.25 * a[i].v)), TestFixture::kValueTolerance);
      difference = std::max(difference, norm(b[i].v - a[i].v));
    }
    EXPECT_GE(difference, 0.1);

    const auto resting = this->on_grid(flip, particles);
    resting->grid_to_particles();
    const auto same = resting->particles();
    for (std::size_t i = 0; i < particles.size(); ++i)
      ASSERT_EQ(norm(same[i].v - particles[i].v), 0);
  }
}

TYPED_TEST_P(TransferFields, ModesOutsideTheSetStayZero) {
  constexpr int D = TestFixture::kD;
  for (int degree : {2, 3}) {
    const NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, D == 2 ? 6 : 11);
    for (const auto& p : this->after_a_kick(t, this->scattered(t, 50)))
      for (int r = 1; r <= t.stored_modes; ++r)
        ASSERT_EQ(norm(p.modes[static_cast<std::size_t>(r - 1)]) > 0,
                  (t.params.mask >> r & 1u) != 0)
            << r;
  }
}

// apic(beta) scales C; RPIC keeps its skew part, whose rows belong to the axes.
TYPED_TEST_P(TransferFields, ScalesOfTheAffinePart) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3}) {
    const NamedTransfer apic = named(D, degree, TransferType::kApic),
                        half = named(D, degree, TransferType::kApic, 0.5),
                        rpic = named(D, degree, TransferType::kRpic);
    const auto particles = this->scattered(apic, 300);
    const auto full = this->after_a_kick(apic, particles),
               scaled = this->after_a_kick(half, particles),
               rigid = this->after_a_kick(rpic, particles);
    for (std::size_t i = 0; i < particles.size(); ++i)
      for (int a = 0; a < D; ++a)
        for (int b = 0; b < D; ++b) {
          const auto column_a = static_cast<std::size_t>(a), column_b = static_cast<std::size_t>(b);
          const double C_ab = full[i].modes[column_b][a], C_ba = full[i].modes[column_a][b];
          ASSERT_NEAR(scaled[i].modes[column_b][a], 0.5 * C_ab, TestFixture::kValueTolerance);
          const double skew = rigid[i].modes[column_b][a];
          ASSERT_NEAR(skew, -rigid[i].modes[column_a][b], TestFixture::kValueTolerance);
          if (degree > 1) {
            ASSERT_NEAR(skew, 0.5 * (C_ab - C_ba), TestFixture::kValueTolerance);
          }
        }
  }
}

// --- the move ---

TYPED_TEST_P(TransferFields, ParticlesMoveWithTheInterpolatedVelocityInsideTheBox) {
  constexpr int D = TestFixture::kD;
  const double dt = 0.5 * kDx, reach = TestFixture::exact(5 * kDx);
  for (int degree : {1, 2, 3}) {
    // Of PIC, the velocity of a particle is the interpolated one.
    const NamedTransfer t = named(D, degree, TransferType::kPic);
    const auto particles = this->scattered(t, 500);
    const auto h = this->harness(t, particles);
    h->set_dt(dt, dt);
    h->set_bounds(reach);
    h->particles_to_grid();
    h->update_grid();
    h->grid_to_particles();
    const auto moved = h->particles();
    double fastest = 0;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      for (int a = 0; a < D; ++a)
        ASSERT_NEAR(moved[i].x[a],
                    std::clamp(particles[i].x[a] + dt * moved[i].v[a], -reach, reach),
                    4 * TestFixture::kEps * norm(particles[i].x));
      fastest = std::max(fastest, norm_squared(moved[i].v));
    }
    EXPECT_NEAR(h->control().speed_squared, fastest, 8 * TestFixture::kEps * fastest);
  }
}

TYPED_TEST_P(TransferFields, VelocitiesThatAreNotFiniteAreFaults) {
  constexpr int D = TestFixture::kD;
  for (int axis = 0; axis < D; ++axis) {
    const NamedTransfer t = named(D, 1, TransferType::kApic);
    const auto h = this->on_grid(t, this->scattered(t, 40));
    h->change_velocities([&](double v, int a, const Vec<double, D>&) {
      return a == axis ? std::numeric_limits<double>::quiet_NaN() : v;
    });
    h->grid_to_particles();
    EXPECT_EQ(h->control().fault, pack_fault(Fault::kVelocity, 0)) << axis;
  }
}

REGISTER_TYPED_TEST_SUITE_P(TransferFields, ConstantFieldsComeBackUnchanged,
                            AffineFieldsComeBackUnchanged, MultilinearFieldsComeBackUnchanged,
                            GridComesBackUnchangedWithAsManyModesAsPlaces,
                            GridLosesWhatTheModesCannotHold, FlipBlendsTheIncrementWithPic,
                            ModesOutsideTheSetStayZero, ScalesOfTheAffinePart,
                            ParticlesMoveWithTheInterpolatedVelocityInsideTheBox,
                            VelocitiesThatAreNotFiniteAreFaults);
FIRN_ON_NODES(TransferFields);
FIRN_ON_FACES(TransferFields);

// --- the affine map: zeta = (I + dt C)^-1 z [PolyPIC 5.1] ---

template <class Space>
class TransferMaps : public TransferTest<Space> {};
TYPED_TEST_SUITE_P(TransferMaps);

// Linear momentum stays with affine modes alone, angular momentum does not; with products of modes
// neither does (measured 2e-4 and 3e-3 for moderate steps).
TYPED_TEST_P(TransferMaps, DoNotConserve) {
  constexpr int D = TestFixture::kD;
  for (int degree : {2, 3})
    for (int modes : {1 + D, int_power(2, D), int_power(3, D)}) {
      NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
      t.settings.advection = AdvectionMap::kAffine;
      const auto particles = this->within(t, 500, -3, 3);
      const auto h = this->harness(t, particles);
      h->set_dt(0, 0.5 * kDx);  // C dt up to 0.15
      const Sums before = h->particle_sums();
      h->particles_to_grid();
      const auto grid = h->grid_sums();
      const double tolerance = TestFixture::sum_tolerance(particles.size(), degree);
      for (int a = 0; a < D; ++a) EXPECT_NEAR(grid.masses[a], before.mass, tolerance * before.mass);
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

TYPED_TEST_P(TransferMaps, FallBackToTranslationWhereTheyAreNearlySingular) {
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
      const auto plain = this->harness(t, particles);
      plain->particles_to_grid();
      t.settings.advection = AdvectionMap::kAffine;
      const auto mapped = this->harness(t, particles);
      mapped->set_dt(0, kDx);  // det(I + dt C) = 1 / 4^d
      mapped->particles_to_grid();
      const auto expected = plain->values(), got = mapped->values();
      ASSERT_EQ(expected.size(), got.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_LE(std::abs(got[i].value - expected[i].value),
                  TestFixture::kComponent * TestFixture::kValueTolerance)
            << degree << " " << modes;
    }
}

// One particle's contribution at each place: m w sum_r c_r s_r(zeta), or s_r(z) where the map is
// nearly singular.
template <class T>
void expect_mapped(T& test, const NamedTransfer& t, bool singular) {
  constexpr int D = T::kD;
  auto particles = test.scattered(t, 1);
  auto& p = particles[0];
  Mat<double, D> forward = Mat<double, D>::identity();
  const double dt = 0.5 * kDx;
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) {
      double& C_ab = p.modes[static_cast<std::size_t>(linear_mode(t.params.set, D, b) - 1)][a];
      if (singular) C_ab = a == b ? -1.5 : 0;
      forward(a, b) += dt / kDx * C_ab;
    }
  const Mat<double, D> map = singular ? Mat<double, D>::identity() : inverse(forward);
  const auto h = test.harness(t, particles);
  h->set_dt(0, dt);
  h->particles_to_grid();
  h->update_grid();
  for (const auto& v : h->values()) {
    const Vec<double, D> zeta = map * ((1 / kDx) * (v.x - p.x));
    double expected = p.v[v.axis];
    for (int r = 1; r <= t.stored_modes; ++r) {
      double mode = 1;
      for (int b = 0; b < D; ++b)
        if (mode_power(t.params.set, D, r, b) == 1) mode *= zeta[b];
      expected += mode * p.modes[static_cast<std::size_t>(r - 1)][v.axis];
    }
    // zeta comes from positions up to 30 cells away.
    EXPECT_NEAR(v.value, expected, 4 * T::kValueTolerance) << t.params.degree << " " << t.name;
  }
}

TYPED_TEST_P(TransferMaps, MoveTheModes) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (int modes : {1 + D, int_power(2, D)})
      for (bool singular : {false, true}) {
        NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
        t.settings.advection = AdvectionMap::kAffine;
        for (int round = 0; round < 20; ++round) expect_mapped(*this, t, singular);
      }
}

REGISTER_TYPED_TEST_SUITE_P(TransferMaps, DoNotConserve,
                            FallBackToTranslationWhereTheyAreNearlySingular, MoveTheModes);
FIRN_ON_NODES(TransferMaps);
FIRN_ON_FACES(TransferMaps);

}  // namespace
}  // namespace firn::test
