#pragma once

#include "kernels/materials/constitutive.h"
#include "kernels/materials/material.h"

namespace firn {

// The largest wave modulus of a warp's particles of one material so far, Pa. Most warps meet one
// material only, and what all of them tell is asked for once.
template <class T>
struct StiffestSoFar {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t material = kNone;
  T wave_modulus = T(Scalar<T>(0));
};

// What the step does to the particles of a pack.
template <int D, class Real>
struct ConstitutiveUpdate {
  const MaterialParams<Real>* materials;
  ParticleView<Real> particles;
  EnergyView energies;
  StepControl* control;

  // Advances F and the plastic state by a step of dt with the velocity gradient; returns V0 tau, J.
  template <class Group, class Lanes, class T = typename Lanes::Value>
  FIRN_APART FIRN_HD Mat<T, D> advance(Group& g, const Lanes& lanes, const Mat<T, D>& grad_v,
                                       Real dt, StiffestSoFar<T>& stiffest) const {
    const std::uint32_t material = particles.chunks[lanes.chunk].material;
    const MaterialParams<Real>& params = materials[material];
    const Mat<T, D> growth = update_increment(grad_v, dt);

    MaterialState<T, D> state;
    state.dt = dt;
    load_history(lanes, params, state.history);
    if (has_deformation(params.model)) {
      // (I + growth) (I + H) - I, without the two I that would swallow small strains.
      Mat<T, D> H = load_displacement(lanes);
      H = H + (growth + growth * H);
      store_displacement(lanes, H);
      state.F = Mat<T, D>::identity() + H;
    } else {
      state.F = Mat<T, D>::identity();
      const T flow = determinant_growth(growth);
      state.history[0] = state.history[0] + (flow + flow * state.history[0]);
    }
    const auto active = lanes.active();
    T trial = T(0);
    if (energies.trial != nullptr) trial = elastic_energy(params, state);
    if (relaxes(params.model)) relax(lanes, params, state);
    Response<T, D> response = respond(params, state);
    if (params.viscosity > Real(0)) add_viscosity(params, state, grad_v, response.tau);

    report_faults(g, lanes, params, state, response);
    if (changes_deformation(params.model)) store_flow(lanes, state.F);
    store_history(lanes, params, state.history);
    const T volume = lanes.load(channel_row(particles.volume, lanes.chunk, 1, 0));
    if (material != stiffest.material) {
      tell<Lanes>(g, stiffest);
      stiffest = {material, T(0)};
    }
    stiffest.wave_modulus = max(stiffest.wave_modulus, select(active, response.wave_modulus, T(0)));
    const Real elastic = energies.elastic != nullptr ? lanes.sum(volume * response.psi) : Real(0);
    const Real before = energies.trial != nullptr ? lanes.sum(volume * trial) : Real(0);
    const auto keep = [&](std::uint32_t pack, Real after_flow, Real before_flow) {
      const std::uint32_t place = pack - control->first_chunk * Lanes::kPacksPerChunk;
      if (energies.elastic != nullptr) energies.elastic[place] = after_flow;
      if (energies.trial != nullptr) energies.trial[place] = before_flow;
    };
    lanes.once([&] { keep(lanes.pack_index(), elastic, before); });
    // What an earlier layout left in the places of empty packs would be summed with the rest.
    lanes.for_empty_packs([&](std::uint32_t pack) { keep(pack, 0, 0); });
    return response.tau * volume;
  }

  template <class Lanes, class Group, class T>
  FIRN_HD void tell(Group& g, const StiffestSoFar<T>& stiffest) const {
    const std::uint32_t material = stiffest.material;
    if (material == StiffestSoFar<T>::kNone) return;
    Lanes::with_largest(stiffest.wave_modulus, [&](Real wave) {
      g.atomic_max(control->wave_squared[material],
                   static_cast<double>(wave / materials[material].density));
    });
  }

  template <class Lanes, class T>
  FIRN_HD void store_stress(const Lanes& lanes, const Mat<T, D>& stress) const {
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k)
        lanes.store(channel_row(particles.stress, lanes.chunk, symmetric_components(D), k),
                    stress(a, b));
  }

