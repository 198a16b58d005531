// Particles as tests give and read them, in double whatever the backend computes in, and their
// sums.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/scene.h"
#include "kernels/math/mat.h"

namespace firn::test {

template <int D>
struct HarnessParticle {
  Vec<double, D> x{}, v{};
  double mass = 1, volume = 1;
  std::uint32_t material = 0;
  std::array<Vec<double, D>, 26> modes{};  // of mode 1, 2, ... in the order of the set
  std::array<double, 6> stress{};          // V0 tau, upper triangle
  Mat<double, D> F = Mat<double, D>::identity();
  bool liquid = false;  // where there is heat
};

// Mass, momentum and angular momentum (the axes of rotation of a plane come last).
struct Sums {
  double mass = 0, kinetic = 0;
  Vec3 momentum{}, angular{};
};
inline double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

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

}  // namespace firn::test
