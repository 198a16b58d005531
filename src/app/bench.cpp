// `firn bench`: the speed of one step, stage by stage: of the explicit one on a block of material
// at rest on the floor (suite "step"), of the incompressible one on a breaking dam ("liquid").
// There are eight particles per cell, whatever the size, so that figures of different sizes
// compare.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "firn/error.h"
#include "src/app/bench_pressure.h"
#include "src/app/commands.h"
#include "src/app/format.h"
#include "src/app/json_out.h"
#include "src/app/machine.h"
#include "src/app/names.h"
#include "src/io/atomic_file.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

constexpr double kDx = 0.01;  // m
constexpr double kParticlesPerCell = 8;
constexpr double kFloor = 8 * kDx;        // away from the origin, as in any scene
constexpr std::int64_t kWarmupSteps = 4;  // first touch of memory, growth of the grid

Material bench_material(const std::string& preset) {
  Material soft;
  soft.name = "elastic";
  soft.model = MaterialModel::kFixedCorotated;
  soft.density = 1000;
  soft.youngs_modulus = 1e5;
  soft.poisson_ratio = 0.3;
  if (preset.empty()) return soft;
  std::vector<std::string_view> names;
  for (const MaterialPreset& known : material_presets()) {
    if (known.material.name == preset) return known.material;
    names.push_back(known.material.name);
  }
  throw Error(ErrorCategory::kScene,
              fmt::format("--material: there is no preset '{}'{}; 'firn materials' lists them",
                          preset, scene::suggestion(preset, names)));
}

TransferType transfer_of(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(TransferType::kPolypic); ++i)
    if (name_of(static_cast<TransferType>(i)) == name) return static_cast<TransferType>(i);
  return TransferType::kApic;  // the flag has been checked
}

int degree_of(const std::string& name) {
  int degree = 1;
  while (degree < 3 && kernel_name(degree) != name) ++degree;
  return degree;
}

Body block(double side) {
  Body body;
  body.name = "block";
  body.shape.type = ShapeType::kBox;
  body.shape.min = {kFloor, kFloor, kFloor};
  body.shape.max = {kFloor + side, kFloor + side, kFloor + side};
  body.particles_per_cell = kParticlesPerCell;
  body.sampling = Sampling::kUniform;
  return body;
}

Collider ground() {
  Collider floor;
  floor.name = "ground";
  floor.shape.type = ShapeType::kHalfSpace;
  floor.shape.point = {0, kFloor, 0};
  floor.boundary = BoundaryType::kSticky;
  return floor;
}

Scene empty_scene(const Options& options, const char* kernel) {
  Scene scene;
  scene.name = "bench";
  scene.simulation.precision =
      options.precision == "double" ? Precision::kDouble : Precision::kSingle;
  scene.transfer.type = transfer_of(options.transfer);
  scene.transfer.kernel = degree_of(options.kernel.empty() ? kernel : options.kernel);
  scene.output.diagnostics = DiagnosticsLevel::kOff;
  return scene;
}

Scene solid_scene(const Options& options) {
  Scene scene = empty_scene(options, "quadratic");
  // The linear kernel has no MLS force (scene.h).
  if (scene.transfer.kernel == 1) scene.transfer.force = ForceForm::kGradient;
  scene.grid.dx = kDx;
  scene.materials = {bench_material(options.material)};
  const double cells = static_cast<double>(options.particles) / kParticlesPerCell;
  scene.bodies = {block(std::max(1.0, std::round(std::cbrt(cells))) * kDx)};
  scene.colliders = {ground()};
  return scene;
}

// A column in a cube of `side` cells fills 0.227 of it: 3.8 million particles at 128. It stands
// far from the wall it runs to, and its top and front lie within cells.
Scene liquid_scene(const Options& options) {
  const int side = options.side.value_or(128);
  Scene scene = empty_scene(options, "linear");
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.grid.dx = 1.0 / side;
  Domain& domain = scene.grid.domain.emplace();
  domain.max = {1, 1, 1};
  domain.boundary.fill(BoundaryType::kSlip);
  Material water;
  water.name = "water";
  water.model = MaterialModel::kIncompressible;
  water.density = 1000;
  scene.materials = {water};
  scene.bodies = {block(1)};
  scene.bodies[0].shape.min = {0, 0, 0};
  scene.bodies[0].shape.max = {0.4, 0.567, 1};
  scene.bodies[0].sampling = Sampling::kPoisson;
  return scene;
}

struct Measurement {
  std::string device;
  bool on_cuda = false;
  int threads = 0;
  std::int64_t particles = 0, blocks = 0, steps = 0;
  double seconds = 0;
  StageTimes stages;  // s
  PressureStats pressure;
  double bytes_per_particle = 0, bytes_per_block = 0;
  std::size_t memory_bytes = 0;

  double particle_steps() const {
    return static_cast<double>(particles) * static_cast<double>(steps);
  }
  double ns(double s) const { return 1e9 * s / particle_steps(); }
  double rate() const { return particle_steps() / seconds; }
  double per_step(double s) const { return s / static_cast<double>(steps); }
  double iterations_per_solve() const {
    return static_cast<double>(pressure.iterations) / static_cast<double>(pressure.solves);
  }
};

