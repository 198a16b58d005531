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

// A pressure solve that missed its tolerance in every shorter step that was tried.
Error unsolved_error(const StepControl& control, double residual, double tolerance,
                     std::uint32_t iterations);

// Liquid that is forced into a region without air: it holds 1 + excess times what fits.
Error squeezed_error(const StepControl& control, double excess);

}  // namespace firn
