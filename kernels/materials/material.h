// The register of constitutive laws: a new one is one new header, one value of MaterialModel and
// one case of with_law.
#pragma once

#include "kernels/materials/cam_clay.h"
#include "kernels/materials/corotated_deviatoric.h"
#include "kernels/materials/drucker_prager.h"
#include "kernels/materials/fixed_corotated.h"
#include "kernels/materials/herschel_bulkley.h"
#include "kernels/materials/neo_hookean.h"
#include "kernels/materials/params.h"
#include "kernels/materials/snow.h"
#include "kernels/materials/stvk_hencky.h"
#include "kernels/materials/viscoelastic.h"
#include "kernels/materials/von_mises.h"
#include "kernels/materials/weakly_compressible.h"

namespace firn {

// f(law). All lanes of a call share the material, so the switch is one uniform branch.
template <class F>
FIRN_HD constexpr auto with_law(MaterialModel model, F&& f) {
  switch (model) {
    case MaterialModel::kNeoHookean:
      return f(NeoHookean{});
    case MaterialModel::kFixedCorotated:
      return f(FixedCorotated{});
    case MaterialModel::kCorotatedDeviatoric:
      return f(CorotatedDeviatoric{});
    case MaterialModel::kStvkHencky:
      return f(StvkHencky{});
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return f(Snow{});
    case MaterialModel::kDruckerPrager:
      return f(DruckerPrager{});
    case MaterialModel::kVonMises:
      return f(VonMises{});
    case MaterialModel::kViscoelastic:
      return f(Viscoelastic{});
    case MaterialModel::kHerschelBulkley:
      return f(HerschelBulkley{});
    case MaterialModel::kWeaklyCompressible:
      return f(WeaklyCompressible{});
    case MaterialModel::kCamClay:
    case MaterialModel::kIncompressible:
      break;
  }
  // Of one case more CUDA would make a table of jumps, which costs all of them registers.
  if (model == MaterialModel::kCamClay) return f(CamClay{});
  return f(Incompressible{});
}

FIRN_HD constexpr bool has_deformation(MaterialModel model) {
  return with_law(model, [](auto law) { return law.kDeforms; });
}
// Whether the law may change F, as where material flows.
FIRN_HD constexpr bool changes_deformation(MaterialModel model) {
  return with_law(model, [](auto law) {
    constexpr bool elastic = requires(MaterialParams<float> params, Mat<float, 3> F) {
      law.respond(params, F);
    };
    return law.kDeforms && !elastic;
  });
}
// Whether the law flows by `relaxation`, at a rate.
FIRN_HD constexpr bool relaxes(MaterialModel model) {
  return with_law(model, [](auto law) {
    return requires(MaterialParams<float> params, MaterialState<float, 3> state) {
      law.relaxation(params, state);
    };
  });
}
// Whether J <= 0 is an error: the energy is infinite or undefined there. Fixed corotated elasticity
// and the laws that clamp its singular values recover from inversion.
FIRN_HD constexpr bool forbids_inversion(MaterialModel model) {
  return with_law(model, [](auto law) { return law.kForbidsInversion; });
}
FIRN_HD constexpr bool collapses(MaterialModel model) {
  return with_law(model, [](auto law) { return law.kCollapses; });
}
FIRN_HD constexpr bool flows_on(MaterialModel model) {
  return with_law(model, [](auto law) { return law.kFlowsOn; });
}
template <class Real>
FIRN_HD Real fastest_flow(const MaterialParams<Real>& params) {
  return with_law(params.model, [&](auto law) { return law.fastest_flow(params); });
}
// Of its volume: what a law that collapses is squeezed to when it has given in.
inline constexpr double kSqueezed = 1e-3;
// Values of MaterialState::history that the model keeps, in `d` dimensions.
constexpr int history_values(MaterialModel model, int d) {
  return with_law(model, [d](auto law) {
    return law.kScalars + (d == 2 ? law.kPlaneScalars : 0) + law.kTensors * symmetric_components(d);
  });
}
template <int D>
constexpr int history_capacity() {
  int most = 1;
  for (int m = 0; m < kMaterialModels; ++m) {
    const int n = history_values(static_cast<MaterialModel>(m), D);
    most = n > most ? n : most;
  }
  return most;
}

// Returns the trial state to the yield surface, then evaluates stress, energy and stiffness there.
// A state that the model forbids (see `forbids_inversion`) gives NaN, never a plausible number.
template <class T, int D>
FIRN_HD inline Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                      MaterialState<T, D>& state) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.respond(params, state.F); })
      return law.respond(params, state.F);
    else
      return law.respond(params, state);
  });
}

