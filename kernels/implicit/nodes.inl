// The parts of system.h that go by way of the nodes; those about contacts are in contacts.inl.
#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/dependence.h"
#include "kernels/grid/dependents.h"
#include "kernels/grid/mirror.h"
#include "kernels/grid/pose_colliders.h"
#include "kernels/grid/surfaces.h"
#include "kernels/implicit/definite_inverse.h"
#include "kernels/implicit/images.h"
#include "kernels/implicit/nodes.h"
#include "kernels/solve/conjugate_gradients.inl"
#include "kernels/solve/minres.inl"

namespace firn {

template <int D, class Real>
struct BeginImplicit : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "begin_implicit";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {};

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const NodeContact<D, Real> contact{problem.boundaries, problem.grid, problem.control};
    const Node<Real>* nodes = contact.nodes_of(problem.grid.nodes, g.index());
    // m |v - v*|^2 / 2 and the drag's m drag dt |v|^2 / 2 are one parabola of a larger mass.
    const Real heavier = Real(1) + problem.drag * static_cast<Real>(problem.control->dt);
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      Base::put(problem.view.target, node,
                (Real(1) / heavier) * contact.forced(nodes[i], nullptr, i).after);
      problem.view.target[4 * node + 3] = heavier * nodes[i].mass();
      problem.view.closed[node] = 0;
      problem.view.kind[node] = nodes[i].mass() > Real(0) ? kNodeFree : kNodeEmpty;
    });
  }
};

template <int D, class Real>
struct GuessVelocity : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "guess_velocity";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  struct Scratch {};
  NodeGuess guess;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const NodeContact<D, Real> contact{problem.boundaries, problem.grid, problem.control};
    const Node<Real>* nodes = contact.nodes_of(problem.grid.nodes, g.index());
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      Vector v = Vector::zero();
      if (guess == NodeGuess::kBefore) v = contact.forced(nodes[i], nullptr, i).before;
      if (guess == NodeGuess::kTarget) v = Base::vector_at(problem.view.target, node);
      v = Base::allowed(node, v);
      Base::put(problem.view.velocity, node, v);
      Base::put(problem.view.trial, node, v);
    });
  }
};

template <int D, class Real>
struct TryVelocity : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "try_velocity";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {
    double slope[Base::kNodes];
  };
  Real share;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      const auto direction = Base::vector_at(problem.view.direction, node);
      Base::put(problem.view.trial, node,
                Base::vector_at(problem.view.velocity, node) + share * direction);
      g.scratch.slope[i] =
          -static_cast<double>(dot(direction, Base::vector_at(problem.view.rhs, node)));
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (double slope : g.scratch.slope) sum += slope;
      problem.view.partials[g.index()] = sum;
    });
  }
};

// The nodes' part of potential and gradient, and the sums of a block.
template <int D, class Real>
struct EvaluateNodes : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "evaluate_nodes";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  static constexpr int kColumns = kNewtonColumns - 1;  // all but the particles'
  struct Scratch {
    double sums[kColumns][Base::kNodes];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    auto& sums = g.scratch.sums;
    const Dependence<D, Real> dependence{{problem.boundaries, problem.grid, problem.control}};
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      for (int c = 0; c < kColumns; ++c) sums[c][i] = 0;
      Node<Real>& rhs = reinterpret_cast<Node<Real>*>(problem.view.rhs)[node];
      rhs = Node<Real>::zero();
      const Real m = Base::mass(node);
      if (!(m > Real(0))) {  // below 0: what depends on a wall
        sums[kHeldColumn - 1][i] = -static_cast<double>(m);
        return;
      }
      const Vector v = Base::vector_at(problem.view.trial, node),
                   target = Base::vector_at(problem.view.target, node);
      Vector change = v - target;
      // Along normals its parent has the inertia of a dependent that slips.
      Base::for_each_normal(dependence.slipping(node), [&](const Vector& normal, Real) {
        change = change - dot(change, normal) * normal;
      });
      const Vector impulse = Base::times_mass(node, change),
                   gradient = impulse + Base::vector_at(problem.view.gradient, node);
      Base::put(problem.view.gradient, node, gradient);
      const Vector rub = Base::rub(node);
      const Vector left = Base::project(node, gradient) + rub;
      for (int a = 0; a < D; ++a) rhs.set(a, -left[a]);
      sums[0][i] =
          0.5 * static_cast<double>(dot(change, impulse)) + static_cast<double>(dot(rub, v));
      sums[1][i] = static_cast<double>(dot(left, left)) / static_cast<double>(m);
      sums[2][i] = static_cast<double>(dot(left, Base::vector_at(problem.view.direction, node)));
      sums[3][i] = problem.view.kind[node] >= kNodeHeld ? static_cast<double>(m) : 0;
      for (int a = 0; a < D; ++a) {
        sums[kNetColumn - 1 + a][i] = static_cast<double>(left[a]);
        sums[kMomentumColumn - 1 + a][i] = static_cast<double>(m * target[a]);
      }
      sums[kHeldColumn - 1][i] = problem.view.kind[node] < kNodeFree ? static_cast<double>(m) : 0;
      sums[kMotionColumn - 1][i] =
          static_cast<double>(m) * static_cast<double>(dot(target, target));
      sums[kAlongColumn - 1][i] = static_cast<double>(dot(left, target));
    });
    g.sync();
    g.once([&] {
      for (int c = 0; c < kColumns; ++c) {
        double sum = 0;
        for (double term : sums[c]) sum += term;
        const int column = c < kParticleColumn ? c : c + 1;
        problem.view.partials[column * std::uint64_t{problem.max_blocks} + g.index()] = sum;
      }
    });
  }
};

