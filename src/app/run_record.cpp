#include "src/app/run_record.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "firn/version.h"
#include "src/app/going_on.h"
#include "src/app/machine.h"
#include "src/io/atomic_file.h"
#include "src/io/checkpoint.h"
#include "src/run/energy_watch.h"
#include "src/scene/input_files.h"
#include "src/scene/integrator_traits.h"

namespace firn::app {
namespace {

bool is_outside(const Scene& scene, const ColliderState& body) {
  if (!scene.grid.domain) return false;
  for (std::size_t a = 0; a < static_cast<std::size_t>(scene.simulation.dimension); ++a) {
    const double at = body.pivot[a] + body.translation[a];
    if (at < scene.grid.domain->min[a] || at > scene.grid.domain->max[a]) return true;
  }
  return false;
}

// By what it began with: 64 bits of FNV-1a.
std::string identity_of(const Scene& scene, const std::map<std::string, std::string>& files) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  add(scene.resolved_toml);
  for (const auto& [path, sum] : files) add(path), add(sum);
  return fmt::format("{:016x}", hash);
}

}  // namespace

void RunRecord::open(const Scene& scene, const std::optional<FrameWriter::Resumed>& resumed,
                     std::optional<double> time) {
  readings_.reset();
  writer_.reset();
  scene_ = scene;
  writer_.emplace(scene_, directory_, resumed);
  readings_.emplace(scene_, *sensors_, directory_, time);
  write_file_atomically(directory_.scene(), scene_.resolved_toml);
}

void RunRecord::count_start() {
  seconds_.start = seconds_since(started_) - seconds_.pictures - seconds_.files;
}

void RunRecord::begin(const Scene& scene, const Simulation& simulation, Clock::time_point started) {
  started_ = started;
  seconds_ = {};
  saved_ = Clock::now();
  told_ = {};
  earlier_seconds_ = 0;
  is_whole_ = false;
  state_ = {scene.name, scene.simulation.frames, {}, input_files(scene)};
  sensors_.emplace(scene);
  writer_.reset();
  whole_ = -1;
  directory_.remove_older_run();
  directory_.set_origin(identity_of(scene, state_.files));
  open(scene, std::nullopt, std::nullopt);
  last_ = simulation.stats();
  told_.began = last_.totals;
  state_.totals.add(last_);
  for (const SensorReading& reading : sensors_->read(simulation)) readings_->write(reading);
  writer_->write(simulation, last_, seconds_);
  count_start();
}

void RunRecord::resume(const Scene& scene, const Simulation& simulation, const Snapshot& first,
                       const Checkpoint& from, Clock::time_point started) {
  started_ = started;
  state_ = run_state(from, directory_.checkpoints().string());
  earlier_seconds_ = state_.frame_seconds;
  const std::optional<std::string> summary = summary_of_whole_run(directory_);
  is_whole_ =
      summary && from.frame >= scene.simulation.frames && scene.resolved_toml == from.scene_toml;
  if (is_whole_) summary_ = *summary;
  sensors_.emplace(scene);
  sensors_->set_state(state_.sensors);
  open(scene, FrameWriter::Resumed{first, state_.planned_frames, from.frame, state_.view},
       simulation.time());
  // Nothing is in the way of going on. Checkpoints are the first to go: a later one would go on
  // without the rows that the tables then lose.
  prune_checkpoints(directory_.checkpoints(), from.frame, scene.output.keep_checkpoints);
  writer_->give_up_frames_after(from.frame);
  readings_->sync();
  last_ = simulation.stats();
  whole_ = last_.frame;
  count_start();
}

void RunRecord::change(const Scene& scene, const Simulation& simulation, const Snapshot& first) {
  writer_->sync(seconds_);
  state_.view = writer_->view_state();
  Sensors sensors(scene);
  sensors.set_state(sensors_->state());
  sensors_.emplace(std::move(sensors));
  last_ = simulation.stats();
  whole_ = last_.frame;
  open(scene, FrameWriter::Resumed{first, state_.planned_frames, last_.frame, state_.view},
       simulation.time());
  writer_->give_up_frames_after(last_.frame);  // there are none: lists begin with those before
}

bool RunRecord::advance_frame(Simulation& simulation, const Observer& observer) {
  const Stopwatch watch(seconds_.steps);
  const Stopwatch of_frame(state_.frame_seconds);
  return sensors_->advance_frame(
      simulation, [this](const SensorReading& reading) { readings_->write(reading); }, observer);
}

void RunRecord::complete_frame(const Simulation& simulation) {
  FrameStats stats = simulation.stats();
  stats.wall_seconds += std::exchange(earlier_seconds_, 0);
  state_.frame_seconds = 0;
  directory_.require_own();
  writer_->finish_picture(seconds_);
  warn_of_what_is_not_kept(stats);
  warn_of_collapse(stats);
  writer_->write(simulation, stats, seconds_);
  last_ = stats;
  state_.totals.add(last_);
  const int every = scene_.output.checkpoint_every;
  const bool due =
      every > 0 && (last_.frame % every == 0 || seconds_since(saved_) >= checkpoint_time_);
  if (due && last_.frame < scene_.simulation.frames) save_checkpoint(simulation);
}

