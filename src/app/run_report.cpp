#include "src/app/run_report.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "firn/error.h"
#include "src/app/format.h"
#include "src/app/going_on.h"
#include "src/app/json_out.h"
#include "src/app/ledger_plots.h"
#include "src/app/sensor_writer.h"
#include "src/app/stopwatch.h"
#include "src/render/video.h"

namespace firn::app {
namespace {

void write_wanted_video(const Scene& scene, const RunDirectory& directory, Progress& progress) {
  if (scene.output.image && scene.output.video && !write_video(scene, directory, progress))
    Progress::warning("no video: there is no ffmpeg; the pictures are in " +
                      directory.image_folder().string());
}

void write_plots(const Scene& scene, const RunDirectory& directory, Progress& progress) {
  if (scene.output.diagnostics == DiagnosticsLevel::kOff) return;
  const std::string title = scene.title.empty() ? scene.name : scene.title;
  if (plot_ledger(directory.ledger(), title, scene.simulation.dimension, directory.plot()))
    progress.line("plots: " + directory.plot().string());
  else
    Progress::warning("no plots: there is no gnuplot; the data are in " +
                      directory.ledger().string());
}

void write_sensor_plots(const Scene& scene, const RunDirectory& directory, Progress& progress) {
  if (scene.sensors.empty()) return;
  const std::string folder = directory.sensor_path("", "").parent_path().string();
  if (plot_sensors(scene, directory))
    progress.line("sensors: " + folder);
  else
    Progress::warning("no plots of sensors: there is no gnuplot; the data are in " + folder);
}

void say_stopped(const RunResult& result, const RunDirectory& directory, const char* why) {
  print_errors(fmt::format("{} in frame {}; a checkpoint is written. Go on with:\n  {}\n", why,
                           result.last.frame + 1, command_to_resume(directory.path().string())));
}

void say_completed(const RunResult& result, const RunDirectory& directory, Progress& progress) {
  const RunTotals& sums = result.totals;
  progress.line(fmt::format("summary: {}", directory.summary().string()));
  progress.line(
      fmt::format("{} frames, {} steps, {} particles in {:.1f} s: {} particle-steps/s on {}",
                  sums.frames, sums.steps, result.last.particles, sums.wall_seconds,
                  format_count(sums.particle_steps_per_second()), result.device));
}

// What takes no time worth mention is left out.
std::string describe(const RunSeconds& seconds) {
  constexpr double kLeast = 0.05;
  std::string parts;
  const auto add = [&](std::string_view name, double spent) {
    if (spent >= kLeast)
      parts += fmt::format("{}{} {:.1f} s", parts.empty() ? "" : ", ", name, spent);
  };
  add("start", seconds.start);
  add("steps", seconds.steps);
  add("pictures", seconds.pictures);
  add("files", seconds.files);
  add("plots", seconds.plots);
  add("video", seconds.video);
  return fmt::format("{}{}{:.1f} s in all", parts, parts.empty() ? "" : "; ", seconds.total);
}

// Where the run has got as far as to write one.
void print_summary_of(const Error& error, const RunDirectory& directory) {
  std::ifstream file(directory.summary());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.value("message", "") == error.what()) print_summary(text, directory);
}

}  // namespace

void print_summary(const std::string& summary, const RunDirectory& directory) {
  Json json = Json::parse(summary);
  json["directory"] = directory.path().string();
  print_json(json);
}

bool write_video(const Scene& scene, const RunDirectory& directory, Progress& progress) {
  const std::vector<int> frames = directory.image_frames();
  if (frames.empty())
    throw Error(ErrorCategory::kFile, directory.path().string() +
                                          ": no video: the run has no pictures; go on with it "
                                          "with 'firn resume', --set output.image=true");
  const std::string path = directory.video().string();
  if (!encode_video(directory.image_folder().string(), frames.front(), scene.simulation.fps, path))
    return false;
  for (std::size_t i = 1; i < frames.size(); ++i)
    if (frames[i] != frames[i - 1] + 1) {
      Progress::warning(
          fmt::format("the video ends with frame {}: the picture of frame {} is missing",
                      frames[i - 1], frames[i - 1] + 1));
      break;
    }
  progress.line("video: " + path);
  return true;
}

void write_plots_and_video(const Scene& scene, const RunDirectory& directory, Progress& progress,
                           RunSeconds& seconds) {
  for (const auto& [write, sum] :
       {std::pair{&write_plots, &seconds.plots}, std::pair{&write_sensor_plots, &seconds.plots},
        std::pair{&write_wanted_video, &seconds.video}})
    try {
      const Stopwatch watch(*sum);
      write(scene, directory, progress);
    } catch (const Error& error) {
      Progress::warning(error.what());
    }
}

void report_end(const RunResult& result, const RunDirectory& directory, Progress& progress) {
  progress.end();
  if (result.end == RunEnd::kInterrupted) say_stopped(result, directory, "interrupted");
  if (result.end == RunEnd::kTimeSpent) say_stopped(result, directory, "stopped by --max-time");
  if (result.end == RunEnd::kCompleted) say_completed(result, directory, progress);
  progress.line(describe(result.seconds));
}

std::optional<std::string> summary_of_whole_run(const RunDirectory& directory) {
  std::ifstream file(directory.summary());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.value("completed", false)) return std::nullopt;
  return text;
}

int run_and_report(const Scene& scene, const RunDirectory& directory, const Options& options,
                   Progress& progress, std::optional<Checkpoint> from) try {
  const RunResult result = run_scene(scene, directory, options, progress, std::move(from));
  report_end(result, directory, progress);
  if (options.json) print_summary(result.summary, directory);
  return result.exit_code();
} catch (const Error& error) {
  if (options.json) print_summary_of(error, directory);
  throw;
}

std::string to_json(const RunState& state) {
  const Json json = {{"scene", state.scene_name},
                     {"planned_frames", state.planned_frames},
                     {"totals", Json::parse(state.totals.to_json())},
                     {"files", state.files},
                     {"sensors", state.sensors},
                     {"view", state.view},
                     {"frame_seconds", state.frame_seconds}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunState run_state(const Checkpoint& checkpoint, const std::string& origin) try {
  const Json json = Json::parse(checkpoint.stats_json);
  return {json.at("scene"),
          json.at("planned_frames"),
          RunTotals::from_json(json.at("totals").dump(), origin),
          json.at("files"),
          json.value("sensors", std::vector<double>()),
          json.value("view", std::vector<double>()),
          json.value("frame_seconds", 0.0)};
} catch (const Json::exception& error) {
  throw Error(ErrorCategory::kFile,
              origin + ": cannot read the state of the run in the checkpoint: " + error.what());
}

}  // namespace firn::app
