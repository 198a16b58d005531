// Statistics, totals and summary of a run as JSON. Numbers that are not finite become null, as JSON
// has none.
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "firn/error.h"
#include "src/diagnostics/ledger.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/solve_sums.h"

namespace firn {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json, int indent) {
  // Names in a scene may be any bytes; a run must not fail at its end because of one.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

const char* name_of(DtLimit limit) {
  switch (limit) {
    case DtLimit::kNone:
      return "none";
    case DtLimit::kVelocity:
      return "velocity";
    case DtLimit::kWaveSpeed:
      return "wave_speed";
    case DtLimit::kViscosity:
      return "viscosity";
    case DtLimit::kSolver:
      return "solver";
    case DtLimit::kForce:
      return "force";
    case DtLimit::kMaximum:
      return "dt_max";
    case DtLimit::kFrameEnd:
      return "frame_end";
  }
  return "none";
}

double total_energy(const Totals& t) { return t.kinetic + t.elastic + t.potential; }

Json to_json(const Totals& t) {
  return {{"mass", t.mass},
          {"momentum", t.momentum},
          {"angular_momentum", t.angular_momentum},
          {"center_of_mass", t.center_of_mass},
          {"kinetic", t.kinetic},
          {"elastic", t.elastic},
          {"potential", t.potential},
          {"heat", t.heat},
          {"volume", t.volume}};
}

Json to_json(const EnergyBalance& e) {
  return {{"fed", e.fed}, {"gained", e.gained}, {"growth", e.growth}};
}

// Throws where it is no whole number that fits, of which a conversion would make any.
std::int64_t count_of(const Json& json, const char* name) {
  const Json& count = json.at(name);
  if (!count.is_number_unsigned() || !std::in_range<std::int64_t>(count.get<std::uint64_t>()))
    throw std::range_error(fmt::format("'{}' is no count, but {}", name, dump(count, -1)));
  return count;
}

Totals totals_from_json(const Json& json) {
  return {json.at("mass"),           json.at("momentum"),     json.at("angular_momentum"),
          json.at("center_of_mass"), json.at("kinetic"),      json.at("elastic"),
          json.at("potential"),      json.value("heat", 0.0), json.value("volume", 0.0)};
}

Json to_json(const StageTimes& t) {
  return {{"rebuild", t.rebuild},           {"p2g", t.p2g},     {"grid", t.grid},  {"g2p", t.g2p},
          {"constitutive", t.constitutive}, {"fused", t.fused}, {"other", t.other}};
}

Json to_json(const SolverStats& s) {
  return {{"solves", s.solves},
          {"iterations", s.iterations},
          {"max_iterations", s.max_iterations},
          {"seconds", s.seconds},
          {"at_rounding", s.at_rounding}};
}

// Records of older versions have no seconds, nor what ended at rounding or was lost.
SolverStats solver_from_json(const Json& json) {
  return {count_of(json, "solves"), count_of(json, "iterations"), count_of(json, "max_iterations"),
          json.value("seconds", 0.0), json.value("at_rounding", std::int64_t{0})};
}

Json to_json(const PressureStats& p) {
  Json json = to_json(static_cast<const SolverStats&>(p));
  json.update({{"correction_iterations", p.correction_iterations},
               {"corrections_lost", p.corrections_lost},
               {"max_divergence", p.max_divergence},
               {"sealed_regions", p.sealed_regions},
               {"correction_seconds", p.correction_seconds}});
  return json;
}

PressureStats pressure_from_json(const Json& json) {
  return {solver_from_json(json),
          count_of(json, "correction_iterations"),
          json.value("corrections_lost", std::int64_t{0}),
          json.at("max_divergence"),
          count_of(json, "sealed_regions"),
          json.value("correction_seconds", 0.0)};
}

Json to_json(const ImplicitStats& s) {
  Json json = to_json(static_cast<const SolverStats&>(s));
  json.update({{"linear_iterations", s.linear_iterations},
               {"cuts", s.cuts},
               {"passes", s.passes},
               {"rejected", s.rejected},
               {"looks", s.looks},
               {"imbalance", s.imbalance},
               {"tolerance", s.tolerance},
               {"energy_before", s.energy_before},
               {"energy_after", s.energy_after}});
  return json;
}

ImplicitStats implicit_from_json(const Json& json) {
  ImplicitStats s;
  static_cast<SolverStats&>(s) = solver_from_json(json);
  s.linear_iterations = count_of(json, "linear_iterations");
  s.cuts = count_of(json, "cuts");
  s.passes = count_of(json, "passes");
  s.rejected = count_of(json, "rejected");
  s.looks = json.value("looks", std::int64_t{0});
  s.imbalance = json.at("imbalance"), s.tolerance = json.at("tolerance");
  s.energy_before = json.at("energy_before"), s.energy_after = json.at("energy_after");
  return s;
}

// Steps launched as a captured graph have none.
bool has_stage_times(const FrameStats& s) { return s.enqueued.steps == 0 || s.times.rebuild > 0; }

// The solvers of the scene's integrator, each an object of its own.
template <class Stats>
void add_solvers(const Scene& scene, const Stats& of, Json& json) {
  const bool is_thermal = traits_of(scene).unified;
  if (traits_of(scene).staggered) json["pressure"] = to_json(of.pressure);
  if (traits_of(scene).implicit) json["implicit"] = to_json(of.implicit);
  if (solves_viscosity(scene)) json["viscosity"] = to_json(of.viscosity);
  if (!is_thermal) return;
  for (const ThermalSolver& solver : kThermalSolvers)
    json[solver.name] = to_json(of.thermal.*solver.stats);
}

// Of those of that kind.
template <class T>
Json reactions_json(const char* kind, const std::vector<ColliderReaction>& reactions,
                    const std::vector<T>& of) {
  Json list = Json::array();
  for (std::size_t i = 0; i < reactions.size() && i < of.size(); ++i)
    list.push_back(
        {{kind, of[i].name}, {"force", reactions[i].force}, {"torque", reactions[i].torque}});
  return list;
}

// The dynamic colliders.
Json bodies_json(const FrameStats& stats, const Scene& scene) {
  Json list = Json::array();
  for (std::size_t i = 0; i < stats.colliders.size() && i < scene.colliders.size(); ++i) {
    const ColliderState& state = stats.colliders[i];
    if (!state.dynamic) continue;
    Vec3 center{};
    for (std::size_t a = 0; a < 3; ++a) center[a] = state.pivot[a] + state.translation[a];
    list.push_back({{"collider", scene.colliders[i].name},
                    {"center_of_mass", center},
                    {"rotation", state.rotation},
                    {"velocity", state.velocity},
                    {"angular_velocity", state.angular_velocity},
                    {"momentum", state.momentum},
                    {"angular_momentum", state.angular_momentum},
                    {"kinetic", state.kinetic},
                    {"potential", state.potential}});
  }
  return list;
}

AppendFile open_stats(const std::filesystem::path& path, std::optional<int> resume_after) {
  if (!resume_after) return AppendFile::create(path);
  return AppendFile::resume(path, [&](std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("frame") || !json["frame"].is_number_integer())
      return false;
    return json["frame"].get<std::int64_t>() <= *resume_after;
  });
}

