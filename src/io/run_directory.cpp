#include "src/io/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/io/atomic_file.h"
#include "src/io/folder.h"
#include "src/io/numbered_file.h"
#include "src/io/particle_formats.h"
#include "src/scene/moved_files.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = scene::kRunMarker;
constexpr std::string_view kExportedScene = "exported-scene.toml";
constexpr std::array<std::string_view, 9> kRunFiles{"scene.toml",    "ledger.csv",  "stats.jsonl",
                                                    "summary.json",  "video.mp4",   "ledger.png",
                                                    "particles.pvd", "tracers.pvd", kExportedScene};

// Files of one kind, one per frame, in a folder of their own.
struct FrameFiles {
  std::string_view folder, prefix, extension;
};
std::vector<FrameFiles> all_frame_files() {
  std::vector<FrameFiles> all{{"frames", "frame", "png"},           {"frames", "frame", "exr"},
                              {"volumes", "volume", "vdb"},         {"surfaces", "surface", "obj"},
                              {"surfaces", "surface", "ply"},       {"surfaces", "surface", "vdb"},
                              {"checkpoints", "checkpoint", "firn"}};
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

// Without what tells writers apart: a process and a number of its own, ".123-4".
fs::path without_writer(const fs::path& path) {
  const std::string writer = path.extension().string();
  const bool is_one = writer.find('-') != std::string::npos &&
                      writer.find_first_not_of("0123456789-", 1) == std::string::npos;
  return is_one ? path.parent_path() / path.stem() : path;
}
// What a run that was killed left half-written, under whichever name: plots and videos are
// "NAME.part" until they are whole, pictures have their writer before that.
bool is_half_written(const fs::path& path) {
  if (is_temporary_file(path)) return true;
  if (path.extension() != ".part") return false;
  const fs::path whole = without_writer(path.parent_path() / path.stem());
  return is_run_file(whole.filename().string()) || is_sensor_file(whole);
}

void remove_file(const fs::path& path) {
  std::error_code error;
  if (!fs::remove(path, error) && error) throw file_error(path, "remove", error.value());
}

// Some file systems know of no locks (Lustre without them, NFS and FUSE at times): a folder there
// is as good as another, but nobody is kept from it.
RunDirectory::Lock locked(FileDescriptor file, int operation, const fs::path& path) {
  if (::flock(file.get(), operation | LOCK_NB) == 0) return {std::move(file), true};
  if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK || errno == EINVAL)
    return {std::move(file), false};
  if (errno == EWOULDBLOCK) {
    const bool is_read = ::flock(file.get(), LOCK_SH | LOCK_NB) == 0;
    throw directory_error(
        path, is_read ? "another program reads this folder (firn view, render, mesh or convert), "
                        "and it cannot be written to meanwhile"
                      : "another run is writing to this folder; wait for it, or give another one");
  }
  throw file_error(path / kMarker, "lock", errno);
}
// Whoever leaves an empty folder takes its marker along, perhaps between our opening and locking
// it.
RunDirectory::Lock lock_directory(const fs::path& path, MadeFolders& made) {
  while (true) {
    const bool was_there = fs::exists(path / kMarker);
    RunDirectory::Lock lock =
        locked(open_file(path / kMarker, O_RDWR | O_CREAT, "write to the folder"), LOCK_EX, path);
    struct stat status {};
    if (::fstat(lock.file.get(), &status) == 0 && status.st_nlink == 0) continue;
    if (!was_there) made.add_marker(path / kMarker);
    return lock;
  }
}
// Of a folder that nobody can write to there may be none, and none is needed.
RunDirectory::Lock lock_to_read(const fs::path& path) {
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

const char* home_directory() {
  if (const char* home = std::getenv("HOME")) return home;
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_dir : nullptr;
}

// Files of a run would lie among those of the system, or of all that somebody does. Whoever has a
// run there already knows.
void require_own_folder(const fs::path& path) {
  const auto is = [&](const char* folder) {
    std::error_code not_there;
    return folder != nullptr && fs::equivalent(path, folder, not_there);
  };
  std::error_code unreadable;
  if (fs::exists(path / kMarker, unreadable)) return;
  const char* what = is("/")                ? "the root of the file system"
                     : is(home_directory()) ? "your home directory"
                                            : nullptr;
  if (what != nullptr)
    throw directory_error(path, fmt::format("this is {}, and a run puts a dozen files and folders "
                                            "where it writes; give it a folder of its own with -o",
                                            what));
}

}  // namespace

RunDirectory::RunDirectory(const fs::path& path, Lock lock, MadeFolders made)
    : path_(path), lock_(std::move(lock)), made_(std::move(made)) {}

// A folder to write to, made if it is not there.
RunDirectory RunDirectory::claimed(const fs::path& path) {
  require_own_folder(path);
  MadeFolders made;
  made.make(path);
  if (const auto files = run_files(path); !files.empty() && !fs::exists(path / kMarker))
    throw directory_error(
        path, "the folder holds " + files.front().lexically_relative(path).string() +
                  ", which a run would replace but did not write; choose another folder with -o");
  Lock lock = lock_directory(path, made);
  return {path, std::move(lock), std::move(made)};
}

