// The one place that knows every constitutive law: functions that take a material's parameters and
// call its model. All lanes of a call share the material, so the switch is one uniform branch. A
// new model is one new header, one value of MaterialModel and one line in each switch here.
#pragma once

#include "kernels/base/law_traits.h"
#include "kernels/materials/corotated_deviatoric.h"
#include "kernels/materials/drucker_prager.h"
#include "kernels/materials/fixed_corotated.h"
#include "kernels/materials/neo_hookean.h"
#include "kernels/materials/params.h"
#include "kernels/materials/snow.h"
#include "kernels/materials/stvk_hencky.h"
#include "kernels/materials/von_mises.h"
#include "kernels/materials/weakly_compressible.h"

namespace firn {

// Returns the trial state to the yield surface, then evaluates stress, energy and stiffness there.
// A state that the model forbids (see `forbids_inversion`) gives NaN, never a plausible number.
template <class T, int D>
FIRN_HD inline Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                      MaterialState<T, D>& state) {
  switch (params.model) {
    case MaterialModel::kNeoHookean:
      return neo_hookean::respond(params, state.F);
    case MaterialModel::kFixedCorotated:
      return fixed_corotated::respond(params, state.F);
    case MaterialModel::kCorotatedDeviatoric:
      return corotated_deviatoric::respond(params, state.F);
    case MaterialModel::kStvkHencky:
      return stvk_hencky::respond(params, state.F);
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return snow::respond(params, state);
    case MaterialModel::kDruckerPrager:
      return drucker_prager::respond(params, state);
    case MaterialModel::kVonMises:
      return von_mises::respond(params, state);
    case MaterialModel::kWeaklyCompressible:
    case MaterialModel::kIncompressible:  // K = 0: no stress
      break;
  }
  return weakly_compressible::respond<T, D>(params, state.plastic[0]);
}

// Energy per rest volume of the state as it is, without plastic flow.
template <class T, int D>
FIRN_HD inline T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                const MaterialState<T, D>& state) {
  switch (params.model) {
    case MaterialModel::kNeoHookean:
      return neo_hookean::elastic_energy(params, state.F);
    case MaterialModel::kFixedCorotated:
      return fixed_corotated::elastic_energy(params, state.F);
    case MaterialModel::kCorotatedDeviatoric:
      return corotated_deviatoric::elastic_energy(params, state.F);
    case MaterialModel::kStvkHencky:
    case MaterialModel::kDruckerPrager:
    case MaterialModel::kVonMises:
      return stvk_hencky::elastic_energy(params, state.F);
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return snow::elastic_energy(params, state);
    case MaterialModel::kWeaklyCompressible:
    case MaterialModel::kIncompressible:  // K = 0: no stress
      break;
  }
  return weakly_compressible::elastic_energy(params, state.plastic[0]);
}

// First Piola-Kirchhoff stress of the elastic law at a fixed plastic state.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola(const MaterialParams<Real>& params, const Mat<Real, D>& F,
                                        const Real (&plastic)[2]) {
  switch (params.model) {
    case MaterialModel::kNeoHookean:
      return neo_hookean::first_piola(params, F);
    case MaterialModel::kFixedCorotated:
      return fixed_corotated::first_piola(params, F);
    case MaterialModel::kCorotatedDeviatoric:
      return corotated_deviatoric::first_piola(params, F);
    case MaterialModel::kStvkHencky:
    case MaterialModel::kDruckerPrager:
    case MaterialModel::kVonMises:
      return stvk_hencky::first_piola(params, F);
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return snow::first_piola(params, F, plastic[0]);
    case MaterialModel::kWeaklyCompressible:
    case MaterialModel::kIncompressible:  // K = 0: no stress
      break;
  }
  return weakly_compressible::first_piola(params, F);
}

// d/dt of first_piola(F + t dF) at t = 0, plastic state fixed.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                     const Mat<Real, D>& F,
                                                     const Real (&plastic)[2],
                                                     const Mat<Real, D>& dF) {
  switch (params.model) {
    case MaterialModel::kNeoHookean:
      return neo_hookean::first_piola_differential(params, F, dF);
    case MaterialModel::kFixedCorotated:
      return fixed_corotated::first_piola_differential(params, F, dF);
    case MaterialModel::kCorotatedDeviatoric:
      return corotated_deviatoric::first_piola_differential(params, F, dF);
    case MaterialModel::kStvkHencky:
    case MaterialModel::kDruckerPrager:
    case MaterialModel::kVonMises:
      return stvk_hencky::first_piola_differential(params, F, dF);
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return snow::first_piola_differential(params, F, plastic[0], dF);
    case MaterialModel::kWeaklyCompressible:
    case MaterialModel::kIncompressible:  // K = 0: no stress
      break;
  }
  return weakly_compressible::first_piola_differential(params, F, dF);
}

// Whether J <= 0 is an error: the energy is infinite or undefined there. Fixed corotated elasticity
// and the laws that clamp its singular values recover from inversion.
FIRN_HD inline bool forbids_inversion(MaterialModel model) {
  return model != MaterialModel::kFixedCorotated && model != MaterialModel::kSnow &&
         model != MaterialModel::kSandClamp;
}

// The plastic state of undeformed material, F = I.
template <class Real, int D>
FIRN_HD inline void initial_plastic_state(const MaterialParams<Real>& params, Real (&plastic)[2]) {
  const bool starts_at_one = params.model == MaterialModel::kSnow ||
                             params.model == MaterialModel::kSandClamp ||
                             params.model == MaterialModel::kWeaklyCompressible ||
                             params.model == MaterialModel::kIncompressible;
  plastic[0] = starts_at_one ? Real(1) : Real(0);
  plastic[1] = Real(0);
}

}  // namespace firn
