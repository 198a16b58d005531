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
    bool near_bodies = false;
    const auto load = [&](std::uint32_t block) {
      near_bodies = Base::is_near_bodies(block);
      for_each_tile_node<D, Tile::kSide>(g, [&](std::uint32_t t, int corner, int node) {
        load_node(g.scratch, block, t, corner, node);
      });
    };
    Base::gather_packs(g, load, [&](const Vec<int, D>& home, const auto& lanes) {
      return advance(g, home, lanes, near_bodies);
    });
  }
  FIRN_HD void load_node(Scratch& tiles, std::uint32_t block, std::uint32_t t, int corner,
                         int node) const {
    for (int a = 0; a < D; ++a) {
      const Node<Real>& face = corner_value<D>(grid, node_layer(faces, D, a), block, corner, node);
      tiles.velocity[a].node[t] = face[kFaceVelocity];
      if (params.flip > 0) tiles.increment[a].node[t] = face[kFaceIncrement];
      if (params.shears) tiles.strained[a].node[t] = face[kFaceStrained];
      if (params.corrects_positions) tiles.correction[a].node[t] = face[kFaceCorrection];
    }
  }

  // Returns the new speeds squared of the particles of a pack.
  template <class Group, class Lanes>
  FIRN_FLAT FIRN_HD typename Lanes::Value advance(Group& g, const Vec<int, D>& home,
                                                  const Lanes& lanes, bool near_bodies) const {
    using T = typename Lanes::Value;
    Vec<T, D> x;
    for (int b = 0; b < D; ++b) x[b] = lanes.load(channel_row(particles.x, lanes.chunk, D, b));
    T speed_squared = T(Real(0));
    for (int a = 0; a < D; ++a) {
      const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, a);
      const auto at = lanes.places(Tile::template index_of<D>(s.base, home));
      const auto velocities = lanes.from(g.scratch.velocity[a].node, at);
      T c[kModes];
      if constexpr (Set == ModeSet::kAffine)
        gather_affine<Tile::kSide>(s, &AxisStencil<Degree, T>::linear, velocities, c);
      else
        gather_tensor<axis_modes(Set), Tile::kSide>(s, velocities, c);
      store_coefficients(a, c, lanes);
      if (params.shears) store_gradient(a, s, lanes.from(g.scratch.strained[a].node, at), lanes);
      T correction = T(Real(0));
      if (params.corrects_positions)
        correction = gather_mean<Tile::kSide>(s, lanes.from(g.scratch.correction[a].node, at));
      // Reads x again rather than taking it from above, where the compiler would not know the
      // index.
      Base::move(g, a, c[0] + correction, lanes);
      T increment = T(Real(0));
      if (params.flip > 0)
        increment = gather_mean<Tile::kSide>(s, lanes.from(g.scratch.increment[a].node, at));
      const T v = Base::blend_velocity(a, c[0], increment, lanes);
      speed_squared += v * v;
    }
    if (particles.coefficient_modes > 0 && PartScales<Real>{params}.active()) scale_parts(x, lanes);
    if (near_bodies) guard(home, x, lanes);
    return speed_squared;
  }

  template <class T, class Lanes>
  FIRN_HD void guard(const Vec<int, D>& home, const Vec<T, D>& before, const Lanes& lanes) const {
    typename Lanes::template Table<D> table;
    for (int a = 0; a < D; ++a) table.set(a, before[a]);
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      Vec<Real, D> at;
      for (int a = 0; a < D; ++a) at[a] = table.at(a, i);
      Base::guard(home, at, lanes.chunk, lane, true);
    });
  }

  template <class T, class Velocities, class Lanes>
  FIRN_HD void store_gradient(int axis, const Stencil<D, Degree, T>& s,
                              const Velocities& velocities, const Lanes& lanes) const {
    T column[1 + D];
    gather_affine<Tile::kSide>(s, &AxisStencil<Degree, T>::dw, velocities, column);
    for (int b = 0; b < D; ++b)
      lanes.store(channel_row(particles.gradient, lanes.chunk, D * D, axis * D + b),
                  T(grid.inv_dx) * column[1 + b]);
  }
  template <class T, class Lanes>
  FIRN_HD void store_coefficients(int axis, const T (&c)[kModes], const Lanes& lanes) const {
    if (particles.coefficient_modes == 0) return;
    for (int r = 1; r < kModes; ++r)
      lanes.store(coefficient_row(lanes.chunk, r, axis),
                  (params.mask >> r & 1u) != 0 ? c[r] : T(Real(0)));
  }
  FIRN_HD Real* coefficient_row(std::uint32_t chunk, int r, int axis) const {
    const int stored = particles.coefficient_modes;
    return channel_row(particles.coefficients, chunk, stored * D, (r - 1) * D + axis);
  }

  // Symmetric and skew part of C, whose rows belong to different axes, as stored before. The lever
  // along b of a velocity along a is measured between faces that lie half a cell off along b.
  template <class T, class Lanes>
  FIRN_HD void scale_parts(const Vec<T, D>& x, const Lanes& lanes) const {
    T moment[D];
    for (int b = 0; b < D; ++b)
      moment[b] =
          second_moment<Degree>(axis_base(x[b], grid.inv_dx, staggered_shift<Real>(Degree)).offset);
    for (int a = 0; a < D; ++a) {
      for (int b = a + 1; b < D; ++b) {
        Real* row_ab = coefficient_row(lanes.chunk, linear_mode(Set, D, b), a);
        Real* row_ba = coefficient_row(lanes.chunk, linear_mode(Set, D, a), b);
        T C_ab = lanes.load(row_ab), C_ba = lanes.load(row_ba);
        PartScales<Real>{params}.apply(moment[a], moment[b], C_ab, C_ba);
        lanes.store(row_ab, C_ab);
        lanes.store(row_ba, C_ba);
      }
      Real* row = coefficient_row(lanes.chunk, linear_mode(Set, D, a), a);
      lanes.store(row, T(static_cast<Real>(params.symmetric)) * lanes.load(row));
    }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_mac_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
                    const GridUpdateParams<Real, D>& bodies, const ParticleView<Real>& particles,
                    const GridView<Real>& grid, Real* faces, StepControl* control,
                    std::uint32_t block_bound) {
  // No group writes what another reads, so the blocks go in one launch.
  launch_groups(
      exec, {{&control->n_blocks, block_bound}, &control->stop},
      MacG2P<D, Degree, Set, Real>{{params, bounds, particles, grid, control, bodies}, faces});
}

template <class Exec, int D, class Real>
void mac_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
             const GridUpdateParams<Real, D>& bodies, const ParticleView<Real>& particles,
             const GridView<Real>& grid, Real* faces, StepControl* control,
             std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_mac_g2p<D, decltype(degree)::value, decltype(set)::value>(
        exec, params, bounds, bodies, particles, grid, faces, control, block_bound);
  });
}

}  // namespace firn
