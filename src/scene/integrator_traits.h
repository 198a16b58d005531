// What tells the integrators apart, in one table: whoever has to know asks it, not the name.
#pragma once

#include <algorithm>
#include <string_view>

#include "firn/error.h"
#include "firn/scene.h"

namespace firn {

struct IntegratorTraits {
  Integrator integrator;
  std::string_view name, about;  // in scenes
  bool staggered;  // velocities live on the faces of cells, and a projection makes them
                   // divergence-free
  bool stressed;   // particles carry the stress of their own deformation
  bool unified;    // materials melt and are of any compressibility: volume is the projection's,
                   // stress acts on faces
  bool carries_tracers;
  bool implicit;  // a step's velocities solve for its forces: no wave limits it
  bool linear;    // once, as they are at the step's begin
};

inline constexpr IntegratorTraits kIntegratorTraits[] = {
    {Integrator::kExplicit, "explicit", "symplectic Euler; every model but \"incompressible\"",
     false, true, false, false, false, false},
    {Integrator::kOptimization, "optimization",
     "backward Euler by optimisation: steps of up to a frame; models of explicit", false, true,
     false, false, true, false},
    {Integrator::kSemiImplicit, "semi_implicit",
     "one linear solve for the forces of a step; models of explicit", false, true, false, false,
     true, true},
    {Integrator::kIncompressible, "incompressible", "liquids on a MAC grid", true, false, false,
     true, false, false},
    {Integrator::kThermal, "thermal", "solids and liquids with heat, on a MAC grid", true, true,
     true, false, false, false},
};

// Throws Error{kScene} for one that there is not yet.
inline const IntegratorTraits& traits_of(const Scene& scene) {
  for (const IntegratorTraits& traits : kIntegratorTraits)
    if (traits.integrator == scene.simulation.integrator) return traits;
  throw Error(ErrorCategory::kScene, "simulation.integrator is none of the integrators");
}

// Whether the incompressible integrator solves for viscosity. One as small as water's that takes
// longer than a second to cross a cell is left out, or all scenes of water would pay for it.
inline bool solves_viscosity(const Scene& scene) {
  constexpr double kThin = 1e-2, kSlow = 1;  // Pa s, 1/s
  if (scene.simulation.integrator != Integrator::kIncompressible) return false;
  const double area = scene.grid.dx * scene.grid.dx;
  return std::any_of(scene.materials.begin(), scene.materials.end(), [&](const Material& m) {
    return m.viscosity > kThin || m.viscosity > kSlow * m.density * area;
  });
}
// Whether material moves colliders that have a mass.
inline bool moves_colliders(const Scene& scene) {
  return !traits_of(scene).unified && !traits_of(scene).implicit && !solves_viscosity(scene);
}
// Whether the thermal integrator's deviatoric forces are part of a solve.
inline bool solves_deviatoric(const Scene& scene) {
  return traits_of(scene).unified && scene.thermal.forces == ForceIntegration::kSemiImplicit;
}
// Whether forces are: such a step resolves neither waves nor the spreading of momentum.
inline bool has_implicit_forces(const Scene& scene) {
  return traits_of(scene).implicit || solves_deviatoric(scene);
}

}  // namespace firn
