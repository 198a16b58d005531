// The contract between the materials and everyone who calls them: a material's numbers as plain
// data that can be uploaded to a device, the state that a particle carries, and what a constitutive
// law answers. No law is here; `kernels/materials/material.h` registers them.
#pragma once

#include <cmath>

#include "firn/kinds.h"
#include "kernels/base/integers.h"
#include "kernels/math/mat.h"

namespace firn {

// One material, every derived number computed once on the host. A model reads only the members its
// comment names.
template <class Real>
struct MaterialParams {
  MaterialModel model;
  int history;       // values of MaterialState::history that the model keeps
  Real density;      // kg/m^3 at rest (kg/m^2 in 2D)
  Real mu, lambda;   // Lame parameters, Pa; zero for weakly_compressible
  Real min_stretch;  // snow, sand_clamp: 1 - theta_c
  Real max_stretch;  // snow, sand_clamp: 1 + theta_s
  // snow, cam_clay: xi; von_mises: d(sigma_Y)/d(equivalent plastic strain), Pa
  Real hardening;
  Real friction;    // drucker_prager: alpha = match[0] sin(phi) / (3 - match[1] sin(phi))
  Real match[2];    // drucker_prager: of triaxial compression, sqrt(8/3) and 1
  Real cone_ratio;  // drucker_prager: (d lambda + 2 mu) / (2 mu)
  Real cohesion;    // drucker_prager: the tip of the cone is the Hencky strain cohesion * I
  Real friction_hardening[4];   // drucker_prager: phi(q) = h0 + (h1 q - h3) exp(-h2 q), radians
  bool has_friction_hardening;  // drucker_prager: phi(q) replaces the constant friction
  bool volume_correction;       // drucker_prager
  // drucker_prager: log of the volume gained per slip, d alpha(psi), and the slip at which that
  // ends.
  Real dilatancy, dilates_until;
  // cam_clay: p0 / K at the start; beta; what |dev e| is of its ellipse, drawn as a circle of p /
  // K; how much faster flow shrinks that than p; alpha_0, where p0 grows as sinh
  Real consolidation, tension, ellipse, deviatoric_flow, compacted;
  bool hardens_as_sinh;      // cam_clay
  Real yield_stress;         // von_mises: uniaxial sigma_Y, Pa; herschel_bulkley: in shear, Pa
  Real consistency;          // herschel_bulkley: K, Pa s^n
  Real flow_index;           // herschel_bulkley: n
  Real relaxation_time;      // viscoelastic: s
  Real bulk_modulus, gamma;  // weakly_compressible
  // weakly_compressible: the tension that it bears, Pa, and J - 1 there; from there on it opens
  Real tension_limit, cavitates;
  Real viscosity;  // Pa s; the caller adds this stress, the laws here do not
};

// What a law is unless it says otherwise. A law is a struct of static functions of one particle's
// values:
//   respond(params, F) or (params, MaterialState&), which may move the state;
//   elastic_energy, first_piola(params, F or state) and first_piola_differential(params, F or
//   state, dF), at a fixed history;
//   relaxation(params, state), of laws whose flow takes time: G of F <- (I + G) F in state.dt, for
//   which it advances the history; and flowing_stress(params, state, sigma), which has that flow
//   in it.
struct Law {
  static constexpr bool kDeforms = true;           // keeps F; liquids need their volume ratio alone
  static constexpr bool kForbidsInversion = true;  // J <= 0 has no energy
  static constexpr bool kCollapses = false;        // hardly pushes back at J ~ 0
  static constexpr bool kFlowsOn = false;          // shear has no end (volume_drift.h)
  // What it keeps of its past beside F: scalars, which begin as kFirst, in 2D others, which begin
  // at zero, then symmetric tensors, upper triangle row by row, which begin as the identity.
  static constexpr int kScalars = 0, kPlaneScalars = 0, kTensors = 0, kFirst = 0;

  // 1/s: shear beyond that rate is not flow.
  template <class Real>
  FIRN_HD static Real fastest_flow(const MaterialParams<Real>&) {
    return kLargest<Real>;
  }

  // The volume ratio that they stand for, beside that of F.
  template <int D, class T>
  FIRN_HD static T kept_volume(const T*) {
    return T(1);
  }
};

// The most that any law keeps (material.h).
template <int D>
constexpr int history_capacity();

// What a law reads and, where there is flow, writes. `F` is the elastic deformation gradient: the
// trial on entry of `respond`, returned to the yield surface on exit. `history` by model:
//   snow, sand_clamp      [0] J_P
//   drucker_prager        [0] log of the volume gained in tension, not yet closed, and by
//   dilatancy;
//                         [1] hardening q
//   von_mises             [0] equivalent plastic strain; in 2D [1] elastic strain across the plane
//   cam_clay              [0] log of the plastic volume ratio, in 2D of that in the plane, and
//                         [1] elastic strain across it
//   viscoelastic          [0] ln sqrt(det b_OB) - ln J: what the plain Oldroyd-B strain b_OB, here
//                         the multiple e^(2 h / d) of F F^T, would have gained in volume by flow
//   herschel_bulkley      [0] plastic shear strain
//   weakly_compressible   [0] J - 1 (such particles need no F)
template <class T, int D>
struct MaterialState {
  Mat<T, D> F;
  T history[history_capacity<D>()];
  Scalar<T> dt = 0;  // s, in which material flows that needs time to
};

template <class T, int D>
struct Response {
  Mat<T, D> tau;   // Kirchhoff stress P F^T, Pa, symmetric
  T psi;           // elastic energy per rest volume, after plastic flow, Pa
  T wave_modulus;  // M: (fastest elastic wave in the deformed body)^2 <= M / (rest density), Pa
};

}  // namespace firn
