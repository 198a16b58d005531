// Scenes that are built in code: whatever stands in the structs, validate accepts it or throws
// Error. What it accepts comes back from its own document and, as the text of a file, once more.
// The first byte chooses the scene to begin with; the others are edits of one member each, whose
// number takes two bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/scene/parse.h"
#include "src/scene/scene_document.h"

namespace firn {
namespace {

// Zeros after the end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  bool empty() const { return left_.empty(); }
  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof value, left_.size());
    if (size > 0) std::memcpy(&value, left_.data(), size);
    left_ = left_.subspan(size);
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

template <class T>
concept Enumeration = std::is_enum_v<T>;

// Visits the members of a scene, and gives the one whose number it has a value of the input.
class Edit {
 public:
  Edit(Input& input, std::size_t number) : input_(input), left_(number) {}

  template <class... T>
  void all(T&... members) {
    (visit(members), ...);
  }

 private:
  bool is_it() {
    if (done_ || left_-- > 0) return false;
    return done_ = true;
  }

  void visit(bool& value) {
    if (is_it()) value = input_.take<std::uint8_t>() % 2 != 0;
  }
  template <std::integral I>
  void visit(I& value) {
    if (is_it()) value = number<I>();
  }
  template <Enumeration E>
  void visit(E& value) {
    if (is_it()) value = static_cast<E>(input_.take<std::int8_t>());
  }
  void visit(double& value) {
    if (is_it()) value = number<double>();
  }
  void visit(std::string& value) {
    if (is_it()) value = text();
  }
  template <class T>
  void visit(std::optional<T>& value) {
    if (is_it()) value = value ? std::nullopt : std::optional<T>(T{});
    if (value) visit(*value);
  }
  template <class T>
  void visit(std::vector<T>& values) {
    if (is_it()) values.resize(input_.take<std::uint8_t>() % 5);
    for (T& value : values) visit(value);
  }
  template <class T, std::size_t n>
  void visit(std::array<T, n>& values) {
    for (T& value : values) visit(value);
  }

