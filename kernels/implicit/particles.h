// What the passes over the particles of system.h share.
#pragma once

#include "kernels/implicit/system.h"
#include "kernels/materials/constitutive.inl"
#include "kernels/math/generic_scalar.h"
#include "kernels/transfer/contribution.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/tile.h"

namespace firn {

// What the passes over the particles share: velocity gradients in, stresses out.
template <int D, int Degree, class Real>
struct ImplicitParticles {
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tiles
  using Tile = BlockTile<D, Degree, Real>;

  ImplicitProblem<Real, D> problem;

  FIRN_HD Vec<Real, D> position(std::uint32_t chunk, std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(problem.particles.x, chunk, D, a)[lane];
    return x;
  }
  FIRN_HD Real* row(std::uint32_t chunk, int k) const {
    return channel_row(problem.view.stiffness, chunk, stiffness_components<D>(), k);
  }
  FIRN_HD Real* damping_row(std::uint32_t chunk, int k) const {
    return channel_row(problem.view.damping, chunk, damping_components<D>(), k);
  }
  FIRN_HD bool is_damped(std::uint32_t chunk) const {
    return problem.damping != nullptr &&
           problem.damping[problem.particles.chunks[chunk].material] > Real(0);
  }
  // Out of memory: of a pack, of a lane.
  template <class Lanes>
  FIRN_HD auto damping_of(const Lanes& lanes) const {
    DampingTensor<typename Lanes::Value, D> d;
    for (int i = 0; i < damping_components<D>(); ++i)
      d.W[i] = lanes.load(damping_row(lanes.chunk, i));
    return d;
  }
  FIRN_HD DampingTensor<Real, D> damping_of(std::uint32_t chunk, std::uint32_t lane) const {
    DampingTensor<Real, D> d;
    for (int i = 0; i < damping_components<D>(); ++i) d.W[i] = damping_row(chunk, i)[lane];
    return d;
  }
  FIRN_HD Vec<int, D> home_of(std::uint32_t block) const {
    return block_of_key<D>(problem.grid.keys[block]);
  }
  // Of MLS-MPM's C, or of the gradient of the interpolated field; per cell.
  FIRN_HD auto functional() const {
    return problem.transfer.gradient_force ? &AxisStencil<Degree, Real>::dw
                                           : &AxisStencil<Degree, Real>::linear;
  }
  // Stress to impulses of nodes: what w z (cells) or dw stand for.
  FIRN_HD Real node_scale() const {
    return -impulse_scale<Degree>(problem.transfer, Real(1), problem.grid.inv_dx);
  }

  // table = dv_a / dx_b of every lane.
  template <class Lanes, class Table>
  FIRN_HD void gather(const Lanes& lanes, const Vec<int, D>& home, const Tile& tile,
                      Table& table) const {
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      const auto s = make_stencil<D, Degree>(position(lanes.chunk, lane), problem.grid.inv_dx);
      Node<Real> column[1 + D];
      gather_affine<Tile::kSide>(s, functional(),
                                 tile.node + Tile::template index_of<D>(s.base, home), column);
      for (int a = 0; a < D; ++a)
        for (int b = 0; b < D; ++b) table.at(a * D + b, i) = problem.grid.inv_dx * column[1 + b][a];
    });
  }
  // node += (table of the lane) (gradient of its weight).
  template <class Lanes, class Table>
  FIRN_HD void scatter(const Lanes& lanes, const Vec<int, D>& home, const Table& table,
                       Tile& tile) const {
    const Contribution<D, Degree, ModeSet::kAffine, Real> contribution{problem.transfer, Real(0)};
    lanes.for_each_in_turn(
        [](int, std::uint32_t) { return true; },
        [&](int i, std::uint32_t lane, const auto& turns_at) {
          const auto own =
              make_stencil<D, Degree>(position(lanes.chunk, lane), problem.grid.inv_dx);
          const int at = Tile::template index_of<D>(own.base, home);
          Node<Real> columns[D];
          for (int b = 0; b < D; ++b) {
            columns[b] = Node<Real>::zero();
            for (int a = 0; a < D; ++a) columns[b].set(a, table.at(a * D + b, i));
          }
          turns_at(at).take([&](const auto& turn) {
            const auto& s = in_this_turn(turn, own);
            if (problem.transfer.gradient_force)
              scatter_gradient<Tile::kSide>(s, columns, tile.node + at,
                                            [&](Node<Real>& node, Real w, const Node<Real>& value) {
                                              turn.accumulate(node, w * value);
                                            });
            else
              contribution.template add_affine<Tile::kSide>(turn, s, Node<Real>::zero(), columns,
                                                            tile.node + at);
          });
        });
  }
  template <class Lanes, class Table>
  FIRN_HD static auto active_matrix(const Lanes& lanes, const Table& table) {
    using T = typename Lanes::Value;
    const auto active = lanes.active();
    Mat<T, D> A;
    for (int i = 0; i < D * D; ++i) A(i / D, i % D) = select(active, table.get(i), T(Real(0)));
    return A;
  }
  template <class Table, class T>
  FIRN_HD static void put(Table& table, const Mat<T, D>& A, Real scale) {
    for (int i = 0; i < D * D; ++i) table.set(i, A(i / D, i % D) * T(scale));
  }
};

// A particle's stiffness.
template <class T, int D>
struct StoredStiffness {
  Mat<T, D> U, along;
  PrincipalStiffness<T, D> k;
  T viscous;

  // Out of memory; `load`: the value of a row.
  template <class Load>
  static FIRN_HD StoredStiffness of(Load&& load) {
    StoredStiffness s;
    int n = 0;
    for (int i = 0; i < D * D; ++i) s.U(i / D, i % D) = load(n++);
    for (int i = 0; i < D * D; ++i) s.along(i / D, i % D) = load(n++);
    for (int a = 0; a < D; ++a)
      for (int b = a; b < D; ++b) s.k.stretch(a, b) = s.k.stretch(b, a) = load(n++);
    for (T& value : s.k.shear) value = load(n++);
    for (T& value : s.k.spin) value = load(n++);
    s.viscous = load(n++);
    return s;
  }
  // The stress that answers a velocity gradient.
  FIRN_HD Mat<T, D> response(const Mat<T, D>& A) const {
    const Mat<T, D> K = k.apply(transpose(U) * (A * along));
    return (U * K) * transpose(along) + symmetric_part(A) * (T(Scalar<T>(2)) * viscous);
  }
};

// A deformation of this volume.
template <int D, class T>
FIRN_HD inline Mat<T, D> deformation_of_volume(const T& J) {
  return Mat<T, D>::scaled_identity(D == 2 ? sqrt(J) : exp(log(J) * T(Scalar<T>(1.0 / D))));
}

template <class F>
void for_degree(int degree, F&& f) {
  if (degree == 1) f(std::integral_constant<int, 1>{});
  if (degree == 2) f(std::integral_constant<int, 2>{});
  if (degree == 3) f(std::integral_constant<int, 3>{});
}

// One group per block that holds particles, colour by colour.
template <int D, class Exec, class Real, class Op>
void launch_over_particles(Exec& exec, const ImplicitProblem<Real, D>& problem, const Op& op) {
  launch_coloured(exec, {{nullptr, problem.max_blocks}, gate_of(problem)},
                  problem.grid.colour_begin, int_power(problem.grid.parities, D), op);
}

}  // namespace firn
