#pragma once

#include <type_traits>

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/face_layers.h"
#include "kernels/mac/face_masks.h"
#include "kernels/mac/open_area.h"
#include "kernels/mac/prepare.h"
#include "kernels/transfer/mac.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, class Real>
struct LinkAround {
  static constexpr const char* kName = "link_around";
  static constexpr int kThreads = 32;  // for 27 or 9 blocks, each looked up by one
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const Vec<int, D> centre = block_of_key<D>(grid.keys[block]);
    std::uint32_t* around = mac.around + static_cast<std::uint64_t>(block) * Around<D>::kBlocks;
    g.for_each(Around<D>::kBlocks, [&](std::uint32_t place) {
      Vec<int, D> other = centre;
      for (int a = 0, rest = static_cast<int>(place); a < D; ++a, rest /= 3)
        other[a] += rest % 3 - 1;
      const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(other)));
      around[place] = slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
    });
    g.once([&] {
      mac.fluid[2 * std::uint64_t{block}] = mac.fluid[2 * std::uint64_t{block} + 1] = 0;
      mac.traits[block] &= kKeptTraits;
    });
  }
};

template <int D, class Real>
struct MarkFluid {
  static constexpr const char* kName = "mark_fluid";
  static constexpr int kThreads = 128;
  struct Scratch {};
  ParticleBounds<Real, D> bounds;
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    if constexpr (kHasNodeRows)
      mark_packs(g, block, home);
    else
      mark_each(g, block, home);
  }

  template <class Group>
  FIRN_HD void mark_each(Group& g, std::uint32_t block, const Vec<int, D>& home) const {
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    g.for_each(end - first, [&](std::uint32_t i) {
      const std::uint32_t slot = first + i;
      if (slot % kLanes >= particles.chunks[slot / kLanes].count) return;
      Vec<int, D> local;
      bool ends = false;
      for (int a = 0; a < D; ++a) {
        const Real x = channel_at(particles.x, slot, D, a);
        const AxisBase<Real> at = axis_base(x, grid.inv_dx, Real(0));
        local[a] = at.node - home[a] * BlockTraits<D>::kSide;
        // But for the rounding of either.
        if (bounds.active && x >= bounds.max[a] && at.offset < Real(1e-3)) --local[a];
        ends =
            ends || at.offset == Real(0) || axis_base(x, grid.inv_dx, Real(0.5)).offset == Real(0);
      }
      if (ends) expect_gaps(g, block);
      mark(g, block, local);
    });
  }

  // On the CPU a group marks the cells around its block for itself, pack by pack, and the grid's
  // when all its particles have been looked at.
  template <class Group>
  FIRN_FLAT void mark_packs(Group& g, std::uint32_t block, const Vec<int, D>& home) const {
    constexpr int kSide = BlockTraits<D>::kSide + 3;  // from one cell before the block
    bool holds[int_power(kSide, D)] = {}, any_ends = false;
    for_each_pack_in(g, block, grid, particles, [&](const auto& lanes) {
      using T = typename std::remove_cvref_t<decltype(lanes)>::Value;
      T place = T(Real(0));
      auto ends = T(Real(0)) > T(Real(0));
      for (int a = 0; a < D; ++a) {
        const T x = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
        const AxisBase<T> at = axis_base(x, grid.inv_dx, Real(0));
        T local = at.node - T(static_cast<Real>(home[a] * BlockTraits<D>::kSide - 1));
        if (bounds.active)
          local -=
              select(x >= T(bounds.max[a]) && at.offset < T(Real(1e-3)), T(Real(1)), T(Real(0)));
        ends = ends || at.offset == T(Real(0)) ||
               axis_base(x, grid.inv_dx, Real(0.5)).offset == T(Real(0));
        place = place * T(static_cast<Real>(kSide)) + local;
      }
      any_ends = any_ends || any(ends && lanes.active());
      const auto at = lanes.places(place);
      lanes.for_each_lane([&](int i, std::uint32_t) { holds[at.at[i]] = true; });
    });
    if (any_ends) expect_gaps(g, block);
    for (int i = 0; i < int_power(kSide, D); ++i) {
      if (!holds[i]) continue;
      Vec<int, D> local;
      for (int a = D - 1, left = i; a >= 0; --a, left /= kSide) local[a] = left % kSide - 1;
      mark(g, block, local);
    }
  }

  template <class Group>
  FIRN_HD void mark(Group& g, std::uint32_t block, const Vec<int, D>& local) const {
    const CellAddress at = cell_address<D>(mac, block, local);
    std::uint32_t& word = mac.fluid[2 * std::uint64_t{at.block} + (at.cell >> 5)];
    const std::uint32_t bit = 1u << (at.cell & 31u);
    if ((g.load(word) & bit) == 0) g.atomic_or(word, bit);
  }
  // A particle just at the end of linear stencils gives nothing to their last faces and reads the
  // slope of the velocity from them.
  template <class Group>
  FIRN_HD void expect_gaps(Group& g, std::uint32_t block) const {
    for (int corner = 0; corner < BlockTraits<D>::kCorners; ++corner)
      g.atomic_or(mac.traits[grid.corners[block * BlockTraits<D>::kCorners + corner]], kHasGaps);
  }
};