  void visit(ScalarField& s) { all(s.constant, s.expression); }
  void visit(VectorField& s) { all(s.component); }
  void visit(SimulationSettings& s) {
    all(s.dimension, s.frames, s.fps, s.gravity, s.integrator, s.precision, s.seed, s.reproducible,
        s.fused);
  }
  void visit(TransferSettings& s) { all(s.type, s.blend, s.modes, s.advection, s.kernel, s.force); }
  void visit(TimeSettings& s) { all(s.cfl, s.cfl_material, s.dt_max, s.dt_min); }
  void visit(Domain& s) { all(s.min, s.max, s.boundary, s.friction, s.temperature); }
  void visit(GridSettings& s) { all(s.dx, s.domain); }
  void visit(FluidSettings& s) {
    all(s.tolerance, s.absolute_tolerance, s.max_iterations, s.free_surface, s.density_correction);
  }
  void visit(SolveSettings& s) { all(s.tolerance, s.max_iterations); }
  void visit(ThermalSettings& s) {
    all(s.heat, s.ambient, s.heat_transfer_coefficient, s.temperature_flip, s.forces,
        s.face_density, s.force_solve, s.pressure_solve, s.heat_solve);
  }
  void visit(TracerSettings& s) { all(s.per_cell, s.bodies, s.alone); }
  void visit(LameParameters& s) { all(s.mu, s.lambda); }
  void visit(PhaseValues& s) { all(s.solid, s.liquid); }
  void visit(HeatProperties& s) {
    all(s.capacity, s.conductivity, s.melting_point, s.melting_jitter, s.latent_heat);
  }
  void visit(Material& s) {
    all(s.name, s.model, s.density, s.youngs_modulus, s.poisson_ratio, s.critical_compression,
        s.critical_stretch, s.hardening, s.hardening_law, s.preconsolidation, s.tension_ratio,
        s.consistency, s.flow_index, s.relaxation_time, s.stiffness_damping, s.friction_angle,
        s.friction_match, s.cohesion, s.dilatancy_angle, s.dilatancy_limit, s.friction_hardening,
        s.volume_correction, s.yield_stress, s.bulk_modulus, s.gamma, s.tension_limit, s.viscosity,
        s.youngs_modulus_of_temperature, s.lame, s.heat, s.color);
  }
  void visit(Shape& s) {
    all(s.type, s.center, s.radius, s.tube_radius, s.radii, s.min, s.max, s.rounding, s.point,
        s.normal, s.from, s.to, s.axis, s.height, s.low, s.high, s.base, s.file, s.size,
        s.translation, s.rotation, s.scale, s.children);
  }
  void visit(Body& s) {
    all(s.name, s.material, s.shape, s.particles_per_cell, s.sampling, s.velocity,
        s.angular_velocity, s.stretch, s.stress, s.density_scale, s.stiffness_scale, s.color,
        s.temperature, s.phase);
  }
  void visit(Keyframes& s) { all(s.times, s.translation, s.rotation, s.pivot); }
  void visit(Dynamics& s) { all(s.density, s.mass, s.inertia, s.velocity, s.angular_velocity); }
  void visit(Collider& s) {
    all(s.name, s.shape, s.boundary, s.friction, s.motion, s.dynamics, s.color, s.temperature);
  }
  void visit(Source& s) {
    all(s.name, s.material, s.shape, s.velocity, s.start, s.end, s.particles_per_cell, s.sampling,
        s.temperature, s.phase);
  }
  void visit(Sink& s) { all(s.name, s.shape); }
  void visit(HeatSource& s) { all(s.name, s.shape, s.power); }
  void visit(MaterialContact& s) { all(s.materials, s.friction); }
  void visit(ForceField& s) {
    all(s.name, s.shape, s.acceleration, s.velocity, s.drag, s.materials);
  }
  void visit(Sensor& s) {
    all(s.name, s.kind, s.rate, s.position, s.direction, s.radius, s.shape, s.channels, s.collider,
        s.bodies, s.materials);
  }
  void visit(CameraKeys& s) { all(s.times, s.eye, s.target, s.fov); }
  void visit(Camera& s) { all(s.eye, s.target, s.up, s.fov, s.orbit, s.motion); }
  void visit(OutputSettings& s) {
    all(s.directory, s.particles, s.image, s.video, s.color, s.resolution, s.channels,
        s.checkpoint_every, s.keep_checkpoints, s.diagnostics, s.camera);
  }
  void visit(DiagnosticsSettings& s) { all(s.energy_growth, s.on_energy_growth, s.volume_loss); }

  // One of those at which something changes, or any.
  template <class T>
  T number() {
    using Limits = std::numeric_limits<T>;
    constexpr T kTurns[] = {T(0), T(1), T(2), T(3), T(100), T(-1), T(0.5), T(1e-3), T(1e9)};
    constexpr T kEnds[] = {Limits::max(), Limits::lowest(), Limits::infinity(),
                           Limits::quiet_NaN()};
    const auto choice = input_.take<std::uint8_t>();
    if (choice < std::size(kTurns)) return kTurns[choice];
    return choice < 16 ? kEnds[choice % std::size(kEnds)] : input_.take<T>();
  }
  std::string text() {
    constexpr std::string_view kTexts[] = {"",      "a",      "body0",    "x*y",
                                           "300+T", "ply",    "velocity", "/a.obj",
                                           "a.png", "\n\"\\", "index 0",  "sin("};
    const auto choice = input_.take<std::uint8_t>();
    if (choice < std::size(kTexts)) return std::string(kTexts[choice]);
    std::string text(choice % 8, '\0');
    for (char& c : text) c = input_.take<char>() & 0x7f;  // a file has no broken UTF-8
    return text;
  }

