// Particles in rows that lie half a cell off the nodes leave some of these masses without an
// inverse.
#include <gtest/gtest.h>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// A cylinder of three rows to a cell that a plate presses together at 4 cm/s: its particles move
// off the lattice by so little that what they leave to far nodes underflows.
TEST(VanishingMass, OfNodesHalfACellFromARowIsNoMass) {
  Scene scene = empty_scene(3, 0.0333333333, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.simulation.fps = 40;
  scene.materials = {elastic("rubber", MaterialModel::kNeoHookean)};
  scene.materials[0].poisson_ratio = 0.45;
  Body post = body("post", 0, {});
  post.shape.type = ShapeType::kCylinder;
  post.shape.from = {0, -0.0666666666, 0};
  post.shape.to = {0, 0.3, 0};
  post.shape.radius = 0.1;
  post.sampling = Sampling::kUniform;
  post.particles_per_cell = 27;
  scene.bodies = {post};
  Collider plate = collider("plate", half_space({0, 0.2333, 0}, {0, -1, 0}));
  plate.motion = Keyframes{{0, 0.5}, {{0, 0, 0}, {0, -0.02, 0}}, {}, {}};
  scene.colliders = {plate};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 2; ++frame) ASSERT_NO_THROW(simulation.advance_frame());
  double fastest = 0;
  for (const float v : simulation.snapshot().velocity)
    fastest = std::max(fastest, std::abs(double{v}));
  EXPECT_LT(fastest, 0.1);
}

}  // namespace
}  // namespace firn::test
