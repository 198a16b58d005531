// `firn convert`: particle files and volumes of a run in formats that it did not write, afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/particle_writer.h"
#include "src/app/progress.h"
#include "src/app/run_frames.h"
#include "src/io/volume_file.h"
#include "src/scene/continuation.h"

namespace firn::app {
namespace {

// A run that goes on would take what was read from a file for its own.
void refuse_own_formats(const OutputSettings& own, const std::vector<std::string>& formats) {
  for (const std::string& format : formats)
    if (std::find(own.particles.begin(), own.particles.end(), format) != own.particles.end() ||
        (format == "volumes" && !own.volumes.empty()))
      throw Error(ErrorCategory::kScene,
                  fmt::format("--to {}: the run writes this format itself; choose another one, or "
                              "another folder with -o",
                              format));
}

}  // namespace

int convert(const Options& options) {
  std::vector<std::string> formats = options.formats;
  if (formats.empty())
    throw Error(ErrorCategory::kScene, "--to is missing: give a format, as in --to vtp");
  RunAndTarget where(options);
  const RunDirectory& run = where.run;
  const Scene scene = scene::scene_of_records(run.scene().string());
  if (where.in_place) refuse_own_formats(scene.output, formats);
  const bool volumes = std::erase(formats, "volumes") > 0;
  const RunFrames kept(scene, run);
  const std::vector<int> frames = kept.frames(options.first_frame, options.last_frame);
  kept.tell_gaps(frames, options.first_frame, options.last_frame);

  where.open_target(options);
  const RunDirectory& target = where.target();
  ParticleWriter writer(scene, target, formats, volumes);
  Progress progress(options);
  const auto channels = volumes ? volume_channels(scene) : std::vector<std::string>{};
  int written = 0;
  for (const int frame : frames) {
    auto read = kept.read(frame, channels, "volumes need");
    if (!read) {
      tell_left_out(frame, options.first_frame || options.last_frame);
      continue;
    }
    if (written == 0) {
      target.take_over_for(run);
      writer.list_frames_until(scene.simulation.frames);  // an earlier call converted some
    }
    if (volumes) writer.fill_volumes(read->particles);
    read->leave_out_others();
    writer.write(read->particles, read->tracers ? &*read->tracers : nullptr);
    ++written;
  }
  progress.line(fmt::format("{} frames in {}", written, target.path().string()));
  return 0;
}

}  // namespace firn::app
