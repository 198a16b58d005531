// The arithmetic of the baseline, shared by its CPU loops and its CUDA kernels: the dense grid, the
// stencil of a particle, what it scatters and what a node does. How nodes are added to is the
// caller's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/baseline/baseline.h"
#include "kernels/math/polar.h"

namespace firn::baseline {

using Vec3f = Vec<float, 3>;
using Mat3f = Mat<float, 3>;

struct GridNode {  // momentum until the grid is updated, velocity after
  float v[3];
  float mass;
};

// Nodes lie at integer multiples of dx; `origin` is the lowest one, z runs fastest.
struct Grid {
  int origin[3], size[3];
  float dx, inv_dx;
  int floor;  // nodes up to this one along y are held

  FIRN_HD std::int64_t nodes() const {
    return static_cast<std::int64_t>(size[0]) * size[1] * size[2];
  }
  FIRN_HD std::int64_t index(int i, int j, int k) const {
    return (static_cast<std::int64_t>(i) * size[1] + j) * size[2] + k;
  }
  FIRN_HD bool held(std::int64_t node) const {
    return static_cast<int>(node / size[2] % size[1]) + origin[1] <= floor;
  }
};

struct Law {
  float mass, volume, mu, lambda, gravity;
};

// Throws Error{kScene} if there are no positions.
Grid make_grid(std::span<const float> positions, const Parameters& parameters);
Law make_law(const Parameters& parameters);
Vec3f initial_velocity(const Parameters& parameters);
std::vector<Vec3f> as_vectors(std::span<const float> xyz);

// Unrolled, the loops over the stencil keep its weights in registers; neither compiler does it
// unasked.
#if defined(__CUDACC__)
#define BASELINE_UNROLL _Pragma("unroll")
#else
#define BASELINE_UNROLL _Pragma("GCC unroll 3")
#endif

// The 27 nodes that a particle touches, and its quadratic B-spline weights. `inside` is false where
// the grid does not hold them all.
struct Stencil {
  int base[3];  // the lowest node, counted from the grid's origin
  float fx[3];  // the particle's place above it, cells
  float w[3][3];
  bool inside = true;

  FIRN_HD Stencil(const Vec3f& x, const Grid& grid) {
    for (int a = 0; a < 3; ++a) {
      const float cell = x[a] * grid.inv_dx - static_cast<float>(grid.origin[a]);
      inside = inside && cell >= 0.5f && cell < static_cast<float>(grid.size[a]) - 1.5f;
      base[a] = inside ? static_cast<int>(cell - 0.5f) : 0;
      fx[a] = cell - static_cast<float>(base[a]);
      w[0][a] = 0.5f * (1.5f - fx[a]) * (1.5f - fx[a]);
      w[1][a] = 0.75f - (fx[a] - 1.0f) * (fx[a] - 1.0f);
      w[2][a] = 0.5f * (fx[a] - 0.5f) * (fx[a] - 0.5f);
    }
  }

  // Calls visit(node, weight, offset from the particle in m).
  template <class Visit>
  FIRN_HD void for_each(const Grid& grid, Visit&& visit) const {
    BASELINE_UNROLL
    for (int i = 0; i < 3; ++i) {
      BASELINE_UNROLL
      for (int j = 0; j < 3; ++j) {
        BASELINE_UNROLL
        for (int k = 0; k < 3; ++k) {
          const Vec3f offset = {{(static_cast<float>(i) - fx[0]) * grid.dx,
                                 (static_cast<float>(j) - fx[1]) * grid.dx,
                                 (static_cast<float>(k) - fx[2]) * grid.dx}};
          visit(grid.index(base[0] + i, base[1] + j, base[2] + k), w[i][0] * w[j][1] * w[k][2],
                offset);
        }
      }
    }
  }
};
#undef BASELINE_UNROLL

// P F^T = 2 mu (F - R) F^T + lambda (J - 1) J I [T 3.1.3]
FIRN_HD inline Mat3f kirchhoff_stress(const Law& law, const Mat3f& F) {
  const float J = determinant(F);
  return (2 * law.mu) * ((F - polar_rotation(F)) * transpose(F)) +
         Mat3f::scaled_identity(law.lambda * (J - 1) * J);
}

// What a particle scatters beside m v, per offset: the affine momentum m C and the impulse of the
// internal force, -dt V0 D^-1 tau [G201 p39-46].
FIRN_HD inline Mat3f affine_momentum(const Law& law, const Grid& grid, const Mat3f& F,
                                     const Mat3f& C, float dt) {
  const float inverse_moment = 4 * grid.inv_dx * grid.inv_dx;
  return law.mass * C - (dt * law.volume * inverse_moment) * kirchhoff_stress(law, F);
}

template <class Add>
FIRN_HD inline void scatter(const Stencil& stencil, const Grid& grid, const Law& law,
                            const Vec3f& v, const Mat3f& affine, GridNode* nodes, Add&& add) {
  stencil.for_each(grid, [&](std::int64_t at, float weight, const Vec3f& offset) {
    const Vec3f momentum = weight * (law.mass * v + affine * offset);
    for (int a = 0; a < 3; ++a) add(nodes[at].v[a], momentum[a]);
    add(nodes[at].mass, weight * law.mass);
  });
}

FIRN_HD inline void update_node(const Grid& grid, const Law& law, float dt, std::int64_t at,
                                GridNode& node) {
  if (node.mass > 0) {
    for (float& v : node.v) v /= node.mass;
    node.v[1] -= dt * law.gravity;
  }
  if (grid.held(at))
    for (float& v : node.v) v = 0;
}

FIRN_HD inline void gather(const Stencil& stencil, const Grid& grid, const GridNode* nodes,
                           float dt, Vec3f& x, Vec3f& v, Mat3f& C, Mat3f& F) {
  v = Vec3f::zero();
  C = Mat3f::zero();
  stencil.for_each(grid, [&](std::int64_t at, float weight, const Vec3f& offset) {
    const Vec3f v_i = {{nodes[at].v[0], nodes[at].v[1], nodes[at].v[2]}};
    v += weight * v_i;
    C += outer((4 * grid.inv_dx * grid.inv_dx * weight) * v_i, offset);
  });
  x += dt * v;
  F = (Mat3f::identity() + dt * C) * F;
}

}  // namespace firn::baseline
