#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/dependents.h"
#include "kernels/grid/mirror.h"
#include "kernels/grid/pose_colliders.h"
#include "kernels/grid/surfaces.h"

namespace firn {

// kSurfaces: with params.surfaces. Apart from scenes without, whose kernel would need registers for
// both, and whose last bits follow what compilers contract.
template <int D, class Real, bool kSurfaces>
struct GridUpdate : NodeContact<D, Real> {
  using Contact = NodeContact<D, Real>;
  using Contact::control;
  using Contact::grid;
  using Contact::nodes_of;
  using Contact::params;
  using Contact::position_of;
  static constexpr const char* kName = "grid_update";
  static constexpr int kThreads = 64;
  static constexpr int kNodes = BlockTraits<D>::kNodes;
  struct Scratch {
    Vec<Real, D> velocity[kNodes];
    double sums[kNodes][kReactionColumns];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Node<Real>* nodes = nodes_of(grid.nodes, g.index());
    Node<Real>* increments = params.separate_force ? nodes_of(grid.increments, g.index()) : nullptr;
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    if (grid.momentum != grid.nodes) take_momentum(g, nodes, increments);

    g.for_each(kNodes, [&](std::uint32_t i) { apply_forces(g.scratch, nodes, increments, i); });
    g.sync();
    if (params.stage_energies != nullptr) store_energies(g);
    collide(g, nodes, origin);
    g.for_each(kNodes, [&](std::uint32_t i) {
      const Vec<Real, D>& v = g.scratch.velocity[i];
      if (is_another(nodes[i])) {
        g.scratch.sums[i][0] = 0;
        return;
      }
      if (params.stage_energies != nullptr) g.scratch.sums[i][0] = kinetic(nodes[i].mass(), v);
      Node<Real> after = Node<Real>::mass(nodes[i].mass());
      for (int a = 0; a < D; ++a) after.set(a, v[a]);
      if (increments != nullptr) increments[i] = after + Real(-1) * increments[i];
      nodes[i] = after;
    });
    if (params.stage_energies != nullptr) {
      g.sync();
      g.once(
          [&] { params.stage_energies[g.index() * kStageColumns + 2] = column_sum(g.scratch, 0); });
    }
  }

  // Leaves zeros for the next step's momentum.
  template <class Group>
  FIRN_HD void take_momentum(Group& g, Node<Real>* nodes, Node<Real>* increments) const {
    Node<Real>* momentum = nodes_of(grid.momentum, g.index());
    g.for_each(kNodes, [&](std::uint32_t i) {
      nodes[i] = momentum[i];
      momentum[i] = Node<Real>::zero();
    });
    if (increments == nullptr) return;
    Node<Real>* impulse = nodes_of(grid.impulse, g.index());
    g.for_each(kNodes, [&](std::uint32_t i) {
      increments[i] = impulse[i];
      impulse[i] = Node<Real>::zero();
    });
  }

  // Of one that is another's image or dependent, all that it has is left as it is.
  FIRN_HD static bool is_another(const Node<Real>& node) { return node.mass() < Real(0); }

  FIRN_HD static double kinetic(Real m, const Vec<Real, D>& v) {
    return 0.5 * static_cast<double>(m) * static_cast<double>(norm_squared(v));
  }
  FIRN_HD static double column_sum(const Scratch& scratch, int column) {
    double sum = 0;
    for (int i = 0; i < kNodes; ++i) sum += scratch.sums[i][column];
    return sum;
  }

  // v = (mv + impulse) / m + dt g. The velocity before stays in `increments` (with the mass), to be
  // subtracted.
  FIRN_HD void apply_forces(Scratch& scratch, Node<Real>* nodes, Node<Real>* increments,
                            std::uint32_t i) const {
    const Node<Real> node = nodes[i];
    const auto [before, v] = this->forced(node, increments, i);
    scratch.velocity[i] = v;
    scratch.sums[i][0] = scratch.sums[i][1] = 0;
    if (increments == nullptr || is_another(node)) return;
    increments[i] = Node<Real>::mass(node.mass());
    for (int a = 0; a < D; ++a) increments[i].set(a, before[a]);
    if (params.stage_energies == nullptr) return;
    scratch.sums[i][0] = kinetic(node.mass(), before);
    scratch.sums[i][1] = kinetic(node.mass(), v);
  }

  template <class Group>
  FIRN_HD void store_energies(Group& g) const {
    g.once([&] {
      for (int c = 0; c < 2; ++c)
        params.stage_energies[g.index() * kStageColumns + c] = column_sum(g.scratch, c);
    });
    g.sync();
  }

  template <class Group>
  FIRN_HD void collide(Group& g, const Node<Real>* nodes, const Vec<int, D>& origin) const {
    if (params.walls.active)
      g.for_each(kNodes, [&](std::uint32_t i) {
        // The surface of the material is not looked for from nodes without any.
        if (kSurfaces && !(nodes[i].mass() > Real(0))) return;
        this->apply_walls(g.index(), i, position_of(origin, i), g.scratch.velocity[i]);
      });
    for (int c = 0; c < params.collider_count; ++c)
      if (!kSurfaces || !this->is_moved(c)) collide_with(g, nodes, origin, c);
    // After all others, as it was solved for how these will move.
    for (int c = 0; kSurfaces && params.moved > 0 && c < params.collider_count; ++c)
      if (this->is_moved(c)) collide_with(g, nodes, origin, c);
    g.sync();
  }
  template <class Group>
  FIRN_HD void collide_with(Group& g, const Node<Real>* nodes, const Vec<int, D>& origin,
                            int c) const {
    g.sync();
    double* reaction =
        params.reactions +
        (static_cast<std::uint64_t>(g.index()) * params.collider_count + c) * kReactionColumns;
    const bool moved = kSurfaces && this->is_moved(c);
    if (kSurfaces ? !this->may_hold(g.index(), c) : !this->reaches(origin, c)) {
      g.for_each(kReactionColumns, [&](std::uint32_t k) { reaction[k] = 0; });
      return;
    }
    g.for_each(kNodes, [&](std::uint32_t i) {
      if constexpr (kSurfaces)
        if (moved) return meet_body(g, nodes, origin, c, i);
      collide_node(g, nodes, origin, c, i);
    });
    g.sync();
    g.for_each(kReactionColumns,
               [&](std::uint32_t k) { reaction[k] = column_sum(g.scratch, static_cast<int>(k)); });
  }

