#pragma once

#include "kernels/grid/bodies.h"
#include "kernels/grid/update.inl"

namespace firn {

// The contact of every body with the nodes of a block: its part of the body's system.
template <int D, class Real>
struct CoupleBodies : NodeContact<D, Real> {
  using Contact = NodeContact<D, Real>;
  using Contact::grid;
  using Contact::kNodes;
  using Contact::nodes_of;
  using Contact::params;
  using System = ContactSystem<D>;
  static constexpr const char* kName = "couple_bodies";
  static constexpr int kThreads = 64;
  struct Scratch {
    double sums[kNodes][System::kColumns];
  };

  BodyView moved;
  double* systems;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    for (int c = 0; c < params.collider_count; ++c) {
      if (!this->is_moved(c) || !this->is_near(g.index(), c)) continue;
      double* system = systems + (std::uint64_t{g.index()} * params.moved +
                                  static_cast<std::uint64_t>(params.colliders[c].body)) *
                                     System::kColumns;
      g.sync();
      g.for_each(kNodes, [&](std::uint32_t i) {
        double* sums = g.scratch.sums[i];
        for (int k = 0; k < System::kColumns; ++k) sums[k] = 0;
        add_node(sums, g.index(), origin, c, i);
      });
      g.sync();
      g.for_each(System::kColumns, [&](std::uint32_t k) {
        double sum = 0;
        for (int i = 0; i < kNodes; ++i) sum += g.scratch.sums[i][k];
        system[k] = sum;
      });
    }
  }

  FIRN_HD void add_node(double* sums, std::uint32_t block, const Vec<int, D>& origin, int c,
                        std::uint32_t i) const {
    const Node<Real> node = nodes_of(grid.momentum, block)[i];
    if (!(node.mass() > Real(0))) return;
    const Vec<Real, D> x = this->position_of(origin, i);
    const Real phi = this->distance(c, x);
    if (!this->is_in_body(phi) || !this->owns(block, c, x, phi)) return;
    const Vec<Real, D> normal = this->facing_now(c, block, i, x).normal;
    if (!(norm_squared(normal) > Real(0))) return;
    const Vec<Real, D> v = velocity_before(node, block, x, i);
    const ContactShares<Real> shares = this->shares_of(c, params.poses[c], x, v, normal);
    if (!shares.any()) return;
    const Vec<Real, D> bend = bend_at(params.poses[c], x);
    Vec<double, D> r, v_i, n;
    for (int a = 0; a < D; ++a) {
      r[a] = static_cast<double>(x[a]) - moved.bodies[params.colliders[c].body].center[a];
      v_i[a] = static_cast<double>(v[a]) - static_cast<double>(bend[a]);
      n[a] = static_cast<double>(normal[a]);
    }
    System::add_node(sums, static_cast<double>(node.mass()), r, v_i, n,
                     {static_cast<double>(shares.normal), static_cast<double>(shares.tangential)});
  }

  // What the grid update finds at the node when it comes to bodies that material moves.
  FIRN_HD Vec<Real, D> velocity_before(const Node<Real>& node, std::uint32_t block,
                                       const Vec<Real, D>& x, std::uint32_t i) const {
    const Node<Real>* impulses = params.separate_force ? nodes_of(grid.impulse, block) : nullptr;
    Vec<Real, D> v = this->forced(node, impulses, i).after;
    if (params.walls.active) this->apply_walls(block, i, x, v);
    for (int c = 0; c < params.collider_count; ++c) {
      if (this->is_moved(c) || !this->may_hold(block, c)) continue;
      const Real phi = this->distance(c, x);
      if (!this->is_in_body(phi) && !this->is_behind(c, block, i, x)) continue;
      const ColliderShape<Real>& other = params.colliders[c];
      const auto facing =
          this->facing(c, block, i, x, v, surface_velocity(other, params.poses[c], x));
      if (!(norm_squared(facing.normal) > Real(0))) continue;
      const BoundaryType type = this->held_by(NodeContact<D, Real>::kFaces + c, x, phi, block);
      v = apply_boundary(this->type_at(type, x, facing.normal), other.friction, v,
                         facing.surface - facing.closing * facing.normal, facing.normal);
    }
    return v;
  }
};

// Adds up the parts of a body's system, of blocks that it is near to, in a fixed order.
template <int D, class Real>
struct SumSystems {
  static constexpr const char* kName = "sum_systems";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kParts = 128;
  static constexpr int kColumns = ContactSystem<D>::kColumns;
  struct Scratch {
    double part[kParts][kColumns];
  };
  GridUpdateParams<Real, D> params;
  const double* systems;
  DeviceCount blocks;
  double* sums;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const int body = params.colliders[g.index()].body;
    if (body < 0) return;
    const auto colliders = static_cast<std::uint64_t>(params.collider_count),
               bodies = static_cast<std::uint64_t>(params.moved);
    const std::uint32_t n = *blocks.value < blocks.bound ? *blocks.value : blocks.bound;
    g.for_each(kParts, [&](std::uint32_t p) {
      double* part = g.scratch.part[p];
      for (int k = 0; k < kColumns; ++k) part[k] = 0;
      for (std::uint64_t block = p; block < n; block += kParts) {
        if (params.near[block * colliders + g.index()] != NodeContact<D, Real>::kTouches) continue;
        const double* system =
            systems + (block * bodies + static_cast<std::uint64_t>(body)) * kColumns;
        for (int k = 0; k < kColumns; ++k) part[k] += system[k];
      }
    });
    g.sync();
    g.for_each(kColumns, [&](std::uint32_t k) {
      double sum = 0;
      for (std::uint32_t p = 0; p < kParts; ++p) sum += g.scratch.part[p][k];
      sums[static_cast<std::uint32_t>(body) * kColumns + k] += sum;
    });
  }
};

