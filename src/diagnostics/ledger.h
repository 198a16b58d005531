// What a run reports about itself in files: the conservation ledger (ledger.csv, one row per
// frame), its statistics (stats.jsonl, one JSON object per frame) and the summary (summary.json).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/io/atomic_file.h"

namespace firn {

// Writes ledger.csv: frame, time, steps, dt_min, dt_max, mass, momentum_{x,y,z},
// angular_momentum_{x,y,z}, kinetic, elastic, potential, total (J, of these three), fed (J),
// energy_growth (EnergyBalance); where the scene solves heat also heat (J, latent heat included);
// of incompressible liquids lost_volume, of all else volume (m^3, 2D: m^2; Totals); with
// diagnostics = "stages" also stage_{p2g,grid_forces,boundary,g2p,plasticity} (J); and for each
// collider <name>.force_{x,y,z} (N) and <name>.torque_{x,y,z} (N m), empty where `FrameStats` has
// no reactions; for each dynamic collider then also <name>.momentum_{x,y,z} (kg m/s),
// <name>.angular_momentum_{x,y,z} (kg m^2/s, about the world origin), <name>.kinetic and
// <name>.potential (J), which the other columns do not contain. Numbers have 17 significant digits,
// i.e. they read back exactly.
class LedgerWriter {
 public:
  // Starts a new file, or, with `resume_after`, continues one: rows of later frames are cut off.
  // Throws Error{kFile} if the file cannot be written or has other columns than this scene's.
  LedgerWriter(const std::filesystem::path& path, const Scene& scene,
               std::optional<int> resume_after = {});
  void write(const FrameStats& stats);
  void sync() {
    file_.sync();
  }  // before a checkpoint, so that it never knows of more frames than the ledger

 private:
  AppendFile file_;
  bool heat_, incompressible_, stages_;
  std::vector<bool> dynamic_;  // one per collider
};

// Writes stats.jsonl; as LedgerWriter.
class StatsWriter {
 public:
  explicit StatsWriter(const std::filesystem::path& path, std::optional<int> resume_after = {});
  void write(const FrameStats& stats, const Scene& scene);
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

// One line of stats.jsonl, without the newline.
std::string stats_json_line(const FrameStats& stats, const Scene& scene);

// Sums over the frames of a run, over all its interruptions: Checkpoint::stats_json carries them.
struct RunTotals {
  std::int64_t frames = 0, steps = 0;
  std::int64_t particle_steps = 0;  // sum over frames of particles * steps
  double wall_seconds = 0;          // spent in steps
  std::size_t peak_memory_bytes = 0;
  double max_speed = 0;           // m/s
  double energy_growth = 0;       // the largest EnergyBalance::growth
  double lost_volume = 0;         // the largest FrameStats::lost_volume
  PressureStats pressure;         // sums and largest values; sealed_regions of the last frame
  ThermalStats thermal;           // likewise
  SolverStats viscosity;          // likewise
  ImplicitStats implicit;         // likewise; what the last step had is that of the last frame
  std::optional<Totals> initial;  // of the first stats added

  // Adds a completed frame; the statistics of the initial state (frame 0, no steps) count as a
  // start, not as a frame.
  void add(const FrameStats& stats);
  double particle_steps_per_second() const;  // 0 if no time has passed

  std::string to_json() const;
  // Throws Error{kFile}; `origin` names the checkpoint in its message.
  static RunTotals from_json(const std::string& text, const std::string& origin);
};

// How a command has spent its time by a clock on the wall, s. A run that goes on counts anew.
struct RunSeconds {
  double start = 0;  // until the first step: reading the scene, filling its bodies
  double steps = 0;
  double pictures = 0;  // as far as steps and files had to wait for them
  double files = 0;     // of particles, records and checkpoints
  double plots = 0, video = 0;
  double total = 0;
};

struct RunOutcome {
  std::string device, version;
  bool completed = false;  // false: interrupted or diverged
  std::string message;     // why not completed; else empty
  RunSeconds seconds = {};
  std::size_t process_peak_bytes = 0;  // of all memory of the process that says it
};

// The contents of summary.json: scene, device, outcome, totals and throughput of the run, and how
// far mass, momentum and energy have moved since its start.
std::string summary_json(const Scene& scene, const RunOutcome& outcome, const RunTotals& run,
                         const FrameStats& last);

struct Column {
  std::string name;
  std::vector<double> values;  // one per row; NaN where the cell is empty
};
// Reads a ledger, also while it is being written: a last line without a newline is left out. Throws
// Error{kFile} with file and line if the file is not a table of numbers under one header.
std::vector<Column> read_ledger(const std::filesystem::path& path);

}  // namespace firn
