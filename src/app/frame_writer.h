// What a run writes for each frame: picture, particle files, a row of the ledger, a line of
// statistics.
#pragma once

#include <optional>

#include "firn/render.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/diagnostics/ledger.h"
#include "src/io/run_directory.h"

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

  void write(const Simulation& simulation, const FrameStats& stats);
  void sync();  // before a checkpoint, so that it never knows of more frames than the tables

 private:
  void write_particles(const Shown& shown, int frame) const;

  const Scene& scene_;
  const RunDirectory& directory_;
  std::optional<SceneRenderer> renderer_;
  std::optional<LedgerWriter> ledger_;
  StatsWriter stats_;
};

}  // namespace firn::app
