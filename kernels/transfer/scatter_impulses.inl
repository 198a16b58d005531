#pragma once

#include "kernels/transfer/pack_stencil.h"
#include "kernels/transfer/scatter.h"
#include "kernels/transfer/scatter_impulses.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, int Degree, class Real>
struct ScatterImpulses {
  static constexpr const char* kName = "scatter_impulses";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  using Tile = WideTile<D, Degree, Real>;
  struct Scratch {
    Tile impulse;
  };

  ParticleView<Real> particles;
  const Real* acceleration;
  GridView<Real> grid;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    using Lanes = typename Group::template Lanes<Real>;
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    clear_tile(g, g.scratch.impulse);
    g.sync();
    for_each_pack_in(g, block, grid, particles, [&](const Lanes& lanes) { add(g, home, lanes); });
    g.sync();
    flush_wide<D, Degree>(g, g.scratch.impulse, grid, block, grid.momentum);
  }

  template <class Group, class Lanes>
  FIRN_HD void add(Group& g, const Vec<int, D>& home, const Lanes& lanes) const {
    using T = typename Lanes::Value;
    Vec<T, D> x;
    for (int a = 0; a < D; ++a) x[a] = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
    const PackStencil<D, Degree, ModeSet::kAffine, Lanes> s(x, grid.inv_dx, home);
    const auto late = s.overshoot() >= T(Real(1));
    const T scale = T(static_cast<Real>(control->next_dt)) *
                    lanes.load(channel_row(particles.mass, lanes.chunk, 1, 0));
    const std::uint32_t asked = lanes.chunk - control->first_chunk;
    typename Lanes::template Table<D> rows;
    for (int a = 0; a < D; ++a)
      rows.set(a, scale * lanes.load(channel_row(acceleration, asked, D, a)));
    const auto on_time = [&](int i, std::uint32_t) { return !Lanes::test(late, i); };
    lanes.for_each_in_turn(on_time, [&](int i, std::uint32_t, const auto& turns_at) {
      const auto own = s.of(i);
      const int at = s.index(i);
      const auto impulse = Node<Real>::make(rows.at(0, i), rows.at(1, i),
                                            D == 3 ? rows.at(D - 1, i) : Real(0), Real(0));
      turns_at(at).take(
          [&](const auto& turn) { add(turn, own, impulse, g.scratch.impulse.node + at); });
    });
  }
  template <class Turn>
  FIRN_HD static void add(const Turn& turn, const Stencil<D, Degree, Real>& stencil,
                          const Node<Real>& impulse, Node<Real>* nodes) {
    if constexpr (D == 3 && kHasNodeRows)
      scatter_value_rows<Tile::kLayout>(stencil, impulse, nodes);
    else
      scatter_value<Tile::kLayout>(in_this_turn(turn, stencil), impulse, nodes,
                                   [&](Node<Real>& node, Real w, const Node<Real>& value) {
                                     turn.accumulate(node, w * value);
                                   });
  }
};

template <class Exec, int D, class Real>
void scatter_impulses(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
                      const Real* acceleration, const GridView<Real>& grid,
                      const StepControl* control, std::uint32_t block_bound) {
  const auto launch = [&](auto degree) {
    using Op = ScatterImpulses<D, decltype(degree)::value, Real>;
    // Steps that would need the others are not fused.
    if constexpr (!Exec::kIsCuda || sizeof(typename Op::Scratch) <= kCudaArenaBytes)
      launch_coloured(exec, {{nullptr, block_bound}, &control->skip_kick}, grid.colour_begin,
                      int_power(grid.parities, D), Op{particles, acceleration, grid, control});
  };
  if (params.degree == 1) launch(std::integral_constant<int, 1>{});
  if (params.degree == 2) launch(std::integral_constant<int, 2>{});
  if (params.degree == 3) launch(std::integral_constant<int, 3>{});
}

}  // namespace firn
