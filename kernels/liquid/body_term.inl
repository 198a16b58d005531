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

// What the closed parts of the faces that bodies have are, summed up with their signs over each
// component: nothing for a body all about which it lies. In units that make the sums exact in any
// order.
inline constexpr double kTieUnit = 1.0 / (1 << 30);  // of a face
template <int D, class Real>
struct SumTies : CoupledBlocks<D, Real> {
  static constexpr const char* kName = "sum_ties";
  static constexpr int kThreads = 64;
  using Base = CoupledBlocks<D, Real>;
  using Base::bodies, Base::kCells, Base::kUnknowns;
  struct Scratch {};
  const std::uint32_t* labels;
  std::int64_t* ties;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (bodies.near[block] == 0) return;
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(block, 0, i);
      const int body = bodies.owner[face];
      if (body < 0) return;
      const int axis = static_cast<int>(i / kCells);
      const CellAddress upper{block, i % kCells},
          lower = cell_beside<D>(bodies.mac, upper, axis, -1);
      add(g, body, upper, face, upper, axis, -1);
      add(g, body, upper, face, lower, axis, 1);
    });
  }
  // Another one of every body, or two that a pocket pushes apart would cancel out in the sum: 1 to
  // 2, by the golden ratio.
  FIRN_HD static double scale_of(int body) {
    const double turns = 0.6180339887498949 * body;
    return 1 + turns - floor(turns);
  }
  template <class Group>
  FIRN_HD void add(Group& g, int body, const CellAddress& upper, std::uint64_t face,
                   const CellAddress& cell, int axis, double sign) const {
    if (!is_fluid(bodies.mac, cell)) return;
    const std::uint32_t label = labels[cell_index(cell)];
    if (!is_singular(label)) return;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(upper.cell));
    const double radius = bodies.moved.masses[body].radius;
    auto unit = Base::unit_at(this->arm_of(body, this->block_at(upper.block), local, axis), axis);
    for (int k = D; k < kUnknowns; ++k) unit[k] /= radius;
    const double push = sign * this->closed(face) * scale_of(body);
    for (int k = 0; k < kUnknowns; ++k)
      g.atomic_add(ties[std::uint64_t{label - kSingular} * kUnknowns + k],
                   static_cast<std::int64_t>(push * unit[k] / kTieUnit));
  }
};
template <int D>
struct ClearTies {
  static constexpr const char* kName = "clear_ties";
  std::int64_t* ties;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    ties[i] = 0;
  }
};
template <int D>
struct AdoptTies {
  static constexpr const char* kName = "adopt_ties";
  static constexpr int kUnknowns = ContactSystem<D>::kUnknowns;
  // A tie by less than a thousandth of a face is none that the solve could use.
  static constexpr auto kLeast = static_cast<std::int64_t>(1e-3 / kTieUnit);
  const std::int64_t* ties;
  std::int64_t* cells;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    bool ties_it = false;
    for (int k = 0; k < kUnknowns; ++k) {
      const std::int64_t tie = ties[c * kUnknowns + k];
      ties_it = ties_it || tie > kLeast || tie < -kLeast;
    }
    if (ties_it) cells[c] = -cells[c];
  }
};

template <class Exec, int D, class Real>
void tie_components(Exec& exec, const BodyCoupling<Real, D>& bodies,
                    const ComponentView<Real>& components, std::int64_t* ties, std::uint32_t count,
                    std::uint32_t blocks) {
  launch_items(exec, {{nullptr, count * ContactSystem<D>::kUnknowns}, nullptr}, ClearTies<D>{ties});
  launch_groups(exec, {{nullptr, blocks}, nullptr},
                SumTies<D, Real>{{bodies}, components.labels, ties});
  launch_items(exec, {{nullptr, count}, nullptr}, AdoptTies<D>{ties, components.cells});
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
