// Hencky elasticity of laws that flow along all three principal axes in 2D as well. Plane strain
// keeps what lies across the plane as thick as it was, but flow there leaves an elastic strain, and
// with it a stress, that the plane cannot know: such laws keep it as the last of their history.
#pragma once

#include "kernels/materials/stvk_hencky.h"

namespace firn {

// Of laws that keep so many scalars beside it.
template <int Scalars>
struct SpatialHencky : StvkHencky {
  static constexpr int kScalars = Scalars, kPlaneScalars = 1;

  // Elastic, across the plane.
  template <class T>
  FIRN_HD static const T& across(const MaterialState<T, 2>& state) {
    return state.history[Scalars];
  }

  // f(across), or f() in 3D.
  template <class T, int D, class F>
  FIRN_HD static auto with_across(const MaterialState<T, D>& state, F&& f) {
    if constexpr (D == 2)
      return f(across(state));
    else
      return f();
  }

  template <class T, int D>
  FIRN_HD static Vec<T, 3> in_space(const MaterialState<T, D>& state, const Vec<T, D>& strain) {
    Vec<T, 3> e;
    for (int i = 0; i < D; ++i) e[i] = strain[i];
    if constexpr (D == 2) e[2] = across(state);
    return e;
  }

  // project(e) returns the elastic strains of three axes to the yield surface, and yields the mask
  // of lanes whose strains changed.
  template <class T, int D, class Project>
  FIRN_HD static Response<T, D> respond_with(const MaterialParams<Scalar<T>>& params,
                                             MaterialState<T, D>& state, Project&& project) {
    const Svd<T, D> s = svd(state.F);
    Vec<T, D> strain = hencky_strain(s);
    Vec<T, 3> e = in_space(state, strain);
    const auto changed = project(e);
    for (int i = 0; i < D; ++i) strain[i] = e[i];
    store_strain(s, strain, changed, state.F);
    if constexpr (D == 2) {
      state.history[Scalars] = e[2];
      return respond_to_strain(params, s.U, strain, e[2]);
    } else {
      return respond_to_strain(params, s.U, strain);
    }
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                  const MaterialState<T, D>& state) {
    return with_across(state, [&](const auto&... e) {
      return energy_of_strain(params, hencky_strain(svd(state.F)), e...);
    });
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const MaterialState<T, D>& state,
                                                        const Vec<T, D>& sigma) {
    return with_across(state,
                       [&](const auto&... e) { return stress_of_stretch(params, sigma, e...); });
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const MaterialState<Real, D>& state) {
    const Svd<Real, D> s = svd(state.F);
    return compose(s.U, principal_stress(params, state, s.sigma).P, s.V);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const MaterialState<Real, D>& state,
                                                       const Mat<Real, D>& dF) {
    const Svd<Real, D> s = svd(state.F);
    return principal_differential(s, principal_stress(params, state, s.sigma), dF);
  }
};

}  // namespace firn
