// What is wrong with a scene is said with its place: materials, bodies, shapes. The cases edit the
// valid scenes of tests/support/scene_cases.h.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/scene_cases.h"

namespace firn {
namespace {

TEST(SceneObjectErrors, Materials) {
  const Case cases[] = {
      {"density = 400", "density = @0", {"'density' must be > 0"}},
      {"[material.snow]\nmodel = \"snow\"\ndensity = 400",
       "@[material.snow]\nmodel = \"snow\"",
       {"needs the key 'density'"}},
      {"[material.snow]\nmodel = \"snow\"", "@[material.snow]", {"needs a 'model' or a 'preset'"}},
      {"[material.snow]\nmodel = \"snow\"\ndensity = 400\nyoungs_modulus = 1e5\n",
       "@[material.snow]\nmodel = \"snow\"\ndensity = 400\n",
       {"needs the key 'youngs_modulus' (model \"snow\")"}},
      {"youngs_modulus = 1e5", "youngs_modulus = @-1", {"'youngs_modulus' must be > 0"}},
      {"poisson_ratio = 0.2",
       "poisson_ratio = @0.5",
       {"'poisson_ratio' must be in [0, 0.5), found 0.5"}},
      {"poisson_ratio = 0.2", "poisson_ratio = @-0.1", {"'poisson_ratio' must be in [0, 0.5)"}},
      {"critical_compression = 0.025", "critical_compression = @1", {"must be in [0, 1)"}},
      {"critical_stretch = 0.0075", "critical_stretch = @-1", {"'critical_stretch' must be >= 0"}},
      {"hardening = 10", "hardening = @-1", {"'hardening' must be >= 0"}},
      {"hardening = 10", "hardening = 10\nviscosity = @-1", {"'viscosity' must be >= 0"}},
      {"hardening = 10",
       "hardening = 10\n@yield_stress = 5",
       {"model \"snow\" has no 'yield_stress'"}},
      {"hardening = 10",
       "hardening = 10\n@volume_correction = true",
       {"model \"snow\" has no 'volume_correction'"}},
      {"hardening = 10", "hardening = 10\ncolor = [0, @1.5, 0]", {"'color.1' must be in [0, 1]"}},
      {"hardening = 10",
       "hardening = 10\ncolor = @[0, 0]",
       {"'color' must have 3 entries", "found 2"}},
      {"hardening = 10",
       "hardening = 10\npreset = @\"snow_dri\"",
       {"unknown preset 'snow_dri'; did you mean 'snow_dry'?"}},
      {"model = \"snow\"", "model = @\"snwo\"", {"unknown model 'snwo'; did you mean 'snow'?"}},
      {"model = \"snow\"", "model = @\"newtonian\"", {"not available in this version"}},
      {"model = \"snow\"",
       "model = @\"phase_change\"",
       {"not available in this version", "\"corotated_deviatoric\" with a melting_point"}},
      {"model = \"snow\"",
       "model = @\"newtonian\"",
       {"not available in this version", "'viscosity'"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_angle = @90",
       {"'friction_angle' must be in [0, 90)"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = @[1, 2]",
       {"must have 4 entries (h0, h1, h2, h3), found 2"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = @[5, 9, 0.2, 35]",
       {"begins at the angle h0 - h3", "5 - 35"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = @[35, 80, 0, 0]",
       {"the largest angle of 'friction_hardening' must be below 90"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = @[40, 60, 0.4, 0]",
       {"the largest angle", "found 95.18"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = [35, 9, 0.2, 10]\n"
       "friction_angle = @30",
       {"'friction_angle' has no say beside 'friction_hardening'"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\ndilatancy_angle = @34",
       {"'dilatancy_angle' must be at most the friction angle, which is 33 degrees"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\nfriction_hardening = [35, 9, 0.2, 10]\n"
       "dilatancy_angle = @26",
       {"which begins at 25 degrees"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\ndilatancy_limit = @0.1",
       {"is of 'dilatancy_angle', which is 0"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"sand\"\ncohesion = @-1",
       {"'cohesion' must be >= 0"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"clay\"\nyield_stress = @0",
       {"'yield_stress' must be > 0"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"water\"\nbulk_modulus = @0",
       {"'bulk_modulus' must be > 0"}},
      {"hardening = 10",
       "hardening = 10\n[material.s]\npreset = \"water\"\ngamma = @0",
       {"'gamma' must be > 0"}},
      {"hardening = 10", "hardening = 10\n[material]\ns = @3", {"'[material.s]' must be a table"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneObjectErrors, BodiesAndSources) {
  const Case cases[] = {
      {"material = \"snow\"",
       "material = @\"snwo\"",
       {"unknown material 'snwo'; did you mean 'snow'?", "has: snow"}},
      {"[[body]]\nname = \"ball\"\nmaterial = \"snow\"",
       "@[[body]]\nname = \"ball\"",
       {"[[body]] needs the key 'material'"}},
      {"[[body]]\nmaterial = \"snow\"\nshape = { type = \"box\", min = [0, 0, 0], max = [1, 1, 1] "
       "}",
       "@[[body]]\nmaterial = \"snow\"",
       {"[[body]] needs the key 'shape'"}},
      {"[[body]]\nmaterial",
       "[[body]]\nname = @\"ball\"\nmaterial",
       {"already a body named 'ball'"}},
      {"name = \"ball\"", "name = @\"\"", {"'name' must not be empty"}},
      {"name = \"ball\"", "particles_per_cell = @0", {"'particles_per_cell' must be > 0"}},
      {"name = \"ball\"",
       "sampling = @\"halton\"",
       {"unknown sampling 'halton'", "uniform, random, poisson"}},
      {"name = \"ball\"", "velocity = @[1, 2]", {"'velocity' must have 3 entries"}},
      {"name = \"ball\"",
       "velocity = [1, @\"2*q\", 0]",
       {"expression \"2*q\" in 'velocity.1'", "q"}},
      {"name = \"ball\"", "velocity = [1, @\"(x\", 0]", {"expression \"(x\""}},
      {"name = \"ball\"", "velocity = [1, @\"\", 0]", {"it is empty"}},
      {"name = \"ball\"", "velocity = [1, @\"x = 3\", 0]", {"it assigns with '='"}},
      {"name = \"ball\"", "velocity = [1, @\"x, y\", 0]", {"several values"}},
      {"name = \"ball\"",
       "velocity = [1, @true, 0]",
       {"a number or an expression of x, y, z, t, found a boolean"}},
      {"name = \"ball\"", "velocity = [1, @inf, 0]", {"finite"}},
      {"name = \"ball\"", "angular_velocity = @1", {"'angular_velocity' must be an array"}},
      {"name = \"ball\"", "stretch = @0", {"'stretch' must be > 0"}},
      {"name = \"ball\"", "density_scale = @0", {"'density_scale' must be > 0"}},
      {"name = \"ball\"",
       "stiffness_scale = @2",
       {"varying stiffness is not available in this version"}},
      {"name = \"ball\"",
       "stiffness_scale = @\"x\"",
       {"varying stiffness is not available in this version"}},
      {"name = \"ball\"", "color = [0, 0, @-1]", {"'color.2' must be in [0, 1]"}},
      {"name = \"ball\"",
       "temperature = @270",
       {"'temperature' belongs to integrator \"thermal\"", "set simulation.integrator"}},
      {"end = 2", "end = @0", {"'end' (0) must come after 'start' (0)"}},
      {"end = 2", "start = @-1", {"'start' must be >= 0"}},
      {"end = 2", "velocity = @[1]", {"'velocity' must have 3 entries"}},
      {"end = 2",
       "motion = { type = \"keyframes\", times = [0, 1], translation = @[[0, 0, 0]] }",
       {"'translation' must have as many entries as 'times' (2), found 1"}},
      {"end = 2",
       "motion = { type = \"keyframes\", times = [0, 1], rotation = @[[0, 0, 0], [1, 270, 0]] }",
       {"from entry 0 to the next several angles change", "more than 180 degrees"}},
      {"[[source]]\nmaterial = \"snow\"", "@[[source]]", {"[[source]] needs the key 'material'"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  const Case flat[] = {
      {"material = \"m\"",
       "material = \"m\"\nangular_velocity = @[0, 0, 1]",
       {"must be a number, found an array"}},
      {"[[body]]\nmaterial = \"m\"\nshape = { type = \"sphere\", center = [0, 0], radius = 1 }",
       "",
       {"no [[body]]"}},
  };
  for (const Case& c : flat) expect_one_finding(kScene2D, c);
}

TEST(SceneObjectErrors, CollidersThatMaterialMoves) {
  const std::string free = edited(
      kScene3D,
      "motion = { type = \"keyframes\", times = [0, 1], translation = [[0, 0, 0], [0, 1, 0]] }",
      "");
  const Case cases[] = {
      {"[[collider]]", "[[collider]]\ndensity = @0", {"'density' must be > 0"}},
      {"[[collider]]", "[[collider]]\nmass = @-1", {"'mass' must be > 0"}},
      {"[[collider]]", "[[collider]]\ndensity = 4\nmass = @3", {"either 'density' or 'mass'"}},
      {"[[collider]]",
       "[[collider]]\ndensity = 4\ninertia = @[1, 2, 3]",
       {"'inertia' goes with 'mass'"}},
      {"[[collider]]",
       "[[collider]]\nmass = 4\ninertia = @[1, 2]",
       {"'inertia' must have 3 or 6 entries, found 2"}},
      {"[[collider]]", "[[collider]]\nmass = 4\ninertia = [1, 2, @0]", {"'inertia.2' must be > 0"}},
      {"[[collider]]", "[[collider]]\nmass = 4\nrestitution = @1.5", {"'restitution' must be"}},
      {"[[collider]]", "[[collider]]\ncollides = @false", {"give it a 'density' or a 'mass'"}},
      {"[[collider]]",
       "[[collider]]\nmass = 4\nvelocity = @[1, 2]",
       {"'velocity' must have 3 entries"}},
  };
  for (const Case& c : cases) expect_one_finding(free, c);
  const std::string flat =
      kScene2D + "[[collider]]\nshape = { type = \"sphere\", center = [0, 0], radius = 1 }\n";
  expect_one_finding(flat, {"[[collider]]",
                            "[[collider]]\nmass = 4\ninertia = @[1, 2, 3]",
                            {"'inertia' must have 1 entry, found 3"}});
  for (const std::string integrator : {"optimization", "semi_implicit"})
    for (const std::string key : {"density = @4", "mass = @4", "velocity = @[1, 0]"})
      expect_one_finding(
          edited(flat, "dimension = 2", "dimension = 2\nintegrator = \"" + integrator + "\""),
          {"[[collider]]",
           "[[collider]]\n" + key,
           {"only integrators \"explicit\" and, without viscosity, \"incompressible\" do"}});
}

TEST(SceneObjectErrors, VectorsOfAnUnknownDimension) {
  const std::string text = edited(kScene3D, "dimension = 3", "dimension = 4\ngravity = [1]");
  EXPECT_NE(message_of(text).find("'gravity' must have 2 or 3 entries, found 1"), std::string::npos)
      << message_of(text);
}

// A name that is not given is taken as one that is, and so are those of copies.
TEST(SceneObjectErrors, NamesAreThereOnce) {
  const std::string ball = "shape = { type = \"sphere\", center = [0.5, 0.5, 0.5], radius = 0.1 }";
  const Case cases[] = {
      {"name = \"ball\"\nmaterial = \"snow\"\n" + ball + "\n[[body]]",
       "name = \"body1\"\nmaterial = \"snow\"\n" + ball + "\n@[[body]]",
       {"there is already a body named 'body1'"}},
      {"[[collider]]",
       "[[collider]]\nname = \"collider1\"\n" + ball + "\n@[[collider]]",
       {"there is already a collider named 'collider1'"}},
      {"[[source]]",
       "[[sensor]]\nname = \"sensor1\"\ntype = \"point\"\nposition = [0.5, 0.5, 0.5]\n"
       "@[[sensor]]\ntype = \"point\"\nposition = [0.5, 0.5, 0.5]\n[[source]]",
       {"there is already a sensor named 'sensor1'"}},
      {"name = \"ball\"",
       "name = \"snow.1\"\nmaterial = \"snow\"\n" + ball +
           "\n[[body]]\nname = @\"snow\"\n"
           "instances = { type = \"array\", count = [2, 1, 1], step = [0.3, 0, 0] }",
       {"there is already a body named 'snow.1'"}},
      {"name = \"ball\"",
       "name = \"snow\"\nmaterial = \"snow\"\n" + ball +
           "\ninstances = { type = \"array\", count = [2, 1, 1], step = [0.3, 0, 0] }\n"
           "[[body]]\nname = @\"snow.1\"",
       {"there is already a body named 'snow.1'"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneObjectErrors, Colliders) {
  const Case cases[] = {
      {"[[collider]]", "[[collider]]\nboundary = @\"bouncy\"", {"unknown boundary 'bouncy'"}},
      {"[[collider]]", "[[collider]]\nfriction = @-1", {"'friction' must be >= 0"}},
      {"[[collider]]", "[[collider]]\ntemperature = @1", {"thermal"}},
      {"type = \"keyframes\"", "type = @\"spline\"", {"unknown motion type 'spline'"}},
      {"motion = { type = \"keyframes\", times",
       "motion = @{ times",
       {"motion needs the key 'type'"}},
      {"times = [0, 1]", "times = [0, @0]", {"'times' must increase strictly, but 0 follows 0"}},
      {"times = [0, 1]", "times = [0, @nan]", {"finite"}},
      {"times = [0, 1], translation = ",
       "times = [0, 1, 2], translation = @",
       {"as many entries as 'times' (3), found 2"}},
      {"times = [0, 1],",
       "times = [0, 1], rotation = @[[0, 0, 0]],",
       {"as many entries as 'times' (2), found 1"}},
      {"[0, 1, 0]] }", "@[0, 1]] }", {"'translation.1' must have 3 entries"}},
      {"times = [0, 1],", "times = [0, 1], @speed = 3,", {"unknown key 'speed' in motion"}},
      {"times = [0, 1], translation = [[0, 0, 0], [0, 1, 0]]",
       "times = @[]",
       {"'times' must not be empty"}},
      {"times = [0, 1], translation = [[0, 0, 0], [0, 1, 0]]",
       "times = @[0, 1]",
       {"motion needs 'translation' or 'rotation'"}},
      {"motion = {", "density = 400\nmotion = @{", {"moved by material", "remove 'motion'"}},
      {"[[collider]]",
       "[[collider]]\nvelocity = @[1, 0, 0]",
       {"'velocity' is of a collider that material moves", "'density' or a 'mass'"}},
      {"[[collider]]",
       "[[collider]]\nangular_velocity = @[1, 0, 0]",
       {"'angular_velocity'", "'density' or a 'mass'"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneObjectErrors, Shapes) {
  const std::string ball = "{ type = \"sphere\", center = [0.5, 0.5, 0.5], radius = 0.1 }";
  const std::string box = "{ type = \"box\", min = [0, 0, 0], max = [1, 1, 1] }";
  const std::string plane = "{ type = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0] }";
  const auto sequence = [](const std::string& rest) {
    return "{ type = \"mesh_sequence\", file = @\"" + rest + " }";
  };
  const std::string inner = "{ type = \"sphere\", center = [0, 0, 0], radius = 1 }";
  const Case cases[] = {
      {ball, "@3", {"'shape' must be a table"}},
      {ball, "@{ radius = 1 }", {"shape needs the key 'type'"}},
      {ball, "{ type = @\"shpere\" }", {"unknown shape type 'shpere'; did you mean 'sphere'?"}},
      {ball, "@{ type = \"vdb\" }", {"shape vdb needs the key 'file'"}},
      {ball, "@{ type = \"text\", size = 1, depth = 1 }", {"shape text needs the key 'text'"}},
      {ball, "@{ type = \"text\", text = \"a\", depth = 1 }", {"shape text needs the key 'size'"}},
      {ball, "@{ type = \"text\", text = \"a\", size = 1 }", {"shape text needs the key 'depth'"}},
      {ball, "{ type = \"text\", text = \"a\", size = @0, depth = 1 }", {"'size' must be > 0"}},
      {plane, sequence("a.obj\", first = 0, last = 2"), {"must have one %d or %04d"}},
      {plane, sequence("%d%d.obj\", first = 0, last = 2"), {"must have one %d or %04d"}},
      {plane, sequence("%d.vdb\", first = 0, last = 2"), {"must end in .obj, .ply or .stl"}},
      {plane,
       "{ type = \"mesh_sequence\", file = \"%d.obj\", first = 3, last = @3 }",
       {"'last' must be more than 'first' (3)"}},
      {plane,
       "{ type = \"mesh_sequence\", file = \"%d.obj\", first = @-1, last = 3 }",
       {"'first' must be from 0 to 1000000"}},
      {"radius = 0.1 }", "radius = @0 }", {"'radius' must be > 0"}},
      {"center = [0.5, 0.5, 0.5]", "center = @[0.5, 0.5]", {"'center' must have 3 entries"}},
      {ball, "@{ type = \"sphere\", radius = 1 }", {"shape sphere needs the key 'center'"}},
      {box,
       "{ type = \"box\", min = [0, 0, 0], max = @[1, 0, 1] }",
       {"must exceed 'min'", "along y"}},
      {box,
       "{ type = \"box\", min = [0, 0, 0], max = [1, 1, 1], rounding = @-1 }",
       {"'rounding' must be >= 0"}},
      {box,
       "{ type = \"box\", min = [0, 0, 0], max = [3, 3, 1], rounding = @0.6 }",
       {"half of every edge", "along z"}},
      {"normal = [0, 1, 0]", "normal = @[0, 0, 0]", {"'normal' must be a direction"}},
      {"to = [0, 1, 0]", "to = @[0, 0, 0]", {"'from' and 'to' must differ"}},
      {ball,
       "{ type = \"torus\", center = [0, 0, 0], radius = 1, tube_radius = @0 }",
       {"'tube_radius' must be > 0"}},
      {ball,
       "{ type = \"ellipsoid\", center = [0, 0, 0], radii = @[1, 0, 1] }",
       {"every entry of 'radii' must be > 0"}},
      {ball, "@{ type = \"union\" }", {"shape union needs the key 'children'"}},
      {ball, "{ type = \"union\", children = @[" + inner + "] }", {"two or more shapes, found 1"}},
      {ball,
       "{ type = \"union\", children = [" + inner + ", { type = @\"blob\" }] }",
       {"unknown shape type 'blob'"}},
      {ball,
       "{ type = \"transform\", child = " + inner + ", scale = @0 }",
       {"'scale' must be > 0"}},
      {ball,
       "{ type = \"transform\", child = " + inner + ", rotation = @90 }",
       {"'rotation' must be an array"}},
      {ball, "@{ type = \"transform\" }", {"shape transform needs the key 'child'"}},
      {ball, "@{ type = \"mesh\" }", {"shape mesh needs the key 'file'"}},
      {ball,
       "{ type = \"mesh\", file = @\"a.fbx\" }",
       {"\"/nowhere/a.fbx\" must end in .obj, .ply or .stl"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  const std::string disc = "{ type = \"sphere\", center = [0, 0], radius = 1 }";
  for (const char* type : {"cylinder", "cone", "torus", "mesh"}) {
    expect_one_finding(
        kScene2D,
        {disc, fmt::format("{{ type = @\"{}\" }}", type), {"needs dimension = 3; in 2D"}});
  }
}

}  // namespace
}  // namespace firn
