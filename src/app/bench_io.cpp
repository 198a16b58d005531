// `firn bench io`: how fast a state is saved and read back, particle files are written and a
// picture is drawn. Files are durable when a write ends, so the disk is part of what is measured.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "firn/error.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/machine.h"
#include "src/app/names.h"
#include "src/io/checkpoint.h"
#include "src/io/particle_files.h"
#include "src/render/render.h"

namespace fs = std::filesystem;

namespace firn::app {
namespace {

// A folder of its own, gone when the benchmark ends.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent) {
    std::error_code failure;
    const fs::path base = parent.empty() ? fs::temp_directory_path() : fs::path(parent);
    path_ = base / fmt::format("firn-bench-{}", ::getpid());
    fs::create_directories(path_, failure);
    if (failure)
      throw Error(ErrorCategory::kFile, path_.string() + ": cannot be made: " + failure.message());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class IoTable {
 public:
  // `bytes`: of what is moved; 0 for work that is no transfer of a file.
  template <class Action>
  void time(const std::string& what, const Action& action) {
    const auto start = std::chrono::steady_clock::now();
    const double bytes = action();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const double seconds = spent.count();
    const bool moves = bytes > 0;
    table_.push_back({what, fmt::format("{:.4f}", seconds), moves ? format_bytes(bytes) : "",
                      moves ? fmt::format("{:.0f}", 1e-6 * bytes / seconds) : ""});
    Json row = {{"what", what}, {"seconds", seconds}};
    if (moves) {
      row["bytes"] = bytes;
      row["bytes_per_second"] = bytes / seconds;
    }
    rows_.push_back(row);
  }
  std::string text() const { return format_table(table_); }
  const Json& json() const { return rows_; }

 private:
  std::vector<std::vector<std::string>> table_{{"what", "s", "size", "MB/s"}};
  Json rows_ = Json::array();
};

double size_of(const fs::path& file) { return static_cast<double>(fs::file_size(file)); }

void time_checkpoint(IoTable& table, Simulation& simulation, const fs::path& folder) {
  Checkpoint checkpoint;
  table.time("state to bytes", [&] {
    checkpoint.state = simulation.save_state();
    return static_cast<double>(checkpoint.state.size());
  });
  fs::path file;
  table.time("checkpoint written", [&] {
    file = write_checkpoint(folder, checkpoint);
    return size_of(file);
  });
  Checkpoint back;
  table.time("checkpoint read", [&] {
    back = read_checkpoint(file);
    return size_of(file);
  });
  table.time("bytes to state", [&] {
    simulation.load_state(back.state);
    return static_cast<double>(back.state.size());
  });
}

void time_files(IoTable& table, const Scene& scene, const Snapshot& snapshot,
                const fs::path& folder) {
  const std::vector<std::string>& channels = scene.output.channels;
  table.time("ply written", [&] {
    write_ply(folder / "particles.ply", snapshot, channels);
    return size_of(folder / "particles.ply");
  });
  table.time("npz written", [&] {
    write_npz(folder / "particles.npz", snapshot, channels);
    return size_of(folder / "particles.npz");
  });
  Renderer renderer(scene);
  Image image;
  table.time("picture drawn", [&] {
    image = renderer.render(snapshot, 0);
    return 0.0;
  });
  table.time("png written", [&] {
    write_png((folder / "frame.png").string(), image);
    return size_of(folder / "frame.png");
  });
}

}  // namespace

int bench_io(const Options& options) {
  const BlockCase block = block_case(options);
  const Scene scene = block_scene(block, {bench_material(options.material)});
  const ScratchFolder folder(options.folder);
  Simulation simulation(scene, options.run);
  simulation.advance_steps(1);
  IoTable table;
  time_checkpoint(table, simulation, folder.path());
  Snapshot snapshot;
  table.time("snapshot", [&] {
    snapshot = simulation.snapshot();
    return 0.0;
  });
  time_files(table, scene, snapshot, folder.path());

  const auto [width, height] = scene.output.resolution;
  fmt::print(
      "{}\n{} precision, {} particles, channels {}, pictures of {}x{}\nin {}; sizes of files are "
      "as written: checkpoints are compressed\n\n{}",
      simulation.device_name(), name_of(block.precision), snapshot.size(),
      fmt::join(scene.output.channels, ", "), width, height, folder.path().parent_path().string(),
      table.text());
  Measurement m;
  m.device = simulation.device_name();
  m.on_cuda = simulation.on_cuda();
  m.threads = options.run.threads > 0 ? options.run.threads : hardware_threads();
  Json json = machine_json(m);
  json.update({{"suite", "io"},
               {"precision", name_of(block.precision)},
               {"particles", snapshot.size()},
               {"resolution", {width, height}},
               {"rows", table.json()}});
  write_report(options, json);
  return 0;
}

}  // namespace firn::app
