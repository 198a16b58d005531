#include "src/app/frame_writer.h"

#include "src/io/particle_files.h"

namespace firn::app {

FrameWriter::FrameWriter(const Scene& scene, const RunDirectory& directory, const Snapshot& first,
                         int planned_frames, std::optional<int> resume_after)
    : scene_(scene), directory_(directory), stats_(directory.stats(), resume_after) {
  if (scene.output.image) {
    Scene planned = scene;
    planned.simulation.frames = planned_frames;
    renderer_.emplace(planned);
    colliders_.emplace(scene);
    if (resume_after) draw(first, 0);  // the first picture fixes camera and colours
  }
  if (scene.output.diagnostics != DiagnosticsLevel::kOff)
    ledger_.emplace(directory.ledger(), scene, resume_after);
}

void FrameWriter::write(const Simulation& simulation, const FrameStats& stats) {
  if (renderer_ || !scene_.output.particles.empty()) {
    const Snapshot snapshot = simulation.snapshot();
    write_particles(snapshot, stats.frame);
    if (renderer_)
      write_png(directory_.image_path(stats.frame).string(), draw(snapshot, stats.time));
  }
  if (ledger_) ledger_->write(stats);
  stats_.write(stats, scene_);
}

Image FrameWriter::draw(const Snapshot& snapshot, double time) {
  return renderer_->render(snapshot, time, colliders_->poses(time), colliders_->surfaces(time));
}

void FrameWriter::write_particles(const Snapshot& snapshot, int frame) const {
  for (const std::string& format : scene_.output.particles) {
    const auto path = directory_.particle_path(frame, format);
    (format == "npz" ? write_npz : write_ply)(path, snapshot, scene_.output.channels);
  }
}

void FrameWriter::sync() {
  if (ledger_) ledger_->sync();
  stats_.sync();
}

}  // namespace firn::app
