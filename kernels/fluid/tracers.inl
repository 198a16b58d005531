#pragma once

#include "kernels/fluid/tracers.h"
#include "kernels/transfer/mac.h"

namespace firn {

// The velocity at any place, whatever block it lies in. Tracers are not sorted, but most of the
// faces that one reads lie in the block of the face before: each instance remembers that one.
template <int D, class Real>
class FaceVelocity {
 public:
  FIRN_HD FaceVelocity(const GridView<Real>& grid, const MacView<Real>& mac)
      : grid_(grid), mac_(mac) {
    find(Vec<int, D>::zero());
  }

  FIRN_HD Vec<Real, D> operator()(const Vec<Real, D>& x) {
    Vec<Real, D> u;
    for (int a = 0; a < D; ++a) u[a] = component(x, a);
    return u;
  }

 private:
  // Linear along each axis over the faces that have a velocity; 0 where none has.
  FIRN_HD Real component(const Vec<Real, D>& x, int axis) {
    const auto s = make_face_stencil<D, 1>(x, grid_.inv_dx, axis);
    Real velocity = Real(0), weight = Real(0);
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real w = Real(1);
      Vec<int, D> cell;
      for (int b = 0; b < D; ++b) {
        const bool upper = (corner >> b & 1) != 0;
        cell[b] = s.base[b] + (upper ? 1 : 0);
        w *= upper ? s.axis[b].w[1] : s.axis[b].w[0];
      }
      const CellAddress at = address_of(cell);
      if (!at.exists() || !test_bit(mac_.valid + face_word<D>(at.block, axis), at.cell)) continue;
      velocity += w * mac_.faces[face_index<D>(at.block, axis, at.cell)][kFaceVelocity];
      weight += w;
    }
    return weight > kLeastWeight ? velocity / weight : Real(0);
  }

  FIRN_HD CellAddress address_of(const Vec<int, D>& cell) {
    Vec<int, D> block, local;
    bool same = true;
    for (int b = 0; b < D; ++b) {
      block[b] = cell[b] >> BlockTraits<D>::kShift;
      local[b] = cell[b] & (BlockTraits<D>::kSide - 1);
      same = same && block[b] == block_[b];
    }
    if (!same) find(block);
    return {rank_, static_cast<std::uint32_t>(node_in_block<D>(local))};
  }

  FIRN_HD void find(const Vec<int, D>& block) {
    const std::uint32_t slot = grid_.hash.find(block_key<D>(block));
    block_ = block;
    rank_ = slot == kNoBlock ? kNoBlock : grid_.hash.ranks[slot];
  }

  // Of all weights, which sum to 1. What faces with less than that say is of somewhere else.
  static constexpr Real kLeastWeight = Real(1e-3);

  const GridView<Real>& grid_;
  const MacView<Real>& mac_;
  Vec<int, D> block_;
  std::uint32_t rank_;
};

// Ralston's third-order Runge-Kutta method, the one with the smallest bound on its error: stages at
// 0, 1/2 and 3/4 of the step, weights 2/9, 1/3 and 4/9 (Ralston, Math. Comp. 16, 1962).
template <int D, class Real>
struct AdvanceTracers {
  static constexpr const char* kName = "advance_tracers";
  ParticleBounds<Real, D> bounds;
  GridView<Real> grid;
  MacView<Real> mac;
  Real* positions;
  std::uint32_t count;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const Real dt = static_cast<Real>(control->dt);
    FaceVelocity<D, Real> velocity(grid, mac);
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = component(i, a);
    const Vec<Real, D> k1 = velocity(x);
    const Vec<Real, D> k2 = velocity(kept(x + Real(0.5) * dt * k1, x));
    const Vec<Real, D> k3 = velocity(kept(x + Real(0.75) * dt * k2, x));
    const Real ninth = dt / Real(9);
    const Vec<Real, D> moved = kept(x + ninth * (Real(2) * k1 + Real(3) * k2 + Real(4) * k3), x);
    for (int a = 0; a < D; ++a) component(i, a) = moved[a];
  }

  FIRN_HD Real& component(std::uint32_t i, int a) const {
    return positions[static_cast<std::uint64_t>(a) * count + i];
  }

  // Within the domain; `before` where the new place has no address in the grid. Particles that
  // read the same faces then end the run.
  FIRN_HD Vec<Real, D> kept(Vec<Real, D> x, const Vec<Real, D>& before) const {
    for (int a = 0; a < D; ++a) {
      if (bounds.active) x[a] = clamp(x[a], bounds.min[a], bounds.max[a]);
      if (!(abs(x[a] * grid.inv_dx) < static_cast<Real>(BlockTraits<D>::kMaxCell))) return before;
    }
    return x;
  }
};

template <class Exec, int D, class Real>
void advance_tracers(Exec& exec, const ParticleBounds<Real, D>& bounds, const GridView<Real>& grid,
                     const MacView<Real>& mac, Real* positions, std::uint32_t count,
                     const StepControl* control) {
  launch_items(exec, {{nullptr, count}, &control->stop},
               AdvanceTracers<D, Real>{bounds, grid, mac, positions, count, control});
}

}  // namespace firn
