// The damping of particles at a step's begin: see damping.h.
#pragma once

#include "kernels/implicit/particles.h"

namespace firn {

template <int D, class Real>
struct BeginDamping : ImplicitParticles<D, 2, Real> {
  static constexpr const char* kName = "begin_damping";
  using Base = ImplicitParticles<D, 2, Real>;
  using Base::problem;
  struct Scratch {};

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = problem.grid.coloured[g.index()];
    for_each_pack_in(g, block, problem.grid, problem.particles, [&](const auto& lanes) {
      if (Base::is_damped(lanes.chunk)) keep(lanes);
    });
  }

  template <class Lanes>
  FIRN_APART FIRN_HD void keep(const Lanes& lanes) const {
    using T = typename Lanes::Value;
    const std::uint32_t material = problem.particles.chunks[lanes.chunk].material;
    const MaterialParams<Real>& params = problem.materials[material];
    const ConstitutiveUpdate<D, Real> laws{problem.materials, problem.particles, EnergyView{},
                                           nullptr};
    auto state = laws.load_state(lanes, params);
    if (!has_deformation(params.model))
      state.F = deformation_of_volume<D>(kept_volume<D>(params.model, state.history));
    const Svd<T, D> s = svd(state.F);
    PrincipalStiffness<T, D> k =
        PrincipalStiffness<T, D>::of(principal_stress(params, state, s.sigma));
    make_semidefinite(k);
    const StoredStiffness<T, D> elastic{s.U, state.F * s.V, k, T(0)};
    const auto damping =
        DampingTensor<T, D>::of([&](const Mat<T, D>& rate) { return elastic.response(rate); });
    const T volume =
        select(lanes.active(), lanes.load(channel_row(problem.particles.volume, lanes.chunk, 1, 0)),
               T(Real(0)));
    const T scale = volume * T(problem.damping[material] * static_cast<Real>(problem.control->dt));
    for (int i = 0; i < damping_components<D>(); ++i)
      lanes.store(Base::damping_row(lanes.chunk, i), damping.W[i] * scale);
  }
};

template <class Exec, int D, class Real>
void begin_damping(Exec& exec, const ImplicitProblem<Real, D>& problem) {
  launch_over_particles(exec, problem, BeginDamping<D, Real>{{problem}});
}

}  // namespace firn
