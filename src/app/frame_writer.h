// What a run writes for each frame: picture, particle files, volumes, a row of the ledger, a line
// of statistics.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "firn/render.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/app/particle_writer.h"
#include "src/app/surface_writer.h"
#include "src/diagnostics/ledger.h"
#include "src/io/run_directory.h"

namespace firn::app {

// Throws Error{kScene} where this build cannot write what the scene asks for.
void require_outputs(const Scene& scene);

class FrameWriter {
 public:
  // The state at the start of the run that goes on, and how long that run was meant to be then:
  // they fix camera and colours; and what the camera has followed since. Frames after `after` are
  // given up, and written anew.
  struct Resumed {
    const Snapshot& first;
    int planned_frames, after;
    const std::vector<double>& view;
  };

  // Scene and directory must outlive the writer. Throws where it could not go on; all that is there
  // then still is.
  FrameWriter(const Scene& scene, const RunDirectory& directory,
              const std::optional<Resumed>& resumed);

  // Removes the files and rows of later frames. Once, before anything of another frame is written.
  void give_up_frames_after(int frame);

  // The picture of a simulation on a device is made beside the steps that follow, else its file is
  // written beside them; what goes wrong with it is thrown by the next call of any of these. Adds
  // to the seconds of pictures and files.
  void write(const Simulation& simulation, const FrameStats& stats, RunSeconds& seconds);
  void finish_picture(RunSeconds& seconds);
  // The last frame of which all is there, -1 if there is none; waits for its picture.
  int last_whole();
  // Before a checkpoint, so that it never knows of more frames than pictures and tables.
  void sync(RunSeconds& seconds);
  // What the camera has followed until the last picture; behind sync.
  std::vector<double> view_state() const;

 private:
  void write_picture(Shown shown, int frame, bool beside);
  void start_picture(const std::function<void()>& make);

  const Scene& scene_;
  const RunDirectory& directory_;
  ParticleWriter particles_;
  SurfaceWriter surfaces_;
  std::optional<SceneRenderer> renderer_;
  std::optional<LedgerWriter> ledger_;
  StatsWriter stats_;
  int written_ = -1, whole_ = -1;  // frames: the last one, and the last one with its picture
  std::future<void> picture_;      // behind what it needs: it is waited for first
};

}  // namespace firn::app
