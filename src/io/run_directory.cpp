#include "src/io/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "src/io/atomic_file.h"
#include "src/io/folder.h"
#include "src/io/numbered_file.h"
#include "src/io/particle_formats.h"
#include "src/scene/moved_files.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = scene::kRunMarker;
constexpr std::array<std::string_view, 8> kRunFiles{"scene.toml",    "ledger.csv", "stats.jsonl",
                                                    "summary.json",  "video.mp4",  "ledger.png",
                                                    "particles.pvd", "tracers.pvd"};

// Files of one kind, one per frame, in a folder of their own.
struct FrameFiles {
  std::string_view folder, prefix, extension;
};
std::vector<FrameFiles> all_frame_files() {
  std::vector<FrameFiles> all{
      {"frames", "frame", "png"},     {"volumes", "volume", "vdb"},
      {"surfaces", "surface", "obj"}, {"surfaces", "surface", "ply"},
      {"surfaces", "surface", "vdb"}, {"checkpoints", "checkpoint", "firn"}};
  for (const ParticleFormat& format : particle_formats())
    for (const char* prefix : {"particles", "tracers"})
      all.push_back({"particles", prefix, format.extension});
  return all;
}

const std::vector<FrameFiles>& frame_files() {
  static const std::vector<FrameFiles> all = all_frame_files();
  return all;
}

Error directory_error(const fs::path& path, const std::string& reason) {
  return Error(ErrorCategory::kFile, path.string() + ": " + reason);
}

std::vector<fs::path> entries(const fs::path& directory) {
  std::error_code error;
  return entries_of(directory, error);
}

// Of the numbered files in a folder, ascending.
std::vector<int> frames_in(const fs::path& folder, std::string_view prefix,
                           std::string_view extension) {
  std::vector<int> frames;
  for (const fs::path& path : entries(folder))
    if (const auto frame = numbered_file_frame(path.filename().string(), prefix, extension))
      frames.push_back(*frame);
  std::sort(frames.begin(), frames.end());
  return frames;
}

// Scenes choose the names of their sensors.
bool is_sensor_file(const fs::path& path) {
  return path.parent_path().filename() == "sensors" &&
         (path.extension() == ".csv" || path.extension() == ".png");
}

// Every file in the folder that has the name of one a run writes.
std::vector<fs::path> run_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (std::string_view name : kRunFiles)
    if (fs::is_regular_file(directory / name)) files.push_back(directory / name);
  for (const FrameFiles& kind : frame_files())
    for (const fs::path& path : entries(directory / kind.folder))
      if (numbered_file_frame(path.filename().string(), kind.prefix, kind.extension))
        files.push_back(path);
  for (const fs::path& path : entries(directory / "sensors"))
    if (is_sensor_file(path)) files.push_back(path);
  return files;
}

bool is_run_file(const std::string& name) {
  return std::find(kRunFiles.begin(), kRunFiles.end(), name) != kRunFiles.end() ||
         std::any_of(frame_files().begin(), frame_files().end(), [&](const FrameFiles& kind) {
           return numbered_file_frame(name, kind.prefix, kind.extension).has_value();
         });
}

// What a run that was killed left half-written, under whichever name: pictures, plots and videos
// are "NAME.part" until they are whole.
bool is_half_written(const fs::path& path) {
  return is_temporary_file(path) ||
         (path.extension() == ".part" &&
          (is_run_file(path.stem().string()) || is_sensor_file(path.parent_path() / path.stem())));
}

void remove_file(const fs::path& path) {
  std::error_code error;
  if (!fs::remove(path, error) && error) throw file_error(path, "remove", error.value());
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw file_error(path, "create the folder", error.value());
  if (!fs::is_directory(path)) throw file_error(path, "create the folder", ENOTDIR);
}

FileDescriptor locked(FileDescriptor file, int operation, const fs::path& path) {
  if (::flock(file.get(), operation | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) {
    const bool is_read = ::flock(file.get(), LOCK_SH | LOCK_NB) == 0;
    throw directory_error(
        path, is_read ? "another program reads this folder (firn view, render, mesh or convert), "
                        "and it cannot be written to meanwhile"
                      : "another run is writing to this folder; wait for it, or give another one");
  }
  throw file_error(path / kMarker, "lock", errno);
}
FileDescriptor lock_directory(const fs::path& path) {
  return locked(open_file(path / kMarker, O_RDWR | O_CREAT, "write to the folder"), LOCK_EX, path);
}
// Of a folder that nobody can write to there may be none, and none is needed.
FileDescriptor lock_to_read(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path / kMarker, error)) return {};
  return locked(open_file(path / kMarker, O_RDONLY, "read the folder"), LOCK_SH, path);
}

void require_run(const fs::path& path) {
  std::error_code error;
  const bool found = fs::is_regular_file(path / "scene.toml", error);
  if (error == std::errc::permission_denied) throw file_error(path, "read the folder", EACCES);
  if (found) return;
  const bool is_folder = fs::is_directory(path, error), is_there = fs::exists(path, error);
  throw directory_error(path, is_folder  ? "this folder holds no run (no scene.toml)"
                              : is_there ? "this is no folder; give the folder of a run"
                                         : "there is no such folder; give the folder of a run");
}

}  // namespace

RunDirectory::RunDirectory(const fs::path& path, FileDescriptor lock)
    : path_(path), lock_(std::move(lock)) {}

RunDirectory RunDirectory::create(const fs::path& path, bool overwrite) {
  make_directories(path);
  if (const auto files = run_files(path); !files.empty() && !fs::exists(path / kMarker))
    throw directory_error(
        path, "the folder holds " + files.front().lexically_relative(path).string() +
                  ", which a run would replace but did not write; choose another folder with -o");
  RunDirectory directory(path, lock_directory(path));
  if (!run_files(path).empty() && !overwrite)
    throw directory_error(
        path,
        "the folder already holds a run; continue it with 'firn resume', replace it with "
        "--overwrite, or choose another folder with -o");
  directory.prepare_folders();
  return directory;
}

