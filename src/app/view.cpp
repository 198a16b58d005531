// `firn view`: a run in a browser on this machine, while it goes on or from what its folder kept.
#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "firn/error.h"
#include "firn/warnings.h"
#include "src/app/commands.h"
#include "src/app/frame_writer.h"
#include "src/app/interrupt.h"
#include "src/app/kept_run.h"
#include "src/app/live_run.h"
#include "src/app/progress.h"
#include "src/app/run_loop.h"
#include "src/app/scene_catalog.h"
#include "src/io/posix_file.h"
#include "src/render/process.h"
#include "src/scene/continuation.h"
#include "src/view/server.h"

namespace firn::app {
namespace {

constexpr std::size_t kMostHistory = 512u << 20;  // bytes of pictures to go back to
constexpr std::chrono::milliseconds kGlance{50};

bool is_run(const std::string& target) {
  std::error_code error;
  return std::filesystem::is_directory(target, error);
}

void refuse_flags_of_scenes(const Options& options) {
  if (!options.output.empty() || options.frames || options.overwrite ||
      !options.precision.empty() || options.seed || options.paused ||
      options.run.device != Device::kAuto)
    throw Error(
        ErrorCategory::kScene,
        fmt::format("{} is the folder of a run, which is shown as it is: --output, "
                    "--overwrite, --frames, --device, --precision, --seed and --paused are for "
                    "scenes",
                    options.target));
}

// Other users may read the arguments of a program, so the browser gets the address, whose token is
// secret, from a file that only its user can read. xdg-open may be the browser itself, until that
// is closed. A view without one goes on.
class OpenedBrowser {
 public:
  explicit OpenedBrowser(const std::string& address) {
    try {
      open(address);
    } catch (const Error& error) {
      tell(error.what());
    }
  }
  // Tells, once, where it is known by now that it was none.
  void look() {
    if (!program_ || !program_->result()) return;
    if (!program_->result()->succeeded()) tell("xdg-open");
    program_.reset();
  }
  ~OpenedBrowser() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  OpenedBrowser(const OpenedBrowser&) = delete;
  OpenedBrowser& operator=(const OpenedBrowser&) = delete;

 private:
  void open(const std::string& address) {
    std::error_code error;
    const auto temporary = std::filesystem::temp_directory_path(error);
    if (error) throw Error(ErrorCategory::kFile, "TMPDIR: " + error.message());
    std::string pattern = (temporary / "firn-view-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw file_error(pattern, "create the folder", errno);
    folder_ = pattern;
    const auto path = folder_ / "open.html";
    const std::string page = fmt::format(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">\n", address);
    write_all(open_file(path, O_WRONLY | O_CREAT | O_EXCL, "write"),
              std::as_bytes(std::span(page.data(), page.size())), path);
    program_.emplace(std::vector<std::string>{"xdg-open", path.string()});
  }
  static void tell(const std::string& why) {
    Progress::warning(
        fmt::format("no browser could be opened ({}): open the address by hand", why));
  }

  std::optional<ProgramBeside> program_;
  std::filesystem::path folder_;
};

// Until a signal, or until `failed` says that there is nothing to be watched. The run begins once
// it can be watched: it may replace an older one, which is not to go for an address that is taken.
template <class Run, class Failed>
void serve(const Options& options, view::Session& session, Run& run, Progress& progress,
           const Failed& failed) {
  const view::Server server(options.port, session, run);
  run.begin();
  progress.line(fmt::format("view: {}", server.address()));
  progress.line("Ctrl-C ends it");
  std::optional<OpenedBrowser> browser;
  if (options.open) browser.emplace(server.address());
  while (InterruptGuard::requested() == 0 && !failed()) {
    std::this_thread::sleep_for(kGlance);
    if (browser) browser->look();
  }
}

void view_scene(const Options& options, Progress& progress) {
  const Scene scene = load_scene(find_scene(options.target), scene_options(options));
  std::optional<RunDirectory> directory;
  if (options.output.empty() && options.overwrite)
    throw Error(ErrorCategory::kScene,
                "--overwrite: needs -o FOLDER, without which no files are left");
  if (!options.output.empty()) {
    require_outputs(scene);
    directory.emplace(RunDirectory::create(options.output, options.overwrite));
  }
  for (const std::string& warning : scene_warnings(scene)) Progress::warning(warning);
  view::Session session(true, kMostHistory);
  LiveRun run(scene, options, session, directory ? &*directory : nullptr);
  serve(options, session, run, progress, [&run] { return run.failure() != nullptr; });
  if (const std::string how = run.stop(); !how.empty())
    progress.line("stopped with a checkpoint; go on with:  " + how);
}

void view_run(const Options& options, Progress& progress) {
  refuse_flags_of_scenes(options);
  const RunDirectory directory = RunDirectory::open_to_read(options.target);
  const Scene scene = scene::scene_afterwards(directory.scene().string(), scene_options(options));
  view::Session session(false, kMostHistory);
  KeptRun run(scene, directory, options, session);
  serve(options, session, run, progress, [] { return false; });
}

}  // namespace

int view(const Options& options) {
  view::require_server();
  const InterruptGuard guard;
  Progress progress(options);
  if (is_run(options.target))
    view_run(options, progress);
  else
    view_scene(options, progress);
  const int signal = InterruptGuard::requested();
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace firn::app
