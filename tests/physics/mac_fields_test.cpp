// What the MAC transfers do to single fields: which come back unchanged, and what the scales of C,
// the FLIP blend, the affine map and the move do.
#include <gtest/gtest.h>

#include <bit>

#include "tests/support/mac_fixture.h"

namespace firn {
namespace {

using test::all_transfers;
using test::kDx;
using test::Multilinear;
using test::named;
using test::NamedTransfer;

template <class S>
class MacFields : public test::MacTest<S> {};
TYPED_TEST_SUITE_P(MacFields);

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
  auto h = test.harness(t, particles);
  h.particles_to_grid();
  h.update_grid();
  const double tolerance = T::kValueTolerance * scale;
  for (const auto& face : h.faces())
    EXPECT_LE(std::abs(face.value - field.derivative(0, (1 / kDx) * face.x)[face.axis]),
              4 * tolerance)
        << t.name;
  h.grid_to_particles();
  const auto back = h.particles();
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_LE(norm(back[i].v - particles[i].v), tolerance) << t.name;
    for (std::size_t r = 0; r < static_cast<std::size_t>(t.stored_modes); ++r)
      ASSERT_LE(norm(back[i].modes[r] - particles[i].modes[r]), 8 * tolerance)
          << t.name << " mode " << r + 1;
  }
}

TYPED_TEST_P(MacFields, ConstantFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    for (const NamedTransfer& t : all_transfers(TestFixture::kD, degree))
      if (t.params.set != ModeSet::kFull) expect_field_unchanged(*this, t, 0);
}
TYPED_TEST_P(MacFields, AffineFieldsComeBackUnchanged) {
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(TestFixture::kD, degree, TransferType::kApic, 1, 0), 1);
}
TYPED_TEST_P(MacFields, MultilinearFieldsComeBackUnchanged) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    expect_field_unchanged(*this, named(D, degree, TransferType::kPolypic, 1, int_power(2, D)), D);
}

// With as many modes as faces in the stencil the trip grid -> particle -> grid loses nothing,
// whatever the faces hold.
TYPED_TEST_P(MacFields, GridComesBackUnchangedWithAsManyModesAsFaces) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2}) {
    const NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, int_power(degree + 1, D));
    for (const auto& particles : {this->scattered(t, 400), this->on_lattice(t)}) {
      auto h = this->harness(t, particles);
      h.particles_to_grid();
      h.update_grid();
      this->kick(h);
      const auto before = h.faces();
      h.grid_to_particles();
      h.particles_to_grid();
      h.update_grid();
      const auto after = h.faces();
      ASSERT_EQ(before.size(), after.size());
      // Per face 3^d modes of a few roundings each.
      const double tolerance =
          TestFixture::kDouble ? 1e-10 : 16 * int_power(3, D) * TestFixture::kEps;
      double largest = 0, scale = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        largest = std::max(largest, std::abs(after[i].value - before[i].value));
        scale = std::max(scale, std::abs(before[i].value));
      }
      EXPECT_LE(largest, tolerance * scale) << "degree " << degree;
    }
  }
}
// ... while fewer modes do lose something.
TYPED_TEST_P(MacFields, GridLosesWhatTheModesCannotHold) {
  constexpr int D = TestFixture::kD;
  const NamedTransfer t = named(D, 2, TransferType::kPolypic, 1, int_power(2, D));
  auto h = this->harness(t, this->scattered(t, 400));
  h.particles_to_grid();
  h.update_grid();
  this->kick(h);
  const double before = h.grid_sums().kinetic;
  h.grid_to_particles();
  h.particles_to_grid();
  EXPECT_LT(h.grid_sums().kinetic, 0.99 * before);
}

// The particles after a trip to the grid, where every face's velocity changed by a smooth amount.
template <class T>
auto after_a_kick(T& test, const NamedTransfer& t, const typename T::Particles& particles) {
  auto h = test.harness(t, particles);
  h.particles_to_grid();
  h.update_grid();
  h.change_velocities([](double v, int axis, const Vec<double, T::kD>& x) {
    return v + std::sin(10 * x[0] + axis) * std::cos(7 * x[1]);
  });
  h.grid_to_particles();
  return h.particles();
}

TYPED_TEST_P(MacFields, FlipBlendsTheIncrementWithPic) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3}) {
    const NamedTransfer pic = named(D, degree, TransferType::kPic, 1, 0),
                        flip = named(D, degree, TransferType::kFlip, 1, 0),
                        blend = named(D, degree, TransferType::kFlip, 0.75, 0);
    const auto particles = this->scattered(pic, 300);
    const auto a = after_a_kick(*this, pic, particles), b = after_a_kick(*this, flip, particles),
               c = after_a_kick(*this, blend, particles);
    double difference = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
      EXPECT_LE(norm(c[i].v - (0.75 * b[i].v + 0.25 * a[i].v)), TestFixture::kValueTolerance);
      difference = std::max(difference, norm(b[i].v - a[i].v));
    }
    EXPECT_GE(difference, 0.1);

    auto resting = this->harness(flip, particles);
    resting.particles_to_grid();
    resting.update_grid();
    resting.grid_to_particles();
    const auto same = resting.particles();
    for (std::size_t i = 0; i < particles.size(); ++i)
      ASSERT_EQ(norm(same[i].v - particles[i].v), 0);
  }
}

