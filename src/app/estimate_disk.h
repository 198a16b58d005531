// How much disk a run will take.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn::app {

// Of the channels of a particle file, positions included: asks the writers, with one particle.
double bytes_per_particle(const Scene& scene, const std::vector<std::string>& channels);

struct DiskEstimate {
  double particle_files = 0, picture = 0;  // bytes per frame
  double checkpoint = 0;                   // bytes of one
  int checkpoints_kept = 0;
  int frames = 0;  // that are written, with the initial one

  double per_frame() const { return particle_files + picture; }
  double total() const { return frames * per_frame() + checkpoints_kept * checkpoint; }
};

// Particle files to within their headers; pictures and checkpoints roughly.
DiskEstimate estimate_disk(const Scene& scene, const SceneEstimate& need);

}  // namespace firn::app
