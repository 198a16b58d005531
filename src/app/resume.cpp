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
                directory.path().string() +
                    (warnings.empty() ? ": there is no checkpoint to resume from; start the run "
                                        "again with 'firn run SCENE --overwrite'"
                                      : ": none of its checkpoints can be read"));
  return std::move(*checkpoint);
}

// The frames that a table of the folder has, by the number that `frame_of` finds in a line. A line
// without an end is torn, and will be cut off.
template <class FrameOf>
std::set<int> frames_in(const std::filesystem::path& table, const FrameOf& frame_of) {
  std::ifstream file(table);
  std::set<int> frames;
  for (std::string line; std::getline(file, line) && !file.eof();)
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
      table.string(),
      all ? "there are no rows"
          : fmt::format("{} {} missing", lost, lost == 1 ? "row is" : "rows are"),
      frame, all ? "" : fmt::format(", of frame {} first", first)));
}

// Whether the last line has no end, though it is of a reading up to `time`, s.
bool is_torn(const std::filesystem::path& table, double time) {
  std::ifstream file(table);
  std::string line;
  while (std::getline(file, line) && !file.eof()) line.clear();
  double at = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
  return error == std::errc() && end != line.data() && at <= time;
}

// What lies before the checkpoint is written by nobody again.
void warn_of_gaps(const Scene& scene, const RunDirectory& directory, int frame) {
  warn_of_lost_rows(directory.stats(), frames_in(directory.stats(), frame_of_record), frame);
  if (scene.output.diagnostics != DiagnosticsLevel::kOff)
    warn_of_lost_rows(directory.ledger(), frames_in(directory.ledger(), frame_of_row), frame);
  for (const Sensor& sensor : scene.sensors) {
    const auto table = directory.sensor_path(sensor.name, "csv");
    if (!std::filesystem::exists(table))
      Progress::warning(
          fmt::format("{}: there is no such file; it will begin with readings behind frame {}",
                      table.string(), frame));
    else if (is_torn(table, frame / scene.simulation.fps))
      Progress::warning(fmt::format("{}: its last reading is torn; the table goes on without it",
                                    table.string()));
  }
}

Scene scene_of(const Checkpoint& checkpoint, const RunDirectory& directory, const std::string& file,
               const Options& options) {
  Scene scene = scene::continue_scene(file, checkpoint.scene_toml, scene_options(options));
  const RunState state = run_state(checkpoint, directory.checkpoints().string());
  require_continuable(scene, state.files, checkpoint.frame);
  scene.name = state.scene_name;
  return scene;
}

}  // namespace

int go_on(const RunDirectory& directory, const std::string& file, const Options& options) {
  Checkpoint checkpoint = choose_checkpoint(directory, options);
  const Scene scene = scene_of(checkpoint, directory, file, options);
  warn_of_gaps(scene, directory, checkpoint.frame);
  Progress progress(options);
  if (checkpoint.frame >= scene.simulation.frames)
    progress.line("the run has all its frames; --frames N goes further");
  return run_and_report(scene, directory, options, progress, std::move(checkpoint));
}

int resume(const Options& options) {
  const InterruptGuard guard;
  const RunDirectory directory = RunDirectory::open(options.target);
  return go_on(directory, directory.scene().string(), options);
}

}  // namespace firn::app
