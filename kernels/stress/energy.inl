#pragma once

#include "kernels/materials/corotated_deviatoric.h"
#include "kernels/stress/energy.h"

namespace firn {

template <int D, class Real>
struct MaterialEnergies {
  static constexpr const char* kName = "material_energies";
  static constexpr int kThreads = 32;
  struct Scratch {
    double row[kLanes][kMaterialEnergies];
  };
  const MaterialParams<Real>* laws;
  ParticleView<Real> particles;
  HeatView<Real> heat;
  double* table;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t chunk = control->first_chunk + g.index();
    const std::uint32_t count = particles.chunks[chunk].count;
    g.for_each(kLanes, [&](std::uint32_t lane) {
      double* row = g.scratch.row[lane];
      for (int k = 0; k < kMaterialEnergies; ++k) row[k] = 0;
      if (lane >= count) return;
      const HeatState<Real> state = load_heat(heat, chunk, lane);
      const double enthalpy =
          static_cast<double>(state.enthalpy) +
          static_cast<double>(channel_row(heat.state, chunk, kHeatComponents, kHeatRest)[lane]);
      row[kEnergyHeat] =
          static_cast<double>(channel_row(particles.mass, chunk, 1, 0)[lane]) * enthalpy;
      const double rest = channel_row(particles.volume, chunk, 1, 0)[lane];
      row[kEnergyElastic] = rest * elastic(state, chunk, lane);
      row[kEnergyVolume] = rest * exp(log_volume(chunk, lane));
    });
    g.sync();
    g.for_each(kMaterialEnergies, [&](std::uint32_t k) {
      double sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += g.scratch.row[lane][k];
      table[static_cast<std::uint64_t>(g.index()) * kMaterialEnergies + k] = sum;
    });
  }

  FIRN_HD double log_volume(std::uint32_t chunk, std::uint32_t lane) const {
    return channel_row(heat.state, chunk, kHeatComponents, kHeatLogVolume)[lane];
  }

  // Per rest volume, J/m^d: what p = -lambda ln J has taken up, lambda (J ln J - J + 1), and of
  // what is solid mu |J^(-1/d) F - R|^2.
  FIRN_HD double elastic(const HeatState<Real>& state, std::uint32_t chunk,
                         std::uint32_t lane) const {
    const std::uint32_t index = particles.chunks[chunk].material;
    const ThermalMaterial<Real>& material = heat.materials[index];
    const Real melting = melting_point(material, channel_row(particles.id, chunk, 1, 0)[lane]);
    const Real compressibility = compressibility_of(material, melting, state);
    const double log_J = log_volume(chunk, lane);
    double energy = 0;
    if (compressibility > Real(0)) {
      const double J = exp(log_J);
      energy = (J * log_J - J + 1) / static_cast<double>(compressibility);
    }
    if (state.liquid) return energy;
    MaterialParams<double> shear{};
    shear.mu = static_cast<double>(laws[index].mu) *
               static_cast<double>(
                   stiffness_at(material, temperature_of(material, melting, state.enthalpy)));
    Mat<double, D> F;
    for (int k = 0; k < D * D; ++k)
      F(k / D, k % D) =
          (k % (D + 1) == 0 ? 1 : 0) +
          static_cast<double>(channel_row(particles.displacement, chunk, D * D, k)[lane]);
    return energy + CorotatedDeviatoric::elastic_energy(shear, F);
  }
};

template <class Exec, int D, class Real>
void material_energies(Exec& exec, const MaterialParams<Real>* laws,
                       const ParticleView<Real>& particles, const HeatView<Real>& heat,
                       std::uint32_t max_chunks, double* table, const StepControl* control) {
  launch_groups(exec, {{&control->n_chunks, max_chunks}, nullptr},
                MaterialEnergies<D, Real>{laws, particles, heat, table, control});
}

}  // namespace firn
