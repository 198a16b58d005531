#pragma once

#include "kernels/grid/pose_colliders.h"
#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/open_area.h"
#include "kernels/mac/prepare.h"
#include "kernels/transfer/mac.h"
#include "kernels/transfer/spline.h"

namespace firn {

template <int D, class Real>
struct LinkAround {
  static constexpr const char* kName = "link_around";
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    const Vec<int, D> centre = block_of_key<D>(grid.keys[block]);
    std::uint32_t* around = mac.around + static_cast<std::uint64_t>(block) * Around<D>::kBlocks;
    for (int place = 0; place < Around<D>::kBlocks; ++place) {
      Vec<int, D> other = centre;
      for (int a = 0, rest = place; a < D; ++a, rest /= 3) other[a] += rest % 3 - 1;
      const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(other)));
      around[place] = slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
    }
    mac.fluid[2 * std::uint64_t{block}] = mac.fluid[2 * std::uint64_t{block} + 1] = 0;
  }
};

template <int D, class Real>
struct MarkFluid {
  static constexpr const char* kName = "mark_fluid";
  static constexpr int kThreads = 128;
  struct Scratch {};
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    g.for_each(end - first, [&](std::uint32_t i) {
      const std::uint32_t slot = first + i;
      if (slot % kLanes >= particles.chunks[slot / kLanes].count) return;
      Vec<int, D> local;
      for (int a = 0; a < D; ++a)
        local[a] = axis_base(channel_at(particles.x, slot, D, a), grid.inv_dx, Real(0)).node -
                   home[a] * BlockTraits<D>::kSide;
      const CellAddress at = cell_address<D>(mac, block, local);
      std::uint32_t& word = mac.fluid[2 * std::uint64_t{at.block} + (at.cell >> 5)];
      const std::uint32_t bit = 1u << (at.cell & 31u);
      if ((g.load(word) & bit) == 0) g.atomic_or(word, bit);
    });
  }
};

template <class Exec, int D, class Real>
void classify_cells(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const MacView<Real>& mac, std::uint32_t max_blocks,
                    const StepControl* control) {
  launch_items(exec, {{&control->n_blocks, max_blocks}, &control->stop},
               LinkAround<D, Real>{grid, mac});
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, max_blocks}, &control->stop},
                MarkFluid<D, Real>{particles, grid, mac});
}

