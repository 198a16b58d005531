// What particles have from their beginning and keep: id, material, body, mass and volume at rest.
// Files of a run need not hold it, since it follows from who a particle is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/io/particle_channels.h"
#include "src/io/run_directory.h"

namespace firn::app {

class ParticleOrigins {
 public:
  // The directory must outlive it. Nothing is read until something is asked for.
  explicit ParticleOrigins(const RunDirectory& directory);

  // Appends those of these channels that the columns lack and that follow from the particles' ids;
  // where files do not hold these, from their order, as long as nothing can have left the scene.
  // Others stay away, as those of particles that have left until the last checkpoint, and all where
  // there is none and the scene has sources or has been edited.
  void complete(ParticleColumns& columns, const std::vector<std::string>& names);

 private:
  // All particles of the run's last checkpoint, or else of its beginning.
  struct Known {
    Snapshot particles;        // in the order of their ids
    bool all_stay = false;     // none is ever deleted: ids are places
    bool may_be_more = false;  // than in a file, which may be of an earlier frame
  };
  void read();
  Known read_run() const;
  std::optional<std::vector<std::size_t>> places_of(const ParticleColumns& columns) const;

  const RunDirectory& directory_;
  bool is_read_ = false;
  std::optional<Known> known_;
};

}  // namespace firn::app
