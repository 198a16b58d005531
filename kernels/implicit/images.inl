#pragma once

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
    const Vec<int, D> origin = block_of_key<D>(problem.grid.keys[g.index()]);
    if (!images.has_any(origin)) return;
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      images.for_each(origin, i, [&](std::uint64_t image, const Vector& sign) {
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

template <class Exec, int D, class Real>
void mirror_nodes(Exec& exec, const ImplicitProblem<Real, D>& p, Real* vectors) {
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), MirrorNodes<D, Real>{{{p}, vectors}});
}

template <class Exec, int D, class Real>
void fold_nodes(Exec& exec, const ImplicitProblem<Real, D>& p, Real* vectors) {
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), FoldNodes<D, Real>{{{p}, vectors}});
}

template <class Exec, int D, class Real>
void turn_weights(Exec& exec, const ImplicitProblem<Real, D>& p) {
  if (p.boundaries.walls.mirrors_any())
    launch_groups(exec, nodes_of(p), TurnWeights<D, Real>{{{p}, p.view.target}});
}

}  // namespace firn
