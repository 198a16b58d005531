// A scene's material as the numbers that a law computes with.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "firn/scene.h"
#include "kernels/materials/material.h"

namespace firn {

// The cone |dev tau| = -alpha tr tau, alpha = match[0] sin(phi) / (3 - match[1] sin(phi)), that has
// Mohr and Coulomb's strength, tau_1 - tau_3 = -(tau_1 + tau_3) sin(phi), where `match` says. In 2D
// there is no stress but those two; in 3D plane strain without a change of volume tau_2 is their
// mean.
inline std::array<double, 2> friction_match(FrictionMatch match, int dimension) {
  const double triaxial = 2 * std::sqrt(2.0 / 3.0);
  switch (match) {
    case FrictionMatch::kExtension:
      return {triaxial, -1};
    case FrictionMatch::kPlaneStrain:
      return {dimension == 2 ? 3 / std::sqrt(2.0) : std::sqrt(2.0), 0};
    default:
      return {triaxial, 1};
  }
}

// M of the critical state q = M p, that of triaxial compression.
inline double critical_slope(double friction_angle) {
  const double sine = std::sin(friction_angle);
  return 6 * sine / (3 - sine);
}

template <class Real>
void set_cam_clay(const Material& m, double mu, double lambda, MaterialParams<Real>& p) {
  if (m.model != MaterialModel::kCamClay) return;
  const double bulk = lambda + 2 * mu / 3, beta = m.tension_ratio;
  const double of_shear = std::sqrt(1 + 2 * beta) / critical_slope(m.friction_angle);
  const double ellipse = of_shear * std::sqrt(6.0) * mu / bulk, p0 = m.preconsolidation / bulk;
  p.consolidation = static_cast<Real>(p0);
  p.tension = static_cast<Real>(beta);
  p.ellipse = static_cast<Real>(ellipse);
  p.deviatoric_flow = static_cast<Real>(ellipse * ellipse * bulk / (2 * mu));
  p.hardens_as_sinh = m.hardening_law == HardeningLaw::kSinh;
  p.compacted = static_cast<Real>(p.hardens_as_sinh ? -std::asinh(p0) / m.hardening : 0);
}

// `dimension` is 2 or 3; the material is taken as valid (the scene loader checks it).
template <class Real>
MaterialParams<Real> make_material_params(const Material& m, int dimension) {
  const double d = dimension;
  const double mu = m.youngs_modulus / (2 * (1 + m.poisson_ratio));
  const double lambda =
      m.youngs_modulus * m.poisson_ratio / ((1 + m.poisson_ratio) * (1 - 2 * m.poisson_ratio));

  MaterialParams<Real> p{};
  p.model = m.model;
  p.history = history_values(m.model, dimension);
  p.density = static_cast<Real>(m.density);
  p.viscosity = static_cast<Real>(m.viscosity);
  p.mu = static_cast<Real>(mu);
  p.lambda = static_cast<Real>(lambda);
  p.min_stretch = static_cast<Real>(1 - m.critical_compression);
  p.max_stretch = static_cast<Real>(1 + m.critical_stretch);
  p.hardening = static_cast<Real>(m.hardening);
  const std::array<double, 2> match = friction_match(m.friction_match, dimension);
  const auto slope = [&](double angle) {
    const double sine = std::sin(angle);
    return match[0] * sine / (3 - match[1] * sine);
  };
  for (std::size_t i = 0; i < 2; ++i) p.match[i] = static_cast<Real>(match[i]);
  p.friction = static_cast<Real>(slope(m.friction_angle));
  p.cone_ratio = static_cast<Real>(mu > 0 ? (d * lambda + 2 * mu) / (2 * mu) : 0);
  p.cohesion = static_cast<Real>(m.cohesion);
  for (int i = 0; i < 4; ++i) {
    p.friction_hardening[i] = static_cast<Real>(m.friction_hardening[i]);
    p.has_friction_hardening |= m.friction_hardening[i] != 0;
  }
  p.volume_correction = m.volume_correction;
  p.dilatancy = static_cast<Real>(d * slope(m.dilatancy_angle));
  constexpr double kForEver = 1e30;
  p.dilates_until = static_cast<Real>(
      m.dilatancy_limit && m.dilatancy_angle > 0
          ? std::min(*m.dilatancy_limit / (d * slope(m.dilatancy_angle)), kForEver)
          : kForEver);
  set_cam_clay(m, mu, lambda, p);
  p.yield_stress = static_cast<Real>(m.yield_stress);
  p.consistency = static_cast<Real>(m.consistency);
  p.flow_index = static_cast<Real>(m.flow_index);
  p.relaxation_time = static_cast<Real>(m.relaxation_time);
  p.bulk_modulus = static_cast<Real>(m.bulk_modulus);
  p.gamma = static_cast<Real>(m.gamma);
  const double limit = m.tension_limit.value_or(0);
  const bool opens = m.tension_limit && limit < m.bulk_modulus;  // J^-gamma stays above 0
  p.tension_limit = static_cast<Real>(limit);
  p.cavitates = opens
                    ? static_cast<Real>(std::expm1(-std::log1p(-limit / m.bulk_modulus) / m.gamma))
                    : kLargest<Real>;
  return p;
}

// All that makes one differ from another of its model.
template <class Real>
std::vector<double> numbers_of(const MaterialParams<Real>& p) {
  return {p.density,
          p.mu,
          p.lambda,
          p.min_stretch,
          p.max_stretch,
          p.hardening,
          p.friction,
          p.match[0],
          p.match[1],
          p.cone_ratio,
          p.cohesion,
          p.friction_hardening[0],
          p.friction_hardening[1],
          p.friction_hardening[2],
          p.friction_hardening[3],
          double(p.volume_correction),
          p.dilatancy,
          p.dilates_until,
          p.consolidation,
          p.tension,
          p.ellipse,
          p.deviatoric_flow,
          p.compacted,
          double(p.hardens_as_sinh),
          p.yield_stress,
          p.consistency,
          p.flow_index,
          p.relaxation_time,
          p.bulk_modulus,
          p.gamma,
          p.tension_limit,
          p.cavitates,
          p.viscosity};
}

// m^2/s^2, of its fastest wave at rest, or stretched alike in all directions.
template <int D, class Real>
double wave_squared_at_rest(const MaterialParams<Real>& p, double stretch = 1) {
  MaterialState<Real, D> rest;
  rest.F = Mat<Real, D>::scaled_identity(static_cast<Real>(stretch));
  start_history<Real, D>(p.model, rest.history, stretch);
  return static_cast<double>(respond(p, rest).wave_modulus / p.density);
}

}  // namespace firn
