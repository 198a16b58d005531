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

// The moduli of a thermal material's solid from 0 K up to its melting point, or kHottestSample. At
// temperatures at which its expression says none (it is not positive, or not finite) those of the
// nearest hold at which it does. Throws Error{kScene} where there is none at all.
struct StiffnessTable {
  double hottest;              // K
  LameParameters rest;         // what `factor` is relative to
  std::vector<double> factor;  // kStiffnessSamples, at equal distances

  explicit StiffnessTable(const Material& material)
      : hottest(material.heat.melting_point.value_or(kHottestSample)),
        factor(kStiffnessSamples, 1.0) {
    const StiffnessCurve curve(material);
    if (!curve.varies()) {
      rest = curve.at(hottest);
      return;
    }
    const auto temperature = [&](std::size_t i) {
      return hottest * static_cast<double>(i) / (kStiffnessSamples - 1);
    };
    constexpr double kNone = 0;
    for (std::size_t i = 0; i < factor.size(); ++i) {
      const double E = curve.youngs_modulus(temperature(i));
      factor[i] = E > 0 && std::isfinite(E) ? E : kNone;
    }
    for (std::size_t i = 1; i < factor.size(); ++i)
      if (factor[i] == kNone) factor[i] = factor[i - 1];
    for (std::size_t i = factor.size() - 1; i-- > 0;)
      if (factor[i] == kNone) factor[i] = factor[i + 1];
    const double at_rest = factor.back();
    rest = at_rest == kNone ? curve.at(hottest) : lame_parameters(at_rest, material.poisson_ratio);
    for (double& f : factor) f /= at_rest;
  }
};

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
  const StiffnessTable table(material);
  const double lambda = table.rest.lambda;
  m.inverse_lambda = static_cast<Real>(std::isinf(lambda) ? 0 : 1 / lambda);
  m.samples_per_kelvin = static_cast<Real>((kStiffnessSamples - 1) / table.hottest);
  for (int i = 0; i < kStiffnessSamples; ++i)
    m.stiffness[i] = static_cast<Real>(table.factor[static_cast<std::size_t>(i)]);
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
  p.mu = static_cast<Real>(StiffnessTable(material).rest.mu);
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
