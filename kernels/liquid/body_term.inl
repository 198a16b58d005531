#pragma once

#include "kernels/liquid/body_term.h"
#include "kernels/liquid/coupled_faces.h"
#include "kernels/solve/block_sum.h"

namespace firn {

// What the surfaces of bodies that move by their `change` bring into the cells of a block, over
// their volume, and what the sums of the block are with it.
template <int D, class Real>
struct AddFluxes : CoupledBlocks<D, Real> {
  using Base = CoupledBlocks<D, Real>;
  using Base::bodies, Base::kCells;
  static constexpr int kThreads = 64;
  EllipticVectors<Real> v;

  // f(index, flux) of the cells that are unknowns.
  template <class Group, class F>
  FIRN_HD void for_each_flux(Group& g, F&& f) const {
    const Vec<int, D> at = this->block_at(g.index());
    g.for_each(kCells, [&](std::uint32_t cell) {
      const CellAddress self{g.index(), cell};
      if (is_unknown(self)) f(cell, flux(self, at));
    });
  }
  FIRN_HD bool is_coupled(std::uint32_t block) const {
    return bodies.near[block] != 0 && v.level.kind[block] != kBlockEmpty;
  }
  FIRN_HD bool is_unknown(const CellAddress& cell) const {
    if (!is_fluid(bodies.mac, cell)) return false;
    bool coupled = bodies.mac.dirichlet[cell_index(cell)] > Real(0);
    for (int a = 0; a < D && !coupled; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress upper = cell_beside<D>(bodies.mac, cell, a, side);
        coupled = coupled ||
                  (upper.exists() &&
                   bodies.mac.conductance[face_index<D>(upper.block, a, upper.cell)] > Real(0));
      }
    return coupled;
  }
  FIRN_HD Real flux(const CellAddress& cell, const Vec<int, D>& at) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell.cell));
    double sum = 0;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress upper = cell_beside<D>(bodies.mac, cell, a, side);
        if (!upper.exists()) continue;
        const std::uint64_t face = face_index<D>(upper.block, a, upper.cell);
        const int body = this->owner_of(upper.block, face);
        if (body < 0) continue;
        const auto unit = Base::unit_at(this->arm_of(body, at, stepped<D>(local, a, side), a), a);
        const double out = this->closed(face) * Base::dot_with(bodies.motions[body].change, unit);
        sum += side == 0 ? -out : out;
      }
    return static_cast<Real>(sum * static_cast<double>(bodies.grid.inv_dx));
  }
};

template <int D, class Real>
struct AddBodyProduct : AddFluxes<D, Real> {
  static constexpr const char* kName = "add_body_product";
  using Base = AddFluxes<D, Real>;
  using Base::v, Base::kCells;
  using Scratch = BlockSums;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!this->is_coupled(g.index())) return;
    const std::uint64_t first = std::uint64_t{g.index()} * kCells;
    this->for_each_flux(g, [&](std::uint32_t cell, Real flux) { v.work[first + cell] += flux; });
    store_block_product(g, g.scratch, v.direction + first, v.work + first, v.partials + g.index());
  }
};

template <int D, class Real>
struct SubtractBodyProduct : AddFluxes<D, Real> {
  static constexpr const char* kName = "subtract_body_product";
  using Base = AddFluxes<D, Real>;
  using Base::v, Base::kCells;
  using Scratch = BlockMaxima<Real>;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!this->is_coupled(g.index())) return;
    Real* residual = v.residual + std::uint64_t{g.index()} * kCells;
    this->for_each_flux(g, [&](std::uint32_t cell, Real flux) { residual[cell] -= flux; });
    g.for_each(kCells,
               [&](std::uint32_t cell) { g.scratch.term[cell] = magnitude<Real>(residual[cell]); });
    store_block_maximum(g, g.scratch, v.partials + g.index());
  }
};

template <int D, class Real, class Exec>
void multiply_by_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, const Real* q,
                        std::uint32_t blocks, const std::uint32_t* stop) {
  sum_over_faces<D>(exec, bodies, PressureOfCell<D, Real>{q}, {nullptr, blocks}, stop);
  launch_items(exec, {{nullptr, static_cast<std::uint32_t>(bodies.params.moved)}, stop},
               ResolveBodies<D, Real>{bodies});
}

template <class Exec, int D, class Real>
void add_body_product(Exec& exec, const BodyCoupling<Real, D>& bodies,
                      const EllipticVectors<Real>& v, std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->done;
  multiply_by_bodies<D>(exec, bodies, v.direction, blocks, stop);
  launch_groups(exec, {{nullptr, blocks}, stop}, AddBodyProduct<D, Real>{{{bodies}, v}});
}
template <class Exec, int D, class Real>
void subtract_body_product(Exec& exec, const BodyCoupling<Real, D>& bodies,
                           const EllipticVectors<Real>& v, std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->stopped;
  multiply_by_bodies<D>(exec, bodies, v.solution, blocks, stop);
  launch_groups(exec, {{nullptr, blocks}, stop}, SubtractBodyProduct<D, Real>{{{bodies}, v}});
}

}  // namespace firn
