// What the objects of a scene file mean: bodies, colliders, sinks, sources, shapes, and meshes,
// whose files are found from where the scene is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "tests/support/parsed_scenes.h"
#include "tests/support/scratch_folder.h"

namespace firn::test {
namespace {

TEST(SceneFileKeys, BodyAndColliderAndSink) {
  const Scene scene = parse_text(kMinimalScene + R"TOML(
[[body]]
name = "b"
material = "jelly"
shape = { type = "box", min = [0, 0, 0], max = [1, 2, 3], rounding = 0.5 }
particles_per_cell = 2.5
sampling = "random"
velocity = ["-y", 2, "sin(pi*x)"]
angular_velocity = [1, 2, 3]
stretch = 1.1
density_scale = 0.5
stiffness_scale = 1
color = [0, 0.5, 1]
[[collider]]
name = "c"
shape = { type = "half_space", point = [0, 1, 0], normal = [0, 2, 0] }
boundary = "separate"
friction = 0.4
motion = { type = "keyframes", times = [0, 1], translation = [[0, 0, 0], [0, 0.5, 0]], rotation = [[0, 0, 0], [0, 90, 0]], pivot = [1, 2, 3] }
color = [1, 1, 1]
[[sink]]
shape = { type = "sphere", center = [5, 5, 5], radius = 1 }
)TOML");
  Body body;
  body.name = "b";
  body.shape.type = ShapeType::kBox;
  body.shape.max = {1, 2, 3};
  body.shape.rounding = 0.5;
  body.particles_per_cell = 2.5;
  body.sampling = Sampling::kRandom;
  body.velocity.component = {ScalarField{0, "-y"}, ScalarField{2, ""}, ScalarField{0, "sin(pi*x)"}};
  body.angular_velocity = {1, 2, 3};
  body.stretch = 1.1;
  body.density_scale = 0.5;
  body.color = Vec3{0, 0.5, 1};
  EXPECT_TRUE(scene.bodies.at(1) == body);
  Collider collider;
  collider.name = "c";
  collider.shape.type = ShapeType::kHalfSpace;
  collider.shape.point = {0, 1, 0};
  collider.boundary = BoundaryType::kSeparate;
  collider.friction = 0.4;
  collider.motion =
      Keyframes{{0, 1}, {{0, 0, 0}, {0, 0.5, 0}}, {{0, 0, 0}, {0, 90 * kDegree, 0}}, {1, 2, 3}};
  collider.color = {1, 1, 1};
  EXPECT_TRUE(scene.colliders.at(0) == collider);
  EXPECT_EQ(scene.sinks.at(0).shape.center, (Vec3{5, 5, 5}));
  expect_round_trip(scene);
}

TEST(SceneFileKeys, SourcesLiveBesideAReference) {
  const Scene scene = parse_text("reference = \"R\"\n" + kMinimalScene + R"TOML(
[[source]]
name = "s"
material = "jelly"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
velocity = [1, 0, 0]
start = 0.5
end = 2
particles_per_cell = 4
sampling = "uniform"
motion = { type = "keyframes", times = [0, 1], translation = [[0, 0, 0], [1, 0, 0]], pivot = [1, 2, 3] }
)TOML");
  EXPECT_EQ(scene.source, "R");
  const Source& source = scene.sources.at(0);
  EXPECT_EQ(source.velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(source.start, 0.5);
  EXPECT_EQ(source.end, 2);
  EXPECT_EQ(source.sampling, Sampling::kUniform);
  EXPECT_TRUE(source.motion == Keyframes({{0, 1}, {{0, 0, 0}, {1, 0, 0}}, {{}, {}}, {1, 2, 3}}));
  expect_round_trip(scene);
}

TEST(SceneFileKeys, RotationsIn2DAreNumbers) {
  const Scene scene = parse_text(R"TOML(
simulation.dimension = 2
grid.dx = 1
material.m.preset = "water"
[[body]]
material = "m"
angular_velocity = 3
shape = { type = "transform", child = { type = "ellipsoid", center = [0, 0], radii = [1, 2] }, rotation = 90, translation = [1, 2], scale = 2 }
)TOML");
  EXPECT_EQ(scene.bodies.at(0).angular_velocity, (Vec3{0, 0, 3}));
  const Shape& shape = scene.bodies.at(0).shape;
  EXPECT_EQ(shape.rotation, (Vec3{0, 0, 90 * kDegree}));
  EXPECT_EQ(shape.translation, (Vec3{1, 2, 0}));
  EXPECT_EQ(shape.scale, 2);
  EXPECT_EQ(shape.children.at(0).radii, (Vec3{1, 2, 0}));
  expect_round_trip(scene);
}

// pi times such an angle is beyond what a double holds.
TEST(SceneFileKeys, AnglesOfAnySizeAreFinite) {
  for (const double angle : {1e308, -1.7e308, 5e307}) {
    const Scene scene = parse_text(
        "[simulation]\ndimension = 2\n[grid]\ndx = 1\n[material.m]\npreset = \"water\"\n"
        "[[body]]\nmaterial = \"m\"\nshape = { type = \"transform\", rotation = " +
        fmt::format("{:e}", angle) +
        ", child = { type = \"sphere\", center = [0, 0], radius = 1 } }\n");
    EXPECT_NEAR(scene.bodies.at(0).shape.rotation[2] / angle, kDegree, 1e-15 * kDegree * 4);
    EXPECT_NO_THROW(validate(scene));
    expect_round_trip(scene);
  }
}

TEST(SceneFileKeys, EveryShapeLoads) {
  const std::string ball = "{ type = \"sphere\", center = [0, 0, 0], radius = 1 }";
  const std::pair<std::string, ShapeType> shapes[] = {
      {ball, ShapeType::kSphere},
      {"{ type = \"cylinder\", from = [0, 0, 0], to = [1, 0, 0], radius = 1 }",
       ShapeType::kCylinder},
      {"{ type = \"capsule\", from = [0, 0, 0], to = [1, 0, 0], radius = 1 }", ShapeType::kCapsule},
      {"{ type = \"cone\", from = [0, 0, 0], to = [1, 0, 0], radius = 1 }", ShapeType::kCone},
      {"{ type = \"torus\", center = [0, 0, 0], axis = [1, 0, 0], radius = 1, tube_radius = 0.1 }",
       ShapeType::kTorus},
      {"{ type = \"ellipsoid\", center = [0, 0, 0], radii = [1, 2, 3] }", ShapeType::kEllipsoid},
      {"{ type = \"union\", children = [" + ball + ", " + ball + "] }", ShapeType::kUnion},
      {"{ type = \"intersection\", children = [" + ball + ", " + ball + "] }",
       ShapeType::kIntersection},
      {"{ type = \"difference\", children = [" + ball + ", " + ball + ", " + ball + "] }",
       ShapeType::kDifference},
      {"{ type = \"transform\", child = " + ball + ", rotation = [0, 0, 45] }",
       ShapeType::kTransform}};
  for (const auto& [text, type] : shapes) {
    SCOPED_TRACE(text);
    const Scene scene = parse_text(kMinimalScene + "[[sink]]\nshape = " + text + "\n");
    EXPECT_EQ(scene.sinks.at(0).shape.type, type);
    expect_round_trip(scene);
  }
}

class MeshFile : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(directory_ / "model.obj") << "v 0 0 0\n"; }
  const ScratchFolder scratch_;
  const std::filesystem::path directory_ = scratch_.path();
  const std::string text_ = kMinimalScene +
                            "[[sink]]\nshape = { type = \"mesh\", file = \"model.obj\", size = 2, "
                            "rotation = [0, 90, 0] }\n";
};

TEST_F(MeshFile, IsRelativeToTheSceneAndAbsoluteOnceResolved) {
  const Scene scene = parse_scene(text_, "test.toml", directory_.string());
  const Shape& shape = scene.sinks.at(0).shape;
  EXPECT_EQ(shape.file, (directory_ / "model.obj").lexically_normal().string());
  EXPECT_EQ(shape.size, 2);
  const Scene again = parse_scene(scene.resolved_toml, "test.toml", "/nowhere");
  EXPECT_TRUE(again == scene);
}

TEST_F(MeshFile, OfAnOverrideIsRelativeToTheCurrentDirectory) {
  const auto relative = std::filesystem::relative(directory_ / "model.obj");
  const Scene scene =
      parse_scene(text_, "test.toml", "/nowhere", {"", {"sink.0.shape.file=" + relative.string()}});
  EXPECT_TRUE(std::filesystem::equivalent(scene.sinks.at(0).shape.file, directory_ / "model.obj"));
}

TEST_F(MeshFile, MissingIsAFileErrorAtItsPlace) {
  try {
    parse_scene(text_, "test.toml", "/nowhere");
    FAIL() << "a missing mesh went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    const std::string what = error.what();
    EXPECT_EQ(what.find("test.toml:10:33: "), 0U) << what;
    EXPECT_NE(what.find("/nowhere/model.obj"), std::string::npos) << what;
  }
}

TEST_F(MeshFile, LoadSceneTakesNameAndPathFromTheFile) {
  const std::string path = (directory_ / "my-scene.toml").string();
  std::ofstream(path) << text_;
  const Scene scene = load_scene(path);
  EXPECT_EQ(scene.name, "my-scene");
  EXPECT_EQ(scene.path, path);
}

TEST_F(MeshFile, UnreadableSceneIsAFileError) {
  for (const auto& path : {directory_ / "absent.toml", directory_}) {
    try {
      load_scene(path.string());
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kFile);
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace firn::test
