// What a scene file means: defaults, every key, units, presets, and the resolved copy that loads
// again.
#include "firn/scene_file.h"
#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>
#include <utility>

#include "firn/error.h"

namespace firn {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

const std::string kMinimal = R"TOML(
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
material = "jelly"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
)TOML";

Scene parse(const std::string& text, const SceneOptions& options = {}) {
  return parse_scene(text, "test.toml", "", options);
}

// The members that say where a scene came from are not part of what it means.
Scene without_origin(Scene scene) {
  scene.path.clear();
  scene.name.clear();
  return scene;
}

void expect_round_trip(const Scene& scene) {
  SCOPED_TRACE(scene.resolved_toml);
  const Scene again = parse(scene.resolved_toml);
  EXPECT_TRUE(without_origin(again) == without_origin(scene));
}

TEST(SceneFileDefaults, AreThoseOfTheStructs) {
  const Scene scene = parse(kMinimal);
  EXPECT_EQ(scene.name, "test");
  EXPECT_TRUE(scene.simulation == SimulationSettings{});
  EXPECT_TRUE(scene.transfer == TransferSettings{});
  EXPECT_TRUE(scene.time == TimeSettings{});
  EXPECT_TRUE(scene.output == OutputSettings{});
  EXPECT_FALSE(scene.grid.domain.has_value());
  Body expected;
  expected.name = "body0";
  expected.particles_per_cell = 8;
  expected.shape.radius = 1;
  EXPECT_TRUE(scene.bodies.at(0) == expected);
}

TEST(SceneFileDefaults, ParticlesPerCellFollowsTheDimension) {
  const Scene scene = parse(
      "[simulation]\ndimension = 2\n[grid]\ndx = 1\n[material.m]\npreset = \"water\"\n"
      "[[source]]\nmaterial = \"m\"\nshape = { type = \"sphere\", center = [0, 0], radius = 1 }\n");
  EXPECT_EQ(scene.sources.at(0).particles_per_cell, 4);
  EXPECT_EQ(scene.sources.at(0).end, Source{}.end);
}

TEST(SceneFileDefaults, MaterialsGetDistinctColors) {
  const std::string second =
      "[material.b]\nmodel = \"neo_hookean\"\ndensity = 1\nyoungs_modulus = 1\n"
      "poisson_ratio = 0\n";
  std::string third = second;
  third.replace(third.find(".b"), 2, ".c");
  const Scene scene = parse(kMinimal + second + third);
  EXPECT_NE(scene.materials.at(1).color, scene.materials.at(2).color);
}

// Also in a scene that has neither [transfer] nor [time].
TEST(SceneFileDefaults, IncompressibleIsLinearAndStepsByFrames) {
  std::string text = "[simulation]\nintegrator = \"incompressible\"\nfps = 40\n" + kMinimal;
  text.replace(text.find("jello"), 5, "water");
  for (const char* sections : {"", "[transfer]\ntype = \"flip\"\n[time]\ncfl = 0.25\n"}) {
    const Scene scene = parse(text + sections);
    EXPECT_EQ(scene.transfer.kernel, 1);
    EXPECT_EQ(scene.time.dt_max, 1.0 / 40);
  }
  const Scene given = parse(text + "[transfer]\nkernel = \"cubic\"\n[time]\ndt_max = 1e-3\n");
  EXPECT_EQ(given.transfer.kernel, 3);
  EXPECT_EQ(given.time.dt_max, 1e-3);
}

