// The parts of system.h that go by way of the particles.
#pragma once

#include "kernels/implicit/images.h"
#include "kernels/implicit/particles.h"

namespace firn {

template <int D, int Degree, class Real>
struct EvaluateParticles : ImplicitParticles<D, Degree, Real> {
  static constexpr const char* kName = "evaluate_particles";
  using Base = ImplicitParticles<D, Degree, Real>;
  using Base::problem;
  using typename Base::Tile;
  struct Scratch {
    Tile velocity, impulse;
    double energy;
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = problem.grid;
    const std::uint32_t block = grid.coloured[g.index()];
    load_tile(g, g.scratch.velocity, grid, block, node_layer(problem.view.trial));
    clear_tile(g, g.scratch.impulse);
    g.once([&] { g.scratch.energy = 0; });
    g.sync();
    const Vec<int, D> home = Base::home_of(block);
    for_each_pack_in(g, block, grid, problem.particles, [&](const auto& lanes) {
      typename std::remove_cvref_t<decltype(lanes)>::template Table<D * D> table;
      Base::gather(lanes, home, g.scratch.velocity, table);
      respond(g, lanes, table);
      Base::scatter(lanes, home, table, g.scratch.impulse);
    });
    g.sync();
    flush_tile(g, g.scratch.impulse, grid, block, node_layer(problem.view.gradient));
    g.once([&] {
      problem.view.partials[kParticleColumn * std::uint64_t{problem.max_blocks} + block] =
          g.scratch.energy;
    });
  }

  // From velocity gradients to dt V0 P F^T, and the stiffness into memory.
  template <class Group, class Lanes, class Table>
  FIRN_APART FIRN_HD void respond(Group& g, const Lanes& lanes, Table& table) const {
    using T = typename Lanes::Value;
    const MaterialParams<Real>& params =
        problem.materials[problem.particles.chunks[lanes.chunk].material];
    const ConstitutiveUpdate<D, Real> laws{problem.materials, problem.particles, EnergyView{},
                                           nullptr};
    const Real dt = static_cast<Real>(problem.control->dt);
    const Mat<T, D> trial = Base::active_matrix(lanes, table);
    const Mat<T, D> A = problem.at_rest ? Mat<T, D>::zero() : trial, growth = A * T(dt);
    const bool lags = problem.at_rest && lags_behind(params.model);

    auto state = laws.load_state(lanes, params);
    Mat<T, D> before = state.F, F;
    T J = T(1);
    if (has_deformation(params.model)) {
      const Mat<T, D> H = laws.load_displacement(lanes);
      F = Mat<T, D>::identity() + (H + (growth + growth * H));
      if (params.viscosity > Real(0)) J = volume_ratio(params.model, before, state.history);
    } else {  // any F of this volume does
      J = kept_volume<D>(params.model, state.history);
      before = deformation_of_volume<D>(J);
      F = before + growth * before;
    }
    const Svd<T, D> s = svd(F);
    // Flow that takes time is part of any solve: without it a step would know only the stress of
    // one that is short beside the material's time, however long it is.
    state.dt = dt;
    const bool flows = problem.flows || relaxes(params.model);
    const PrincipalStress<T, D> law =
        lags ? lagging_stress(params, state, s.sigma, svd(F + shear_in_step(trial, dt) * F).sigma)
        : flows ? flowing_stress(params, state, s.sigma)
                : principal_stress(params, state, s.sigma);

    const T volume =
        select(lanes.active(), lanes.load(channel_row(problem.particles.volume, lanes.chunk, 1, 0)),
               T(Real(0)));
    const Mat<T, D> along = before * s.V;  // F V of what the increment starts from
    Mat<T, D> stress = s.U;
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b) stress(a, b) = stress(a, b) * law.P[b];
    stress = (stress * transpose(along)) * (volume * T(dt));
    T energy = volume * law.psi;
    const T viscous = volume * J * T(params.viscosity * dt);
    if (params.viscosity > Real(0)) {
      const Mat<T, D> rate = symmetric_part(A);
      stress += rate * (T(2) * viscous);
      energy = energy + viscous * contract(rate, rate);
    }
    if (Base::is_damped(lanes.chunk)) {
      const Mat<T, D> damping = Base::damping_of(lanes).response(A);
      stress += damping;
      energy = energy + T(Real(0.5)) * contract(A, damping);
    }
    // In an empty lane the sum must not become what nobody's state is.
    const Real sum = lanes.sum(energy);
    lanes.once([&] { g.scratch.energy += static_cast<double>(sum); });
    PrincipalStiffness<T, D> k = PrincipalStiffness<T, D>::of(law);
    if (problem.semidefinite) make_semidefinite(k);
    store(lanes, s.U, along, k, volume * T(dt * dt), viscous);
    Base::put(table, stress, Base::node_scale());
  }
  // The shear that the velocity gradient A makes, bounded so that no F is inverted by it.
  template <class T>
  FIRN_HD static Mat<T, D> shear_in_step(const Mat<T, D>& A, Real dt) {
    constexpr Real kMost = Real(0.5);
    Mat<T, D> shear = symmetric_part(A) * T(dt);
    const T mean = trace(shear) * T(Real(1) / D);
    for (int a = 0; a < D; ++a) shear(a, a) = shear(a, a) - mean;
    return shear * (T(kMost) / max(spectral_bound(shear), T(kMost)));
  }

