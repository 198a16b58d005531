// Particles to faces: one group per block, which goes through its particles and gathers their
// contributions to the faces of an axis in a tile, axis by axis or, of small stencils on the CPU,
// of all axes at once. A tile is one node wider than on a collocated grid, since along its own axis
// a staggered stencil may begin one node further.
#pragma once

#include <type_traits>

#include "kernels/transfer/mac.h"
#include "kernels/transfer/pack_scatter.h"
#include "kernels/transfer/scatter.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct MacP2G {
  static constexpr const char* kName = "mac_p2g";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  static constexpr int kAlong = stencil_nodes(Degree);
  using Tile = std::conditional_t<kHasNodeRows, AlignedTile<D, Degree + 1, kAlong, Real>,
                                  BlockTile<D, Degree + 1, Real>>;
  // Axes that particles add to in one pass. On the CPU particles of one cell, which mostly follow
  // each other, wait for each other's sums: of the smallest stencils there is too little to do for
  // one axis meanwhile.
  static constexpr int kTogether = kHasNodeRows && Degree == 1 ? D : 1;
  struct Scratch {
    Tile tile[kTogether];
  };
  static constexpr int kModes = mode_count(Set, D);

  TransferParams params;
  ParticleView<Real> particles;
  GridView<Real> grid;
  Real* faces;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    scatter_particles<D>(g, *this, D / kTogether);
  }

  template <class Tiles, class F>
  FIRN_HD void for_each_tile(Tiles& tiles, int pass, F&& f) const {
    for (int a = 0; a < kTogether; ++a)
      f(tiles.tile[a], node_layer(faces, D, pass * kTogether + a));
  }
  // The faces that a group adds to, whose blocks do not follow each other in memory as colours go:
  // rows that lie in two blocks each.
  template <class Fetch>
  void prefetch(std::uint32_t group, Fetch fetch) const {
    const std::uint32_t block = grid.coloured[group];
    for (int row = 0; row < int_power(Tile::kSide, D - 1); ++row) {
      const TileNode<D, Tile::kSide> at(row * Tile::kSide);
      for (int beyond = 0; beyond < 2; ++beyond)
        for (int a = 0; a < D; ++a)
          fetch(&corner_value<D>(grid, node_layer(faces, D, a), block,
                                 at.corner | beyond << (D - 1), at.node),
                (beyond == 0 ? BlockTraits<D>::kSide : Degree + 1) * sizeof(Node<Real>));
    }
  }
  FIRN_HD static bool takes(std::uint32_t, std::uint32_t) { return true; }
  template <class Lanes>
  FIRN_HD void prefetch_next(const Lanes& lanes, int axis) const {
    if (axis > 0) return;
    lanes.prefetch_next(particles.x, D);
    lanes.prefetch_next(particles.v, D);
    lanes.prefetch_next(particles.coefficients, D * particles.coefficient_modes);
    lanes.prefetch_next(particles.mass, 1);
    lanes.prefetch_next(particles.volume, 1);
    if (params.shears) lanes.prefetch_next(particles.stress, symmetric_components(D));
  }

  // A particle as a pack of one.
  struct Single {
    using Value = Real;
    std::uint32_t chunk, lane;
    FIRN_HD Real load(const Real* row) const { return row[lane]; }
  };
  template <class Group, class TurnsAt>
  FIRN_HD void add(Group& g, int axis, const Vec<int, D>& home, std::uint32_t chunk,
                   std::uint32_t lane, const TurnsAt& turns_at) const {
    const Single single{chunk, lane};
    const auto own = stencil(axis, single);
    const int at = Tile::template index_of<D>(own.base, home);
    Node<Real>* tile = g.scratch.tile[0].node + at;
    const Real m = load(particles.mass, single), volume = load(particles.volume, single);
    const Node<Real> at_rest = Node<Real>::make(Real(0), m, volume, Real(0));
    turns_at(at).take([&](const auto& turn) {
      const auto& s = in_this_turn(turn, own);
      carry<Tile::kSide>(axis, s, single, m, tile, [&](Node<Real>& face, Real w, Real momentum) {
        Node<Real> value = at_rest;
        value.set(kFaceMomentum, momentum);
        turn.accumulate(face, w * value);
      });
      if (!params.shears) return;
      push<Tile::kSide>(axis, s, single, tile, [&](Node<Real>& face, Real, Real impulse) {
        turn.accumulate(face, Node<Real>::make(Real(0), Real(0), Real(0), impulse));
      });
    });
  }

  // What each particle of a pack brings is put together for all of them, then added one by one.
  template <class Group, class Lanes>
  FIRN_FLAT void add_pack(Group& g, int pass, const Vec<int, D>& home, const Lanes& lanes) const {
    typename Lanes::Places at[kTogether];
    PackNodes<Tile, Real> brought[kTogether];
    for (int a = 0; a < kTogether; ++a)
      at[a] = bring(pass * kTogether + a, home, lanes, brought[a]);
    lanes.for_each_lane([&](int i, std::uint32_t) {
      for (int a = 0; a < kTogether; ++a) g.scratch.tile[a].add(at[a].at[i], brought[a].node[i]);
    });
  }
  // What they bring to the faces of an axis. Returns where it belongs in the tile.
  template <class Lanes, class Nodes>
  typename Lanes::Places bring(int axis, const Vec<int, D>& home, const Lanes& lanes,
                               Nodes& nodes) const {
    using T = typename Lanes::Value;
    struct Face {
      T w, momentum, impulse;
    };
    const auto s = stencil(axis, lanes);
    const T m = load(particles.mass, lanes), volume = load(particles.volume, lanes);
    Face faces[int_power(kAlong, D)];
    carry<kAlong>(axis, s, lanes, m, faces, [](Face& face, const T& w, const T& momentum) {
      face = {w, w * momentum, T(Real(0))};
    });
    if (params.shears)
      push<kAlong>(axis, s, lanes, faces,
                   [](Face& face, const T&, const T& impulse) { face.impulse = impulse; });
    nodes.template set<kAlong>([&](int i, T(&to)[4]) {
      to[kFaceMomentum] = faces[i].momentum;
      to[kFaceMass] = faces[i].w * m;
      to[kFaceVolume] = faces[i].w * volume;
      to[kFaceImpulse] = faces[i].impulse;
    });
    return lanes.places(Tile::index_of(s.base, home));
  }

  template <class Lanes>
  FIRN_HD static typename Lanes::Value load(const Real* channel, const Lanes& lanes) {
    return lanes.load(channel_row(channel, lanes.chunk, 1, 0));
  }
  template <class Lanes>
  FIRN_HD auto stencil(int axis, const Lanes& lanes) const {
    Vec<typename Lanes::Value, D> x;
    for (int b = 0; b < D; ++b) x[b] = lanes.load(channel_row(particles.x, lanes.chunk, D, b));
    return make_face_stencil<D, Degree>(x, grid.inv_dx, axis);
  }

  // The momentum by its modes: add(face, weight, momentum), in a tile of `Side` faces per axis.
  template <int Side, class Lanes, class T, class Target, class Add>
  FIRN_HD void carry(int axis, const Stencil<D, Degree, T>& s, const Lanes& lanes, const T& m,
                     Target* tile, const Add& add) const {
    T c[kModes];
    load_modes(axis, lanes, m, c);
    const bool mapped = params.affine_map && particles.coefficient_modes != 0;
    if constexpr (Set == ModeSet::kAffine) {
      T Q[D];
      for (int b = 0; b < D; ++b) Q[b] = c[1 + b];
      if (mapped) map_affine(inverse_map(lanes), c, Q);
      scatter_affine<Side>(s, c[0], Q, tile, add);
    } else if (mapped) {
      scatter_mapped<axis_modes(Set), Side>(s, inverse_map(lanes), c, tile, add);
    } else {
      scatter_tensor<axis_modes(Set), Side>(s, c, tile, add);
    }
  }

  // The impulse of the stress, its row along the axis times grad w: add(face, 1, impulse).
  template <int Side, class Lanes, class T, class Target, class Add>
  FIRN_HD void push(int axis, const Stencil<D, Degree, T>& s, const Lanes& lanes, Target* tile,
                    const Add& add) const {
    T along[D];
    load_stress(axis, lanes, along);
    scatter_gradient<Side>(s, along, tile, add);
  }
  template <class Lanes, class T>
  FIRN_HD void load_stress(int axis, const Lanes& lanes, T (&along)[D]) const {
    const T scale = T(-static_cast<Real>(control->dt) * grid.inv_dx);
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) {
        if (a != axis && b != axis) continue;
        along[a == axis ? b : a] = scale * lanes.load(channel_row(particles.stress, lanes.chunk,
                                                                  symmetric_components(D), k));
      }
  }

  // One component of the coefficients, times mass.
  template <class Lanes, class T>
  FIRN_HD void load_modes(int axis, const Lanes& lanes, const T& m, T (&c)[kModes]) const {
    c[0] = m * lanes.load(channel_row(particles.v, lanes.chunk, D, axis));
    const int stored = particles.coefficient_modes;
    for (int r = 1; r < kModes; ++r)
      c[r] = stored == 0 ? T(Real(0)) : m * coefficient(lanes, r, axis);
  }
  template <class Lanes>
  FIRN_HD typename Lanes::Value coefficient(const Lanes& lanes, int r, int axis) const {
    const int stored = particles.coefficient_modes;
    return lanes.load(
        channel_row(particles.coefficients, lanes.chunk, stored * D, (r - 1) * D + axis));
  }

  // xi = affine: M = (I + dt C)^-1 with the step that produced C, whose rows are the linear modes
  // of all axes.
  template <class Lanes>
  FIRN_HD auto inverse_map(const Lanes& lanes) const {
    using T = typename Lanes::Value;
    const T scale = T(static_cast<Real>(control->previous_dt) * grid.inv_dx);
    Mat<T, D> forward = Mat<T, D>::identity();
    for (int b = 0; b < D; ++b)
      for (int a = 0; a < D; ++a)
        forward(a, b) += scale * coefficient(lanes, linear_mode(Set, D, b), a);
    return invert_motion(forward);
  }

  // In the affine set c zeta = (c M) z, still affine.
  template <class T>
  FIRN_HD static void map_affine(const Mat<T, D>& map, const T (&c)[kModes], T (&Q)[D]) {
    for (int b = 0; b < D; ++b) {
      Q[b] = T(Real(0));
      for (int a = 0; a < D; ++a) Q[b] += map(a, b) * c[1 + a];
    }
  }
};

template <int D, int Degree, ModeSet Set, class Real, class Exec>
void launch_mac_p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
                    const GridView<Real>& grid, Real* faces, const StepControl* control,
                    std::uint32_t block_bound) {
  launch_coloured(exec, {{nullptr, block_bound}, &control->stop}, grid.colour_begin,
                  BlockTraits<D>::kCorners,
                  MacP2G<D, Degree, Set, Real>{params, particles, grid, faces, control});
}

template <class Exec, int D, class Real>
void mac_p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
             const GridView<Real>& grid, Real* faces, const StepControl* control,
             std::uint32_t block_bound) {
  for_instance(params, [&](auto degree, auto set) {
    launch_mac_p2g<D, decltype(degree)::value, decltype(set)::value>(exec, params, particles, grid,
                                                                     faces, control, block_bound);
  });
}

}  // namespace firn
