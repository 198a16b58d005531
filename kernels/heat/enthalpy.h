// What a particle knows of heat, and how it melts and freezes [T 6.4.9]. The state is its specific
// enthalpy h (J/kg), counted from the solid at the melting point: below 0 it is solid and colder,
// from 0 to the latent heat L it stays at the melting point and h is what its buffer holds, above L
// it is liquid and hotter. Heat that is added to h is neither lost nor counted twice, whatever it
// crosses. The phase is kept apart: it changes only where the buffer is empty or full, so that
// material between the two stays what it was.
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/math/scalar.h"

namespace firn {

// A particle's channel: enthalpy (J/kg), 1 where it is liquid, ln J as the projection has it, and
// what of the heat given so far rounding has kept from the enthalpy (J/kg): steps may bring less
// than its last digit.
inline constexpr int kHeatComponents = 4, kHeatLogVolume = 2, kHeatRest = 3;

inline constexpr int kStiffnessSamples = 2048;

// A material's numbers for the heat solve, by phase: 0 solid, 1 liquid.
template <class Real>
struct ThermalMaterial {
  Real capacity[2];                    // J/(kg K)
  Real conductivity[2];                // W/(m K)
  Real melting_point, melting_jitter;  // K; particles melt within +- jitter of the point
  Real latent_heat;                    // J/kg
  bool melts;                          // without it, a solid for ever
  Real inverse_lambda;                 // 1/Pa, at rest and of the liquid; 0 cannot be compressed
  // Young's modulus over that at rest, at temperatures stiffness_from + i / samples_per_kelvin.
  Real stiffness_from, samples_per_kelvin;
  Real stiffness[kStiffnessSamples];
  bool yields;  // singular values of F_E kept in [min_stretch, max_stretch], with J_P = 1
  Real min_stretch, max_stretch;
};

template <class Real>
struct HeatState {
  Real enthalpy;  // J/kg
  bool liquid;
};

// Of the particle `id`: a hash of it spreads the melting points evenly.
template <class Real>
FIRN_HD inline Real melting_point(const ThermalMaterial<Real>& m, std::uint32_t id) {
  if (!(m.melting_jitter > Real(0))) return m.melting_point;
  std::uint32_t h = id * 0x9e3779b9u + 0x7f4a7c15u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  h ^= h >> 16;
  const Real in_unit = static_cast<Real>(h >> 8) * Real(1.0 / (1 << 24));
  return m.melting_point + m.melting_jitter * (2 * in_unit - 1);
}

template <class Real>
FIRN_HD inline Real temperature_of(const ThermalMaterial<Real>& m, Real melting, Real enthalpy) {
  if (!m.melts || enthalpy <= Real(0)) return melting + enthalpy / m.capacity[0];
  if (enthalpy < m.latent_heat) return melting;
  return melting + (enthalpy - m.latent_heat) / m.capacity[1];
}

// The state at a temperature; at the melting point itself that of an empty buffer.
template <class Real>
FIRN_HD inline HeatState<Real> heat_state_at(const ThermalMaterial<Real>& m, Real melting,
                                             Real temperature) {
  if (!m.melts || temperature <= melting) return {m.capacity[0] * (temperature - melting), false};
  return {m.latent_heat + m.capacity[1] * (temperature - melting), true};
}

template <class Real>
FIRN_HD inline Real capacity_of(const ThermalMaterial<Real>& m, const HeatState<Real>& s) {
  return m.capacity[s.liquid ? 1 : 0];
}
// What is at its melting point has no gradient of its own, in whichever phase: it must not hold up
// what flows to it through the other one.
template <class Real>
FIRN_HD inline Real conductivity_of(const ThermalMaterial<Real>& m, Real melting,
                                    const HeatState<Real>& s) {
  constexpr Real kSame = Real(1e-4);
  if (m.melts && abs(temperature_of(m, melting, s.enthalpy) - melting) <= kSame * melting)
    return max(m.conductivity[0], m.conductivity[1]);
  return m.conductivity[s.liquid ? 1 : 0];
}

// Adds heat, J/kg, and what earlier heat has left of `rest`.
template <class Real>
FIRN_HD inline void add_heat(const ThermalMaterial<Real>& m, Real heat, HeatState<Real>& s,
                             Real& rest) {
  const Real before = s.enthalpy, sum = heat + rest;
  s.enthalpy += sum;
  rest = sum - (s.enthalpy - before);
  if (!m.melts) return;
  if (s.enthalpy >= m.latent_heat && s.enthalpy > Real(0)) s.liquid = true;
  if (s.enthalpy <= Real(0)) s.liquid = false;
}

// Young's modulus at a temperature over that at rest; constant beyond the samples.
template <class Real>
FIRN_HD inline Real stiffness_at(const ThermalMaterial<Real>& m, Real temperature) {
  const Real at = clamp((temperature - m.stiffness_from) * m.samples_per_kelvin, Real(0),
                        Real(kStiffnessSamples - 1));
  const int last = kStiffnessSamples - 2, i = at < Real(last) ? static_cast<int>(at) : last;
  const Real t = at - static_cast<Real>(i);
  return (1 - t) * m.stiffness[i] + t * m.stiffness[i + 1];
}

// 1/lambda, 1/Pa: lambda of a solid goes with Young's modulus.
template <class Real>
FIRN_HD inline Real compressibility_of(const ThermalMaterial<Real>& m, Real melting,
                                       const HeatState<Real>& s) {
  if (s.liquid) return m.inverse_lambda;
  return m.inverse_lambda / stiffness_at(m, temperature_of(m, melting, s.enthalpy));
}

}  // namespace firn
