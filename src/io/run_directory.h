// The output folder of a run: who may write into it, what lies where. A run owns its folder while
// it lives; it replaces or removes only files that a run wrote. Folders that it has made for them
// and that are empty at its end go with it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/made_folders.h"
#include "src/io/posix_file.h"

namespace firn {

class RunDirectory {
 public:
  // flock on a file whose presence also marks the folder as a run's; not held where the file system
  // knows of no locks.
  struct Lock {
    FileDescriptor file{};
    bool is_held = true;
  };

  // A folder for a new run, made if it is not there. Throws Error{kFile}, before anything is
  // computed, if it cannot be written to, if another run is writing to it, if it already holds a
  // run and `overwrite` is not set, or if it holds files with the names of a run's that no run
  // wrote (a scene's own folder, say). An older run that `overwrite` allows to replace stays until
  // `remove_older_run`, so that a run that cannot start destroys nothing.
  static RunDirectory create(const std::filesystem::path& path, bool overwrite);

  // The folder of a run that is to be continued. Throws Error{kFile} if there is no run in it, or
  // as `create`.
  static RunDirectory open(const std::filesystem::path& path);

  // The same to read alone, also where nothing may be written; no run may write to it meanwhile.
  static RunDirectory open_to_read(const std::filesystem::path& path);

  // A folder for what `run` is converted to, made if it is not there; it may hold a run or none.
  // Throws as `create`, and Error{kFile} where what is there was made of another run, unless it is
  // to `replace` that, which stays until `take_over_for`.
  static RunDirectory open_for_exports(const std::filesystem::path& path, const RunDirectory& run,
                                       bool replace);

  // Before the first file that is made of `run`: those that were made of another one go. A copy of
  // its scene, exported-scene.toml, tells whoever reads these files what is in them.
  void take_over_for(const RunDirectory& run) const;

  // Which run it is, or was made of: "" if that is not known. A run that goes on stays the same.
  std::string origin() const;
  void set_origin(const std::string& origin) const;

  // Removes the files of a run that are in the folder; all others stay.
  void remove_older_run() const;
  // Those of later frames, but for checkpoints.
  void remove_frames_after(int frame) const;

  // Throws Error{kFile} where the path no longer leads to the folder that this has claimed: moved
  // or removed meanwhile, another run may be writing there.
  void require_own() const;
  bool is_own() const;

  // Whether other programs are kept from it.
  bool is_locked() const { return lock_.is_held; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path image_folder() const { return path_ / "frames"; }
  std::filesystem::path image_path(int frame) const;  // frames/frame_000012.png
  std::filesystem::path light_path(int frame) const;  // frames/frame_000012.exr, beside it
  std::vector<int> image_frames() const;              // of the pictures that are there, ascending
  void make_image_folder() const;
  std::filesystem::path particle_path(int frame, std::string_view extension) const;
  std::filesystem::path tracer_path(int frame, std::string_view extension) const;
  void make_particle_folder() const;
  // Of the particle or (tracers) tracer files with this extension, ascending.
  std::vector<int> particle_frames(std::string_view extension, bool tracers = false) const;
  // particles.pvd or tracers.pvd, which lists them.
  std::filesystem::path collection_path(bool tracers) const;
  std::filesystem::path volume_path(int frame) const;  // volumes/volume_000012.vdb
  void make_volume_folder() const;                     // which only runs that write volumes have
  std::filesystem::path surface_folder() const { return path_ / "surfaces"; }
  std::filesystem::path surface_path(int frame, std::string_view extension) const;
  void make_surface_folder() const;  // likewise
  // sensors/NAME.csv; whatever has that extension or is a PNG file there is the run's.
  std::filesystem::path sensor_path(std::string_view name, std::string_view extension) const;
  void make_sensor_folder() const;
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path ledger() const { return path_ / "ledger.csv"; }
  std::filesystem::path stats() const { return path_ / "stats.jsonl"; }
  std::filesystem::path summary() const { return path_ / "summary.json"; }
  std::filesystem::path scene() const { return path_ / "scene.toml"; }
  std::filesystem::path video() const { return path_ / "video.mp4"; }
  std::filesystem::path plot() const { return path_ / "ledger.png"; }

 private:
  RunDirectory(const std::filesystem::path& path, Lock lock, MadeFolders made = {});
  static RunDirectory claimed(const std::filesystem::path& path);
  void prepare_folders() const;
  void require_same_origin(const RunDirectory& run, bool replace) const;
  void prepare_folder(const std::filesystem::path& folder) const;

  std::filesystem::path path_;
  Lock lock_;
  mutable MadeFolders made_;
};

}  // namespace firn
