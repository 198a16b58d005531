// The particles of frames as a run's folder kept them: particle files that Firn reads, and
// checkpoints, which are exact but few.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/app/options.h"
#include "src/app/particle_origins.h"
#include "src/io/particle_channels.h"
#include "src/io/run_directory.h"

namespace firn::app {

// What is made of a run: where, and of what.
struct RunAndTarget {
  // The folder of the run, to read alone unless the files go there too: without -o, or where that
  // is the same folder. Throws as RunDirectory, and Error{kScene} for --overwrite where there is
  // nothing that it could mean.
  explicit RunAndTarget(const Options& options);

  // Once all is there that the files are to be made of. Throws as RunDirectory::open_for_exports.
  void open_target(const Options& options);
  const RunDirectory& target() const { return elsewhere ? *elsewhere : run; }

  bool in_place;
  RunDirectory run;
  std::optional<RunDirectory> elsewhere;
};

class RunFrames {
 public:
  // Scene and directory must outlive it.
  RunFrames(const Scene& scene, const RunDirectory& directory);

  // Frames from `first` to `last` (none: as far as there are any). Throws Error{kFile} that lists
  // what is kept if one of these two, or with both one between them, is not, or if nothing is.
  std::vector<int> frames(std::optional<int> first, std::optional<int> last) const;

  // Warns of frames that the run has and that `chosen`, of those from `first` to `last`, leaves
  // out.
  void tell_gaps(const std::vector<int>& chosen, std::optional<int> first,
                 std::optional<int> last) const;

  bool is_checkpoint(int frame) const { return kept_.at(frame) == "checkpoint"; }
  // Whether the frame has had tracers: they are there at first and only go, so a later frame with
  // some tells of them. Whether it may have had some, which a checkpoint knows.
  bool had_tracers(int frame) const { return frame <= last_tracers_; }
  bool may_have_tracers(int frame) const {
    return had_tracers(frame) || (last_tracers_ >= 0 && checkpoints_.contains(frame));
  }

  struct Frame {
    ParticleColumns particles;
    std::optional<ParticleColumns> tracers;
    std::size_t kept = 0;  // how many of the particles' channels the run's own files have

    void leave_out_others() { particles.channels.resize(kept); }
  };
  // With these channels at least, which `who` ("volumes need") wants, and those that are `welcome`
  // where they can be told: what files do not hold may follow from who the particles are. Nothing
  // if all that is kept is a checkpoint that an interrupted run wrote on its way to the next frame.
  // Throws Error{kFile} if channels are missing or files cannot be read.
  std::optional<Frame> read(int frame, const std::vector<std::string>& channels,
                            std::string_view who,
                            const std::vector<std::string>& welcome = {}) const;

 private:
  Frame from_file(int frame) const;
  ParticleColumns read_file(const std::filesystem::path& path, int frame) const;
  std::optional<ParticleColumns> tracers_of(int frame) const;
  std::optional<Frame> from_checkpoint(int frame, const std::vector<std::string>& channels) const;

  const Scene& scene_;
  const RunDirectory& directory_;
  std::map<int, std::string> kept_;  // "npz", "ply" or "checkpoint" by frame
  std::set<int> checkpoints_;        // frames that have one, whatever else is kept of them
  int last_tracers_;                 // the last frame that is known to have some; -1: none has
  mutable ParticleOrigins origins_;  // reads them where they are first asked for
};

// What `RunFrames::read` has nothing of: an error if the frame was asked for, else a warning.
void tell_left_out(int frame, bool asked_for);

}  // namespace firn::app
