// Scenes that are built in code are held against what files are held against: a scene comes back
// from its own document as it was, and what no file may say no simulation takes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/scene/parse.h"
#include "src/scene/scene_document.h"
#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/stock_scenes.h"

namespace firn {
namespace {

using test::body;
using test::box;
using test::elastic;
using test::sphere;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class StockScene : public testing::TestWithParam<std::string> {};

Scene read_back(const Scene& scene) {
  scene::Findings findings;
  scene::ReadContext context{findings};
  Scene out = scene::parse_tree(scene::document_of(scene), context);
  findings.throw_if_any();
  return out;
}

// A scene without what means nothing in it: faces that 2D has not, the heat of a preset.
Scene without_idle(Scene scene) {
  if (scene.simulation.dimension == 2 && scene.grid.domain)
    for (std::size_t face = 4; face < 6; ++face) {
      scene.grid.domain->boundary[face] = {};
      scene.grid.domain->temperature[face] = {};
    }
  if (!scene.solves_heat())
    for (Material& material : scene.materials) material.heat = {};
  return scene;
}

TEST_P(StockScene, ComesBackFromItsDocument) {
  const Scene before = without_idle(test::load_stock_scene(GetParam()));
  const Scene after = read_back(before);
  EXPECT_EQ(before.simulation, after.simulation);
  EXPECT_EQ(before.transfer, after.transfer);
  EXPECT_EQ(before.time, after.time);
  EXPECT_EQ(before.grid, after.grid);
  EXPECT_EQ(before.fluid, after.fluid);
  EXPECT_EQ(before.thermal, after.thermal);
  EXPECT_EQ(before.tracers, after.tracers);
  EXPECT_EQ(before.diagnostics, after.diagnostics);
  EXPECT_TRUE(before.sinks == after.sinks && before.forces == after.forces);
  EXPECT_EQ(before.heat_sources, after.heat_sources);
  EXPECT_EQ(before.sensors, after.sensors);
  EXPECT_EQ(before.output, after.output);
  EXPECT_EQ(before.sources, after.sources);
  EXPECT_EQ(before.bodies, after.bodies);
  EXPECT_EQ(before.colliders, after.colliders);
  EXPECT_EQ(before.materials, after.materials);
}

INSTANTIATE_TEST_SUITE_P(SceneValidate, StockScene, testing::ValuesIn(test::scene_names()),
                         test::test_name);

struct Misuse {
  std::string finding;  // as the message begins
  std::function<void(Scene&)> make;
};

// One of everything, all of it valid.
Scene base_scene(Integrator integrator = Integrator::kExplicit) {
  Scene s = test::empty_scene(3, 0.1);
  s.simulation.integrator = integrator;
  s.grid.domain.emplace();
  s.grid.domain->min = {-1, -1, -1};
  s.grid.domain->max = {1, 1, 1};
  s.materials = {elastic("jelly"), test::sand("sand")};
  s.bodies = {body("ball", 0, sphere({}, 0.5))};
  s.colliders = {test::collider("ground", test::ground(), BoundaryType::kSlip)};
  s.sources = {Source{}};
  s.sources[0].shape = sphere({0, 1, 0}, 0.3);
  s.sinks = {{"drain", sphere({0, -1, 0}, 0.3)}};
  if (integrator == Integrator::kExplicit) return s;
  s.materials.assign(2, {});
  for (const char* name : {"water", "oil"}) {
    Material& liquid = s.materials[name == std::string("oil")];
    liquid.name = name;
    liquid.model = MaterialModel::kIncompressible;
    liquid.density = 1000;
    liquid.heat.capacity = liquid.heat.conductivity = {1, 1};
  }
  if (integrator == Integrator::kIncompressible) {
    s.transfer.kernel = 1;
    return s;
  }
  s.transfer.force = ForceForm::kGradient;
  s.bodies[0].temperature.constant = s.sources[0].temperature.constant = 300;
  return s;
}

std::vector<Misuse> misuses_of_settings() {
  return {
      {"simulation.dimension", [](Scene& s) { s.simulation.dimension = 4; }},
      {"simulation.frames", [](Scene& s) { s.simulation.frames = -1; }},
      {"simulation.fps", [](Scene& s) { s.simulation.fps = 0; }},
      {"simulation.fps", [](Scene& s) { s.simulation.fps = kInfinity; }},
      {"simulation.gravity.1", [](Scene& s) { s.simulation.gravity[1] = kNan; }},
      {"simulation.precision", [](Scene& s) { s.simulation.precision = Precision{7}; }},
      {"transfer.type", [](Scene& s) { s.transfer.type = TransferType{-1}; }},
      {"transfer.kernel", [](Scene& s) { s.transfer.kernel = 7; }},
      {"transfer.blend", [](Scene& s) { s.transfer.blend = 2; }},
      {"transfer.modes", [](Scene& s) { s.transfer.modes = 5; }},
      {"transfer.force", [](Scene& s) { s.transfer.kernel = 1; }},
      {"time.cfl", [](Scene& s) { s.time.cfl = 0; }},
      {"time.cfl_material", [](Scene& s) { s.time.cfl_material = 1.5; }},
      {"time.dt_max", [](Scene& s) { s.time.dt_max = -1e-3; }},
      {"time.dt_min", [](Scene& s) { s.time.dt_min = 1; }},
      {"grid.dx", [](Scene& s) { s.grid.dx = 0; }},
      {"grid.dx", [](Scene& s) { s.grid.dx = kNan; }},
      {"grid.domain.max", [](Scene& s) { s.grid.domain->max[2] = -2; }},
      {"grid.domain.max", [](Scene& s) { s.grid.dx = 3; }},
      {"grid.domain.boundary.x_max",
       [](Scene& s) { s.grid.domain->boundary[1] = BoundaryType{9}; }},
      {"grid.domain.boundary",
       [](Scene& s) { s.grid.domain->boundary[0] = BoundaryType::kPeriodic; }},
      {"grid.domain.friction.y_min", [](Scene& s) { s.grid.domain->friction[2] = -0.1; }},
      {"grid.domain.temperature",
       [](Scene& s) {
         s.grid.domain->temperature[0] = {{300, ""}};
       }},
      {"tracers", [](Scene& s) { s.tracers.per_cell = 1; }},
      {"output.resolution",
       [](Scene& s) {
         s.output.resolution = {0, 100};
       }},
      {"output.color", [](Scene& s) { s.output.color = "colour"; }},
      {"output.color_range",
       [](Scene& s) {
         s.output.color = "speed", s.output.color_range = {1, 1};
       }},
      {"output.channels.0", [](Scene& s) { s.output.channels = {"speeed"}; }},
      {"output.channels.1",
       [](Scene& s) {
         s.output.channels = {"velocity", ""};
       }},
      {"output.particles.0", [](Scene& s) { s.output.particles = {"doc"}; }},
      {"output.particles.0", [](Scene& s) { s.output.particles = {""}; }},
      {"diagnostics.energy_growth", [](Scene& s) { s.diagnostics.energy_growth = kNan; }},
      {"output.checkpoint_every", [](Scene& s) { s.output.checkpoint_every = -1; }},
      {"output.motion_blur", [](Scene& s) { s.output.motion_blur = 2; }},
      {"output.camera.target", [](Scene& s) { s.output.camera.emplace(); }},
      {"output.camera.fov",
       [](Scene& s) {
         s.output.camera = Camera{{0, 0, 3}, {}, {0, 1, 0}, 4};
       }},
  };
}

Sensor& add_sensor(Scene& s) {
  s.sensors.emplace_back().name = "s";
  return s.sensors.back();
}

std::vector<Misuse> misuses_of_things() {
  return {
      {"body.0.material", [](Scene& s) { s.bodies[0].material = -1; }},
      {"body.0.material", [](Scene& s) { s.bodies[0].material = 2; }},
      {"body.0.material", [](Scene& s) { s.materials.clear(); }},
      {"source.0.material", [](Scene& s) { s.sources[0].material = 99; }},
      // Its name says what it is.
      {"body.0.material",
       [](Scene& s) { s.materials[1].name = "index 7", s.bodies[0].material = 7; }},
      {"material.jelly", [](Scene& s) { s.materials[0].density = 0; }},
      {"material.jelly.density", [](Scene& s) { s.materials[0].density = -1000; }},
      {"material.jelly.youngs_modulus", [](Scene& s) { s.materials[0].youngs_modulus = 0; }},
      {"material.jelly.poisson_ratio", [](Scene& s) { s.materials[0].poisson_ratio = 0.5; }},
      {"material.jelly.viscosity", [](Scene& s) { s.materials[0].viscosity = -1; }},
      {"material.jelly.color.2", [](Scene& s) { s.materials[0].color[2] = 3; }},
      {"material.jelly.model", [](Scene& s) { s.materials[0].model = MaterialModel{99}; }},
      {"material.jelly.model",
       [](Scene& s) { s.materials[0].model = MaterialModel::kIncompressible; }},
      {"material.sand.friction_angle", [](Scene& s) { s.materials[1].friction_angle = 2; }},
      {"material.sand", [](Scene& s) { s.materials[0].name = "sand"; }},
      {"body.0.shape.radius", [](Scene& s) { s.bodies[0].shape.radius = 0; }},
      {"body.0.shape.center.0", [](Scene& s) { s.bodies[0].shape.center[0] = kInfinity; }},
      {"body.0.shape.max",
       [](Scene& s) {
         s.bodies[0].shape = box({1, 1, 1}, {0, 2, 2});
       }},
      {"body.0.shape.type", [](Scene& s) { s.bodies[0].shape.type = ShapeType{77}; }},
      {"body.0.shape.children", [](Scene& s) { s.bodies[0].shape.type = ShapeType::kUnion; }},
      {"body.0.shape", [](Scene& s) { s.bodies[0].shape.type = ShapeType::kTransform; }},
      {"body.0.shape.to",
       [](Scene& s) {
         s.bodies[0].shape.type = ShapeType::kCylinder;
         s.bodies[0].shape.to = {};
       }},
      {"body.0.shape.child.radius",
       [](Scene& s) {
         Shape moved;
         moved.type = ShapeType::kTransform;
         moved.children = {sphere({}, -1)};
         s.bodies[0].shape = moved;
       }},
      {"body.0.particles_per_cell", [](Scene& s) { s.bodies[0].particles_per_cell = -8; }},
      {"body.0.density_scale", [](Scene& s) { s.bodies[0].density_scale = 0; }},
      {"body.0.stretch", [](Scene& s) { s.bodies[0].stretch = kNan; }},
      {"body.0.stiffness_scale", [](Scene& s) { s.bodies[0].stiffness_scale.constant = 2; }},
      {"body.0.velocity.0",
       [](Scene& s) {
         s.bodies[0].velocity.component[0] = {0, "y +"};
       }},
      {"body.0.sampling", [](Scene& s) { s.bodies[0].sampling = Sampling{5}; }},
      {"body.0.phase", [](Scene& s) { s.bodies[0].phase = Phase::kSolid; }},
      {"body.1.name", [](Scene& s) { s.bodies.push_back(s.bodies[0]); }},
      {"source.0.end", [](Scene& s) { s.sources[0].end = -1; }},
      {"source.0.start", [](Scene& s) { s.sources[0].start = -1; }},
      {"collider.0.friction", [](Scene& s) { s.colliders[0].friction = -1; }},
      {"collider.0.boundary", [](Scene& s) { s.colliders[0].boundary = BoundaryType::kOpen; }},
      {"collider.0.motion.translation",
       [](Scene& s) {
         s.colliders[0].motion = Keyframes{{0, 1}, {{0, 0, 0}}, {}, {}};
       }},
      {"collider.0.motion.times", [](Scene& s) { s.colliders[0].motion.emplace(); }},
      {"collider.0.motion.times.1",
       [](Scene& s) {
         s.colliders[0].motion = Keyframes{{1, 0}, {}, {}, {}};
       }},
      {"material.jelly.look", [](Scene& s) { s.materials[0].look = Look{9}; }},
      {"material.jelly.finish", [](Scene& s) { s.materials[0].finish = Finish{9}; }},
      {"output.look", [](Scene& s) { s.output.look = Look{9}; }},
      {"collider.0.density", [](Scene& s) { s.colliders[0].dynamics.emplace(); }},
      {"collider.0.inertia",
       [](Scene& s) {
         s.colliders[0].dynamics = Dynamics{.mass = 1, .inertia = {1, 1}};
       }},
      {"collider.0.motion",
       [](Scene& s) {
         s.colliders[0].dynamics = Dynamics{.mass = 1};
         s.colliders[0].motion = Keyframes{{0}, {}, {}, {}};
       }},
      {"sink.0.shape.radius", [](Scene& s) { s.sinks[0].shape.radius = -1; }},
      {"sensor.0.type", [](Scene& s) { add_sensor(s).kind = SensorKind{9}; }},
      {"sensor.0.collider",
       [](Scene& s) {
         Sensor& sensor = add_sensor(s);
         sensor.kind = SensorKind::kCollider, sensor.collider = -1;
       }},
      {"sensor.0.normal", [](Scene& s) { add_sensor(s).kind = SensorKind::kPlane; }},
      {"sensor.0.name", [](Scene& s) { add_sensor(s).name = "../s"; }},
      {"heat_source.0",
       [](Scene& s) {
         s.heat_sources = {{"fire", sphere({}, 1), {1, ""}}};
       }},
  };
}

std::vector<Misuse> misuses_of_liquids() {
  return {
      {"fluid.tolerance", [](Scene& s) { s.fluid.tolerance = 0; }},
      {"fluid.max_iterations", [](Scene& s) { s.fluid.max_iterations = 0; }},
      {"tracers.per_cell", [](Scene& s) { s.tracers.per_cell = -1; }},
      {"tracers.bodies.0",
       [](Scene& s) {
         s.tracers = {1, {99}, false};
       }},
      {"tracers.bodies.0",
       [](Scene& s) {
         s.bodies[0].name = "index 7", s.tracers = {1, {7}, false};
       }},
      {"tracers.bodies.1",
       [](Scene& s) {
         s.tracers = {1, {0, 0}, false};
       }},
      {"collider.0.friction", [](Scene& s) { s.colliders[0].friction = 1; }},
      {"material.water.viscosity", [](Scene& s) { s.materials[0].viscosity = -1; }},
      {"fluid.viscosity_tolerance", [](Scene& s) { s.fluid.viscosity_tolerance = 1; }},
      {"output.diagnostics", [](Scene& s) { s.output.diagnostics = DiagnosticsLevel::kStages; }},
  };
}

std::vector<Misuse> misuses_of_heat() {
  return {
      {"body.0.temperature", [](Scene& s) { s.bodies[0].temperature.constant = 0; }},
      {"source.0.temperature",
       [](Scene& s) {
         s.sources[0].temperature = {0, "x +"};
       }},
      {"body.0.phase", [](Scene& s) { s.bodies[0].phase = Phase::kLiquid; }},
      {"thermal.ambient",
       [](Scene& s) {
         s.thermal.ambient = {{-1, ""}};
       }},
      {"thermal.temperature_flip", [](Scene& s) { s.thermal.temperature_flip = 2; }},
      {"thermal.heat_solve.tolerance", [](Scene& s) { s.thermal.heat_solve.tolerance = 1; }},
      {"thermal.forces", [](Scene& s) { s.thermal.forces = ForceIntegration{3}; }},
      {"transfer.kernel", [](Scene& s) { s.transfer.kernel = 1; }},
      {"material.water.heat_capacity.liquid",
       [](Scene& s) { s.materials[0].heat.capacity.liquid = -1; }},
      {"material.water", [](Scene& s) { s.materials[0].heat.conductivity = {}; }},
      {"collider.0.temperature",
       [](Scene& s) {
         s.colliders[0].temperature = {{-3, ""}};
       }},
      {"collider.0.mass", [](Scene& s) { s.colliders[0].dynamics = Dynamics{.mass = 1}; }},
      {"heat_source.0.power",
       [](Scene& s) {
         s.heat_sources = {{"f", sphere({}, 1), {kNan, ""}}};
       }},
  };
}

void expect_refused(Integrator integrator, const std::vector<Misuse>& misuses) {
  ASSERT_NO_THROW(validate(base_scene(integrator)));
  for (std::size_t i = 0; i < misuses.size(); ++i) {
    SCOPED_TRACE(std::to_string(i) + ": " + misuses[i].finding);
    Scene scene = base_scene(integrator);
    misuses[i].make(scene);
    const std::string begin = misuses[i].finding + ": ";
    test::expect_error(ErrorCategory::kScene, {begin}, [&] { validate(scene); });
    test::expect_error(ErrorCategory::kScene, {begin}, [&] { test::simulate(scene); });
    test::expect_error(ErrorCategory::kScene, {begin}, [&] { estimate(scene); });
  }
}

TEST(SceneValidate, RefusesMisusedSettings) {
  expect_refused(Integrator::kExplicit, misuses_of_settings());
}
TEST(SceneValidate, RefusesMisusedThings) {
  expect_refused(Integrator::kExplicit, misuses_of_things());
}
TEST(SceneValidate, RefusesMisusedLiquids) {
  expect_refused(Integrator::kIncompressible, misuses_of_liquids());
}
TEST(SceneValidate, RefusesMisusedHeat) { expect_refused(Integrator::kThermal, misuses_of_heat()); }

TEST(SceneValidate, RefusesMotionsOutOfThePlane) {
  Scene scene = test::empty_scene(2, 0.1);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({}, 0.5))};
  scene.colliders = {test::collider("ground", test::ground(), BoundaryType::kSlip)};
  Keyframes& motion = scene.colliders[0].motion.emplace();
  motion = {{0, 1}, {{0, 0, 0}, {1, 2, 0}}, {{0, 0, 0}, {0, 0, 3}}, {}};
  validate(scene);
  motion.translation[1][2] = 1;
  test::expect_error(ErrorCategory::kScene,
                     {"collider.0.motion.translation.1: 'translation.1' must have 2 entries"},
                     [&] { validate(scene); });
  motion.translation[1][2] = 0;
  motion.rotation[1][0] = 1;
  test::expect_error(ErrorCategory::kScene,
                     {"collider.0.motion.rotation.1: 'rotation.1' must be a number"},
                     [&] { validate(scene); });
}