  template <class Lanes, class T>
  FIRN_HD void store(const Lanes& lanes, const Mat<T, D>& U, const Mat<T, D>& along,
                     const PrincipalStiffness<T, D>& stiffness, const T& scale,
                     const T& viscous) const {
    int k = 0;
    const auto keep = [&](const T& value) { lanes.store(Base::row(lanes.chunk, k++), value); };
    for (int i = 0; i < D * D; ++i) keep(U(i / D, i % D));
    for (int i = 0; i < D * D; ++i) keep(along(i / D, i % D));
    for (int a = 0; a < D; ++a)
      for (int b = a; b < D; ++b) keep(stiffness.stretch(a, b) * scale);
    for (const T& value : stiffness.shear) keep(value * scale);
    for (const T& value : stiffness.spin) keep(value * scale);
    keep(viscous);
  }
};

template <int D, int Degree, class Real>
struct ApplyStiffness : ImplicitParticles<D, Degree, Real> {
  static constexpr const char* kName = "apply_stiffness";
  using Base = ImplicitParticles<D, Degree, Real>;
  using Base::problem;
  using typename Base::Tile;
  struct Scratch {
    Tile in, out;
  };
  const Real* in;
  Real* out;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = problem.grid;
    const std::uint32_t block = grid.coloured[g.index()];
    load_tile(g, g.scratch.in, grid, block, node_layer(const_cast<Real*>(in)));
    clear_tile(g, g.scratch.out);
    g.sync();
    const Vec<int, D> home = Base::home_of(block);
    for_each_pack_in(g, block, grid, problem.particles, [&](const auto& lanes) {
      typename std::remove_cvref_t<decltype(lanes)>::template Table<D * D> table;
      Base::gather(lanes, home, g.scratch.in, table);
      stiffen(lanes, table);
      Base::scatter(lanes, home, table, g.scratch.out);
    });
    g.sync();
    flush_tile(g, g.scratch.out, grid, block, node_layer(out));
  }

  template <class Lanes, class Table>
  FIRN_HD void stiffen(const Lanes& lanes, Table& table) const {
    using T = typename Lanes::Value;
    const Mat<T, D> A = Base::active_matrix(lanes, table);
    const auto active = lanes.active();
    const auto s = StoredStiffness<T, D>::of(
        [&](int k) { return select(active, lanes.load(Base::row(lanes.chunk, k)), T(Real(0))); });
    Mat<T, D> stress = s.response(A);
    if (Base::is_damped(lanes.chunk)) stress += Base::damping_of(lanes).response(A);
    Base::put(table, stress, Base::node_scale());
  }
};

// Adds the blocks of H that belong to single nodes.
template <int D, int Degree, class Real>
struct AddBlocks : ImplicitParticles<D, Degree, Real> {
  static constexpr const char* kName = "add_blocks";
  using Base = ImplicitParticles<D, Degree, Real>;
  using Base::problem;
  using typename Base::Tile;
  struct Scratch {
    Tile half[2];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = problem.grid;
    const std::uint32_t block = grid.coloured[g.index()];
    for (Tile& tile : g.scratch.half) clear_tile(g, tile);
    g.sync();
    const Vec<int, D> home = Base::home_of(block);
    for_each_pack_in(g, block, grid, problem.particles, [&](const auto& lanes) {
      lanes.for_each_in_turn([](int, std::uint32_t) { return true; },
                             [&](int, std::uint32_t lane, const auto& turns_at) {
                               add(g.scratch.half, home, lanes.chunk, lane, turns_at);
                             });
    });
    g.sync();
    for (int h = 0; h < 2; ++h)
      flush_tile(g, g.scratch.half[h], grid, block,
                 // the two Nodes of a node lie side by side
                 NodePairs{reinterpret_cast<Node<Real>*>(problem.view.inverse), h});
  }

