// Faces to particles: one group per block loads the tiles of face velocities its particles can
// reach, then every particle reads its coefficients axis by axis, and moves.
#pragma once

#include "kernels/transfer/advance.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/mac.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct MacG2P : ParticleAdvance<D, Real> {
  static constexpr const char* kName = "mac_g2p";
  static constexpr int kThreads = 128;
  using Tile = BlockTile<D, Degree + 1, Real, Real>;
  struct Scratch {
    Tile velocity[D], increment[D], correction[D], strained[D];
  };
  static constexpr int kModes = mode_count(Set, D);
  using Base = ParticleAdvance<D, Real>;
  using Base::params, Base::particles, Base::grid;

  Real* faces;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const auto load = [&](std::uint32_t block) {
      g.for_each(Tile::kNodes, [&](std::uint32_t t) { load_node(g.scratch, block, t); });
    };
    Base::gather(g, load, [&](const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane) {
      return advance(g, home, chunk, lane);
    });
  }
  FIRN_HD void load_node(Scratch& tiles, std::uint32_t block, std::uint32_t t) const {
    const TileNode<D, Tile::kSide> at(static_cast<int>(t));
    for (int a = 0; a < D; ++a) {
      const Node<Real>& face =
          corner_value<D>(grid, node_layer(faces, D, a), block, at.corner, at.node);
      tiles.velocity[a].node[t] = face[kFaceVelocity];
      if (params.flip > 0) tiles.increment[a].node[t] = face[kFaceIncrement];
      if (params.shears) tiles.strained[a].node[t] = face[kFaceStrained];
      if (params.corrects_positions) tiles.correction[a].node[t] = face[kFaceCorrection];
    }
  }

  // Returns the particle's new speed squared.
  template <class Group>
  FIRN_HD Real advance(Group& g, const Vec<int, D>& home, std::uint32_t chunk,
                       std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int b = 0; b < D; ++b) x[b] = channel_row(particles.x, chunk, D, b)[lane];
    Real speed_squared = 0;
    for (int a = 0; a < D; ++a) {
      const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, a);
      const int at = Tile::template index_of<D>(s.base, home);
      const Real* velocities = g.scratch.velocity[a].node + at;
      Real c[kModes];
      if constexpr (Set == ModeSet::kAffine)
        gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::linear, velocities, c);
      else
        gather_tensor<axis_modes(Set), Tile::kSide>(s, velocities, c);
      store_coefficients(a, c, chunk, lane);
      if (params.shears) store_gradient(a, s, g.scratch.strained[a].node + at, chunk, lane);
      Real correction = 0;
      if (params.corrects_positions)
        correction = gather_mean<Tile::kSide>(s, g.scratch.correction[a].node + at);
      // Read again rather than taken from `x`, whose index would not be known to the compiler.
      Base::move(g, a, channel_row(particles.x, chunk, D, a)[lane], c[0] + correction, chunk, lane);
      Real increment = 0;
      if (params.flip > 0)
        increment = gather_mean<Tile::kSide>(s, g.scratch.increment[a].node + at);
      const Real v = Base::blend_velocity(a, c[0], increment, chunk, lane);
      speed_squared += v * v;
    }
    if (particles.coefficient_modes > 0 && PartScales<Real>{params}.active())
      scale_parts(x, chunk, lane);
    return speed_squared;
  }

  FIRN_HD void store_gradient(int axis, const Stencil<D, Degree, Real>& s, const Real* velocities,
                              std::uint32_t chunk, std::uint32_t lane) const {
    Real column[1 + D];
    gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::dw, velocities, column);
    for (int b = 0; b < D; ++b)
      channel_row(particles.gradient, chunk, D * D, axis * D + b)[lane] =
          grid.inv_dx * column[1 + b];
  }
  FIRN_HD void store_coefficients(int axis, const Real (&c)[kModes], std::uint32_t chunk,
                                  std::uint32_t lane) const {
    if (particles.coefficient_modes == 0) return;
    for (int r = 1; r < kModes; ++r)
      coefficient(chunk, lane, r, axis) = (params.mask >> r & 1u) != 0 ? c[r] : Real(0);
  }
  FIRN_HD Real& coefficient(std::uint32_t chunk, std::uint32_t lane, int r, int axis) const {
    const int stored = particles.coefficient_modes;
    return channel_row(particles.coefficients, chunk, stored * D, (r - 1) * D + axis)[lane];
  }

  // Symmetric and skew part of C, whose rows belong to different axes, as stored before. The lever
  // along b of a velocity along a is measured between faces that lie half a cell off along b.
  FIRN_HD void scale_parts(const Vec<Real, D>& x, std::uint32_t chunk, std::uint32_t lane) const {
    Real moment[D];
    for (int b = 0; b < D; ++b)
      moment[b] =
          second_moment<Degree>(axis_base(x[b], grid.inv_dx, staggered_shift<Real>(Degree)).offset);
    for (int a = 0; a < D; ++a) {
      for (int b = a + 1; b < D; ++b)
        PartScales<Real>{params}.apply(moment[a], moment[b],
                                       coefficient(chunk, lane, linear_mode(Set, D, b), a),
                                       coefficient(chunk, lane, linear_mode(Set, D, a), b));
      coefficient(chunk, lane, linear_mode(Set, D, a), a) *= static_cast<Real>(params.symmetric);
    }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_mac_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
                    const ParticleView<Real>& particles, const GridView<Real>& grid, Real* faces,
                    StepControl* control, std::uint32_t block_bound) {
  // No group writes what another reads, so the blocks go in one launch.
  launch_groups(exec, {{&control->n_blocks, block_bound}, &control->stop},
                MacG2P<D, Degree, Set, Real>{{params, bounds, particles, grid, control}, faces});
}

template <class Exec, int D, class Real>
void mac_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
             const ParticleView<Real>& particles, const GridView<Real>& grid, Real* faces,
             StepControl* control, std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_mac_g2p<D, decltype(degree)::value, decltype(set)::value>(
        exec, params, bounds, particles, grid, faces, control, block_bound);
  });
}

}  // namespace firn
