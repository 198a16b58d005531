// `firn run`: a scene from its beginning, once or, with --watch, again whenever its files change.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <thread>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/going_on.h"
#include "src/app/interrupt.h"
#include "src/app/run_loop.h"
#include "src/app/run_report.h"
#include "src/app/scene_catalog.h"
#include "src/app/watched_files.h"
#include "src/io/checkpoint.h"
#include "src/scene/input_files.h"

namespace firn::app {
namespace {

// Whether a folder holds a run of the scene that was stopped before its first checkpoint.
bool has_only_begun(const RunDirectory& directory, const Scene& scene) {
  if (!list_checkpoints(directory.checkpoints()).empty()) return false;
  std::ifstream file(directory.scene(), std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(file), {}} == scene.resolved_toml;
}

int run_once(const Options& options) {
  const std::string path = find_scene(options.target);
  const Scene scene = load_scene(path, scene_options(options));
  const std::filesystem::path folder = output_folder(scene, options);
  bool replaces = options.overwrite;
  if (options.go_on && std::filesystem::exists(folder / "scene.toml")) {
    const RunDirectory begun = RunDirectory::open(folder);
    replaces = has_only_begun(begun, scene);
    if (!replaces) return go_on(begun, path, options);
  }
  const RunDirectory directory = RunDirectory::create(folder, replaces);
  Progress progress(options);
  return run_and_report(scene, directory, options, progress);
}

class WatchedRun {
 public:
  explicit WatchedRun(const Options& options)
      : options_(options), path_(find_scene(options.target)), progress_(options) {
    files_.add(path_);
  }

  // Until a signal comes.
  int run() {
    while (true) {
      files_.remember();
      if (const auto scene = load()) run(*scene);
      std::optional<std::string> changed = files_.changed();
      if (!changed) progress_.line("watching " + path_ + "; Ctrl-C ends");
      for (; InterruptGuard::requested() == 0 && !changed; changed = files_.changed())
        std::this_thread::sleep_for(kPause);
      if (const int signal = InterruptGuard::requested()) return 128 + signal;
      progress_.line(fmt::format("{} has changed: running again", *changed));
      wait_until_written();
    }
  }

 private:
  static constexpr std::chrono::milliseconds kPause{100};

  // What is wrong with the scene is there to be mended.
  std::optional<Scene> load() try {
    Scene scene = load_scene(path_, scene_options(options_));
    for (const auto& [file, sum] : input_files(scene)) files_.add(file);
    return scene;
  } catch (const Error& error) {
    tell(error);
    return std::nullopt;
  }

  // The folder of a run that this command has not made itself is not replaced unasked.
  void run(const Scene& scene) {
    const auto folder = output_folder(scene, options_);
    const bool own = !folders_.insert(folder.string()).second;
    Options options = options_;
    options.started = Clock::now();
    std::optional<RunDirectory> directory;
    try {
      directory.emplace(RunDirectory::create(folder, options_.overwrite || own));
      const RunResult result =
          run_scene(scene, *directory, options, progress_, {}, [this] { return is_outdated(); });
      if (result.end == RunEnd::kOutdated) return;
      report_end(result, *directory, progress_);
      if (options.json) print_summary(result.summary, *directory);
    } catch (const Error& error) {
      if (!directory && !own) throw;
      tell(error);
    }
  }

  // Steps may be short, and files are looked at through the system.
  bool is_outdated() {
    if (Clock::now() - looked_ < kPause) return false;
    looked_ = Clock::now();
    return files_.changed().has_value();
  }

  // An editor may be in the middle of it.
  void wait_until_written() {
    do {
      files_.remember();
      std::this_thread::sleep_for(kPause);
    } while (files_.changed() && InterruptGuard::requested() == 0);
  }

  void tell(const Error& error) {
    progress_.end();
    print_errors(fmt::format("error: {}\n", error.what()));
  }

  const Options& options_;
  const std::string path_;
  Progress progress_;
  WatchedFiles files_;
  std::set<std::string> folders_;
  Clock::time_point looked_{};
};

}  // namespace

int run(const Options& options) {
  const InterruptGuard guard;
  if (options.go_on && (options.watch || options.overwrite))
    throw Error(ErrorCategory::kScene, "--resume: give it without --watch and --overwrite");
  return options.watch ? WatchedRun(options).run() : run_once(options);
}

}  // namespace firn::app
