#pragma once

#include "kernels/grid/dependence.h"
#include "kernels/grid/dependents.h"

namespace firn {

template <int D, class Real>
struct FoldDependents : Dependence<D, Real> {
  using Base = Dependence<D, Real>;
  using Base::grid;
  using Base::kNodes;
  using Base::params;
  using typename Base::Vector;
  static constexpr const char* kName = "fold_dependents";
  static constexpr int kThreads = 64;
  struct Scratch {
    typename Base::Around around;
    std::uint32_t any;
  };
  Real drag;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!this->may_lead(g.index()) || !this->any_parents(g, g.scratch.any)) return;
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    this->look_around(g, origin, g.scratch.around);
    Node<Real>* momentum = reinterpret_cast<Node<Real>*>(grid.momentum);
    Node<Real>* impulse =
        params.separate_force ? reinterpret_cast<Node<Real>*>(grid.impulse) : nullptr;
    const Vector weight = static_cast<Real>(this->control->dt) * params.gravity;
    const Real heavier = this->heavier(drag);
    g.for_each(kNodes, [&](std::uint32_t i) {
      const std::uint64_t node = std::uint64_t{g.index()} * kNodes + i;
      if (!this->is_parent(node)) return;
      Real mass = 0;
      Vector taken = Vector::zero(), forced = Vector::zero();
      this->for_each(g.scratch.around, origin, i, Base::kSticking,
                     [&](std::uint64_t dependent, const Vector&, Real share, const Vector& moves) {
                       const Node<Real> has = momentum[dependent];
                       const Real m = has.mass();
                       if (!(m > Real(0))) return;
                       mass += share * share * m;
                       for (int a = 0; a < D; ++a) {
                         taken[a] += share * (has[a] - heavier * m * moves[a]);
                         forced[a] +=
                             share * ((impulse != nullptr ? impulse[dependent][a] : Real(0)) +
                                      // The parent's own weight is that of all of its mass.
                                      (Real(1) - share) * m * weight[a]);
                       }
                       momentum[dependent].set(3, -m);
                     });
      params.parent_nodes[node].mass = momentum[node].mass();
      Node<Real> by_taken = Node<Real>::mass(mass), by_forces = Node<Real>::zero();
      for (int a = 0; a < D; ++a) by_taken.set(a, taken[a]), by_forces.set(a, forced[a]);
      momentum[node] += by_taken;
      (impulse != nullptr ? impulse : momentum)[node] += by_forces;
      if (params.slips != nullptr) fold_slipping(g.scratch.around, origin, i, node);
    });
  }

  // Of dependents that slip only what they have along normals is added, and they stay nodes by
  // themselves, as which they slide. The parent then has more mass along a normal; its velocity
  // with that is put as momentum and impulse of its own mass.
  FIRN_HD void fold_slipping(const typename Base::Around& around, const Vec<int, D>& origin,
                             std::uint32_t i, std::uint64_t node) const {
    typename Base::Slip& parent = params.slips[node];
    Node<Real>* momentum = reinterpret_cast<Node<Real>*>(grid.momentum);
    if (!(momentum[node].mass() > Real(0))) return;
    find_holders(around, origin, i, parent);
    for (int n = 0; n < D && parent.holder[n] >= 0; ++n) fold_along(around, origin, i, node, n);
  }
  // Where normals are not at right angles only the first one counts.
  FIRN_HD void find_holders(const typename Base::Around& around, const Vec<int, D>& origin,
                            std::uint32_t i, typename Base::Slip& parent) const {
    int count = 0;
    this->go_through(around, origin, i,
                     [&](std::uint64_t dependent, const Vector&, const Vector& x) {
                       if (!this->slips(params.dependences[dependent].holder)) return;
                       for (const int h : params.slips[dependent].holder) {
                         bool is_new = h >= 0 && count < D;
                         for (int n = 0; n < count; ++n) is_new = is_new && parent.holder[n] != h;
                         if (!is_new) continue;
                         const Vector normal = this->normal_of(h, x);
                         if (!this->is_upright(normal, parent.normal, count)) continue;
                         parent.holder[count] = static_cast<std::int16_t>(h);
                         parent.normal[count] = normal;
                         ++count;
                       }
                     });
    for (int n = count; n < D; ++n) parent.holder[n] = -1;
  }
  // Along the n-th normal.
  FIRN_HD void fold_along(const typename Base::Around& around, const Vec<int, D>& origin,
                          std::uint32_t i, std::uint64_t node, int n) const {
    typename Base::Slip& parent = params.slips[node];
    const Vector normal = parent.normal[n];
    Node<Real>* momentum = reinterpret_cast<Node<Real>*>(grid.momentum);
    const Real own = momentum[node].mass(), heavier = this->heavier(drag);
    Node<Real>* impulse =
        params.separate_force ? reinterpret_cast<Node<Real>*>(grid.impulse) : nullptr;
    const Real weight = static_cast<Real>(this->control->dt) * dot(params.gravity, normal);
    Real mass = 0, taken = 0;
    this->for_each_slipping(
        around, origin, i, parent.holder[n],
        [&](std::uint64_t dependent, const Vector&, int k, const Vector& moves) {
          const Real m = momentum[dependent].mass();
          if (!(m > Real(0))) return;
          Vector all = vector_of<D>(momentum[dependent]);
          if (impulse != nullptr) all = all + vector_of<D>(impulse[dependent]);
          const Real along = dot(all, normal) + m * weight;
          typename Base::Slip& slip = params.slips[dependent];
          slip.taken |= static_cast<std::uint16_t>(1u << k);
          slip.normal[k] = normal, slip.along[k] = along, slip.owed[k] = 0;
          mass += slip.share[k] * slip.share[k] * m;
          taken += slip.share[k] * (along - heavier * m * dot(moves, normal));
        });
    parent.taken |= static_cast<std::uint16_t>(1u << n);
    parent.along[n] = mass;
    Vector all = vector_of<D>(momentum[node]);
    if (impulse != nullptr) all = all + vector_of<D>(impulse[node]);
    const Real along = dot(all, normal) + own * weight;
    const Real change = own * ((along + taken) / (own + mass)) - along;
    Node<Real> add = Node<Real>::zero();
    for (int a = 0; a < D; ++a) add.set(a, change * normal[a]);
    (impulse != nullptr ? impulse : momentum)[node] += add;
  }
};

