#include "src/app/live_files.h"

#include "src/io/atomic_file.h"
#include "src/io/checkpoint.h"
#include "src/scene/input_files.h"

namespace firn::app {

void LiveFiles::begin(const Scene& scene, const Simulation& simulation) {
  writer_.reset();
  scene_ = scene;
  state_ = {scene.name, scene.simulation.frames, {}, input_files(scene)};
  directory_.remove_older_run();
  write_file_atomically(directory_.scene(), scene.resolved_toml);
  writer_.emplace(scene_, directory_, std::nullopt);
  complete_frame(simulation, simulation.stats());
}

void LiveFiles::go_on(const Scene& scene, const Snapshot& first, int frame) {
  writer_->sync(seconds_);
  state_.view = writer_->view_state();
  writer_.reset();
  scene_ = scene;
  write_file_atomically(directory_.scene(), scene.resolved_toml);
  writer_.emplace(scene_, directory_,
                  FrameWriter::Resumed{first, state_.planned_frames, frame, state_.view});
}

void LiveFiles::complete_frame(const Simulation& simulation, const FrameStats& stats) {
  state_.totals.add(stats);
  writer_->write(simulation, stats, seconds_);
  const int every = scene_.output.checkpoint_every;
  if (every > 0 && stats.frame > 0 && stats.frame % every == 0) save_checkpoint(simulation);
}

std::string LiveFiles::save_checkpoint(const Simulation& simulation) {
  writer_->sync(seconds_);
  state_.view = writer_->view_state();
  const FrameStats stats = simulation.stats();
  write_checkpoint(
      directory_.checkpoints(),
      {stats.frame, stats.time, scene_.resolved_toml, to_json(state_), simulation.save_state()},
      scene_.output.keep_checkpoints);
  return "firn resume " + directory_.path().string();
}

}  // namespace firn::app