// u' of every body, for the next judgement and for the grid update.
template <int D, class Real>
struct SolveBodies {
  static constexpr const char* kName = "solve_bodies";
  GridUpdateParams<Real, D> params;
  BodyView moved;
  double* sums;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    using System = ContactSystem<D>;
    const int b = params.colliders[c].body;
    if (b < 0) return;
    double* system = sums + std::uint64_t{static_cast<std::uint32_t>(b)} * System::kColumns;
    const RigidMass& mass = moved.masses[b];
    const RigidVelocity u =
        System::solve(system, mass.mass,
                      rigid::world_inertia(mass, rigid::rotation_of(moved.bodies[b].orientation)),
                      moved.free_velocity(b, control->dt));
    params.judged[b] = params.poses[c];
    params.poses[c].velocity = rigid::cast<Real>(u.linear);
    params.poses[c].angular_velocity = rigid::cast<Real>(u.angular);
    for (int k = 0; k < System::kColumns; ++k) system[k] = 0;
  }
};

template <class Exec, int D, class Real>
void update_with_bodies(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                        const BodyScratch& scratch, int rounds, const GridView<Real>& grid,
                        std::uint32_t max_blocks, const StepControl* control) {
  const std::uint32_t colliders = static_cast<std::uint32_t>(params.collider_count);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               PoseColliders<Real>{params.colliders, params.poses, control, moved});
  const DeviceCount blocks{&control->n_blocks, max_blocks};
  find_surfaces<Exec, D, Real>(exec, params, grid, Real(0), max_blocks, control);
  find_dependents<Exec, D, Real>(exec, params, grid, max_blocks, control);
  fold_images<Exec, D, Real>(exec, params, grid, max_blocks, control);
  fold_dependents<Exec, D, Real>(exec, params, grid, Real(0), max_blocks, control);
  for (int round = 0; round < rounds; ++round) {
    launch_groups(exec, {blocks, &control->stop},
                  CoupleBodies<D, Real>{{params, grid, control}, moved, scratch.systems});
    launch_groups(exec, {{nullptr, colliders}, &control->stop},
                  SumSystems<D, Real>{params, scratch.systems, blocks, scratch.sums});
    launch_items(exec, {{nullptr, colliders}, &control->stop},
                 SolveBodies<D, Real>{params, moved, scratch.sums, control});
  }
  launch_groups(exec, {blocks, &control->stop}, GridUpdate<D, Real, true>{{params, grid, control}});
  mirror_dependents<Exec, D, Real>(exec, params, grid, Real(0), false, max_blocks, control);
  mirror_velocities<Exec, D, Real>(exec, params, grid, max_blocks, control);
}

template <class Real>
struct TakeImpulses {
  static constexpr const char* kName = "take_impulses";
  const ColliderShape<Real>* colliders;
  BodyView moved;
  double* impulses;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    const int b = colliders[c].body;
    double* taken = impulses + std::uint64_t{c} * kReactionColumns;
    if (b >= 0) take(moved.masses[b], taken, moved.bodies[b]);
    for (int k = 0; k < kReactionColumns; ++k) taken[k] = 0;
  }
  FIRN_HD void take(const RigidMass& mass, const double* taken, RigidBody& body) const {
    const Vec<double, 3> impulse = {{taken[0], taken[1], taken[2]}},
                         about_origin = {{taken[3], taken[4], taken[5]}};
    body.spin += about_origin - cross(body.center, impulse);
    body.velocity += control->dt * moved.gravity + (1 / mass.mass) * impulse;
  }
};

struct MoveBodies {
  static constexpr const char* kName = "move_bodies";
  BodyView moved;
  StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t b) const {
    const RigidMass& mass = moved.masses[b];
    RigidBody& body = moved.bodies[b];
    rigid::move(mass, control->dt, body);
    // Where nothing but gravity acts on it it is on its parabola, which a step that goes by the
    // velocity at its end would fall short of: long ones would lose energy by that.
    const Vec<double, 3> fell = control->dt * moved.gravity;
    if (norm(body.velocity - body.before - fell) <= 1e-9 * norm(fell))
      body.center -= 0.5 * control->dt * fell;
    body.before = body.velocity;
    const double speed =
        norm(body.velocity) + norm(rigid::angular_velocity(mass, body)) * mass.radius;
    device.atomic_max(control->speed_squared, speed * speed);
  }
};

template <class Exec, int D, class Real>
void take_impulses(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                   const BodyScratch& scratch, std::uint32_t max_blocks,
                   const StepControl* control) {
  const int columns = params.collider_count * kReactionColumns;
  add_columns(exec, params.reactions, {&control->n_blocks, max_blocks}, columns, scratch.impulses,
              &control->stop);
  launch_items(exec, {{nullptr, static_cast<std::uint32_t>(params.collider_count)}, &control->stop},
               TakeImpulses<Real>{params.colliders, moved, scratch.impulses, control});
}
template <class Exec, int D, class Real>
void move_bodies(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                 StepControl* control) {
  launch_items(exec, {{nullptr, static_cast<std::uint32_t>(params.moved)}, &control->stop},
               MoveBodies{moved, control});
}

}  // namespace firn