// Blocks of H, added up over particles, become their inverses, in what contacts leave.
template <int D, class Real>
struct InvertBlocks : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "invert_blocks";
  // Of the trace of a block, what its sums over particles do not know.
  static constexpr double kUnknown = 16 * static_cast<double>(kEpsilon<Real>);
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  struct Scratch {
    double rounding[Base::kNodes];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      g.scratch.rounding[i] = 0;
      const std::uint32_t kind = problem.view.kind[node];
      Real* at = problem.view.inverse + 8 * node;
      if (kind < kNodeHeld) return;
      const Real m = Base::mass(node);
      g.scratch.rounding[i] = static_cast<double>(at[kRoundingEntry<D>]) / static_cast<double>(m);
      Mat<double, D> B;
      for (int a = 0; a < D; ++a)
        for (int b = 0; b < D; ++b)
          B(a, b) = static_cast<double>(at[symmetric_entry<D>(a, b)]) +
                    (a == b ? static_cast<double>(m) : 0.0);
      Base::for_each_normal(Base::slipping_parent(node), [&](const Vector& normal, Real more) {
        for (int a = 0; a < D; ++a)
          for (int b = 0; b < D; ++b) B(a, b) += static_cast<double>(more * normal[a] * normal[b]);
      });
      if (kind == kNodeHeld) B = restricted(node, B);
      for (int k = 0; problem.diagonal && kind == kNodeFree && k < D * D; ++k)
        if (k / D != k % D) B(k / D, k % D) = 0;
      const Mat<Real, D> inverted = definite_inverse<Real>(B, kUnknown);
      for (int a = 0; a < D; ++a)
        for (int b = a; b < D; ++b) at[symmetric_entry<D>(a, b)] = inverted(a, b);
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (double rounding : g.scratch.rounding) sum += rounding;
      problem.view.partials[g.index()] = sum;
    });
  }

  // P B P in the subspace, a multiple of the identity beside it.
  FIRN_HD Mat<double, D> restricted(std::uint64_t node, const Mat<double, D>& B) const {
    Mat<double, D> P;
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b)
        P(a, b) = static_cast<double>(problem.view.hold[node].free[symmetric_entry<D>(a, b)]);
    Mat<double, D> inside = P * B * P;
    const double beside = trace(B);
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b) inside(a, b) += beside * ((a == b ? 1.0 : 0.0) - P(a, b));
    return inside;
  }
};

// out = P (out + m in).
template <int D, class Real>
struct FinishStiffness : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "finish_stiffness";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  struct Scratch {};
  const Real* in;
  Real* out;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t) {
      const Vector p = Base::vector_at(in, node);
      const Vector sum = Base::vector_at(out, node) + Base::times_mass(node, p);
      Base::put(out, node, Base::project(node, sum));
      out[4 * node + 3] = Real(0);
    });
  }
};

template <int D, class Real>
struct SumDemand : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "sum_demand";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {
    double demand[Base::kNodes];
  };
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      const auto change =
          Base::vector_at(problem.view.velocity, node) - Base::vector_at(problem.view.target, node);
      g.scratch.demand[i] =
          static_cast<double>(Base::mass(node)) * static_cast<double>(dot(change, change));
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (double demand : g.scratch.demand) sum += demand;
      problem.view.partials[g.index()] = sum;
    });
  }
};

