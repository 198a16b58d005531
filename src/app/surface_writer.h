// The surfaces of frames in the layout of a run's folder: what `firn run` writes as frames come and
// `firn mesh` afterwards.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/io/run_directory.h"
#include "src/io/surface_file.h"
#include "src/surface/walls.h"

namespace firn::app {

class SurfaceWriter {
 public:
  // Formats by their names. Scene and directory must outlive the writer. Throws Error{kScene} for a
  // 2D scene, for a format that is not there, and in a build without OpenVDB.
  SurfaceWriter(const Scene& scene, const RunDirectory& directory,
                const std::vector<std::string>& formats);

  bool writes() const { return !formats_.empty(); }
  // Needs positions, velocities, materials, bodies and volumes; writes temperatures and ids where
  // there are some. `colliders`: where they are.
  void write(const Snapshot& particles, const std::vector<ColliderState>& colliders,
             const FrameMark& mark, bool ids_are_known = true) const;

 private:
  const Scene& scene_;
  const RunDirectory& directory_;
  std::optional<SceneWalls> walls_;  // if it writes
  std::vector<const SurfaceFormat*> formats_;
  std::map<std::pair<int, int>, SurfaceLayer> surfaces_;  // by material and body, empty
};

}  // namespace firn::app
