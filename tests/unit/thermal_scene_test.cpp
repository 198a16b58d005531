// What a scene of the thermal integrator means: defaults, every key, the resolved copy that loads
// again, the stiffness at a temperature, and the phase in which particles start.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"
#include "src/state/scene_params.h"
#include "tests/support/thermal_scenes.h"

namespace firn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::string kMinimal = R"TOML(
[simulation]
integrator = "thermal"
[grid]
dx = 0.1
[material.oil]
model = "incompressible"
density = 900
heat_capacity = 2000
conductivity = 0.2
[[body]]
material = "oil"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
temperature = 300
)TOML";

Scene parse(const std::string& text, const SceneOptions& options = {}) {
  return parse_scene(text, "test.toml", "", options);
}

void expect_round_trip(const Scene& scene) {
  SCOPED_TRACE(scene.resolved_toml);
  EXPECT_TRUE(parse(scene.resolved_toml) == scene);
}

TEST(ThermalScene, Defaults) {
  const Scene scene = parse(kMinimal);
  EXPECT_EQ(scene.simulation.integrator, Integrator::kThermal);
  EXPECT_TRUE(scene.solves_heat());
  EXPECT_TRUE(scene.thermal == ThermalSettings{});
  EXPECT_EQ(scene.transfer.kernel, 2);
  EXPECT_EQ(scene.transfer.force, ForceForm::kGradient);
  EXPECT_TRUE(scene.bodies.at(0).temperature == (ScalarField{300, ""}));
  EXPECT_FALSE(scene.bodies.at(0).phase.has_value());
  expect_round_trip(scene);
}

TEST(ThermalScene, EveryKey) {
  const Scene scene = parse(R"TOML(
[simulation]
integrator = "thermal"
[thermal]
heat = true
ambient = "290 + 5 * t"
forces = "explicit"
face_density = "cell"
temperature_flip = 0.95
force_solve = { tolerance = 1e-3, max_iterations = 11 }
pressure_solve = { tolerance = 1e-4 }
heat_solve = { max_iterations = 13 }
[transfer]
kernel = "quadratic"
[grid]
dx = 0.1
domain = { min = [0, 0, 0], max = [1, 1, 1], temperature = { y_min = 450, z_max = "300 + x" } }
[material.butter]
model = "corotated_deviatoric"
density = 911
youngs_modulus = "1e6 - 3000 * T"
poisson_ratio = 0.5
critical_compression = 0.01
critical_stretch = 0.02
volume_correction = false
heat_capacity = { solid = 2300, liquid = 2100 }
conductivity = { solid = 0.2, liquid = 0.17 }
melting_point = 305
melting_jitter = 3
latent_heat = 6e4
[material.gel]
model = "corotated_deviatoric"
density = 1000
shear_modulus = 1e4
lambda = inf
heat_capacity = 4000
conductivity = 0.6
[[body]]
material = "butter"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
temperature = "280 + y"
phase = "solid"
[[source]]
material = "butter"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
temperature = 320
phase = "liquid"
[[collider]]
shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
temperature = "450 - 10 * t"
[[heat_source]]
name = "lamp"
shape = { type = "sphere", center = [1, 2, 3], radius = 1 }
power = "1e5 * (t < 2)"
)TOML");
  ThermalSettings thermal;
  thermal.ambient = ScalarField{0, "290 + 5 * t"};
  thermal.forces = ForceIntegration::kExplicit;
  thermal.face_density = FaceDensity::kCell;
  thermal.temperature_flip = 0.95;
  thermal.force_solve = {1e-3, 11};
  thermal.pressure_solve.tolerance = 1e-4;
  thermal.heat_solve.max_iterations = 13;
  EXPECT_TRUE(scene.thermal == thermal);
  EXPECT_EQ(scene.transfer.kernel, 2);

  const Domain& domain = *scene.grid.domain;
  for (const std::size_t face : {0U, 1U, 3U, 4U}) EXPECT_FALSE(domain.temperature[face]) << face;
  EXPECT_TRUE(domain.temperature[2] == (ScalarField{450, ""}));
  EXPECT_TRUE(domain.temperature[5] == (ScalarField{0, "300 + x"}));

  Material butter;
  butter.name = "butter";
  butter.model = MaterialModel::kCorotatedDeviatoric;
  butter.density = 911;
  butter.youngs_modulus_of_temperature = "1e6 - 3000 * T";
  butter.poisson_ratio = 0.5;
  butter.critical_compression = 0.01;
  butter.critical_stretch = 0.02;
  butter.volume_correction = false;
  butter.heat = {{2300, 2100}, {0.2, 0.17}, 305, 3, 6e4};
  butter.color = scene.materials.at(0).color;
  EXPECT_TRUE(scene.materials.at(0) == butter);
  EXPECT_TRUE(scene.materials.at(1).lame == (LameParameters{1e4, kInfinity}));
  EXPECT_EQ(scene.materials.at(1).heat.capacity.liquid, 4000);

  EXPECT_TRUE(scene.bodies.at(0).temperature == (ScalarField{0, "280 + y"}));
  EXPECT_EQ(scene.bodies.at(0).phase, Phase::kSolid);
  EXPECT_TRUE(scene.sources.at(0).temperature == (ScalarField{320, ""}));
  EXPECT_EQ(scene.sources.at(0).phase, Phase::kLiquid);
  EXPECT_TRUE(scene.colliders.at(0).temperature == (ScalarField{0, "450 - 10 * t"}));
  const HeatSource& lamp = scene.heat_sources.at(0);
  EXPECT_EQ(lamp.name, "lamp");
  EXPECT_EQ(lamp.shape.center, (Vec3{1, 2, 3}));
  EXPECT_EQ(lamp.power.expression, "1e5 * (t < 2)");
  expect_round_trip(scene);
}

