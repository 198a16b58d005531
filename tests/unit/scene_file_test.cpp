// What a scene file means: defaults, settings, materials, presets, output, and the resolved copy
// that loads again.
#include "firn/scene_file.h"
#include "firn/error.h"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "firn/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/parsed_scenes.h"

namespace firn::test {
namespace {

TEST(SceneFileDefaults, AreThoseOfTheStructs) {
  const Scene scene = parse_text(kMinimalScene);
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
  const Scene scene = parse_text(
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
  const Scene scene = parse_text(kMinimalScene + second + third);
  EXPECT_NE(scene.materials.at(1).color, scene.materials.at(2).color);
}

// Also in a scene that has neither [transfer] nor [time].
TEST(SceneFileDefaults, IncompressibleIsLinearAndStepsByFrames) {
  std::string text = "[simulation]\nintegrator = \"incompressible\"\nfps = 40\n" + kMinimalScene;
  text.replace(text.find("jello"), 5, "water");
  for (const char* sections : {"", "[transfer]\ntype = \"flip\"\n[time]\ncfl = 0.25\n"}) {
    const Scene scene = parse_text(text + sections);
    EXPECT_EQ(scene.transfer.kernel, 1);
    EXPECT_EQ(scene.time.dt_max, 1.0 / 40);
  }
  const Scene given = parse_text(text + "[transfer]\nkernel = \"cubic\"\n[time]\ndt_max = 1e-3\n");
  EXPECT_EQ(given.transfer.kernel, 3);
  EXPECT_EQ(given.time.dt_max, 1e-3);
  // Frames shorter than the shortest step do not make a scene that contradicts itself.
  text.replace(text.find("fps = 40"), 8, "fps = 1e20");
  const Scene slow_motion = parse_text(text);
  EXPECT_EQ(slow_motion.time.dt_max, slow_motion.time.dt_min);
  EXPECT_NO_THROW(validate(slow_motion));
}

TEST(SceneFileKeys, Settings) {
  const Scene scene = parse_text(R"TOML(
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
  const Scene scene = parse_text(kMinimalScene + "[transfer]\nkernel = \"linear\"\n");
  EXPECT_EQ(scene.transfer.force, ForceForm::kGradient);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, BoundaryWordCoversAllFaces) {
  const Scene scene =
      parse_text(kMinimalScene +
                 "[grid.domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nboundary = \"slip\"\n"
                 "friction = { z_max = 0.25 }\n");
  for (const BoundaryType boundary : scene.grid.domain->boundary)
    EXPECT_EQ(boundary, BoundaryType::kSlip);
  EXPECT_EQ(scene.grid.domain->friction, (std::array<double, 6>{0, 0, 0, 0, 0, 0.25}));
}

TEST(SceneFileKeys, Materials) {
  const Scene scene = parse_text(kMinimalScene + R"TOML(
[material.z]
model = "drucker_prager"
density = 1600
youngs_modulus = 1e5
poisson_ratio = 0.3
friction_hardening = [35, 9, 0.2, 10]
friction_match = "plane_strain"
cohesion = 0.01
dilatancy_angle = 10
dilatancy_limit = 0.05
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
  sand.friction_hardening = {35 * kDegree, 9 * kDegree, 0.2, 10 * kDegree};
  sand.friction_match = FrictionMatch::kPlaneStrain;
  sand.cohesion = 0.01;
  sand.dilatancy_angle = 10 * kDegree;
  sand.dilatancy_limit = 0.05;
  sand.volume_correction = false;
  sand.viscosity = 2;
  sand.color = {0.1, 0.2, 0.3};
  const Material& found = scene.materials[1];
  // 35 degrees in radians may be rounded in either order of multiplication: one unit in the last
  // place.
  for (int i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(found.friction_hardening[i], sand.friction_hardening[i]);
  sand.friction_hardening = found.friction_hardening;
  EXPECT_DOUBLE_EQ(found.dilatancy_angle, sand.dilatancy_angle);
  sand.dilatancy_angle = found.dilatancy_angle;
  EXPECT_TRUE(found == sand);
  EXPECT_EQ(scene.materials[2].name, "a") << "materials keep the order of the file";
  EXPECT_EQ(scene.materials[2].gamma, 1);
  expect_round_trip(scene);
}

TEST(SceneFileKeys, FrictionHardeningTakesTheAngleOfThePresetsPlace) {
  const Scene scene = parse_text(kMinimalScene + R"TOML(
[material.s]
preset = "sand"
friction_hardening = [35, 9, 0.2, 10]
)TOML");
  EXPECT_EQ(scene.materials.at(1).friction_angle, 0);
  EXPECT_GT(scene.materials.at(1).friction_hardening[0], 0.5);
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
      {"viscoelastic", elastic + "relaxation_time = 1\n"},
      {"herschel_bulkley", elastic + "yield_stress = 1\nconsistency = 2\nflow_index = 0.5\n"},
      {"weakly_compressible", "density = 1\nbulk_modulus = 1\n"}};
  std::set<MaterialModel> seen;
  for (const auto& [name, keys] : models) {
    const Scene scene =
        parse_text(kMinimalScene + "[material.x]\nmodel = \"" + name + "\"\n" + keys);
    seen.insert(scene.materials.at(1).model);
  }
  EXPECT_EQ(seen.size(), std::size(models));
}

TEST(SceneFileKeys, AModelThatResistsVolumeByLambdaNeedsSome) {
  const auto read = [](const std::string& poisson_ratio) {
    parse_text(kMinimalScene +
               "[material.x]\nmodel = \"corotated_deviatoric\"\ndensity = 1\nyoungs_modulus = 1\n" +
               "poisson_ratio = " + poisson_ratio + "\n");
  };
  EXPECT_NO_THROW(read("1e-3"));
  expect_error(ErrorCategory::kScene, {"'poisson_ratio' must be > 0", "bulk modulus"},
               [&] { read("0"); });
}

TEST(SceneFileKeys, PresetThenOverrides) {
  const Scene scene =
      parse_text(kMinimalScene + "[material.s]\npreset = \"snow_dry\"\ndensity = 300\n");
  const auto& presets = material_presets();
  Material expected = presets.at(0).material;
  ASSERT_EQ(expected.name, "snow_dry");
  expected.name = "s";
  expected.density = 300;
  EXPECT_TRUE(scene.materials.at(1) == expected);
  expect_round_trip(scene);
}

// A number of one model means another thing in the next.
TEST(SceneFileKeys, AnotherModelTakesOfAPresetWhatMeansTheSame) {
  const Material snow = material_presets().at(0).material;
  const Scene scene = parse_text(kMinimalScene +
                                 "[material.s]\npreset = \"snow_dry\"\nmodel = \"von_mises\"\n"
                                 "yield_stress = 1e3\n");
  const Material& metal = scene.materials.at(1);
  EXPECT_EQ(metal.model, MaterialModel::kVonMises);
  EXPECT_EQ(metal.density, snow.density);
  EXPECT_EQ(metal.youngs_modulus, snow.youngs_modulus);
  EXPECT_EQ(metal.poisson_ratio, snow.poisson_ratio);
  EXPECT_EQ(metal.color, snow.color);
  EXPECT_EQ(metal.hardening, 0);
  EXPECT_EQ(metal.critical_compression, 0);
  expect_round_trip(scene);
  try {  // of paints it is in shear, of metals uniaxial
    parse_text(kMinimalScene + "[material.s]\npreset = \"ketchup\"\nmodel = \"von_mises\"\n");
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("needs the key 'yield_stress'"), std::string::npos)
        << error.what();
  }
  Material own = snow;
  own.name = "s";
  EXPECT_EQ(parse_text(kMinimalScene + "[material.s]\npreset = \"snow_dry\"\nmodel = \"snow\"\n")
                .materials.at(1),
            own);
}

TEST(SceneFileKeys, EveryPresetIsCompleteAndCited) {
  for (const MaterialPreset& preset : material_presets()) {
    SCOPED_TRACE(preset.material.name);
    const Scene scene =
        parse_text(kMinimalScene + "[material.p]\npreset = \"" + preset.material.name + "\"\n");
    Material expected = preset.material;
    expected.name = "p";
    EXPECT_TRUE(scene.materials.at(1) == expected);
    EXPECT_FALSE(preset.description.empty());
    EXPECT_NE(preset.source.find_first_of("0123456789"), std::string::npos)
        << "no year in the citation";
  }
}

TEST(SceneFileKeys, Output) {
  const Scene scene = parse_text(kMinimalScene + R"TOML(
[output]
directory = "somewhere"
particles = ["ply", "npz", "vtp", "vdb", "bgeo"]
volumes = ["vdb"]
surface = []
image = false
alpha = true
exr = true
video = false
color = "vorticity"
color_range = [-1, 2.5]
resolution = [640, 480]
channels = ["stress", "vorticity", "id"]
checkpoint_every = 0
diagnostics = "stages"
camera = { eye = [1, 2, 3], target = [0, 0, 0], up = [0, 0, 1], fov = 90 }
)TOML");
  OutputSettings expected;
  expected.directory = "somewhere";
  expected.particles = {"ply", "npz", "vtp", "vdb", "bgeo"};
  expected.volumes = {"vdb"};
  expected.image = expected.video = false;
  expected.alpha = expected.exr = true;
  expected.color = "vorticity";
  expected.color_range = {-1, 2.5};
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
    EXPECT_EQ(parse_text(kMinimalScene + "[output]\ndiagnostics = " + word).output.diagnostics,
              level)
        << word;
  }
}

TEST(SceneFileResolved, KeepsNumbersAndStringsExactly) {
  const Scene scene =
      parse_text("title = \"a \\\"quoted\\\" \\\\ tab\\t and \\u00e9\"\n" + kMinimalScene +
                 "[material.\"strange name.\"]\npreset = \"water\"\ndensity = 0.1\n"
                 "viscosity = 1.0000000000000002\nbulk_modulus = 1e300\n");
  expect_round_trip(scene);
  EXPECT_EQ(parse_text(scene.resolved_toml).materials.at(1).viscosity, 1.0000000000000002);
}

}  // namespace
}  // namespace firn::test
