#pragma once

#include "kernels/grid/dependence.h"
#include "kernels/grid/dependents.h"
#include "kernels/grid/material_surface.h"

namespace firn {

template <int D, class Real>
struct FindDependents : Dependence<D, Real> {
  using Base = Dependence<D, Real>;
  using Base::grid;
  using Base::kNodes;
  using Base::params;
  using typename Base::Index;
  using typename Base::Vector;
  static constexpr const char* kName = "find_dependents";
  static constexpr int kThreads = 64;
  static constexpr int kFew = 16;
  // The holders that may touch nodes of a block or parents of them; all, where these are more than
  // a few.
  struct Scratch {
    int list[kFew];
    int count;
    bool any;  // of them has dependents
    FIRN_HD int at(int k) const { return count > kFew ? k : list[k]; }
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Index origin = block_of_key<D>(grid.keys[g.index()]);
    Scratch& near = g.scratch;
    g.once([&] {
      near.count = 0;
      near.any = false;
      const Real beyond = (Real(Base::kReach) * sqrt(static_cast<Real>(D)) + Real(0.5)) * grid.dx;
      for (int h = 0; h < this->holders(); ++h) {
        if (!is_near(origin, h, beyond)) continue;
        if (near.count < kFew) near.list[near.count] = h;
        ++near.count;
        near.any = near.any || this->has_dependents(h);
      }
      if (near.count > kFew) near.count = this->holders();
      params.depends[g.index()] = near.any ? 1 : 0;
    });
    g.sync();
    if (!near.any) return;
    g.for_each(kNodes, [&](std::uint32_t i) {
      std::uint64_t parent = 0;
      const NodeDependence<Real> dependence = dependence_of(near, origin, g.index(), i, parent);
      params.dependences[std::uint64_t{g.index()} * kNodes + i] = dependence;
      params.parent_nodes[std::uint64_t{g.index()} * kNodes + i].slips = -1;
      if (dependence.holder >= 0)
        g.atomic_or(this->ways_to(parent, dependence.way / Base::kWord),
                    1u << (dependence.way % Base::kWord));
    });
  }

  FIRN_HD bool is_near(const Index& origin, int h, Real beyond) const {
    if (h >= Base::kFaces) return this->reaches(origin, h - Base::kFaces, beyond);
    return this->has_dependents(h) &&
           (this->distance_from(h, this->position_of(origin, 0)) <= beyond ||
            this->distance_from(h, this->position_of(origin, kNodes - 1)) <= beyond);
  }

  // What holds x, or would nearest to it.
  struct Nearest {
    int holder = -1;
    Real distance = kLargest<Real>, second = kLargest<Real>;
    bool elsewhere = false;  // in another, that does not
  };
  FIRN_HD Nearest nearest(const Scratch& near, const Vector& x) const {
    Nearest found;
    for (int k = 0; k < near.count; ++k) {
      const int h = near.at(k);
      if (h < Base::kFaces && !this->has_dependents(h)) continue;
      const Real d = this->distance_from(h, x);
      if (!this->has_dependents(h))
        found.elsewhere = found.elsewhere || this->is_in_body(d);
      else if (d < found.distance)
        found.second = found.distance, found.holder = h, found.distance = d;
      else
        found.second = min(found.second, d);
    }
    return found;
  }
  // That have no dependents themselves.
  FIRN_HD bool is_beyond_walls(const Vector& x) const {
    for (int face = 0; params.walls.active && face < Base::kFaces; ++face)
      if (this->distance_from(face, x) < -this->tolerance() && !this->has_dependents(face))
        return true;
    return false;
  }

