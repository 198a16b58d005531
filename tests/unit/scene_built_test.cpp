// Scenes that are built in code may leave names out, and in 2D have vectors of three entries.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "firn/scene_file.h"
#include "firn/sensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"

namespace firn {
namespace {

using test::box;
using test::sphere;

Scene scene_in(int dimension) {
  Scene s = test::empty_scene(dimension, 0.1);
  s.materials = {test::elastic("jelly")};
  s.bodies = {test::body("ball", 0, sphere({}, 0.5))};
  s.colliders = {test::collider("", test::ground(-1), BoundaryType::kSlip)};
  return s;
}

void expect_refused(const Scene& scene, const std::string& begin, const std::string& word) {
  test::expect_error(ErrorCategory::kScene, {begin, word}, [&] { validate(scene); });
}

// Where geometry would see it: a ball whose centre lies beside the plane is a smaller disc.
TEST(BuiltScene, LiesInThePlaneIn2D) {
  const std::pair<const char*, std::function<void(Scene&)>> cases[] = {
      {"body.0.shape.center: ", [](Scene& s) { s.bodies[0].shape.center[2] = 0.3; }},
      {"body.0.shape.from: ",
       [](Scene& s) {
         s.bodies[0].shape.type = ShapeType::kCapsule;
         s.bodies[0].shape.radius = 0.1, s.bodies[0].shape.from = {0, 0, 1};
       }},
      {"collider.0.shape.point: ", [](Scene& s) { s.colliders[0].shape.point[2] = 1; }},
      {"body.0.shape.translation: ",
       [](Scene& s) {
         Shape moved;
         moved.type = ShapeType::kTransform;
         moved.translation = {0, 1, 1};
         moved.children = {s.bodies[0].shape};
         s.bodies[0].shape = moved;
       }},
      {"simulation.gravity: ", [](Scene& s) { s.simulation.gravity[2] = 1; }},
  };
  for (const auto& [begin, change] : cases) {
    SCOPED_TRACE(begin);
    Scene flat = scene_in(2), deep = scene_in(3);
    EXPECT_NO_THROW(validate(flat));
    change(flat), change(deep);
    EXPECT_NO_THROW(validate(deep));
    expect_refused(flat, begin, "must have 2 entries");
  }
}

TEST(BuiltScene, ExtentsMayHaveDepthIn2D) {
  Scene scene = scene_in(2);
  scene.bodies[0].velocity.component[2].constant = 1;
  scene.grid.domain.emplace();
  scene.grid.domain->min = {-2, -2, -2}, scene.grid.domain->max = {2, 2, 2};
  scene.bodies[0].shape = box({-1, -1, -1}, {1, 1, 1});
  EXPECT_NO_THROW(validate(scene));
  scene.bodies[0].shape.type = ShapeType::kEllipsoid;
  scene.bodies[0].shape.radii = {0.5, 0.4, 0.3};
  EXPECT_NO_THROW(validate(scene));
}

TEST(BuiltScene, ForcesMayBeZero) {
  for (const int dimension : {2, 3}) {
    Scene scene = scene_in(dimension);
    scene.forces.resize(1);
    EXPECT_NO_THROW(validate(scene));
    scene.forces[0].acceleration.component[2].constant = -1;  // of which 2D takes no note
    EXPECT_NO_THROW(validate(scene));
  }
}

TEST(BuiltScene, NamesMayBeLeftOut) {
  Scene scene = scene_in(3);
  scene.colliders.push_back(scene.colliders[0]);
  scene.sensors.resize(2);
  for (Sensor& sensor : scene.sensors) sensor.kind = SensorKind::kCollider;
  scene.sensors[1].collider = 1;
  EXPECT_NO_THROW(validate(scene));
  const Sensors sensors(scene);
  EXPECT_EQ(sensors.name(0), "sensor0");
  EXPECT_EQ(sensors.name(1), "sensor1");
}

TEST(BuiltScene, NamesThatAreLeftOutAreTakenAllTheSame) {
  Scene scene = scene_in(3);
  scene.bodies.push_back(test::body("", 0, sphere({2, 0, 0}, 0.5)));
  EXPECT_NO_THROW(validate(scene));
  scene.bodies[0].name = "body1";
  expect_refused(scene, "body.1.name: ", "already a body named 'body1'");
  scene = scene_in(3);
  scene.colliders.push_back(scene.colliders[0]);
  scene.colliders[0].name = "collider1";
  expect_refused(scene, "collider.1: ", "already a collider named 'collider1'");
}

TEST(BuiltScene, MaterialMovesCollidersInExplicitStepsAndLiquidsAlone) {
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit}) {
    Scene scene = scene_in(3);
    scene.colliders = {test::collider("ball", sphere({0, 2, 0}, 0.2), BoundaryType::kSlip)};
    scene.simulation.integrator = integrator;
    EXPECT_NO_THROW(validate(scene));
    scene.colliders[0].dynamics = Dynamics{.density = 1000};
    expect_refused(
        scene, "collider.0.density: ",
        "which only integrators \"explicit\" and, without viscosity, \"incompressible\" do");
    scene.simulation.integrator = Integrator::kExplicit;
    EXPECT_NO_THROW(validate(scene));
  }
}

}  // namespace
}  // namespace firn
