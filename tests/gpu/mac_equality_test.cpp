// The MAC transfers on both backends: faces after P2G and particles after G2P agree within what
// another order of summation explains, for every transfer, kernel, dimension and precision.
#include <gtest/gtest.h>

#include "tests/support/device.h"
#include "tests/support/mac_fixture.h"

namespace firn {
namespace {

using test::all_transfers;
using test::kDx;
using test::NamedTransfer;

// What one backend makes of the particles: the faces, then the particles after a change of all
// velocities.
template <int D>
struct Outcome {
  std::vector<test::HarnessFace<D>> faces;
  std::vector<test::HarnessParticle<D>> particles;
  double speed_squared = 0;
};
template <class Exec, int D, class Real>
Outcome<D> transfer(Exec& exec, const NamedTransfer& t,
                    const std::vector<test::HarnessParticle<D>>& particles) {
  test::MacHarness<Exec, D, Real> h(exec, t.params, t.stored_modes, kDx);
  h.set_particles(particles);
  h.rebuild();
  h.set_dt(0.2 * kDx, 0.2 * kDx);
  h.particles_to_grid();
  Outcome<D> outcome;
  outcome.faces = h.faces();
  h.update_grid();
  h.change_velocities([](double v, int axis, const Vec<double, D>& x) {
    return v + std::sin(10 * x[0] + axis) * std::cos(7 * x[1]);
  });
  h.grid_to_particles();
  outcome.particles = h.particles();
  outcome.speed_squared = h.control().speed_squared;
  return outcome;
}

// A face sums some 30 (n) products, a particle 4^d, in other orders: random walks of sqrt(n)
// roundings. A velocity is a quotient of two such sums, read by another; the functional of a mode
// sums up to 2^d times as much.
template <class Real>
constexpr double kTolerance = 64 * std::numeric_limits<Real>::epsilon();

template <int D, class Real>
void expect_equal(const Outcome<D>& a, const Outcome<D>& b, const std::string& name) {
  constexpr double tolerance = kTolerance<Real>;
  ASSERT_EQ(a.faces.size(), b.faces.size()) << name;
  double scale = 0;  // of a face's momentum
  for (const auto& face : a.faces) scale = std::max(scale, face.mass);
  for (std::size_t i = 0; i < a.faces.size(); ++i) {
    ASSERT_EQ(a.faces[i].axis, b.faces[i].axis) << name;
    ASSERT_NEAR(a.faces[i].mass, b.faces[i].mass, tolerance * scale) << name;
    ASSERT_NEAR(a.faces[i].volume, b.faces[i].volume, tolerance * scale) << name;
    ASSERT_NEAR(a.faces[i].value, b.faces[i].value, tolerance * scale) << name;
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

template <int D, class Real>
std::vector<test::HarnessParticle<D>> cloud(const NamedTransfer& t) {
  std::mt19937_64 random(20240229);
  const auto uniform = [&](double low, double high) {
    return static_cast<double>(
        static_cast<Real>(std::uniform_real_distribution<double>(low, high)(random)));
  };
  // Some 16 to a cell in 2D, one in 3D.
  const double side = D == 3 ? 5 * kDx : 8 * kDx;
  std::vector<test::HarnessParticle<D>> particles(D == 3 ? 1000 : 4000);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    auto& p = particles[i];
    p.mass = uniform(0.5, 1.5);
    p.volume = uniform(0.5, 1.5);
    p.material = static_cast<std::uint32_t>(i * 3 / particles.size());
    for (int a = 0; a < D; ++a) {
      p.x[a] = uniform(-side, side);
      p.v[a] = uniform(-1, 1);
      for (int r = 0; r < t.stored_modes; ++r)
        p.modes[static_cast<std::size_t>(r)][a] =
            (t.params.mask >> (r + 1) & 1u) != 0 ? uniform(-0.3, 0.3) : 0;
    }
  }
  return particles;
}

template <class OtherExec, int D, class Real>
void compare(OtherExec& other) {
  Cpu reference(1);
  for (int degree : {1, 2, 3})
    for (NamedTransfer t : all_transfers(D, degree))
      for (bool affine_map : {false, true}) {
        t.params.affine_map = affine_map;
        const auto particles = cloud<D, Real>(t);
        expect_equal<D, Real>(transfer<Cpu, D, Real>(reference, t, particles),
                              transfer<OtherExec, D, Real>(other, t, particles), t.name);
      }
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

TEST(GpuMacEquality, PlaneSingle) { compare_with_device<2, float>(); }
TEST(GpuMacEquality, PlaneDouble) { compare_with_device<2, double>(); }
TEST(GpuMacEquality, SpaceSingle) { compare_with_device<3, float>(); }
TEST(GpuMacEquality, SpaceDouble) { compare_with_device<3, double>(); }

// Without a device: the comparison runs, and sees threads equal one, and a nudged particle not.
TEST(MacEquality, ThreadsOnTheCpu) {
  Cpu three(3);
  compare<Cpu, 2, double>(three);
}
TEST(MacEquality, SeesASmallDifference) {
  const NamedTransfer t = test::named(2, 2, TransferType::kApic, 1, 0);
  auto particles = cloud<2, double>(t);
  Cpu exec(1);
  const auto before = transfer<Cpu, 2, double>(exec, t, particles);
  particles[7].v[0] += 1e-10;
  const auto after = transfer<Cpu, 2, double>(exec, t, particles);
  double difference = 0;
  for (std::size_t i = 0; i < before.faces.size(); ++i)
    difference = std::max(difference, std::abs(before.faces[i].value - after.faces[i].value));
  EXPECT_GT(difference, 10 * kTolerance<double>);
}

}  // namespace
}  // namespace firn
