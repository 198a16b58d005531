#pragma once

#include "kernels/exec/generic_scalar.h"
#include "kernels/fluid/block_sum.h"
#include "kernels/fluid/fold.h"
#include "kernels/fluid/reduce_blocks.h"
#include "kernels/thermal/matter.inl"
#include "kernels/thermal/shear.h"
#include "kernels/thermal/shear_stiffness.h"
#include "kernels/transfer/mac.h"

namespace firn {

// --- particles ---

template <int D, class Real>
struct MeasureStretch {
  static constexpr const char* kName = "measure_stretch";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kChunksPerGroup = 4;
  struct Scratch {};
  ConstitutiveUpdate<D, Real> laws;
  HeatView<Real> heat;
  Real* stretch;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for_each_pack_of<Real>(g, laws.particles.chunks, *laws.control, kChunksPerGroup,
                           [&](const auto& lanes) { measure(lanes); });
  }

  template <class Lanes>
  FIRN_HD void measure(const Lanes& lanes) const {
    using T = typename Lanes::Value;
    const std::uint32_t index = laws.particles.chunks[lanes.chunk].material;
    const MaterialParams<Real>& params = laws.materials[index];
    const Mat<T, D> F = laws.load_state(lanes, params.model).F;
    const T J = determinant(F);
    const Mat<T, D> V =
        symmetric_product(F * corotated_deviatoric::unimodular_scale<T, D>(J), polar_rotation(F));
    const auto row = [&](int k) {
      return channel_row(stretch, lanes.chunk, stretch_components<D>(), k);
    };
    int k = 0;
    for (int a = 0; a < D; ++a)
      for (int b = a; b < D; ++b) lanes.store(row(k++), V(a, b));
    const T volume = lanes.load(channel_row(laws.particles.volume, lanes.chunk, 1, 0));
    const auto liquid =
        lanes.load(channel_row(heat.state, lanes.chunk, kHeatComponents, 1)) > T(Real(0.5));
    const T mu = T(params.mu) * stiffness_of(heat, laws.particles, lanes, heat.materials[index]);
    lanes.store(row(k), select(liquid, T(Real(0)), volume * mu));
    lanes.store(row(k + 1), volume * J * T(params.viscosity));
  }
};

template <class Exec, int D, class Real>
void measure_stretch(Exec& exec, const MaterialParams<Real>* materials,
                     const ParticleView<Real>& particles, const HeatView<Real>& heat,
                     const ShearView<Real>& shear, std::uint32_t max_chunks, StepControl* control) {
  using Op = MeasureStretch<D, Real>;
  launch_groups(
      exec,
      {{nullptr, (max_chunks + Op::kChunksPerGroup - 1) / Op::kChunksPerGroup}, &control->stop},
      Op{{materials, particles, EnergyView{}, control}, heat, shear.stretch});
}

// f(place in the tile, gradient of the weight per cell) for every node of a stencil.
template <int Side, int Degree, class Real, class F>
FIRN_HD inline void for_each_node(const Stencil<2, Degree, Real>& s, F&& f) {
  constexpr int n = stencil_nodes(Degree);
  const auto &x = s.axis[0], &y = s.axis[1];
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) f(i * Side + j, Vec<Real, 2>{{x.dw[i] * y.w[j], x.w[i] * y.dw[j]}});
  }
}
template <int Side, int Degree, class Real, class F>
FIRN_HD inline void for_each_node(const Stencil<3, Degree, Real>& s, F&& f) {
  constexpr int n = stencil_nodes(Degree);
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Real across_x = x.dw[i] * y.w[j], across_y = x.w[i] * y.dw[j], along = x.w[i] * y.w[j];
      FIRN_UNROLL
      for (int k = 0; k < n; ++k)
        f((i * Side + j) * Side + k,
          Vec<Real, 3>{{across_x * z.w[k], across_y * z.w[k], along * z.dw[k]}});
    }
  }
}

