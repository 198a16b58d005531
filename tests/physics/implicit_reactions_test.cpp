// Where a node touches several bodies and walls, long steps give each of them its own part of what
// they bear together, as explicit steps do.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kSide = 0.5, kWeight = 1000 * kSide * kSide * 10;

// A heavy block on a floor between two posts, without friction.
Scene wedged(Integrator integrator, bool floor_is_a_body) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, -10, 0};
  scene.simulation.integrator = integrator;
  scene.time.dt_max = integrator == Integrator::kExplicit ? 1e-3 : 1.0 / 24;
  scene.implicit.tolerance = 1e-6;
  scene.materials = {elastic("jelly", MaterialModel::kNeoHookean, 2e5)};
  scene.materials[0].poisson_ratio = 0.4;
  scene.materials[0].viscosity = 200;  // it comes to rest
  scene.bodies = {body("block", 0, box({0, 0, 0}, {kSide, kSide, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  if (floor_is_a_body) {
    scene.colliders = {collider("floor", ground(), BoundaryType::kSlip)};
  } else {
    scene.grid.domain.emplace();
    scene.grid.domain->min = {-1, 0, 0};
    scene.grid.domain->max = {2, 2, 0};
    scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  }
  const Shape left = box({-0.3, -0.5, 0}, {0, 1, 0}), right = box({kSide, -0.5, 0}, {0.8, 1, 0});
  scene.colliders.push_back(collider("left", left, BoundaryType::kSlip));
  scene.colliders.push_back(collider("right", right, BoundaryType::kSlip));
  return scene;
}

std::vector<Vec3> forces(const Scene& scene) {
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  std::vector<Vec3> sums(scene.colliders.size());
  for (int frame = 0; frame < 12; ++frame) {
    simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t a = 0; a < 2; ++a) sums[c][a] += stats.reactions[c].force[a] / 12;
  }
  return sums;
}

TEST(ImplicitReactions, AreOfTheBodyThatGivesThem) {
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit}) {
    const auto walled = forces(wedged(integrator, false)), stood = forces(wedged(integrator, true)),
               exact = forces(wedged(Integrator::kExplicit, true));
    for (std::size_t post = 0; post < 2; ++post) {
      EXPECT_NEAR(walled[post][1], 0, 1e-3 * kWeight) << "a post without friction bears no weight";
      EXPECT_NEAR(stood[post + 1][1], 0, 1e-3 * kWeight);
      EXPECT_NEAR(walled[post][0], exact[post + 1][0], 0.02 * kWeight);
      EXPECT_NEAR(stood[post + 1][0], exact[post + 1][0], 0.02 * kWeight);
    }
    EXPECT_NEAR(stood[0][1], -kWeight, 0.02 * kWeight);
  }
}

// A plane at 45 degrees that moves along x, and lets go of what it pushes: its impulse is along its
// normal, and all that the material gets, however short the steps are.
TEST(ImplicitReactions, OfAnObliqueBodyThatMovesAreAlongItsNormal) {
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit})
    for (const double dt : {1.0 / 24, 0.002}) {
      SCOPED_TRACE(dt);
      Scene s = empty_scene(2, 0.04);
      s.simulation.integrator = integrator;
      s.simulation.gravity = {0, 0, 0};
      s.time.dt_max = dt;
      s.implicit.tolerance = 1e-6;
      s.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e5, 1000)};
      s.materials[0].viscosity = 50;
      s.bodies = {body("block", 0, box({0.3, -0.3, 0}, {0.8, 0.3, 0}))};
      Collider plane =
          collider("plane", half_space({-0.1, 0, 0}, {1, 1, 0}), BoundaryType::kSeparate);
      plane.motion = Keyframes{{0, 1}, {{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {}};
      s.colliders = {plane};
      Simulation simulation = simulate(s);
      Vec3 impulse{};
      for (int frame = 0; frame < 12; ++frame) {
        simulation.advance_frame();
        for (std::size_t a = 0; a < 2; ++a)
          impulse[a] -= simulation.stats().reactions[0].force[a] / s.simulation.fps;
      }
      const Vec3 momentum = simulation.totals().momentum;
      EXPECT_GT(momentum[0], 100);
      // In long steps the last contacts need not settle.
      for (std::size_t a = 0; a < 2; ++a) {
        EXPECT_NEAR(impulse[a], momentum[0], 5e-3 * momentum[0]) << a;
        EXPECT_NEAR(momentum[a], momentum[0], 1e-3 * momentum[0]) << a;
      }
    }
}

}  // namespace
}  // namespace firn::test
