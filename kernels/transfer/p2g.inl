// Particle to grid: one group per block. It gathers its particles' contributions in a tile that
// covers the block and the reach of the stencils on the + sides, then adds the tile to the 2^d
// blocks it overlaps.
#pragma once

#include "kernels/transfer/scatter.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct P2G {
  static constexpr const char* kName = "p2g";
  static constexpr int kThreads = 128;
  using Tile = BlockTile<D, Degree, Real>;
  struct Scratch {
    Tile momentum, force;
  };
  static constexpr int kModes = mode_count(Set, D);

  TransferParams params;
  ParticleView<Real> particles;
  GridView<Real> grid;
  const StepControl* control;
  std::uint32_t first_group = 0;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[first_group + g.index()];
    clear_tile(g, g.scratch.momentum);
    if (params.separate_force) clear_tile(g, g.scratch.force);
    g.sync();
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    const Chunk* chunks = particles.chunks;
    g.template for_each_pack<Real>(
        grid.chunk_begin[block], grid.chunk_begin[block + 1],
        [=](std::uint32_t chunk) { return chunks[chunk].count; },
        [&](const auto& lanes) {
          lanes.prefetch_next(particles.x, D);
          lanes.prefetch_next(particles.v, D);
          lanes.prefetch_next(particles.coefficients, D * particles.coefficient_modes);
          lanes.prefetch_next(particles.mass, 1);
          lanes.prefetch_next(particles.stress, symmetric_components(D));
          lanes.for_each_lane(
              [&](int, std::uint32_t lane) { contribute(g, home, lanes.chunk, lane); });
        });
    g.sync();
    flush_tile<D, Degree>(g, g.scratch.momentum, grid, block, {grid.nodes});
    if (params.separate_force)
      flush_tile<D, Degree>(g, g.scratch.force, grid, block, {grid.increments});
  }

  template <class Group>
  FIRN_HD void contribute(Group& g, const Vec<int, D>& home, std::uint32_t chunk,
                          std::uint32_t lane) const {
    const auto add = [&](Node<Real>& node, Real w, const Node<Real>& value) {
      g.accumulate(node, w * value);
    };
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    const auto s = make_stencil<D, Degree>(x, grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, home);
    const Real m = channel_row(particles.mass, chunk, 1, 0)[lane];

    Node<Real> c[kModes];
    load_modes(chunk, lane, m, c);
    Node<Real> force[D];
    load_force(chunk, lane, force);
    const bool fuse = !params.gradient_force && !params.separate_force;
    if constexpr (Set == ModeSet::kAffine) {
      Node<Real> Q[D];
      map_affine(c);
      for (int a = 0; a < D; ++a) {
        Q[a] = c[1 + a];
        if (fuse) Q[a] += force[a];
      }
      scatter_affine<Tile::kSide>(s, c[0], Q, g.scratch.momentum.node + at, add);
      if (fuse) return;
    } else {
      Mat<Real, D> map;
      const bool mapped = params.affine_map && inverse_map(c, m, map);
      const bool fused_force = fuse && !mapped;
      if (fused_force)
        for (int a = 0; a < D; ++a) c[linear_mode(Set, D, a)] += force[a];
      if (mapped)
        scatter_mapped<axis_modes(Set), Tile::kSide>(s, map, c, g.scratch.momentum.node + at, add);
      else
        scatter_tensor<axis_modes(Set), Tile::kSide>(s, c, g.scratch.momentum.node + at, add);
      if (fused_force) return;
    }
    Tile& tile = params.separate_force ? g.scratch.force : g.scratch.momentum;
    if (params.gradient_force)
      scatter_gradient<Tile::kSide>(s, force, tile.node + at, add);
    else
      scatter_affine<Tile::kSide>(s, Node<Real>::zero(), force, tile.node + at, add);
  }

  // Coefficients times mass; mode 1 carries the mass itself.
  FIRN_HD void load_modes(std::uint32_t chunk, std::uint32_t lane, Real m, Node<Real>* c) const {
    c[0] = Node<Real>::mass(m);
    for (int a = 0; a < D; ++a) c[0].set(a, m * channel_row(particles.v, chunk, D, a)[lane]);
    const int stored = particles.coefficient_modes;
    for (int r = 1; r < kModes; ++r) {
      c[r] = Node<Real>::zero();
      if (stored == 0) continue;
      for (int a = 0; a < D; ++a)
        c[r].set(a,
                 m * channel_row(particles.coefficients, chunk, stored * D, (r - 1) * D + a)[lane]);
    }
  }

  // The impulse of the internal force: node += sum_a z_a force_a (MLS-MPM, [G201 p39-46]: -dt D^-1
  // V0 tau z) or node += sum_a dw_a force_a (classical: -dt V0 tau grad w). z in cells.
  FIRN_HD void load_force(std::uint32_t chunk, std::uint32_t lane, Node<Real> (&force)[D]) const {
    const Real inverse_moment = params.gradient_force ? Real(1) : Degree == 2 ? Real(4) : Real(3);
    const Real scale = -static_cast<Real>(control->dt) * inverse_moment * grid.inv_dx;
    for (int a = 0; a < D; ++a) force[a] = Node<Real>::zero();
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) {
        const Real value =
            scale * channel_row(particles.stress, chunk, symmetric_components(D), k)[lane];
        force[a].set(b, value);
        force[b].set(a, value);
      }
  }

  // xi = affine: M = (I + dt C)^-1 with the step that produced C.
  FIRN_HD bool inverse_map(const Node<Real>* c, Real m, Mat<Real, D>& map) const {
    const Real scale = static_cast<Real>(control->previous_dt) * grid.inv_dx / m;
    Mat<Real, D> forward = Mat<Real, D>::identity();
    for (int b = 0; b < D; ++b)
      for (int a = 0; a < D; ++a) forward(a, b) += scale * c[linear_mode(Set, D, b)][a];
    return invert_motion(forward, map);
  }

  // In the affine set C zeta = (C M) z, still affine.
  FIRN_HD void map_affine(Node<Real>* c) const {
    Mat<Real, D> map;
    if (!params.affine_map || !inverse_map(c, c[0].mass(), map)) return;
    Node<Real> mapped[D];
    for (int b = 0; b < D; ++b) {
      mapped[b] = Node<Real>::zero();
      for (int a = 0; a < D; ++a) mapped[b] += map(a, b) * c[1 + a];
    }
    for (int b = 0; b < D; ++b) c[1 + b] = mapped[b];
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
                const GridView<Real>& grid, const StepControl* control, std::uint32_t block_bound) {
  launch_coloured(exec, {{nullptr, block_bound}, &control->stop}, grid.colour_begin,
                  BlockTraits<D>::kCorners,
                  P2G<D, Degree, Set, Real>{params, particles, grid, control});
}

template <class Exec, int D, class Real>
void p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
         const GridView<Real>& grid, const StepControl* control, std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_p2g<D, decltype(degree)::value, decltype(set)::value>(exec, params, particles, grid,
                                                                 control, block_bound);
  });
}

}  // namespace firn
