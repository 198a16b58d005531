#pragma once

#include "kernels/exec/node.h"
#include "kernels/implicit/positions.h"
#include "kernels/transfer/advance.h"

namespace firn {

// The velocity between nodes and its gradient, wherever the nodes lie.
template <int D, int Degree, class Real>
struct NodeField {
  static constexpr int kSide = BlockTraits<D>::kSide, kReach = Degree + 1;
  GridView<Real> grid;
  std::uint32_t blocks;

  struct Sample {
    Vec<Real, D> v;
    Mat<Real, D> slope;  // dv_a / dx_b
  };

  FIRN_HD std::uint32_t rank_of(const Vec<int, D>& block) const {
    const std::uint64_t key = block_key<D>(grid.periodic.wrapped(block));
    const std::uint32_t rank = lower_bound(grid.keys, blocks, key);
    return rank < blocks && grid.keys[rank] == key ? rank : kNoBlock;
  }
  FIRN_HD Sample at(const Vec<Real, D>& x) const {
    const auto s = make_stencil<D, Degree>(x, grid.inv_dx);
    Vec<int, D> first;
    for (int a = 0; a < D; ++a) first[a] = s.base[a] >> BlockTraits<D>::kShift;
    std::uint32_t ranks[BlockTraits<D>::kCorners];
    for (int c = 0; c < BlockTraits<D>::kCorners; ++c) {
      bool reached = true;
      for (int a = 0; a < D; ++a)
        reached = reached && ((c >> a & 1) == 0 || (s.base[a] & (kSide - 1)) + Degree >= kSide);
      ranks[c] = reached ? rank_of(corner_block(first, c)) : kNoBlock;
    }
    Real W = 0;
    Vec<Real, D> sum = Vec<Real, D>::zero(), dW = Vec<Real, D>::zero();
    Mat<Real, D> slopes = Mat<Real, D>::zero();
    for (int t = 0; t < int_power(kReach, D); ++t) {
      int corner = 0;
      Vec<int, D> local;
      Real w = 1;
      Vec<Real, D> dw = Vec<Real, D>::filled(Real(1));
      for (int a = 0, rest = t; a < D; ++a, rest /= kReach) {
        const int i = rest % kReach, node = (s.base[a] & (kSide - 1)) + i;
        corner |= (node >> BlockTraits<D>::kShift) << a;
        local[a] = node & (kSide - 1);
        w *= s.axis[a].w[i];
        for (int b = 0; b < D; ++b) dw[b] *= a == b ? s.axis[a].dw[i] : s.axis[a].w[i];
      }
      if (ranks[corner] == kNoBlock) continue;
      const auto* nodes = reinterpret_cast<const Node<Real>*>(grid.nodes);
      const Node<Real> node =
          nodes[std::uint64_t{ranks[corner]} * BlockTraits<D>::kNodes + node_in_block<D>(local)];
      if (!(node.mass() > Real(0))) continue;
      W += w;
      for (int a = 0; a < D; ++a) {
        sum[a] += w * node[a];
        dW[a] += dw[a];
        for (int b = 0; b < D; ++b) slopes(a, b) += dw[b] * node[a];
      }
    }
    Sample field{Vec<Real, D>::zero(), Mat<Real, D>::zero()};
    if (!(W > Real(0))) return field;
    for (int a = 0; a < D; ++a) field.v[a] = sum[a] / W;
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b)
        field.slope(a, b) = (slopes(a, b) - field.v[a] * dW[b]) * (grid.inv_dx / W);
    return field;
  }
};

template <int D, int Degree, class Real>
struct SettlePositions : ParticleAdvance<D, Real> {
  static constexpr const char* kName = "settle_positions";
  static constexpr int kThreads = 128;
  using Base = ParticleAdvance<D, Real>;
  using Base::bounds, Base::particles, Base::grid, Base::control;
  using Field = NodeField<D, Degree, Real>;
  using Vector = Vec<Real, D>;
  struct Scratch {};
  static constexpr int kMostSteps = 10, kMostCuts = 14;
  // Cells; far below what positions are good for.
  static constexpr Real kSame = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-10);
  const Real* before;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (grid.chunk_begin[block] == grid.chunk_begin[block + 1]) return;
    const bool near_bodies = Base::is_near_bodies(block);
    const Field field{grid, control->n_blocks};
    for_each_pack_in(g, block, grid, particles, [&](const auto& lanes) {
      lanes.for_each_lane([&](int, std::uint32_t lane) {
        Vector from;
        for (int a = 0; a < D; ++a) from[a] = channel_row(before, lanes.chunk, D, a)[lane];
        const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
        // What is tied to a body is where its chords end.
        if (near_bodies && Base::is_held(home, from)) return;
        settle(g, field, from, lanes.chunk, lane);
        if (near_bodies) Base::guard(home, from, lanes.chunk, lane, false);
      });
    });
  }

  template <class Group>
  FIRN_HD void settle(Group& g, const Field& field, const Vector& from, std::uint32_t chunk,
                      std::uint32_t lane) const {
    const Vector way = way_from(field, from);
    const PositionSum<Real> sum(control->step);
    for (int a = 0; a < D; ++a) {
      const auto moved = move_along(a, bounds, sum, grid.inv_dx, from[a], way[a]);
      if (moved.strays) Base::report(g, Fault::kPositionRange, chunk, lane);
      channel_row(particles.x, chunk, D, a)[lane] = moved.x;
    }
  }

  // Newton's method for y - dt v(from + y) = 0 from y = 0; steps are halved until they leave no
  // more of it than before.
  FIRN_HD Vector way_from(const Field& field, const Vector& from) const {
    const Real dt = static_cast<Real>(control->dt), same = kSame * grid.dx;
    Vector y = Vector::zero();
    auto there = field.at(from);
    Vector left = Real(-1) * (dt * there.v);
    for (int n = 0; n < kMostSteps && norm(left) > same; ++n) {
      const Vector step = newton_step(dt * there.slope, left);
      Vector next = y, left_there = left;
      Real share = 1;
      for (int cut = 0; cut <= kMostCuts; ++cut, share *= Real(0.5)) {
        next = y - share * step;
        there = field.at(from + next);
        left_there = next - dt * there.v;
        if (norm(left_there) <= norm(left)) break;
      }
      y = next;
      left = left_there;
    }
    return y;
  }
  // (I - dt grad v)^-1 left; where the flow spreads so fast that this has no sense, `left` itself.
  FIRN_HD static Vector newton_step(const Mat<Real, D>& growth, const Vector& left) {
    const Mat<Real, D> J = Mat<Real, D>::identity() - growth;
    return determinant(J) > Real(1e-3) ? inverse(J) * left : left;
  }
};

template <class Exec, int D, class Real>
void settle_positions(Exec& exec, const TransferParams& params,
                      const ParticleBounds<Real, D>& bounds,
                      const GridUpdateParams<Real, D>& bodies, const ParticleView<Real>& particles,
                      const Real* before, const GridView<Real>& grid, StepControl* control,
                      std::uint32_t block_bound) {
  const LaunchRange range{{&control->n_blocks, block_bound}, &control->stop};
  if (params.degree == 2)
    launch_groups(
        exec, range,
        SettlePositions<D, 2, Real>{{params, bounds, particles, grid, control, bodies}, before});
  if (params.degree == 3)
    launch_groups(
        exec, range,
        SettlePositions<D, 3, Real>{{params, bounds, particles, grid, control, bodies}, before});
}

}  // namespace firn
