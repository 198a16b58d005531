// What a scene of the incompressible integrator must not say.
#include <gtest/gtest.h>

#include "tests/support/scene_cases.h"

namespace firn {
namespace {

const std::string kLiquidScene = R"TOML([simulation]
dimension = 2
integrator = "incompressible"
[transfer]
type = "apic"
[fluid]
tolerance = 1e-5
[grid]
dx = 0.1
domain = { min = [0, 0], max = [1, 1], boundary = "slip" }
[material.m]
preset = "water"
[[body]]
material = "m"
shape = { type = "sphere", center = [0, 0], radius = 1 }
)TOML";

TEST(FluidErrors, TheSceneItselfIsFine) { EXPECT_EQ(message_of(kLiquidScene), ""); }

TEST(FluidErrors, ElasticMaterialsAndForces) {
  const Case cases[] = {
      {"preset = \"water\"", "preset = @\"snow_dry\"", {"moves liquids only", "preset"}},
      {"type = \"apic\"", "force = @\"mls\"", {"'force' is the form of elastic forces", "remove"}},
      {"[grid]", "[output]\ndiagnostics = @\"stages\"\n[grid]", {"stages"}},
      {"[[body]]", "[[body]]\nstretch = @0.97", {"'m' is incompressible", "remove"}},
  };
  for (const Case& c : cases) expect_one_finding(kLiquidScene, c);
}

TEST(FluidErrors, WhatLiquidsDoNotHave) {
  const Case cases[] = {
      {"[[body]]",
       "[material.syrup]\npreset = \"honey\"\n[[collider]]\nshape = { type = \"sphere\", center = "
       "[0, "
       "0], radius = 0.2 }\nmass = @3\n[[body]]",
       {"'mass' is of a collider that material moves", "without viscosity"}},
      {"max = [1, 1]", "max = [1, 1], friction = @0.2", {"slide without friction", "remove"}},
      {"[[body]]",
       "[[collider]]\nshape = { type = \"sphere\", center = [0, 0], radius = 0.2 }\nfriction = "
       "@0.2\n[[body]]",
       {"slide without friction", "remove"}},
  };
  for (const Case& c : cases) expect_one_finding(kLiquidScene, c);
}

TEST(FluidErrors, NumbersOutOfRange) {
  const Case cases[] = {
      {"max = [1, 1]", "max = @[0.05, 1]", {"0.05 m long along x", "one cell (grid.dx = 0.1)"}},
      {"tolerance = 1e-5", "tolerance = @0", {"'tolerance' must be in (0, 1)"}},
      {"tolerance = 1e-5", "absolute_tolerance = @-1", {"'absolute_tolerance' must be"}},
      {"tolerance = 1e-5", "max_iterations = @0", {"'max_iterations' must be"}},
      {"tolerance = 1e-5", "free_surface = @\"third_order\"", {"unknown free_surface"}},
  };
  for (const Case& c : cases) expect_one_finding(kLiquidScene, c);
}

TEST(FluidErrors, Tracers) {
  EXPECT_EQ(message_of(edited(kLiquidScene, "[grid]", "[tracers]\nper_cell = 0.5\n[grid]")), "");
  const Case cases[] = {
      {"[grid]", "@[tracers]\n[grid]", {"needs the key 'per_cell'"}},
      {"[grid]", "[tracers]\nper_cell = @0\n[grid]", {"'per_cell' must be > 0"}},
      {"[grid]",
       "[tracers]\nper_cell = 27\nbodies = [@\"bodi0\"]\n[grid]",
       {"unknown bodies 'bodi0'; did you mean 'body0'?"}},
      {"[grid]",
       "[tracers]\nper_cell = 27\nbodies = [\"body0\", @\"body0\"]\n[grid]",
       {"lists \"body0\" twice"}},
      {"[grid]",
       "[tracers]\nper_cell = 27\nbodies = @[]\n[grid]",
       {"'bodies' names none", "leave it out"}},
      {"[grid]", "[tracers]\nper_cell = 27\n@body = 1\n[grid]", {"unknown key 'body'"}},
  };
  for (const Case& c : cases) expect_one_finding(kLiquidScene, c);
  const std::string source = "[[source]]\nvelocity = [1, 0]";
  expect_one_finding(
      edited(kLiquidScene, "[[body]]", source),
      {"[grid]", "@[tracers]\nper_cell = 27\n[grid]", {"there is no [[body]]", "sources"}});
}

}  // namespace
}  // namespace firn
