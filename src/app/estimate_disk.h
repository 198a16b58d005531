// How much disk a run will take.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn::app {

// Of the channels of one particle, positions included, as they lie in memory.
double bytes_per_particle(const Scene& scene, const std::vector<std::string>& channels);

struct DiskEstimate {
  double particle_files = 0, picture = 0;  // bytes per frame; volumes count as particle files
  double checkpoint = 0;                   // bytes of one
  int checkpoints_kept = 0;
  int frames = 0;                 // that are written, with the initial one
  double video = 0, records = 0;  // of the run; records: ledger, statistics, sensors, their plots

  double per_frame() const { return particle_files + picture; }
  double total() const {
    return frames * per_frame() + checkpoints_kept * checkpoint + video + records;
  }
};

// Particle files that are not compressed to within their headers; all else roughly.
DiskEstimate estimate_disk(const Scene& scene, const SceneEstimate& need);

}  // namespace firn::app
