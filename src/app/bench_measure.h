// One measurement of the step of a scene, and how it is told: rates, stage times, and beside them
// what the hardware would allow.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/simulation.h"
#include "src/app/json_out.h"
#include "src/app/options.h"
#include "src/measure/floors.h"
#include "src/measure/step_counts.h"

namespace firn::app {

struct Measurement {
  std::string device;
  bool on_cuda = false;
  int threads = 0;
  std::int64_t particles = 0, blocks = 0, chunks = 0, steps = 0;
  std::int64_t layouts = 0;
  double seconds = 0;
  StageTimes stages;  // s
  EnqueueStats enqueued;
  PressureStats pressure;
  ThermalStats thermal;
  SolverStats viscosity;
  std::size_t memory_bytes = 0;

  double particle_steps() const {
    return static_cast<double>(particles) * static_cast<double>(steps);
  }
  double ns(double s) const { return 1e9 * s / particle_steps(); }
  double rate() const { return particle_steps() / seconds; }
  double per_step(double s) const { return s / static_cast<double>(steps); }
  // Of the time of a step, what the host spends on launching it.
  double host_share() const { return enqueued.seconds / seconds; }
};

inline double iterations_per_solve(const SolverStats& s) {
  return static_cast<double>(s.iterations) / static_cast<double>(s.solves);
}

// What a look at the particles after the timed steps adds.
struct Analysis {
  StepCounts counts;
  double cell_changes = 0;  // share of the particles that change their cell in a step
};

// Warms up, then times `steps` steps; on CUDA explicit ones twice, with the stage clocks and
// without.
Measurement measure(const Scene& scene, const RunOptions& run, std::int64_t steps);
// Also analyses the state that the steps led to. Explicit integrator only.
std::pair<Measurement, Analysis> measure_and_analyse(const Scene& scene, const RunOptions& run,
                                                     std::int64_t steps);
// None where the simulation diverged: a table of many combinations goes on without it.
std::optional<Measurement> try_measure(const Scene& scene, const RunOptions& run,
                                       std::int64_t steps);

using StageSeconds = std::vector<std::pair<std::string_view, double>>;
StageSeconds stage_list(const StageTimes& times);

// Nanoseconds per particle at the floor, and the share of it that `ns` reaches.
struct FloorShare {
  double floor_ns = 0, share = 0;
};
FloorShare share_of_floor(const StageCount& count, const Floors& floors, double ns);
StageCount sum_of(const StepCounts& counts);

// "82 %"
std::string format_share(double share);
// One line about floors: "copying moves 34.1 GB/s, multiply-adds do 262 Gop/s".
std::string describe(const Floors& floors);

// Of steps that the host launches without waiting: what that costs it; empty for others.
std::string describe_host(const Measurement& m);
Json host_json(const Measurement& m);

// What every report begins with: version, device, processor, compiler, flags, threads.
Json machine_json(const Measurement& m);
Json to_json(const Floors& floors);
Json to_json(const StageCount& count, const Floors& floors, double ns);

// Writes --json's file if there is one.
void write_report(const Options& options, const Json& report);

}  // namespace firn::app
