// What a scene of the thermal integrator must not say, and what only such a scene may.
#include <gtest/gtest.h>

#include "tests/support/scene_cases.h"

namespace firn {
namespace {

const std::string kMelt = R"TOML([simulation]
dimension = 2
integrator = "thermal"
[thermal]
ambient = 290
[transfer]
type = "flip"
[grid]
dx = 0.1
domain = { min = [0, 0], max = [1, 1], boundary = "slip" }
[material.wax]
model = "corotated_deviatoric"
density = 900
youngs_modulus = 1e6
poisson_ratio = 0.45
heat_capacity = { solid = 2100, liquid = 2400 }
conductivity = 0.2
melting_point = 330
melting_jitter = 2
latent_heat = 2e5
[material.oil]
model = "incompressible"
density = 800
heat_capacity = 2000
conductivity = 0.15
[[body]]
name = "candle"
material = "wax"
shape = { type = "sphere", center = [0.5, 0.5], radius = 0.2 }
temperature = 300
phase = "solid"
[[collider]]
shape = { type = "half_space", point = [0, 0.1], normal = [0, 1] }
temperature = 450
[[source]]
material = "oil"
shape = { type = "sphere", center = [0.5, 0.9], radius = 0.05 }
temperature = 400
[[heat_source]]
shape = { type = "sphere", center = [0.2, 0.2], radius = 0.1 }
power = 1e6
)TOML";

const std::string kNoHeat = R"TOML([simulation]
dimension = 2
integrator = "thermal"
[thermal]
heat = false
[grid]
dx = 0.1
[material.m]
model = "corotated_deviatoric"
density = 900
shear_modulus = 1e4
lambda = 1e6
[[body]]
material = "m"
shape = { type = "sphere", center = [0.5, 0.5], radius = 0.2 }
)TOML";

TEST(ThermalErrors, TheScenesThemselvesAreFine) {
  EXPECT_EQ(message_of(kMelt), "");
  EXPECT_EQ(message_of(kNoHeat), "");
}

// The first lines of the wax, which errors about what is missing point to.
const std::string kWax = "[material.wax]\nmodel = \"corotated_deviatoric\"\ndensity = 900\n";

TEST(ThermalErrors, WhatAMaterialLacks) {
  const std::string oil = "[material.oil]\nmodel = \"incompressible\"\ndensity = 800\n";
  const Case cases[] = {
      {oil + "heat_capacity = 2000\n",
       "@" + oil,
       {"[material.oil] needs the key 'heat_capacity'", "thermal.heat = false"}},
      {oil + "heat_capacity = 2000\nconductivity = 0.15\n",
       "@" + oil + "heat_capacity = 2000\n",
       {"[material.oil] needs the key 'conductivity'"}},
      {"conductivity = 0.2",
       "conductivity = @{ solid = 0.2 }",
       {"'conductivity' needs the key 'liquid'"}},
      {"conductivity = 0.2",
       "conductivity = { solid = 0.2, liquid = 0.1, @gas = 1 }",
       {"unknown key 'gas' in 'conductivity'"}},
      {kWax + "youngs_modulus = 1e6\n", "@" + kWax, {"needs the key 'youngs_modulus'"}},
      {kWax + "youngs_modulus = 1e6\npoisson_ratio = 0.45\n",
       "@" + kWax + "shear_modulus = 1e6\n",
       {"[material.wax] needs the key 'lambda'"}},
      {kWax + "youngs_modulus = 1e6\npoisson_ratio = 0.45\n",
       "@" + kWax + "lambda = 1e6\n",
       {"[material.wax] needs the key 'shear_modulus'"}},
      {"latent_heat = 2e5",
       "latent_heat = 2e5\ncritical_stretch = @0.01",
       {"both 'critical_compression' and 'critical_stretch'"}},
      {"latent_heat = 2e5",
       "latent_heat = 2e5\nvolume_correction = @true",
       {"'volume_correction' is about plastic flow"}},
      {"heat_capacity = 2000",
       "heat_capacity = 2000\n@heat_capacty = 3",
       {"unknown key 'heat_capacty' in [material.oil]; did you mean 'heat_capacity'?"}},
  };
  for (const Case& c : cases) expect_one_finding(kMelt, c);
}

