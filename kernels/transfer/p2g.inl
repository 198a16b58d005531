// Particle to grid: one group per block. It gathers its particles' contributions in a tile that
// covers the block and the reach of the stencils on the + sides, then adds the tile to the 2^d
// blocks it overlaps.
#pragma once

#include "kernels/transfer/contribution.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct P2G {
  static constexpr const char* kName = "p2g";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  using Tile = BlockTile<D, Degree, Real>;
  struct Scratch {
    Tile momentum, force;
  };
  static constexpr int kModes = mode_count(Set, D);

  TransferParams params;
  ParticleView<Real> particles;
  LateParticles late;
  GridView<Real> grid;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    scatter_particles<D>(g, *this);
  }

  template <class Tiles, class F>
  FIRN_HD void for_each_tile(Tiles& tiles, int, F&& f) const {
    f(tiles.momentum, node_layer(grid.momentum));
    if (params.separate_force) f(tiles.force, node_layer(grid.impulse));
  }
  FIRN_HD bool takes(std::uint32_t chunk, std::uint32_t lane) const {
    return control->carried == 0 || is_late(chunk, lane);
  }
  template <class Lanes>
  FIRN_HD void prefetch_next(const Lanes& lanes, int) const {
    lanes.prefetch_next(particles.x, D);
    lanes.prefetch_next(particles.v, D);
    lanes.prefetch_next(particles.coefficients, D * particles.coefficient_modes);
    lanes.prefetch_next(particles.mass, 1);
    lanes.prefetch_next(particles.stress, symmetric_components(D));
  }

  template <class Group, class TurnsAt>
  FIRN_HD void add(Group& g, int, const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane,
                   const TurnsAt& turns_at) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    const auto s = make_stencil<D, Degree>(x, grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, home);
    const auto turns = turns_at(at);
    Node<Real> c[kModes], force[D];
    load_modes(chunk, lane, c);
    load_force(chunk, lane, force);
    using Contribute = Contribution<D, Degree, Set, Real>;
    const Contribute contribution{params, static_cast<Real>(control->previous_dt) * grid.inv_dx};
    Contribute::take(turns, [&](const auto& turn) {
      contribution.template add<Tile::kSide>(turn, s, c, force, g.scratch.momentum.node + at,
                                             g.scratch.force.node + at);
    });
  }

  // Marked by the fused step in the layout before this one.
  FIRN_HD bool is_late(std::uint32_t chunk, std::uint32_t lane) const {
    const std::uint32_t slot = late.order[particles.chunks[chunk].source + lane];
    return (late.marks[control->first_chunk + slot / kLanes] >> slot % kLanes & 1u) != 0;
  }

  // Coefficients times mass; mode 1 carries the mass itself.
  FIRN_HD void load_modes(std::uint32_t chunk, std::uint32_t lane, Node<Real>* c) const {
    const Real m = channel_row(particles.mass, chunk, 1, 0)[lane];
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

  FIRN_HD void load_force(std::uint32_t chunk, std::uint32_t lane, Node<Real> (&force)[D]) const {
    for (int a = 0; a < D; ++a) force[a] = Node<Real>::zero();
    if (!params.internal_force) return;
    const Real scale = impulse_scale<Degree>(params, static_cast<Real>(control->dt), grid.inv_dx);
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) {
        const Real value =
            scale * channel_row(particles.stress, chunk, symmetric_components(D), k)[lane];
        force[a].set(b, value);
        force[b].set(a, value);
      }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
                const LateParticles& late, const GridView<Real>& grid, const StepControl* control,
                std::uint32_t block_bound) {
  launch_coloured(exec, {{nullptr, block_bound}, &control->skip_particles}, grid.colour_begin,
                  int_power(grid.parities, D),
                  P2G<D, Degree, Set, Real>{params, particles, late, grid, control});
}

template <class Exec, int D, class Real>
void p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
         const LateParticles& late, const GridView<Real>& grid, const StepControl* control,
         std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_p2g<D, decltype(degree)::value, decltype(set)::value>(exec, params, particles, late,
                                                                 grid, control, block_bound);
  });
}

}  // namespace firn
