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
    const std::uint64_t key = grid.keys[g.index()];
    const Vec<int, D> origin = block_of_key<D>(key);
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
      const std::uint32_t slot = grid.hash.find(key_beside<D>(key, grid.periodic.wrapped(there)));
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
    const Out out = out_of_colliders(near, x, cells * grid.dx, way.towards, Real(0));
    if (out.way < farthest() && !out.through_corner) return x + out.way * way.towards;
    return nearest_outside(near, x, x + cells * grid.dx * way.towards);
  }
  // Of the ways from a place along axes and diagonals the shortest that leads out: in the corner of
  // two that meet, material that is pressed into both lies before the faces of both, and the way
  // from which it is felt may lead along one of them, or into their joint. x where none does.
  FIRN_RARE FIRN_HD Vec<Real, D> nearest_outside(const std::uint8_t* near, const Vec<Real, D>& x,
                                                 const Vec<Real, D>& from) const {
    constexpr int kWays = D == 2 ? 9 : 27;
    Real least = farthest();
    Vec<Real, D> nearest = x;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // distances are much code
    FIRN_UNROLL
    for (int k = 0; k < kWays; ++k) {
      Vec<Real, D> towards;
      for (int a = 0, rest = k; a < D; ++a, rest /= 3) towards[a] = static_cast<Real>(rest % 3 - 1);
      if (!(norm_squared(towards) > Real(0))) continue;
      towards = (Real(1) / norm(towards)) * towards;
      const Real way = out_of_colliders(near, from, Real(0), towards, Real(0.1) * grid.dx).way;
      if (!(way < least - this->tolerance())) continue;  // not by rounding
      const Vec<Real, D> on = from + (way + aside()) * towards;
      if (depth_at(near, on).deepest > Real(0)) continue;  // in a joint
      least = way;
      nearest = on;
    }
    return least < farthest() ? pressed_back(near, from, nearest) : x;
  }
  // Back from `at` towards `from` along each axis, as far as it comes no closer than a margin to
  // what is there, so that it lies before all that the material is pressed into, and normals are
  // those of their faces.
  FIRN_HD Vec<Real, D> pressed_back(const std::uint8_t* near, const Vec<Real, D>& from,
                                    Vec<Real, D> at) const {
    constexpr int kHalvings = 5;
    const Real margin = Real(-0.2) * grid.dx;
    for (int a = 0; a < D; ++a) {
      Real step = from[a] - at[a];
      const Real most = max(depth_at(near, at).deepest, margin);
      [[maybe_unused]] constexpr int kUnrolled = 1;
      FIRN_UNROLL
      for (int k = 0; k < kHalvings; ++k, step *= Real(0.5)) {
        Vec<Real, D> back = at;
        back[a] += step;
        if (depth_at(near, back).deepest <= most + this->tolerance()) at = back;
      }
    }
    return at;
  }
  struct Out {
    Real way;             // m, `farthest` or more where it does not lead out
    bool through_corner;  // it was in one after another
  };
  // On from `way` along a direction until no collider or wall holds the point any more, as material
  // is pressed in a little and faces within them are none that it can touch. At most as far as a
  // node is felt. `least_step`: m, where it need not end on the face.
  FIRN_HD Out out_of_colliders(const std::uint8_t* near, const Vec<Real, D>& x, Real way,
                               const Vec<Real, D>& towards, Real least_step) const {
    constexpr int kMostLooks = 16;
    int holder = -1;
    bool through_corner = false;
    for (int look = 0; look < kMostLooks && way < farthest(); ++look) {
      const Vec<Real, D> at = x + way * towards;
      const Depth here = depth_at(near, at);
      Real depth = max(here.deepest, Real(0));
      if (here.close > 1) depth = max(depth, depth_in_seam(near, at, towards));
      if (!(depth > Real(0.5) * this->tolerance())) return {way, through_corner};
      if (here.deepest > Real(0)) {
        through_corner = through_corner || (holder >= 0 && here.holder != holder);
        holder = here.holder;
      }
      way += max(depth, least_step);
    }
    return {farthest(), through_corner};
  }
  FIRN_HD Real aside() const { return Real(0.25) * grid.dx; }
  struct Depth {
    Real deepest;  // in the holder in which it is that, negative outside of all
    int holder;
    int close;  // holders whose surface is no farther than `aside`
  };
  FIRN_HD Depth depth_at(const std::uint8_t* near, const Vec<Real, D>& x) const {
    Depth depth{-kLargest<Real>, -1, 0};
    const auto look = [&](int holder, Real distance) {
      if (-distance > depth.deepest) depth.deepest = -distance, depth.holder = holder;
      depth.close += abs(distance) <= aside() ? 1 : 0;
    };
    bool any = false;
    for (int c = 0; c < params.collider_count; ++c) {
      if (near[c] == 0) continue;
      any = true;
      look(Contact::kFaces + c, this->distance(c, x));
    }
    // Alone they are no obstacle: what lies in them is taken to lie on them (within_walls).
    for (int face = 0; any && params.walls.active && face < Contact::kFaces; ++face)
      if (params.walls.minds_gap(face)) look(face, this->distance_from(face, x));
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
      if (!(norm_squared(way) > Real(0.49))) continue;
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