template <class Exec, int D, class Real>
void classify_cells(Exec& exec, const ParticleBounds<Real, D>& bounds,
                    const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const MacView<Real>& mac, std::uint32_t max_blocks,
                    const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                LinkAround<D, Real>{grid, mac});
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, max_blocks}, &control->stop},
                MarkFluid<D, Real>{bounds, particles, grid, mac});
}

// Whether particles have given a face anything; momentum and volume come with mass.
template <class Real>
FIRN_HD inline bool holds_anything(const Node<Real>& face) {
  return face[kFaceMass] != Real(0) || face[kFaceImpulse] != Real(0);
}

template <int D, class Real>
struct MeasureFaces {
  static constexpr const char* kName = "measure_faces";
  static constexpr int kThreads = 64;
  static constexpr int kSide = BlockTraits<D>::kSide, kCells = BlockTraits<D>::kNodes;
  static constexpr int kCornerSide = kSide + 1;
  static constexpr int kCorners =
      D == 3 ? kCornerSide * kCornerSide * kCornerSide : kCornerSide * kCornerSide;
  struct Scratch {
    Real phi[kCorners];
  };

  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t first = face_index<D>(g.index(), 0, 0);
    const std::uint32_t kept = mac.traits[g.index()];
    const bool known = is_measured(g.index(), kept);
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool cut = known ? (kept & kIsWhole) == 0 : boundary.is_near(block);
    if (cut && !known)
      measure(g, block, mac.area + first);
    else if (cut)
      close_opened(g, mac.area + first);
    else if ((kept & kIsWhole) == 0)
      g.template for_each_line<D * kCells>(
          1, [&](std::uint32_t, std::uint32_t i) { mac.area[first + i] = Real(1); });
    select_bits(
        g, 2 * D, [](std::uint32_t) { return ~0u; },
        [&](std::uint32_t i) {
          Node<Real>& face = mac.faces[first + i];
          if (mac.whole_cells) face.set(kFaceVolume, face[kFaceMass]);
          return holds_anything(face);
        },
        [&](std::uint32_t w, std::uint32_t bits) {
          mac.given[face_word<D>(g.index(), 0) + w] = bits;
        });
    g.sync();
    g.once([&] {
      mac.traits[g.index()] =
          (kept & ~kKeptTraits) | (cut ? kHasBoundary : kIsWhole) | (mac.still ? kIsMeasured : 0u);
      store_word_pair(mac.measured + std::uint64_t{2} * g.index(), 0,
                      boundary.grid.keys[g.index()]);
    });
  }

  // Faces that the last step took for air, as what touched them was about to leave. They were
  // closed all over.
  template <class Group>
  FIRN_HD void close_opened(Group& g, Real* area) const {
    const std::uint32_t* opened = mac.opened + face_word<D>(g.index(), 0);
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (test_bit(opened, i)) area[i] = Real(0);
    });
  }
  // What does not move is measured where a block has just come to its rank.
  FIRN_HD bool is_measured(std::uint32_t rank, std::uint32_t kept) const {
    return mac.still && (kept & kIsMeasured) != 0 &&
           word_pair(mac.measured + std::uint64_t{2} * rank, 0) == boundary.grid.keys[rank];
  }
  template <class Group>
  FIRN_HD void measure(Group& g, const Vec<int, D>& block, Real* area) const {
    g.for_each(kCorners, [&](std::uint32_t i) {
      Vec<Real, D> offset;
      for (int a = D - 1, rest = static_cast<int>(i); a >= 0; --a, rest /= kCornerSide)
        offset[a] = static_cast<Real>(rest % kCornerSide);
      g.scratch.phi[i] = snapped_distance(boundary.position_of(block, offset));
    });
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      area[i] = open_area(g.scratch.phi, block, local_of_node<D>(static_cast<int>(i % kCells)),
                          static_cast<int>(i / kCells));
    });
  }

  FIRN_HD Real snapped_distance(const Vec<Real, D>& x) const {
    return boundary.snapped(boundary.distance(x), x);
  }

  // Of the face of cell `local` along `axis`, from the distances at its corners; and at its middle
  // where the corners see nothing open, as in a slit of one cell along the grid.
  FIRN_HD Real open_area(const Real* phi, const Vec<int, D>& block, const Vec<int, D>& local,
                         int axis) const {
    const auto at = [&](int along_b, int along_c) {
      Vec<int, D> corner = local;
      corner[(axis + 1) % D] += along_b;
      if constexpr (D == 3) corner[(axis + 2) % D] += along_c;
      int index = corner[0];
      for (int a = 1; a < D; ++a) index = index * kCornerSide + corner[a];
      return phi[index];
    };
    // No farther from the middle than this, which changes the distance by no more.
    const Real reach = boundary.grid.dx * (D == 2 ? Real(0.5) : Real(0.7072));
    const auto middle = [&] {
      return snapped_distance(boundary.face_position(block, local, axis));
    };
    Real open;
    if constexpr (D == 2) {
      const Real corners[2] = {at(0, 0), at(1, 0)};
      open = open_length(corners[0], corners[1]);
      if (open == Real(0) && min(corners[0], corners[1]) > -reach)
        open = open_around(middle(), corners);
    } else {
      const Real corners[4] = {at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
      open = open_square(corners);
      if (open == Real(0) && min(min(corners[0], corners[1]), min(corners[2], corners[3])) > -reach)
        open = open_around(middle(), corners);
    }
    // In the wedge between a body that has come near and another, the corners lie in one or the
    // other.
    if (open == Real(0) && boundary.params.moved > 0 && at(0, 0) > -boundary.grid.dx)
      open = boundary.open_between(block, local, axis);
    return open < kLeastArea ? Real(0) : open;
  }

  // A sliver that is less open than this counts as closed.
  static constexpr Real kLeastArea = Real(1e-3);
};