TEST(SceneValidate, KeepsLooks) {
  Scene scene = base_scene();
  scene.materials[0].look = Look::kParticles;
  scene.materials[1].finish = Finish::kMetal;
  const Scene again = read_back(scene);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again.materials[i].look, scene.materials[i].look);
    EXPECT_EQ(again.materials[i].finish, scene.materials[i].finish);
  }
}

TEST(SceneValidate, TellsAllFindings) {
  Scene scene = base_scene();
  scene.simulation.fps = 0;
  scene.bodies[0].shape.radius = -1;
  scene.colliders[0].friction = kNan;
  test::expect_error(ErrorCategory::kScene,
                     {"simulation.fps: 'fps' must be > 0, found 0\n",
                      "body.0.shape.radius: ", "collider.0.friction: "},
                     [&] { validate(scene); });
}

TEST(SceneValidate, RefusesShapesWithoutBottom) {
  Scene scene = base_scene();
  for (int i = 0; i < 1000; ++i) {
    Shape moved;
    moved.type = ShapeType::kTransform;
    moved.children = {scene.bodies[0].shape};
    scene.bodies[0].shape = std::move(moved);
  }
  test::expect_error(ErrorCategory::kScene, {"nested"}, [&] { validate(scene); });
}

}  // namespace
}  // namespace firn
