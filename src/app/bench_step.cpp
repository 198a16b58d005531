// `firn bench step`: the explicit step on a block of material, stage by stage, beside the least
// time that memory and arithmetic would need; and the same rate for many materials and transfers.
// `firn bench liquid`, `spray` and `thermal`: the incompressible step on a breaking dam and on
// scattered drops, the thermal one on a dam, and what their solvers take.
#include <fmt/format.h>

#include "src/app/bench_baseline.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/names.h"

namespace firn::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct BytesHeld {
  double per_particle, per_block;
};

BytesHeld bytes_held(const Scene& scene) {
  const SceneEstimate need = estimate(scene);
  return {static_cast<double>(need.particle_bytes) / static_cast<double>(need.particles),
          static_cast<double>(need.grid_bytes) / static_cast<double>(need.blocks)};
}

Json to_json(const Measurement& m, const Scene& scene) {
  Json ns;
  for (const auto& [stage, seconds] : stage_list(m.stages)) ns[stage] = m.ns(seconds);
  ns["step"] = m.ns(m.seconds);
  const BytesHeld held = bytes_held(scene);
  Json json = machine_json(m);
  json.update({{"precision", name_of(scene.simulation.precision)},
               {"transfer", name_of(scene.transfer.type)},
               {"kernel", kernel_name(scene.transfer.kernel)},
               {"material", scene.materials[0].name},
               {"particles", m.particles},
               {"blocks", m.blocks},
               {"steps", m.steps},
               {"seconds", m.seconds},
               {"ns_per_particle", ns},
               {"particle_steps_per_second", m.rate()},
               {"bytes_per_particle", held.per_particle},
               {"bytes_per_block", held.per_block},
               {"memory_bytes", m.memory_bytes}});
  if (!m.on_cuda) json["particle_steps_per_second_per_core"] = m.rate() / m.threads;
  return json;
}

void print_setting(const Measurement& m, const Scene& scene) {
  fmt::print(
      "{}\n{} precision, {}, {} kernel, {}\n{} particles in {} blocks, {} steps in {:.3f} s\n",
      m.device, name_of(scene.simulation.precision), name_of(scene.transfer.type),
      kernel_name(scene.transfer.kernel), scene.materials[0].name, m.particles, m.blocks, m.steps,
      m.seconds);
}

void print_baseline(const Measurement& m, const BaselineRate& baseline) {
  const std::string on = m.on_cuda ? ""
                                   : fmt::format(" on {} {}", baseline.threads,
                                                 baseline.threads == 1 ? "thread" : "threads");
  fmt::print("{:.1f} times as fast as a plain MLS-MPM, which makes {} particle-steps/s{}\n",
             m.rate() / baseline.per_second, format_count(baseline.per_second), on);
}

void print_rate(const Measurement& m) {
  fmt::print("{} particle-steps/s", format_count(m.rate()));
  if (!m.on_cuda) fmt::print(", {} per core", format_count(m.rate() / m.threads));
  fmt::print("\n");
}

void print_memory(const Measurement& m, const Scene& scene) {
  const BytesHeld held = bytes_held(scene);
  fmt::print("{:.0f} bytes per particle, {:.0f} per block, {} in all\n", held.per_particle,
             held.per_block, format_bytes(static_cast<double>(m.memory_bytes)));
}

std::vector<std::string> stage_row(std::string_view name, double ns) {
  return {std::string(name), fmt::format("{:.3f}", ns), "", "", "", ""};
}
std::vector<std::string> stage_row(std::string_view name, double ns, const StageCount& count,
                                   const FloorShare& floor) {
  return {std::string(name),
          fmt::format("{:.3f}", ns),
          fmt::format("{:.0f}", count.bytes),
          fmt::format("{:.0f}", count.operations),
          fmt::format("{:.3f}", floor.floor_ns),
          format_share(floor.share)};
}

// The stages run one after the other, so the step's floor is the sum of theirs.
FloorShare step_floor(const Measurement& m, const StepCounts& counts, const Floors& floors) {
  double floor_ns = 0;
  for (const StageCount& stage : counts) floor_ns += share_of_floor(stage, floors, 1).floor_ns;
  return {floor_ns, floor_ns / m.ns(m.seconds)};
}

std::string stage_table(const Measurement& m, const StepCounts& counts, const Floors& floors) {
  Rows rows{{"stage", "ns per particle", "bytes", "operations", "floor, ns", "reached"}};
  const StageSeconds stages = stage_list(m.stages);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double ns = m.ns(stages[i].second);
    if (ns == 0) continue;  // fused steps have other stages than plain ones
    rows.push_back(i < kStepStages ? stage_row(stages[i].first, ns, counts[i],
                                               share_of_floor(counts[i], floors, ns))
                                   : stage_row(stages[i].first, ns));
  }
  rows.push_back(stage_row("step", m.ns(m.seconds), sum_of(counts), step_floor(m, counts, floors)));
  return format_table(rows);
}

Json stages_json(const Measurement& m, const StepCounts& counts, const Floors& floors) {
  Json json;
  const StageSeconds stages = stage_list(m.stages);
  for (std::size_t i = 0; i < kStepStages; ++i)
    if (stages[i].second > 0)
      json[kStepStageNames[i]] = app::to_json(counts[i], floors, m.ns(stages[i].second));
  const FloorShare floor = step_floor(m, counts, floors);
  const StageCount sum = sum_of(counts);
  json["step"] = {{"ns", m.ns(m.seconds)},
                  {"bytes", sum.bytes},
                  {"operations", sum.operations},
                  {"floor_ns", floor.floor_ns},
                  {"share", floor.share}};
  return json;
}

