#pragma once

#include "kernels/grid/dependence.h"
#include "kernels/grid/images.h"
#include "kernels/implicit/images.h"
#include "kernels/implicit/nodes.h"

namespace firn {

template <int D, class Real>
struct ImagesOfNodes : ImplicitNodes<D, Real> {
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  struct Scratch {};
  Real* vectors;

  // f(node, image, sign)
  template <class Group, class F>
  FIRN_HD void for_each_image(Group& g, F&& f) const {
    const Images<D, Real> images{{problem.boundaries, problem.grid, problem.control}};
    const std::uint64_t key = problem.grid.keys[g.index()];
    if (!images.has_any(block_of_key<D>(key))) return;
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      images.for_each(key, i, [&](std::uint64_t image, const Vector& sign) {
        if (Base::mass(image) < Real(0)) f(node, image, sign);
      });
    });
  }
};

template <int D, class Real>
struct MirrorNodes : ImagesOfNodes<D, Real> {
  static constexpr const char* kName = "mirror_nodes";
  using Base = ImagesOfNodes<D, Real>;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_image(g, [&](std::uint64_t node, std::uint64_t image, const auto& sign) {
      Base::put(this->vectors, image, scaled(sign, Base::vector_at(this->vectors, node)));
    });
  }
};

template <int D, class Real>
struct FoldNodes : ImagesOfNodes<D, Real> {
  static constexpr const char* kName = "fold_nodes";
  using Base = ImagesOfNodes<D, Real>;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_image(g, [&](std::uint64_t node, std::uint64_t image, const auto& sign) {
      Base::put(this->vectors, node,
                Base::vector_at(this->vectors, node) +
                    scaled(sign, Base::vector_at(this->vectors, image)));
      Base::put(this->vectors, image, Vec<Real, D>::zero());
    });
  }
};

template <int D, class Real>
struct TurnWeights : ImagesOfNodes<D, Real> {
  static constexpr const char* kName = "turn_weights";
  using Base = ImagesOfNodes<D, Real>;
  using Base::problem;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<Real, D>& gravity = problem.boundaries.gravity;
    const Real dt = static_cast<Real>(problem.control->dt);
    const Real heavier = Real(1) + problem.drag * dt;
    Base::for_each_image(g, [&](std::uint64_t node, std::uint64_t image, const auto& sign) {
      const Real share = -Base::mass(image) / Base::mass(node);
      Base::put(this->vectors, node,
                Base::vector_at(this->vectors, node) +
                    (share * dt / heavier) * (scaled(sign, gravity) - gravity));
    });
  }
};

template <int D, class Real>
struct DependentsOfNodes : ImplicitNodes<D, Real> {
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  using Scratch = typename Dependence<D, Real>::Around;
  using Slip = NodeSlip<Real, D>;
  Real* vectors;

  FIRN_HD Slip* slips() const { return problem.boundaries.slips; }
  // f(node, dependent, share, c): the dependent's velocity is share times the node's, and c; or
  // along(the same, n, k) of those that slip, where that is so along the n-th normal of the node,
  // which is the k-th of the dependent.
  template <class Group, class F, class Along>
  FIRN_HD void for_each_dependent(Group& g, F&& f, Along&& along) const {
    const Dependence<D, Real> dependence{{problem.boundaries, problem.grid, problem.control}};
    if (!dependence.may_lead(g.index())) return;
    const Vec<int, D> origin = block_of_key<D>(problem.grid.keys[g.index()]);
    dependence.look_around(g, origin, g.scratch);
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      if (!dependence.is_parent(node)) return;
      dependence.for_each(g.scratch, origin, i, Dependence<D, Real>::kSticking,
                          [&](std::uint64_t dependent, const Vector&, Real share,
                              const Vector& moves) { f(node, dependent, share, moves); });
      const Slip* parent = Base::slipping_parent(node);
      for (int n = 0; parent != nullptr && n < D; ++n) {
        if (!Dependence<D, Real>::is_taken(*parent, n)) continue;
        dependence.for_each_slipping(
            g.scratch, origin, i, parent->holder[n],
            [&](std::uint64_t dependent, const Vector&, int k, const Vector& moves) {
              const Slip& slip = slips()[dependent];
              if (Dependence<D, Real>::is_taken(slip, k))
                along(node, dependent, slip.share[k], moves, n, k);
            });
      }
    });
  }
  FIRN_HD static void add(Real* to, std::uint64_t node, const Vector& v) {
    Base::put(to, node, Base::vector_at(to, node) + v);
  }
};