// How far the conserved quantities moved from the start of the run to its last frame.
Json drift_json(const Scene& scene, const Totals& initial, const Totals& last) {
  Vec3 momentum{}, angular_momentum{};
  for (int i = 0; i < 3; ++i) {
    momentum[i] = last.momentum[i] - initial.momentum[i];
    angular_momentum[i] = last.angular_momentum[i] - initial.angular_momentum[i];
  }
  Json json = {{"mass", last.mass - initial.mass},
               {"momentum", momentum},
               {"angular_momentum", angular_momentum},
               {"total_energy", total_energy(last) - total_energy(initial)}};
  if (scene.solves_heat()) json["heat"] = last.heat - initial.heat;
  return json;
}

std::vector<std::string> names_of(const std::vector<int>& materials, const Scene& scene) {
  std::vector<std::string> names;
  names.reserve(materials.size());
  for (const int m : materials) names.push_back(scene.materials[static_cast<std::size_t>(m)].name);
  return names;
}

}  // namespace

std::string stats_json_line(const FrameStats& s, const Scene& scene) {
  Json json = {{"frame", s.frame},
               {"time", s.time},
               {"steps", s.steps},
               {"total_steps", s.total_steps},
               {"dt_min", s.dt_min},
               {"dt_max", s.dt_max},
               {"dt_last", s.dt_last},
               {"limited_by", name_of(s.limited_by)},
               {"limiting_material", s.limiting_material},
               {"particles", s.particles},
               {"blocks", s.blocks},
               {"chunks", s.chunks},
               {"emitted", s.emitted},
               {"removed", s.removed},
               {"added", s.added},
               {"grown", s.grown},
               {"layouts", s.layouts},
               {"late", s.late},
               {"memory_bytes", s.memory_bytes},
               {"max_speed", s.max_speed},
               {"wall_seconds", s.wall_seconds},
               {"totals", to_json(s.totals)},
               {"energy", to_json(s.energy)},
               {"lost_volume", s.lost_volume},
               {"squeezed", names_of(s.squeezed, scene)},
               {"reactions", reactions_json("collider", s.reactions, scene.colliders)}};
  if (!scene.contacts.empty())
    json["contacts"] = reactions_json("material", s.contacts, scene.materials);
  if (!scene.sources.empty()) json["source_work"] = s.source_work;
  if (!scene.forces.empty()) json["force_work"] = s.force_work;
  if (Json bodies = bodies_json(s, scene); !bodies.empty()) json["bodies"] = std::move(bodies);
  if (has_stage_times(s)) json["times"] = to_json(s.times);
  if (scene.output.diagnostics == DiagnosticsLevel::kStages)
    json["stages"] = {{"p2g", s.stages.p2g},
                      {"grid_forces", s.stages.grid_forces},
                      {"boundary", s.stages.boundary},
                      {"g2p", s.stages.g2p},
                      {"plasticity", s.stages.plasticity}};
  add_solvers(scene, s, json);
  return dump(json, -1);
}

