// What a run that is watched leaves in a folder: the same files as `firn run`, so that
// `firn resume` goes on with it.
#pragma once

#include <optional>
#include <string>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/app/frame_writer.h"
#include "src/app/run_report.h"
#include "src/io/run_directory.h"

namespace firn::app {

class LiveFiles {
 public:
  explicit LiveFiles(RunDirectory directory) : directory_(std::move(directory)) {}

  // In place of what was there before; `first` is the initial state.
  void begin(const Scene& scene, const Simulation& simulation);
  // With a scene that goes on from the last frame; `first` is the initial state.
  void go_on(const Scene& scene, const Snapshot& first, int frame);
  void complete_frame(const Simulation& simulation, const FrameStats& stats);
  // Returns how to go on.
  std::string save_checkpoint(const Simulation& simulation);

 private:
  RunDirectory directory_;
  Scene scene_;
  std::optional<FrameWriter> writer_;
  RunSeconds seconds_;
  RunState state_;
};

}  // namespace firn::app
