#include "src/app/bench_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/app/names.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

constexpr double kDx = 0.01;        // m
constexpr double kFloor = 8 * kDx;  // away from the origin, as in any scene
// Gap between pieces: more than a block and the reach of the widest kernel on both sides.
constexpr double kGapCells = 12;

TransferType transfer_of(const std::string& name) {
  for (const TransferType type : all_transfers())
    if (name_of(type) == name) return type;
  return TransferType::kApic;  // the flag has been checked
}

int degree_of(const std::string& name) {
  int degree = 1;
  while (degree < 3 && kernel_name(degree) != name) ++degree;
  return degree;
}

Body box_body(const Vec3& min, const Vec3& max, double per_cell) {
  Body body;
  body.shape.type = ShapeType::kBox;
  body.shape.min = min;
  body.shape.max = max;
  body.particles_per_cell = per_cell;
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

Scene empty_scene(int dimension, Precision precision, TransferType transfer, int kernel) {
  Scene scene;
  scene.name = "bench";
  scene.simulation.dimension = dimension;
  scene.simulation.precision = precision;
  scene.transfer.type = transfer;
  scene.transfer.kernel = kernel;
  scene.output.diagnostics = DiagnosticsLevel::kOff;
  return scene;
}

// Cubes (squares in 2D) of `side` cells; one is the block itself.
std::vector<Body> cubes(int dimension, int pieces, double side, double per_cell) {
  const double edge = side * kDx, pitch = edge + kGapCells * kDx;
  std::vector<Body> bodies;
  const int deep = dimension == 3 ? pieces : 1;
  for (int i = 0; i < pieces; ++i)
    for (int j = 0; j < pieces; ++j)
      for (int k = 0; k < deep; ++k) {
        Vec3 min{kFloor + i * pitch, kFloor + j * pitch, kFloor + k * pitch}, max = min;
        for (int a = 0; a < dimension; ++a) max[static_cast<std::size_t>(a)] += edge;
        if (dimension == 2) min[2] = max[2] = 0;
        bodies.push_back(box_body(min, max, per_cell));
      }
  return bodies;
}

std::vector<Body> layers_of(const Body& block, int layers, int materials) {
  std::vector<Body> bodies;
  const double thickness = (block.shape.max[1] - block.shape.min[1]) / layers;
  for (int layer = 0; layer < layers; ++layer) {
    Body body = block;
    body.name = fmt::format("layer {}", layer);
    body.material = layer % materials;
    body.shape.min[1] = block.shape.min[1] + layer * thickness;
    body.shape.max[1] = body.shape.min[1] + thickness;
    bodies.push_back(body);
  }
  return bodies;
}

// The speed at which the step that the elastic waves allow would use up cfl = 0.5.
double speed_of_half_a_cell_per_step(Scene scene) {
  for (Material& material : scene.materials) material.viscosity = 0;
  Body probe = scene.bodies.front();
  probe.name.clear();
  for (std::size_t a = 0; a < static_cast<std::size_t>(scene.simulation.dimension); ++a)
    probe.shape.max[a] = probe.shape.min[a] + 2 * kDx;
  scene.bodies.assign(scene.materials.size(), probe);
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    scene.bodies[m].material = static_cast<int>(m);
  return 0.5 * scene.grid.dx / estimate(scene).dt_limit;
}

// Every body falls, drifts and spins about its vertical axis, edges faster than sound, so that
// particles change their cells every few steps (the suites measure how many do). It starts four
// cells above the floor: what would be torn off there makes steps so short that nothing else moves.
void set_in_motion(Scene& scene) {
  const double unit = speed_of_half_a_cell_per_step(scene);
  for (Body& body : scene.bodies) {
    const double edge = body.shape.max[0] - body.shape.min[0];
    const double spin = 0.8 * unit / (edge / std::sqrt(2.0));
    body.angular_velocity[scene.simulation.dimension == 3 ? 1 : 2] = spin;
    body.velocity.component[0].constant = 0.5 * unit;
    for (Vec3* corner : {&body.shape.min, &body.shape.max}) (*corner)[1] += 4 * kDx;
  }
}

// Halves the first body along the first two axes into four that touch, each of a material of its
// own.
void cut(Scene& scene) {
  const Body whole = scene.bodies.front();
  const Material material = scene.materials[static_cast<std::size_t>(whole.material)];
  MaterialContact contact;
  contact.friction = 0.4;
  scene.bodies.clear();
  scene.materials.clear();
  for (int part = 0; part < 4; ++part) {
    Body body = whole;
    body.name = fmt::format("part {}", part);
    body.material = part;
    for (int a = 0; a < 2; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const double middle = 0.5 * (whole.shape.min[axis] + whole.shape.max[axis]);
      ((part >> a & 1) != 0 ? body.shape.min : body.shape.max)[axis] = middle;
    }
    scene.bodies.push_back(body);
    scene.materials.push_back(material);
    if (part > 0) scene.materials.back().name += fmt::format(" {}", part);
    contact.materials.push_back(part);
  }
  scene.contacts = {contact};
}

}  // namespace

const std::vector<TransferType>& all_transfers() {
  static const std::vector<TransferType> types{TransferType::kPic,   TransferType::kFlip,
                                               TransferType::kRpic,  TransferType::kApic,
                                               TransferType::kAflip, TransferType::kPolypic};
  return types;
}

