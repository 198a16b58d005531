#include "src/app/frame_writer.h"

#include <system_error>
#include <utility>

#include "src/app/picture_files.h"
#include "src/app/stopwatch.h"
#include "src/io/particle_formats.h"
#include "src/io/surface_file.h"
#include "src/render/image.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

std::optional<int> last_kept(const std::optional<FrameWriter::Resumed>& resumed) {
  return resumed ? std::optional(resumed->after) : std::nullopt;
}

}  // namespace

FrameWriter::FrameWriter(const Scene& scene, const RunDirectory& directory,
                         const std::optional<Resumed>& resumed)
    : scene_(scene),
      directory_(directory),
      particles_(scene, directory, scene.output.particles, !scene.output.volumes.empty()),
      surfaces_(scene, directory, scene.output.surface),
      stats_(directory.stats(), last_kept(resumed)),
      written_(last_kept(resumed).value_or(-1)),
      whole_(written_) {
  if (scene.output.image) {
    Scene planned = scene;
    if (resumed) planned.simulation.frames = resumed->planned_frames;
    renderer_.emplace(planned);
    if (resumed) {
      renderer_->start({resumed->first, {}, {}, 0});
      renderer_->set_view_state(resumed->view);
    }
  }
  if (scene.output.diagnostics != DiagnosticsLevel::kOff)
    ledger_.emplace(directory.ledger(), scene, last_kept(resumed));
}

void require_outputs(const Scene& scene) {
  require_formats(scene.output, scene.grid.dx);
  require_surface_formats(scene, scene.output.surface);
  require_picture_files(scene.output);
}

// In this order no list ever names a file that is gone.
void FrameWriter::give_up_frames_after(int frame) {
  particles_.list_frames_until(frame);
  if (ledger_) ledger_->sync();
  stats_.sync();
  directory_.remove_frames_after(frame);
}

void FrameWriter::write(const Simulation& simulation, const FrameStats& stats,
                        RunSeconds& seconds) {
  finish_picture(seconds);
  if (renderer_ || particles_.writes() || surfaces_.writes()) {
    std::optional<Stopwatch> watch(renderer_ ? seconds.pictures : seconds.files);
    Shown shown{simulation.snapshot(shown_parts(scene_)), simulation.tracers(),
                simulation.colliders(), stats.time};
    watch.emplace(seconds.files);
    const FrameMark mark = frame_mark(scene_, stats.frame, stats.time);
    if (particles_.writes()) particles_.write(shown.particles, shown.tracers, mark);
    surfaces_.write(shown.particles, shown.colliders, mark);
    watch.emplace(seconds.pictures);
    if (renderer_) write_picture(std::move(shown), stats.frame, simulation.on_cuda());
  }
  const Stopwatch watch(seconds.files);
  if (ledger_) ledger_->write(stats);
  stats_.write(stats, scene_);
  written_ = stats.frame;
  if (!picture_.valid()) whole_ = written_;
}

// Where steps take the processor that pictures need, nothing would be gained by drawing beside
// them; but what one thread compresses and a disk takes need not be waited for.
void FrameWriter::write_picture(Shown shown, int frame, bool beside) {
  if (beside)
    start_picture([this, frame, shown = std::move(shown)] {
      app::write_picture(directory_, frame, renderer_->render(shown));
    });
  else
    start_picture([this, frame, image = renderer_->render(shown)] {
      app::write_picture(directory_, frame, image);
    });
}

// Where the system has no more threads the one that calls does it.
void FrameWriter::start_picture(const std::function<void()>& make) {
  try {
    picture_ = std::async(std::launch::async, make);
  } catch (const std::system_error&) {
    picture_ = std::async(std::launch::deferred, make);
    picture_.wait();
  }
}

void FrameWriter::finish_picture(RunSeconds& seconds) {
  const Stopwatch watch(seconds.pictures);
  const int frame = std::exchange(written_, whole_);  // it stays so if the picture is lost
  if (picture_.valid()) picture_.get();
  written_ = whole_ = frame;
}

int FrameWriter::last_whole() {
  RunSeconds seconds;
  try {
    finish_picture(seconds);
  } catch (const std::exception&) {  // another failure is being told of
  }
  return whole_;
}

std::vector<double> FrameWriter::view_state() const {
  return renderer_ ? renderer_->view_state() : std::vector<double>();
}

void FrameWriter::sync(RunSeconds& seconds) {
  finish_picture(seconds);
  const Stopwatch watch(seconds.files);
  if (ledger_) ledger_->sync();
  stats_.sync();
}

}  // namespace firn::app
