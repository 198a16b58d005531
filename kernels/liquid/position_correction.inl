#pragma once

#include "kernels/exec/bits.h"
#include "kernels/liquid/position_correction.h"
#include "kernels/mac/boundary_geometry.h"
#include "kernels/transfer/corner_tile.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

// Whatever the degree of the velocities' kernel, a particle's cells lie within two of its home.
template <int D, class Real>
struct FillCells {
  static constexpr const char* kName = "fill_cells";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  using Tile = std::conditional_t<kHasNodeRows, CornerTile<D, Real>, BlockTile<D, 2, Real, Real>>;
  struct Scratch {
    Tile tile;
  };
  ParticleView<Real> particles;
  GridView<Real> grid;
  Real* filled;
  Real inverse_cell;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    scatter_particles<D>(g, *this);
  }

  template <class Tiles, class F>
  FIRN_HD void for_each_tile(Tiles& tiles, int, F&& f) const {
    f(tiles.tile, GridLayer<Real>{filled});
  }
  FIRN_HD static bool takes(std::uint32_t, std::uint32_t) { return true; }
  template <class Lanes>
  FIRN_HD static void prefetch_next(const Lanes&, int) {}

  template <class Group, class TurnsAt>
  FIRN_HD void add(Group& g, int, const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane,
                   const TurnsAt& turns_at) const {
    const std::uint32_t slot = chunk * kLanes + lane;
    Vec<int, D> base;
    Real w[D][2];
    for (int a = 0; a < D; ++a) {
      const AxisBase<Real> b =
          axis_base(channel_at(particles.x, slot, D, a), grid.inv_dx, Real(0.5));
      base[a] = b.node;
      w[a][0] = 1 - b.offset;
      w[a][1] = b.offset;
    }
    const int at = Tile::template index_of<D>(base, home);
    Real* lowest = g.scratch.tile.node + at;
    const Real volume = inverse_cell * channel_at(particles.volume, slot, 1, 0);
    turns_at(at).take([&](const auto& turn) {
      for (int corner = 0; corner < (1 << D); ++corner) {
        Real value = volume;
        int offset = 0;
        for (int a = 0; a < D; ++a) {
          const int up = corner >> a & 1;
          value *= w[a][up];
          offset = offset * Tile::kSide + up;
        }
        turn.accumulate(lowest[offset], value);
      }
    });
  }

  template <class Group, class Lanes>
  FIRN_FLAT void add_pack(Group& g, int, const Vec<int, D>& home, const Lanes& lanes) const {
    using T = typename Lanes::Value;
    Vec<T, D> base;
    T share[BlockTraits<D>::kCorners] = {
        T(inverse_cell) * lanes.load(channel_row(particles.volume, lanes.chunk, 1, 0))};
    for (int a = 0, shares = 1; a < D; ++a, shares *= 2) {
      const AxisBase<T> at = axis_base(lanes.load(channel_row(particles.x, lanes.chunk, D, a)),
                                       grid.inv_dx, Real(0.5));
      base[a] = at.node;
      for (int i = shares - 1; i >= 0; --i) {
        share[2 * i + 1] = share[i] * at.offset;
        share[2 * i] = share[i] - share[2 * i + 1];
      }
    }
    const auto at = lanes.places(Tile::index_of(base, home));
    const CornerShares<D, Real> brought(share);
    lanes.for_each_lane([&](int i, std::uint32_t) { g.scratch.tile.add(at.at[i], brought.of[i]); });
  }
};

template <class Real>
struct ClearCells {
  static constexpr const char* kName = "clear_cells";
  static constexpr int kThreads = 64;
  struct Scratch {};
  Real* channel;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(64, [&](std::uint32_t i) { channel[std::uint64_t{g.index()} * 64 + i] = Real(0); });
  }
};

// What the kernel about a cell beside a wall holds is what lies before the wall. How particles
// happen to lie there counts for much in what is left of a kernel: it may show a cell to be full,
// but not to hold too much, which it does by what its faces leave of it.
template <int D, class Real>
struct NormalizeFill {
  static constexpr const char* kName = "normalize_fill";
  static constexpr int kThreads = 64;
  struct Scratch {};
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  // A cell that lies almost wholly in a body says little about what is before it.
  static constexpr Real kLeastShare = Real(0.25);

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!is_beside_boundary(g.index())) return;
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      if (!is_beside_closed(at)) return;
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
      Vec<Real, D> centre;
      for (int a = 0; a < D; ++a) centre[a] = static_cast<Real>(local[a]) + Real(0.5);
      Real& filled = mac.filled[cell_index(at)];
      const Real share = max(share_before(boundary.position_of(block, centre)), kLeastShare);
      filled = max(filled / share_by_faces(at), min(filled / share, Real(1)));
    });
  }
  // A wall at a face takes an eighth of the kernel's weight, along each axis.
  FIRN_HD Real share_by_faces(const CellAddress& at) const {
    Real share = Real(1);
    for (int a = 0; a < D; ++a) {
      const CellAddress upper = cell_beside<D>(mac, at, a, 1);
      Real closed = Real(1) - mac.area[face_index<D>(at.block, a, at.cell)];
      if (upper.exists()) closed += Real(1) - mac.area[face_index<D>(upper.block, a, upper.cell)];
      share *= Real(1) - Real(0.125) * closed;
    }
    return share;
  }
  // Of the linear kernel about x, before the walls along each axis, or before the body that leaves
  // less of it: bodies may lie on walls, and take nothing twice.
  FIRN_HD Real share_before(const Vec<Real, D>& x) const {
    const GridUpdateParams<Real, D>& params = boundary.params;
    Real share = Real(1);
    for (int a = 0; a < D && params.walls.active; ++a)
      share *= share_of(x[a] - params.walls.min[a]) * share_of(params.walls.max[a] - x[a]);
    for (int c = 0; c < params.collider_count; ++c)
      share = min(share, share_of(boundary.body_distance(x, c)));
    return share;
  }
  // The part of a hat about 0 that lies below `distance`.
  FIRN_HD Real share_of(Real distance) const {
    const Real cells = clamp(distance * boundary.grid.inv_dx, Real(-1), Real(1));
    return Real(0.5) + cells - Real(0.5) * cells * abs(cells);
  }
  // The kernel reaches half a cell beyond the next face.
  FIRN_HD bool is_beside_closed(const CellAddress& at) const {
    for (int a = 0; a < D; ++a)
      for (int side = -1; side <= 2; ++side) {
        const CellAddress face = cell_beside<D>(mac, at, a, side);
        if (face.exists() && mac.area[face_index<D>(face.block, a, face.cell)] < Real(1))
          return true;
      }
    return false;
  }
  // Whether a face of its cells may be closed: of the block, or of those above it.
  FIRN_HD bool is_beside_boundary(std::uint32_t block) const {
    bool any = has_boundary(mac, block);
    for (int a = 0; a < D; ++a) {
      const CellAddress above =
          cell_address<D>(mac, block, stepped<D>(Vec<int, D>::zero(), a, BlockTraits<D>::kSide));
      any = any || (above.exists() && has_boundary(mac, above.block));
    }
    return any;
  }
};

