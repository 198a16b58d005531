#include "src/app/bench_measure.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "firn/error.h"
#include "firn/version.h"
#include "src/app/build_info.h"
#include "src/app/machine.h"
#include "src/io/atomic_file.h"

namespace firn::app {
namespace {

constexpr std::int64_t kWarmupSteps = 4;  // first touch of memory, growth of the grid

struct TimedSteps {
  double seconds;
  std::int64_t layouts;  // found in these steps
  FrameStats stats;
};
TimedSteps time_steps(Simulation& simulation, std::int64_t steps) {
  simulation.advance_steps(kWarmupSteps);
  const std::int64_t layouts = simulation.stats().layouts;
  const auto start = std::chrono::steady_clock::now();
  simulation.advance_steps(steps);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const FrameStats stats = simulation.stats();
  return {spent.count(), stats.layouts - layouts, stats};
}

Measurement measure_steps(Simulation& simulation, const RunOptions& run, std::int64_t steps) {
  simulation.time_stages(true);
  TimedSteps timed = time_steps(simulation, steps);
  Measurement m;
  m.stages = timed.stats.times;
  simulation.time_stages(false);
  // The clocks have kept the steps from being replayed.
  if (timed.stats.enqueued.steps > 0) timed = time_steps(simulation, steps);
  m.device = simulation.device_name();
  m.on_cuda = simulation.on_cuda();
  m.threads = run.threads > 0 ? run.threads : hardware_threads();
  m.particles = timed.stats.particles;
  m.blocks = timed.stats.blocks;
  m.chunks = timed.stats.chunks;
  m.steps = steps;
  m.layouts = timed.layouts;
  m.seconds = timed.seconds;
  m.enqueued = timed.stats.enqueued;
  m.pressure = timed.stats.pressure;
  m.thermal = timed.stats.thermal;
  m.viscosity = timed.stats.viscosity;
  m.memory_bytes = timed.stats.memory_bytes;
  return m;
}

// Snapshots are ordered by id, and nothing removes particles here.
double share_of_cell_changes(const std::vector<float>& before, const std::vector<float>& after,
                             int dimension, double dx) {
  const auto cell = [&](float x) { return std::floor(x / dx); };
  const std::size_t d = static_cast<std::size_t>(dimension), n = before.size() / d;
  std::size_t changed = 0;
  for (std::size_t p = 0; p < n; ++p) {
    bool differs = false;
    for (std::size_t i = p * d; i < (p + 1) * d; ++i) differs |= cell(before[i]) != cell(after[i]);
    changed += differs;
  }
  return static_cast<double>(changed) / static_cast<double>(n);
}

}  // namespace

Measurement measure(const Scene& scene, const RunOptions& run, std::int64_t steps) {
  Simulation simulation(scene, run);
  return measure_steps(simulation, run, steps);
}

std::pair<Measurement, Analysis> measure_and_analyse(const Scene& scene, const RunOptions& run,
                                                     std::int64_t steps) {
  Simulation simulation(scene, run);
  const Measurement m = measure_steps(simulation, run, steps);
  const Snapshot state = simulation.snapshot();
  simulation.advance_steps(1);
  const double cell_changes = share_of_cell_changes(state.position, simulation.snapshot().position,
                                                    scene.simulation.dimension, scene.grid.dx);
  // The last of the timed steps is not fused with another.
  const double timed = static_cast<double>(steps);
  const StepMix mix{static_cast<double>(m.layouts) / timed, 1 - 1 / timed, cell_changes > 0};
  return {m, {count_step(scene, m.blocks, m.on_cuda, state, mix), cell_changes}};
}

std::optional<Measurement> try_measure(const Scene& scene, const RunOptions& run,
                                       std::int64_t steps) try {
  return measure(scene, run, steps);
} catch (const Error& error) {
  if (error.category() != ErrorCategory::kDiverged) throw;
  return std::nullopt;
}

StageSeconds stage_list(const StageTimes& t) {
  return {{"rebuild", t.rebuild},           {"p2g", t.p2g},     {"grid", t.grid},  {"g2p", t.g2p},
          {"constitutive", t.constitutive}, {"fused", t.fused}, {"other", t.other}};
}

FloorShare share_of_floor(const StageCount& count, const Floors& floors, double ns) {
  const double floor_ns = 1e9 * floors.seconds(count.bytes, count.operations);
  return {floor_ns, floor_ns / ns};
}

StageCount sum_of(const StepCounts& counts) {
  StageCount sum;
  for (const StageCount& stage : counts) {
    sum.bytes += stage.bytes;
    sum.operations += stage.operations;
  }
  return sum;
}

std::string format_share(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string describe(const Floors& floors) {
  return fmt::format("copying moves {:.1f} GB/s, multiply-adds do {:.1f} Gop/s",
                     1e-9 * floors.bytes_per_second, 1e-9 * floors.operations_per_second);
}

std::string describe_host(const Measurement& m) {
  if (m.enqueued.steps == 0) return "";
  return fmt::format(
      "host: {:.1f} us per step, {:.1f} % of its time; {} of {} steps replayed from a CUDA graph\n",
      1e6 * m.per_step(m.enqueued.seconds), 100 * m.host_share(), m.enqueued.replayed,
      m.enqueued.steps);
}

Json host_json(const Measurement& m) {
  return {{"seconds_per_step", m.per_step(m.enqueued.seconds)},
          {"share_of_step", m.host_share()},
          {"steps", m.enqueued.steps},
          {"replayed", m.enqueued.replayed}};
}

Json machine_json(const Measurement& m) {
  Json json = {{"version", kVersion},
               {"device", m.device},
               {"cpu", cpu_model()},
               {"compiler", compiler_name()},
               {"flags", build_flags()}};
  if (!m.on_cuda) json["threads"] = m.threads;
  return json;
}

Json to_json(const Floors& floors) {
  return {{"copy_bytes_per_second", floors.bytes_per_second},
          {"operations_per_second", floors.operations_per_second}};
}

Json to_json(const StageCount& count, const Floors& floors, double ns) {
  const FloorShare at = share_of_floor(count, floors, ns);
  return {{"ns", ns},
          {"bytes", count.bytes},
          {"operations", count.operations},
          {"floor_ns", at.floor_ns},
          {"share", at.share}};
}

void write_report(const Options& options, const Json& report) {
  if (options.json_file.empty()) return;
  write_file_atomically(options.json_file, to_text(report));
  fmt::print("wrote {}\n", options.json_file);
}

}  // namespace firn::app
