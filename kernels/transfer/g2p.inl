// Grid to particle: one group per block loads the tile of node velocities its particles can reach,
// then every particle reads its coefficients, and moves.
#pragma once

#include "kernels/materials/volume_drift.h"
#include "kernels/transfer/advance.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/gather_mass.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct G2P : ParticleAdvance<D, Real> {
  static constexpr const char* kName = "g2p";
  static constexpr int kThreads = 128;
  using Tile = BlockTile<D, Degree, Real>;
  struct Scratch {
    Tile velocity, increment;
  };
  static constexpr int kModes = mode_count(Set, D);
  using Base = ParticleAdvance<D, Real>;
  using Base::params, Base::particles, Base::grid;

  const MaterialParams<Real>* materials = nullptr;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    bool near_bodies = false;
    const auto load = [&](std::uint32_t block) {
      near_bodies = Base::is_near_bodies(block);
      load_tile(g, g.scratch.velocity, grid, block, node_layer(grid.nodes));
      if (params.flip > 0)
        load_tile(g, g.scratch.increment, grid, block, node_layer(grid.increments));
    };
    Base::gather(g, load, [&](const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane) {
      return advance(g, home, chunk, lane, near_bodies);
    });
  }

  // Returns the particle's new speed squared.
  template <class Group>
  FIRN_HD Real advance(Group& g, const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane,
                       bool near_bodies) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    const auto s = make_stencil<D, Degree>(x, grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, home);
    const Node<Real>* velocities = g.scratch.velocity.node + at;

    Node<Real> c[kModes];
    if constexpr (Set == ModeSet::kAffine)
      gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::linear, velocities, c);
    else
      gather_tensor<axis_modes(Set), Tile::kSide>(s, velocities, c);
    store_gradient(s, velocities, c, chunk, lane);
    if constexpr (std::is_floating_point_v<Real>)
      if (holds_volumes(params, *Base::control))
        correct_volume(gather_mass<Tile::kSide>(s, velocities), chunk, lane);
    store_coefficients(s, c, chunk, lane);
    for (int a = 0; a < D; ++a) Base::move(g, a, x[a], c[0][a], chunk, lane);
    if (near_bodies) Base::guard(home, x, chunk, lane, false);
    Node<Real> increment = Node<Real>::zero();
    if (params.flip > 0) increment = gather_mean<Tile::kSide>(s, g.scratch.increment.node + at);
    Real speed_squared = 0;
    for (int a = 0; a < D; ++a) {
      const Real v = Base::blend_velocity(a, c[0][a], increment[a], chunk, lane);
      speed_squared += v * v;
    }
    return speed_squared;
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

  FIRN_HD void correct_volume(const MassAround<Real>& mass, std::uint32_t chunk,
                              std::uint32_t lane) const {
    Mat<Real, D> grad_v;
    for (int i = 0; i < D * D; ++i)
      grad_v(i / D, i % D) = channel_row(particles.gradient, chunk, D * D, i)[lane];
    const VolumeDrift<D, Real> drift(materials, particles, grid.inv_dx);
    drift.correct(OneLane<Real>{chunk, lane}, mass.mean, mass.least, drift.rate_of(grad_v),
                  volume_span(params, static_cast<Real>(Base::control->dt)));
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

  FIRN_HD void scale_parts(const Stencil<D, Degree, Real>& s, Node<Real>* c) const {
    const PartScales<Real> scales{params};
    if (!scales.active()) return;
    for (int a = 0; a < D; ++a) {
      Node<Real>& column_a = c[linear_mode(Set, D, a)];
      for (int b = a + 1; b < D; ++b) {
        Node<Real>& column_b = c[linear_mode(Set, D, b)];
        Real C_ab = column_b[a], C_ba = column_a[b];
        scales.apply(second_moment<Degree>(-s.axis[a].z[0]), second_moment<Degree>(-s.axis[b].z[0]),
                     C_ab, C_ba);
        column_b.set(a, C_ab);
        column_a.set(b, C_ba);
      }
      column_a.set(a, static_cast<Real>(params.symmetric) * column_a[a]);
    }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
                const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
                const ParticleView<Real>& particles, const GridView<Real>& grid,
                StepControl* control, std::uint32_t block_bound) {
  // No group writes what another reads, so the blocks go in one launch, in the order in which they
  // lie in memory.
  launch_groups(
      exec, {{&control->n_blocks, block_bound}, &control->stop},
      G2P<D, Degree, Set, Real>{{params, bounds, particles, grid, control, bodies}, materials});
}

template <class Exec, int D, class Real>
void g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
         const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
         const ParticleView<Real>& particles, const GridView<Real>& grid, StepControl* control,
         std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_g2p<D, decltype(degree)::value, decltype(set)::value>(
        exec, params, bounds, bodies, materials, particles, grid, control, block_bound);
  });
}

}  // namespace firn