// What the operators that go by way of the particles share.
template <int D, int Degree, class Real>
struct ShearParticles {
  using Tile = BlockTile<D, Degree + 1, Real, Real>;
  ParticleView<Real> particles;
  GridView<Real> grid;
  ShearView<Real> shear;
  const StepControl* control;

  FIRN_HD Vec<Real, D> position(std::uint32_t chunk, std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    return x;
  }
  FIRN_HD const Real* row(std::uint32_t chunk, int k) const {
    return channel_row(shear.stretch, chunk, stretch_components<D>(), k);
  }
  static constexpr int kModulus = symmetric_components(D), kViscosity = kModulus + 1;

  template <class Group>
  FIRN_HD void clear(Group& g, Tile& tile) const {
    g.for_each(Tile::kNodes, [&](std::uint32_t t) { tile.node[t] = Real(0); });
  }
  template <class Group>
  FIRN_HD void flush(Group& g, std::uint32_t block, int axis, const Tile& tile,
                     Real* channel) const {
    g.for_each(Tile::kNodes, [&](std::uint32_t t) {
      g.accumulate_global(channel[face_of(block, axis, t)], tile.node[t]);
    });
  }
  FIRN_HD std::uint64_t face_of(std::uint32_t block, int axis, std::uint32_t t) const {
    const TileNode<D, Tile::kSide> at(static_cast<int>(t));
    return face_index<D>(grid.corners[block * BlockTraits<D>::kCorners + at.corner], axis,
                         static_cast<std::uint32_t>(at.node));
  }
  template <class Group, class F>
  FIRN_HD void for_each_pack(Group& g, std::uint32_t block, F&& f) const {
    const Chunk* chunks = particles.chunks;
    g.template for_each_pack<Real>(
        grid.chunk_begin[block], grid.chunk_begin[block + 1],
        [=](std::uint32_t chunk) { return chunks[chunk].count; }, f);
  }
};

// out += H in.
template <int D, int Degree, class Real>
struct ApplyShear : ShearParticles<D, Degree, Real> {
  static constexpr const char* kName = "apply_shear";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tiles
  using Base = ShearParticles<D, Degree, Real>;
  using Base::grid, Base::shear;
  using Tile = typename Base::Tile;
  struct Scratch {
    Tile in[D], out[D];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    for (int a = 0; a < D; ++a) {
      g.for_each(Tile::kNodes, [&](std::uint32_t t) {
        g.scratch.in[a].node[t] = shear.in[Base::face_of(block, a, t)];
      });
      Base::clear(g, g.scratch.out[a]);
    }
    g.sync();
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    Base::for_each_pack(g, block, [&](const auto& lanes) { advance(g, home, lanes); });
    g.sync();
    for (int a = 0; a < D; ++a) Base::flush(g, block, a, g.scratch.out[a], shear.out);
  }