// The body does not say its phase, so that a wrong melting point is the only thing wrong.
const std::string kWarmWax = edited(kMelt, "phase = \"solid\"\n", "");

TEST(ThermalErrors, NumbersOfHeat) {
  const Case cases[] = {
      {"heat_capacity = 2000", "heat_capacity = @0", {"'heat_capacity' must be > 0, found 0"}},
      {"heat_capacity = 2000", "heat_capacity = @-5", {"'heat_capacity' must be > 0"}},
      {"liquid = 2400", "liquid = @-2400", {"'liquid' must be > 0, found -2400"}},
      {"conductivity = 0.2", "conductivity = @0", {"'conductivity' must be > 0, found 0"}},
      {"conductivity = 0.2", "conductivity = @-1", {"'conductivity' must be > 0"}},
      {"conductivity = 0.2", "conductivity = @\"T\"", {"'conductivity' must be a number"}},
      {"latent_heat = 2e5", "latent_heat = @-1", {"'latent_heat' must be >= 0, found -1"}},
      {"melting_jitter = 2", "melting_jitter = @-1", {"'melting_jitter' must be >= 0"}},
      {"melting_point = 330\nmelting_jitter = 2\nlatent_heat = 2e5",
       "latent_heat = @2e5",
       {"'latent_heat' needs a 'melting_point'"}},
      {"melting_point = 330\nmelting_jitter = 2\nlatent_heat = 2e5",
       "melting_jitter = @2",
       {"'melting_jitter' needs a 'melting_point'"}},
      {"melting_point = 330\nmelting_jitter = 2\nlatent_heat = 2e5",
       "melting_point = @0",
       {"'melting_point' must be > 0, found 0"}},
      {"melting_jitter = 2",
       "melting_jitter = @40",
       {"at most a tenth of the melting point (33 K), found 40"}},
  };
  for (const Case& c : cases) expect_one_finding(kWarmWax, c);
}

