#include "src/app/particle_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/error.h"
#include "src/io/particle_files.h"
#include "src/io/pvd_file.h"
#include "src/io/volume_file.h"

namespace firn::app {

ParticleWriter::ParticleWriter(const Scene& scene, const RunDirectory& directory,
                               const std::vector<std::string>& formats, bool volumes)
    : scene_(scene), directory_(directory), volumes_(volumes) {
  for (const std::string& name : formats) {
    const ParticleFormat* format = find_particle_format(name);
    if (format == nullptr)
      throw Error(ErrorCategory::kScene, fmt::format("there is no particle format '{}'", name));
    formats_.push_back(format);
  }
  OutputSettings wanted;
  wanted.particles = formats;
  if (volumes) wanted.volumes = {"vdb"};
  require_formats(wanted, scene.grid.dx);
  if (!formats_.empty()) directory.make_particle_folder();
  if (volumes) directory.make_volume_folder();
}

void ParticleWriter::write(const Snapshot& particles, const Snapshot& tracers,
                           const FrameMark& mark) {
  if (!formats_.empty()) {
    write_files(columns_of(particles, scene_.output.channels, mark), false);
    if (tracers.size() > 0) write_files(columns_of(tracers, tracer_channels(), mark), true);
  }
  if (volumes_) fill_volumes(columns_of(particles, volume_channels(scene_), mark));
}

void ParticleWriter::fill_volumes(const ParticleColumns& particles) const {
  write_volumes(directory_.volume_path(particles.mark.frame), particles, scene_.transfer.kernel);
}

void ParticleWriter::write(const ParticleColumns& particles, const ParticleColumns* tracers) {
  write_files(particles, false);
  if (tracers != nullptr) write_files(*tracers, true);
}

void ParticleWriter::write_files(const ParticleColumns& columns, bool tracers) {
  const int frame = columns.mark.frame;
  for (const ParticleFormat* format : formats_) {
    const auto path = tracers ? directory_.tracer_path(frame, format->extension)
                              : directory_.particle_path(frame, format->extension);
    const bool is_left = std::find(left_.begin(), left_.end(), format->name) != left_.end();
    if (!is_left || !std::filesystem::exists(path)) format->write(path, columns);
    if (!format->collected) continue;
    std::vector<int>& listed = listed_[tracers];
    const auto at = std::lower_bound(listed.begin(), listed.end(), frame);
    if (at == listed.end() || *at != frame) listed.insert(at, frame);
    write_collection(tracers, format->extension);
  }
}

void ParticleWriter::list_frames_until(int frame) {
  // Also those of a format that the run does not write any more.
  for (const ParticleFormat& known : particle_formats())
    if (const ParticleFormat* format = &known; format->collected)
      for (const bool tracers : {false, true}) {
        listed_[tracers] = directory_.particle_frames(format->extension, tracers);
        std::erase_if(listed_[tracers], [frame](int f) { return f > frame; });
        if (!listed_[tracers].empty() ||
            std::filesystem::exists(directory_.collection_path(tracers)))
          write_collection(tracers, format->extension);
      }
}

void ParticleWriter::write_collection(bool tracers, std::string_view extension) const {
  std::vector<TimedFile> files;
  for (const int frame : listed_[tracers]) {
    const auto path = tracers ? directory_.tracer_path(frame, extension)
                              : directory_.particle_path(frame, extension);
    files.emplace_back(path.lexically_relative(directory_.path()).generic_string(),
                       frame / scene_.simulation.fps);
  }
  write_pvd(directory_.collection_path(tracers), files);
}

}  // namespace firn::app