// G of what state.dt lets flow, F <- (I + G) F; the history is advanced, F is not, so that the
// caller can keep digits of F - I that F has no room for. Zero for laws without a rate.
template <class T, int D>
FIRN_APART FIRN_HD Mat<T, D> relaxation(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.relaxation(params, state); })
      return law.relaxation(params, state);
    else
      return Mat<T, D>::zero();
  });
}

// Energy per rest volume of the state as it is, without plastic flow.
template <class T, int D>
FIRN_HD inline T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                const MaterialState<T, D>& state) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.elastic_energy(params, state.F); })
      return law.elastic_energy(params, state.F);
    else
      return law.elastic_energy(params, state);
  });
}

// The elastic law in the principal axes of a state whose singular values are `sigma`, at a fixed
// history.
template <class T, int D>
FIRN_HD inline PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.principal_stress(params, sigma); })
      return law.principal_stress(params, sigma);
    else
      return law.principal_stress(params, state, sigma);
  });
}

// The same with the flow that the state would make, as far as it has a potential.
template <class T, int D>
FIRN_HD inline PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                    const MaterialState<T, D>& state,
                                                    const Vec<T, D>& sigma) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.flowing_stress(params, state, sigma); })
      return law.flowing_stress(params, state, sigma);
    else if constexpr (requires { law.principal_stress(params, sigma); })
      return law.principal_stress(params, sigma);
    else
      return law.principal_stress(params, state, sigma);
  });
}

// Whether the law has a stress for steps of one linear solve, of flow that lags.
FIRN_HD constexpr bool lags_behind(MaterialModel model) {
  return with_law(model, [](auto law) {
    return requires(MaterialParams<float> params, MaterialState<float, 3> state,
                    Vec<float, 3> sigma) {
      law.lagging_stress(params, state, sigma, sigma);
    };
  });
}
// The elastic law with the share of its shear stress that flow leaves a state strained to `guess`:
// of such a step's stress what is linear in the strains. (With its tangent at the guess instead,
// steps that begin slower than they end overshoot, and films of 16 cells ran wild in 10 ms.)
template <class T, int D>
FIRN_HD inline PrincipalStress<T, D> lagging_stress(const MaterialParams<Scalar<T>>& params,
                                                    const MaterialState<T, D>& state,
                                                    const Vec<T, D>& sigma,
                                                    const Vec<T, D>& guess) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.lagging_stress(params, state, sigma, guess); })
      return law.lagging_stress(params, state, sigma, guess);
    else
      return PrincipalStress<T, D>{};
  });
}

// First Piola-Kirchhoff stress of the elastic law at a fixed history.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                        const MaterialState<Real, D>& state) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.first_piola(params, state.F); })
      return law.first_piola(params, state.F);
    else
      return law.first_piola(params, state);
  });
}

// d/dt of first_piola(F + t dF) at t = 0, history fixed.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                     const MaterialState<Real, D>& state,
                                                     const Mat<Real, D>& dF) {
  return with_law(params.model, [&](auto law) {
    if constexpr (requires { law.first_piola_differential(params, state.F, dF); })
      return law.first_piola_differential(params, state.F, dF);
    else
      return law.first_piola_differential(params, state, dF);
  });
}

// What value k of a history is where nothing has deformed the material.
template <int D>
FIRN_HD constexpr int first_of_history(MaterialModel model, int k) {
  return with_law(model, [k](auto law) {
    if (k < law.kScalars) return law.kFirst;
    const int scalars = law.kScalars + (D == 2 ? law.kPlaneScalars : 0);
    if (law.kTensors == 0 || k < scalars) return 0;
    const int entry = (k - scalars) % symmetric_components(D);
    return entry == 0 || entry == D || entry == symmetric_components(D) - 1 ? 1 : 0;
  });
}

// The volume ratio that a history stands for, beside that of F.
template <int D, class T>
FIRN_HD inline T kept_volume(MaterialModel model, const T* history) {
  return with_law(model, [&](auto law) { return law.template kept_volume<D>(history); });
}

// What a particle fills beside what it fills at rest: the volume ratio of its elastic and its
// plastic deformation together.
template <class Real, int D>
FIRN_HD inline Real volume_ratio(MaterialModel model, const Mat<Real, D>& F, const Real* history) {
  const Real flowed = kept_volume<D>(model, history);
  return has_deformation(model) ? flowed * determinant(F) : flowed;
}

// Of material stretched alike along all axes; `history` has room for history_capacity<D>() values,
// those that the model does not keep included.
template <class Real, int D>
inline void start_history(MaterialModel model, Real* history, double stretch = 1) {
  for (int k = 0; k < history_capacity<D>(); ++k) history[k] = Real(first_of_history<D>(model, k));
  if (!has_deformation(model))
    history[0] = Real(static_cast<Scalar<Real>>(std::pow(stretch, D) - 1));
}

}  // namespace firn