TEST(ThermalScene, PicturesAndFilesShowTemperatureAndPhase) {
  const Scene scene = parse(
      kMinimal + "[output]\ncolor = \"temperature\"\nchannels = [\"temperature\", \"phase\"]\n");
  EXPECT_EQ(scene.output.color, "temperature");
  EXPECT_EQ(parse(kMinimal + "[output]\ncolor = \"glow\"\n").output.color, "glow");
  EXPECT_EQ(scene.output.channels, (std::vector<std::string>{"temperature", "phase"}));
}

TEST(ThermalScene, OneTemperatureForAllFaces) {
  const Scene scene = parse(
      kMinimal, {"", {"grid.domain={ min = [0, 0, 0], max = [1, 1, 1], temperature = 280 }"}});
  for (const auto& temperature : scene.grid.domain->temperature)
    EXPECT_TRUE(temperature == (ScalarField{280, ""}));
}

TEST(ThermalScene, OverridesReachEveryPart) {
  const Scene scene = parse(kMinimal, {"",
                                       {"thermal.ambient=310", "body.0.temperature=280 + x",
                                        "material.oil.heat_capacity={ solid = 1, liquid = 2 }",
                                        "thermal.heat_solve.tolerance=1e-3"}});
  EXPECT_TRUE(scene.thermal.ambient == (ScalarField{310, ""}));
  EXPECT_EQ(scene.bodies.at(0).temperature.expression, "280 + x");
  EXPECT_EQ(scene.materials.at(0).heat.capacity.liquid, 2);
  EXPECT_EQ(scene.thermal.heat_solve.tolerance, 1e-3);
}

TEST(ThermalScene, PresetsOfMaterialsThatMeltAreComplete) {
  int melting = 0;
  for (const MaterialPreset& preset : material_presets()) {
    const HeatProperties& heat = preset.material.heat;
    EXPECT_EQ(heat.capacity.solid > 0, heat.conductivity.solid > 0) << preset.material.name;
    if (!heat.melting_point) continue;
    SCOPED_TRACE(preset.material.name);
    ++melting;
    const Scene scene =
        parse(kMinimal + "[material.p]\npreset = \"" + preset.material.name + "\"\n");
    Material expected = preset.material;
    expected.name = "p";
    EXPECT_TRUE(scene.materials.at(1) == expected);
    expect_round_trip(scene);
  }
  EXPECT_GE(melting, 5) << "butter, wax, ice, chocolate, lava";
}

TEST(ThermalScene, APresetTakesLameParameters) {
  const Scene scene =
      parse(kMinimal + "[material.p]\npreset = \"butter\"\nshear_modulus = 0.5\nlambda = 5e9\n");
  EXPECT_TRUE(scene.materials.at(1).lame == (LameParameters{0.5, 5e9}));
  EXPECT_EQ(scene.materials.at(1).youngs_modulus, 0);
  expect_round_trip(scene);
}

TEST(ThermalScene, WaterIsTheSameLiquidAsUnderTheIncompressibleIntegrator) {
  const Scene scene = parse(kMinimal + "[material.w]\npreset = \"water\"\n");
  EXPECT_EQ(scene.materials.at(1).model, MaterialModel::kIncompressible);
  EXPECT_EQ(scene.materials.at(1).bulk_modulus, 0);
  EXPECT_GT(scene.materials.at(1).heat.capacity.liquid, 4000);
}

Material solid() {
  Material m;
  m.name = "m";
  m.model = MaterialModel::kCorotatedDeviatoric;
  m.youngs_modulus = 3;
  m.poisson_ratio = 0.25;
  return m;
}