template <int D, class Real>
struct MirrorDependents : Dependence<D, Real> {
  using Base = Dependence<D, Real>;
  using Base::control;
  using Base::grid;
  using Base::kNodes;
  using Base::params;
  using typename Base::Vector;
  static constexpr const char* kName = "mirror_dependents";
  static constexpr int kThreads = 64;
  struct Scratch {
    typename Base::Around around;
    std::uint32_t any;
    double sums[kNodes][kReactionColumns];
  };
  Real drag;
  bool solved;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!this->may_lead(g.index()) || !this->any_parents(g, g.scratch.any)) return;
    const Vec<int, D> origin = block_of_key<D>(grid.keys[g.index()]);
    this->look_around(g, origin, g.scratch.around);
    for (int h = 0; h < this->holders(); ++h) {
      if (!this->has_dependents(h)) continue;
      g.for_each(kNodes, [&](std::uint32_t i) {
        double* sums = g.scratch.sums[i];
        for (int k = 0; k < kReactionColumns; ++k) sums[k] = 0;
        const std::uint64_t node = std::uint64_t{g.index()} * kNodes + i;
        if (!this->is_parent(node)) return;
        if (!this->slips(h)) return react(g.scratch, origin, h, i, node, sums);
        const int n = Base::taken_at(params.slips[node], h);
        if (n >= 0) let_slip(g.scratch, origin, h, n, i, node, sums);
      });
      g.sync();
      if (h < Base::kFaces) continue;
      double* reaction = params.reactions + (static_cast<std::uint64_t>(g.index()) *
                                                 static_cast<std::uint64_t>(params.collider_count) +
                                             static_cast<std::uint64_t>(h - Base::kFaces)) *
                                                kReactionColumns;
      g.for_each(kReactionColumns, [&](std::uint32_t k) {
        double sum = 0;
        for (int i = 0; i < kNodes; ++i) sum += g.scratch.sums[i][k];
        reaction[k] += sum;
      });
      g.sync();
    }
    g.for_each(kNodes, [&](std::uint32_t i) { give_velocities(g.scratch, g.index(), origin, i); });
    g.sync();
    g.for_each(kNodes, [&](std::uint32_t i) {
      for (int word = 0; word < Base::kWords; ++word)
        this->ways_to(std::uint64_t{g.index()} * kNodes + i, word) = 0;
    });
  }

  FIRN_HD Node<Real>* all_nodes() const { return reinterpret_cast<Node<Real>*>(grid.nodes); }
  FIRN_HD Node<Real>* all_increments() const {
    return params.separate_force ? reinterpret_cast<Node<Real>*>(grid.increments) : nullptr;
  }
  FIRN_HD void react(const Scratch& scratch, const Vec<int, D>& origin, int h, std::uint32_t i,
                     std::uint64_t node, double* sums) const {
    const Vector parent = this->position_of(origin, i), v = vector_of<D>(all_nodes()[node]);
    this->for_each(scratch.around, origin, i, h,
                   [&](std::uint64_t dependent, const Vector& x, Real share, const Vector& moves) {
                     const Vector taken = contact_impulse(dependent, share * v + moves);
                     add_impulse(sums, x, taken);
                     add_impulse(sums, parent, Real(-1) * share * taken);
                     add_work(sums, moves, taken);
                   });
  }
  // Along the normal, gives the velocities of those that slip along holder h, the n-th of their
  // parent. In short steps that has held them until now where they lie in it, and has taken what
  // that takes.
  FIRN_HD void let_slip(const Scratch& scratch, const Vec<int, D>& origin, int h, int n,
                        std::uint32_t i, std::uint64_t node, double* sums) const {
    Node<Real>*nodes = all_nodes(), *increments = all_increments();
    const typename Base::Slip& of_parent = params.slips[node];
    const Vector normal = of_parent.normal[n], parent = this->position_of(origin, i);
    const Real v = dot(vector_of<D>(nodes[node]), normal);
    const Vector of_face = this->velocity_of(h, parent);
    const Real heavier = this->heavier(drag),
               weight = static_cast<Real>(control->dt) * dot(params.gravity, normal);
    Real brought = 0;  // momentum along the normal, by dependents
    this->for_each_slipping(
        scratch.around, origin, i, h,
        [&](std::uint64_t dependent, const Vector& x, int k, const Vector& moves) {
          const typename Base::Slip& slip = params.slips[dependent];
          if (!Base::is_taken(slip, k)) return;
          Node<Real>& has = nodes[dependent];
          const Real m = has.mass(), share = slip.share[k];
          const Real after = share * v + dot(moves, normal),
                     change = after - dot(vector_of<D>(has), normal);
          const Real taken =
              slip.along[k] - heavier * m * after + (solved ? m * weight - slip.owed[k] : Real(0));
          brought += share * (slip.along[k] - heavier * m * dot(moves, normal));
          const Vector by_dependent = (solved ? taken : -m * change) * normal,
                       by_parent = (-share * taken) * normal;
          add_impulse(sums, x, by_dependent);
          add_work(sums, moves + share * of_face, by_dependent);
          add_impulse(sums, parent, by_parent);
          add_work(sums, of_face, by_parent);
          Node<Real> add = Node<Real>::zero();
          for (int a = 0; a < D; ++a) add.set(a, change * normal[a]);
          has += add;
          if (increments != nullptr) increments[dependent] += add;
        });
    if (!solved || increments == nullptr) return;
    // By what it had before its dependents brought theirs.
    const Real own = nodes[node].mass(), more = of_parent.along[n],
               before = v - dot(vector_of<D>(increments[node]), normal),
               change = before - ((own + more) * before - brought) / own;
    for (int a = 0; a < D; ++a) increments[node].set(a, increments[node][a] + change * normal[a]);
  }
  // What the body takes of a dependent that ends with v.
  FIRN_HD Vector contact_impulse(std::uint64_t dependent, const Vector& v) const {
    const Node<Real> has = all_nodes()[dependent];
    const Real m = -has.mass(), dt = static_cast<Real>(control->dt), heavier = this->heavier(drag);
    if (!(m > Real(0))) return Vector::zero();
    const Node<Real>* impulses =
        !solved && all_increments() != nullptr ? all_increments() + dependent : nullptr;
    Vector impulse;
    for (int a = 0; a < D; ++a) {
      impulse[a] = has[a] + m * (dt * params.gravity[a] - heavier * v[a]);
      if (impulses != nullptr) impulse[a] += (*impulses)[a];
      if (solved) impulse[a] -= params.parent_nodes[dependent].owed[a];
    }
    return impulse;
  }

  FIRN_HD void give_velocities(Scratch& scratch, std::uint32_t block, const Vec<int, D>& origin,
                               std::uint32_t i) const {
    const std::uint64_t node = std::uint64_t{block} * kNodes + i;
    if (!this->is_parent(node)) return;
    Node<Real>*nodes = all_nodes(), *increments = all_increments();
    const Vector v = vector_of<D>(nodes[node]);
    const Real heavier = this->heavier(drag);
    Vector brought = Vector::zero();  // momentum, by dependents
    this->for_each(scratch.around, origin, i, Base::kSticking,
                   [&](std::uint64_t dependent, const Vector&, Real share, const Vector& moves) {
                     const Node<Real> has = nodes[dependent];
                     const Real m = -has.mass();
                     if (!(m > Real(0))) return;
                     const Vector after = share * v + moves;
                     Node<Real> moved = Node<Real>::mass(m), change = Node<Real>::zero();
                     for (int a = 0; a < D; ++a) {
                       brought[a] += share * (has[a] - heavier * m * moves[a]);
                       moved.set(a, after[a]);
                       change.set(a, after[a] - has[a] / m);
                     }
                     nodes[dependent] = moved;
                     if (increments != nullptr) increments[dependent] = change;
                   });
    const Real own = params.parent_nodes[node].mass, mass = nodes[node].mass();
    nodes[node].set(3, own);
    if (increments == nullptr) return;
    // By what it had before its dependents brought theirs.
    const Vector before = v - vector_of<D>(increments[node]);
    for (int a = 0; a < D; ++a)
      increments[node].set(a,
                           own > Real(0) ? v[a] - (mass * before[a] - brought[a]) / own : Real(0));
  }
};

template <class Exec, int D, class Real>
void fold_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, Real drag, std::uint32_t max_blocks,
                     const StepControl* control) {
  if (params.dependences != nullptr)
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  FoldDependents<D, Real>{{{params, grid, control}}, drag});
}

template <class Exec, int D, class Real>
void mirror_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, Real drag, bool solved, std::uint32_t max_blocks,
                       const StepControl* control) {
  if (params.dependences != nullptr)
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  MirrorDependents<D, Real>{{{params, grid, control}}, drag, solved});
}

}  // namespace firn
