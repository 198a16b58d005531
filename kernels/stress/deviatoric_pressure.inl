// The part of deviatoric.h that goes by way of the cells: the system whose solution makes G^-1 r of
// r, and what follows the pressure.
#pragma once

#include "kernels/mac/pressure_slope.h"
#include "kernels/stress/deviatoric.h"

namespace firn {

// The right-hand side of the projection of velocities r / M.
template <int D, class Real>
struct DeviatoricOutflow {
  static constexpr const char* kName = "deviatoric_outflow";
  static constexpr int kThreads = 64;
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;
  const Real *mass, *residual;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      mac.rhs[cell_index(at)] = is_fluid(mac, at) ? -grid.inv_dx * outflow(at) : Real(0);
    });
  }
  FIRN_HD Real outflow(const CellAddress& at) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    Real sum = Real(0);
    for (int a = 0; a < D; ++a)
      sum += flux(cell_address<D>(mac, at.block, stepped<D>(local, a, 1)), a) - flux(at, a);
    return sum;
  }
  FIRN_HD Real flux(const CellAddress& upper, int axis) const {
    const std::uint64_t face = face_index<D>(upper.block, axis, upper.cell);
    return mass[face] > Real(0) ? mac.area[face] * residual[face] / mass[face] : Real(0);
  }
};

template <int D, class Real>
struct EndDeviatoric {
  static constexpr const char* kName = "end_deviatoric";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;  // with what the pressure has grown by
  DeviatoricView<Real> view;
  Real* pressure;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (!(view.mass[face_index<D>(g.index(), 0, i)] > Real(0))) follow(g.index(), i);
    });
    g.for_each(kCells, [&](std::uint32_t cell) {
      const std::uint64_t at = cell_index({g.index(), cell});
      pressure[at] += view.pressure[at];
    });
  }
  FIRN_HD void follow(std::uint32_t block, std::uint32_t i) const {
    const CellAddress upper{block, i % kCells};
    const CellAddress lower =
        cell_address<D>(mac, block,
                        stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)),
                                   static_cast<int>(i / kCells), -1));
    const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
    const std::uint64_t index = face_index<D>(block, 0, i);
    if ((!above && !below) || !(mac.area[index] > Real(0))) return;
    Node<Real>& face = mac.faces[index];
    face.set(kFaceVelocity,
             face[kFaceVelocity] - pressure_slope<D>(grid, mac, index, upper, above, lower, below));
  }
};

}  // namespace firn
