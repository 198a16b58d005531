// The particle files and volumes of frames, in the layout of a run's folder, and the collections
// that list them: what `firn run` writes as frames come and `firn convert` afterwards.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/io/particle_formats.h"
#include "src/io/run_directory.h"

namespace firn::app {

class ParticleWriter {
 public:
  // Formats by their names. Scene and directory must outlive the writer. Throws Error{kScene} for a
  // format that is not there or not in this build.
  ParticleWriter(const Scene& scene, const RunDirectory& directory,
                 const std::vector<std::string>& formats, bool volumes);

  // Of these formats files that are there stay as they are.
  void leave(const std::vector<std::string>& formats) { left_ = formats; }

  bool writes() const { return !formats_.empty() || volumes_; }

  // Channels as the scene chooses them; tracers may be empty.
  void write(const Snapshot& particles, const Snapshot& tracers, const FrameMark& mark);
  // What was read from files: volumes, and files. `tracers` null: there are none.
  void fill_volumes(const ParticleColumns& particles) const;
  void write(const ParticleColumns& particles, const ParticleColumns* tracers);

  // Collections begin with the files up to this frame that are there.
  void list_frames_until(int frame);

 private:
  void write_files(const ParticleColumns& columns, bool tracers);
  void write_collection(bool tracers, std::string_view extension) const;

  const Scene& scene_;
  const RunDirectory& directory_;
  std::vector<const ParticleFormat*> formats_;
  std::vector<std::string> left_;
  bool volumes_;
  std::vector<int> listed_[2];  // frames, of particles and of tracers
};

}  // namespace firn::app