template <class Exec, int D, class Real>
void fill_cells(Exec& exec, const GridUpdateParams<Real, D>& params,
                const ParticleView<Real>& particles, const GridView<Real>& grid,
                const MacView<Real>& mac, std::uint32_t max_blocks, const StepControl* control) {
  Real inverse_cell = 1;
  for (int a = 0; a < D; ++a) inverse_cell *= grid.inv_dx;
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ClearCells<Real>{mac.filled});
  launch_coloured(exec, {{nullptr, max_blocks}, &control->stop}, grid.colour_begin,
                  BlockTraits<D>::kCorners,
                  FillCells<D, Real>{particles, grid, mac.filled, inverse_cell});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                NormalizeFill<D, Real>{{params, grid}, mac});
}

template <int D, class Real>
struct MeasureExcess {
  static constexpr const char* kName = "measure_excess";
  static constexpr int kThreads = 32;
  static constexpr int kSide = 4, kAlong = BlockTraits<D>::kSide / kSide;
  static constexpr int kGroups = int_power(kAlong, D), kCells = int_power(kSide, D);
  struct Scratch {
    double beyond[kGroups], held[kGroups];
  };
  MacView<Real> mac;
  double* table;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(kGroups, [&](std::uint32_t i) {
      double held = 0;
      for (int k = 0; k < kCells; ++k) {
        Vec<int, D> local;
        int group = static_cast<int>(i), within = k;
        for (int a = 0; a < D; ++a, group /= kAlong, within /= kSide)
          local[a] = kSide * (group % kAlong) + within % kSide;
        const auto cell = static_cast<std::uint32_t>(node_in_block<D>(local));
        held += static_cast<double>(mac.filled[cell_index({g.index(), cell})]);
      }
      const double beyond = held - kCells;
      g.scratch.beyond[i] = beyond > 0 ? beyond : 0;
      g.scratch.held[i] = held;
    });
    g.sync();
    g.once([&] {
      double* row = table + std::uint64_t{g.index()} * kExcessColumns;
      row[kBeyond] = row[kHeld] = 0;
      for (int i = 0; i < kGroups; ++i) {
        row[kBeyond] += g.scratch.beyond[i];
        row[kHeld] += g.scratch.held[i];
      }
    });
  }
};

template <class Exec, int D, class Real>
void measure_excess(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks, double* table,
                    const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, nullptr},
                MeasureExcess<D, Real>{mac, table});
}

template <int D, class Real>
struct AssembleCorrection {
  static constexpr const char* kName = "assemble_correction";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real rate = Real(1) / static_cast<Real>(control->dt);
    for_each_bit(
        g, 2, [&](std::uint32_t w) { return fluid_word(mac, g.index(), w); },
        [&](std::uint32_t cell) {
          const CellAddress at{g.index(), cell};
          mac.rhs[cell_index(at)] = rate * excess(at);
        });
  }

  FIRN_HD Real excess(const CellAddress& at) const {
    bool inner = true;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress other = cell_beside<D>(mac, at, a, side == 0 ? -1 : 1);
        const CellAddress face = side == 0 ? at : other;
        const Real open = mac.area[face_index<D>(face.block, a, face.cell)];
        // Beside air nothing is missing; in a cut cell what is missing may be a body.
        if (open > Real(0) && (open < Real(1) || !is_fluid(mac, other))) inner = false;
      }
    const Real excess = clamp(mac.filled[cell_index(at)] - Real(1),
                              inner ? -kLargestExcess : Real(0), kLargestExcess);
    return mac.elastic_fraction == nullptr ? excess
                                           : (1 - mac.elastic_fraction[cell_index(at)]) * excess;
  }

  // More would move particles further than the next step can put right.
  static constexpr Real kLargestExcess = Real(0.5);
};

template <class Exec, int D, class Real>
void assemble_correction(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                         const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                AssembleCorrection<D, Real>{mac, control});
}

}  // namespace firn