TEST(SceneFileKeys, Settings) {
  const Scene scene = parse(R"TOML(
title = "T"
source = "S"
[simulation]
dimension = 2
frames = 5
fps = 30
gravity = [1, -2]
integrator = "explicit"
precision = "double"
seed = 7
reproducible = true
[transfer]
type = "polypic"
blend = 0.5
modes = 9
advection = "affine"
kernel = "cubic"
force = "gradient"
[time]
cfl = 0.25
cfl_material = 0.125
dt_max = 1e-2
dt_min = 1e-5
[grid]
dx = 0.25
domain = { min = [-1, -2], max = [3, 4], boundary = { x_min = "slip", y_max = "separate" }, friction = 0.5 }
[material.m]
preset = "water"
[[body]]
material = "m"
shape = { type = "box", min = [0, 0], max = [1, 1] }
)TOML");
  EXPECT_EQ(scene.title, "T");
  EXPECT_EQ(scene.source, "S");
  const SimulationSettings simulation{
      2, 5, 30, {1, -2, 0}, Integrator::kExplicit, Precision::kDouble, 7, true};
  EXPECT_TRUE(scene.simulation == simulation);
  const TransferSettings transfer{TransferType::kPolypic, 0.5, 9,
                                  AdvectionMap::kAffine,  3,   ForceForm::kGradient};
  EXPECT_TRUE(scene.transfer == transfer);
  EXPECT_TRUE(scene.time == (TimeSettings{0.25, 0.125, 1e-2, 1e-5}));
  Domain domain{{-1, -2, 0}, {3, 4, 0}, {}, {}};
  domain.boundary[0] = BoundaryType::kSlip;
  domain.boundary[3] = BoundaryType::kSeparate;
  domain.friction.fill(0.5);
  EXPECT_TRUE(scene.grid.domain == domain);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, LinearKernelTakesGradientForces) {
  const Scene scene = parse(kMinimal + "[transfer]\nkernel = \"linear\"\n");
  EXPECT_EQ(scene.transfer.force, ForceForm::kGradient);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, BoundaryWordCoversAllFaces) {
  const Scene scene = parse(kMinimal +
                            "[grid.domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nboundary = \"slip\"\n"
                            "friction = { z_max = 0.25 }\n");
  for (const BoundaryType boundary : scene.grid.domain->boundary)
    EXPECT_EQ(boundary, BoundaryType::kSlip);
  EXPECT_EQ(scene.grid.domain->friction, (std::array<double, 6>{0, 0, 0, 0, 0, 0.25}));
}

