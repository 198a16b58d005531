// Turns a fault that a kernel recorded into the error a person reads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "firn/error.h"
#include "kernels/step/control.h"

namespace firn {

// Names a particle for messages: 'particle 17 of body "ball" (material "snow")'.
using ParticleNamer = std::function<std::string(std::uint32_t id)>;

// State of the particle a fault names, as far as it is known.
struct FaultyParticle {
  std::uint32_t id = 0;
  int dimension = 3;
  std::optional<std::array<double, 3>> position, velocity;
  std::string material;
};

Error diverged_error(const StepControl& control, const FaultyParticle& particle,
                     const ParticleNamer& namer, const std::string& limiting_material,
                     double dt_min);

// A linear system of the step, for messages.
struct SystemName {
  const char* solve;     // "pressure"
  const char* residual;  // what its residual is: "a divergence", and in which unit
  const char* unit;
  const char* settings;                  // the table of its limit and its tolerance
  const char* remedy;                    // what else may help, from ", or " on
  const char* limit = "max_iterations";  // the key, or keys
  const char* advice = nullptr;          // in place of raising what is named above
};
inline constexpr SystemName kPressureSystem{
    "pressure", "a divergence", " 1/s", "fluid",
    ", or look for fluid that is forced into a closed space"},
    kUnifiedPressureSystem{"pressure", "a divergence", " 1/s", "thermal.pressure_solve",
                           ", or look for fluid that is forced into a closed space"},
    kHeatSystem{"heat", "a residual", "", "thermal.heat_solve", ""},
    kViscositySystem{.solve = "viscosity",
                     .residual = "a residual",
                     .unit = "",
                     .settings = "fluid",
                     .remedy = "",
                     .advice = "raise fluid.max_iterations or fluid.viscosity_tolerance"},
    kForceSystem{"force", "a residual", "", "thermal.force_solve", ""},
    kNewtonSystem{"implicit",
                  "an imbalance",
                  " kg^(1/2) m/s",
                  "implicit",
                  "",
                  "max_iterations, implicit.max_linear_iterations"},
    kLinearSystem{"implicit", "an imbalance",         " kg^(1/2) m/s", "implicit",
                  "",         "max_linear_iterations"},
    // Newton's method that no step along its directions helps any more.
    kStuckSystem{
        "implicit",
        "an imbalance",
        " kg^(1/2) m/s",
        "implicit",
        "",
        "",
        "it came no further, and more iterations do not help: see whether material is torn "
        "or jammed between colliders, whose edges finer cells resolve; raise "
        "implicit.tolerance, or take integrator \"explicit\""};

// A solve that missed its tolerance in every shorter step that was tried.
Error unsolved_error(const StepControl& control, const SystemName& system, double residual,
                     double tolerance, std::uint32_t iterations);

// Liquid that is forced into a region without air: it holds 1 + excess times what fits.
Error squeezed_error(const StepControl& control, double excess);

}  // namespace firn