  // R(dt grad v) - I: M, or (I + M/2)^2 - I where I + M would turn the material inside out.
  // [T 6.4.9]
  template <class T>
  FIRN_HD Mat<T, D> update_increment(const Mat<T, D>& grad_v, Real dt) const {
    Mat<T, D> M = grad_v * T(dt);
    const auto folds = !(determinant(Mat<T, D>::identity() + M) > T(0));
    if (any(folds)) {
      const Mat<T, D> half = M * T(Real(0.5)), squared = M + half * half;
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) M(i, j) = select(folds, squared(i, j), M(i, j));
    }
    return M;
  }
  template <class T>
  FIRN_HD Mat<T, D> update_matrix(const Mat<T, D>& grad_v) const {
    return Mat<T, D>::identity() + update_increment(grad_v, static_cast<Real>(control->dt));
  }

  // Lanes without a particle get the rest state, so that no law sees what an old particle left
  // there.
  template <class Lanes>
  FIRN_HD auto load_state(const Lanes& lanes, const MaterialParams<Real>& params) const {
    using T = typename Lanes::Value;
    MaterialState<T, D> state;
    state.F = Mat<T, D>::identity();
    if (has_deformation(params.model)) state.F = state.F + load_displacement(lanes);
    load_history(lanes, params, state.history);
    return state;
  }
  template <class Lanes, class T>
  FIRN_HD void store_state(const Lanes& lanes, const MaterialParams<Real>& params,
                           const MaterialState<T, D>& state) const {
    if (has_deformation(params.model)) store_displacement(lanes, state.F - Mat<T, D>::identity());
    store_history(lanes, params, state.history);
  }
  // What a law has made of F. Where it left F alone, F - I stays as it is, with all its digits.
  template <class Lanes, class T>
  FIRN_HD void store_flow(const Lanes& lanes, const Mat<T, D>& F) const {
    for (int i = 0; i < D * D; ++i) {
      const T one(i % (D + 1) == 0 ? 1 : 0), after = F(i / D, i % D);
      const T H = lanes.load(displacement_row(lanes.chunk, i));
      lanes.store(displacement_row(lanes.chunk, i), select(H + one != after, after - one, H));
    }
  }

  template <class Lanes>
  FIRN_HD auto load_displacement(const Lanes& lanes) const {
    using T = typename Lanes::Value;
    const auto active = lanes.active();
    Mat<T, D> H;
    for (int i = 0; i < D * D; ++i)
      H(i / D, i % D) = select(active, lanes.load(displacement_row(lanes.chunk, i)), T(0));
    return H;
  }
  template <class Lanes, class T>
  FIRN_HD void store_displacement(const Lanes& lanes, const Mat<T, D>& H) const {
    for (int i = 0; i < D * D; ++i) lanes.store(displacement_row(lanes.chunk, i), H(i / D, i % D));
  }
  template <class Lanes, class T>
  FIRN_HD void load_history(const Lanes& lanes, const MaterialParams<Real>& params,
                            T (&history)[history_capacity<D>()]) const {
    const auto active = lanes.active();
    for (int k = 0; k < history_capacity<D>(); ++k) {
      history[k] = T(static_cast<Real>(first_of_history<D>(params.model, k)));
      if (particles.history != nullptr && k < params.history)
        history[k] = select(active, lanes.load(history_row(lanes.chunk, k)), history[k]);
    }
  }
  template <class Lanes, class T>
  FIRN_HD void store_history(const Lanes& lanes, const MaterialParams<Real>& params,
                             const T (&history)[history_capacity<D>()]) const {
    if (particles.history == nullptr) return;
    for (int k = 0; k < history_capacity<D>(); ++k)
      if (k < params.history) lanes.store(history_row(lanes.chunk, k), history[k]);
  }
  FIRN_HD Real* displacement_row(std::uint32_t chunk, int component) const {
    return channel_row(particles.displacement, chunk, D * D, component);
  }
  FIRN_HD Real* history_row(std::uint32_t chunk, int k) const {
    return channel_row(particles.history, chunk, particles.history_values, k);
  }

  // F <- (I + G) F in F - I, which keeps what a slow flow moves.
  template <class Lanes, class T>
  FIRN_HD void relax(const Lanes& lanes, const MaterialParams<Real>& params,
                     MaterialState<T, D>& state) const {
    const Mat<T, D> G = relaxation(params, state);
    Mat<T, D> H = load_displacement(lanes);
    H = H + (G + G * H);
    store_displacement(lanes, H);
    state.F = Mat<T, D>::identity() + H;
  }

  // tau^N = J 2 mu^N sym(grad v), the standard Newtonian stress; J is of what flowed, too.
  template <class T>
  FIRN_HD void add_viscosity(const MaterialParams<Real>& params, const MaterialState<T, D>& state,
                             const Mat<T, D>& grad_v, Mat<T, D>& tau) const {
    const T J = volume_ratio(params.model, state.F, state.history);
    tau += symmetric_part(grad_v) * (T(Real(2) * params.viscosity) * J);
  }

  template <class Group, class Lanes>
  FIRN_HD void report_squeezed(Group& g, const Lanes& lanes, std::uint32_t material) const {
    lanes.once([&] { g.atomic_or(control->squeezed[material / 32], 1u << material % 32); });
  }

  template <class Group, class Lanes, class T>
  FIRN_HD void report_faults(Group& g, const Lanes& lanes, const MaterialParams<Real>& params,
                             const MaterialState<T, D>& state,
                             const Response<T, D>& response) const {
    // One sum carries every NaN and infinity of the state and the stress.
    T all = trace(response.tau);
    for (const T& value : state.history) all = all + value;
    for (int i = 0; i < D * D; ++i) all = all + abs(state.F(i / D, i % D));
    const T J = has_deformation(params.model) ? determinant(state.F)
                                              : kept_volume<D>(params.model, state.history);
    const auto inverted = !(J > T(0));
    const auto broken = !is_finite(all);
    if (collapses(params.model) && any(!(J > T(static_cast<Real>(kSqueezed)))))
      report_squeezed(g, lanes, particles.chunks[lanes.chunk].material);
    const bool check_inversion = forbids_inversion(params.model);
    if (!any(broken) && !(check_inversion && any(inverted))) return;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      const std::uint32_t id = channel_row(particles.id, lanes.chunk, 1, 0)[lane];
      if (check_inversion && Lanes::test(inverted, i))
        g.atomic_min(control->fault, pack_fault(Fault::kInverted, id));
      else if (Lanes::test(broken, i))
        g.atomic_min(control->fault, pack_fault(Fault::kDeformation, id));
    });
  }
};