TEST(SceneFileKeys, Materials) {
  const Scene scene = parse(kMinimal + R"TOML(
[material.z]
model = "drucker_prager"
density = 1600
youngs_modulus = 1e5
poisson_ratio = 0.3
friction_angle = 30
friction_hardening = [35, 9, 0.2, 10]
cohesion = 0.01
volume_correction = false
viscosity = 2
color = [0.1, 0.2, 0.3]
[material.a]
model = "weakly_compressible"
density = 1
bulk_modulus = 400
gamma = 1
)TOML");
  ASSERT_EQ(scene.materials.size(), 3U);
  Material sand;
  sand.name = "z";
  sand.model = MaterialModel::kDruckerPrager;
  sand.density = 1600;
  sand.youngs_modulus = 1e5;
  sand.poisson_ratio = 0.3;
  sand.friction_angle = 30 * kDegree;
  sand.friction_hardening = {35 * kDegree, 9 * kDegree, 0.2, 10 * kDegree};
  sand.cohesion = 0.01;
  sand.volume_correction = false;
  sand.viscosity = 2;
  sand.color = {0.1, 0.2, 0.3};
  const Material& found = scene.materials[1];
  // 35 degrees in radians may be rounded in either order of multiplication: one unit in the last
  // place.
  EXPECT_DOUBLE_EQ(found.friction_angle, sand.friction_angle);
  for (int i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(found.friction_hardening[i], sand.friction_hardening[i]);
  sand.friction_angle = found.friction_angle;
  sand.friction_hardening = found.friction_hardening;
  EXPECT_TRUE(found == sand);
  EXPECT_EQ(scene.materials[2].name, "a") << "materials keep the order of the file";
  EXPECT_EQ(scene.materials[2].gamma, 1);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, EveryModelLoads) {
  const std::string elastic = "density = 1\nyoungs_modulus = 1\npoisson_ratio = 0.1\n";
  const std::pair<std::string, std::string> models[] = {
      {"neo_hookean", elastic},
      {"fixed_corotated", elastic},
      {"corotated_deviatoric", elastic},
      {"stvk_hencky", elastic},
      {"snow", elastic + "critical_compression = 0.1\ncritical_stretch = 0.1\nhardening = 1\n"},
      {"sand_clamp", elastic + "critical_compression = 0.1\n"},
      {"drucker_prager", elastic + "friction_hardening = [35, 9, 0.2, 10]\n"},
      {"von_mises", elastic + "yield_stress = 1\nhardening = 2\n"},
      {"weakly_compressible", "density = 1\nbulk_modulus = 1\n"}};
  std::set<MaterialModel> seen;
  for (const auto& [name, keys] : models) {
    const Scene scene = parse(kMinimal + "[material.x]\nmodel = \"" + name + "\"\n" + keys);
    seen.insert(scene.materials.at(1).model);
  }
  EXPECT_EQ(seen.size(), std::size(models));
}

TEST(SceneFileKeys, PresetThenOverrides) {
  const Scene scene = parse(kMinimal + "[material.s]\npreset = \"snow_dry\"\ndensity = 300\n");
  const auto& presets = material_presets();
  Material expected = presets.at(0).material;
  ASSERT_EQ(expected.name, "snow_dry");
  expected.name = "s";
  expected.density = 300;
  EXPECT_TRUE(scene.materials.at(1) == expected);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, EveryPresetIsCompleteAndCited) {
  for (const MaterialPreset& preset : material_presets()) {
    SCOPED_TRACE(preset.material.name);
    const Scene scene =
        parse(kMinimal + "[material.p]\npreset = \"" + preset.material.name + "\"\n");
    Material expected = preset.material;
    expected.name = "p";
    EXPECT_TRUE(scene.materials.at(1) == expected);
    EXPECT_FALSE(preset.description.empty());
    EXPECT_NE(preset.source.find_first_of("0123456789"), std::string::npos)
        << "no year in the citation";
  }
}

TEST(SceneFileKeys, BodyAndColliderAndSink) {
  const Scene scene = parse(kMinimal + R"TOML(
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
  const Scene scene = parse("reference = \"R\"\n" + kMinimal + R"TOML(
[[source]]
name = "s"
material = "jelly"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
velocity = [1, 0, 0]
start = 0.5
end = 2
particles_per_cell = 4
sampling = "uniform"
)TOML");
  EXPECT_EQ(scene.source, "R");
  const Source& source = scene.sources.at(0);
  EXPECT_EQ(source.velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(source.start, 0.5);
  EXPECT_EQ(source.end, 2);
  EXPECT_EQ(source.sampling, Sampling::kUniform);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, RotationsIn2DAreNumbers) {
  const Scene scene = parse(R"TOML(
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
    const Scene scene = parse(kMinimal + "[[sink]]\nshape = " + text + "\n");
    EXPECT_EQ(scene.sinks.at(0).shape.type, type);
    expect_round_trip(scene);
  }
}

TEST(SceneFileKeys, Output) {
  const Scene scene = parse(kMinimal + R"TOML(
[output]
directory = "somewhere"
particles = ["ply", "npz"]
surface = []
image = false
video = false
color = "vorticity"
resolution = [640, 480]
channels = ["stress", "vorticity", "id"]
checkpoint_every = 0
diagnostics = "stages"
camera = { eye = [1, 2, 3], target = [0, 0, 0], up = [0, 0, 1], fov = 90 }
)TOML");
  OutputSettings expected;
  expected.directory = "somewhere";
  expected.particles = {"ply", "npz"};
  expected.image = expected.video = false;
  expected.color = "vorticity";
  expected.resolution = {640, 480};
  expected.channels = {"stress", "vorticity", "id"};
  expected.checkpoint_every = 0;
  expected.diagnostics = DiagnosticsLevel::kStages;
  expected.camera = Camera{{1, 2, 3}, {0, 0, 0}, {0, 0, 1}, 90 * kDegree};
  EXPECT_TRUE(scene.output == expected);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, DiagnosticsTakesBooleansAndWords) {
  const std::pair<std::string, DiagnosticsLevel> words[] = {
      {"true", DiagnosticsLevel::kTotals},
      {"false", DiagnosticsLevel::kOff},
      {"\"off\"", DiagnosticsLevel::kOff},
      {"\"totals\"", DiagnosticsLevel::kTotals},
      {"\"stages\"", DiagnosticsLevel::kStages}};
  for (const auto& [word, level] : words) {
    EXPECT_EQ(parse(kMinimal + "[output]\ndiagnostics = " + word).output.diagnostics, level)
        << word;
  }
}

TEST(SceneFileResolved, KeepsNumbersAndStringsExactly) {
  const Scene scene = parse("title = \"a \\\"quoted\\\" \\\\ tab\\t and \\u00e9\"\n" + kMinimal +
                            "[material.\"strange name.\"]\npreset = \"water\"\ndensity = 0.1\n"
                            "viscosity = 1.0000000000000002\nbulk_modulus = 1e300\n");
  expect_round_trip(scene);
  EXPECT_EQ(parse(scene.resolved_toml).materials.at(1).viscosity, 1.0000000000000002);
}

class MeshFile : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(directory_ / "model.obj") << "v 0 0 0\n"; }
  const test::ScratchFolder scratch_;
  const std::filesystem::path directory_ = scratch_.path();
  const std::string text_ = kMinimal +
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
}  // namespace firn
