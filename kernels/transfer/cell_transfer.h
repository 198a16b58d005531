// Transfers between particles and the centres of cells, one node of four values each: heat, volume
// and what else of the thermal step lives in cells has them in common.
#pragma once

#include "kernels/fields/particles.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/scatter.h"
#include "kernels/transfer/tile.h"

namespace firn {

// Particles scatter one node each to the cells around them: `payload(particles, chunk, lane)`, with
// the group before these where a payload reports to it.
template <int D, int Degree, class Payload, class Real>
struct CellP2G {
  static constexpr const char* kName = "cell_p2g";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  using Tile = BlockTile<D, Degree + 1, Real>;
  struct Scratch {
    Tile tile;
  };
  Payload payload;
  ParticleView<Real> particles;
  GridView<Real> grid;
  Node<Real>* cells;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    scatter_particles<D>(g, *this);
  }

  template <class Tiles, class F>
  FIRN_HD void for_each_tile(Tiles& tiles, int, F&& f) const {
    f(tiles.tile, GridLayer<Node<Real>>{cells});
  }
  FIRN_HD static bool takes(std::uint32_t, std::uint32_t) { return true; }
  template <class Lanes>
  FIRN_HD static void prefetch_next(const Lanes&, int) {}

  template <class Group, class TurnsAt>
  FIRN_HD void add(Group& g, int, const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane,
                   const TurnsAt& turns_at) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    const auto s = make_cell_stencil<D, Degree>(x, grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, home);
    const Node<Real> payload = payload_of(g, chunk, lane);
    turns_at(at).take([&](const auto& turn) {
      scatter_value<Tile::kSide>(in_this_turn(turn, s), payload, g.scratch.tile.node + at,
                                 [&](Node<Real>& cell, Real w, const Node<Real>& value) {
                                   turn.accumulate(cell, w * value);
                                 });
    });
  }
  template <class Group>
  FIRN_HD Node<Real> payload_of(Group& g, std::uint32_t chunk, std::uint32_t lane) const {
    if constexpr (requires { payload(g, particles, chunk, lane); })
      return payload(g, particles, chunk, lane);
    else
      return payload(particles, chunk, lane);
  }
};

// What reads cells back to particles shares: tiles of values of the cells around a block. The
// stencil of a quadratic kernel lies in the tile of its particle's home, whatever kernel chose
// that.
template <int D, int Degree, class Real>
struct CellG2P {
  using Tile = BlockTile<D, Degree + 1, Real, Real>;
  ParticleView<Real> particles;
  GridView<Real> grid;

  // load(place in the tile, cell) for the cells around the group's block, then advance(home, chunk,
  // lane) for its particles.
  template <class Group, class Load, class Advance>
  FIRN_HD void gather(Group& g, Load&& load, Advance&& advance) const {
    gather_particles<D>(
        g, grid, particles,
        [&](std::uint32_t block) {
          g.for_each(Tile::kNodes, [&](std::uint32_t t) {
            const TileNode<D, Tile::kSide> at(static_cast<int>(t));
            const std::uint64_t rank = grid.corners[block * BlockTraits<D>::kCorners + at.corner];
            load(t, rank * BlockTraits<D>::kNodes + at.node);
          });
        },
        [&](const Vec<int, D>& home, const auto& lanes) {
          lanes.for_each_lane([&](int, std::uint32_t lane) { advance(home, lanes.chunk, lane); });
        });
  }

  // The cells that a particle reads: its weights and where they begin in a tile.
  struct Near {
    Stencil<D, Degree, Real> stencil;
    int first;
    FIRN_HD Real mean(const Tile& tile) const {
      return gather_mean<Tile::kSide>(stencil, tile.node + first);
    }
  };
  FIRN_HD Near cells_near(const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    Near near{make_cell_stencil<D, Degree>(x, grid.inv_dx), 0};
    near.first = Tile::template index_of<D>(near.stencil.base, home);
    return near;
  }
};

}  // namespace firn
