// `firn bench io`: how fast a state is saved and read back, particle files are written, a
// surface is found and a picture drawn. Files are durable when a write ends, so the disk is part of
// what is measured.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "firn/error.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/estimate_disk.h"
#include "src/app/format.h"
#include "src/app/machine.h"
#include "src/app/names.h"
#include "src/io/checkpoint.h"
#include "src/io/particle_formats.h"
#include "src/render/render.h"
#include "src/surface/material_surfaces.h"

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

// Bytes of numbers or pixels, and of the file that holds them; 0: there is none.
struct Moved {
  double data = 0, file = 0;
};

class IoTable {
 public:
  template <class Action>
  void time(const std::string& what, const Action& action) {
    const auto start = std::chrono::steady_clock::now();
    const Moved moved = action();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const double seconds = spent.count();
    const auto size = [](double bytes) { return bytes > 0 ? format_bytes(bytes) : ""; };
    table_.push_back({what, fmt::format("{:.4f}", seconds), size(moved.data), size(moved.file),
                      moved.data > 0 ? fmt::format("{:.0f}", 1e-6 * moved.data / seconds) : ""});
    Json row = {{"what", what}, {"seconds", seconds}};
    if (moved.file > 0) row["file_bytes"] = moved.file;
    if (moved.data > 0) {
      row["bytes"] = moved.data;
      row["bytes_per_second"] = moved.data / seconds;
    }
    rows_.push_back(row);
  }
  std::string text() const { return format_table(table_); }
  const Json& json() const { return rows_; }

 private:
  std::vector<std::vector<std::string>> table_{{"what", "s", "data", "file", "MB/s of data"}};
  Json rows_ = Json::array();
};

double size_of(const fs::path& file) { return static_cast<double>(fs::file_size(file)); }

void time_checkpoint(IoTable& table, Simulation& simulation, const fs::path& folder) {
  Checkpoint checkpoint;
  const auto bytes = [](const Checkpoint& c) { return static_cast<double>(c.state.size()); };
  table.time("state to bytes", [&] {
    checkpoint.state = simulation.save_state();
    return Moved{bytes(checkpoint)};
  });
  fs::path file;
  table.time("checkpoint written", [&] {
    file = write_checkpoint(folder, checkpoint);
    return Moved{bytes(checkpoint), size_of(file)};
  });
  Checkpoint back;
  table.time("checkpoint read", [&] {
    back = read_checkpoint(file);
    return Moved{bytes(back), size_of(file)};
  });
  table.time("bytes to state", [&] {
    simulation.load_state(back.state);
    return Moved{bytes(back)};
  });
}

void time_particles(IoTable& table, const Scene& scene, const Snapshot& snapshot,
                    const fs::path& folder) {
  const ParticleColumns columns =
      columns_of(snapshot, scene.output.channels, frame_mark(scene, 0, 0));
  const double bytes =
      static_cast<double>(columns.particles) * bytes_per_particle(scene, scene.output.channels);
  for (const ParticleFormat& format : particle_formats()) {
    if (!format.built) continue;
    const fs::path file = folder / fmt::format("particles.{}", format.extension);
    table.time(fmt::format("{} written", format.name), [&] {
      format.write(file, columns);
      return Moved{bytes, size_of(file)};
    });
  }
}

void time_picture(IoTable& table, const Scene& scene, const Snapshot& snapshot,
                  const fs::path& folder) {
  const Walls walls = SceneWalls(scene).at({});
  if (surfaces_available())
    table.time("surface found", [&] {
      material_surfaces(scene, snapshot, std::vector<bool>(scene.materials.size(), true), walls);
      return Moved{};
    });
  Renderer renderer(scene);
  Image image;
  table.time("picture drawn", [&] {
    image = renderer.render(snapshot, 0);
    return Moved{};
  });
  table.time("png written", [&] {
    write_png((folder / "frame.png").string(), image);
    return Moved{static_cast<double>(image.rgb.size()), size_of(folder / "frame.png")};
  });
}

}  // namespace

int bench_io(const Options& options) {
  BlockCase block = block_case(options);
  block.motion = Motion::kMoving;  // a state as fresh from the lattice compresses far too well
  const Scene scene = block_scene(block, {bench_material(options.material)});
  const ScratchFolder folder(options.folder);
  Simulation simulation(scene, options.run);
  simulation.advance_steps(options.steps);
  IoTable table;
  time_checkpoint(table, simulation, folder.path());
  Snapshot snapshot;
  table.time("snapshot", [&] {
    snapshot = simulation.snapshot();
    return Moved{};
  });
  time_particles(table, scene, snapshot, folder.path());
  time_picture(table, scene, snapshot, folder.path());

  const auto [width, height] = scene.output.resolution;
  fmt::print(
      "{}\n{} precision, {} particles, channels {}, pictures of {}x{}, files in {}; "
      "the moving block after {} steps\n\n{}",
      simulation.device_name(), name_of(block.precision), snapshot.size(),
      fmt::join(scene.output.channels, ", "), width, height, folder.path().parent_path().string(),
      options.steps, table.text());
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