void RunDirectory::remove_older_run() const {
  for (const fs::path& file : run_files(path_)) remove_file(file);
}

void RunDirectory::remove_frames_after(int frame) const {
  for (const FrameFiles& kind : frame_files()) {
    if (path_ / kind.folder == checkpoints()) continue;
    for (const fs::path& path : entries(path_ / kind.folder)) {
      const auto its = numbered_file_frame(path.filename().string(), kind.prefix, kind.extension);
      if (its && *its > frame) remove_file(path);
    }
  }
}

RunDirectory RunDirectory::open(const fs::path& path) {
  require_run(path);
  RunDirectory directory(path, lock_directory(path));
  directory.prepare_folders();
  return directory;
}

RunDirectory RunDirectory::open_to_read(const fs::path& path) {
  require_run(path);
  return {path, lock_to_read(path)};
}

std::string RunDirectory::origin() const {
  std::ifstream file(path_ / kMarker);
  std::string line;
  std::getline(file, line);
  return line;
}

// Not in place of the file, which the lock is on.
void RunDirectory::set_origin(const std::string& origin) const {
  const fs::path path = path_ / kMarker;
  std::ofstream file(path);
  file << origin << '\n';
  file.close();
  if (!file) throw file_error(path, "write", errno);
}

// Frames that another run has left there would be filmed and listed with those of this one.
void RunDirectory::belong_to(const RunDirectory& run, bool replace) const {
  if (fs::equivalent(path_, run.path_)) return;
  const std::string before = origin(), now = run.origin();
  if (!now.empty() && before == now) return;
  // Whatever is asked for, a run is not replaced by what is made of another.
  if (fs::exists(scene()))
    throw directory_error(path_, "another run is in this folder; choose another with -o");
  if (now.empty()) return;
  const bool other = !before.empty() && !run_files(path_).empty();
  if (other && !replace)
    throw directory_error(path_,
                          "what is in this folder was made of another run; replace it with "
                          "--overwrite, or choose another folder with -o");
  if (other) remove_older_run();
  set_origin(now);
}

RunDirectory RunDirectory::open_for_exports(const fs::path& path, const RunDirectory& run,
                                            bool replace) {
  make_directories(path);
  RunDirectory directory(path, lock_directory(path));
  directory.belong_to(run, replace);
  for (const fs::path& folder : {path, path / "particles"}) directory.prepare_folder(folder);
  return directory;
}

RunDirectory RunDirectory::open_for_pictures(const fs::path& path, const RunDirectory& run,
                                             bool replace) {
  make_directories(path);
  RunDirectory directory(path, lock_directory(path));
  directory.belong_to(run, replace);
  for (const fs::path& folder : {path, path / "frames"}) directory.prepare_folder(folder);
  return directory;
}

// Makes the folder, removes what a killed run left half-written in it, and proves it writable.
void RunDirectory::prepare_folder(const fs::path& folder) const {
  make_directories(folder);
  for (const fs::path& file : entries(folder))
    if (is_half_written(file)) remove_file(file);
  const AtomicFile probe(folder / "probe");
}

void RunDirectory::prepare_folders() const {
  for (const fs::path& folder : {path_, path_ / "frames", path_ / "particles", checkpoints()})
    prepare_folder(folder);
  if (fs::is_directory(path_ / "volumes")) make_volume_folder();
  if (fs::is_directory(path_ / "surfaces")) make_surface_folder();
  if (fs::is_directory(path_ / "sensors")) make_sensor_folder();
}

void RunDirectory::make_volume_folder() const { prepare_folder(path_ / "volumes"); }
void RunDirectory::make_surface_folder() const { prepare_folder(path_ / "surfaces"); }
void RunDirectory::make_sensor_folder() const { prepare_folder(path_ / "sensors"); }

fs::path RunDirectory::image_path(int frame) const {
  return path_ / "frames" / numbered_file_name("frame", frame, "png");
}

std::vector<int> RunDirectory::image_frames() const {
  return frames_in(path_ / "frames", "frame", "png");
}

std::vector<int> RunDirectory::particle_frames(std::string_view extension, bool tracers) const {
  return frames_in(path_ / "particles", tracers ? "tracers" : "particles", extension);
}

std::string RunDirectory::image_pattern() const {
  std::string folder = (path_ / "frames" / "").string();
  for (std::size_t at = 0; (at = folder.find('%', at)) != folder.npos; at += 2)
    folder.insert(at, "%");
  return folder + "frame_%06d.png";
}

fs::path RunDirectory::particle_path(int frame, std::string_view extension) const {
  return path_ / "particles" / numbered_file_name("particles", frame, extension);
}

fs::path RunDirectory::tracer_path(int frame, std::string_view extension) const {
  return path_ / "particles" / numbered_file_name("tracers", frame, extension);
}

fs::path RunDirectory::collection_path(bool tracers) const {
  return path_ / (tracers ? "tracers.pvd" : "particles.pvd");
}

fs::path RunDirectory::surface_path(int frame, std::string_view extension) const {
  return path_ / "surfaces" / numbered_file_name("surface", frame, extension);
}

fs::path RunDirectory::sensor_path(std::string_view name, std::string_view extension) const {
  return path_ / "sensors" / (std::string(name) + "." + std::string(extension));
}

fs::path RunDirectory::volume_path(int frame) const {
  return path_ / "volumes" / numbered_file_name("volume", frame, "vdb");
}

}  // namespace firn