Material soft_elastic() {
  Material soft;
  soft.name = "elastic";
  soft.model = MaterialModel::kFixedCorotated;
  soft.density = 1000;
  soft.youngs_modulus = 1e5;
  soft.poisson_ratio = 0.3;
  return soft;
}

Material bench_material(const std::string& preset) {
  if (preset.empty() || preset == soft_elastic().name) return soft_elastic();
  std::vector<std::string_view> names;
  for (const MaterialPreset& known : material_presets()) {
    if (known.material.name == preset) return known.material;
    names.push_back(known.material.name);
  }
  throw Error(ErrorCategory::kScene,
              fmt::format("--material: there is no preset '{}'{}; 'firn materials' lists them",
                          preset, scene::suggestion(preset, names)));
}

BlockCase block_case(const Options& options) {
  BlockCase block;
  block.particles = options.particles;
  block.transfer = transfer_of(options.transfer);
  block.kernel = options.kernel.empty() ? 2 : degree_of(options.kernel);
  block.precision = options.precision == "double" ? Precision::kDouble : Precision::kSingle;
  block.motion = options.motion == "moving"     ? Motion::kMoving
                 : options.motion == "touching" ? Motion::kTouching
                                                : Motion::kSettled;
  block.fused = !options.plain;
  block.reproducible = options.reproducible;
  return block;
}

Scene block_scene(const BlockCase& block, const std::vector<Material>& materials) {
  Scene scene = empty_scene(block.dimension, block.precision, block.transfer, block.kernel);
  // The linear kernel has no MLS force (scene.h).
  if (block.kernel == 1) scene.transfer.force = ForceForm::kGradient;
  scene.simulation.fused = block.fused;
  scene.simulation.reproducible = block.reproducible;
  scene.grid.dx = kDx;
  scene.materials = materials;
  const double per_cell = block.per_cell > 0 ? block.per_cell : block.dimension == 3 ? 8 : 4;
  const double of_pieces = std::pow(block.pieces, block.dimension);
  const double cells = static_cast<double>(block.particles) / per_cell / of_pieces;
  const double side = std::max(1.0, std::round(std::pow(cells, 1.0 / block.dimension)));
  scene.bodies = cubes(block.dimension, block.pieces, side, per_cell);
  if (block.layered)
    scene.bodies =
        layers_of(scene.bodies.front(), static_cast<int>(side), static_cast<int>(materials.size()));
  scene.colliders = {ground()};
  if (block.motion == Motion::kMoving) set_in_motion(scene);
  if (block.motion == Motion::kTouching) cut(scene);
  return scene;
}

// A column in a cube of `side` cells fills 0.227 of it: 3.8 million particles at 128. It stands
// far from the wall it runs to, and its top and front lie within cells.
Scene liquid_scene(const Options& options) {
  const int side = options.side.value_or(128);
  const BlockCase flags = block_case(options);
  Scene scene =
      empty_scene(3, flags.precision, flags.transfer, options.kernel.empty() ? 1 : flags.kernel);
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.simulation.reproducible = flags.reproducible;
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
  scene.bodies = {box_body({0, 0, 0}, {0.4, 0.567, 1}, 8)};
  scene.bodies[0].sampling = Sampling::kPoisson;
  return scene;
}

// One drop in six is a cube of two cells, the others of one. They lie at the fractional parts of
// multiples of powers of 1 / x with x^4 = x + 1, of which no two come near each other.
Scene spray_scene(const Options& options) {
  constexpr double kCellsPerDrop = 240, kRoot = 1.2207440846057596;
  Scene scene = liquid_scene(options);
  const double side = options.side.value_or(56), dx = 1 / side;
  scene.grid.dx = dx;
  scene.bodies.clear();
  const int drops = std::max(1, static_cast<int>(side * side * side / kCellsPerDrop));
  for (int i = 0; i < drops; ++i) {
    const double edge = (i % 6 == 0 ? 2 : 1) * dx;
    Body drop = box_body({}, {}, 8);
    double root = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      root *= kRoot;
      const double place = 0.5 + i / root;
      drop.shape.min[a] = 2 * dx + (1 - 6 * dx) * (place - std::floor(place));
      drop.shape.max[a] = drop.shape.min[a] + edge;
      drop.velocity.component[a].constant = std::sin(7.0 * i + 2.0 * static_cast<double>(a));
    }
    scene.bodies.push_back(drop);
  }
  return scene;
}

Scene thermal_scene(const Options& options) {
  Scene scene = liquid_scene(options);
  scene.simulation.integrator = Integrator::kThermal;
  scene.transfer.kernel = block_case(options).kernel;
  scene.transfer.force = ForceForm::kGradient;
  scene.fluid.free_surface = FreeSurface::kFirstOrder;
  scene.materials = {bench_material("butter")};
  scene.bodies[0].temperature = {0, "y < 0.283 ? 290 : 330"};
  return scene;
}

Scene implicit_scene(const Options& options, double youngs_modulus) {
  BlockCase block = block_case(options);
  const std::int64_t side = options.side.value_or(24);
  block.particles = 8 * side * side * side;
  Material material = soft_elastic();
  material.youngs_modulus = youngs_modulus;
  Scene scene = block_scene(block, {material});
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.bodies[0].velocity.component[1].constant = -1;
  return scene;
}

}  // namespace firn::app