  FIRN_HD NodeDependence<Real> dependence_of(const Scratch& near, const Index& origin,
                                             std::uint32_t block, std::uint32_t i,
                                             std::uint64_t& parent_node) const {
    const Real mass = this->nodes_of(grid.momentum, block)[i].mass();
    if (!(mass > Real(0))) return {};
    const Vector x = this->position_of(origin, i);
    if (is_beyond_walls(x)) return {};
    const Nearest face = nearest(near, x);
    const Real phi = face.distance, least = max(abs(phi), Real(0.5) * grid.dx);
    // One on the face is held, and so is one that material before the face hardly reaches.
    if (face.elsewhere || phi > Real(0.5) * grid.dx - this->tolerance() ||
        phi < -grid.dx - this->tolerance() || abs(phi) <= this->tolerance())
      return {};
    const bool slips = this->slips(face.holder);
    // In a corner of two that slip one normal is not all.
    if (slips && (face.second < Real(0.5) * grid.dx || turns(face.holder))) return {};
    const Vector normal = this->normal_of(face.holder, x);
    if (slips && !is_flat(face.holder, x, normal)) return {};
    const BoundaryType type = this->type_of(face.holder);
    if (this->type_at(type, x, normal) != type) return {};
    constexpr int side = BlockTraits<D>::kSide;
    Index at = local_of_node<D>(static_cast<int>(i));
    for (int a = 0; a < D; ++a) at[a] += origin[a] * side;
    constexpr int kTries = 5;
    int before = -1;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // distances are much code
    FIRN_UNROLL
    for (int k = 0; k < kTries; ++k) {
      const Vector target = x + (least + Real(0.25 * k) * grid.dx - phi) * normal;
      Index steps;
      bool reached = true;
      for (int a = 0; a < D; ++a) {
        steps[a] = static_cast<int>(floor(target[a] * grid.inv_dx + Real(0.5))) - at[a];
        reached = reached && steps[a] >= -Base::kReach && steps[a] <= Base::kReach;
      }
      if (!reached) break;
      const int way = Base::way_of(steps);
      if (way == before) continue;
      before = way;
      Vector parent = x;
      for (int a = 0; a < D; ++a) parent[a] += static_cast<Real>(steps[a]) * grid.dx;
      if (is_beyond_walls(parent)) continue;
      const Real farther = nearest(near, parent).distance;
      if (farther < least - this->tolerance() ||
          farther < this->distance_from(face.holder, parent) - this->tolerance())
        continue;
      if (!find_node(at + steps, parent_node)) return {};
      const Real of_parent = reinterpret_cast<const Node<Real>*>(grid.momentum)[parent_node].mass();
      const Real share = max(phi / farther, Real(-1)) *
                         touched(mass, phi * grid.inv_dx, of_parent, farther * grid.inv_dx);
      if (share == Real(0)) return {};
      return {share, static_cast<std::int16_t>(face.holder), static_cast<std::int16_t>(way)};
    }
    return {};
  }

  // What slips while it turns moves along itself, on a curve; its velocities at nodes are those of
  // chords, which would press where it does not.
  FIRN_HD bool turns(int h) const {
    return h >= Base::kFaces &&
           norm_squared(params.poses[h - Base::kFaces].angular_velocity) > Real(0);
  }
  // Around an edge faces of other normals would hold what slides over this one.
  FIRN_HD bool is_flat(int h, const Vector& x, const Vector& normal) const {
    constexpr Real least = Real(0.95);
    if (h < Base::kFaces) return true;
    [[maybe_unused]] constexpr int kUnrolled = 1;
    FIRN_UNROLL
    for (int k = 0; k < 2 * D; ++k) {
      Vector aside = Vector::zero();
      aside[k / 2] = k % 2 == 0 ? Real(1) : Real(-1);
      aside = aside - dot(aside, normal) * normal;
      if (dot(this->normal_of(h, x + (Real(0.5) * grid.dx) * aside), normal) < least) return false;
    }
    return true;
  }

  FIRN_HD bool find_node(const Index& at, std::uint64_t& node) const {
    Index block, local;
    for (int a = 0; a < D; ++a) {
      block[a] = at[a] >> BlockTraits<D>::kShift;
      local[a] = at[a] - block[a] * BlockTraits<D>::kSide;
    }
    const std::uint32_t rank = this->rank_of(block);
    if (rank == kNoBlock) return false;
    node = std::uint64_t{rank} * kNodes + static_cast<std::uint64_t>(node_in_block<D>(local));
    return true;
  }
  // Whether it is the face where the material ends, as the mass of a node `phi` cells from it tells
  // beside that of its parent, `farther` cells from it. Behind the face it also goes on where more
  // has come to the node than what lies before the face can bring: images would press it against
  // itself. Before the face a node is free until material has come to the face.
  FIRN_HD Real touched(Real mass, Real phi, Real of_parent, Real farther) const {
    const Real reach = Real(0.5) * static_cast<Real>(params.degree + 1);
    const Real before = half_space_share(reach + phi, params.degree),
               whole = half_space_share(reach + farther, params.degree);
    if (phi > Real(0)) return mass * whole > Real(0.5) * before * of_parent ? Real(1) : Real(0);
    if (!(of_parent > Real(0))) return Real(0);
    const Real filled = (mass / of_parent * whole - before) / (Real(1) - before);
    // Masses scatter, as particles lie somehow.
    constexpr Real none = Real(0.15), all = Real(0.45);
    return min(max((all - filled) / (all - none), Real(0)), Real(1));
  }
};

template <class Exec, int D, class Real>
void find_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, std::uint32_t max_blocks,
                     const StepControl* control) {
  if (params.dependences != nullptr)
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  FindDependents<D, Real>{{{params, grid, control}}});
}

}  // namespace firn
