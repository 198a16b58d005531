// The part of deviatoric.h that goes by way of the cells: the system whose solution makes G^-1 r of
// r, and the force of a pressure on the faces.
#pragma once

#include "kernels/mac/pressure_slope.h"
#include "kernels/solve/block_sum.h"
#include "kernels/stress/deviatoric.h"

namespace firn {

// Sum of term(face, its number in the block) over the faces of a block.
template <int D, class Group, class Term>
FIRN_HD inline void store_face_sum(Group& g, BlockSums& sums, Term&& term, double* out) {
  g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
    double sum = 0;
    for (std::uint32_t i = cell; i < D * BlockTraits<D>::kNodes; i += BlockTraits<D>::kNodes)
      sum += term(face_index<D>(g.index(), 0, i), i);
    sums.term[cell] = sum;
  });
  for (std::uint32_t n = 32; n > 0; n /= 2) {
    g.sync();
    g.for_each(n, [&](std::uint32_t i) { sums.term[i] += sums.term[i + n]; });
  }
  g.sync();
  g.once([&] { *out = sums.term[0]; });
}

template <int N, class Real>
Real power(Real x) {
  Real product = 1;
  for (int i = 0; i < N; ++i) product *= x;
  return product;
}

// The right-hand side of the projection of velocities r2 / M.
template <int D, class Real>
struct DeviatoricOutflow {
  static constexpr const char* kName = "deviatoric_outflow";
  static constexpr int kThreads = 64;
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;
  DeviatoricView<Real> view;

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
    const Real mass = view.mass[face];
    return mass > Real(0) ? mac.area[face] * view.r2[face] / mass : Real(0);
  }
};

// B' y of y = -q: the impulse that a face gives to the pressure's gradient, kg m/s.
template <int D, class Real>
struct PressureForce {
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  MacView<Real> mac;
  Real face_area;
  FIRN_HD Real operator()(const Real* q, std::uint32_t block, std::uint32_t i) const {
    const CellAddress upper{block, i % kCells};
    const CellAddress lower =
        cell_address<D>(mac, block,
                        stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)),
                                   static_cast<int>(i / kCells), -1));
    const Real below = lower.exists() ? q[cell_index(lower)] : Real(0);
    return face_area * mac.area[face_index<D>(block, 0, i)] * (q[cell_index(upper)] - below);
  }
};
template <int D, class Real>
PressureForce<D, Real> pressure_force(const DeviatoricProblem<Real>& p) {
  return {p.mac, power<D - 1>(p.grid.dx)};
}

// out = z = G^-1 r2, of which the solve has left the cells' part. Partials: <r2, z>.
template <int D, class Real>
struct PreconditionDeviatoric {
  static constexpr const char* kName = "precondition_deviatoric";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  DeviatoricView<Real> view;
  PressureForce<D, Real> force;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const auto norm = [&](std::uint64_t face, std::uint32_t i) {
      const Real mass = view.mass[face], r = view.r2[face];
      if (!(mass > Real(0))) return 0.0;
      const Real z = (r - force(view.out.cell, g.index(), i)) / mass;
      view.out.face[face] = z;
      return static_cast<double>(r) * static_cast<double>(z);
    };
    store_face_sum<D>(g, g.scratch, norm, view.partials + g.index());
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
