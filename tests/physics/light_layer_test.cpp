// Light material that lies between a body which lets go of it and heavier material: the masses of
// nodes tell of the heavy one only, but the light one is held all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// A layer one cell thick, off the lines of the grid.
Scene layer_under(double density, int dimension, Integrator integrator) {
  constexpr double kFloor = 0.013, kDx = 0.05;
  Scene s = empty_scene(dimension, kDx);
  s.simulation.integrator = integrator;
  s.simulation.fps = 8;
  s.time.dt_max = 0.01;
  const double side = dimension == 3 ? 0.15 : 0;
  s.materials = {elastic("light", MaterialModel::kNeoHookean, 3e5, 200),
                 elastic("heavy", MaterialModel::kNeoHookean, 1e6, density)};
  s.bodies = {body("layer", 0, box({0.7, kFloor, -side}, {1.3, kFloor + kDx, side})),
              body("load", 1, box({0.7, kFloor + kDx, -side}, {1.3, kFloor + 9 * kDx, side}))};
  s.colliders = {
      collider("floor", box({-1.5, -0.5, -1.5}, {3, kFloor, 1.5}), BoundaryType::kSeparate)};
  return s;
}

TEST(LightLayer, IsHeldUnderAHeavyLoad) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization})
    for (const int dimension : {2, 3}) {
      SCOPED_TRACE(std::to_string(dimension) + "D, " +
                   std::to_string(static_cast<int>(integrator)));
      Simulation simulation = simulate(layer_under(2000, dimension, integrator));
      for (int frame = 0; frame < 8; ++frame) simulation.advance_frame();
      const Snapshot s = simulation.snapshot();
      float lowest = 1, highest = -1;
      for (std::size_t p = 0; p < s.size(); ++p) {
        if (s.body[p] != 0) continue;
        lowest = std::min(lowest, s.position[p * s.dimension + 1]);
        highest = std::max(highest, s.position[p * s.dimension + 1]);
      }
      EXPECT_GT(lowest, 0.013F - 0.1F * 0.05F);
      EXPECT_GT(highest, 0.013F + 0.75F * 0.05F);
    }
}

}  // namespace
}  // namespace firn::test
