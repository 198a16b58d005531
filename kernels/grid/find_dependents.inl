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
    std::uint8_t depends;
    FIRN_HD int at(int k) const { return count > kFew ? k : list[k]; }
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Index origin = block_of_key<D>(grid.keys[g.index()]);
    Scratch& near = g.scratch;
    g.once([&] {
      near.count = 0;
      near.depends = Base::kNeither;
      const Real before = Real(0.5) * grid.dx,
                 beyond = Real(Base::kReach) * sqrt(static_cast<Real>(D)) * grid.dx + before;
      for (int h = 0; h < this->holders(); ++h) {
        const Real gap = gap_of(origin, h);
        if (!(gap <= beyond)) continue;
        if (near.count < kFew) near.list[near.count] = h;
        ++near.count;
        if (this->has_dependents(h))
          near.depends = gap <= before || near.depends == Base::kDependents ? Base::kDependents
                                                                            : Base::kParents;
      }
      if (near.count > kFew) near.count = this->holders();
      params.depends[g.index()] = near.depends;
    });
    g.sync();
    if (near.depends == Base::kNeither) return;
    g.for_each(kNodes, [&](std::uint32_t i) {
      const std::uint64_t node = std::uint64_t{g.index()} * kNodes + i;
      if (params.slips != nullptr) params.slips[node].taken = 0;
      if (near.depends == Base::kParents) return;
      const Found found = dependence_of(near, origin, g.index(), i);
      params.dependences[node] = found.dependence;
      if (found.dependence.holder >= 0)
        g.atomic_or(this->ways_to(found.parent, found.dependence.way / Base::kWord),
                    1u << (found.dependence.way % Base::kWord));
    });
  }

  // No node of the block is nearer to holder h.
  FIRN_HD Real gap_of(const Index& origin, int h) const {
    if (h >= Base::kFaces) return this->gap_to(origin, h - Base::kFaces);
    if (!this->has_dependents(h)) return kLargest<Real>;
    return min(this->distance_from(h, this->position_of(origin, 0)),
               this->distance_from(h, this->position_of(origin, kNodes - 1)));
  }

  FIRN_HD bool is_on(const Scratch& near, int h, const Vector& x, Real phi) const {
    return abs(phi) <= this->tolerance() &&
           !(h >= Base::kFaces && is_hidden(near, h, x, this->normal_of(h, x), phi));
  }
  // The faces from which the way to a parent leads away, one after another: one, but in corners.
  struct Faces {
    int count = 0;
    int holder[D];
    Vector normal[D];
    Real phi[D];  // of the node, were the face a plane
    FIRN_HD bool has(int h) const {
      bool any = false;
      for (int n = 0; n < count; ++n) any = any || holder[n] == h;
      return any;
    }
  };
  // What holds x, or would nearest to it, but for `faces`.
  struct Nearest {
    int holder = -1;
    Real distance = kLargest<Real>;
    bool elsewhere = false;                   // in another, that has no dependents
    bool on_sticky = false, on_slip = false;  // on their face, where nodes are held by themselves
  };
  FIRN_HD Nearest nearest(const Scratch& near, const Vector& x, const Faces& faces) const {
    Nearest found;
    for (int k = 0; k < near.count; ++k) {
      const int h = near.at(k);
      const bool has = this->has_dependents(h);
      if ((h < Base::kFaces && !has) || faces.has(h)) continue;
      const Real d = this->distance_from(h, x);
      if (!has)
        found.elsewhere = found.elsewhere || this->is_in_body(d);
      else if (is_on(near, h, x, d))
        (this->slips(h) ? found.on_slip : found.on_sticky) = true;
      else if (d < found.distance)
        found.holder = h, found.distance = d;
    }
    return found;
  }
  // Of walls that have no dependents themselves. What holds parents there counts no more than
  // their own mass: they are not on one that lets go either, `by` which they are before it.
  FIRN_HD bool is_beyond_walls(const Vector& x, Real by = Real(0)) const {
    for (int face = 0; params.walls.active && face < Base::kFaces; ++face) {
      const bool lets_go = params.walls.boundary[face] == BoundaryType::kSeparate;
      if (this->distance_from(face, x) < (lets_go && by > Real(0) ? by : -this->tolerance()) &&
          !this->has_dependents(face))
        return true;
    }
    return false;
  }

  struct Found {
    NodeDependence<Real> dependence;
    std::uint64_t parent = 0;
  };
  FIRN_HD Found dependence_of(const Scratch& near, const Index& origin, std::uint32_t block,
                              std::uint32_t i) const {
    const Real mass = this->nodes_of(grid.momentum, block)[i].mass();
    if (!(mass > Real(0))) return {};
    const Vector x = this->position_of(origin, i);
    if (is_beyond_walls(x)) return {};
    Faces faces;
    Nearest face = nearest(near, x, faces);
    // One on the face is held, and so is one that material before the face hardly reaches.
    // A parent must not be a dependent, whose place it may know by other roundings.
    if (face.elsewhere || face.distance > half() - this->tolerance() ||
        face.distance < -grid.dx - this->tolerance())
      return {};
    const bool slips = this->slips(face.holder);
    if (!slips && this->held_by(face.holder, x, face.distance) == BoundaryType::kSlip) return {};
    if (face.on_sticky ? slips || face.distance > Real(0)
                       : face.on_slip && !slips && face.distance > Real(0))
      return {};
    Index steps;
    for (int a = 0; a < D; ++a) steps[a] = 0;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // distances are much code
    FIRN_UNROLL
    while (face.holder >= 0)
      if (faces.count == D || !step_away(near, x, face, faces, steps)) return {};
    if (slips && is_held_besides(near, x, faces)) return {};
    Found found;
    Index at = local_of_node<D>(static_cast<int>(i));
    Vector parent = x;
    for (int a = 0; a < D; ++a) {
      at[a] += origin[a] * BlockTraits<D>::kSide + steps[a];
      parent[a] += static_cast<Real>(steps[a]) * grid.dx;
    }
    if (!find_node(grid.keys[block], at, found.parent)) return {};
    Vector farther;
    for (int n = 0; n < faces.count; ++n) {
      farther[n] = this->distance_from(faces.holder[n], parent);
      if (farther[n] < max(half(), abs(faces.phi[n]) - this->tolerance())) return {};
    }
    const Real share =
        touched(faces, farther, mass,
                reinterpret_cast<const Node<Real>*>(grid.momentum)[found.parent].mass());
    if (share == Real(0)) return {};
    if (slips && share == Real(1)) follow_along(near, x, parent, faces, farther);
    for (int n = D - 1; n >= 0; --n) {
      const bool is_one = n < faces.count;
      const Real of_face =
          is_one ? share * min(max(faces.phi[n] / farther[n], Real(-1)), Real(1)) : Real(0);
      if (slips) {
        NodeSlip<Real, D>& slip = params.slips[std::uint64_t{block} * kNodes + i];
        slip.holder[n] = static_cast<std::int16_t>(is_one ? faces.holder[n] : -1);
        slip.share[n] = of_face;
      }
      found.dependence.share = of_face;
    }
    found.dependence.holder = static_cast<std::int16_t>(faces.holder[0]);
    found.dependence.way = static_cast<std::int16_t>(Base::way_of(steps));
    return found;
  }
  // Where the parent is beside another face the node follows it along that as well, and where it is
  // on one the face: with a velocity of its own there material would flow through the corner.
  FIRN_HD void follow_along(const Scratch& near, const Vector& x, const Vector& parent,
                            Faces& faces, Vector& farther) const {
    for (int k = 0; k < near.count && faces.count < D; ++k) {
      const int h = near.at(k), n = faces.count;
      if (!this->slips(h) || !this->has_dependents(h) || faces.has(h) || turns(h)) continue;
      const Real distance = this->distance_from(h, parent);
      const bool on = abs(distance) <= this->tolerance();
      if (!(on || distance >= half()) || distance > Real(1.5) * grid.dx) continue;
      const Vector normal = this->normal_of(h, parent);
      if (!is_flat(near, h, parent, normal) ||
          (h >= Base::kFaces && is_hidden(near, h, parent, normal, distance)) ||
          !this->is_upright(normal, faces.normal, n))
        continue;
      faces.holder[n] = h, faces.normal[n] = normal;
      faces.phi[n] = on ? Real(0) : distance + dot(normal, x - parent);
      farther[n] = on ? grid.dx : distance;
      ++faces.count;
    }
  }
  // Whether there is another face, on which the node does not depend.
  FIRN_HD bool is_held_besides(const Scratch& near, const Vector& x, const Faces& faces) const {
    for (int k = 0; k < near.count; ++k) {
      const int h = near.at(k);
      if (!this->has_dependents(h) || faces.has(h)) continue;
      Real phi = this->distance_from(h, x);
      Vector normal;
      if (!(phi < half()) || !find_face(near, h, x, normal, phi) || !(phi < half()) ||
          abs(phi) <= this->tolerance())
        continue;
      bool same = false;
      for (int n = 0; n < faces.count; ++n) same = same || dot(normal, faces.normal[n]) > kFlat;
      if (!same) return true;
    }
    return false;
  }
  FIRN_HD Real half() const { return Real(0.5) * grid.dx - this->tolerance(); }

  // Adds to the steps from the node at x those away from `face`, and then this to `faces`; where
  // they end `face` is what is too near there, at a right angle: in a corner. Whether that can be.
  FIRN_HD bool step_away(const Scratch& near, const Vector& x, Nearest& face, Faces& faces,
                         Index& steps) const {
    const int h = face.holder;
    const bool slips = this->slips(h);
    Vector from = x;
    for (int a = 0; a < D; ++a) from[a] += static_cast<Real>(steps[a]) * grid.dx;
    Vector normal;
    Real there = face.distance;
    if (!find_face(near, h, from, normal, there) || there < -grid.dx - this->tolerance() ||
        abs(there) <= this->tolerance())
      return false;
    if (slips && turns(h)) return false;
    const BoundaryType type = this->type_of(h);
    if (this->type_at(type, from, normal) != type) return false;
    const Real phi = there - dot(normal, from - x), least = max(abs(phi), Real(0.5) * grid.dx);
    const int n = faces.count++;
    faces.holder[n] = h, faces.normal[n] = normal, faces.phi[n] = phi;
    constexpr int kTries = 5;
    int before = -1;
    [[maybe_unused]] constexpr int kUnrolled = 1;
    FIRN_UNROLL
    for (int k = 0; k < kTries; ++k) {
      const Vector target = from + (least + Real(0.25 * k) * grid.dx - there) * normal;
      Index tried;
      bool reached = true;
      for (int a = 0; a < D; ++a) {
        tried[a] = static_cast<int>(floor((target[a] - x[a]) * grid.inv_dx + Real(0.5)));
        reached = reached && tried[a] >= -Base::kReach && tried[a] <= Base::kReach;
      }
      if (!reached) return false;
      const int way = Base::way_of(tried);
      if (way == before) continue;
      before = way;
      Vector parent = x;
      for (int a = 0; a < D; ++a) parent[a] += static_cast<Real>(tried[a]) * grid.dx;
      if (is_beyond_walls(parent, this->tolerance())) continue;
      const Real farther = this->distance_from(h, parent);
      if (farther < least - this->tolerance()) continue;
      Nearest next = nearest(near, parent, faces);
      if (next.elsewhere || next.on_sticky || (next.on_slip && !slips)) continue;
      if (next.distance < farther - this->tolerance() || next.distance < half()) {
        Vector beside;
        Real other = next.distance;
        if (!slips || !this->slips(next.holder) ||
            !find_face(near, next.holder, parent, beside, other) ||
            !this->is_upright(beside, faces.normal, faces.count))
          continue;
      }
      if (next.distance >= half()) next.holder = -1;
      steps = tried;
      face = next;
      return true;
    }
    return false;
  }

  // What slips while it turns moves along itself, on a curve; its velocities at nodes are those of
  // chords, which would press where it does not.
  FIRN_HD bool turns(int h) const {
    return h >= Base::kFaces &&
           norm_squared(params.poses[h - Base::kFaces].angular_velocity) > Real(0);
  }
  // Where the point of holder h that is next to x lies in another one: walls that abut are one
  // body, and have no faces where they meet. `phi`: from h.
  FIRN_HD bool is_hidden(const Scratch& near, int h, const Vector& x, const Vector& normal,
                         Real phi) const {
    const Vector outside = x + (Real(0.1) * grid.dx - phi) * normal;
    bool hidden = false;
    for (int k = 0; k < near.count; ++k) {
      const int other = near.at(k);
      hidden = hidden || (other != h && other >= Base::kFaces &&
                          this->distance_from(other, outside) < Real(0));
    }
    return hidden;
  }
  // The face of holder h at x, `phi` from it. In a holder the next one may be hidden, or beside one
  // that is: then the only one that can be seen along an axis. Whether there is one.
  FIRN_HD bool find_face(const Scratch& near, int h, const Vector& x, Vector& normal,
                         Real& phi) const {
    normal = this->normal_of(h, x);
    if (h < Base::kFaces) return true;
    const bool hidden = is_hidden(near, h, x, normal, phi),
               flat = !this->slips(h) || is_flat(near, h, x, normal);
    if (flat && !hidden) return true;
    if (phi > Real(0)) return flat;
    const Vector next = normal;
    bool found = false;
    [[maybe_unused]] constexpr int kUnrolled = 1;
    FIRN_UNROLL
    for (int k = 0; k < 4 * D; ++k) {
      const Real away = (k % 2 == 0 ? Real(1) : Real(2)) * grid.dx;
      Vector along = Vector::zero();
      along[k / 4] = k / 2 % 2 == 0 ? Real(1) : Real(-1);
      const Vector from = x + away * along;
      const Real distance = this->distance_from(h, from);
      if (!(distance > this->tolerance())) continue;
      const Vector seen = this->normal_of(h, from);
      if (is_hidden(near, h, from, seen, distance)) continue;
      if (found ? dot(seen, normal) < kFlat
                : dot(seen, along) < kFlat || !is_flat(near, h, from, seen))
        return false;
      if (found) continue;
      found = true;
      normal = seen, phi = distance - away * dot(seen, along);
    }
    // In a corner all may be hidden, as another face has to be gone away from next.
    return found ? hidden || dot(next, normal) > Real(0) : flat;
  }
  static constexpr Real kFlat = Real(0.95);
  // Around an edge faces of other normals would hold what slides over this one.
  FIRN_HD bool is_flat(const Scratch& near, int h, const Vector& x, const Vector& normal) const {
    if (h < Base::kFaces) return true;
    [[maybe_unused]] constexpr int kUnrolled = 1;
    FIRN_UNROLL
    for (int k = 0; k < 2 * D; ++k) {
      Vector aside = Vector::zero();
      aside[k / 2] = k % 2 == 0 ? Real(1) : Real(-1);
      aside = x + (Real(0.5) * grid.dx) * (aside - dot(aside, normal) * normal);
      const Vector there = this->normal_of(h, aside);
      if (dot(there, normal) < kFlat &&
          !is_hidden(near, h, aside, there, this->distance_from(h, aside)))
        return false;
    }
    return true;
  }

  FIRN_HD bool find_node(std::uint64_t key, const Index& at, std::uint64_t& node) const {
    Index block, local;
    for (int a = 0; a < D; ++a) {
      block[a] = at[a] >> BlockTraits<D>::kShift;
      local[a] = at[a] - block[a] * BlockTraits<D>::kSide;
    }
    const std::uint32_t rank = this->rank_of(key, block);
    // Colliders end at periodic faces, and blocks beyond do not look for those who depend on them.
    if (rank == kNoBlock || grid.keys[rank] != key_beside<D>(key, block)) return false;
    node = std::uint64_t{rank} * kNodes + static_cast<std::uint64_t>(node_in_block<D>(local));
    return true;
  }
  // Whether it is the face where the material ends, as the mass of a node tells beside that of its
  // parent, `farther` from the faces. Behind a face it also goes on where more has come to the node
  // than what lies before the faces can bring: images would press it against itself. Before them a
  // node is free until material has come to the face.
  FIRN_HD Real touched(const Faces& faces, const Vector& farther, Real mass, Real of_parent) const {
    const Real reach = Real(0.5) * static_cast<Real>(params.degree + 1);
    Real before = 1, whole = 1;
    bool is_before = true;
    for (int n = 0; n < faces.count; ++n) {
      before *= half_space_share(reach + faces.phi[n] * grid.inv_dx, params.degree);
      whole *= half_space_share(reach + farther[n] * grid.inv_dx, params.degree);
      is_before = is_before && faces.phi[n] > Real(0);
    }
    if (is_before) return mass * whole > Real(0.5) * before * of_parent ? Real(1) : Real(0);
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
