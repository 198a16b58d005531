// The mass of the nodes about a particle: interpolated, and the least that one of them has.
#pragma once

#include "kernels/exec/node.h"
#include "kernels/transfer/scatter.h"

namespace firn {

template <class Real>
struct MassAround {
  Real mean, least;
};

// `nodes` points to the stencil's lowest node in a tile of that layout.
template <int Layout, int D, int Degree, class Real>
FIRN_HD inline MassAround<Real> gather_mass(const Stencil<D, Degree, Real>& s,
                                            const Node<Real>* nodes) {
  struct Weight {
    Real w;
  };
  MassAround<Real> around{Real(0), kLargest<Real>};
  walk_stencil<1, Layout>(
      s, Weight{Real(1)},
      [&](auto axis, int i, const Weight& above) {
        return Weight{weight_below<axis()>(s, i, above)};
      },
      [&](int at, const Weight& made) {
        const Real mass = nodes[at].mass();
        around.mean += made.w * mass;
        around.least = min(around.least, mass);
      });
  return around;
}

}  // namespace firn
