// Grid to particle: one group per block loads the tile of node velocities its particles can reach,
// then every particle reads its coefficients, and moves.
#pragma once

#include "kernels/transfer/gather.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct G2P {
  static constexpr const char* kName = "g2p";
  static constexpr int kThreads = 128;
  using Tile = BlockTile<D, Degree, Real>;
  struct Scratch {
    Tile velocity, increment;
  };
  static constexpr int kModes = mode_count(Set, D);

  TransferParams params;
  ParticleBounds<Real, D> bounds;
  ParticleView<Real> particles;
  GridView<Real> grid;
  StepControl* control;
  std::uint32_t first_group = 0;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[first_group + g.index()];
    load_tile<D, Degree>(g, g.scratch.velocity, grid, block, grid.nodes);
    if (params.flip > 0) load_tile<D, Degree>(g, g.scratch.increment, grid, block, grid.increments);
    g.sync();
    const Chunk* chunks = particles.chunks;
    g.template for_each_pack<Real>(
        grid.chunk_begin[block], grid.chunk_begin[block + 1],
        [=](std::uint32_t chunk) { return chunks[chunk].count; },
        [&](const auto& lanes) {
          Real fastest = 0;
          lanes.for_each_lane([&](int, std::uint32_t lane) {
            const Real speed_squared = advance(g, block, lanes.chunk, lane);
            fastest = fastest < speed_squared ? speed_squared : fastest;
          });
          fastest = lanes.across(fastest);
          lanes.once([&] { g.atomic_max(control->speed_squared, static_cast<double>(fastest)); });
        });
  }

  // Returns the particle's new speed squared.
  template <class Group>
  FIRN_HD Real advance(Group& g, std::uint32_t block, std::uint32_t chunk,
                       std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    const auto s = make_stencil<D, Degree>(x, grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, block_of_key<D>(grid.keys[block]));
    const Node<Real>* velocities = g.scratch.velocity.node + at;

    Node<Real> c[kModes];
    if constexpr (Set == ModeSet::kAffine)
      gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::linear, velocities, c);
    else
      gather_tensor<axis_modes(Set), Tile::kSide>(s, velocities, c);
    store_gradient(s, velocities, c, chunk, lane);
    store_coefficients(s, c, chunk, lane);
    move(g, x, c[0], chunk, lane);
    Real flip = static_cast<Real>(params.flip);
    Node<Real> increment = Node<Real>::zero();
    if (flip > 0) increment = gather_mean<Tile::kSide>(s, g.scratch.increment.node + at);
    return store_velocity(g, c[0], increment, flip, chunk, lane);
  }

  // v_p <- flip (v_p + sum w dv) + (1 - flip) sum w v
  template <class Group>
  FIRN_HD Real store_velocity(Group& g, const Node<Real>& mean, const Node<Real>& increment,
                              Real flip, std::uint32_t chunk, std::uint32_t lane) const {
    Real speed_squared = 0;
    for (int a = 0; a < D; ++a) {
      Real& v = channel_row(particles.v, chunk, D, a)[lane];
      v = flip > 0 ? flip * (v + increment[a]) + (1 - flip) * mean[a] : mean[a];
      speed_squared += v * v;
    }
    if (!is_finite(speed_squared))
      g.atomic_min(control->fault,
                   pack_fault(Fault::kVelocity, channel_row(particles.id, chunk, 1, 0)[lane]));
    return speed_squared;
  }

  template <class Group>
  FIRN_HD void move(Group& g, const Vec<Real, D>& x, const Node<Real>& mean, std::uint32_t chunk,
                    std::uint32_t lane) const {
    const Real dt = static_cast<Real>(control->dt);
    for (int a = 0; a < D; ++a) {
      Real moved = x[a] + dt * mean[a];
      if (bounds.active) moved = clamp(moved, bounds.min[a], bounds.max[a]);
      // The particle stays where it is: the step ends with a fault, whose message says where.
      if (!(abs(moved * grid.inv_dx) < static_cast<Real>(BlockTraits<D>::kMaxCell))) {
        if (is_finite(moved))
          g.atomic_min(control->fault, pack_fault(Fault::kPositionRange,
                                                  channel_row(particles.id, chunk, 1, 0)[lane]));
        moved = x[a];
      }
      channel_row(particles.x, chunk, D, a)[lane] = moved;
    }
  }

  // grad v: C itself with MLS-MPM, sum v grad w in the classical form.
  FIRN_HD void store_gradient(const Stencil<D, Degree, Real>& s, const Node<Real>* velocities,
                              const Node<Real>* c, std::uint32_t chunk, std::uint32_t lane) const {
    Node<Real> column[1 + D];
    if (params.gradient_force)
      gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::dw, velocities, column);
    else
      for (int b = 0; b < D; ++b) column[1 + b] = c[linear_mode(Set, D, b)];
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b)
        channel_row(particles.gradient, chunk, D * D, a * D + b)[lane] =
            grid.inv_dx * column[1 + b][a];
  }

  FIRN_HD void store_coefficients(const Stencil<D, Degree, Real>& s, Node<Real>* c,
                                  std::uint32_t chunk, std::uint32_t lane) const {
    const int stored = particles.coefficient_modes;
    if (stored == 0) return;
    scale_parts(s, c);
    for (int r = 1; r < kModes; ++r)
      for (int a = 0; a < D; ++a)
        channel_row(particles.coefficients, chunk, stored * D, (r - 1) * D + a)[lane] =
            (params.mask >> r & 1u) != 0 ? c[r][a] : Real(0);
  }

  // C <- symmetric * sym(C) + skew * skew(C). RPIC with the linear kernel takes the rotation from
  // L_p and K_p [APIC 5.2], whose moments differ by axis and vanish on nodes.
  FIRN_HD void scale_parts(const Stencil<D, Degree, Real>& s, Node<Real>* c) const {
    if (params.symmetric == 1 && params.skew == 1) return;
    const Real symmetric = static_cast<Real>(params.symmetric),
               skew = static_cast<Real>(params.skew);
    for (int a = 0; a < D; ++a) {
      Node<Real>& column_a = c[linear_mode(Set, D, a)];
      for (int b = a + 1; b < D; ++b) {
        Node<Real>& column_b = c[linear_mode(Set, D, b)];
        const Real C_ab = column_b[a], C_ba = column_a[b];
        Real rotation = Real(0.5) * (C_ba - C_ab);
        if (params.moment_weighted_skew) {
          const Real D_a = second_moment<Degree>(-s.axis[a].z[0]),
                     D_b = second_moment<Degree>(-s.axis[b].z[0]);
          const Real K = D_a + D_b;
          rotation = K > kEpsilon<Real> ? (C_ba * D_a - C_ab * D_b) / K : Real(0);
        }
        const Real stretch = symmetric * Real(0.5) * (C_ab + C_ba);
        column_b.set(a, stretch - skew * rotation);
        column_a.set(b, stretch + skew * rotation);
      }
      column_a.set(a, symmetric * column_a[a]);
    }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
                const ParticleView<Real>& particles, const GridView<Real>& grid,
                StepControl* control, std::uint32_t block_bound) {
  // No group writes what another reads, so the blocks go in one launch.
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, block_bound}, &control->stop},
                G2P<D, Degree, Set, Real>{params, bounds, particles, grid, control});
}

template <class Exec, int D, class Real>
void g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
         const ParticleView<Real>& particles, const GridView<Real>& grid, StepControl* control,
         std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_g2p<D, decltype(degree)::value, decltype(set)::value>(exec, params, bounds, particles,
                                                                 grid, control, block_bound);
  });
}

}  // namespace firn
