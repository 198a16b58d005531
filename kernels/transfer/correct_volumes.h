// The volume ratios of a pack's particles, held against the mass of the nodes in a wide tile.
#pragma once

#include "kernels/materials/volume_drift.h"
#include "kernels/transfer/gather_mass.h"
#include "kernels/transfer/tile.h"

namespace firn {

// Few scenes have liquids here, and what is called leaves the others their registers.
template <int D, int Degree, class Real>
FIRN_RARE FIRN_HD inline void correct_volume_of(VolumeDrift<D, Real> drift, const Node<Real>* nodes,
                                                Vec<Real, D> x, Vec<int, D> home, Real rate,
                                                std::uint32_t chunk, std::uint32_t lane,
                                                Real span) {
  constexpr int kLayout = WideTile<D, Degree, Real>::kLayout;
  const auto s = make_stencil<D, Degree>(x, drift.inv_dx);
  for (int a = 0; a < D; ++a)
    nodes += tile_stride<D, kLayout>(a) * (s.base[a] + 1 - home[a] * BlockTraits<D>::kSide);
  const MassAround<Real> mass = gather_mass<kLayout>(s, nodes);
  drift.correct(OneLane<Real>{chunk, lane}, mass.mean, mass.least, rate, span);
}

// `s` are the stencils of the particles at x, `nodes` the tile of block `home`.
template <int Degree, int D, class Real, class Lanes, class Stencils, class T>
FIRN_HD inline void correct_volumes(const VolumeDrift<D, Real>& drift, const Lanes& lanes,
                                    [[maybe_unused]] const Stencils& s, const Node<Real>* nodes,
                                    [[maybe_unused]] const Vec<int, D>& home,
                                    [[maybe_unused]] const Vec<T, D>& x, const Mat<T, D>& grad_v,
                                    Real span) {
  const T rate = drift.rate_of(grad_v);
  if constexpr (kHasNodeRows) {
    typename Lanes::template Table<2> masses;
    lanes.for_each_lane([&](int i, std::uint32_t) {
      const MassAround<Real> mass =
          gather_mass<WideTile<D, Degree, Real>::kLayout>(s.of(i), nodes + s.index(i));
      masses.at(0, i) = mass.mean, masses.at(1, i) = mass.least;
    });
    drift.correct(lanes, masses.get(0), masses.get(1), rate, span);
  } else {
    lanes.for_each_lane([&](int, std::uint32_t lane) {
      correct_volume_of<D, Degree, Real>(drift, nodes, x, home, rate, lanes.chunk, lane, span);
    });
  }
}

}  // namespace firn