template <int D, class Real>
struct MirrorDependentNodes : DependentsOfNodes<D, Real> {
  static constexpr const char* kName = "mirror_dependent_nodes";
  using Base = DependentsOfNodes<D, Real>;
  using typename Base::Vector;
  NodeVectors kind;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Real* vectors = this->vectors;
    const Real moving = kind == NodeVectors::kVelocities ? Real(1) : Real(0);
    const auto given = [&](std::uint64_t node, Real share, const Vector& moves) {
      return share * Base::vector_at(vectors, node) + moving * moves;
    };
    Base::for_each_dependent(
        g,
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector& moves) {
          Base::put(vectors, dependent, given(node, share, moves));
        },
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector& moves, int n,
            int) {
          const Vector& normal = Base::slips()[node].normal[n];
          const Vector lacks = given(node, share, moves) - Base::vector_at(vectors, dependent);
          Base::add(vectors, dependent, dot(lacks, normal) * normal);
        });
  }
};

template <int D, class Real>
struct FoldDependentNodes : DependentsOfNodes<D, Real> {
  static constexpr const char* kName = "fold_dependent_nodes";
  using Base = DependentsOfNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  Real* in;
  bool anew;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Real* vectors = this->vectors;
    NodeParent<Real, D>* kept =
        vectors == problem.view.gradient ? problem.boundaries.parent_nodes : nullptr;
    Base::for_each_dependent(
        g,
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector&) {
          const Vector has = Base::vector_at(vectors, dependent);
          Base::add(vectors, node, share * has);
          Base::put(vectors, dependent, Vector::zero());
          if (kept == nullptr) return;
          Vector& owed = kept[dependent].owed;
          owed = anew ? has : owed + has;
        },
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector&, int n, int k) {
          const Vector& normal = Base::slips()[node].normal[n];
          const Real has = dot(Base::vector_at(vectors, dependent), normal);
          Base::add(vectors, node, (share * has) * normal);
          Base::add(vectors, dependent, (-has) * normal);
          Base::add(in, dependent, (-dot(Base::vector_at(in, dependent), normal)) * normal);
          if (kept == nullptr) return;
          Real& owed = Base::slips()[dependent].owed[k];
          owed = anew ? has : owed + has;
        });
  }
};

template <int D, class Real>
struct WeighDependents : DependentsOfNodes<D, Real> {
  static constexpr const char* kName = "weigh_dependents";
  using Base = DependentsOfNodes<D, Real>;
  using Base::problem;
  using typename Base::Vector;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vector& gravity = problem.boundaries.gravity;
    const Real dt = static_cast<Real>(problem.control->dt),
               time = dt / (Real(1) + problem.drag * dt);
    Base::for_each_dependent(
        g,
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector&) {
          const Real part = -Base::mass(dependent) / Base::mass(node);
          Base::add(this->vectors, node, (share * (Real(1) - share) * part * time) * gravity);
        },
        [&](std::uint64_t node, std::uint64_t dependent, Real share, const Vector&, int n, int) {
          const typename Base::Slip& parent = Base::slips()[node];
          const Vector& normal = parent.normal[n];
          const Real part = Base::mass(dependent) / (Base::mass(node) + Base::along(parent, n));
          Base::add(this->vectors, node,
                    (share * (Real(1) - share) * part * time * dot(gravity, normal)) * normal);
        });
  }
};

template <class Real, int D>
bool has_dependents(const ImplicitProblem<Real, D>& p) {
  return p.boundaries.dependences != nullptr;
}

template <class Exec, int D, class Real>
void mirror_nodes(Exec& exec, const ImplicitProblem<Real, D>& p, NodeVectors kind, Real* vectors) {
  if (has_dependents(p))
    launch_groups(exec, nodes_of(p), MirrorDependentNodes<D, Real>{{{p}, vectors}, kind});
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), MirrorNodes<D, Real>{{{p}, vectors}});
}

template <class Exec, int D, class Real>
void fold_nodes(Exec& exec, const ImplicitProblem<Real, D>& p, Real* vectors, Real* in, bool anew) {
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), FoldNodes<D, Real>{{{p}, vectors}});
  if (has_dependents(p))
    launch_groups(exec, nodes_of(p), FoldDependentNodes<D, Real>{{{p}, vectors}, in, anew});
}

template <class Exec, int D, class Real>
void turn_weights(Exec& exec, const ImplicitProblem<Real, D>& p) {
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), TurnWeights<D, Real>{{{p}, p.view.target}});
  if (has_dependents(p))
    launch_groups(exec, nodes_of(p), WeighDependents<D, Real>{{{p}, p.view.target}});
}

}  // namespace firn