template <int D, class Real>
struct PrepareFaces {
  static constexpr const char* kName = "prepare_faces";
  static constexpr int kThreads = 64;
  static constexpr int kSide = BlockTraits<D>::kSide, kCells = BlockTraits<D>::kNodes;
  static constexpr int kCornerSide = kSide + 1;
  static constexpr int kCorners =
      D == 3 ? kCornerSide * kCornerSide * kCornerSide : kCornerSide * kCornerSide;
  static constexpr int kWords = 2 * D;
  struct Scratch {
    Real phi[kCorners];
    std::uint32_t separates[kWords], valid[kWords];
  };

  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  const StepControl* control;
  FacePass pass;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool cut = boundary.is_near(block);
    const bool measures = pass == FacePass::kMeasure;
    g.for_each(kWords, [&](std::uint32_t w) { g.scratch.separates[w] = g.scratch.valid[w] = 0; });
    if (cut && measures) {
      g.for_each(kCorners, [&](std::uint32_t i) {
        Vec<Real, D> offset;
        for (int a = D - 1, rest = static_cast<int>(i); a >= 0; --a, rest /= kCornerSide)
          offset[a] = static_cast<Real>(rest % kCornerSide);
        g.scratch.phi[i] = snapped(boundary.distance(boundary.position_of(block, offset)));
      });
    }
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const int axis = static_cast<int>(i / kCells);
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i % kCells));
      const std::uint64_t face = face_index<D>(g.index(), axis, i % kCells);
      Real open = Real(1);
      if (cut) open = measures ? open_area(g.scratch.phi, local, axis) : mac.area[face];
      mac.area[face] = open;
      NearestBoundary<D, Real> wall;
      if (open < Real(1)) wall = boundary.nearest(boundary.face_position(block, local, axis));
      if (open == Real(0) && wall.boundary == BoundaryType::kSeparate)
        g.atomic_or(g.scratch.separates[i / 32], 1u << (i % 32));
      if (measures) {
        if (mac.whole_cells) mac.faces[face].set(kFaceVolume, mac.faces[face][kFaceMass]);
        return;
      }
      const CellAddress upper{g.index(), i % kCells};
      const Real share =
          mass_share(mac, upper, cell_address<D>(mac, g.index(), stepped<D>(local, axis, -1)));
      if (accelerate(mac.faces[face], axis, open, wall.velocity[axis], share))
        g.atomic_or(g.scratch.valid[i / 32], 1u << (i % 32));
    });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      mac.separates[std::uint64_t{g.index()} * kWords + w] = g.scratch.separates[w];
      mac.opened[std::uint64_t{g.index()} * kWords + w] = 0;
      mac.valid[std::uint64_t{g.index()} * kWords + w] = g.scratch.valid[w];
    });
  }

  // Whether the face has a velocity: whether liquid is near. Stress moves at least the mass that
  // the pressure will move, or viscosity would hold liquid up where faces are not full.
  FIRN_HD bool accelerate(Node<Real>& face, int axis, Real open, Real wall, Real share) const {
    const Real m = face[kFaceMass], inv_m = m > kLeastMass ? Real(1) / m : Real(0);
    const Real before = face[kFaceMomentum] * inv_m;
    const Real whole = cell_volume(), w = volume_per_mass(face[kFaceVolume], inv_m, whole, share);
    const Real moved = w > Real(0) ? max(m, open * whole / w) : m;
    const Real after = before + (m > kLeastMass ? face[kFaceImpulse] / moved : Real(0)) +
                       static_cast<Real>(control->dt) * boundary.params.gravity[axis];
    face = Node<Real>::make(m > kLeastMass ? after : Real(0), -before, w, wall);
    return m > kLeastMass;
  }
  FIRN_HD Real cell_volume() const {
    Real volume = Real(1);
    for (int a = 0; a < D; ++a) volume *= boundary.grid.dx;
    return volume;
  }
  FIRN_HD Real volume_per_mass(Real volume, Real inv_m, Real whole, Real share) const {
    const Real of_liquid = liquid_volume_per_mass(volume, inv_m, whole);
    if (!(share > Real(0)) || inv_m == Real(0)) return of_liquid;
    return (1 - share) * of_liquid + share * whole * inv_m;
  }
  FIRN_HD Real liquid_volume_per_mass(Real volume, Real inv_m, Real whole) const {
    if (mac.whole_cells) return volume > kLeastMass ? whole / volume : Real(0);
    return mac.specific_volume > Real(0) ? mac.specific_volume : volume * inv_m;
  }

  // A wall along the grid has its corners at distance 0 up to rounding.
  FIRN_HD Real snapped(Real phi) const {
    return abs(phi) < Real(1e-3) * boundary.grid.dx ? Real(0) : phi;
  }

  // Of the face of cell `local` along `axis`, from the distances at its corners.
  FIRN_HD static Real open_area(const Real* phi, const Vec<int, D>& local, int axis) {
    const auto at = [&](int along_b, int along_c) {
      Vec<int, D> corner = local;
      corner[(axis + 1) % D] += along_b;
      if constexpr (D == 3) corner[(axis + 2) % D] += along_c;
      int index = corner[0];
      for (int a = 1; a < D; ++a) index = index * kCornerSide + corner[a];
      return phi[index];
    };
    Real open;
    if constexpr (D == 2) {
      open = open_length(at(0, 0), at(1, 0));
    } else {
      const Real corners[4] = {at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
      open = open_square(corners);
    }
    return open < kLeastArea ? Real(0) : open;
  }

  // A sliver that is less open than this counts as closed.
  static constexpr Real kLeastArea = Real(1e-3);
  // A particle that slides along a wall may come so near to a face that its share of the next one
  // has no inverse. A face with less than this has no momentum worth dividing, in kg.
  static constexpr Real kLeastMass = kLeastNormal<Real> / kEpsilon<Real>;
};

template <class Exec, int D, class Real>
void prepare_faces(Exec& exec, FacePass pass, const GridUpdateParams<Real, D>& params,
                   const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                   const StepControl* control) {
  const std::uint32_t colliders = static_cast<std::uint32_t>(params.collider_count);
  if (pass == FacePass::kMeasure)
    launch_items(exec, {{nullptr, colliders}, &control->stop},
                 PoseColliders<Real>{params.colliders, params.poses, control});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                PrepareFaces<D, Real>{{params, grid}, mac, control, pass});
}