template <class Exec, int D, class Real>
void measure_faces(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                   const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                   const StepControl* control) {
  const std::uint32_t colliders = static_cast<std::uint32_t>(params.collider_count);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               PoseColliders<Real>{params.colliders, params.poses, control, moved, false});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                MeasureFaces<D, Real>{{params, grid}, mac});
}

template <int D, class Real>
struct AccelerateFaces {
  static constexpr const char* kName = "accelerate_faces";
  static constexpr int kThreads = 64;
  static constexpr int kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t of_fluid[kWords], separates[kWords], gaps;
  };

  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    std::uint32_t *of_fluid = g.scratch.of_fluid, *separates = g.scratch.separates;
    const std::uint64_t word = face_word<D>(g.index(), 0);
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    find_fluid_faces<D>(g, mac, g.index(), of_fluid);
    g.for_each(D, [&](std::uint32_t axis) {
      store_word_pair(mac.read + word, axis,
                      with_faces_above<D>(mac, g.index(), static_cast<int>(axis), mac.given));
    });
    g.for_each(kWords, [&](std::uint32_t w) { separates[w] = 0; });
    g.once([&] { g.scratch.gaps = 0; });
    g.sync();
    // Where stress is solved for, closed faces move with their boundary, whoever reads them.
    const bool all = mac.elastic_fraction != nullptr && has_boundary(mac, g.index());
    select_bits(
        g, kWords, [&](std::uint32_t w) { return all ? ~0u : mac.read[word + w] | of_fluid[w]; },
        [&](std::uint32_t i) { return accelerate_at(g, block, i); },
        [&](std::uint32_t w, std::uint32_t bits) {
          mac.valid[word + w] = bits;
          mac.opened[word + w] = 0;
          if ((of_fluid[w] & ~bits) != 0) g.atomic_or(g.scratch.gaps, kHasGaps);
        });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) { mac.separates[word + w] = separates[w]; });
    g.once([&] { mac.traits[g.index()] |= g.scratch.gaps; });
  }

  // Face i of the block; whether it has a velocity.
  template <class Group>
  FIRN_HD bool accelerate_at(Group& g, const Vec<int, D>& block, std::uint32_t i) const {
    const int axis = static_cast<int>(i / kCells);
    const CellAddress upper{g.index(), i % kCells};
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(upper.cell));
    const std::uint64_t face = face_index<D>(g.index(), 0, i);
    const Real open = mac.area[face];
    NearestBoundary<D, Real> wall;
    const bool held = clings(mac, g.index(), face);
    if (open < Real(1) || held) wall = boundary.nearest(boundary.face_position(block, local, axis));
    if (open == Real(0) && wall.boundary == BoundaryType::kSeparate)
      g.atomic_or(g.scratch.separates[i / 32], 1u << (i % 32));
    Real share = Real(0);
    if (mac.elastic_fraction != nullptr)
      share = mass_share(mac, upper, cell_address<D>(mac, g.index(), stepped<D>(local, axis, -1)));
    if (held) mac.faces[face].set(kFaceImpulse, Real(0));  // its boundary takes it
    return accelerate(mac.faces[face], axis, open, wall.velocity[axis], share);
  }

  // Whether the face has a velocity: whether liquid is near. Stress moves at least the mass that
  // the pressure will move, or viscosity would hold liquid up where faces are not full.
  FIRN_HD bool accelerate(Node<Real>& face, int axis, Real open, Real wall, Real share) const {
    const Node<Real> brought = face;
    const Real m = brought[kFaceMass], inv_m = m > kLeastMass ? Real(1) / m : Real(0);
    const Real before = brought[kFaceMomentum] * inv_m, impulse = brought[kFaceImpulse];
    const Real whole = cell_volume();
    const Real w = volume_per_mass(brought[kFaceVolume], inv_m, whole, share);
    Real after = before;
    if (m > kLeastMass && impulse != Real(0))
      after += impulse / (w > Real(0) ? max(m, open * whole / w) : m);
    after += static_cast<Real>(control->dt) * boundary.params.gravity[axis];
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

  // A particle that slides along a wall may come so near to a face that its share of the next one
  // has no inverse. A face with less than this has no momentum worth dividing, in kg.
  static constexpr Real kLeastMass = kLeastNormal<Real> / kEpsilon<Real>;
};

template <class Exec, int D, class Real>
void accelerate_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                      const GridView<Real>& grid, const MacView<Real>& mac,
                      std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                AccelerateFaces<D, Real>{{params, grid}, mac, control});
}

}  // namespace firn