  // A channel with two Nodes for each node.
  struct NodePairs {
    Node<Real>* channel;
    int half;
  };
  template <class Group>
  FIRN_HD static void flush_tile(Group& g, const Tile& tile, const GridView<Real>& grid,
                                 std::uint32_t block, const NodePairs& to) {
    g.for_each(Tile::kNodes, [&](std::uint32_t t) {
      const TileNode<D, Tile::kSide> at(static_cast<int>(t));
      const std::uint64_t rank = grid.corners[block * BlockTraits<D>::kCorners + at.corner];
      const std::uint64_t node = rank * BlockTraits<D>::kNodes + at.node;
      g.accumulate_global(to.channel[2 * node + to.half], tile.node[t]);
    });
  }

  // Deformations are known to an epsilon of 1, so stresses to one of this.
  FIRN_HD static Real largest(const PrincipalStiffness<Real, D>& k) {
    Real most = 0;
    for (int a = 0; a < D; ++a) most = max(most, k.stretch(a, a));
    for (const Real& value : k.shear) most = max(most, value);
    for (const Real& value : k.spin) most = max(most, value);
    return most;
  }
  FIRN_HD static Real square(Real v) { return v * v; }

  template <class TurnsAt>
  FIRN_HD void add(Tile (&half)[2], const Vec<int, D>& home, std::uint32_t chunk,
                   std::uint32_t lane, const TurnsAt& turns_at) const {
    const auto s = make_stencil<D, Degree>(Base::position(chunk, lane), problem.grid.inv_dx);
    const int at = Tile::template index_of<D>(s.base, home);
    const auto turns = turns_at(at);
    auto p = StoredStiffness<Real, D>::of([&](int k) { return Base::row(chunk, k)[lane]; });
    if (!problem.semidefinite) make_semidefinite(p.k);  // what these are for must be positive
    const bool damped = Base::is_damped(chunk);
    DampingTensor<Real, D> damping{};
    if (damped) damping = Base::damping_of(chunk, lane);
    const Mat<Real, D> Wt = transpose(p.along);
    const bool gradient = problem.transfer.gradient_force;
    const Real scale = Base::node_scale(),
               rounding =
                   square(kEpsilon<Real> * largest(p.k) / static_cast<Real>(problem.control->dt));
    struct Slope {
      Real w;
      Vec<Real, D> slope;
    };
    walk_stencil<1, Tile::kSide>(
        s, Slope{},
        [&](auto axis, int i, const Slope& above) {
          constexpr int a = axis();
          const Real w = s.axis[a].w[i], own = gradient ? s.axis[a].dw[i] : w * s.axis[a].z[i];
          Slope made{weight_below<a>(s, i, above), {}};
          for (int b = 0; b < a; ++b) made.slope[b] = above.slope[b] * w;
          made.slope[a] = a == 0 ? own : above.w * own;
          return made;
        },
        [&](int place, const Slope& made) {
          const Vec<Real, D> slope = scale * made.slope;
          Mat<Real, D> B = p.U * p.k.at_node(Wt * slope) * transpose(p.U);
          if (damped) B += damping.at_node(slope);
          const Real resisted = p.viscous * dot(slope, slope);
          Node<Real> first = Node<Real>::zero(), second = Node<Real>::zero();
          int n = 0;
          for (int a = 0; a < D; ++a)
            for (int b = a; b < D; ++b, ++n)
              (n < 4 ? first : second)
                  .set(n % 4,
                       B(a, b) + p.viscous * slope[a] * slope[b] + (a == b ? resisted : Real(0)));
          (D == 2 ? first : second).set(3, rounding * dot(slope, slope));
          turns.accumulate(half[0].node[at + place], first);
          if constexpr (D == 3) turns.accumulate(half[1].node[at + place], second);
        });
  }
};

template <class Exec, int D, class Real>
void evaluate_particles(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeVectors trial) {
  mirror_nodes(exec, problem, trial, problem.view.trial);
  for_degree(problem.transfer.degree, [&](auto degree) {
    launch_over_particles(exec, problem,
                          EvaluateParticles<D, decltype(degree)::value, Real>{{problem}});
  });
  fold_nodes(exec, problem, problem.view.gradient, problem.view.trial, true);
}

template <class Exec, int D, class Real>
void apply_stiffness(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeVectors kind,
                     Real* in, Real* out) {
  mirror_nodes(exec, problem, kind, in);
  for_degree(problem.transfer.degree, [&](auto degree) {
    launch_over_particles(exec, problem,
                          ApplyStiffness<D, decltype(degree)::value, Real>{{problem}, in, out});
  });
  fold_nodes(exec, problem, out, in, false);
}

template <class Exec, int D, class Real>
void add_blocks(Exec& exec, const ImplicitProblem<Real, D>& problem) {
  for_degree(problem.transfer.degree, [&](auto degree) {
    launch_over_particles(exec, problem, AddBlocks<D, decltype(degree)::value, Real>{{problem}});
  });
}

}  // namespace firn