// The ghost fluid method puts p = 0 at the surface, so the centre of a fluid cell has to lie below
// it. A cell that holds particles but is less than half full has room for what flows in: as liquid
// it would have to push all of it out through whatever face is free, faster than it came.
template <int D, class Real>
struct DryCells {
  static constexpr const char* kName = "dry_cells";
  static constexpr int kThreads = 64;
  struct Scratch {
    std::uint32_t fluid[2];
  };
  MacView<Real> mac;

  // How full a cut cell is, is known too roughly to ask for a half.
  static constexpr Real kHalf = Real(0.5), kCutShare = Real(0.3);

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    std::uint32_t* fluid = mac.fluid + std::uint64_t{2} * g.index();
    g.for_each(2, [&](std::uint32_t w) { g.scratch.fluid[w] = 0; });
    g.sync();
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      if (!is_fluid(mac, at)) return;
      const Real filled = mac.filled[cell_index(at)];
      if (filled >= kHalf || (filled >= kCutShare && is_cut<D>(mac, at)))
        g.atomic_or(g.scratch.fluid[cell / 32], 1u << (cell % 32));
    });
    g.sync();
    g.for_each(2, [&](std::uint32_t w) { fluid[w] = g.scratch.fluid[w]; });
  }
};

// A cell that lies mostly inside a body holds liquid but hardly ever a particle, and a cell amid
// liquid may have lost its particles by chance. As air they would let the pressure around them
// escape.
template <int D, class Real>
struct FloodCells {
  static constexpr const char* kName = "flood_cells";
  static constexpr int kThreads = 64;
  struct Scratch {
    std::uint32_t flooded[2];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  bool filled;  // whether mac.filled holds

  // The centre of a cell filled so far lies below the surface, whoever's particles fill it.
  static constexpr Real kWet = Real(0.5);

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const std::uint32_t* fluid = mac.fluid + std::uint64_t{2} * g.index();
    const bool full = (fluid[0] & fluid[1]) == ~0u, dry = (fluid[0] | fluid[1]) == 0;
    // Around a hole some cells of its own block are wet; a cut cell may get its liquid from
    // another.
    const bool cut = boundary.params.collider_count > 0 && !full && boundary.is_near(block);
    g.for_each(2, [&](std::uint32_t w) { g.scratch.flooded[w] = 0; });
    g.sync();
    if (!full && (!dry || cut))
      g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
        if (floods(block, {g.index(), cell}, cut))
          g.atomic_or(g.scratch.flooded[cell / 32], 1u << (cell % 32));
      });
    g.sync();
    g.for_each(2, [&](std::uint32_t w) {
      mac.reached[std::uint64_t{g.index()} * 2 * D + w] = g.scratch.flooded[w];
    });
  }

  FIRN_HD bool floods(const Vec<int, D>& block, const CellAddress& at, bool cut) const {
    if (is_fluid(mac, at)) return false;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    bool wet = false, enclosed = true, open = false, sunk = false;
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a) {
      centre[a] = static_cast<Real>(local[a]) + Real(0.5);
      for (int side = 0; side < 2; ++side) {
        const CellAddress other =
            cell_address<D>(mac, at.block, stepped<D>(local, a, side == 0 ? -1 : 1));
        // Its upper faces must be there to be solved for.
        if (side == 1 && !other.exists()) return false;
        const CellAddress face = side == 0 ? at : other;
        if (!(mac.area[face_index<D>(face.block, a, face.cell)] > Real(0))) {
          sunk |= is_fluid(mac, other) && is_closed(other);
          continue;
        }
        open = true;
        if (is_fluid(mac, other))
          wet = true;
        else
          enclosed = false;
      }
    }
    if (open && sunk && !mac.ghost_fluid) return true;
    if (filled && mac.filled[cell_index(at)] > kWet) enclosed = true;
    return wet &&
           (enclosed || (cut && boundary.distance(boundary.position_of(block, centre)) < Real(0)));
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
  launch_groups(exec, range, FloodCells<D, Real>{{params, grid}, mac, filled});
  launch_items(exec, range, AdoptFlooded<D, Real>{mac});
}

}  // namespace firn