  template <class Group>
  FIRN_HD void collide_node(Group& g, const Node<Real>* nodes, const Vec<int, D>& origin, int c,
                            std::uint32_t i) const {
    Scratch& scratch = g.scratch;
    double* sums = scratch.sums[i];
    for (int k = 0; k < kReactionColumns; ++k) sums[k] = 0;
    const Real m = nodes[i].mass();
    if (!(m > Real(0))) return;
    const ColliderShape<Real>& collider = params.colliders[c];
    const RigidPose<Real>& pose = params.poses[c];
    const Vec<Real, D> x = position_of(origin, i);
    const Real phi = this->distance(c, x);
    if (!this->is_in_body(phi) && !(kSurfaces && this->is_behind(c, g.index(), i, x))) return;
    const Vec<Real, D> before = scratch.velocity[i];
    Vec<Real, D> normal, surface = surface_velocity(collider, pose, x);
    Real closing = 0;
    if constexpr (kSurfaces) {
      const auto facing = this->facing(c, g.index(), i, x, before, surface);
      normal = facing.normal, surface = facing.surface, closing = facing.closing;
      if (!(norm_squared(normal) > Real(0))) return;
    } else {
      const auto slide = this->half_way(
          c, x, before, surface, [&](const Vec<Real, D>& at) { return this->normal_at(c, at); });
      normal = slide.normal, surface = slide.surface;
    }
    const Vec<Real, D> after = apply_boundary(
        this->type_at(this->held_by(NodeContact<D, Real>::kFaces + c, x, phi, g.index()), x,
                      normal),
        collider.friction, before, surface - closing * normal, normal);
    scratch.velocity[i] = after;
    const Vec<Real, D> impulse = m * (before - after);
    add_impulse(sums, x, impulse);
    add_work(sums, surface, impulse);
  }

  // A body that material moves takes the shares that its motion was solved for with.
  template <class Group>
  FIRN_HD void meet_body(Group& g, const Node<Real>* nodes, const Vec<int, D>& origin, int c,
                         std::uint32_t i) const {
    Scratch& scratch = g.scratch;
    double* sums = scratch.sums[i];
    for (int k = 0; k < kReactionColumns; ++k) sums[k] = 0;
    const Real m = nodes[i].mass();
    if (!(m > Real(0))) return;
    const Vec<Real, D> x = position_of(origin, i);
    const Real phi = this->distance(c, x);
    if (!this->is_in_body(phi) || !this->owns(g.index(), c, x, phi)) return;
    const Vec<Real, D> normal = this->facing_now(c, g.index(), i, x).normal,
                       before = scratch.velocity[i];
    if (!(norm_squared(normal) > Real(0))) return;
    const ContactShares<Real> shares =
        this->shares_of(c, params.judged[params.colliders[c].body], x, before, normal);
    const Vec<Real, D> after =
        apply_shares(shares, before, velocity_at(params.poses[c], x), normal);
    scratch.velocity[i] = after;
    add_impulse(sums, x, m * (before - after));
  }
};

template <class Exec, int D, class Real>
void grid_update(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                 std::uint32_t max_blocks, const StepControl* control) {
  const std::uint32_t colliders = static_cast<std::uint32_t>(params.collider_count);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               PoseColliders<Real>{params.colliders, params.poses, control});
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &control->stop};
  const bool by_surface = params.surfaces != nullptr;
  if (by_surface) find_surfaces<Exec, D, Real>(exec, params, grid, Real(0), max_blocks, control);
  find_dependents<Exec, D, Real>(exec, params, grid, max_blocks, control);
  fold_images<Exec, D, Real>(exec, params, grid, max_blocks, control);
  fold_dependents<Exec, D, Real>(exec, params, grid, Real(0), max_blocks, control);
  if (by_surface)
    launch_groups(exec, blocks, GridUpdate<D, Real, true>{{params, grid, control}});
  else
    launch_groups(exec, blocks, GridUpdate<D, Real, false>{{params, grid, control}});
  mirror_dependents<Exec, D, Real>(exec, params, grid, Real(0), false, max_blocks, control);
  mirror_velocities<Exec, D, Real>(exec, params, grid, max_blocks, control);
}

struct AddColumn {
  static constexpr const char* kName = "add_columns";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kParts = 128;
  struct Scratch {
    double part[kParts];
  };
  const double* table;
  DeviceCount rows;
  int columns;
  double* out;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t n =
        rows.value != nullptr && *rows.value < rows.bound ? *rows.value : rows.bound;
    g.for_each(kParts, [&](std::uint32_t p) {
      double sum = 0;
      for (std::uint64_t row = p; row < n; row += kParts) sum += table[row * columns + g.index()];
      g.scratch.part[p] = sum;
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (std::uint32_t p = 0; p < kParts; ++p) sum += g.scratch.part[p];
      out[g.index()] += sum;
    });
  }
};

template <class Exec>
void add_columns(Exec& exec, const double* table, DeviceCount rows, int columns, double* out,
                 const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, static_cast<std::uint32_t>(columns)}, stop},
                AddColumn{table, rows, columns, out});
}

}  // namespace firn