// Once each.
void RunRecord::warn_of_what_is_not_kept(const FrameStats& now) {
  const DiagnosticsSettings& bounds = scene_.diagnostics;
  const bool solids = traits_of(scene_).unified;
  const auto passes = [](double before, double after, double bound) {
    return before <= bound && after > bound;
  };
  if (passes(state_.totals.energy_growth, now.energy.growth, bounds.energy_growth))
    Progress::warning(describe_growth(scene_, now.energy, now.frame));
  told_.squeezed.resize(scene_.materials.size());
  for (const int m : now.squeezed)
    if (!told_.squeezed[static_cast<std::size_t>(m)]) {
      told_.squeezed[static_cast<std::size_t>(m)] = true;
      Progress::warning(fmt::format(
          "material '{}': some of it is squeezed flat, to less than a thousandth of its "
          "volume, in frame {}; fixed_corotated hardly pushes back from there and may "
          "leave it so, model = \"neo_hookean\" does push back",
          scene_.materials[static_cast<std::size_t>(m)].name, now.frame));
    }
  told_.left.resize(scene_.colliders.size());
  for (std::size_t i = 0; i < now.colliders.size(); ++i) {
    const ColliderState& body = now.colliders[i];
    if (!body.dynamic || told_.left[i] || !is_outside(scene_, body)) continue;
    told_.left[i] = true;
    Progress::warning(
        fmt::format("collider \"{}\", which material moves, has left the domain in frame {}: "
                    "open and periodic faces let it pass, and all do without 'collides'",
                    scene_.colliders[i].name, now.frame));
  }
  if (passes(state_.totals.lost_volume, now.lost_volume, bounds.volume_loss))
    Progress::warning(fmt::format(
        "{} have lost {:.3g} % of their volume until frame {}: {}",
        solids ? "materials" : "liquids", 100 * now.lost_volume, now.frame,
        solids ? "they are compressed, or particles lie too close together, which shorter steps "
                 "(time.cfl) keep apart"
               : "particles lie too close together; fluid.density_correction = true and shorter "
                 "steps (time.cfl) keep them apart"));
}

// Material too soft for its weight falls together to next to nothing, and stays there quietly.
void RunRecord::warn_of_collapse(const FrameStats& now) {
  constexpr double kCollapsed = 0.1;  // snow that is rolled flat keeps twice that
  if (!(now.totals.mass > 0) || told_.collapsed) return;
  // What comes or goes may be of another density.
  if (std::abs(now.totals.mass - told_.began.mass) > 1e-6 * told_.began.mass)
    told_.began = now.totals;
  told_.collapsed = now.totals.volume < kCollapsed * told_.began.volume;
  if (told_.collapsed)
    Progress::warning(
        fmt::format("the material has fallen together to {:.2g} % of its volume until frame {}: it "
                    "is too soft for what it bears; check the units of its stiffness (Pa)",
                    100 * now.totals.volume / told_.began.volume, now.frame));
}

std::filesystem::path RunRecord::save_checkpoint(const Simulation& simulation) {
  directory_.require_own();
  writer_->sync(seconds_);
  const Stopwatch watch(seconds_.files);
  readings_->sync();
  state_.sensors = sensors_->state();
  state_.view = writer_->view_state();
  auto path = write_checkpoint(
      directory_.checkpoints(),
      {last_.frame, last_.time, scene_.resolved_toml, to_json(state_), simulation.save_state()},
      scene_.output.keep_checkpoints);
  saved_ = Clock::now();
  progress_.detail("checkpoint: " + path.string());
  return path;
}

void RunRecord::write_summary(const Simulation& simulation, const std::string& message) {
  seconds_.total = seconds_since(started_);
  const RunOutcome outcome{simulation.device_name(), kVersion, message.empty(), message, seconds_,
                           process_peak_bytes()};
  summary_ = summary_json(scene_, outcome, state_.totals, last_);
  directory_.require_own();
  write_file_atomically(directory_.summary(), summary_);
}

void RunRecord::end(const Simulation& simulation, const std::string& message) {
  if (is_whole_) return write_plots_and_video(scene_, directory_, progress_, seconds_);
  write_summary(simulation, message);
  if (!message.empty()) return;
  write_plots_and_video(scene_, directory_, progress_, seconds_);
  write_summary(simulation, message);  // the rest of the times
}

Error out_of_memory() {
  return {ErrorCategory::kDevice,
          "out of memory; use fewer particles (a larger grid.dx or fewer particles_per_cell)"};
}

Error RunRecord::failed(const Simulation& simulation, const Error& error) {
  const std::string folder = directory_.path().string();
  if (writer_) whole_ = writer_->last_whole();
  if (!directory_.is_own()) return error;
  std::string kept = whole_ < 0 ? "no frame is complete"
                                : fmt::format("the last good frame is {}; its files are kept in {}",
                                              whole_, folder);
  // Not the scene's fault: with a device that works, more memory or room on the disk it would go
  // on.
  if (error.category() != ErrorCategory::kDiverged &&
      !list_checkpoints(directory_.checkpoints()).empty())
    kept += "\nthe last checkpoint goes on with:  " + command_to_resume(folder);
  const std::string message = std::string(error.what()) + "\n" + kept;
  try {
    write_summary(simulation, message);
  } catch (const Error&) {  // a full disk, say: the first failure is the one to report
  }
  const Divergence* where = error.divergence();
  return where ? Error(error.category(), message, *where) : Error(error.category(), message);
}

}  // namespace firn::app