// f(lanes) for the packs of the chunks that fall to a group, `per_group` each.
template <class Real, class Group, class F>
FIRN_HD inline void for_each_pack_of(Group& g, const Chunk* chunks, const StepControl& control,
                                     std::uint32_t per_group, F&& f) {
  const std::uint32_t first = control.first_chunk + g.index() * per_group;
  const std::uint32_t end = control.first_chunk + control.n_chunks;
  if (first >= end) return;
  g.template for_each_pack<Real>(
      first, first + per_group < end ? first + per_group : end,
      [=](std::uint32_t chunk) { return chunks[chunk].count; }, f);
}

// A channel of matrices; zeros where there is none: of particles that no step has moved yet.
template <int D, class Real, class Lanes>
FIRN_HD inline auto load_matrix(const Lanes& lanes, const Real* channel) {
  using T = typename Lanes::Value;
  const auto active = lanes.active();
  Mat<T, D> A = Mat<T, D>::zero();
  if (channel == nullptr) return A;
  for (int i = 0; i < D * D; ++i)
    A(i / D, i % D) =
        select(active, lanes.load(channel_row(channel, lanes.chunk, D * D, i)), T(Real(0)));
  return A;
}

template <int D, class Real>
struct ConstitutiveStep {
  static constexpr const char* kName = "constitutive";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kChunksPerGroup = 4;
  struct Scratch {};

  ConstitutiveUpdate<D, Real> update;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    using Lanes = typename Group::template Lanes<Real>;
    const Real dt = static_cast<Real>(update.control->dt);
    StiffestSoFar<typename Lanes::Value> stiffest;
    for_each_pack_of<Real>(g, update.particles.chunks, *update.control, kChunksPerGroup,
                           [&](const Lanes& lanes) { advance(g, lanes, dt, stiffest); });
    update.template tell<Lanes>(g, stiffest);
  }

  template <class Group, class Lanes, class T>
  FIRN_HD void advance(Group& g, const Lanes& lanes, Real dt, StiffestSoFar<T>& stiffest) const {
    const ParticleView<Real>& particles = update.particles;
    lanes.prefetch_next(particles.gradient, D * D);
    lanes.prefetch_next(particles.displacement, D * D);
    lanes.prefetch_next(particles.stress, symmetric_components(D));
    lanes.prefetch_next(particles.volume, 1);
    update.store_stress(
        lanes, update.advance(g, lanes, load_matrix<D>(lanes, particles.gradient), dt, stiffest));
  }
};

template <class Exec, int D, class Real>
void constitutive_step(Exec& exec, const MaterialParams<Real>* materials,
                       const ParticleView<Real>& particles, const EnergyView& energies,
                       std::uint32_t max_chunks, StepControl* control) {
  using Op = ConstitutiveStep<D, Real>;
  launch_groups(
      exec,
      {{nullptr, (max_chunks + Op::kChunksPerGroup - 1) / Op::kChunksPerGroup}, &control->stop},
      Op{{materials, particles, energies, control}});
}

template <class Exec, class Real>
int packs_per_chunk() {
  return LanesOf<Exec, Real>::type::kPacksPerChunk;
}

}  // namespace firn
