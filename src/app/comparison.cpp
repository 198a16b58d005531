#include "src/app/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "firn/error.h"
#include "src/app/ledger_plots.h"
#include "src/app/progress.h"
#include "src/io/numbered_file.h"
#include "src/io/posix_file.h"
#include "src/render/image.h"
#include "src/render/process.h"
#include "src/render/video.h"

namespace fs = std::filesystem;

namespace firn::app {
namespace {

std::string title_of(const Scene& scene) { return scene.title.empty() ? scene.name : scene.title; }

// The last frame with a picture, -1 without any; a run that diverged ends early.
int last_picture(const ComparedRun& run) {
  int frame = run.scene.simulation.frames;
  while (frame >= 0 && !fs::exists(run.directory.image_path(frame))) --frame;
  return frame;
}

// Every run at `frame`, or at its own last picture before it.
Image side_by_side_at(const std::vector<ComparedRun>& runs, int frame) {
  std::vector<Image> pictures;
  std::vector<std::string> labels;
  for (const ComparedRun& run : runs) {
    const int shown = std::min(frame, last_picture(run));
    if (shown < 0) continue;
    pictures.push_back(read_png(run.directory.image_path(shown).string()));
    labels.push_back(run.variant.label + (run.result ? "" : " (diverged)"));
  }
  return side_by_side(pictures, labels);
}

// A folder that nobody else has, which goes where this does.
class OwnFolder {
 public:
  explicit OwnFolder(const fs::path& parent) {
    std::string name = (parent / ".comparison-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw file_error(name, "create the folder", errno);
    path_ = name;
  }
  ~OwnFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The frames of the video live in a folder of their own only while it is encoded.
bool write_video(const std::vector<ComparedRun>& runs, const fs::path& base, int last,
                 const fs::path& video) {
  if (!run_program({"ffmpeg", "-version"}).found) return false;
  const OwnFolder frames(base);
  for (int frame = 0; frame <= last; ++frame)
    write_png((frames.path() / numbered_file_name("frame", frame, "png")).string(),
              side_by_side_at(runs, frame));
  return encode_video(frames.path().string(), 0, runs.front().scene.simulation.fps, video.string());
}

void add_pictures(const std::vector<ComparedRun>& runs, const fs::path& base,
                  std::vector<std::string>& files) {
  int last = -1;
  for (const ComparedRun& run : runs) last = std::max(last, last_picture(run));
  if (last < 0) return;
  const fs::path picture = base / kComparisonFiles[0], video = base / kComparisonFiles[1];
  write_png(picture.string(), side_by_side_at(runs, last));
  files.push_back(picture.string());
  const bool wanted = std::all_of(runs.begin(), runs.end(),
                                  [](const ComparedRun& run) { return run.scene.output.video; });
  if (wanted && write_video(runs, base, last, video)) files.push_back(video.string());
}

void add_plot(const std::vector<ComparedRun>& runs, const fs::path& base,
              std::vector<std::string>& files) {
  std::vector<LedgerCurve> curves;
  for (const ComparedRun& run : runs)
    if (fs::exists(run.directory.ledger()))
      curves.push_back({run.variant.label, run.directory.ledger()});
  if (curves.empty()) return;
  const fs::path plot = base / kComparisonFiles[2];
  const Scene& scene = runs.front().scene;
  if (plot_comparison(curves, title_of(scene), scene.simulation.dimension, plot))
    files.push_back(plot.string());
}

}  // namespace

std::vector<std::string> write_comparison(const std::vector<ComparedRun>& runs,
                                          const fs::path& base) {
  std::vector<std::string> files;
  for (const auto& add : {add_pictures, add_plot}) try {
      add(runs, base, files);
    } catch (const Error& error) {  // the runs themselves are whole
      Progress::warning(error.what());
    }
  return files;
}

}  // namespace firn::app
