// A run goes on with an edited scene where the saved state does not depend on what was edited, and
// says which key does.
#include "src/scene/continuation.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/scene_cases.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using test::expect_error;

class SceneContinuation : public testing::Test {
 protected:
  // The scene that goes on, from the state of `kScene3D`.
  Scene go_on(const std::string& text, const SceneOptions& options = {}) {
    test::write_text(folder_ / "scene.toml", text);
    return scene::continue_scene((folder_ / "scene.toml").string(), saved_, options);
  }
  void expect_refusal(const std::string& find, const std::string& instead,
                      std::initializer_list<std::string> parts) {
    SCOPED_TRACE(instead);
    expect_error(ErrorCategory::kScene, parts, [&] { go_on(edited(kScene3D, find, instead)); });
  }

  const test::ScratchFolder folder_;
  const std::string saved_ = parse_scene(kScene3D, "s.toml", "").resolved_toml;
};

TEST_F(SceneContinuation, TakesWhatTheStateDoesNotDependOn) {
  std::string text = edited(kScene3D, "title = \"t\"", "title = \"other\"");
  text = edited(text, "dimension = 3", "frames = 7");  // 3 is the default
  text = edited(text, "hardening = 10", "hardening = 10.0\ncolor = [1, 0, 0]\nfinish = \"glossy\"");
  text = edited(text, "name = \"ball\"", "name = \"ball\"\ncolor = [0, 1, 0]");
  text = edited(text, "image = true",
                "particles = [\"ply\"]\ncheckpoint_every = 3\nkeep_checkpoints = 5\n"
                "camera = { eye = [1, 2, 3], target = [0, 0, 0] }\n"
                "[diagnostics]\non_energy_growth = \"stop\"");
  const Scene scene = go_on(text, {"", {"output.resolution=[32, 16]"}});
  EXPECT_EQ(scene.title, "other");
  EXPECT_EQ(scene.simulation.frames, 7);
  EXPECT_EQ(scene.output.keep_checkpoints, 5);
  EXPECT_EQ(scene.output.resolution[0], 32);
  EXPECT_TRUE(scene.output.camera);
  EXPECT_EQ(scene.diagnostics.on_energy_growth, OnGrowth::kStop);
  EXPECT_EQ(scene.materials[0].color, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.materials[0].finish, Finish::kGlossy);
}

TEST_F(SceneContinuation, TakesPicturesOfTracersAlone) {
  const std::string text =
      edited(kScene2D, "dimension = 2\n[transfer]\nkernel = \"quadratic\"",
             "dimension = 2\nintegrator = \"incompressible\"\n[tracers]\nper_cell = 4");
  const std::string path = (folder_ / "liquid.toml").string();
  const std::string saved = parse_scene(text, "s.toml", "").resolved_toml;
  test::write_text(path, edited(text, "per_cell = 4", "per_cell = 4\nalone = true"));
  EXPECT_TRUE(scene::continue_scene(path, saved, {}).tracers.alone);
  test::write_text(path, edited(text, "per_cell = 4", "per_cell = 5\nalone = true"));
  expect_error(ErrorCategory::kScene, {"'tracers.per_cell'"},
               [&] { scene::continue_scene(path, saved, {}); });
}

TEST_F(SceneContinuation, RefusesTheRestByName) {
  expect_refusal("dx = 0.1", "dx = 0.08",
                 {"scene.toml:9:6: ", "'grid.dx'", "was 0.1, and is 0.08"});
  expect_refusal("cfl = 0.5", "cfl = 0.5\ndt_max = 1e-2",
                 {":8:10: ", "'time.dt_max'", "was not given, and is 0.01"});
  expect_refusal("end = 2\n", "", {"'source.0.end'", "was 2, and is not given"});
  expect_refusal(
      "end = 2\n",
      "end = 2\nmotion = { type = \"keyframes\", times = [0], translation = [[1, 0, 0]] }\n",
      {"'source.0.motion.times'", "was not given"});
  expect_refusal("[transfer]\ntype = \"apic\"", "[transfer]\ntype = \"pic\"", {"'transfer.type'"});
  expect_refusal("radius = 0.1 }", "radius = 0.2 }", {"'body.0.shape.radius'"});
  expect_refusal("[[source]]",
                 "[[collider]]\nshape = { type = \"half_space\", point = [0, 0, 0], "
                 "normal = [0, 1, 0] }\n[[source]]",
                 {"'collider'"});
}

TEST_F(SceneContinuation, RefusesOtherDiagnostics) {
  expect_refusal("image = true", "diagnostics = \"off\"", {"'output.diagnostics'"});
}

TEST_F(SceneContinuation, NamesOnlyWhatMatters) {
  const std::string colored =
      edited(kScene3D, "hardening = 10", "hardening = 10\ncolor = [0, 0, 1]");
  const std::string saved = parse_scene(colored, "s.toml", "").resolved_toml;
  std::string text = edited(colored, "[0, 0, 1]", "[0, 1, 1]");
  test::write_text(folder_ / "scene.toml", edited(text, "dx = 0.1", "dx = 0.2"));
  try {
    scene::continue_scene((folder_ / "scene.toml").string(), saved, {});
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(lines_of(error.what()).size(), 1U) << error.what();
  }
}

TEST_F(SceneContinuation, OverridesAreHeldToTheSame) {
  expect_error(ErrorCategory::kScene, {"--set grid.dx: ", "'grid.dx'"}, [&] {
    go_on(kScene3D, {"", {"grid.dx=0.05"}});
  });
}

TEST_F(SceneContinuation, SaysThatTheSceneCannotBeRead) {
  expect_error(ErrorCategory::kScene, {"scene.toml:1:"}, [&] { go_on("]["); });
}

}  // namespace
}  // namespace firn
