// A weakly compressible fluid, Cauchy pressure p = K (J^-gamma - 1). The particle carries only J
// (plastic[0]), so shear is never remembered. gamma = 1 with K = E is the fluid of the 88-line
// sample, tau = E (J - 1).
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"
#include "kernels/math/generic_scalar.h"

namespace firn::weakly_compressible {

// J^(1 - gamma), in which stress, energy and stiffness are all written. Not by `pow`, which gives a
// plausible number for J < 0 and an integer exponent; this is NaN there.
template <class T>
FIRN_HD inline T volume_power(const MaterialParams<Scalar<T>>& params, const T& J) {
  return exp(T(1 - params.gamma) * log(J));
}

// psi(J) with psi(1) = 0 and dpsi/dJ = -p.
template <class T>
FIRN_HD inline T elastic_energy(const MaterialParams<Scalar<T>>& params, const T& J) {
  const T K(params.bulk_modulus);
  if (params.gamma == 1) return K * (J - T(1) - log(J));
  return K * ((volume_power(params, J) - T(1)) / T(params.gamma - 1) + J - T(1));
}

template <class T, int D>
FIRN_HD inline Response<T, D> respond(const MaterialParams<Scalar<T>>& params, const T& J) {
  const T K(params.bulk_modulus), power = volume_power(params, J);
  Response<T, D> r;
  r.tau = Mat<T, D>::scaled_identity(K * (J - power));
  r.psi = elastic_energy(params, J);
  r.wave_modulus = K * T(params.gamma) * power;  // J^2 psi''(J)
  return r;
}

// The elastic law seen as a function of F, for solvers that move F: J = det F.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola(const MaterialParams<Real>& params, const Mat<Real, D>& F) {
  const Real J = determinant(F);
  return params.bulk_modulus * (1 - volume_power(params, J) / J) * cofactor(F);
}

template <class Real, int D>
FIRN_HD inline Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                     const Mat<Real, D>& F,
                                                     const Mat<Real, D>& dF) {
  const Mat<Real, D> C = cofactor(F);
  const Real J = determinant(F);
  const Real J_power = volume_power(params, J) / J;  // J^-gamma
  return params.bulk_modulus * (params.gamma * J_power / J * contract(C, dF) * C +
                                (1 - J_power) * cofactor_differential(F, dF));
}

}  // namespace firn::weakly_compressible
