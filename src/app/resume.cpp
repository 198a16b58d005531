// `firn resume`: goes on from a checkpoint in the folder of a run.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
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

// The frames that a table of the folder has, by the number that `frame_of` finds in a line.
template <class FrameOf>
std::set<int> frames_in(const std::filesystem::path& table, const FrameOf& frame_of) {
  std::ifstream file(table);
  std::set<int> frames;
  for (std::string line; std::getline(file, line);)
    if (const std::optional<int> frame = frame_of(line)) frames.insert(*frame);
  return frames;
}

std::optional<int> frame_of_record(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("frame") || !json["frame"].is_number_integer())
    return std::nullopt;
  return json["frame"].get<int>();
}

std::optional<int> frame_of_row(const std::string& line) {
  int frame = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), frame);
  return error == std::errc() && end != line.data() ? std::optional(frame) : std::nullopt;
}

void warn_of_lost_rows(const std::filesystem::path& table, const std::set<int>& frames, int frame) {
  int lost = 0, first = -1;
  for (int f = 0; f <= frame; ++f)
    if (!frames.contains(f) && ++lost == 1) first = f;
  if (lost == 0) return;
  const bool all = lost == frame + 1;
  Progress::warning(fmt::format(
      "{}: {} of frames 0 to {}, which this run has behind it{}; the table goes on without them",
      table.string(), all ? "there are no rows" : fmt::format("{} rows are missing", lost), frame,
      all ? "" : fmt::format(", of frame {} first", first)));
}

// What lies before the checkpoint is written by nobody again.
void warn_of_gaps(const Scene& scene, const RunDirectory& directory, int frame) {
  warn_of_lost_rows(directory.stats(), frames_in(directory.stats(), frame_of_record), frame);
  if (scene.output.diagnostics != DiagnosticsLevel::kOff)
    warn_of_lost_rows(directory.ledger(), frames_in(directory.ledger(), frame_of_row), frame);
  for (const Sensor& sensor : scene.sensors)
    if (const auto table = directory.sensor_path(sensor.name, "csv");
        !std::filesystem::exists(table))
      Progress::warning(
          fmt::format("{}: there is no such file; it will begin with readings behind frame {}",
                      table.string(), frame));
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
  warn_of_gaps(scene, directory, checkpoint.frame);
  Progress progress(options);
  if (checkpoint.frame >= scene.simulation.frames)
    progress.line("the run has all its frames; --frames N goes further");
  const RunResult result = run_scene(scene, directory, options, progress, std::move(checkpoint));
  report_end(result, directory, options, progress);
  return result.exit_code();
}

}  // namespace firn::app
