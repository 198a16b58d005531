// The end of a run: plots and video, what is said about it, and the small state that checkpoints
// carry beside the simulation's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/app/progress.h"
#include "src/app/run_loop.h"
#include "src/diagnostics/ledger.h"
#include "src/io/checkpoint.h"
#include "src/io/run_directory.h"

namespace firn::app {

// Plots of the ledger (with gnuplot) and the video (with ffmpeg). A program that is missing or
// fails is a warning: the run itself is complete. Adds to the seconds of either.
void write_plots_and_video(const Scene& scene, const RunDirectory& directory, Progress& progress,
                           RunSeconds& seconds);

// The video of the pictures that are there, up to the first that is missing. False if there is no
// ffmpeg. Throws Error{kFile} if there are no pictures or ffmpeg fails.
bool write_video(const Scene& scene, const RunDirectory& directory, Progress& progress);

// Prints what the end of a run means and how to go on, and with --json its summary on stdout.
void report_end(const RunResult& result, const RunDirectory& directory, Progress& progress);
// The text of its summary, if it has all its frames.
std::optional<std::string> summary_of_whole_run(const RunDirectory& directory);
void print_summary(const std::string& summary, const RunDirectory& directory);  // as JSON

// As run_scene, and the report of its end; with --json the summary of a run that fails, too.
// Returns the exit code.
int run_and_report(const Scene& scene, const RunDirectory& directory, const Options& options,
                   Progress& progress, std::optional<Checkpoint> from = {});

// What a run knows beside its scene and its simulation; Checkpoint::stats_json holds it.
struct RunState {
  std::string scene_name;  // the scene's text does not hold it
  int planned_frames = 0;  // at the start; pictures are framed for as long a run
  RunTotals totals;
  std::map<std::string, std::string> files;  // input_files, as they were at the start
  std::vector<double> sensors = {};          // Sensors::state
  std::vector<double> view = {};             // SceneRenderer::view_state
  double frame_seconds = 0;                  // of the wall, in steps of the frame that has begun
};
std::string to_json(const RunState& state);
// Throws Error{kFile} that names `origin`.
RunState run_state(const Checkpoint& checkpoint, const std::string& origin);

}  // namespace firn::app
