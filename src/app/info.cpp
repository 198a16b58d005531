// `firn info`: what a scene says and what it will need, without running it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/warnings.h"
#include "src/app/commands.h"
#include "src/app/estimate_disk.h"
#include "src/app/estimate_memory.h"
#include "src/app/format.h"
#include "src/app/info_bodies.h"
#include "src/app/info_thermal.h"
#include "src/app/json_out.h"
#include "src/app/names.h"
#include "src/app/scene_catalog.h"
#include "src/app/scene_drawing.h"

namespace firn::app {
namespace {

// A step ends with every reading of a sensor.
double steps_per_frame(const Scene& scene, double dt) {
  double readings = scene.simulation.fps;
  for (const Sensor& sensor : scene.sensors)
    readings = std::max(readings, sensor.rate.value_or(readings));
  return dt > 0 ? readings / scene.simulation.fps * std::ceil(1 / (readings * dt)) : 0;
}

// Gravity shortens the longest step of liquids, which begin at rest (see StepLimits).
std::string limit_text(const Scene& scene, const SceneEstimate& need) {
  if (need.limited_by == DtLimit::kMaximum && need.dt_limit < (1 - 1e-9) * scene.time.dt_max)
    return "gravity (no fall from rest beyond time.cfl)";
  return describe_limit(need.limited_by, need.limiting_material);
}

// "110", "110 to 15200 (snow crushed to nothing)".
std::string steps_text(const Scene& scene, const SceneEstimate& need) {
  const double least = steps_per_frame(scene, need.dt_limit),
               most = steps_per_frame(scene, need.dt_hardened);
  if (!(most > least)) return fmt::format("{:.0f} steps per frame", least);
  return fmt::format(
      "{:.0f} steps per frame, up to {:.0f} where snow is crushed as hard as its law "
      "lets it be",
      least, most);
}

std::int64_t whole(double bytes) { return std::llround(bytes); }

std::vector<std::string> warnings_of(const Scene& scene, const SceneEstimate& need) {
  std::vector<std::string> warnings = scene_warnings(scene);
  if (need.dt_limit > 0 && need.dt_limit < scene.time.dt_min)
    warnings.push_back(
        fmt::format("steps of {:.3g} s are shorter than time.dt_min ({:.3g} s): a run ends in its "
                    "first; give a smaller one",
                    need.dt_limit, scene.time.dt_min));
  return warnings;
}

Json bodies_json(const Scene& scene, const SceneEstimate& need) {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    bodies.push_back({{"name", scene.bodies[i].name},
                      {"material", scene.materials[scene.bodies[i].material].name},
                      {"particles", need.particles_per_body.at(i)}});
  return bodies;
}

std::vector<std::string> material_names(const Scene& scene, const std::vector<int>& materials) {
  std::vector<std::string> names;
  names.reserve(materials.size());
  for (const int m : materials) names.push_back(scene.materials[static_cast<std::size_t>(m)].name);
  return names;
}
double rate_of(const Scene& scene, const Sensor& sensor) {
  return sensor.rate.value_or(scene.simulation.fps);
}

Json contacts_json(const Scene& scene) {
  Json contacts = Json::array();
  for (const MaterialContact& contact : scene.contacts)
    contacts.push_back(
        {{"materials", material_names(scene, contact.materials)}, {"friction", contact.friction}});
  return contacts;
}
Json sensors_json(const Scene& scene) {
  Json sensors = Json::array();
  for (const Sensor& sensor : scene.sensors)
    sensors.push_back({{"name", sensor.name}, {"rate", rate_of(scene, sensor)}});
  return sensors;
}

Json info_json(const Scene& scene, const SceneEstimate& need, const MemoryEstimate& memory,
               const DiskEstimate& disk) {
  const SimulationSettings& s = scene.simulation;
  return {{"scene", scene.name},
          {"warnings", warnings_of(scene, need)},
          {"title", scene.title},
          {"source", scene.source},
          {"dimension", s.dimension},
          {"frames", s.frames},
          {"fps", s.fps},
          {"precision", name_of(s.precision)},
          {"transfer", name_of(scene.transfer.type)},
          {"dx", scene.grid.dx},
          {"exact", need.exact},
          {"particles", need.particles},
          {"tracers", need.tracers},
          {"blocks", need.blocks},
          {"bodies", bodies_json(scene, need)},
          {"rigid_bodies", rigid_bodies_json(scene)},
          {"contacts", contacts_json(scene)},
          {"sensors", sensors_json(scene)},
          {"thermal", thermal_json(scene)},
          {"bounds", {{"min", need.bounds_min}, {"max", need.bounds_max}}},
          {"memory_bytes",
           {{"particles", need.particle_bytes},
            {"tracers", need.tracer_bytes},
            {"grid", need.grid_bytes},
            {"scratch", need.scratch_bytes},
            {"total", whole(memory.stores)},
            {"process", whole(memory.process)},
            {"filling", whole(memory.filling)},
            {"output", whole(memory.output)},
            {"checkpoint_writing", whole(memory.checkpoint)},
            {"peak", whole(memory.peak)},
            {"peak_resumed", whole(memory.resumed)}}},
          {"dt",
           {{"limit", need.dt_limit},
            {"limited_by", limit_text(scene, need)},
            {"material", need.limiting_material},
            {"steps_per_frame", steps_per_frame(scene, need.dt_limit)},
            {"hardened", need.dt_hardened},
            {"steps_per_frame_hardened", steps_per_frame(scene, need.dt_hardened)}}},
          {"disk_bytes",
           {{"particles_per_frame", disk.particle_files},
            {"picture_per_frame", disk.picture},
            {"checkpoint", disk.checkpoint},
            {"video", disk.video},
            {"records", disk.records},
            {"total", disk.total()}}}};
}

std::string format_point(const Vec3& x, int dimension) {
  return fmt::format("[{:.4g}]", fmt::join(x.begin(), x.begin() + dimension, ", "));
}

void print_bodies(const Scene& scene, const SceneEstimate& need) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    fmt::print("  body       {}: {} particles of {}{}\n", scene.bodies[i].name,
               need.particles_per_body.at(i), scene.materials[scene.bodies[i].material].name,
               starting_state(scene, scene.bodies[i]));
  for (const Source& source : scene.sources)
    fmt::print("  source     {}: emits {}{}; its particles are not counted here\n", source.name,
               scene.materials[source.material].name, starting_state(scene, source));
}

std::string list_of_materials(const Scene& scene, const std::vector<int>& materials) {
  return fmt::format("{}", fmt::join(material_names(scene, materials), ", "));
}

void print_forces(const Scene& scene) {
  for (const MaterialContact& contact : scene.contacts)
    fmt::print("  contact    of {}, friction {:g}\n", list_of_materials(scene, contact.materials),
               contact.friction);
  for (const ForceField& force : scene.forces) {
    fmt::print(
        "  force      {}: {}{} on {}\n", force.name,
        force.drag > 0 ? fmt::format("air that drags at {:g} 1/s", force.drag) : "an acceleration",
        force.shape ? " in a shape" : "",
        force.materials.empty() ? "all materials" : list_of_materials(scene, force.materials));
  }
}

void print_scene(const Scene& scene, const SceneEstimate& need) {
  const SimulationSettings& s = scene.simulation;
  fmt::print("{}{}{}\n", scene.name, scene.title.empty() ? "" : ": ", scene.title);
  if (!scene.source.empty()) fmt::print("  source     {}\n", scene.source);
  fmt::print("  run        {}D, {} frames at {:g}/s, {} precision, {} with the {} kernel\n",
             s.dimension, s.frames, s.fps, name_of(s.precision), name_of(scene.transfer.type),
             kernel_name(scene.transfer.kernel));
  const char* about = need.exact ? "" : "about ";
  fmt::print("  grid       dx {:g} m, {}{} blocks\n", scene.grid.dx, about, need.blocks);
  const bool fills = need.bounds_min[0] <= need.bounds_max[0];
  fmt::print("  particles  {}{}{}\n", about, need.particles,
             fills ? fmt::format(" within {} to {}", format_point(need.bounds_min, s.dimension),
                                 format_point(need.bounds_max, s.dimension))
                   : "");
  print_bodies(scene, need);
  print_rigid_bodies(scene);
  print_thermal(scene);
  print_forces(scene);
  for (const Sensor& sensor : scene.sensors)
    fmt::print("  sensor     {}: {:g} readings per second\n", sensor.name, rate_of(scene, sensor));
  if (need.tracers > 0) fmt::print("  tracers    {}{}\n", about, need.tracers);
  if (!need.exact) fmt::print("  counted    thinly, within some per cent; --exact samples all\n");
}

void print_needs(const Scene& scene, const SceneEstimate& need, const MemoryEstimate& memory,
                 const DiskEstimate& disk) {
  fmt::print("  time step  {:.3g} s, set by {}; about {}\n", need.dt_limit, limit_text(scene, need),
             steps_text(scene, need));
  const auto bytes = [](std::size_t n) { return format_bytes(static_cast<double>(n)); };
  fmt::print("  memory     {}: particles {}, {}grid {}, scratch {}\n", format_bytes(memory.stores),
             bytes(need.particle_bytes),
             need.tracers > 0 ? fmt::format("tracers {}, ", bytes(need.tracer_bytes)) : "",
             bytes(need.grid_bytes), bytes(need.scratch_bytes));
  fmt::print("  peak       {} on the CPU, {}: the program {}, and beside the memory above {}\n",
             format_bytes(memory.peak), memory.moment, format_bytes(memory.process),
             format_bytes(memory.peak - memory.process - memory.stores));
  if (memory.resumed > 1.05 * memory.peak)
    fmt::print("             {} of a run that is resumed, while its checkpoint is loaded\n",
               format_bytes(memory.resumed));
  fmt::print(
      "  disk       about {} in all: {} per frame (files {}, picture {}), {} per checkpoint, "
      "video {}, records and plots {}\n",
      format_bytes(disk.total()), format_bytes(disk.per_frame()), format_bytes(disk.particle_files),
      format_bytes(disk.picture), format_bytes(disk.checkpoint), format_bytes(disk.video),
      format_bytes(disk.records));
}

}  // namespace

int info(const Options& options) {
  const Scene scene = load_scene(find_scene(options.target), scene_options(options));
  const double process = resident_bytes();
  const SceneEstimate need =
      estimate(scene, options.exact ? EstimateMode::kExact : EstimateMode::kQuick);
  const MemoryEstimate memory = estimate_memory(scene, need, process);
  const DiskEstimate disk = estimate_disk(scene, need);
  if (!options.draw.empty() && !draw_scene(scene, options.draw))
    throw Error(ErrorCategory::kFile, "--draw: there is no gnuplot");
  if (options.json) {
    print_json(info_json(scene, need, memory, disk));
  } else {
    print_scene(scene, need);
    print_needs(scene, need, memory, disk);
    for (const std::string& warning : warnings_of(scene, need))
      fmt::print("  warning    {}\n", warning);
  }
  return 0;
}

}  // namespace firn::app
