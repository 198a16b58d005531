// The part of deviatoric.h that goes by way of the particles: their stretches, and the operator H.
#pragma once

#include "kernels/math/generic_scalar.h"
#include "kernels/stress/deviatoric.h"
#include "kernels/stress/deviatoric_stiffness.h"
#include "kernels/stress/volumetric.inl"
#include "kernels/transfer/mac.h"

namespace firn {

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
    const Mat<T, D> F = laws.load_state(lanes, params).F;
    const T J = determinant(F);
    const Mat<T, D> V =
        symmetric_product(F * CorotatedDeviatoric::unimodular_scale<T, D>(J), polar_rotation(F));
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
                     const DeviatoricView<Real>& view, std::uint32_t max_chunks,
                     StepControl* control) {
  using Op = MeasureStretch<D, Real>;
  launch_groups(
      exec,
      {{nullptr, (max_chunks + Op::kChunksPerGroup - 1) / Op::kChunksPerGroup}, &control->stop},
      Op{{materials, particles, EnergyView{}, control}, heat, view.stretch});
}

template <int D, class Real>
struct MeasureViscosity {
  static constexpr const char* kName = "measure_viscosity";
  static constexpr int kThreads = 128;
  struct Scratch {};
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;
  const MaterialParams<Real>* materials;
  Real* viscosity;  // [chunk][lane]

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    g.for_each(end - first, [&](std::uint32_t i) {
      const std::uint32_t slot = first + i;
      const Chunk& chunk = particles.chunks[slot / kLanes];
      if (slot % kLanes >= chunk.count) return;
      Vec<int, D> local;
      for (int a = 0; a < D; ++a)
        local[a] = axis_base(channel_at(particles.x, slot, D, a), grid.inv_dx, Real(0)).node -
                   home[a] * BlockTraits<D>::kSide;
      channel_at(viscosity, slot, 1, 0) =
          is_reached(block, local)
              ? channel_at(particles.volume, slot, 1, 0) * materials[chunk.material].viscosity
              : Real(0);
    });
  }
  FIRN_HD bool is_reached(std::uint32_t block, const Vec<int, D>& local) const {
    if (is_fluid(mac, cell_address<D>(mac, block, local))) return true;
    for (int a = 0; a < D; ++a)
      for (int by = -1; by <= 1; by += 2)
        if (is_fluid(mac, cell_address<D>(mac, block, stepped<D>(local, a, by)))) return true;
    return false;
  }
};

template <class Exec, int D, class Real>
void measure_viscosity(Exec& exec, const MaterialParams<Real>* materials,
                       const DeviatoricProblem<Real>& p) {
  launch_groups(exec,
                {{p.grid.colour_begin + BlockTraits<D>::kCorners, p.max_blocks}, &p.control->stop},
                MeasureViscosity<D, Real>{p.particles, p.grid, p.mac, materials, p.view.stretch});
}

// f(place in the tile, gradient of the weight per cell) for every node of a stencil.
template <int Side, int D, int Degree, class Real, class F>
FIRN_HD inline void for_each_node(const Stencil<D, Degree, Real>& s, F&& f) {
  struct Gradient {
    Real w;
    Vec<Real, D> slope;
  };
  walk_stencil<unrolled_nodes<Degree, Real>(), Side>(
      s, Gradient{},
      [&](auto axis, int i, const Gradient& above) {
        constexpr int a = axis();
        Gradient made{weight_below<a>(s, i, above), {}};
        for (int b = 0; b < a; ++b) made.slope[b] = above.slope[b] * s.axis[a].w[i];
        made.slope[a] = a == 0 ? s.axis[a].dw[i] : above.w * s.axis[a].dw[i];
        return made;
      },
      [&](int at, const Gradient& made) { f(at, made.slope); });
}

// Of V0 dP F^T for the differences A of velocities, 1 / dx of which is their gradient: both carry
// 1 / dx. Of particles with stretches.
template <int D, class Real>
struct StretchedStiffness {
  static constexpr int kModulus = symmetric_components(D), kViscosity = kModulus + 1;
  const Real* stretch;