std::string rate_or_not(const std::optional<Measurement>& m) {
  return m ? format_count(m->rate()) : "diverged";
}

Json to_json(const Measurement& m, const SolverStats& s) {
  return {{"seconds_per_step", m.per_step(s.seconds)},
          {"iterations_per_solve", iterations_per_solve(s)},
          {"max_iterations", s.max_iterations}};
}

void print_stages(const Measurement& m) {
  Rows rows{{"stage", "ns per particle"}};
  for (const auto& [stage, seconds] : stage_list(m.stages))
    rows.push_back({std::string(stage), fmt::format("{:.3f}", m.ns(seconds))});
  rows.push_back({"step", fmt::format("{:.3f}", m.ns(m.seconds))});
  fmt::print("\n{}\n", format_table(rows));
}

void print_solver(const Measurement& m, std::string_view name, const SolverStats& s) {
  fmt::print(", {:.4f} s the {} ({:.1f} iterations, at most {})", m.per_step(s.seconds), name,
             iterations_per_solve(s), s.max_iterations);
}

// A step that solves linear systems: what of its time each of them takes.
int bench_solvers(const Scene& scene, const Options& options) {
  const Measurement m = measure(scene, options.run, options.steps);
  print_setting(m, scene);
  print_stages(m);
  print_rate(m);
  Json json = to_json(m, scene);
  fmt::print("{:.4f} s per step", m.per_step(m.seconds));
  print_solver(m, "pressure", m.pressure);
  json["pressure"] = to_json(m, m.pressure);
  json["pressure"]["density_seconds_per_step"] = m.per_step(m.pressure.correction_seconds);
  const auto report = [&](const char* name, const SolverStats& s) {
    if (s.solves == 0) return;
    print_solver(m, name, s);
    json[name] = to_json(m, s);
  };
  for (const ThermalSolver& solver : kThermalSolvers) report(solver.name, m.thermal.*solver.stats);
  report("viscosity", m.viscosity);
  fmt::print(", {:.4f} s the density\n", m.per_step(m.pressure.correction_seconds));
  print_memory(m, scene);
  write_report(options, json);
  return 0;
}

}  // namespace

int bench_step(const Options& options) {
  const BlockCase block = block_case(options);
  const Scene scene = block_scene(block, {bench_material(options.material)});
  const Floors floors = measure_floors(block.precision, options.run);
  const auto [m, analysis] = measure_and_analyse(scene, options.run, options.steps);

  print_setting(m, scene);
  fmt::print(
      "{}: {:.1f} % of the particles change their cell in a step, {} layouts in {} "
      "steps\n{}\n\n{}\n",
      options.motion, 100 * analysis.cell_changes, m.layouts, m.steps, describe(floors),
      stage_table(m, analysis.counts, floors));
  print_rate(m);
  fmt::print("{}", describe_host(m));
  const auto baseline = measure_baseline(block, scene, options, m.on_cuda, m.threads);
  if (baseline) print_baseline(m, *baseline);
  print_memory(m, scene);

  Json json = to_json(m, scene);
  if (baseline)
    json["baseline"] = {{"particle_steps_per_second", baseline->per_second},
                        {"threads", baseline->threads},
                        {"ratio", m.rate() / baseline->per_second}};
  json["motion"] = options.motion;
  json["reproducible"] = options.reproducible;
  json["cell_changes_per_step"] = analysis.cell_changes;
  json["layouts_per_step"] = m.per_step(static_cast<double>(m.layouts));
  json["floors"] = app::to_json(floors);
  json["stages"] = stages_json(m, analysis.counts, floors);
  if (m.enqueued.steps > 0) json["host"] = host_json(m);
  write_report(options, json);
  return 0;
}

int bench_sweep(const Options& options) {
  BlockCase block = block_case(options);
  Rows table{{"material"}};
  for (const TransferType type : all_transfers()) table[0].emplace_back(name_of(type));
  Json rows = Json::array(), report;
  for (const char* name : {"elastic", "jello", "snow_dry", "sand", "metal", "water"}) {
    table.push_back({name});
    for (const TransferType type : all_transfers()) {
      block.transfer = type;
      const auto m =
          try_measure(block_scene(block, {bench_material(name)}), options.run, options.steps);
      table.back().push_back(rate_or_not(m));
      rows.push_back({{"material", name},
                      {"transfer", name_of(type)},
                      {"particle_steps_per_second", m ? Json(m->rate()) : Json()}});
      if (m && report.empty()) report = machine_json(*m);
    }
  }
  report.update({{"precision", name_of(block.precision)},
                 {"kernel", kernel_name(block.kernel)},
                 {"motion", options.motion},
                 {"particles", options.particles},
                 {"steps", options.steps},
                 {"sweep", rows}});
  fmt::print("{}\n{} precision, {} kernel, {}, about {} particles; particle-steps/s\n\n{}",
             report.value("device", ""), name_of(block.precision), kernel_name(block.kernel),
             options.motion, format_count(static_cast<double>(options.particles)),
             format_table(table));
  write_report(options, report);
  return 0;
}

int bench_liquid(const Options& options) { return bench_solvers(liquid_scene(options), options); }

int bench_spray(const Options& options) { return bench_solvers(spray_scene(options), options); }

int bench_thermal(const Options& options) { return bench_solvers(thermal_scene(options), options); }

}  // namespace firn::app
