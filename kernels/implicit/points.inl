// Particles' stiffnesses gathered to points at the nodes nearest to them: see multigrid.h.
#pragma once

#include "kernels/implicit/multigrid.h"
#include "kernels/implicit/particles.h"

namespace firn {

template <int D, int Degree, class Real>
struct AddPoints : ImplicitParticles<D, Degree, Real> {
  static constexpr const char* kName = "add_points";
  using Base = ImplicitParticles<D, Degree, Real>;
  using Base::problem;
  struct Scratch {};
  Real* tensor;
  bool in_turn;  // what particles of a warp add to one point has an order

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = problem.grid;
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = Base::home_of(block);
    for_each_pack_in(g, block, grid, problem.particles, [&](const auto& lanes) {
      if (!in_turn)
        return lanes.for_each_lane([&](int, std::uint32_t lane) {
          add(g, point_of(block, home, lanes.chunk, lane), lanes.chunk, lane);
        });
      lanes.for_each_in_turn([](int, std::uint32_t) { return true; },
                             [&](int, std::uint32_t lane, const auto& turns_at) {
                               const std::uint64_t point = point_of(block, home, lanes.chunk, lane);
                               turns_at(static_cast<int>(point)).take([&](const auto&) {
                                 add(g, point, lanes.chunk, lane);
                               });
                             });
    });
  }

  // Of the node nearest to a particle.
  FIRN_HD std::uint64_t point_of(std::uint32_t block, const Vec<int, D>& home, std::uint32_t chunk,
                                 std::uint32_t lane) const {
    const Vec<Real, D> x = Base::position(chunk, lane);
    int corner = 0;
    Vec<int, D> local;
    for (int a = 0; a < D; ++a) {
      // The nearest node is one of the inner ones of the stencil, which reaches no block but the
      // corners.
      const int nearest =
          axis_base(x[a], problem.grid.inv_dx, Real(-0.5)).node - home[a] * BlockTraits<D>::kSide;
      corner |= (nearest >> BlockTraits<D>::kShift) << a;
      local[a] = nearest & (BlockTraits<D>::kSide - 1);
    }
    const std::uint64_t rank = problem.grid.corners[block * BlockTraits<D>::kCorners + corner];
    return rank * BlockTraits<D>::kNodes + static_cast<std::uint64_t>(node_in_block<D>(local));
  }

  template <class Group>
  FIRN_HD void add(Group& g, std::uint64_t point, std::uint32_t chunk, std::uint32_t lane) const {
    auto* to = reinterpret_cast<Node<Real>*>(tensor + kPointReals<D> * point);
    auto p = StoredStiffness<Real, D>::of([&](int k) { return Base::row(chunk, k)[lane]; });
    if (!problem.semidefinite) make_semidefinite(p.k);
    const bool damped = Base::is_damped(chunk);
    DampingTensor<Real, D> damping{};
    if (damped) damping = Base::damping_of(chunk, lane);
    Node<Real> four = Node<Real>::zero();
    int n = 0;
    for (int row = 0; row < D * D; ++row) {
      Mat<Real, D> A = Mat<Real, D>::zero();
      A(row / D, row % D) = Real(1);
      Mat<Real, D> G = p.response(A);
      if (damped) G += damping.response(A);
      for (int column = row; column < D * D; ++column) {
        four.set(n % 4, G(column / D, column % D));
        if (++n % 4 != 0) continue;
        g.accumulate_global(to[n / 4 - 1], four);
        four = Node<Real>::zero();
      }
    }
    if (n % 4 != 0) g.accumulate_global(to[n / 4], four);
  }
};

template <class Exec, int D, class Real>
void add_points(Exec& exec, const ImplicitProblem<Real, D>& problem, Real* tensor) {
  bool in_turn = false;
  if constexpr (Exec::kIsCuda) in_turn = exec.reproducible();
  for_degree(problem.transfer.degree, [&](auto degree) {
    launch_over_particles(exec, problem,
                          AddPoints<D, decltype(degree)::value, Real>{{problem}, tensor, in_turn});
  });
}

}  // namespace firn
