// Particles to faces: one group per block, which goes through its particles once per axis and
// gathers their contributions to the faces of that axis in a tile. A tile is one node wider than on
// a collocated grid, since along its own axis a staggered stencil may begin one node further.
#pragma once

#include "kernels/transfer/mac.h"
#include "kernels/transfer/scatter.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, int Degree, ModeSet Set, class Real>
struct MacP2G {
  static constexpr const char* kName = "mac_p2g";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  using Tile = BlockTile<D, Degree + 1, Real>;
  struct Scratch {
    Tile tile;
  };
  static constexpr int kModes = mode_count(Set, D);

  TransferParams params;
  ParticleView<Real> particles;
  GridView<Real> grid;
  Real* faces;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    scatter_particles<D>(g, *this, D);
  }

  template <class Tiles, class F>
  FIRN_HD void for_each_tile(Tiles& tiles, int axis, F&& f) const {
    f(tiles.tile, node_layer(faces, D, axis));
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

  template <class Group, class TurnsAt>
  FIRN_HD void add(Group& g, int axis, const Vec<int, D>& home, std::uint32_t chunk,
                   std::uint32_t lane, const TurnsAt& turns_at) const {
    Vec<Real, D> x;
    for (int b = 0; b < D; ++b) x[b] = channel_row(particles.x, chunk, D, b)[lane];
    const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, axis);
    const int at = Tile::template index_of<D>(s.base, home);
    Node<Real>* tile = g.scratch.tile.node + at;
    const auto turns = turns_at(at);
    const Real m = channel_row(particles.mass, chunk, 1, 0)[lane];
    const Real volume = channel_row(particles.volume, chunk, 1, 0)[lane];
    const Node<Real> at_rest = Node<Real>::make(Real(0), m, volume, Real(0));
    const auto add = [&](Node<Real>& face, Real w, Real momentum) {
      Node<Real> value = at_rest;
      value.set(kFaceMomentum, momentum);
      turns.accumulate(face, w * value);
    };

    Real c[kModes];
    load_modes(axis, chunk, lane, m, c);
    const bool mapped = params.affine_map && particles.coefficient_modes != 0;
    if constexpr (Set == ModeSet::kAffine) {
      Real Q[D];
      for (int b = 0; b < D; ++b) Q[b] = c[1 + b];
      if (mapped) map_affine(inverse_map(chunk, lane), c, Q);
      scatter_affine<Tile::kSide>(s, c[0], Q, tile, add);
    } else if (mapped) {
      scatter_mapped<axis_modes(Set), Tile::kSide>(s, inverse_map(chunk, lane), c, tile, add);
    } else {
      scatter_tensor<axis_modes(Set), Tile::kSide>(s, c, tile, add);
    }
    if (params.shears) push(axis, s, chunk, lane, tile, turns);
  }

  // The impulse of the stress: its row along the axis times grad w.
  template <class Turns>
  FIRN_HD void push(int axis, const Stencil<D, Degree, Real>& s, std::uint32_t chunk,
                    std::uint32_t lane, Node<Real>* tile, const Turns& turns) const {
    const Real scale = -static_cast<Real>(control->dt) * grid.inv_dx;
    Node<Real> along[D];
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) {
        if (a != axis && b != axis) continue;
        const Real stress = channel_row(particles.stress, chunk, symmetric_components(D), k)[lane];
        along[a == axis ? b : a] = Node<Real>::make(Real(0), Real(0), Real(0), scale * stress);
      }
    scatter_gradient<Tile::kSide>(
        s, along, tile,
        [&](Node<Real>& face, Real, const Node<Real>& value) { turns.accumulate(face, value); });
  }

  // One component of the coefficients, times mass.
  FIRN_HD void load_modes(int axis, std::uint32_t chunk, std::uint32_t lane, Real m,
                          Real (&c)[kModes]) const {
    c[0] = m * channel_row(particles.v, chunk, D, axis)[lane];
    const int stored = particles.coefficient_modes;
    for (int r = 1; r < kModes; ++r)
      c[r] = stored == 0 ? Real(0) : m * coefficient(chunk, lane, r, axis);
  }
  FIRN_HD Real coefficient(std::uint32_t chunk, std::uint32_t lane, int r, int axis) const {
    const int stored = particles.coefficient_modes;
    return channel_row(particles.coefficients, chunk, stored * D, (r - 1) * D + axis)[lane];
  }

  // xi = affine: M = (I + dt C)^-1 with the step that produced C, whose rows are the linear modes
  // of all axes.
  FIRN_HD Mat<Real, D> inverse_map(std::uint32_t chunk, std::uint32_t lane) const {
    const Real scale = static_cast<Real>(control->previous_dt) * grid.inv_dx;
    Mat<Real, D> forward = Mat<Real, D>::identity();
    for (int b = 0; b < D; ++b)
      for (int a = 0; a < D; ++a)
        forward(a, b) += scale * coefficient(chunk, lane, linear_mode(Set, D, b), a);
    return invert_motion(forward);
  }

  // In the affine set c zeta = (c M) z, still affine.
  FIRN_HD static void map_affine(const Mat<Real, D>& map, const Real (&c)[kModes], Real (&Q)[D]) {
    for (int b = 0; b < D; ++b) {
      Q[b] = 0;
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
