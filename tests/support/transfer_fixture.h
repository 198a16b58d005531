// The fixture of the transfers' tests: every transfer by name, clouds of particles, and tolerances,
// for every backend, dimension and precision.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/state/scene_params.h"
#include "tests/support/device.h"
#include "tests/support/transfer_harness.h"

namespace firn::test {

inline constexpr double kDx = 0.1;

struct NamedTransfer {
  std::string name;
  TransferParams params;
  int stored_modes = 0;
  bool keeps_angular_momentum = false;  // with quadratic and cubic kernels
};

inline NamedTransfer named(int d, int degree, TransferType type, double blend, int modes) {
  Scene scene;
  scene.simulation.dimension = d;
  scene.transfer.type = type;
  scene.transfer.blend = blend;
  scene.transfer.modes = modes;
  scene.transfer.kernel = degree;
  if (degree == 1) scene.transfer.force = ForceForm::kGradient;
  NamedTransfer t;
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

template <class ExecType, int Dim, class RealType>
struct Setup {
  using Exec = ExecType;
  using Real = RealType;
  static constexpr int kD = Dim;
};
using CpuSetups = ::testing::Types<Setup<Cpu, 2, float>, Setup<Cpu, 2, double>,
                                   Setup<Cpu, 3, float>, Setup<Cpu, 3, double>>;
#if defined(FIRN_WITH_CUDA)
using CudaSetups = ::testing::Types<Setup<Cuda, 2, float>, Setup<Cuda, 2, double>,
                                    Setup<Cuda, 3, float>, Setup<Cuda, 3, double>>;
#endif

// Makes the tests of a suite: Cpu/Suite/0 to 3 and, where that backend is built, Gpu/Suite/0 to 3.
#if defined(FIRN_WITH_CUDA)
#define FIRN_ON_BOTH_BACKENDS(Suite)                                   \
  INSTANTIATE_TYPED_TEST_SUITE_P(Cpu, Suite, ::firn::test::CpuSetups); \
  INSTANTIATE_TYPED_TEST_SUITE_P(Gpu, Suite, ::firn::test::CudaSetups)
#else
#define FIRN_ON_BOTH_BACKENDS(Suite) \
  INSTANTIATE_TYPED_TEST_SUITE_P(Cpu, Suite, ::firn::test::CpuSetups)
#endif

template <class S, class HarnessType = TransferHarness<typename S::Exec, S::kD, typename S::Real>>
class TransferTest : public ::testing::Test {
 public:
  using Exec = typename S::Exec;
  using Real = typename S::Real;
  static constexpr int kD = S::kD;
  static constexpr double kEps = std::numeric_limits<Real>::epsilon();
  static constexpr bool kDouble = std::is_same_v<Real, double>;
  using Harness = HarnessType;
  using Particle = HarnessParticle<kD>;
  using Particles = std::vector<Particle>;

  void SetUp() override {
    if constexpr (Exec::kIsCuda)
      if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
    exec_ = std::make_unique<Exec>(Exec::kIsCuda ? 0 : 1);  // device 0, or one thread
  }

  // `options`: what the harness takes beyond the transfer.
  template <class... Options>
  Harness harness(const NamedTransfer& t, const Particles& particles, Options... options) {
    return harness_on(*exec_, t, particles, options...);
  }
  template <class... Options>
  static Harness harness_on(Exec& exec, const NamedTransfer& t, const Particles& particles,
                            Options... options) {
    Harness h(exec, t.params, t.stored_modes, kDx, options...);
    h.set_particles(particles);
    h.rebuild();
    EXPECT_EQ(h.control().stop, 0u) << t.name;
    EXPECT_EQ(h.control().n_particles, particles.size()) << t.name;
    return h;
  }

  // Values that a channel holds exactly.
  double uniform(double low, double high) {
    return static_cast<double>(
        static_cast<Real>(std::uniform_real_distribution<double>(low, high)(random_)));
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
        p.x[a] = static_cast<double>(static_cast<Real>(kDx * place(i, a)));
        p.v[a] = uniform(-1, 1);
        for (int r = 0; r < t.stored_modes; ++r)
          p.modes[r][a] = (t.params.mask >> (r + 1) & 1u) != 0 ? uniform(-0.3, 0.3) : 0;
      }
      for (double& s : p.stress) s = uniform(-1, 1);
    }
    return particles;
  }
  // Over many blocks on both sides of the origin.
  Particles scattered(const NamedTransfer& t, std::uint32_t n) {
    const double reach = kD == 2 ? 30 : 8;
    return cloud(t, n, [&](std::uint32_t, int) { return uniform(-reach, reach); });
  }
  // On nodes, on the borders of blocks, and half-way between nodes, where the stencil changes.
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

  // A random change of every node's velocity, so that the grid holds what the particles did not put
  // there.
  void kick(Harness& h) {
    h.change_velocities([&](Vec<double, kD> v, const Vec<double, kD>&) {
      for (int a = 0; a < kD; ++a) v[a] += uniform(-0.5, 0.5);
      return v;
    });
  }

  std::mt19937_64 random_{20240229};

 private:
  std::unique_ptr<Exec> exec_;
};
template <int D>
Sums sums_of(const std::vector<HarnessParticle<D>>& particles) {
  Sums sums;
  for (const auto& p : particles) {
    sums.mass += p.mass;
    for (int a = 0; a < D; ++a) sums.momentum[static_cast<std::size_t>(a)] += p.mass * p.v[a];
  }
  return sums;
}
// Sum m |v| (and |x| if asked): what errors of the sums are relative to.
template <int D>
double scale_of(const std::vector<HarnessParticle<D>>& particles, bool with_position) {
  double scale = 0;
  for (const auto& p : particles) scale += p.mass * norm(p.v) * (with_position ? norm(p.x) : 1);
  return scale;
}

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
