// Particles that move linearly in space, and how far a step keeps that.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tests/support/sim_scenes.h"

namespace firn::test {

// Velocities b + A (x - p) of all particles. In 2D the third row and column of A are left out.
inline void move(NewParticles& particles, std::array<double, 9>& A, int dimension,
                 const Vec3& b = {}, const Vec3& p = {}) {
  if (dimension == 2) A[2] = A[5] = A[6] = A[7] = A[8] = 0;
  for (const Vec3& x : particles.position) {
    Vec3 v = b;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) v[a] += A[3 * a + c] * (x[c] - p[c]);
    particles.velocity.push_back(v);
    particles.velocity_gradient.push_back(A);
  }
}

// How far deformation gradients are from I + dt A after one step, relative to dt |A|.
inline double error_of_gradients(const Scene& scene, const std::array<double, 9>& A,
                                 const NewParticles& particles) {
  Simulation simulation = simulate(scene);
  const std::uint32_t first = simulation.add_particles(particles).front();
  simulation.advance_steps(1);
  const double dt = simulation.stats().time;
  const Snapshot now = simulation.snapshot();
  const std::size_t D = static_cast<std::size_t>(now.dimension);
  double worst = 0, largest = 0;
  for (const double entry : A) largest = std::max(largest, std::abs(entry));
  for (std::size_t p = 0; p < now.size(); ++p)
    for (std::size_t a = 0; now.id[p] >= first && a < D; ++a)
      for (std::size_t b = 0; b < D; ++b) {
        const double F = static_cast<double>(now.deformation_gradient[(p * D + a) * D + b]);
        worst = std::max(worst, std::abs((F - (a == b ? 1 : 0)) / dt - A[3 * a + b]));
      }
  return worst / largest;
}

}  // namespace firn::test