  template <class Group, class Lanes>
  FIRN_HD void advance(Group& g, const Vec<int, D>& home, const Lanes& lanes) const {
    typename Lanes::template Table<D * D> table;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      const Vec<Real, D> x = Base::position(lanes.chunk, lane);
      for (int a = 0; a < D; ++a) {
        const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, a);
        const int at = Tile::template index_of<D>(s.base, home);
        Real column[1 + D];
        gather_affine<Tile::kSide>(s, &AxisStencil<Degree, Real>::dw, g.scratch.in[a].node + at,
                                   column);
        for (int b = 0; b < D; ++b) table.at(a * D + b, i) = column[1 + b];
      }
    });
    stiffen(lanes, table);
    lanes.for_each_in_turn([](int, std::uint32_t) { return true; },
                           [&](int i, std::uint32_t lane, const auto& turns_at) {
                             const Vec<Real, D> x = Base::position(lanes.chunk, lane);
                             for (int a = 0; a < D; ++a) {
                               const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, a);
                               const int at = Tile::template index_of<D>(s.base, home);
                               const auto turns = turns_at(at);
                               Real along[D];
                               for (int b = 0; b < D; ++b) along[b] = table.at(a * D + b, i);
                               Real* out = g.scratch.out[a].node + at;
                               for_each_node<Tile::kSide>(
                                   s, [&](int place, const Vec<Real, D>& slope) {
                                     Real sum = 0;
                                     for (int b = 0; b < D; ++b) sum += slope[b] * along[b];
                                     turns.accumulate(out[place], sum);
                                   });
                             }
                           });
  }

  // From velocity differences (per cell) to V0 dP F^T, per cell too: both carry 1/dx.
  template <class Lanes, class Table>
  FIRN_HD void stiffen(const Lanes& lanes, Table& table) const {
    using T = typename Lanes::Value;
    const auto active = lanes.active();
    const auto load = [&](int k, Real otherwise) {
      return select(active, lanes.load(Base::row(lanes.chunk, k)), T(otherwise));
    };
    Mat<T, D> A, V;
    for (int i = 0; i < D * D; ++i) A(i / D, i % D) = select(active, table.get(i), T(Real(0)));
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) V(a, b) = V(b, a) = load(k, a == b ? Real(1) : Real(0));
    const T per_area = T(Real(2) * grid.inv_dx * grid.inv_dx);
    const T viscosity =
        load(Base::kViscosity, Real(0)) * T(Real(1) / static_cast<Real>(this->control->dt));
    const Mat<T, D> K = shear_stiffness(V, A) * (load(Base::kModulus, Real(0)) * per_area) +
                        symmetric_part(A) * (viscosity * per_area);
    for (int i = 0; i < D * D; ++i) table.set(i, K(i / D, i % D));
  }
};

// The diagonal of H where nothing is deformed: along axis a, mu V (|grad w|^2 + (1 - 2/d) (d_a
// w)^2).
template <int D, int Degree, class Real>
struct ShearDiagonal : ShearParticles<D, Degree, Real> {
  static constexpr const char* kName = "shear_diagonal";
  static constexpr int kThreads = kLanes;
  using Base = ShearParticles<D, Degree, Real>;
  using Base::grid, Base::shear;
  using Tile = typename Base::Tile;
  struct Scratch {
    Tile tile;
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    for (int axis = 0; axis < D; ++axis) {
      Base::clear(g, g.scratch.tile);
      g.sync();
      Base::for_each_pack(g, block, [&](const auto& lanes) {
        lanes.for_each_in_turn([](int, std::uint32_t) { return true; },
                               [&](int, std::uint32_t lane, const auto& turns_at) {
                                 contribute(g, axis, home, lanes.chunk, lane, turns_at);
                               });
      });
      g.sync();
      Base::flush(g, block, axis, g.scratch.tile, shear.diagonal);
      g.sync();
    }
  }

  template <class Group, class TurnsAt>
  FIRN_HD void contribute(Group& g, int axis, const Vec<int, D>& home, std::uint32_t chunk,
                          std::uint32_t lane, const TurnsAt& turns_at) const {
    const auto s = make_face_stencil<D, Degree>(Base::position(chunk, lane), grid.inv_dx, axis);
    const int at = Tile::template index_of<D>(s.base, home);
    const auto turns = turns_at(at);
    const Real per_area = grid.inv_dx * grid.inv_dx;
    const Real elastic = per_area * Base::row(chunk, Base::kModulus)[lane];
    const Real viscous =
        per_area * Base::row(chunk, Base::kViscosity)[lane] / static_cast<Real>(this->control->dt);
    Real* tile = g.scratch.tile.node + at;
    for_each_node<Tile::kSide>(s, [&](int place, const Vec<Real, D>& slope) {
      Real square = 0;
      for (int b = 0; b < D; ++b) square += slope[b] * slope[b];
      turns.accumulate(tile[place],
                       (elastic + viscous) * square +
                           (elastic * Real(1 - 2.0 / D) + viscous) * slope[axis] * slope[axis]);
    });
  }
};