StatsWriter::StatsWriter(const std::filesystem::path& path, std::optional<int> resume_after)
    : file_(open_stats(path, resume_after)) {}

void StatsWriter::write(const FrameStats& stats, const Scene& scene) {
  file_.append(stats_json_line(stats, scene));
}

void RunTotals::add(const FrameStats& stats) {
  if (!initial) initial = stats.totals;
  frames = std::max<std::int64_t>(frames, stats.frame);
  steps += stats.steps;
  particle_steps += stats.particles * stats.steps;
  wall_seconds += stats.wall_seconds;
  peak_memory_bytes = std::max(peak_memory_bytes, stats.memory_bytes);
  max_speed = std::max(max_speed, stats.max_speed);
  energy_growth = std::max(energy_growth, stats.energy.growth);
  lost_volume = std::max(lost_volume, stats.lost_volume);
  add_solves(stats.pressure, pressure);
  add_solves(stats.implicit, implicit);
  add_solves(stats.thermal, thermal);
  add_solves(stats.viscosity, viscosity);
}

double RunTotals::particle_steps_per_second() const {
  return wall_seconds > 0 ? static_cast<double>(particle_steps) / wall_seconds : 0;
}

std::string RunTotals::to_json() const {
  Json json = {{"frames", frames},
               {"steps", steps},
               {"particle_steps", particle_steps},
               {"wall_seconds", wall_seconds},
               {"peak_memory_bytes", peak_memory_bytes},
               {"max_speed", max_speed},
               {"energy_growth", energy_growth},
               {"lost_volume", lost_volume},
               {"pressure", firn::to_json(pressure)},
               {"implicit", firn::to_json(implicit)},
               {"viscosity", firn::to_json(viscosity)}};
  for (const ThermalSolver& solver : kThermalSolvers)
    json[solver.name] = firn::to_json(thermal.*solver.stats);
  if (initial) json["initial"] = firn::to_json(*initial);
  return dump(json, -1);
}

