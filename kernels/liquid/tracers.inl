#pragma once

#include <limits>

#include "kernels/liquid/tracers.h"
#include "kernels/transfer/mac.h"
#include "kernels/transfer/position_sum.h"

namespace firn {

// The velocity at a place that need not be anyone's home: its block is found through the hash,
// those around it through the links.
template <int D, class Real>
struct FaceVelocity {
  GridView<Real> grid;
  MacView<Real> mac;

  FIRN_HD Vec<Real, D> operator()(const Vec<Real, D>& x) const {
    Block home;
    for (int a = 0; a < D; ++a) home.at[a] = block_along(x[a]);
    home.rank = rank_of(home.at);
    Pair along[D], across[D];
    for (int a = 0, place_stride = 1; a < D; ++a, place_stride *= 3) {
      along[a] = pair(x[a], Real(0), home.at[a], a, place_stride);
      across[a] = pair(x[a], Real(0.5), home.at[a], a, place_stride);
    }
    Vec<Real, D> u;
    for (int a = 0; a < D; ++a) {
      Pair pairs[D];
      for (int b = 0; b < D; ++b) pairs[b] = b == a ? along[b] : across[b];
      u[a] = component(home, pairs, a);
    }
    return u;
  }

  // The coordinate of the block that holds x.
  FIRN_HD int block_along(Real x) const {
    return axis_base(x, grid.inv_dx, Real(0)).node >> BlockTraits<D>::kShift;
  }

 private:
  struct Block {
    Vec<int, D> at;
    std::uint32_t rank;
  };
  // The two faces along an axis between which a place lies: their weights, and what each adds to
  // the place of a block (Around) and to the index of a cell in it.
  struct Pair {
    Real w[2];
    int place[2], cell[2];
  };
  // Of all weights, which sum to 1. What faces with less than that say is of somewhere else.
  static constexpr Real kLeastWeight = Real(1e-3);

  FIRN_HD Pair pair(Real x, Real shift, int block, int axis, int place_stride) const {
    constexpr int kSide = BlockTraits<D>::kSide;
    const AxisBase<Real> base = axis_base(x, grid.inv_dx, shift);
    int cell_stride = 1;
    for (int a = axis; a < D - 1; ++a) cell_stride *= kSide;
    Pair p;
    for (int i = 0; i < 2; ++i) {
      const int local = base.node + i - block * kSide;
      p.w[i] = i == 0 ? 1 - base.offset : base.offset;
      p.place[i] = ((local >> BlockTraits<D>::kShift) + 1) * place_stride;
      p.cell[i] = (local & (kSide - 1)) * cell_stride;
    }
    return p;
  }

  // Linear along each axis over the faces that have a velocity; 0 where none has.
  FIRN_HD Real component(const Block& home, const Pair (&pairs)[D], int axis) const {
    Real velocity = Real(0), weight = Real(0);
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real w = Real(1);
      int place = 0, cell = 0;
      for (int b = 0; b < D; ++b) {
        const bool upper = (corner >> b & 1) != 0;
        w *= upper ? pairs[b].w[1] : pairs[b].w[0];
        place += upper ? pairs[b].place[1] : pairs[b].place[0];
        cell += upper ? pairs[b].cell[1] : pairs[b].cell[0];
      }
      const CellAddress at{rank_around(home, place), static_cast<std::uint32_t>(cell)};
      if (!at.exists() || !test_bit(mac.valid + face_word<D>(at.block, axis), at.cell)) continue;
      velocity += w * mac.faces[face_index<D>(at.block, axis, at.cell)][kFaceVelocity];
      weight += w;
    }
    return weight > kLeastWeight ? velocity / weight : Real(0);
  }

  FIRN_HD std::uint32_t rank_around(const Block& home, int place) const {
    if (place == Around<D>::kSelf) return home.rank;
    if (home.rank != kNoBlock)
      return mac.around[static_cast<std::uint64_t>(home.rank) * Around<D>::kBlocks + place];
    // A block that is not there may lie beside one that is.
    Vec<int, D> block = home.at;
    for (int a = 0; a < D; ++a, place /= 3) block[a] += place % 3 - 1;
    return rank_of(block);
  }

  FIRN_HD std::uint32_t rank_of(const Vec<int, D>& block) const {
    const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(block)));
    return slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
  }
};

// Ralston's third-order Runge-Kutta method, the one with the smallest bound on its error: stages at
// 0, 1/2 and 3/4 of the step, weights 2/9, 1/3 and 4/9 [Ralston 1962].
template <int D, class Real>
struct AdvanceTracers {
  static constexpr const char* kName = "advance_tracers";
  ParticleBounds<Real, D> bounds;
  SinkView<Real> sinks;
  FaceVelocity<D, Real> velocity;
  Real* positions;
  std::uint32_t count;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const Real dt = static_cast<Real>(control->dt);
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = component(i, a);
    if (x[0] != x[0]) return;
    const Vec<Real, D> k1 = velocity(x);
    const Vec<Real, D> k2 = velocity(kept(x + Real(0.5) * dt * k1, x));
    const Vec<Real, D> k3 = velocity(kept(x + Real(0.75) * dt * k2, x));
    const Real ninth = dt / Real(9);
    const Vec<Real, D> by = ninth * (Real(2) * k1 + Real(3) * k2 + Real(4) * k3);
    const PositionSum<Real> sum(control->step);
    Vec<Real, D> moved;
    for (int a = 0; a < D; ++a) moved[a] = sum(x[a], by[a]);
    moved = kept(moved, x);
    const bool gone = sinks.takes(moved);
    for (int a = 0; a < D; ++a)
      component(i, a) = gone ? std::numeric_limits<Real>::quiet_NaN() : moved[a];
  }

  FIRN_HD Real& component(std::uint32_t i, int a) const {
    return positions[static_cast<std::uint64_t>(a) * count + i];
  }

  // Within the domain, on the first round where it is a ring; `before` where the new place has no
  // address in the grid. Particles that read the same faces then end the run.
  FIRN_HD Vec<Real, D> kept(Vec<Real, D> x, const Vec<Real, D>& before) const {
    const GridView<Real>& grid = velocity.grid;
    for (int a = 0; a < D; ++a) {
      if (bounds.active) x[a] = clamp(x[a], bounds.min[a], bounds.max[a]);
      if (!(abs(x[a] * grid.inv_dx) < static_cast<Real>(BlockTraits<D>::kMaxCell))) return before;
      const int turns = grid.periodic.turns(a, velocity.block_along(x[a]));
      x[a] -= static_cast<Real>(turns * grid.periodic.count[a] * BlockTraits<D>::kSide) * grid.dx;
    }
    return x;
  }
};

template <class Exec, int D, class Real>
void advance_tracers(Exec& exec, const ParticleBounds<Real, D>& bounds, const SinkView<Real>& sinks,
                     const GridView<Real>& grid, const MacView<Real>& mac, Real* positions,
                     std::uint32_t count, const StepControl* control) {
  launch_items(exec, {{nullptr, count}, &control->stop},
               AdvanceTracers<D, Real>{bounds, sinks, {grid, mac}, positions, count, control});
}

}  // namespace firn
