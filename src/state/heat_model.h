// A scene's thermal materials as kernels read them, and what the host makes of the enthalpies of
// particles.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "firn/scene.h"
#include "kernels/heat/enthalpy.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"
#include "src/state/material_params.h"

namespace firn {

// The modulus of materials that do not melt is sampled up to this, K.
inline constexpr double kHottestSample = 2000;

template <class Real>
ThermalMaterial<Real> thermal_material(const Material& material) {
  const HeatProperties& heat = material.heat;
  ThermalMaterial<Real> m{};
  m.melts = heat.melting_point.has_value() && !never_solid(material);
  m.capacity[1] = static_cast<Real>(heat.capacity.liquid);
  m.conductivity[1] = static_cast<Real>(heat.conductivity.liquid);
  m.capacity[0] = never_solid(material) ? m.capacity[1] : static_cast<Real>(heat.capacity.solid);
  m.conductivity[0] = static_cast<Real>(heat.conductivity.solid);
  // Without heat there is no temperature to divide by; one that stays is as good.
  for (Real& c : m.capacity) c = c > Real(0) ? c : Real(1);
  m.melting_point = static_cast<Real>(heat.melting_point.value_or(0));
  m.melting_jitter = static_cast<Real>(m.melts ? heat.melting_jitter : 0);
  m.latent_heat = static_cast<Real>(heat.latent_heat);
  const StiffnessCurve curve(material);
  const double hottest = heat.melting_point.value_or(kHottestSample);
  const LameParameters rest = curve.at(hottest);
  m.inverse_lambda = static_cast<Real>(std::isinf(rest.lambda) ? 0 : 1 / rest.lambda);
  m.samples_per_kelvin = static_cast<Real>((kStiffnessSamples - 1) / hottest);
  for (int i = 0; i < kStiffnessSamples; ++i) {
    const double at = hottest * i / (kStiffnessSamples - 1);
    m.stiffness[i] = curve.varies() ? static_cast<Real>(curve.at(at).mu / rest.mu) : Real(1);
  }
  m.yields = material.critical_compression > 0 || material.critical_stretch > 0;
  m.min_stretch = static_cast<Real>(1 - material.critical_compression);
  m.max_stretch = static_cast<Real>(1 + material.critical_stretch);
  return m;
}

// The deviatoric law of a thermal material: volume is the projection's.
template <class Real>
MaterialParams<Real> deviatoric_params(const Material& material, int dimension) {
  MaterialParams<Real> p = make_material_params<Real>(material, dimension);
  p.model = MaterialModel::kCorotatedDeviatoric;
  const double hottest = material.heat.melting_point.value_or(kHottestSample);
  p.mu = static_cast<Real>(StiffnessCurve(material).at(hottest).mu);
  p.lambda = 0;
  return p;
}

template <class Real>
class HeatModel {
 public:
  HeatModel() = default;
  explicit HeatModel(const Scene& scene)
      : scene_materials_(scene.materials), solves_(scene.solves_heat()) {
    for (const Material& m : scene.materials) materials_.push_back(thermal_material<Real>(m));
  }

  bool solves() const { return solves_; }
  const std::vector<ThermalMaterial<Real>>& materials() const { return materials_; }

  // Of a particle at the start; without a temperature it has none, only a phase.
  HeatState<Real> initial(std::uint32_t material, std::uint32_t id, std::optional<Phase> said,
                          std::optional<double> temperature) const {
    const ThermalMaterial<Real>& m = materials_[material];
    const Real melting = melting_point(m, id);
    const double T = temperature.value_or(static_cast<double>(melting));
    const bool liquid = starting_phase(scene_materials_[material], said, T,
                                       static_cast<double>(melting)) == Phase::kLiquid;
    HeatState<Real> s = heat_state_at(m, melting, static_cast<Real>(T));
    if (m.melts && liquid && !s.liquid) s.enthalpy = m.latent_heat;  // at the melting point, full
    s.liquid = liquid;
    return s;
  }
  // Of a body's or source's particles with ids from `first_id` on, the largest factor on the shear
  // modulus of the material at rest; 0 where all of them are liquid.
  double stiffest(std::uint32_t material, std::uint32_t first_id, std::size_t particles,
                  std::optional<Phase> said, std::span<const double> temperatures) const {
    if (materials_.empty()) return 1;
    const ThermalMaterial<Real>& m = materials_[material];
    Real most = 0;
    for (std::size_t i = 0; i < particles; ++i) {
      const auto id = first_id + static_cast<std::uint32_t>(i);
      const auto known = temperatures.empty() ? std::nullopt : std::optional(temperatures[i]);
      const HeatState<Real> s = initial(material, id, said, known);
      const Real T = temperature_of(m, melting_point(m, id), s.enthalpy);
      if (!s.liquid) most = std::max(most, stiffness_at(m, T));
    }
    return static_cast<double>(most);
  }
  float temperature(std::uint32_t material, std::uint32_t id, Real enthalpy) const {
    const ThermalMaterial<Real>& m = materials_[material];
    return static_cast<float>(temperature_of(m, melting_point(m, id), enthalpy));
  }

 private:
  std::vector<Material> scene_materials_;
  std::vector<ThermalMaterial<Real>> materials_;
  bool solves_ = false;
};

}  // namespace firn
