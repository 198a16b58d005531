// Every file in scenes/ must do what the README promises of it: load, also as its paper variant,
// tell its size before it is run, and run. A scene that is added or broken shows up here without
// anyone listing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/scene_file.h"
#include "firn/simulation.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(FIRN_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class SceneFile : public testing::TestWithParam<std::string> {
 protected:
  static Scene load(const SceneOptions& options = {}) {
    return load_scene(std::string(FIRN_SOURCE_DIR) + "/scenes/" + GetParam() + ".toml", options);
  }
};

bool needs_openvdb([[maybe_unused]] const std::string& name) {
#if defined(FIRN_WITH_OPENVDB)
  return false;
#else
  return name == "mesh-drop";
#endif
}

TEST_P(SceneFile, SaysWhatItIs) {
  const Scene scene = load();
  EXPECT_FALSE(scene.title.empty());
  EXPECT_FALSE(scene.source.empty());
}

TEST_P(SceneFile, FitsALaptop) {
  if (needs_openvdb(GetParam())) GTEST_SKIP() << "mesh shapes need OpenVDB";
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
  if (needs_openvdb(GetParam())) GTEST_SKIP() << "mesh shapes need OpenVDB";
  Scene scene = load();
  if (scene.simulation.dimension == 3) scene.grid.dx *= 3;
  Simulation simulation(scene, {Device::kCpu, 1});
  for (int frame = 0; frame < 2; ++frame) ASSERT_TRUE(simulation.advance_frame());
  const FrameStats stats = simulation.stats();
  EXPECT_EQ(stats.frame, 2);
  EXPECT_GT(stats.particles, 0);
  EXPECT_TRUE(std::isfinite(stats.totals.kinetic + stats.totals.elastic));
}

INSTANTIATE_TEST_SUITE_P(All, SceneFile, testing::ValuesIn(scene_names()), [](const auto& test) {
  std::string name = test.param;  // a test's name takes no hyphens
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace firn
