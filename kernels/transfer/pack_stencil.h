// The stencils of the particles of a pack: weights are computed for all of them together, then each
// takes its own.
#pragma once

#include "kernels/math/generic_scalar.h"
#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Lanes>
class PackStencil {
 public:
  using T = typename Lanes::Value;
  using Real = Scalar<T>;
  static constexpr int kSide = BlockTraits<D>::kSide;

  // x in m. Places are counted from the first node of the wide tile of block `home`.
  FIRN_HD PackStencil(const Vec<T, D>& x, Real inv_dx, const Vec<int, D>& home) {
    for (int a = 0; a < D; ++a) {
      const AxisPlace<T> at = axis_place(x[a], T(inv_dx), T(stencil_shift<Real>(Degree)));
      // Exact: the nodes of a block are multiples of one power of two wherever it lies.
      const T node = at.node - T(static_cast<Real>(home[a] * kSide));
      place_.set(a, node + T(Real(1)));
      const T before = -(node + at.offset), behind = node + at.offset - T(Real(kSide));
      const T outside = max(before, behind);
      overshoot_ = a == 0 ? outside : max(overshoot_, outside);
      store(a, at.offset);
    }
  }

  // Cells that each particle lies outside its home block, negative inside.
  FIRN_HD const T& overshoot() const { return overshoot_; }

  // Of the lowest node from each particle, cells.
  FIRN_HD T offset(int axis) const { return -part_.get(row(axis, 2, 0)); }

  FIRN_HD Stencil<D, Degree, Real> of(int i) const {
    Stencil<D, Degree, Real> s;
    for (int a = 0; a < D; ++a)
      for (int k = 0; k < kNodes; ++k) {
        AxisStencil<Degree, Real>& axis = s.axis[a];
        axis.w[k] = part_.at(row(a, 0, k), i);
        axis.dw[k] = part_.at(row(a, 1, k), i);
        axis.z[k] = part_.at(row(a, 2, k), i);
        axis.linear[k] = part_.at(row(a, 3, k), i);
        if constexpr (kParts > 4) {
          axis.g[k] = part_.at(row(a, 4, k), i);
          axis.bending[k] = part_.at(row(a, 5, k), i);
        }
      }
    return s;
  }
  // Where in the tile the stencil of particle i begins.
  FIRN_HD int index(int i) const {
    int index = 0;
    for (int a = 0; a < D; ++a)
      index +=
          tile_stride<D, WideTile<D, Degree, Real>::kLayout>(a) * static_cast<int>(place_.at(a, i));
    return index;
  }

 private:
  static constexpr int kNodes = stencil_nodes(Degree);
  static constexpr int kParts = Set == ModeSet::kFull ? 6 : 4;
  FIRN_HD static constexpr int row(int axis, int part, int node) {
    return (axis * kParts + part) * kNodes + node;
  }
  FIRN_HD void store(int a, const T& offset) {
    AxisStencil<Degree, T> s;
    fill_stencil(s, offset);
    for (int k = 0; k < kNodes; ++k) {
      part_.set(row(a, 0, k), s.w[k]);
      part_.set(row(a, 1, k), s.dw[k]);
      part_.set(row(a, 2, k), s.z[k]);
      part_.set(row(a, 3, k), s.linear[k]);
      if constexpr (kParts > 4) {
        part_.set(row(a, 4, k), s.g[k]);
        part_.set(row(a, 5, k), s.bending[k]);
      }
    }
  }

  typename Lanes::template Table<D * kParts * kNodes> part_;
  typename Lanes::template Table<D> place_;
  T overshoot_;
};

}  // namespace firn
