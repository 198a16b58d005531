// The re-bucketing of particles that lie in memory in no order at all, for `firn bench sort`: what
// the rebuild stage never meets in a run, where particles move less than a cell per step.
#pragma once

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

// Seconds of one rebuild (layout found, every channel permuted) of the scene's first body with its
// particles in random order; the fastest of several. 3D scenes. Throws Error{kDevice}.
double bench_shuffled_rebuild(const Scene& scene, const RunOptions& options);

}  // namespace firn
