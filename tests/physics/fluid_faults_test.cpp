// Incompressible scenes that cannot go on end with a message that says what and where, and sealed
// liquid that is forced does not hang.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"

namespace firn::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Scene pool(double width, const Vec3& velocity = {}) {
  Scene scene = liquid_scene(2, 0.05);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {width, 1, 1}), velocity)};
  return scene;
}

TEST(FluidFaults, NoParticles) {
  Scene scene = liquid_scene(2, 0.1);
  scene.bodies = {lattice("speck", sphere({0.07, 0.07, 0}, 0.001))};
  expect_error(ErrorCategory::kScene, {"no particles", "grid.dx"}, [&] { simulate(scene); });
}

TEST(FluidFaults, SolveThatMissesItsTolerance) {
  Scene scene = pool(0.5);
  scene.fluid.max_iterations = 1;
  Simulation simulation = simulate(scene);
  const Divergence where = expect_divergence({"step 1", "1 iterations", "fluid.max_iterations"},
                                             [&] { simulation.advance_frame(); });
  EXPECT_EQ(where.step, 1);
  EXPECT_EQ(where.time, 0);
  EXPECT_FALSE(where.particle);
}

TEST(FluidFaults, VelocityThatIsNotANumber) {
  Scene broken = pool(0.5);
  broken.bodies[0].velocity.component[1] = {0, "sqrt(y - 10)"};
  expect_error(ErrorCategory::kScene, {"body \"pool\"", "its velocity", "is not finite"},
               [&] { simulate(broken); });
  Simulation later = simulate(pool(0.5));
  later.set_force(force_of([](std::uint32_t id, double time) {
    return Vec3{id == 17 && time > 0.1 ? kNaN : 0, 0, 0};
  }));
  expect_error(ErrorCategory::kDiverged, {"body \"pool\"", "velocity is not finite"},
               [&] { run_to(later, 1); });
}

// Sealed liquid that more flows into, or whose walls close in, has no solution. The run ends when a
// tenth more is in there than fits.
void expect_refused(const Scene& scene, double latest) {
  Simulation simulation = simulate(scene);
  const Divergence where = expect_divergence({"closed region", "more liquid than fits", "source"},
                                             [&] { run_to(simulation, latest); });
  EXPECT_GT(where.step, 1);
  EXPECT_GT(where.time, 0);
  EXPECT_LT(where.time, latest);
  EXPECT_FALSE(where.particle);
}

TEST(FluidFaults, InflowIntoASealedBoxEnds) {
  Scene scene = pool(1);
  Source tap;
  tap.name = "tap";
  tap.shape = box({0.4, 0.4, 0}, {0.6, 0.6, 1});
  tap.velocity = {0, -2, 0};
  scene.sources = {tap};
  expect_refused(scene, 1);
}

TEST(FluidFaults, PistonIntoASealedBoxEnds) {
  Scene scene = pool(1);
  scene.colliders = {collider("piston", box({-1, -1, -1}, {2, 0.02, 2}), BoundaryType::kSlip)};
  scene.colliders[0].motion = Keyframes{{0, 1}, {{0, 0, 0}, {0, 0.5, 0}}, {}, {}};
  // It has swept a tenth of the box, twice over, by then.
  expect_refused(scene, 0.4);
}

}  // namespace
}  // namespace firn::test