// The definitions E = mu (3 lambda + 2 mu) / (lambda + mu) and nu = lambda / (2 (lambda + mu)),
// each of a few roundings.
// No file says anything of [fluid] here, so what a scene built in code has there is not looked at.
TEST(ThermalScene, DensityIsCorrectedWhateverTheFluidSectionSays) {
  Scene scene = test::thermal_scene(2, 0.1);
  scene.materials = {test::liquid()};
  for (const bool corrects : {true, false}) {
    scene.fluid.density_correction = corrects;
    EXPECT_TRUE(transfer_params(scene).corrects_positions);
  }
  scene.materials = {test::solid("gel", 1e3, 1e4)};
  EXPECT_FALSE(transfer_params(scene).corrects_positions);
}

TEST(StiffnessCurve, LameParametersOfYoungsModulusAndPoissonsRatio) {
  const double tolerance = 8 * std::numeric_limits<double>::epsilon();
  for (const double nu : {0.01, 0.25, 0.45, 0.4999}) {
    const LameParameters p = lame_parameters(7, nu);
    const double E = p.mu * (3 * p.lambda + 2 * p.mu) / (p.lambda + p.mu);
    EXPECT_NEAR(E, 7, 7 * tolerance) << nu;
    // 1 - 2 nu loses what nu lacks to 0.5.
    EXPECT_NEAR(p.lambda / (2 * (p.lambda + p.mu)), nu, tolerance / (1 - 2 * nu)) << nu;
  }
  EXPECT_EQ(lame_parameters(7, 0.5).lambda, kInfinity);
  EXPECT_EQ(lame_parameters(3, 0.5).mu, 1);
}

TEST(StiffnessCurve, ConstantsDoNotVary) {
  Material m = solid();
  EXPECT_FALSE(StiffnessCurve(m).varies());
  EXPECT_TRUE(StiffnessCurve(m).at(1) == lame_parameters(3, 0.25));
  EXPECT_TRUE(StiffnessCurve(m).at(1000) == lame_parameters(3, 0.25));
  m.lame = LameParameters{2, kInfinity};
  EXPECT_TRUE(StiffnessCurve(m).at(300) == *m.lame);
  m.model = MaterialModel::kIncompressible;
  EXPECT_TRUE(StiffnessCurve(m).at(300) == (LameParameters{0, kInfinity}));
}

TEST(StiffnessCurve, FollowsTheTemperatureUpToTheMeltingPoint) {
  Material m = solid();
  m.youngs_modulus_of_temperature = "400 - T";
  m.heat.melting_point = 390;
  StiffnessCurve curve(m);
  StiffnessCurve moved = std::move(curve);
  EXPECT_TRUE(moved.varies());
  EXPECT_TRUE(moved.at(300) == lame_parameters(100, 0.25));
  EXPECT_TRUE(moved.at(390) == lame_parameters(10, 0.25));
  EXPECT_TRUE(moved.at(1000) == lame_parameters(10, 0.25));
  m.heat.melting_point.reset();
  EXPECT_THROW(StiffnessCurve(m).at(400), Error);
  EXPECT_THROW(StiffnessCurve(m).at(std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Phases, StartByTemperatureUnlessSaid) {
  Material m = solid();
  EXPECT_EQ(starting_phase(m, {}, 1e4, 0), Phase::kSolid) << "never melts";
  m.heat.melting_point = 300;
  EXPECT_EQ(starting_phase(m, {}, 299, 300), Phase::kSolid);
  EXPECT_EQ(starting_phase(m, {}, 300, 300), Phase::kSolid);
  EXPECT_EQ(starting_phase(m, Phase::kLiquid, 300, 300), Phase::kLiquid);
  EXPECT_EQ(starting_phase(m, {}, 301, 300), Phase::kLiquid);
  EXPECT_EQ(starting_phase(m, {}, 301, 302), Phase::kSolid) << "its own melting point counts";
  m.lame = LameParameters{0, 1};
  EXPECT_EQ(starting_phase(m, {}, 1, 300), Phase::kLiquid) << "no shear modulus";
  m.lame.reset();
  m.model = MaterialModel::kIncompressible;
  EXPECT_EQ(starting_phase(m, {}, 1, 300), Phase::kLiquid);
}

TEST(Phases, ConflictsAreThoseOfTheWholeJitter) {
  Material m = solid();
  EXPECT_FALSE(phase_conflict(m, Phase::kSolid, 1e4)) << "never melts";
  m.heat.melting_point = 300;
  m.heat.melting_jitter = 2;
  EXPECT_FALSE(phase_conflict(m, Phase::kSolid, 298));
  EXPECT_TRUE(phase_conflict(m, Phase::kSolid, 298.1));
  EXPECT_TRUE(phase_conflict(m, Phase::kLiquid, 301.9));
  EXPECT_FALSE(phase_conflict(m, Phase::kLiquid, 302));
}

}  // namespace
}  // namespace firn
