#pragma once

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/face_masks.h"
#include "kernels/mac/flood_cells.h"

namespace firn {

// The ghost fluid method puts p = 0 at the surface, so the centre of a fluid cell has to lie below
// it. A cell that holds particles but is less than half full has room for what flows in: as liquid
// it would have to push all of it out through whatever face is free, faster than it came.
template <int D, class Real>
struct DryCells {
  static constexpr const char* kName = "dry_cells";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    select_bits(
        g, 2, [&](std::uint32_t w) { return fluid_word(mac, block, w); },
        [&](std::uint32_t cell) {
          return mac.filled[cell_index({block, cell})] >= Real(0.5);
        },
        [&](std::uint32_t w, std::uint32_t bits) {
          mac.fluid[std::uint64_t{2} * block + w] = bits;
        });
  }
};

// A cell that lies mostly inside a body holds liquid but hardly ever a particle, and a cell amid
// liquid may have lost its particles by chance. As air they would let the pressure around them
// escape.
// kAgain: looked at for what narrows before a wall only.
template <int D, class Real, bool kAgain>
struct FloodCells {
  static constexpr const char* kName = "flood_cells";
  static constexpr int kThreads = 64;
  struct Scratch {
    std::uint32_t candidates[2];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  bool filled;  // whether mac.filled holds

  // The centre of a cell filled so far lies below the surface, whoever's particles fill it.
  static constexpr Real kWet = Real(0.5);

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const std::uint64_t fluid = fluid_bits(mac, g.index());
    // Around a hole some cells of its own block are wet; a cut cell may get its liquid from
    // another.
    const bool cut = ~fluid != 0 && has_boundary(mac, g.index());
    const bool looks = ~fluid != 0 && (fluid != 0 || cut);
    g.once([&] {
      std::uint64_t found = 0;
      if (looks)
        found = beside<D>(mac, g.index(), [&](std::uint32_t of) { return fluid_bits(mac, of); }) &
                ~fluid;
      g.scratch.candidates[0] = static_cast<std::uint32_t>(found);
      g.scratch.candidates[1] = static_cast<std::uint32_t>(found >> 32);
    });
    g.sync();
    select_bits(
        g, 2, [&](std::uint32_t w) { return g.scratch.candidates[w]; },
        [&](std::uint32_t cell) {
          return floods(block, {g.index(), cell}, cut);
        },
        [&](std::uint32_t w, std::uint32_t bits) {
          mac.reached[std::uint64_t{g.index()} * 2 * D + w] = bits;
        });
  }

  // Of a cell that is no fluid and lies beside one that is.
  FIRN_HD bool floods(const Vec<int, D>& block, const CellAddress& at, bool cut) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    bool wet = false, enclosed = true, open = false, sunk = false, fed = false, aired = false;
    Real widest = Real(0);
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a) {
      centre[a] = static_cast<Real>(local[a]) + Real(0.5);
      for (int side = 0; side < 2; ++side) {
        const CellAddress other =
            cell_address<D>(mac, at.block, stepped<D>(local, a, side == 0 ? -1 : 1));
        // Its upper faces must be there to be solved for.
        if (side == 1 && !other.exists()) return false;
        const CellAddress face = side == 0 ? at : other;
        const Real area = mac.area[face_index<D>(face.block, a, face.cell)];
        if (!(area > Real(0))) {
          sunk |= is_fluid(mac, other) && is_closed(other);
          continue;
        }
        open = true;
        const bool from = is_fluid(mac, other);
        if (from)
          wet = true;
        else
          enclosed = false;
        fed = area > widest ? from : area == widest ? fed || from : fed;
        if constexpr (kAgain) aired = aired || (!from && area == Real(1));
        widest = max(widest, area);
      }
    }
    if constexpr (!kAgain) {
      if (open && sunk && !mac.ghost_fluid) return true;
      if (filled && mac.filled[cell_index(at)] > kWet) enclosed = true;
      if (wet && enclosed) return true;
    }
    // What is left of a cell before a wall is as full as the cell that it opens to.
    if (kAgain && !aired) return fed && cut;
    return fed && cut && boundary.distance(boundary.position_of(block, centre)) < Real(0);
  }
  // A cell without a way out has no part in the projection. Particles that have sunk into it, up to
  // half a cell, belong to the one above the surface.
  FIRN_HD bool is_closed(const CellAddress& at) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress face =
            side == 0 ? at : cell_address<D>(mac, at.block, stepped<D>(local, a, 1));
        if (face.exists() && mac.area[face_index<D>(face.block, a, face.cell)] > Real(0))
          return false;
      }
    return true;
  }
};

template <int D, class Real>
struct AdoptFlooded {
  static constexpr const char* kName = "adopt_flooded";
  MacView<Real> mac;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    for (int w = 0; w < 2; ++w)
      mac.fluid[std::uint64_t{2} * block + w] |= mac.reached[std::uint64_t{2 * D} * block + w];
  }
};

template <class Exec, int D, class Real>
void flood_cells(Exec& exec, const GridUpdateParams<Real, D>& params, bool filled,
                 const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                 const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  if (filled && mac.ghost_fluid) launch_groups(exec, range, DryCells<D, Real>{mac});
  const auto flood = [&](const auto& cells) {
    launch_groups(exec, range, cells);
    launch_items(exec, range, AdoptFlooded<D, Real>{mac});
  };
  flood(FloodCells<D, Real, false>{{params, grid}, mac, filled});
  for (int pass = 1; params.moved > 0 && pass < kNarrowPasses; ++pass)
    flood(FloodCells<D, Real, true>{{params, grid}, mac, filled});
}

}  // namespace firn
