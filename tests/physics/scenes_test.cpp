// Every file in scenes/ must do what the README promises of it: load, also as its paper variant,
// tell its size before it is run, and run. A scene that is added or broken shows up here without
// anyone listing it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "firn/simulation.h"
#include "tests/support/stock_scenes.h"

namespace firn {
namespace {

using test::lacks_openvdb;

class SceneFile : public testing::TestWithParam<std::string> {
 protected:
  static Scene load(const SceneOptions& options = {}) {
    return test::load_stock_scene(GetParam(), options);
  }
};

TEST_P(SceneFile, SaysWhatItIs) {
  const Scene scene = load();
  EXPECT_FALSE(scene.title.empty());
  EXPECT_FALSE(scene.source.empty());
}

TEST_P(SceneFile, FitsALaptop) {
  if (lacks_openvdb(GetParam())) GTEST_SKIP() << "mesh shapes need OpenVDB";
  const Scene scene = load();
  const SceneEstimate size = estimate(scene);
  EXPECT_TRUE(size.particles > 0 || !scene.sources.empty());
  EXPECT_LT(size.particles, 300'000);
  EXPECT_GT(size.dt_limit, scene.time.dt_min);
}

TEST_P(SceneFile, HasAPaperVariantThatIsNoCoarser) {
  const Scene scene = load(), paper = load({"paper", {}});
  EXPECT_LE(paper.grid.dx, scene.grid.dx);
}

// Three times coarser in 3D, where a frame at the scene's own resolution takes seconds.
TEST_P(SceneFile, RunsTwoFrames) {
  if (lacks_openvdb(GetParam())) GTEST_SKIP() << "mesh shapes need OpenVDB";
  Scene scene = load();
  if (scene.simulation.dimension == 3) scene.grid.dx *= 3;
  Simulation simulation(scene, {Device::kCpu, 1});
  for (int frame = 0; frame < 2; ++frame) ASSERT_TRUE(simulation.advance_frame());
  const FrameStats stats = simulation.stats();
  EXPECT_EQ(stats.frame, 2);
  EXPECT_GT(stats.particles, 0);
  EXPECT_TRUE(std::isfinite(stats.totals.kinetic + stats.totals.elastic));
}

INSTANTIATE_TEST_SUITE_P(All, SceneFile, testing::ValuesIn(test::scene_names()), test::test_name);

}  // namespace
}  // namespace firn
