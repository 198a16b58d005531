// The vorticity of a frame, from its particles alone: the same measure for every integrator and
// transfer, so that runs can be compared by it. At each node of a lattice a linear field is fitted
// to the velocities around it (weights: quadratic B-spline times mass), which is exact for linear
// fields however the particles lie, also at free surfaces; its curl is then averaged at the
// particles. Such fits are those of moving least squares [Lancaster & Salkauskas 1981].
#pragma once

#include <span>
#include <vector>

#include "firn/simulation.h"

namespace firn {

struct ParticleMotion {
  int dimension = 3;
  std::span<const float> position, velocity;  // n * dimension; m, m/s
  std::span<const float> mass;                // n, kg
};

// The components per particle: the scalar dv/dx - du/dy in 2D, the vector in 3D.
constexpr int vorticity_components(int dimension) { return dimension == 2 ? 1 : 3; }

// In 1/s, for each particle. `dx` is the spacing of the lattice, `period` the length (m) of each
// periodic axis and 0 for others. What is smaller than about 2 dx is smoothed, with an error of
// second order in dx. Where the neighbours do not determine a linear field (a particle on its own,
// a thread, in 3D a sheet one particle thick) and for particles that are not finite it is 0.
std::vector<float> vorticity(const ParticleMotion& motion, double dx, const Vec3& period = {});

// Of a snapshot on the grid of its simulation; empty if the snapshot lacks velocity, mass or dx.
std::vector<float> vorticity(const Snapshot& snapshot);

}  // namespace firn
