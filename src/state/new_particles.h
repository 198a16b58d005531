// Particles that come from outside, checked against the scene.
#pragma once

#include "firn/simulation.h"
#include "src/state/batch.h"

namespace firn {

// Throws Error{kScene} as Simulation::add_particles says.
ParticleBatch checked_batch(const Scene& scene, const NewParticles& particles);

}  // namespace firn