TEST(ThermalErrors, Stiffness) {
  const Case cases[] = {
      {"density = 900", "density = @0", {"'density' must be > 0, found 0"}},
      {"youngs_modulus = 1e6", "youngs_modulus = @0", {"'youngs_modulus' must be > 0"}},
      {"poisson_ratio = 0.45",
       "poisson_ratio = @0",
       {"'poisson_ratio' must be in (0, 0.5], found 0"}},
      {"poisson_ratio = 0.45", "poisson_ratio = @0.51", {"must be in (0, 0.5], found 0.51"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = @-1\nlambda = 1",
       {"'shear_modulus' must be >= 0, found -1"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = 1\nlambda = @0",
       {"'lambda' must be > 0, found 0"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = 1\nlambda = @-inf",
       {"'lambda' must be a finite number"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = @inf\nlambda = 1",
       {"'shear_modulus' must be a finite number"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "youngs_modulus = @1e6\nshear_modulus = 1\nlambda = 1",
       {"the material is given twice: remove 'youngs_modulus'"}},
      {"youngs_modulus = 1e6",
       "youngs_modulus = @\"1e6 * x\"",
       {"expression \"1e6 * x\" in 'youngs_modulus'", "it may use T, pi"}},
      {"youngs_modulus = 1e6",
       "youngs_modulus = @\"1e5 * (320 - T)\"",
       {"'youngs_modulus' must be > 0 up to the melting point; at 330 K it is -1000000"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = 1\nlambda = 1e6\n@yield_stress = 1",
       {"model \"corotated_deviatoric\" has no 'yield_stress'", "lambda"}},
  };
  for (const Case& c : cases) expect_one_finding(kWarmWax, c);
  expect_one_finding(edited(kWarmWax, "youngs_modulus = 1e6\npoisson_ratio = 0.45",
                            "shear_modulus = 0\nlambda = 1e6"),
                     {"melting_point = 330",
                      "melting_point = @330",
                      {"never solid cannot melt", "'shear_modulus' > 0"}});
  expect_one_finding(
      edited(kWarmWax, "youngs_modulus = 1e6", "youngs_modulus = \"1e5 * (T - 305)\""),
      {"temperature = 300", "temperature = @300", {"youngs_modulus of 'wax' is -500000 at 300 K"}});
}

TEST(ThermalErrors, MaterialsThatTheIntegratorDoesNotTake) {
  const std::string wax = "model = \"corotated_deviatoric\"\ndensity = 900\n";
  const Case cases[] = {
      {"model = \"incompressible\"\ndensity = 800",
       "model = @\"weakly_compressible\"\ndensity = 800\nbulk_modulus = 1e5",
       {"integrator \"thermal\" takes model \"corotated_deviatoric\"", "\"incompressible\""}},
      {"model = \"incompressible\"\ndensity = 800", "preset = @\"jello\"", {"takes model"}},
      {"model = \"incompressible\"\ndensity = 800",
       "preset = @\"snow_dry\"",
       {"takes model \"corotated_deviatoric\""}},
      {"model = \"incompressible\"", "model = @\"phase_change\"", {"\"corotated_deviatoric\""}},
      {"density = 800",
       "density = 800\n@melting_point = 300",
       {"model \"incompressible\" has no 'melting_point'", "heat_capacity, conductivity"}},
  };
  for (const Case& c : cases) expect_one_finding(kMelt, c);
  EXPECT_EQ(
      message_of(edited(kMelt, "model = \"incompressible\"\ndensity = 800", "preset = \"water\"")),
      "");
}

TEST(ThermalErrors, TemperaturesAndPhasesOfBodies) {
  const std::string body = "[[body]]\nname = \"candle\"\n",
                    start = "temperature = 300\nphase = \"solid\"";
  const Case cases[] = {
      {start, "temperature = @0", {"'temperature' must be > 0, found 0"}},
      {start, "temperature = @-20", {"'temperature' must be > 0"}},
      {start, "temperature = @\"300 + t\"", {"expression \"300 + t\"", "x, y, z, pi"}},
      {start, "temperature = @true", {"a number or an expression of x, y, z, found a boolean"}},
      {start,
       "temperature = @340\nphase = \"solid\"",
       {"starts solid at 340 K, but 'wax' has molten",
        "the lowest of its melting points, 330 +- 2"}},
      {start, "temperature = @328.5\nphase = \"solid\"", {"starts solid at 328.5 K"}},
      {start,
       "temperature = @300\nphase = \"liquid\"",
       {"starts liquid at 300 K, but 'wax' has frozen", "the highest of its melting points"}},
      {start, "temperature = 300\nphase = @\"gas\"", {"unknown phase 'gas'", "solid, liquid"}},
      {"temperature = 400", "temperature = 400\nphase = @\"liquid\"", {"always liquid; remove"}},
  };
  for (const Case& c : cases) expect_one_finding(kMelt, c);
  const std::string hard =
      edited(kMelt, "melting_point = 330\nmelting_jitter = 2\nlatent_heat = 2e5\n", "");
  expect_one_finding(hard,
                     {"phase = \"solid\"", "phase = @\"solid\"", {"always solid; remove 'phase'"}});
  expect_one_finding(kMelt,
                     {body + "material = \"wax\"\nshape = { type = \"sphere\", center = [0.5, "
                             "0.5], radius = 0.2 }\ntemperature = 300\nphase = \"solid\"",
                      "@" + body +
                          "material = \"wax\"\nshape = { type = \"sphere\", center = "
                          "[0.5, 0.5], radius = 0.2 }",
                      {"[[body]] needs the key 'temperature'"}});
  // Where jitter is 0 the message is shorter, and the melting point itself has both phases.
  const std::string sharp = edited(kMelt, "melting_jitter = 2\n", "");
  expect_one_finding(sharp, {"temperature = 300\n",
                             "temperature = @330.5\n",
                             {"molten there: that is above its melting point, 330 K"}});
  for (const char* phase : {"solid", "liquid"})
    EXPECT_EQ(message_of(edited(sharp, "temperature = 300\nphase = \"solid\"",
                                fmt::format("temperature = 330\nphase = \"{}\"", phase))),
              "");
}

TEST(ThermalErrors, Boundaries) {
  const Case cases[] = {
      {"temperature = 450", "temperature = @-1", {"'temperature' must be > 0"}},
      {"temperature = 450", "temperature = @\"450 + q\"", {"expression \"450 + q\"", "q"}},
      {"temperature = 450", "friction = @0.2", {"slide without friction"}},
      {"boundary = \"slip\"", "temperature = @0", {"'temperature' must be > 0"}},
      {"boundary = \"slip\"", "temperature = { y_min = @0 }", {"'y_min' must be > 0"}},
      {"boundary = \"slip\"", "temperature = { @y_mim = 3 }", {"unknown key 'y_mim'", "'y_min'"}},
      {"boundary = \"slip\"",
       "boundary = { x_max = \"open\" }, temperature = @290",
       {"x_max is open: there is no wall"}},
      {"boundary = \"slip\"", "friction = @0.1", {"slide without friction"}},
  };
  for (const Case& c : cases) expect_one_finding(kMelt, c);
}

TEST(ThermalErrors, SettingsAndHeatSources) {
  const Case cases[] = {
      {"ambient = 290", "ambient = @0", {"'ambient' must be > 0, found 0"}},
      {"ambient = 290",
       "ambient = 290\nheat_transfer_coefficient = @0",
       {"'heat_transfer_coefficient' must be > 0, found 0"}},
      {"ambient = 290", "heat_transfer_coefficient = @20", {"there is no 'ambient'"}},
      {"ambient = 290", "@ambeint = 290", {"unknown key 'ambeint' in [thermal]", "'ambient'"}},
      {"ambient = 290", "forces = @\"implicit\"", {"unknown forces 'implicit'", "semi_implicit"}},
      {"ambient = 290", "face_density = @\"cells\"", {"unknown face_density 'cells'", "material"}},
      {"ambient = 290", "heat = @1", {"'heat' must be a boolean"}},
      {"ambient = 290", "temperature_flip = @1.1", {"'temperature_flip' must be in [0, 1]"}},
      {"ambient = 290", "heat_solve = { tolerance = @0 }", {"'tolerance' must be in (0, 1)"}},
      {"ambient = 290", "force_solve = { max_iterations = @0 }", {"'max_iterations' must be"}},
      {"ambient = 290", "pressure_solve = @3", {"'thermal.pressure_solve' must be a table"}},
      {"ambient = 290", "pressure_solve = { @tolerence = 1 }", {"did you mean 'tolerance'?"}},
      {"power = 1e6", "power = @\"sin(w)\"", {"expression \"sin(w)\" in 'power'"}},
      {"[[heat_source]]\nshape = { type = \"sphere\", center = [0.2, 0.2], radius = 0.1 }\npower = "
       "1e6",
       "@[[heat_source]]\nshape = { type = \"sphere\", center = [0.2, 0.2], radius = 0.1 }",
       {"[[heat_source]] needs the key 'power'"}},
      {"type = \"flip\"", "kernel = @\"linear\"", {"needs the quadratic or cubic kernel"}},
      {"type = \"flip\"", "force = @\"mls\"", {"only force = \"gradient\""}},
      {"[[body]]", "[output]\ndiagnostics = @\"stages\"\n[[body]]", {"\"stages\""}},
      {"[thermal]", "@[fluid]\ntolerance = 1e-6\n[thermal]", {"[fluid] belongs to"}},
  };
  for (const Case& c : cases) expect_one_finding(kMelt, c);
}

TEST(ThermalErrors, HeatWithoutHeat) {
  const std::string_view reason = "needs heat, which thermal.heat = false leaves out";
  const Case cases[] = {
      {"heat = false", "heat = false\nambient = @290", {"'ambient'"}},
      {"lambda = 1e6", "lambda = 1e6\nmelting_point = @290", {"'melting_point'"}},
      {"lambda = 1e6", "lambda = 1e6\nheat_capacity = @290", {"'heat_capacity'"}},
      {"shear_modulus = 1e4\nlambda = 1e6",
       "youngs_modulus = @\"1e5 - T\"\npoisson_ratio = 0.4",
       {"'youngs_modulus' as an expression"}},
      {"radius = 0.2 }", "radius = 0.2 }\ntemperature = @290", {"'temperature'"}},
      {"radius = 0.2 }", "radius = 0.2 }\nphase = @\"solid\"", {"'phase'"}},
      {"dx = 0.1",
       "dx = 0.1\ndomain = { min = [0, 0], max = [1, 1], temperature = @290 }",
       {"'temperature'"}},
      {"[[body]]",
       "@[[heat_source]]\nshape = { type = \"sphere\", center = [0, 0], radius = 1 }\npower = 1\n"
       "[[body]]",
       {"[[heat_source]]"}},
      {"[[body]]",
       "[output]\nchannels = [@\"temperature\"]\n[[body]]",
       {"channels 'temperature': this scene has none"}},
  };
  for (Case c : cases) {
    if (c.words[0].find("channels") == std::string::npos) c.words.emplace_back(reason);
    expect_one_finding(kNoHeat, c);
  }
}

TEST(ThermalErrors, HeatUnderOtherIntegrators) {
  const Case cases[] = {
      {"[time]",
       "@[thermal]\nheat = true\n[time]",
       {"[thermal] belongs to integrator \"thermal\""}},
      {"[time]", "@[thermal]\nambient = 290\n[time]", {"[thermal] belongs to integrator"}},
      {"hardening = 10", "hardening = 10\nheat_capacity = @2000", {"'heat_capacity' belongs to"}},
      {"hardening = 10", "hardening = 10\nconductivity = @1", {"'conductivity' belongs to"}},
      {"hardening = 10", "hardening = 10\nmelting_point = @273", {"'melting_point' belongs to"}},
      {"hardening = 10", "hardening = 10\nmelting_jitter = @1", {"'melting_jitter' belongs to"}},
      {"hardening = 10", "hardening = 10\nlatent_heat = @1", {"'latent_heat' belongs to"}},
      {"hardening = 10", "hardening = 10\nshear_modulus = @1", {"'shear_modulus' belongs to"}},
      {"hardening = 10", "hardening = 10\nlambda = @inf", {"'lambda' belongs to"}},
      {"youngs_modulus = 1e5",
       "youngs_modulus = @\"1e5\"",
       {"'youngs_modulus' as an expression belongs to integrator \"thermal\""}},
      {"name = \"ball\"", "phase = @\"solid\"", {"'phase' belongs to integrator \"thermal\""}},
      {"end = 2", "temperature = @300", {"'temperature' belongs to integrator \"thermal\""}},
      {"[[collider]]", "[[collider]]\ntemperature = @300", {"'temperature' belongs to"}},
      {"boundary = \"slip\"", "temperature = @300", {"'temperature' belongs to"}},
      {"[[collider]]",
       "@[[heat_source]]\nshape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }\npower = "
       "1\n"
       "[[collider]]",
       {"[[heat_source]] belongs to integrator \"thermal\""}},
      {"image = true", "color = @\"glow\"", {"'glow'"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

}  // namespace
}  // namespace firn
