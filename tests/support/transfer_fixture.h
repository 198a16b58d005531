// The fixture of the transfers' tests: every transfer by name, clouds of particles, and tolerances,
// for nodes and faces, every backend, dimension and precision.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/state/scene_params.h"
#include "tests/support/device.h"
#include "tests/support/transfer_harness.h"

namespace firn::test {

struct NamedTransfer {
  std::string name;
  TransferSettings settings;
  TransferParams params;  // what they stand for
  int stored_modes = 0;
  bool keeps_angular_momentum = false;  // with quadratic and cubic kernels
};

inline NamedTransfer named(int d, int degree, TransferType type, double blend = 1, int modes = 0) {
  Scene scene;
  scene.simulation.dimension = d;
  scene.transfer.type = type;
  scene.transfer.blend = blend;
  scene.transfer.modes = modes;
  scene.transfer.kernel = degree;
  NamedTransfer t;
  t.settings = scene.transfer;
  t.params = transfer_params(scene);
  t.stored_modes = channel_needs(scene).coefficient_modes;
  return t;
}

// Every transfer type that a kernel offers, PolyPIC with every set of modes.
inline std::vector<NamedTransfer> all_transfers(int d, int degree) {
  std::vector<NamedTransfer> list;
  const auto add = [&](const char* name, TransferType type, double blend, bool keeps,
                       int modes = 0) {
    list.push_back(named(d, degree, type, blend, modes));
    list.back().name =
        std::string(name) + " degree " + std::to_string(degree) + " modes " + std::to_string(modes);
    list.back().keeps_angular_momentum = keeps && degree > 1;
  };
  add("pic", TransferType::kPic, 1, false);
  add("flip", TransferType::kFlip, 1, false);
  add("flip 0.95", TransferType::kFlip, 0.95, false);
  add("rpic", TransferType::kRpic, 1, true);
  add("apic", TransferType::kApic, 1, true);
  add("apic 0.5", TransferType::kApic, 0.5, false);
  add("aflip", TransferType::kAflip, 0.9, false);
  for (int n : d == 2 ? std::vector{1, 3, 4, 6, 8, 9}
                      : std::vector{1, 4, 8, 11, 14, 17, 18, 20, 23, 26, 27})
    if (degree > 1 || n <= int_power(2, d)) add("polypic", TransferType::kPolypic, 1, n > 1, n);
  return list;
}

template <class Space>
class TransferTest : public ::testing::Test {
 public:
  using Exec = typename Space::Exec;
  using Real = typename Space::Real;
  static constexpr int kD = Space::D;
  static constexpr bool kFaces = Space::kPlaces == Places::kFaces;
  static constexpr double kEps = std::numeric_limits<Real>::epsilon();
  static constexpr bool kDouble = std::is_same_v<Real, double>;
  using Harness = TransferHarness<kD>;
  using Particle = HarnessParticle<kD>;
  using Particles = std::vector<Particle>;

  void SetUp() override {
    if constexpr (Exec::kIsCuda)
      if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }

  static std::unique_ptr<Harness> harness(const NamedTransfer& t, const Particles& particles,
                                          int threads = 1, bool stages = false) {
    auto h = make_harness<Space>(t.settings, particles, threads, stages);
    EXPECT_EQ(h->control().stop, 0u) << t.name;
    EXPECT_EQ(h->control().n_particles, particles.size()) << t.name;
    return h;
  }
  // ... whose velocities have come to the grid.
  static std::unique_ptr<Harness> on_grid(const NamedTransfer& t, const Particles& particles) {
    auto h = harness(t, particles);
    h->particles_to_grid();
    h->update_grid();
    return h;
  }

  // Values that a channel holds exactly.
  static double exact(double value) { return static_cast<double>(static_cast<Real>(value)); }
  double uniform(double low, double high) {
    return exact(std::uniform_real_distribution<double>(low, high)(random_));
  }
  // `place(i, axis)` in cells. Modes are smaller than velocities, and only those of the transfer
  // are there.
  template <class F>
  Particles cloud(const NamedTransfer& t, std::uint32_t n, F&& place) {
    Particles particles(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      Particle& p = particles[i];
      p.mass = uniform(0.5, 1.5);
      p.volume = 2 - p.mass;
      for (int a = 0; a < kD; ++a) {
        p.x[a] = exact(kDx * place(i, a));
        p.v[a] = uniform(-1, 1);
        for (int r = 0; r < t.stored_modes; ++r)
          p.modes[static_cast<std::size_t>(r)][a] =
              (t.params.mask >> (r + 1) & 1u) != 0 ? uniform(-0.3, 0.3) : 0;
      }
      for (double& s : p.stress) s = uniform(-1, 1);
    }
    return particles;
  }
  Particles within(const NamedTransfer& t, std::uint32_t n, double low, double high) {
    return cloud(t, n, [&](std::uint32_t, int) { return uniform(low, high); });
  }
  // Over many blocks on both sides of the origin.
  Particles scattered(const NamedTransfer& t, std::uint32_t n) {
    const double reach = kD == 2 ? 30 : 8;
    return within(t, n, -reach, reach);
  }
  // On nodes, faces, centres and the borders of blocks, half-way between nodes, where the stencil
  // changes.
  Particles on_lattice(const NamedTransfer& t) {
    const int side = kD == 2 ? 40 : 12;
    return cloud(t, static_cast<std::uint32_t>(int_power(side, kD)), [&](std::uint32_t i, int a) {
      return 0.5 * (static_cast<int>(i) / int_power(side, a) % side) - 0.25 * side;
    });
  }

  // 1e-12 in double; in single 4 sqrt(n) eps, n the number of terms of the sum.
  static double sum_tolerance(std::size_t particles, int degree) {
    const double terms = static_cast<double>(particles) * int_power(degree + 1, kD);
    return kDouble ? 1e-12 : 4 * std::sqrt(terms) * kEps;
  }
  // A value at one node or particle: sums of 4^d products at most, each rounded a few times.
  static constexpr double kValueTolerance = kDouble ? 1e-12 : 64 * kEps;
  // Of a component of a vector with that error.
  static constexpr double kComponent = kFaces ? 1 : kD == 2 ? 0.7 : 0.57;

  // A random change of every velocity, so that the grid holds what the particles did not put there.
  void kick(Harness& h) {
    h.change_velocities(
        [&](double v, int, const Vec<double, kD>&) { return v + uniform(-0.5, 0.5); });
  }
  // The particles after a trip to the grid, where every velocity changed by a smooth amount.
  static Particles after_a_kick(const NamedTransfer& t, const Particles& particles) {
    auto h = on_grid(t, particles);
    h->change_velocities([](double v, int axis, const Vec<double, kD>& x) {
      return v + std::sin(10 * x[0] + axis) * std::cos(7 * x[1]);
    });
    h->grid_to_particles();
    return h->particles();
  }

  std::mt19937_64 random_{20240229};
};

// A random polynomial with powers 0 and 1 per axis: coefficients of x, xy, ... by the bits of the
// axes, in cells.
template <int D>
struct Multilinear {
  Vec<double, D> coefficient[1 << D];

  // The derivative along the axes of `bits`, at x in cells.
  Vec<double, D> derivative(int bits, const Vec<double, D>& x) const {
    Vec<double, D> sum = Vec<double, D>::zero();
    for (int term = 0; term < 1 << D; ++term) {
      if ((term & bits) != bits) continue;
      double factor = 1;
      for (int a = 0; a < D; ++a)
        if (((term & ~bits) >> a & 1) != 0) factor *= x[a];
      sum += factor * coefficient[term];
    }
    return sum;
  }
};

}  // namespace firn::test
