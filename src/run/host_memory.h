// How much host memory a simulation takes for a while beside its stores: as it is filled, as it is
// saved, as it is looked at. Follows what batch.cpp, channel_plan.h and
// particle_stepper_reports.inl do, list by list.
#pragma once

#include <algorithm>
#include <cstddef>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

// Adds up what is held, and remembers the most that was there at once.
class MemoryTally {
 public:
  // Negative: given back.
  void hold(double bytes) {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  // Taken and given back before the next.
  void pass(double bytes) { peak_ = std::max(peak_, held_ + bytes); }

  double held() const { return held_; }
  double peak() const { return peak_; }

 private:
  double held_ = 0, peak_ = 0;
};

// Of the largest body's particles on their way into the store.
double fill_bytes(const Scene& scene, const SceneEstimate& need);

// Of Simulation::save_state.
double save_bytes(const Scene& scene, const SceneEstimate& need);

// Of Simulation::snapshot: what it returns, and the most while it is made.
MemoryTally snapshot_bytes(const Scene& scene, const SceneEstimate& need,
                           const SnapshotParts& parts);

}  // namespace firn
