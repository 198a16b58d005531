// `firn convert`: particle files and volumes of a run in formats that it did not write, afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/particle_writer.h"
#include "src/app/remade_frames.h"
#include "src/app/run_frames.h"
#include "src/io/particle_formats.h"
#include "src/io/volume_file.h"
#include "src/scene/continuation.h"

namespace firn::app {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// In its own folder the files that a run has written stay, in formats of its own; what is missing
// of them is made anew.
class Wanted {
 public:
  Wanted(const RunAndTarget& where, const OutputSettings& own, const RunFrames& kept,
         std::vector<std::string> formats)
      : run_(where.run), kept_(kept), formats_(std::move(formats)) {
    for (const std::string& format : formats_)
      if (where.in_place &&
          (format == "volumes" ? !own.volumes.empty() : contains(own.particles, format)))
        own_.push_back(format);
  }

  const std::vector<std::string>& own() const { return own_; }
  bool wants(int frame, const std::string& format) const {
    return wants_particles(frame, format) ||
           (contains(formats_, format) && !has_tracers(frame, format));
  }
  bool wants_particles(int frame, const std::string& format) const {
    return contains(formats_, format) && !(contains(own_, format) && has_particles(frame, format));
  }
  bool wants_any(int frame) const {
    return std::any_of(formats_.begin(), formats_.end(),
                       [&](const std::string& format) { return wants(frame, format); });
  }
  bool wants_tracers_alone(int frame) const {
    return std::none_of(formats_.begin(), formats_.end(),
                        [&](const std::string& format) { return wants_particles(frame, format); });
  }
  void require_missing(const std::vector<int>& frames) const {
    for (const std::string& format : own_)
      if (std::none_of(frames.begin(), frames.end(),
                       [&](int frame) { return wants(frame, format); }))
        throw Error(ErrorCategory::kScene,
                    fmt::format("--to {}: the run writes this format itself, and no file of it is "
                                "missing; remove a damaged one to have it made anew, or choose "
                                "another folder with -o",
                                format));
  }

 private:
  bool has_particles(int frame, const std::string& format) const {
    if (format == "volumes") return std::filesystem::exists(run_.volume_path(frame));
    return std::filesystem::exists(
        run_.particle_path(frame, find_particle_format(format)->extension));
  }
  bool has_tracers(int frame, const std::string& format) const {
    return format == "volumes" || !kept_.may_have_tracers(frame) ||
           std::filesystem::exists(
               run_.tracer_path(frame, find_particle_format(format)->extension));
  }

  const RunDirectory& run_;
  const RunFrames& kept_;
  std::vector<std::string> formats_, own_;
};

}  // namespace

int convert(const Options& options) {
  std::vector<std::string> formats = options.formats;
  if (formats.empty())
    throw Error(ErrorCategory::kScene, "--to is missing: give a format, as in --to vtp");
  RunAndTarget where(options);
  const RunDirectory& run = where.run;
  const Scene scene = scene::scene_of_records(run.scene().string());
  const RunFrames kept(scene, run);
  const Wanted wanted(where, scene.output, kept, formats);
  const bool volumes = std::erase(formats, "volumes") > 0;
  const std::vector<int> frames = kept.frames(options.first_frame, options.last_frame);
  kept.tell_gaps(frames, options.first_frame, options.last_frame);
  wanted.require_missing(frames);

  where.open_target(options);
  const RunDirectory& target = where.target();
  ParticleWriter writer(scene, target, formats, volumes);
  writer.leave(wanted.own());
  RemadeFrames remade(options, frames.size());
  remade.begin();
  const auto channels = volumes ? volume_channels(scene) : std::vector<std::string>{};
  for (const int frame : frames) {
    if (!wanted.wants_any(frame)) {
      remade.passed();
      continue;
    }
    auto read = kept.read(frame, channels, "volumes need");
    if (!read) {
      remade.left_out(frame);
      continue;
    }
    if (remade.none()) {
      target.take_over_for(run);
      writer.list_frames_until(scene.simulation.frames);  // an earlier call converted some
    }
    if (!read->tracers && !formats.empty() && kept.had_tracers(frame))
      remade.warn(
          fmt::format("frame {}: its tracers are lost: neither a file of them that Firn "
                      "reads (npz, ply) nor a checkpoint is kept",
                      frame));
    if (!read->tracers && wanted.wants_tracers_alone(frame)) {
      remade.passed();
      continue;
    }
    if (wanted.wants_particles(frame, "volumes")) writer.fill_volumes(read->particles);
    read->leave_out_others();
    writer.write(read->particles, read->tracers ? &*read->tracers : nullptr);
    remade.made(frame);
  }
  remade.tell(fmt::format("{} frames in {}", remade.count(), target.path().string()), "particles",
              target.path());
  return 0;
}

}  // namespace firn::app
