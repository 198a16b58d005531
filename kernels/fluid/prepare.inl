#pragma once

#include "kernels/fluid/prepare.h"
#include "kernels/fluid/solid_area.h"
#include "kernels/grid/pose_colliders.h"
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
      const std::uint32_t slot = grid.hash.find(block_key<D>(other));
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
    std::uint32_t separates[kWords];
  };

  GridUpdateParams<Real, D> params;
  GridView<Real> grid;
  MacView<Real> mac;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    const bool cut = solid_is_near(origin);
    g.for_each(kWords, [&](std::uint32_t w) { g.scratch.separates[w] = 0; });
    if (cut) {
      g.for_each(kCorners, [&](std::uint32_t i) {
        Vec<Real, D> offset;
        for (int a = D - 1, rest = static_cast<int>(i); a >= 0; --a, rest /= kCornerSide)
          offset[a] = static_cast<Real>(rest % kCornerSide);
        g.scratch.phi[i] = snapped(solid_distance(position_of(origin, offset)));
      });
    }
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const int axis = static_cast<int>(i / kCells);
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i % kCells));
      const std::uint64_t face = face_index<D>(g.index(), axis, i % kCells);
      const Real open = cut ? open_area(g.scratch.phi, local, axis) : Real(1);
      mac.area[face] = open;
      Solid solid;
      if (open < Real(1)) {
        Vec<Real, D> offset;
        for (int a = 0; a < D; ++a)
          offset[a] = static_cast<Real>(local[a]) + (a == axis ? Real(0) : Real(0.5));
        solid = nearest_solid(position_of(origin, offset), axis);
      }
      if (open == Real(0) && solid.separates)
        g.atomic_or(g.scratch.separates[i / 32], 1u << (i % 32));
      accelerate(mac.faces[face], axis, solid.velocity);
    });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      mac.separates[std::uint64_t{g.index()} * kWords + w] = g.scratch.separates[w];
      mac.opened[std::uint64_t{g.index()} * kWords + w] = 0;
    });
  }

  FIRN_HD void accelerate(Node<Real>& face, int axis, Real solid) const {
    const Real m = face[1], inv_m = m > kLeastMass ? Real(1) / m : Real(0);
    const Real before = face[0] * inv_m;
    const Real after =
        m > kLeastMass ? before + static_cast<Real>(control->dt) * params.gravity[axis] : Real(0);
    face = Node<Real>::make(after, -before, face[2] * inv_m, solid);
  }

  FIRN_HD Vec<Real, D> position_of(const Vec<int, D>& origin, const Vec<Real, D>& offset) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = (static_cast<Real>(origin[a] * kSide) + offset[a]) * grid.dx;
    return x;
  }

  // A wall along the grid has its corners at distance 0 up to rounding.
  FIRN_HD Real snapped(Real phi) const { return abs(phi) < Real(1e-3) * grid.dx ? Real(0) : phi; }

  FIRN_HD Real wall_distance(const Vec<Real, D>& x) const {
    Real phi = kLargest<Real>;
    for (int a = 0; a < D && params.walls.active; ++a)
      phi = min(phi, min(x[a] - params.walls.min[a], params.walls.max[a] - x[a]));
    return phi;
  }
  FIRN_HD Real body_distance(const Vec<Real, D>& x, int c) const {
    return signed_distance<D>(params.colliders[c].program, to_body(params.poses[c], x));
  }
  FIRN_HD Real solid_distance(const Vec<Real, D>& x) const {
    Real phi = wall_distance(x);
    for (int c = 0; c < params.collider_count; ++c) phi = min(phi, body_distance(x, c));
    return phi;
  }

  FIRN_HD bool solid_is_near(const Vec<int, D>& origin) const {
    const Real half = Real(0.5) * static_cast<Real>(kSide);
    const Real radius = half * grid.dx * sqrt(static_cast<Real>(D));
    return solid_distance(position_of(origin, Vec<Real, D>::filled(half))) <=
           radius + Real(1e-3) * grid.dx;
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

  struct Solid {
    Real velocity = Real(0);  // along the axis of the face
    bool separates = false;
  };

  // The solid whose surface is nearest; the domain's walls rest.
  FIRN_HD Solid nearest_solid(const Vec<Real, D>& x, int axis) const {
    Solid solid;
    Real nearest = kLargest<Real>;
    for (int f = 0; f < 2 * D && params.walls.active; ++f) {
      const int a = f / 2;
      const Real phi = f % 2 == 0 ? x[a] - params.walls.min[a] : params.walls.max[a] - x[a];
      if (!(phi < nearest)) continue;
      nearest = phi;
      solid.separates = params.walls.boundary[f] == BoundaryType::kSeparate;
    }
    for (int c = 0; c < params.collider_count; ++c) {
      const Real phi = body_distance(x, c);
      if (!(phi < nearest)) continue;
      nearest = phi;
      solid.velocity = velocity_at(params.poses[c], x)[axis];
      solid.separates = params.colliders[c].boundary == BoundaryType::kSeparate;
    }
    return solid;
  }

  // A sliver that is less open than this counts as closed.
  static constexpr Real kLeastArea = Real(1e-3);
  // A particle that slides along a wall may come so near to a face that its share of the next one
  // has no inverse. A face with less than this has no momentum worth dividing, in kg.
  static constexpr Real kLeastMass = kLeastNormal<Real> / kEpsilon<Real>;
};

template <class Exec, int D, class Real>
void prepare_faces(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   const MacView<Real>& mac, std::uint32_t max_blocks, const StepControl* control) {
  const std::uint32_t colliders = static_cast<std::uint32_t>(params.collider_count);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               PoseColliders<Real>{params.colliders, params.poses, control});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                PrepareFaces<D, Real>{params, grid, mac, control});
}

}  // namespace firn