// --- faces ---

template <int D, class Real>
struct KeepMasses {
  static constexpr const char* kName = "keep_masses";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      shear.mass[face] = mac.faces[face][kFaceMass];
    });
  }
};

template <class Exec, int D, class Real>
void keep_masses(Exec& exec, const MacView<Real>& mac, const ShearView<Real>& shear,
                 std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                KeepMasses<D, Real>{mac, shear});
}

struct StartShear {
  static constexpr const char* kName = "start_shear";
  SolveOptions options;
  const std::uint32_t* stop;
  ShearControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    ShearControl c;
    c.done = c.stopped = *stop != 0 ? 1 : 0;
    c.max_iterations = options.max_iterations;
    c.tolerance = options.relative;
    *control = c;
  }
};

// Closed faces that no material leaves move with their solid.
template <int D, class Real>
struct SetOut {
  static constexpr const char* kName = "set_out";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = shear.layers.mask(0) + face_word<D>(g.index(), 0);
    const std::uint32_t* opened = mac.opened + face_word<D>(g.index(), 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      const bool held = mac.area[face] == Real(0) && !test_bit(opened, i);
      if (held) mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceSolidVelocity]);
      if (held) shear.mass[face] = Real(0);
      shear.in[face] = test_bit(own, i) ? mac.faces[face][kFaceVelocity] : Real(0);
      shear.out[face] = shear.diagonal[face] = Real(0);
      shear.r1[face] = shear.w1[face] = shear.w2[face] = Real(0);
    });
  }
};

// Sums of a term of the faces of a block, which the caller has put in place cell by cell.
template <int D, class Group, class Term>
FIRN_HD inline void store_face_sum(Group& g, BlockSums& sums, Term&& term, double* out) {
  g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += term(face_index<D>(g.index(), a, cell));
    sums.term[cell] = sum;
  });
  for (std::uint32_t n = 32; n > 0; n /= 2) {
    g.sync();
    g.for_each(n, [&](std::uint32_t i) { sums.term[i] += sums.term[i + n]; });
  }
  g.sync();
  g.once([&] { *out = sums.term[0]; });
}

// The first residual. Partials: its norm, and that of the velocities, whose rounding is as much.
template <int D, class Real>
struct FirstResidual {
  static constexpr const char* kName = "first_residual";
  static constexpr int kThreads = 64;
  struct Scratch {
    BlockSums norm, size;
  };
  MacView<Real> mac;
  ShearView<Real> shear;
  std::uint32_t max_blocks;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = shear.layers.mask(0) + face_word<D>(g.index(), 0);
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const std::uint64_t first = face_index<D>(g.index(), 0, 0);
    const auto residual = [&](std::uint64_t face) {
      const bool solved =
          test_bit(own, static_cast<std::uint32_t>(face - first)) && shear.mass[face] > Real(0);
      const Real diagonal = solved ? shear.mass[face] + dt2 * shear.diagonal[face] : Real(0);
      shear.diagonal[face] = diagonal;
      shear.r2[face] = solved ? -dt2 * shear.out[face] : Real(0);
      return solved ? square(shear.r2[face]) / static_cast<double>(diagonal) : 0;
    };
    store_face_sum<D>(g, g.scratch.norm, residual, shear.partials + g.index());
    const auto size = [&](std::uint64_t face) {
      return static_cast<double>(shear.diagonal[face]) * square(shear.in[face]);
    };
    store_face_sum<D>(g, g.scratch.size, size, shear.partials + max_blocks + g.index());
  }
  FIRN_HD static double square(Real v) { return static_cast<double>(v) * static_cast<double>(v); }
};