  template <class Lanes, class T>
  FIRN_HD Mat<T, D> operator()(const Lanes& lanes, const Mat<T, D>& A, Real inv_dt) const {
    const auto active = lanes.active();
    const auto load = [&](int k, Real otherwise) {
      return select(active,
                    lanes.load(channel_row(stretch, lanes.chunk, stretch_components<D>(), k)),
                    T(otherwise));
    };
    Mat<T, D> V;
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) V(a, b) = V(b, a) = load(k, a == b ? Real(1) : Real(0));
    return deviatoric_differential(V, A) * load(kModulus, Real(0)) +
           symmetric_part(A) * (load(kViscosity, Real(0)) * T(inv_dt));
  }
};
template <int D, class Real>
struct LiquidStiffness {
  const Real* viscosity;  // [chunk][lane]

  template <class Lanes, class T>
  FIRN_HD Mat<T, D> operator()(const Lanes& lanes, const Mat<T, D>& A, Real inv_dt) const {
    const T own = lanes.load(channel_row(viscosity, lanes.chunk, 1, 0));
    return symmetric_part(A) * (select(lanes.active(), own, T(Real(0))) * T(inv_dt));
  }
};

// out += H in.
template <int D, int Degree, class Real, class Stiffness>
struct ApplyDeviatoric {
  static constexpr const char* kName = "apply_deviatoric";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tiles
  using Tile = BlockTile<D, Degree + 1, Real, Real>;
  struct Scratch {
    Tile in[D], out[D];
  };
  ParticleView<Real> particles;
  GridView<Real> grid;
  Stiffness stiffness;
  const StepControl* control;
  const Real* in;
  Real* out;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    for (int a = 0; a < D; ++a) {
      load_tile(g, g.scratch.in[a], grid, block, GridLayer<const Real>{in, D, a});
      clear_tile(g, g.scratch.out[a]);
    }
    g.sync();
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    for_each_pack_in(g, block, grid, particles,
                     [&](const auto& lanes) { advance(g, home, lanes); });
    g.sync();
    for (int a = 0; a < D; ++a)
      flush_tile(g, g.scratch.out[a], grid, block, GridLayer<Real>{out, D, a});
  }

  FIRN_HD Vec<Real, D> position(std::uint32_t chunk, std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = channel_row(particles.x, chunk, D, a)[lane];
    return x;
  }
  template <class Group, class Lanes>
  FIRN_HD void advance(Group& g, const Vec<int, D>& home, const Lanes& lanes) const {
    typename Lanes::template Table<D * D> table;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      const Vec<Real, D> x = position(lanes.chunk, lane);
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
                             const Vec<Real, D> x = position(lanes.chunk, lane);
                             for (int a = 0; a < D; ++a) {
                               const auto s = make_face_stencil<D, Degree>(x, grid.inv_dx, a);
                               const int at = Tile::template index_of<D>(s.base, home);
                               Real along[D];
                               for (int b = 0; b < D; ++b) along[b] = table.at(a * D + b, i);
                               Real* first = g.scratch.out[a].node + at;
                               turns_at(at).take([&](const auto& turn) {
                                 for_each_node<Tile::kSide>(
                                     s, [&](int place, const Vec<Real, D>& slope) {
                                       Real sum = 0;
                                       for (int b = 0; b < D; ++b) sum += slope[b] * along[b];
                                       turn.accumulate(first[place], sum);
                                     });
                               });
                             }
                           });
  }

  template <class Lanes, class Table>
  FIRN_HD void stiffen(const Lanes& lanes, Table& table) const {
    using T = typename Lanes::Value;
    Mat<T, D> A;
    for (int i = 0; i < D * D; ++i)
      A(i / D, i % D) = select(lanes.active(), table.get(i), T(Real(0)));
    const Mat<T, D> K = stiffness(lanes, A, Real(1) / static_cast<Real>(control->dt)) *
                        T(Real(2) * grid.inv_dx * grid.inv_dx);
    for (int i = 0; i < D * D; ++i) table.set(i, K(i / D, i % D));
  }
};

}  // namespace firn
