// `firn resume`: goes on from a checkpoint in the folder of a run.
#include <fmt/format.h>

#include <utility>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/interrupt.h"
#include "src/app/run_loop.h"
#include "src/app/run_report.h"
#include "src/scene/continuation.h"
#include "src/scene/input_files.h"

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

Scene scene_of(const Checkpoint& checkpoint, const RunDirectory& directory,
               const Options& options) {
  Scene scene = scene::continue_scene(directory.scene().string(), checkpoint.scene_toml,
                                      scene_options(options));
  const RunState state = run_state(checkpoint, directory.checkpoints().string());
  require_same_files(scene, state.files);
  scene.name = state.scene_name;
  if (scene.simulation.frames < checkpoint.frame)
    throw Error(ErrorCategory::kScene,
                fmt::format("simulation.frames = {}: the run is already at frame {}; give a larger "
                            "number with --frames, or an earlier checkpoint with --from",
                            scene.simulation.frames, checkpoint.frame));
  return scene;
}

}  // namespace

int resume(const Options& options) {
  const InterruptGuard guard;
  const RunDirectory directory = RunDirectory::open(options.target);
  Checkpoint checkpoint = choose_checkpoint(directory, options);
  const Scene scene = scene_of(checkpoint, directory, options);
  Progress progress(options);
  if (checkpoint.frame >= scene.simulation.frames)
    progress.line("the run has all its frames; --frames N goes further");
  const RunResult result = run_scene(scene, directory, options, progress, std::move(checkpoint));
  report_end(result, directory, options, progress);
  return result.exit_code();
}

}  // namespace firn::app