struct FinishFirst {
  static constexpr const char* kName = "finish_first";
  static constexpr int kColumns = 2;
  static constexpr bool kMaximum = false;
  double epsilon;
  FIRN_HD void operator()(ShearControl& c, const double* v) const {
    c.beta = c.initial = c.residual = c.phibar = sqrt(v[0]);
    const double rounding = 4 * epsilon * sqrt(v[1]);
    c.tolerance = c.tolerance * c.initial > rounding ? c.tolerance * c.initial : rounding;
    if (!(v[0] <= kLargest<double>)) c.failed = c.done = 1;
    if (c.initial <= c.tolerance) c.done = 1;
  }
};

// Ends the iteration before: x += phi w. Begins the next: in = v = r2 / (diagonal beta).
template <int D, class Real>
struct NextDirection {
  static constexpr const char* kName = "next_direction";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const ShearControl c = *shear.control;
    const Real epsilon = static_cast<Real>(c.previous_epsilon), delta = static_cast<Real>(c.delta),
               inverse_gamma = static_cast<Real>(1 / c.gamma), phi = static_cast<Real>(c.phi),
               inverse_beta = static_cast<Real>(c.beta > 0 ? 1 / c.beta : 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      shear.out[face] = Real(0);
      const Real diagonal = shear.diagonal[face];
      if (!(diagonal > Real(0))) return shear.in[face] = Real(0), void();
      if (c.iterations > 0) {
        const Real w =
            (shear.in[face] - epsilon * shear.w1[face] - delta * shear.w2[face]) * inverse_gamma;
        shear.w1[face] = shear.w2[face];
        shear.w2[face] = w;
        mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceVelocity] + phi * w);
      }
      shear.in[face] = shear.r2[face] / diagonal * inverse_beta;
    });
  }
};

struct CloseShear {
  static constexpr const char* kName = "close_shear";
  ShearControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    ShearControl& c = *control;
    if (c.iterations == 0) return;
    if (c.residual <= c.tolerance) c.done = 1;
    if (c.done == 0 && c.iterations >= c.max_iterations) c.failed = c.done = 1;
  }
};

// out = A v - (beta / previous beta) r1. Partials: <v, out>.
template <int D, class Real>
struct ShearProduct {
  static constexpr const char* kName = "shear_product";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  ShearView<Real> shear;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const ShearControl& c = *shear.control;
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const Real ratio = static_cast<Real>(c.iterations > 0 ? c.beta / c.previous_beta : 0);
    const auto product = [&](std::uint64_t face) {
      if (!(shear.diagonal[face] > Real(0))) return 0.0;
      const Real y =
          shear.mass[face] * shear.in[face] + dt2 * shear.out[face] - ratio * shear.r1[face];
      shear.out[face] = y;
      return static_cast<double>(y) * static_cast<double>(shear.in[face]);
    };
    store_face_sum<D>(g, g.scratch, product, shear.partials + g.index());
  }
};

struct FinishAlpha {
  static constexpr const char* kName = "finish_alpha";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(ShearControl& c, const double* v) const { c.alpha = v[0]; }
};

// The Lanczos vectors move on. Partials: <r2, r2 / diagonal>.
template <int D, class Real>
struct NextResidual {
  static constexpr const char* kName = "next_residual";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real ratio = static_cast<Real>(shear.control->alpha / shear.control->beta);
    const auto norm = [&](std::uint64_t face) {
      if (!(shear.diagonal[face] > Real(0))) return 0.0;
      const Real y = shear.out[face] - ratio * shear.r2[face];
      shear.r1[face] = shear.r2[face];
      shear.r2[face] = y;
      return static_cast<double>(y) * static_cast<double>(y / shear.diagonal[face]);
    };
    store_face_sum<D>(g, g.scratch, norm, shear.partials + g.index());
  }
};

