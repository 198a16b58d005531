#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/material_surface.h"
#include "kernels/grid/surfaces.h"

namespace firn {

template <int D, class Real>
struct FindSurfaces : NodeContact<D, Real> {
  using Contact = NodeContact<D, Real>;
  using Contact::control;
  using Contact::grid;
  using Contact::kNodes;
  using Contact::nodes_of;
  using Contact::params;
  static constexpr const char* kName = "find_surfaces";
  static constexpr int kThreads = 64;
  struct Scratch {
    std::uint32_t beside[2 * D];  // ranks of the blocks before and behind along every axis
    Real full;                    // kg, that a node within the lightest of all material has
  };

  Real reach;  // m, outside of colliders, within which nodes look for it

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    std::uint8_t* near = params.near + std::uint64_t{g.index()} * params.collider_count;
    g.for_each(static_cast<std::uint32_t>(params.collider_count), [&](std::uint32_t c) {
      const int collider = static_cast<int>(c);
      const Real gap = this->gap_to(origin, collider);
      near[c] = gap <= Real(0)      ? Contact::kTouches
                : gap <= farthest() ? Contact::kBeside
                                    : std::uint8_t{0};
    });
    g.sync();
    bool any = reaches_walls(origin);
    for (int c = 0; c < params.collider_count; ++c)
      any = any || (near[c] >= least_nearness() && params.colliders[c].by_surface);
    if (!any) return;
    g.once([&] { g.scratch.full = least_mass(); });
    g.for_each(2 * D, [&](std::uint32_t side) {
      Vec<int, D> there = origin;
      there[static_cast<int>(side / 2)] += side % 2 == 0 ? -1 : 1;
      const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(there)));
      g.scratch.beside[side] = slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
    });
    g.sync();
    g.for_each(kNodes, [&](std::uint32_t i) {
      const Real mass = nodes_of(grid.momentum, g.index())[i].mass();
      if (!(mass > Real(0))) return;
      const Vec<Real, D> x = this->position_of(origin, i);
      if (is_in_any(near, x))
        this->surface_at(g.index(), i) = surface_near(near, mass, x, i, g.index(), g.scratch);
    });
  }

  FIRN_HD Real least_mass() const {
    double least = 0;
    for (int m = 0; m < params.materials; ++m) {
      const double density = params.densities[m] * control->lightest[m];
      if (density > 0 && (!(least > 0) || density < least)) least = density;
    }
    for (int a = 0; a < D; ++a) least *= static_cast<double>(grid.dx);
    return static_cast<Real>(least);
  }
  // From a node to where it still looks for the surface.
  FIRN_HD Real farthest() const { return static_cast<Real>(params.degree + 1) * grid.dx; }
  FIRN_HD bool reaches_walls(const Vec<int, D>& origin) const {
    return is_at_any_wall(this->position_of(origin, 0)) ||
           is_at_any_wall(this->position_of(origin, kNodes - 1));
  }
  FIRN_HD std::uint8_t least_nearness() const {
    return reach > Real(0) ? Contact::kBeside : Contact::kTouches;
  }
  // With a margin, as other kernels may round distances otherwise.
  FIRN_HD Real margin() const { return Real(0.1) * grid.dx; }
  FIRN_HD bool is_at_any_wall(const Vec<Real, D>& x) const {
    for (int face = 0; params.walls.active && face < 2 * D; ++face)
      if (params.walls.minds_gap(face) && this->is_within(margin() + reach, x, face)) return true;
    return false;
  }
  FIRN_HD bool is_in_any(const std::uint8_t* near, const Vec<Real, D>& x) const {
    if (is_at_any_wall(x)) return true;
    for (int c = 0; c < params.collider_count; ++c)
      if (near[c] >= least_nearness() && params.colliders[c].by_surface &&
          this->distance(c, x) <= margin() + reach)
        return true;
    return false;
  }
  FIRN_HD Vec<Real, D> surface_near(const std::uint8_t* near, Real mass, const Vec<Real, D>& x,
                                    std::uint32_t i, std::uint32_t block,
                                    const Scratch& scratch) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
    Vec<Real, D> before, behind;
    for (int a = 0; a < D; ++a) {
      before[a] = mass_beside(block, scratch, local, a, -1);
      behind[a] = mass_beside(block, scratch, local, a, 1);
    }
    const WayToMaterial<Real, D> way = way_to_material(mass, before, behind, params.degree);
    // Light material beside heavy one has masses as steep as if there were none of it.
    const Real cells = scratch.full > Real(0)
                           ? min(way.cells, cells_from_share(mass / scratch.full, params.degree))
                           : way.cells;
    return out_of_colliders(near, x, cells * grid.dx, way.towards);
  }
  // On from `way` along a direction until no collider or wall holds the point any more, as material
  // is pressed in a little and faces within them are none that it can touch. At most as far as a
  // node is felt; x itself where that does not lead out.
  FIRN_HD Vec<Real, D> out_of_colliders(const std::uint8_t* near, const Vec<Real, D>& x, Real way,
                                        const Vec<Real, D>& towards) const {
    constexpr int kMostLooks = 16;
    for (int look = 0; look < kMostLooks && way < farthest(); ++look) {
      const Vec<Real, D> at = x + way * towards;
      const Depth here = depth_at(near, at);
      Real depth = here.deepest;
      if (here.close > 1) depth = max(depth, depth_in_seam(near, at, towards));
      if (!(depth > Real(0.5) * this->tolerance())) return at;
      way += depth;
    }
    return x;
  }
  FIRN_HD Real aside() const { return Real(0.25) * grid.dx; }
  struct Depth {
    Real deepest;  // in the collider in which it is that
    int close;     // colliders whose surface is no farther than `aside`
  };
  FIRN_HD Depth depth_at(const std::uint8_t* near, const Vec<Real, D>& x) const {
    Depth depth{Real(0), 0};
    for (int c = 0; c < params.collider_count; ++c) {
      if (near[c] == 0) continue;
      const Real distance = this->distance(c, x);
      depth.deepest = max(depth.deepest, -distance);
      depth.close += abs(distance) <= aside() ? 1 : 0;
    }
    return depth;
  }
  // Where colliders touch, none of them holds a point of the seam, or only just, but they hold
  // those at its sides.
  FIRN_HD Real depth_in_seam(const std::uint8_t* near, const Vec<Real, D>& x,
                             const Vec<Real, D>& towards) const {
    Real deepest = 0;
    for (int a = 0; a < D; ++a) {
      Vec<Real, D> way = Real(-1) * towards[a] * towards;
      way[a] += Real(1);
      if (!(norm_squared(way) > Real(0.5))) continue;
      const Real depth =
          min(depth_at(near, x + aside() * way).deepest, depth_at(near, x - aside() * way).deepest);
      deepest = max(deepest, min(depth, aside()));
    }
    return deepest;
  }
  // Of the node a step along the axis from one of the block's.
  FIRN_HD Real mass_beside(std::uint32_t block, const Scratch& scratch, Vec<int, D> local, int axis,
                           int step) const {
    local[axis] += step;
    if (const int over = local[axis] >> BlockTraits<D>::kShift; over != 0) {
      local[axis] &= BlockTraits<D>::kSide - 1;
      block = scratch.beside[2 * axis + (over > 0 ? 1 : 0)];
      if (block == kNoBlock) return Real(0);
    }
    return nodes_of(grid.momentum, block)[node_in_block<D>(local)].mass();
  }
};

template <class Exec, int D, class Real>
void find_surfaces(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   Real reach, std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                FindSurfaces<D, Real>{{params, grid, control}, reach});
}

}  // namespace firn
