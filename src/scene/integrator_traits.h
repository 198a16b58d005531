// What tells the integrators apart, in one table: whoever has to know asks it, not the name.
#pragma once

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
};

inline constexpr IntegratorTraits kIntegratorTraits[] = {
    {Integrator::kExplicit, "explicit", "symplectic Euler; every model but liquids", false, true,
     false, false},
    {Integrator::kIncompressible, "incompressible", "liquids on a MAC grid", true, false, false,
     true},
    {Integrator::kThermal, "thermal", "solids and liquids with heat, on a MAC grid", true, true,
     true, false},
};

// Throws Error{kScene} for one that there is not yet.
inline const IntegratorTraits& traits_of(const Scene& scene) {
  for (const IntegratorTraits& traits : kIntegratorTraits)
    if (traits.integrator == scene.simulation.integrator) return traits;
  throw Error(ErrorCategory::kScene,
              "simulation.integrator: only \"explicit\", \"incompressible\" and \"thermal\" are "
              "available in this version");
}

// Whether deviatoric forces are part of a solve: such a step resolves neither waves nor the
// spreading of momentum.
inline bool has_implicit_forces(const Scene& scene) {
  return traits_of(scene).unified && scene.thermal.forces == ForceIntegration::kSemiImplicit;
}

}  // namespace firn
