// Discs on slopes: contact begins where the material is, so that nothing holds what rolls but its
// inertia, whatever kind of floor it rolls on. As for a rigid disc [Bardenhagen et al. 2000]: a =
// 2/3 g sin(slope) where friction suffices, else g (sin - mu cos).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.1, kTime = 0.25;
enum class Floor { kHalfSpace, kWall, kBox };

// On y = 0, which gravity meets at an angle, rad.
Scene disc_on_slope(Floor floor, double slope, double friction, double stiffness, double dx) {
  Scene s = empty_scene(2, dx);
  s.simulation.gravity = {kGravity * std::sin(slope), -kGravity * std::cos(slope), 0};
  s.materials = {elastic("jelly", MaterialModel::kNeoHookean, stiffness, 1000)};
  s.bodies = {body("disc", 0, sphere({0, kRadius, 0}, kRadius))};
  const BoundaryType separate = BoundaryType::kSeparate;
  if (floor == Floor::kHalfSpace) s.colliders = {collider("floor", ground(), separate, friction)};
  if (floor == Floor::kBox)
    s.colliders = {collider("floor", box({-1, -0.5, -1}, {3, 0, 1}), separate, friction)};
  if (floor == Floor::kWall) {
    Domain walls;
    walls.min = {-1, 0, -1};
    walls.max = {3, 1, 1};
    walls.boundary.fill(separate);
    walls.friction.fill(friction);
    s.grid.domain = walls;
  }
  return s;
}

struct Rolled {
  double velocity, turning;  // m/s along the slope, rad/s clockwise
};
Rolled roll(const Scene& scene) {
  Simulation simulation = simulate(scene);
  const int frames = static_cast<int>(std::lround(kTime * scene.simulation.fps));
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
  const Totals t = simulation.totals();
  const double orbit = t.center_of_mass[0] * t.momentum[1] - t.center_of_mass[1] * t.momentum[0];
  return {t.momentum[0] / t.mass,
          (orbit - t.angular_momentum[2]) / (0.5 * t.mass * kRadius * kRadius)};
}

// At least that share of what a rigid disc does, and without sliding. As contact is no wider than
// some cells, where the normal forces act is known to a part of one.
void expect_rolling(const Scene& scene, double slope, double share) {
  const double rigid = kTime * kGravity * std::sin(slope) * 2 / 3;
  const Rolled disc = roll(scene);
  EXPECT_GT(disc.velocity, share * rigid);
  EXPECT_LT(disc.velocity, 1.02 * rigid);
  EXPECT_NEAR(disc.turning * kRadius, disc.velocity, 0.15 * rigid);
}

TEST(Rolling, ADiscRollsDownASlope) {
  const double slope = std::atan(0.268);
  for (const Floor floor : {Floor::kHalfSpace, Floor::kWall, Floor::kBox})
    for (const double dx : {0.02, 0.005}) {  // radii of 5 and 20 cells
      SCOPED_TRACE(std::to_string(static_cast<int>(floor)) + ", dx " + std::to_string(dx));
      expect_rolling(disc_on_slope(floor, slope, 1, 4e5, dx), slope, dx == 0.02 ? 0.65 : 0.85);
    }
}
TEST(Rolling, ADiscRollsDownASlopeInLongSteps) {
  const double slope = std::atan(0.268);
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit})
    for (const Floor floor : {Floor::kHalfSpace, Floor::kWall}) {
      SCOPED_TRACE(static_cast<int>(floor));
      Scene scene = disc_on_slope(floor, slope, 1, 4e5, 0.02);
      scene.simulation.integrator = integrator;
      scene.time.dt_max = 0.005;
      expect_rolling(scene, slope, 0.65);
    }
}

TEST(Rolling, WithLittleFrictionADiscSlides) {
  const double slope = 0.5, friction = 0.08;
  const double slides = kTime * kGravity * (std::sin(slope) - friction * std::cos(slope));
  for (const double dx : {0.02, 0.01})
    EXPECT_NEAR(roll(disc_on_slope(Floor::kHalfSpace, slope, friction, 4e5, dx)).velocity, slides,
                0.01 * slides);
}

// What lets go of material does not touch it from afar.
TEST(Rolling, NothingHoldsWhatFallsBeforeItHasCome) {
  for (const Floor floor : {Floor::kHalfSpace, Floor::kWall, Floor::kBox}) {
    SCOPED_TRACE(std::to_string(static_cast<int>(floor)));
    Scene scene = disc_on_slope(floor, 0, 1, 4e5, 0.02);
    scene.simulation.gravity = {0, 0, 0};
    scene.bodies = {body("disc", 0, sphere({0, 0.116, 0}, kRadius), {0.3, -0.2, 0})};
    Simulation simulation = simulate(scene);
    simulation.advance_frame();  // 8 mm of 16: less than a quarter of a cell would be touched
    EXPECT_NEAR(simulation.totals().momentum[0], 0.3 * simulation.totals().mass, 1e-6);
    EXPECT_NEAR(simulation.totals().momentum[1], -0.2 * simulation.totals().mass, 1e-6);
  }
}

}  // namespace
}  // namespace firn::test