struct FinishDemand {
  static constexpr const char* kName = "finish_demand";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const { s.demand = v[0]; }
};
struct FinishFirstSlope {
  static constexpr const char* kName = "finish_first_slope";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const { s.first_slope = v[0]; }
};
struct FinishRounding {
  static constexpr const char* kName = "finish_rounding";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const { s.rounding = v[0]; }
};
struct FinishPotential {
  static constexpr const char* kName = "finish_potential";
  static constexpr int kColumns = kNewtonColumns;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(NewtonSums& s, const double* v) const {
    s.energy = v[0] + v[kParticleColumn];
    s.strain = v[kParticleColumn];
    s.kinetic = 0.5 * v[kMotionColumn];
    s.imbalance = v[1];
    s.slope = v[2];
    s.mass = v[3];
    s.net = s.turned = 0;
    if (!(s.mass > 0) || v[kHeldColumn] > 0) return;
    double along = v[kAlongColumn], motion = v[kMotionColumn];
    for (int a = 0; a < 3; ++a) {
      const double net = v[kNetColumn + a], momentum = v[kMomentumColumn + a];
      s.net += net * net / s.mass;
      along -= net * momentum / s.mass;
      motion -= momentum * momentum / s.mass;
    }
    // Of motion that is a mean but for its digits nothing is known.
    constexpr double kKnown = 1e-6;
    if (motion > kKnown * v[kMotionColumn]) s.turned = along * along / motion;
  }
};

template <class Exec, int D, class Real>
void begin_implicit(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_items(
      exec, {{nullptr, static_cast<std::uint32_t>(p.boundaries.collider_count)}, &p.control->stop},
      PoseColliders<Real>{p.boundaries.colliders, p.boundaries.poses, p.control});
  if (p.boundaries.surfaces != nullptr)
    find_surfaces<Exec, D, Real>(exec, p.boundaries, p.grid, p.grid.dx, p.max_blocks, p.control);
  // The weight follows, as momentum alone is what increments of velocities are measured from.
  GridUpdateParams<Real, D> momentum_alone = p.boundaries;
  momentum_alone.separate_force = false;
  momentum_alone.gravity = Vec<Real, D>::zero();
  find_dependents<Exec, D, Real>(exec, momentum_alone, p.grid, p.max_blocks, p.control);
  fold_images<Exec, D, Real>(exec, momentum_alone, p.grid, p.max_blocks, p.control);
  fold_dependents<Exec, D, Real>(exec, momentum_alone, p.grid, p.drag, p.max_blocks, p.control);
  launch_groups(exec, nodes_of(p), BeginImplicit<D, Real>{{p}});
  turn_weights(exec, p);
}

template <class Exec, int D, class Real>
void guess_velocity(Exec& exec, const ImplicitProblem<Real, D>& p, NodeGuess guess) {
  launch_groups(exec, nodes_of(p), GuessVelocity<D, Real>{{p}, guess});
}

template <class Exec, int D, class Real>
void try_velocity(Exec& exec, const ImplicitProblem<Real, D>& p, Real share) {
  launch_groups(exec, nodes_of(p), TryVelocity<D, Real>{{p}, share});
  sum_columns(exec, p, FinishFirstSlope{});
}

template <class Exec, int D, class Real>
void sum_demand(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_groups(exec, nodes_of(p), SumDemand<D, Real>{{p}});
  sum_columns(exec, p, FinishDemand{});
}

template <class Exec, int D, class Real>
void evaluate_nodes(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_groups(exec, nodes_of(p), EvaluateNodes<D, Real>{{p}});
  sum_columns(exec, p, FinishPotential{});
}

template <class Exec, int D, class Real>
void invert_blocks(Exec& exec, const ImplicitProblem<Real, D>& p) {
  launch_groups(exec, nodes_of(p), InvertBlocks<D, Real>{{p}});
  sum_columns(exec, p, FinishRounding{});
}

template <class Exec, int D, class Real>
void finish_stiffness(Exec& exec, const ImplicitProblem<Real, D>& p, const Real* in, Real* out) {
  launch_groups(exec, nodes_of(p), FinishStiffness<D, Real>{{p}, in, out});
}

}  // namespace firn