Measurement measure(const Scene& scene, const Options& options) {
  Simulation simulation(scene, options.run);
  simulation.advance_steps(kWarmupSteps);
  const auto start = std::chrono::steady_clock::now();
  simulation.advance_steps(options.steps);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;

  const FrameStats stats = simulation.stats();
  Measurement m;
  m.device = simulation.device_name();
  m.on_cuda = simulation.on_cuda();
  m.threads = options.run.threads > 0 ? options.run.threads : hardware_threads();
  m.particles = stats.particles;
  m.blocks = stats.blocks;
  m.steps = options.steps;
  m.seconds = spent.count();
  m.stages = stats.times;
  m.pressure = stats.pressure;
  m.memory_bytes = stats.memory_bytes;
  const SceneEstimate need = estimate(scene);
  m.bytes_per_particle =
      static_cast<double>(need.particle_bytes) / static_cast<double>(need.particles);
  m.bytes_per_block = static_cast<double>(need.grid_bytes) / static_cast<double>(need.blocks);
  return m;
}

std::vector<std::pair<const char*, double>> stage_list(const StageTimes& t) {
  return {{"rebuild", t.rebuild},           {"p2g", t.p2g},    {"grid", t.grid}, {"g2p", t.g2p},
          {"constitutive", t.constitutive}, {"other", t.other}};
}

Json to_json(const Measurement& m, const Scene& scene) {
  Json ns;
  for (const auto& [stage, seconds] : stage_list(m.stages)) ns[stage] = m.ns(seconds);
  ns["step"] = m.ns(m.seconds);
  Json json = {{"version", FIRN_VERSION},
               {"device", m.device},
               {"cpu", cpu_model()},
               {"precision", name_of(scene.simulation.precision)},
               {"transfer", name_of(scene.transfer.type)},
               {"kernel", kernel_name(scene.transfer.kernel)},
               {"material", scene.materials[0].name},
               {"particles", m.particles},
               {"blocks", m.blocks},
               {"steps", m.steps},
               {"seconds", m.seconds},
               {"ns_per_particle", ns},
               {"particle_steps_per_second", m.rate()},
               {"bytes_per_particle", m.bytes_per_particle},
               {"bytes_per_block", m.bytes_per_block},
               {"memory_bytes", m.memory_bytes}};
  if (const PressureStats& p = m.pressure; p.solves > 0)
    json["pressure"] = {{"seconds_per_step", m.per_step(p.seconds)},
                        {"iterations_per_solve", m.iterations_per_solve()},
                        {"max_iterations", p.max_iterations},
                        {"density_seconds_per_step", m.per_step(p.drift_seconds)}};
  if (!m.on_cuda) {
    json["threads"] = m.threads;
    json["particle_steps_per_second_per_core"] = m.rate() / m.threads;
  }
  return json;
}

void print_measurement(const Measurement& m, const Scene& scene) {
  fmt::print(
      "{}\n{} precision, {}, {} kernel, {}\n{} particles in {} blocks, {} steps in {:.3f} s\n\n",
      m.device, name_of(scene.simulation.precision), name_of(scene.transfer.type),
      kernel_name(scene.transfer.kernel), scene.materials[0].name, m.particles, m.blocks, m.steps,
      m.seconds);
  std::vector<std::vector<std::string>> rows{{"stage", "ns per particle"}};
  for (const auto& [stage, seconds] : stage_list(m.stages))
    rows.push_back({stage, fmt::format("{:.3f}", m.ns(seconds))});
  rows.push_back({"step", fmt::format("{:.3f}", m.ns(m.seconds))});
  fmt::print("{}\n{} particle-steps/s", format_table(rows), format_count(m.rate()));
  if (!m.on_cuda) fmt::print(", {} per core", format_count(m.rate() / m.threads));
  if (const PressureStats& p = m.pressure; p.solves > 0)
    fmt::print(
        "\n{:.4f} s per step, of which {:.4f} s the pressure ({:.1f} iterations, at most {}) and "
        "{:.4f} s the density",
        m.per_step(m.seconds), m.per_step(p.seconds), m.iterations_per_solve(), p.max_iterations,
        m.per_step(p.drift_seconds));
  fmt::print("\n{:.0f} bytes per particle, {:.0f} per block, {} in all\n", m.bytes_per_particle,
             m.bytes_per_block, format_bytes(static_cast<double>(m.memory_bytes)));
}

}  // namespace

int bench(const Options& options) {
  if (options.target == "pressure") return bench_pressure_solver(options);
  const bool liquid = options.target == "liquid";
  if (!liquid && !options.target.empty() && options.target != "step")
    throw Error(ErrorCategory::kScene,
                fmt::format("firn bench has no suite '{}'{}", options.target,
                            scene::suggestion(options.target, {"step", "pressure", "liquid"})));
  const Scene scene = liquid ? liquid_scene(options) : solid_scene(options);
  const Measurement measurement = measure(scene, options);
  print_measurement(measurement, scene);
  if (!options.json_file.empty()) {
    write_file_atomically(options.json_file, to_text(to_json(measurement, scene)));
    fmt::print("wrote {}\n", options.json_file);
  }
  return 0;
}

}  // namespace firn::app
