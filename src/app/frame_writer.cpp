#include "src/app/frame_writer.h"

#include <algorithm>

#include "src/io/particle_files.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

std::optional<int> last_kept(const std::optional<FrameWriter::Resumed>& resumed) {
  return resumed ? std::optional(resumed->after) : std::nullopt;
}

}  // namespace

FrameWriter::FrameWriter(const Scene& scene, const RunDirectory& directory,
                         const std::optional<Resumed>& resumed)
    : scene_(scene), directory_(directory), stats_(directory.stats(), last_kept(resumed)) {
  if (scene.output.image) {
    Scene planned = scene;
    if (resumed) planned.simulation.frames = resumed->planned_frames;
    renderer_.emplace(planned);
    colliders_.emplace(scene);
    if (resumed) draw(resumed->first, {}, {}, 0);  // the first picture fixes camera and colours
  }
  if (scene.output.diagnostics != DiagnosticsLevel::kOff)
    ledger_.emplace(directory.ledger(), scene, last_kept(resumed));
}

SnapshotParts FrameWriter::shown_parts(const Scene& scene) {
  return {shows_channel(scene, "deformation_gradient"), shows_channel(scene, "stress"),
          shows_channel(scene, "pressure")};
}

void FrameWriter::write(const Simulation& simulation, const FrameStats& stats) {
  if (renderer_ || !scene_.output.particles.empty()) {
    const Snapshot snapshot = simulation.snapshot(shown_parts(scene_)),
                   tracers = simulation.tracers();
    write_particles(snapshot, tracers, stats.frame);
    if (renderer_)
      write_png(directory_.image_path(stats.frame).string(),
                draw(snapshot, tracers, simulation.colliders(), stats.time));
  }
  if (ledger_) ledger_->write(stats);
  stats_.write(stats, scene_);
}

Image FrameWriter::draw(const Snapshot& snapshot, const Snapshot& tracers,
                        const std::vector<ColliderState>& colliders, double time) {
  return renderer_->render(snapshot, time, colliders_->poses(colliders),
                           colliders_->surfaces(colliders), tracers);
}

void FrameWriter::write_particles(const Snapshot& snapshot, const Snapshot& tracers,
                                  int frame) const {
  for (const std::string& format : scene_.output.particles) {
    const auto write = format == "npz" ? write_npz : write_ply;
    write(directory_.particle_path(frame, format), snapshot, scene_.output.channels);
    if (tracers.size() > 0)
      write(directory_.tracer_path(frame, format), tracers, tracer_channels());
  }
}

void FrameWriter::sync() {
  if (ledger_) ledger_->sync();
  stats_.sync();
}

}  // namespace firn::app
