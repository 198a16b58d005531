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
      {"melting_jitter = 2",
       "melting_jitter = @40",
       {"at most a tenth of the melting point (33 K), found 40"}},
  };
  const std::string quiet = edited(kMelt, "temperature = 300\nphase = \"solid\"", "temperature = 200");
  for (const Case& c : cases) expect_one_finding(quiet, c);
  expect_one_finding(
      edited(kMelt, "temperature = 300\nphase = \"solid\"", "temperature = 300"),
      {"melting_point = 330", "melting_point = @0", {"'melting_point' must be > 0"}});
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
       {"'youngs_modulus' and 'lambda' both say how stiff"}},
      {"youngs_modulus = 1e6",
       "youngs_modulus = @\"1e6 * x\"",
       {"expression \"1e6 * x\" in 'youngs_modulus'", "it may use T, pi"}},
      {"youngs_modulus = 1e6",
       "youngs_modulus = @\"1e5 * (320 - T)\"",
       {"'youngs_modulus' must be > 0 up to the melting point; at 330 K it is -1e+06"}},
      {"youngs_modulus = 1e6\npoisson_ratio = 0.45",
       "shear_modulus = 0\nlambda = 1e6",
       {}},
  };
  for (std::size_t i = 0; i + 1 < std::size(cases); ++i) expect_one_finding(kMelt, cases[i]);
  std::string liquid = edited(kMelt, cases[std::size(cases) - 1].find, "shear_modulus = 0\nlambda = 1e6");
  expect_one_finding(liquid, {"melting_point = 330",
                              "melting_point = @330",
                              {"never solid cannot melt", "'shear_modulus' > 0"}});
  expect_one_finding(kMelt, {"youngs_modulus = 1e6\npoisson_ratio = 0.45\nheat_capacity",
                             "youngs_modulus = \"1e5 * (T - 305)\"\npoisson_ratio = 0.45\nheat_capacity",
                             {}});
}

}  // namespace
}  // namespace firn
