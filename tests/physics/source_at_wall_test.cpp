// A source that begins at what holds the material that touches it brings all that its shape and
// velocity say: where nodes of that wall held it, a hundredth came.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>

#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

using Case = std::tuple<BoundaryType, bool, Integrator>;  // whether a collider lies behind it

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [type, plate, integrator] = info.param;
  return std::string(type == BoundaryType::kSlip ? "Slip" : "Sticky") +
         (plate ? "Collider" : "Wall") + (integrator == Integrator::kExplicit ? "" : "InLongSteps");
}

class SourceAtWall : public testing::TestWithParam<Case> {};

TEST_P(SourceAtWall, BringsAll) {
  const auto& [type, plate, integrator] = GetParam();
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fps = 20;
  scene.materials = {water("water")};
  scene.materials[0].bulk_modulus = 2e4;
  scene.grid.domain = closed_box({0, 0, 0}, {4, 1, 0});
  scene.grid.domain->boundary.fill(plate ? BoundaryType::kSeparate : type);
  const double left = plate ? 0.5 : 0;
  if (plate) scene.colliders = {collider("plate", box({0.3, 0.2, 0}, {0.5, 0.8, 0}), type)};
  scene.sources = {{}};
  scene.sources[0].shape = box({left, 0.3, 0}, {left + 0.2, 0.7, 0});
  scene.sources[0].velocity = {1, 0, 0};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 20; ++frame) simulation.advance_frame();
  const Totals& totals = simulation.stats().totals;
  // It is full at first and then brings 0.4 m^2/s; a slice of half a cell may come next.
  const double expected = 1000 * 0.4 * (0.2 + 1), slice = 1000 * 0.4 * 0.025;
  EXPECT_NEAR(totals.mass, expected, slice + 0.01 * expected);
  EXPECT_NEAR(totals.momentum[0], totals.mass, 0.02 * expected);
  EXPECT_NEAR(totals.center_of_mass[0], left + 0.6, 0.025);
}

INSTANTIATE_TEST_SUITE_P(
    Physics, SourceAtWall,
    testing::Combine(testing::Values(BoundaryType::kSlip, BoundaryType::kSticky), testing::Bool(),
                     testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit)),
    name_of);

// What lies before an opening and presses on it is held, and judged anew until it is.
TEST(SourceAtAWall, HoldsWhatPressesBackInLongSteps) {
  double height[2];
  for (const bool opens : {false, true}) {
    Scene scene = empty_scene(2, 0.05, Precision::kDouble);
    scene.simulation.integrator = Integrator::kOptimization;
    scene.simulation.fps = 20;
    scene.time.dt_max = 0.01;
    scene.materials = {elastic("jelly")};
    scene.grid.domain = closed_box({0, 0, 0}, {1, 2, 0});
    scene.bodies = {body("block", 0, box({0, 0, 0}, {1, 0.4, 0}))};
    scene.sources = {{}};
    scene.sources[0].shape = box({0.4, 0, 0}, {0.6, 0.1, 0});
    scene.sources[0].velocity = {0, 0.01, 0};
    if (!opens) scene.sources[0].start = 100;
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 20; ++frame) {
      simulation.advance_frame();
      if (opens) {
        EXPECT_GT(simulation.stats().implicit.passes, simulation.stats().steps);
      }
    }
    height[opens] = simulation.stats().totals.center_of_mass[1];
  }
  EXPECT_NEAR(height[1], height[0], 1e-4);
}

// Drawn through a wall, it brings what the part within says; that beyond is nowhere.
TEST(SourceAtAWall, BringsWhatLiesWithinIt) {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fps = 20;
  scene.materials = {water("water")};
  scene.materials[0].bulk_modulus = 2e4;
  scene.grid.domain = closed_box({0, 0, 0}, {4, 1, 0});
  scene.sources = {{}};
  scene.sources[0].shape = box({-0.4, 0.3, 0}, {0.2, 0.7, 0});
  scene.sources[0].velocity = {1, 0, 0};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 20; ++frame) {
    simulation.advance_frame();
    const Snapshot s = simulation.snapshot();
    int at_wall = 0;
    for (std::size_t i = 0; i < s.size(); ++i) at_wall += s.position[2 * i] < 1e-3 ? 1 : 0;
    EXPECT_LT(at_wall, 8) << "a sheet on the wall";
  }
  const Totals& totals = simulation.stats().totals;
  const double expected = 1000 * 0.4 * (0.2 + 1), slice = 1000 * 0.4 * 0.025;
  EXPECT_NEAR(totals.mass, expected, slice + 0.01 * expected);
  EXPECT_NEAR(totals.momentum[0], totals.mass, 0.02 * expected);
}

TEST(SourceAtAWall, BringsNothingFromOutside) {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.materials = {water("water")};
  scene.grid.domain = closed_box({0, 0, 0}, {4, 1, 0});
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {4, 0.2, 0}))};
  scene.sources = {{}};
  scene.sources[0].shape = box({-0.6, 0.3, 0}, {-0.2, 0.7, 0});
  scene.sources[0].velocity = {1, 0, 0};
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  EXPECT_EQ(simulation.stats().emitted, 0);
}

// Of a half of a wall that the source does not open, and once it has ended, what was held stays so.
TEST(SourceAtAWall, LeavesTheRestOfItAsItWas) {
  for (const bool ended : {false, true}) {
    Scene scene = empty_scene(2, 0.05, Precision::kDouble);
    scene.simulation.gravity = {0, 0, 0};
    scene.simulation.fps = 20;
    scene.materials = {elastic("jelly")};
    scene.grid.domain = closed_box({0, 0, 0}, {4, 2, 0});
    scene.grid.domain->boundary[0] = BoundaryType::kSlip;
    const double low = ended ? 1.4 : 0.2;
    scene.bodies = {body("block", 0, box({0, low, 0}, {0.4, low + 0.4, 0}), {0.3, 0, 0})};
    scene.sources = {{}};
    scene.sources[0].shape = box({0, 1.4, 0}, {0.2, 1.8, 0});
    scene.sources[0].velocity = {1, 0, 0};
    if (ended) scene.sources[0].start = 100;
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 20; ++frame) simulation.advance_frame();
    double nearest = 1;
    const Snapshot snapshot = simulation.snapshot();
    for (std::size_t i = 0; i < snapshot.size(); ++i)
      if (snapshot.position[2 * i + 1] > low && snapshot.position[2 * i + 1] < low + 0.4)
        nearest = std::min(nearest, static_cast<double>(snapshot.position[2 * i]));
    EXPECT_LT(nearest, 0.03) << "the wall has let go of the block";
  }
}

}  // namespace
}  // namespace firn::test