TYPED_TEST_P(MacFields, ModesOutsideTheSetStayZero) {
  constexpr int D = TestFixture::kD;
  for (int degree : {2, 3}) {
    const NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, D == 2 ? 6 : 11);
    const auto particles = after_a_kick(*this, t, this->scattered(t, 50));
    for (const auto& p : particles)
      for (int r = 1; r <= t.stored_modes; ++r)
        ASSERT_EQ(norm(p.modes[static_cast<std::size_t>(r - 1)]) > 0,
                  (t.params.mask >> r & 1u) != 0)
            << r;
  }
}

// apic(beta) scales C; RPIC keeps the skew part of the matrix whose rows belong to the axes.
TYPED_TEST_P(MacFields, ScalesOfTheAffinePart) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3}) {
    const NamedTransfer apic = named(D, degree, TransferType::kApic, 1, 0),
                        half = named(D, degree, TransferType::kApic, 0.5, 0),
                        rpic = named(D, degree, TransferType::kRpic, 1, 0);
    const auto particles = this->scattered(apic, 300);
    const auto full = after_a_kick(*this, apic, particles),
               scaled = after_a_kick(*this, half, particles),
               rigid = after_a_kick(*this, rpic, particles);
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

// --- the affine map ---

// One particle's contribution at each face: m w sum_r c_r s_r(zeta), zeta = (I + dt C)^-1 z
// [PolyPIC 5.1], or zeta = z where that is nearly singular.
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
  auto h = test.harness(t, particles);
  h.set_dt(0, dt);
  h.particles_to_grid();
  h.update_grid();
  for (const auto& face : h.faces()) {
    const Vec<double, D> zeta = map * ((1 / kDx) * (face.x - p.x));
    double expected = p.v[face.axis];
    for (int r = 1; r <= t.stored_modes; ++r) {
      double mode = 1;
      for (int b = 0; b < D; ++b)
        if (mode_power(t.params.set, D, r, b) == 1) mode *= zeta[b];
      expected += mode * p.modes[static_cast<std::size_t>(r - 1)][face.axis];
    }
    // zeta comes from positions up to 30 cells away.
    EXPECT_NEAR(face.value, expected, 4 * T::kValueTolerance) << t.params.degree << " " << t.name;
  }
}

TYPED_TEST_P(MacFields, AffineMapMovesTheModes) {
  constexpr int D = TestFixture::kD;
  for (int degree : {1, 2, 3})
    for (int modes : {1 + D, int_power(2, D)})
      for (bool singular : {false, true}) {
        NamedTransfer t = named(D, degree, TransferType::kPolypic, 1, modes);
        t.params.affine_map = true;
        for (int round = 0; round < 20; ++round) expect_mapped(*this, t, singular);
      }
}

// --- the move ---

TYPED_TEST_P(MacFields, ParticlesMoveWithTheInterpolatedVelocityInsideTheBox) {
  using Real = typename TestFixture::Real;
  constexpr int D = TestFixture::kD;
  const double dt = 0.5 * kDx, reach = 5 * kDx;
  for (int degree : {1, 2, 3}) {
    // Of PIC, the velocity of a particle is the interpolated one.
    const NamedTransfer t = named(D, degree, TransferType::kPic, 1, 0);
    const auto particles = this->scattered(t, 500);
    auto h = this->harness(t, particles);
    h.set_dt(dt, dt);
    h.bounds.active = true;
    for (int a = 0; a < D; ++a) {
      h.bounds.min[a] = static_cast<Real>(-reach);
      h.bounds.max[a] = static_cast<Real>(reach);
    }
    h.particles_to_grid();
    h.update_grid();
    h.grid_to_particles();
    const auto moved = h.particles();
    double fastest = 0;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      for (int a = 0; a < D; ++a)
        ASSERT_NEAR(moved[i].x[a],
                    std::clamp(particles[i].x[a] + dt * moved[i].v[a], -reach, reach),
                    4 * TestFixture::kEps * norm(particles[i].x));
      fastest = std::max(fastest, norm_squared(moved[i].v));
    }
    EXPECT_NEAR(h.control().speed_squared, fastest, 8 * TestFixture::kEps * fastest);
  }
}

TYPED_TEST_P(MacFields, VelocitiesThatAreNotFiniteAreFaults) {
  constexpr int D = TestFixture::kD;
  for (int axis = 0; axis < D; ++axis) {
    const NamedTransfer t = named(D, 1, TransferType::kApic, 1, 0);
    auto h = this->harness(t, this->scattered(t, 40));
    h.particles_to_grid();
    h.update_grid();
    h.change_velocities([&](double v, int a, const Vec<double, D>&) {
      return a == axis ? std::numeric_limits<double>::quiet_NaN() : v;
    });
    h.grid_to_particles();
    EXPECT_EQ(h.control().fault, pack_fault(Fault::kVelocity, 0)) << axis;
  }
}

REGISTER_TYPED_TEST_SUITE_P(MacFields, ConstantFieldsComeBackUnchanged,
                            AffineFieldsComeBackUnchanged, MultilinearFieldsComeBackUnchanged,
                            GridComesBackUnchangedWithAsManyModesAsFaces,
                            GridLosesWhatTheModesCannotHold, FlipBlendsTheIncrementWithPic,
                            ModesOutsideTheSetStayZero, ScalesOfTheAffinePart,
                            AffineMapMovesTheModes,
                            ParticlesMoveWithTheInterpolatedVelocityInsideTheBox,
                            VelocitiesThatAreNotFiniteAreFaults);
FIRN_ON_BOTH_BACKENDS(MacFields);

}  // namespace
}  // namespace firn
