// `firn resume`: goes on from a checkpoint in the folder of a run.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/going_on.h"
#include "src/app/interrupt.h"
#include "src/app/json_out.h"
#include "src/app/run_loop.h"
#include "src/app/run_report.h"
#include "src/scene/continuation.h"

namespace firn::app {
namespace {

Checkpoint choose_checkpoint(const RunDirectory& directory, const Options& options) {
  if (options.from && !options.checkpoint.empty())
    throw Error(ErrorCategory::kScene, "--from: give either this or --checkpoint");
  if (options.from) return read_checkpoint(find_checkpoint(directory.checkpoints(), *options.from));
  if (!options.checkpoint.empty()) return read_checkpoint(options.checkpoint);
  std::string warnings;
  auto checkpoint = read_latest_valid_checkpoint(directory.checkpoints(), &warnings);
  if (!warnings.empty()) {
    warnings.pop_back();  // its last newline
    Progress::warning(warnings);
  }
  if (!checkpoint)
    throw Error(ErrorCategory::kFile,
                fmt::format("{}: there is no checkpoint to resume from; start the run again with "
                            "'firn run SCENE --overwrite'",
                            directory.path().string()));
  return std::move(*checkpoint);
}

// The last frame that the tables of the folder have.
int last_recorded(const RunDirectory& directory) {
  std::ifstream file(directory.stats());
  int last = -1;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("frame") && json["frame"].is_number_integer())
      last = std::max(last, json["frame"].get<int>());
  }
  return last;
}

void warn_of_gap(const RunDirectory& directory, int frame) {
  const int last = last_recorded(directory);
  if (last < frame)
    Progress::warning(
        fmt::format("this folder has frames up to {}, and the checkpoint is of frame "
                    "{}: what lies between is in none of its files",
                    last, frame));
}

Scene scene_of(const Checkpoint& checkpoint, const RunDirectory& directory,
               const Options& options) {
  Scene scene = scene::continue_scene(directory.scene().string(), checkpoint.scene_toml,
                                      scene_options(options));
  const RunState state = run_state(checkpoint, directory.checkpoints().string());
  require_continuable(scene, state.files, checkpoint.frame);
  scene.name = state.scene_name;
  return scene;
}

}  // namespace

int resume(const Options& options) {
  const InterruptGuard guard;
  const RunDirectory directory = RunDirectory::open(options.target);
  Checkpoint checkpoint = choose_checkpoint(directory, options);
  const Scene scene = scene_of(checkpoint, directory, options);
  if (!options.checkpoint.empty()) warn_of_gap(directory, checkpoint.frame);
  Progress progress(options);
  if (checkpoint.frame >= scene.simulation.frames)
    progress.line("the run has all its frames; --frames N goes further");
  const RunResult result = run_scene(scene, directory, options, progress, std::move(checkpoint));
  report_end(result, directory, options, progress);
  return result.exit_code();
}

}  // namespace firn::app