  Input& input_;
  std::size_t left_;
  bool done_ = false;
};

constexpr std::string_view kSolid =
    "model = \"fixed_corotated\"\ndensity = 1.0\nyoungs_modulus = 1.0\npoisson_ratio = 0.3\n";
constexpr std::string_view kLiquid = "model = \"incompressible\"\ndensity = 1.0\n";
constexpr std::string_view kMelting =
    "model = \"corotated_deviatoric\"\ndensity = 1.0\nyoungs_modulus = 1.0\npoisson_ratio = 0.3\n"
    "heat_capacity = 1.0\nconductivity = 1.0\nmelting_point = 300.0\n";

// A disc and all that may stand beside it.
Scene disc(std::string_view integrator, std::string_view material, std::string_view of_body) {
  return parse_scene(
      fmt::format("simulation = {{ dimension = 2, integrator = \"{}\" }}\n"
                  "grid = {{ dx = 0.1, domain = {{ min = [-2.0, -2.0], max = [2.0, 2.0] }} }}\n"
                  "[material.m]\n{}[[body]]\nmaterial = \"m\"\n{}"
                  "shape = {{ type = \"sphere\", center = [0.0, 0.0], radius = 1.0 }}\n",
                  integrator, material, of_body),
      "disc.toml", "");
}

const Scene& first_scene(std::uint8_t choice) {
  static const Scene kScenes[] = {{},
                                  disc("explicit", kSolid, ""),
                                  disc("incompressible", kLiquid, ""),
                                  disc("thermal", kMelting, "temperature = 290.0\n")};
  return kScenes[choice % std::size(kScenes)];
}

// That a scene of a few things has.
constexpr std::size_t kMostMembers = 1000;

Scene edited(Input input) {
  Scene scene = first_scene(input.take<std::uint8_t>());
  for (int edits = 0; !input.empty() && edits < 50; ++edits) {
    Edit edit(input, input.take<std::uint16_t>() % kMostMembers);
    edit.all(scene.name, scene.title, scene.source, scene.simulation, scene.transfer, scene.time,
             scene.grid, scene.fluid, scene.thermal, scene.tracers, scene.materials, scene.bodies,
             scene.colliders, scene.sources, scene.sinks, scene.heat_sources, scene.sensors,
             scene.output, scene.diagnostics, scene.forces, scene.contacts);
  }
  return scene;
}

// Of what may not be left out.
bool says_the_same(const Scene& a, const Scene& b) {
  const auto same = [](const auto& one, const auto& other, auto member) {
    return std::ranges::equal(one, other, {}, member, member);
  };
  return a.simulation.dimension == b.simulation.dimension && a.grid.dx == b.grid.dx &&
         same(a.materials, b.materials, &Material::model) &&
         same(a.bodies, b.bodies, &Body::material) && same(a.bodies, b.bodies, &Body::stretch) &&
         same(a.sources, b.sources, &Source::material) &&
         same(a.colliders, b.colliders, &Collider::boundary) && a.sinks.size() == b.sinks.size() &&
         same(a.sensors, b.sensors, &Sensor::kind) &&
         a.tracers.bodies.size() == b.tracers.bodies.size();
}

Scene read_back(const Scene& scene) {
  scene::Findings findings;
  scene::ReadContext context{findings};
  Scene out = scene::parse_tree(scene::document_of(scene), context);
  findings.throw_if_any();
  return out;
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  const Scene scene = edited({data, size});
  try {
    validate(scene);
  } catch (const Error&) {
    return 0;
  }
  // Which only a scene in code may be, to which particles are added.
  const auto moves = [](const Collider& collider) { return collider.dynamics.has_value(); };
  if (scene.bodies.empty() && scene.sources.empty() && std::ranges::none_of(scene.colliders, moves))
    return 0;
  const Scene again = read_back(scene);
  if (!says_the_same(again, scene)) std::abort();
  // Neither throws.
  validate(again);
  parse_scene(scene::write_document(scene::document_of(scene)), "written.toml", "");
  return 0;
}