RunTotals RunTotals::from_json(const std::string& text, const std::string& origin) try {
  const Json json = Json::parse(text);
  RunTotals run;
  run.frames = count_of(json, "frames");
  run.steps = count_of(json, "steps");
  run.particle_steps = count_of(json, "particle_steps");
  run.wall_seconds = json.at("wall_seconds");
  run.peak_memory_bytes = static_cast<std::size_t>(count_of(json, "peak_memory_bytes"));
  run.max_speed = json.at("max_speed");
  run.energy_growth = json.value("energy_growth", 0.0);
  run.lost_volume = json.value("lost_volume", 0.0);
  if (json.contains("pressure")) run.pressure = pressure_from_json(json["pressure"]);
  if (json.contains("implicit")) run.implicit = implicit_from_json(json["implicit"]);
  if (json.contains("viscosity")) run.viscosity = solver_from_json(json["viscosity"]);
  for (const ThermalSolver& solver : kThermalSolvers)
    if (json.contains(solver.name)) run.thermal.*solver.stats = solver_from_json(json[solver.name]);
  if (json.contains("initial")) run.initial = totals_from_json(json["initial"]);
  return run;
} catch (const std::bad_alloc&) {
  throw;  // says nothing of the file
} catch (const std::exception& error) {
  throw Error(ErrorCategory::kFile,
              origin + ": cannot read the statistics of the run: " + error.what());
}

namespace {

Json to_json(const RunSeconds& s) {
  return {{"start", s.start}, {"steps", s.steps}, {"pictures", s.pictures}, {"files", s.files},
          {"plots", s.plots}, {"video", s.video}, {"total", s.total}};
}

// By their indices, of bodies those of particles, which sources follow.
template <class Things>
Json names_of(const Things& things) {
  Json names = Json::array();
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace

std::string summary_json(const Scene& scene, const RunOutcome& outcome, const RunTotals& run,
                         const FrameStats& last) {
  Json json = {{"scene", scene.name},
               {"title", scene.title},
               {"source", scene.source},
               {"version", outcome.version},
               {"device", outcome.device},
               {"completed", outcome.completed},
               {"message", outcome.message},
               {"frames", run.frames},
               {"frames_of_scene", scene.simulation.frames},
               {"fps", scene.simulation.fps},
               {"materials", names_of(scene.materials)},
               {"bodies", names_of(scene.bodies)},
               {"sources", names_of(scene.sources)},
               {"colliders", names_of(scene.colliders)},
               {"time", last.time},
               {"steps", run.steps},
               {"particles", last.particles},
               {"emitted", last.emitted},
               {"removed", last.removed},
               {"particle_steps", run.particle_steps},
               {"wall_seconds", run.wall_seconds},
               {"seconds", to_json(outcome.seconds)},
               {"particle_steps_per_second", run.particle_steps_per_second()},
               {"peak_memory_bytes", run.peak_memory_bytes},
               {"process_peak_bytes", outcome.process_peak_bytes},
               {"max_speed", run.max_speed},
               {"energy_growth", run.energy_growth},
               {"lost_volume", run.lost_volume},
               {"totals", to_json(last.totals)}};
  add_solvers(scene, run, json);
  if (run.initial) json["drift"] = drift_json(scene, *run.initial, last.totals);
  return dump(json, 2) + "\n";
}

}  // namespace firn
