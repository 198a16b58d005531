// Turns a fault that a kernel recorded into the error a person reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firn/error.h"
#include "kernels/step/control.h"

namespace firn {

// Names a particle for messages: 'particle 17 of body "ball" (material "snow")'.
using ParticleNamer = std::function<std::string(std::uint32_t id)>;

// State of the particle a fault names, as far as it is known.
struct FaultyParticle {
  std::uint32_t id = 0;
  std::string position, velocity;  // "(x, y, z)"
};

// "vector" for messages.
std::string format_vector(const double* v, int n);

Error diverged_error(const StepControl& control, const FaultyParticle& particle,
                     const ParticleNamer& namer, const std::string& limiting_material,
                     double dt_min);

// A pressure solve that missed its tolerance in every shorter step that was tried.
Error unsolved_error(const StepControl& control, double residual, double tolerance,
                     std::uint32_t iterations);

// Liquid that is forced into a region without air: it holds 1 + excess times what fits.
Error squeezed_error(const StepControl& control, double excess);

}  // namespace firn
