// What a run writes for each frame: picture, particle files, a row of the ledger, a line of
// statistics.
#pragma once

#include <optional>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/app/collider_view.h"
#include "src/diagnostics/ledger.h"
#include "src/io/run_directory.h"
#include "src/render/render.h"

namespace firn::app {

class FrameWriter {
 public:
  // The state at the start of the run that goes on, and how long that run was meant to be then:
  // they fix camera and colours. Rows of frames after `after` are cut off and written anew.
  struct Resumed {
    const Snapshot& first;
    int planned_frames, after;
  };

  // Scene and directory must outlive the writer.
  FrameWriter(const Scene& scene, const RunDirectory& directory,
              const std::optional<Resumed>& resumed);

  // What of the particles the pictures and particle files of a scene show.
  static SnapshotParts shown_parts(const Scene& scene);

  void write(const Simulation& simulation, const FrameStats& stats);
  void sync();  // before a checkpoint, so that it never knows of more frames than the tables

 private:
  Image draw(const Snapshot& snapshot, const Snapshot& tracers,
             const std::vector<ColliderState>& colliders, double time);
  void write_particles(const Snapshot& snapshot, const Snapshot& tracers, int frame) const;

  const Scene& scene_;
  const RunDirectory& directory_;
  std::optional<Renderer> renderer_;
  std::optional<ColliderView> colliders_;
  std::optional<LedgerWriter> ledger_;
  StatsWriter stats_;
};

}  // namespace firn::app
