// Where the colliders of a run were at its frames: by their key frames, and where material moves
// them by what stats.jsonl says.
#pragma once

#include <map>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/io/run_directory.h"

namespace firn::app {

class RecordedBodies {
 public:
  // The scene must outlive it. Lines that are none of stats.jsonl are left out.
  RecordedBodies(const Scene& scene, const RunDirectory& directory);

  // As Simulation::colliders of the frame, which was at `time`, s.
  std::vector<ColliderState> at(int frame, double time) const;
  // Whether all that material moves is known then; the others are where they began.
  bool knows(int frame) const;

 private:
  struct Body {
    Vec3 center{};  // of mass
    ColliderState state;
  };
  const Scene& scene_;
  std::vector<Vec3> pivots_;  // by collider: its centre of mass in the scene
  std::map<int, std::map<std::size_t, Body>> frames_;
};

}  // namespace firn::app