RunDirectory RunDirectory::create(const fs::path& path, bool overwrite) {
  RunDirectory directory = claimed(path);
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
  MadeFolders made;
  Lock lock = lock_directory(path, made);
  RunDirectory directory(path, std::move(lock), std::move(made));
  directory.prepare_folders();
  return directory;
}

RunDirectory RunDirectory::open_to_read(const fs::path& path) {
  require_run(path);
  return {path, lock_to_read(path)};
}

bool RunDirectory::is_own() const {
  struct stat claimed {
  }, there{};
  return ::fstat(lock_.file.get(), &claimed) == 0 &&
         ::stat((path_ / kMarker).c_str(), &there) == 0 && claimed.st_ino == there.st_ino &&
         claimed.st_dev == there.st_dev;
}

void RunDirectory::require_own() const {
  if (!is_own())
    throw directory_error(path_, "the folder has been moved or removed while this run wrote to it");
}

std::string RunDirectory::origin() const {
  std::ifstream file(path_ / kMarker);
  std::string line;
  std::getline(file, line);
  return line;
}

// Not in place of the file, which the lock is on, and over what it says, so that it never says
// nothing.
void RunDirectory::set_origin(const std::string& origin) const {
  const fs::path path = path_ / kMarker;
  const std::string line = origin + '\n';
  const auto size = static_cast<ssize_t>(line.size());
  if (::pwrite(lock_.file.get(), line.data(), line.size(), 0) != size ||
      ::ftruncate(lock_.file.get(), size) != 0)
    throw file_error(path, "write", errno);
  sync_file(lock_.file, path);
}

// Frames that another run has left there would be filmed and listed with those of this one.
void RunDirectory::require_same_origin(const RunDirectory& run, bool replace) const {
  if (fs::equivalent(path_, run.path_)) return;
  const std::string before = origin(), now = run.origin();
  if (!now.empty() && before == now) return;
  // Whatever is asked for, a run is not replaced by what is made of another.
  if (fs::exists(scene()))
    throw directory_error(path_, "another run is in this folder; choose another with -o");
  if (!now.empty() && !before.empty() && !replace && !run_files(path_).empty())
    throw directory_error(path_,
                          "what is in this folder was made of another run; replace it with "
                          "--overwrite, or choose another folder with -o");
}

void RunDirectory::take_over_for(const RunDirectory& run) const {
  if (fs::equivalent(path_, run.path_)) return;
  const std::string before = origin(), now = run.origin();
  if (!now.empty() && before != now) {
    if (!before.empty()) remove_older_run();
    set_origin(now);
  }
  std::ifstream scene(run.scene(), std::ios::binary);
  std::ostringstream text;
  text << scene.rdbuf();
  if (!scene) throw file_error(run.scene(), "read", errno);
  write_file_atomically(path_ / kExportedScene, text.str());
}

RunDirectory RunDirectory::open_for_exports(const fs::path& path, const RunDirectory& run,
                                            bool replace) {
  RunDirectory directory = claimed(path);
  directory.require_same_origin(run, replace);
  directory.prepare_folder(path);
  return directory;
}

// Makes the folder, removes what a killed run left half-written in it, and proves it writable.
void RunDirectory::prepare_folder(const fs::path& folder) const {
  made_.make(folder);
  for (const fs::path& file : entries(folder))
    if (is_half_written(file)) remove_file(file);
  const AtomicFile probe(folder / ".firn-probe");  // no name of the user's
}

void RunDirectory::prepare_folders() const {
  for (const fs::path& folder : {path_, path_ / "frames", path_ / "particles", checkpoints()})
    prepare_folder(folder);
  if (fs::is_directory(path_ / "volumes")) make_volume_folder();
  if (fs::is_directory(surface_folder())) make_surface_folder();
  if (fs::is_directory(path_ / "sensors")) make_sensor_folder();
}

void RunDirectory::make_image_folder() const { prepare_folder(path_ / "frames"); }
void RunDirectory::make_particle_folder() const { prepare_folder(path_ / "particles"); }
void RunDirectory::make_volume_folder() const { prepare_folder(path_ / "volumes"); }
void RunDirectory::make_surface_folder() const { prepare_folder(surface_folder()); }
void RunDirectory::make_sensor_folder() const { prepare_folder(path_ / "sensors"); }

fs::path RunDirectory::image_path(int frame) const {
  return image_folder() / numbered_file_name("frame", frame, "png");
}

fs::path RunDirectory::light_path(int frame) const {
  return image_folder() / numbered_file_name("frame", frame, "exr");
}

std::vector<int> RunDirectory::image_frames() const {
  return frames_in(image_folder(), "frame", "png");
}

std::vector<int> RunDirectory::particle_frames(std::string_view extension, bool tracers) const {
  return frames_in(path_ / "particles", tracers ? "tracers" : "particles", extension);
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
  return surface_folder() / numbered_file_name("surface", frame, extension);
}

fs::path RunDirectory::sensor_path(std::string_view name, std::string_view extension) const {
  return path_ / "sensors" / (std::string(name) + "." + std::string(extension));
}

fs::path RunDirectory::volume_path(int frame) const {
  return path_ / "volumes" / numbered_file_name("volume", frame, "vdb");
}

}  // namespace firn
