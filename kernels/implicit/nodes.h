// What the passes over the nodes of system.h share.
#pragma once

#include "kernels/grid/dependence.h"
#include "kernels/implicit/system.h"
#include "kernels/solve/reduce_blocks.h"

namespace firn {

template <int D, class Real>
struct ImplicitNodes {
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kNodes = BlockTraits<D>::kNodes;
  using Vector = Vec<Real, D>;

  ImplicitProblem<Real, D> problem;

  FIRN_HD static Vector vector_at(const Real* channel, std::uint64_t node) {
    Vector v;
    for (int a = 0; a < D; ++a) v[a] = channel[4 * node + a];
    return v;
  }
  FIRN_HD static void put(Real* channel, std::uint64_t node, const Vector& v) {
    for (int a = 0; a < D; ++a) channel[4 * node + a] = v[a];
  }
  FIRN_HD Real mass(std::uint64_t node) const { return problem.view.target[4 * node + 3]; }

  // M v: parents of dependents that slip have more mass along the normal (grid/dependents.h).
  FIRN_HD Vector times_mass(std::uint64_t node, const Vector& v) const {
    Vector r = mass(node) * v;
    for_each_normal(slipping_parent(node), [&](const Vector& normal, Real more) {
      r = r + (more * dot(normal, v)) * normal;
    });
    return r;
  }
  // f(normal, mass of the dependents that slip there, kg); `parent` may be null.
  template <class F>
  FIRN_HD void for_each_normal(const NodeSlip<Real, D>* parent, F&& f) const {
    for (int n = 0; parent != nullptr && n < D; ++n)
      if ((parent->taken >> n & 1) != 0) f(parent->normal[n], along(*parent, n));
  }
  FIRN_HD Real along(const NodeSlip<Real, D>& parent, int n) const {
    return (Real(1) + problem.drag * static_cast<Real>(problem.control->dt)) * parent.along[n];
  }
  FIRN_HD const NodeSlip<Real, D>* slipping_parent(std::uint64_t node) const {
    const GridUpdateParams<Real, D>& grid = problem.boundaries;
    using Nodes = Dependence<D, Real>;
    if (grid.slips == nullptr) return nullptr;
    const std::uint8_t depends = grid.depends[node / kNodes];
    if (depends == Nodes::kNeither ||
        (depends == Nodes::kDependents && grid.dependences[node].holder >= 0) ||
        grid.slips[node].taken == 0)
      return nullptr;
    return grid.slips + node;
  }

  // P v.
  FIRN_HD Vector project(std::uint64_t node, const Vector& v) const {
    const std::uint32_t kind = problem.view.kind[node];
    if (kind == kNodeFree) return v;
    if (kind != kNodeHeld) return Vector::zero();
    return project_by(problem.view.hold[node], v);
  }
  FIRN_HD static Vector project_by(const NodeHold<Real>& hold, const Vector& v) {
    Vector r = Vector::zero();
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b) r[a] += hold.free[symmetric_entry<D>(a, b)] * v[b];
    return r;
  }
  // held + P v.
  FIRN_HD Vector allowed(std::uint64_t node, const Vector& v) const {
    const std::uint32_t kind = problem.view.kind[node];
    if (kind == kNodeFree || kind == kNodeEmpty) return v;
    Vector r = project(node, v);
    for (int a = 0; a < D; ++a) r[a] += problem.view.hold[node].held[a];
    return r;
  }

  // Coulomb friction on what slides: an impulse that is known, so that its potential is linear.
  FIRN_HD Vector rub(std::uint64_t node) const {
    Vector r = Vector::zero();
    if (problem.view.kind[node] == kNodeHeld)
      for (int a = 0; a < D; ++a) r[a] = problem.view.hold[node].rub[a];
    return r;
  }

  template <class Group, class F>
  FIRN_HD static void for_each_node(Group& g, F&& f) {
    const std::uint64_t first = std::uint64_t{g.index()} * kNodes;
    g.for_each(kNodes, [&](std::uint32_t i) { f(first + i, i); });
  }
};

template <class Real, int D>
LaunchRange nodes_of(const ImplicitProblem<Real, D>& p) {
  return {{&p.control->n_blocks, p.max_blocks}, gate_of(p)};
}

template <class Exec, class Real, int D, class Finish>
void sum_columns(Exec& exec, const ImplicitProblem<Real, D>& p, const Finish& finish) {
  reduce_blocks(exec, finish, p.view.partials, p.max_blocks, p.max_blocks, p.view.sums,
                &p.control->stop);
}

}  // namespace firn