// The plane rotations that keep the residual least.
struct FinishRotation {
  static constexpr const char* kName = "finish_rotation";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(ShearControl& c, const double* v) const {
    c.previous_beta = c.beta;
    c.beta = sqrt(v[0]);
    c.previous_epsilon = c.epsilon;
    c.delta = c.cs * c.dbar + c.sn * c.alpha;
    const double gbar = c.sn * c.dbar - c.cs * c.alpha;
    c.epsilon = c.sn * c.beta;
    c.dbar = -c.cs * c.beta;
    c.gamma = sqrt(gbar * gbar + c.beta * c.beta);
    ++c.iterations;
    if (!(c.gamma > 0) || !(c.gamma <= kLargest<double>)) {
      c.failed = c.done = 1;
      return;
    }
    c.cs = gbar / c.gamma;
    c.sn = c.beta / c.gamma;
    c.phi = c.cs * c.phibar;
    c.phibar = c.sn * c.phibar;
    c.residual = c.phibar;
  }
};

// --- the solve ---

template <class Exec, int D, class Real>
void apply_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                 const GridView<Real>& grid, const MacView<Real>& mac, const ShearView<Real>& shear,
                 std::uint32_t max_blocks, const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  extend_channel<Exec, D, Real>(exec, shear.layers, mac, shear.in, blocks);
  const auto apply = [&](auto n) {
    launch_coloured(exec, {{nullptr, max_blocks}, blocks.stop}, grid.colour_begin,
                    BlockTraits<D>::kCorners,
                    ApplyShear<D, decltype(n)::value, Real>{{particles, grid, shear, control}});
  };
  if (degree == 2) apply(std::integral_constant<int, 2>{});
  if (degree == 3) apply(std::integral_constant<int, 3>{});
  fold_channel<Exec, D, Real>(exec, shear.layers, mac, shear.out, blocks);
}

template <class Exec, int D, class Real>
void begin_shear(Exec& exec, int degree, const SolveOptions& options,
                 const ParticleView<Real>& particles, const GridView<Real>& grid,
                 const MacView<Real>& mac, const ShearView<Real>& shear, std::uint32_t max_blocks,
                 const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  launch_items(exec, {{nullptr, 1}, nullptr}, StartShear{options, &control->stop, shear.control});
  launch_groups(exec, blocks, SetOut<D, Real>{mac, shear});
  const auto diagonal = [&](auto n) {
    launch_coloured(exec, {{nullptr, max_blocks}, blocks.stop}, grid.colour_begin,
                    BlockTraits<D>::kCorners,
                    ShearDiagonal<D, decltype(n)::value, Real>{{particles, grid, shear, control}});
  };
  if (degree == 2) diagonal(std::integral_constant<int, 2>{});
  if (degree == 3) diagonal(std::integral_constant<int, 3>{});
  fold_diagonal<Exec, D, Real>(exec, shear.layers, mac, shear.diagonal, blocks);
  apply_shear<Exec, D, Real>(exec, degree, particles, grid, mac, shear, max_blocks, control);
  launch_groups(exec, blocks, FirstResidual<D, Real>{mac, shear, max_blocks, control});
  reduce_blocks(exec, FinishFirst{kEpsilon<Real>}, shear.partials, max_blocks, max_blocks,
                shear.control, blocks.stop);
}

template <class Exec, int D, class Real>
void iterate_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                   const GridView<Real>& grid, const MacView<Real>& mac,
                   const ShearView<Real>& shear, std::uint32_t max_blocks,
                   const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  launch_groups(exec, blocks, NextDirection<D, Real>{mac, shear});
  launch_items(exec, {{nullptr, 1}, blocks.stop}, CloseShear{shear.control});
  apply_shear<Exec, D, Real>(exec, degree, particles, grid, mac, shear, max_blocks, control);
  launch_groups(exec, blocks, ShearProduct<D, Real>{shear, control});
  reduce_blocks(exec, FinishAlpha{}, shear.partials, max_blocks, max_blocks, shear.control,
                blocks.stop);
  launch_groups(exec, blocks, NextResidual<D, Real>{shear});
  reduce_blocks(exec, FinishRotation{}, shear.partials, max_blocks, max_blocks, shear.control,
                blocks.stop);
}

}  // namespace firn
