// Which phase a piece of material is in, and which phases its temperature allows at the start: one
// rule for the scene reader, which sees constants, and for whoever places particles, who sees each.
#pragma once

#include <optional>
#include <string>

#include "firn/scene.h"

namespace firn {

// Whether the material has no solid phase: its shear modulus is 0.
bool never_solid(const Material& material);
// Whether it has a liquid one.
bool may_flow(const Material& material);

// Why a particle of this temperature (K) cannot start in `phase`, whatever its own melting point
// within the jitter; nothing if it can. At its melting point a particle may have either phase.
std::optional<std::string> phase_conflict(const Material& material, Phase phase,
                                          double temperature);

// The phase in which a particle starts whose body or source says `said` and whose own melting point
// is `melting_point` (only asked for where the material has one). Its latent heat buffer is then
// empty (solid) or full (liquid).
Phase starting_phase(const Material& material, std::optional<Phase> said, double temperature,
                     double melting_point);

}  // namespace firn
