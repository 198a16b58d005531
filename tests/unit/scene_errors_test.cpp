// What is wrong with a scene is said with its place. Each case edits a valid scene: `find` is
// replaced by `instead`, in which '@' marks where the finding must point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene_file.h"

namespace firn {
namespace {

const std::string kScene3D = R"TOML(title = "t"
[simulation]
dimension = 3
[transfer]
type = "apic"
[time]
cfl = 0.5
[grid]
dx = 0.1
domain = { min = [0, 0, 0], max = [1, 1, 1], boundary = "slip" }
[material.snow]
model = "snow"
density = 400
youngs_modulus = 1e5
poisson_ratio = 0.2
critical_compression = 0.025
critical_stretch = 0.0075
hardening = 10
[[body]]
name = "ball"
material = "snow"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.1 }
[[body]]
material = "snow"
shape = { type = "box", min = [0, 0, 0], max = [1, 1, 1] }
[[collider]]
shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
motion = { type = "keyframes", times = [0, 1], translation = [[0, 0, 0], [0, 1, 0]] }
[[source]]
material = "snow"
shape = { type = "capsule", from = [0, 0, 0], to = [0, 1, 0], radius = 0.1 }
end = 2
[output]
image = true
)TOML";

const std::string kScene2D = R"TOML([simulation]
dimension = 2
[transfer]
kernel = "quadratic"
[grid]
dx = 0.1
[material.m]
preset = "water"
[[body]]
material = "m"
shape = { type = "sphere", center = [0, 0], radius = 1 }
)TOML";

struct Case {
  std::string find, instead;
  std::vector<std::string> words;  // the first is looked for right after the position
};

std::string edited(const std::string& scene, const std::string& find, const std::string& instead) {
  std::string text = scene;
  const std::size_t at = text.find(find);
  if (at == std::string::npos) throw std::logic_error("no '" + find + "' in the scene");
  return text.replace(at, find.size(), instead);
}

// Removes the '@' and returns "line:col" of where it was, "1:1" if there is none.
std::string take_marker(std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return "1:1";
  text.erase(at, 1);
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 = 0
  return fmt::format("{}:{}", line, at - start + 1);
}

std::string message_of(const std::string& text, const SceneOptions& options = {}) {
  try {
    parse_scene(text, "s.toml", "/nowhere", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kScene);
    return error.what();
  }
  return {};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// Exactly one finding, at the marker, with all the words.
void expect_one_finding(const std::string& scene, const Case& c) {
  SCOPED_TRACE(c.instead);
  std::string text = edited(scene, c.find, c.instead);
  const std::string position = take_marker(text);
  const std::string message = message_of(text);
  EXPECT_EQ(lines_of(message).size(), 1U) << message;
  EXPECT_EQ(message.find("s.toml:" + position + ": "), 0U) << position << " expected: " << message;
  for (const std::string& word : c.words)
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
}

TEST(SceneErrors, TheScenesTheyEditAreValid) {
  EXPECT_EQ(message_of(kScene3D), "");
  EXPECT_EQ(message_of(kScene2D), "");
}

TEST(SceneErrors, Syntax) {
  const Case cases[] = {
      {"cfl = 0.5", "cfl = @!", {"parse"}},
      {"cfl = 0.5", "cfl = 0.5\n@cfl = 0.5", {"cfl"}},
      {"title = \"t\"", "title = \"\xff\"", {"UTF-8"}},
      {"title = \"t\"", "title = \"t", {"string"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.instead);
    std::string text = edited(kScene3D, c.find, c.instead);
    const std::string line = take_marker(text);
    const std::string message = message_of(text);
    EXPECT_EQ(message.find("s.toml:" + line.substr(0, line.find(':')) + ":"), 0U) << message;
  }
}

TEST(SceneErrors, TypesAndUnknownKeys) {
  const Case cases[] = {
      {"title = \"t\"", "title = @3", {"'title' must be a string, found an integer"}},
      {"title = \"t\"",
       "@titel = \"t\"",
       {"unknown key 'titel' in the scene; did you mean 'title'?"}},
      {"[transfer]",
       "[@tranfer]",
       {"unknown key 'tranfer' in the scene; did you mean 'transfer'?"}},
      {"cfl = 0.5", "cfl = @\"fast\"", {"'cfl' must be a number, found a string"}},
      {"cfl = 0.5", "cfl = @1979-05-27", {"found a date or time"}},
      {"cfl = 0.5", "cfl = @true", {"found a boolean"}},
      {"cfl = 0.5", "cfl = @{ a = 1 }", {"found a table"}},
      {"cfl = 0.5", "cfl = @[1]", {"found an array"}},
      {"cfl = 0.5", "@clf = 0.5", {"unknown key 'clf' in [time]", "did you mean 'cfl'?"}},
      {"cfl = 0.5", "@\"a\\nb\" = 0.5", {"unknown key 'a\\x0ab' in [time]"}},
      {"dimension = 3",
       "dimension = 3\nframes = @1.5",
       {"'frames' must be an integer, found a number"}},
      {"dimension = 3",
       "dimension = 3\nreproducible = @1",
       {"must be a boolean, found an integer"}},
      {"name = \"ball\"", "@nmae = \"ball\"", {"unknown key 'nmae' in [[body]]", "'name'"}},
      {"radius = 0.1 }", "radius = 0.1, @colour = 1 }", {"unknown key 'colour' in shape sphere"}},
      {"image = true", "@imge = true", {"did you mean 'image'?"}},
      {"title = \"t\"",
       "@fluids = 1",
       {"unknown key 'fluids' in the scene; did you mean 'fluid'?"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  expect_one_finding(kScene2D, {"[transfer]\nkernel = \"quadratic\"", "[@x]", {"unknown key 'x'"}});
}

TEST(SceneErrors, Simulation) {
  const Case cases[] = {
      {"dimension = 3", "dimension = @4", {"'dimension' must be from 2 to 3, found 4"}},
      {"dimension = 3", "frames = @-1", {"'frames' must be from 0"}},
      {"dimension = 3", "fps = @0", {"'fps' must be > 0, found 0"}},
      {"dimension = 3", "fps = @inf", {"finite number, found inf"}},
      {"dimension = 3", "fps = @nan", {"finite number, found nan"}},
      {"dimension = 3", "seed = @-1", {"'seed' must be from 0"}},
      {"dimension = 3", "gravity = @[0, -9.81]", {"'gravity' must have 3 entries", "found 2"}},
      {"dimension = 3",
       "gravity = [0, @\"g\", 0]",
       {"'gravity.1' must be a number, found a string"}},
      {"dimension = 3", "gravity = @-9.81", {"'gravity' must be an array, found a number"}},
      {"dimension = 3",
       "integrator = @\"thermal\"",
       {"\"thermal\" is not available", "use \"explicit\""}},
      {"dimension = 3", "integrator = @\"semi_implicit\"", {"not available in this version"}},
      {"dimension = 3", "integrator = @\"optimization\"", {"not available in this version"}},
      {"dimension = 3", "integrator = @\"incompressible\"", {"not available in this version"}},
      {"dimension = 3",
       "integrator = @\"explicti\"",
       {"unknown integrator 'explicti'; did you mean 'explicit'?"}},
      {"dimension = 3",
       "precision = @\"half\"",
       {"unknown precision 'half'", "known: single, double"}},
      {"dimension = 3", "precision = @1", {"'precision' must be a string"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneErrors, Transfer) {
  const Case cases[] = {
      {"type = \"apic\"", "type = @\"apicc\"", {"unknown type 'apicc'; did you mean 'apic'?"}},
      {"type = \"apic\"", "blend = @1.5", {"'blend' must be in [0, 1], found 1.5"}},
      {"type = \"apic\"", "modes = @5", {"one of 1, 4, 8, 11, 14, 17, 18, 20, 23, 26, 27 in 3D"}},
      {"type = \"apic\"", "modes = @28", {"'modes' must be from 0 to 27"}},
      {"type = \"apic\"",
       "type = \"polypic\"\nkernel = \"linear\"\nmodes = @11",
       {"at most 8 modes in 3D"}},
      {"type = \"apic\"",
       "kernel = @\"quartic\"",
       {"unknown kernel 'quartic'", "linear, quadratic, cubic"}},
      {"type = \"apic\"",
       "kernel = \"linear\"\nforce = @\"mls\"",
       {"\"mls\" needs the quadratic or cubic kernel"}},
      {"type = \"apic\"", "force = @\"mpm\"", {"unknown force 'mpm'"}},
      {"type = \"apic\"", "advection = @\"linear\"", {"unknown advection 'linear'"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  expect_one_finding(kScene2D,
                     {"kernel = \"quadratic\"", "modes = @11", {"one of 1, 3, 4, 6, 8, 9 in 2D"}});
  expect_one_finding(kScene2D, {"kernel = \"quadratic\"",
                                "kernel = \"linear\"\ntype = \"polypic\"\nmodes = @6",
                                {"at most 4 modes in 2D"}});
}

TEST(SceneErrors, EveryModeCountOfThePhysicsIsAccepted) {
  const auto with = [](const std::string& scene, const std::string& find, int modes) {
    return message_of(edited(scene, find, fmt::format("{}\nmodes = {}", find, modes)));
  };
  for (const int modes : {1, 3, 4, 6, 8, 9})
    EXPECT_EQ(with(kScene2D, "kernel = \"quadratic\"", modes), "");
  for (const int modes : {1, 4, 8, 11, 14, 17, 18, 20, 23, 26, 27}) {
    EXPECT_EQ(with(kScene3D, "type = \"apic\"", modes), "");
  }
}

TEST(SceneErrors, Time) {
  const Case cases[] = {
      {"cfl = 0.5", "cfl = @0", {"'cfl' must be in (0, 1], found 0"}},
      {"cfl = 0.5", "cfl = @1.1", {"'cfl' must be in (0, 1], found 1.1"}},
      {"cfl = 0.5", "cfl_material = @-1", {"'cfl_material' must be in (0, 1]"}},
      {"cfl = 0.5", "dt_max = @0", {"'dt_max' must be > 0"}},
      {"cfl = 0.5", "dt_min = @-1e-9", {"'dt_min' must be > 0"}},
      {"cfl = 0.5", "dt_min = @1", {"dt_min (1) must not exceed dt_max (0.001)"}},
      {"cfl = 0.5", "dt_max = @1e-12", {"must not exceed dt_max"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneErrors, GridAndDomain) {
  const std::string domain = "domain = { min = [0, 0, 0], max = [1, 1, 1], boundary = \"slip\" }";
  const Case cases[] = {
      {"dx = 0.1", "dx = @0", {"'dx' must be > 0, found 0"}},
      {"[grid]\ndx = 0.1\n" + domain, "@[grid]", {"[grid] needs the key 'dx'"}},
      {"[grid]\ndx = 0.1\n" + domain, "", {"needs [grid]"}},
      {"max = [1, 1, 1], b", "max = @[1, -1, 1], b", {"must exceed domain.min", "along y"}},
      {"max = [1, 1, 1], b",
       "max = @[1, 1, 0.05], b",
       {"0.05 m long along z", "one cell (grid.dx = 0.1)"}},
      {"min = [0, 0, 0], max = [1, 1, 1], b",
       "min = @[0, 0], max = [1, 1, 1], b",
       {"'min' must have 3 entries"}},
      {"domain = { min = [0, 0, 0], ", "domain = @{ ", {"grid.domain needs the key 'min'"}},
      {domain, "domain = @3", {"'grid.domain' must be a table"}},
      {"boundary = \"slip\"",
       "boundary = @\"periodic\"",
       {"\"periodic\"", "incompressible", "\"explicit\""}},
      {"boundary = \"slip\"", "boundary = @\"open\"", {"\"open\"", "incompressible"}},
      {"boundary = \"slip\"", "boundary = @\"slippery\"", {"unknown boundary 'slippery'"}},
      {"boundary = \"slip\"", "boundary = { x_min = @\"open\" }", {"x_min \"open\""}},
      {"boundary = \"slip\"",
       "boundary = { @x_mim = \"slip\" }",
       {"unknown key 'x_mim'", "'x_min'"}},
      {"boundary = \"slip\"", "friction = @-0.1", {"'friction' must be >= 0"}},
      {"boundary = \"slip\"", "friction = { y_min = @-1 }", {"'y_min' must be >= 0"}},
      {"boundary = \"slip\"", "@walls = \"slip\"", {"unknown key 'walls' in grid.domain"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  expect_one_finding(
      kScene2D,
      {"dx = 0.1",
       "dx = 0.1\ndomain = { min = [0, 0], max = [1, 1], boundary = { @z_min = \"slip\" } }",
       {"unknown key 'z_min'"}});
}

TEST(SceneErrors, Materials) {
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
      {"model = \"snow\"", "model = @\"viscoelastic\"", {"not available in this version"}},
      {"model = \"snow\"",
       "model = @\"phase_change\"",
       {"not available in this version", "thermal"}},
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

TEST(SceneErrors, BodiesAndSources) {
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
       {"'temperature' belongs to integrator \"thermal\"", "not available"}},
      {"end = 2", "end = @0", {"'end' (0) must come after 'start' (0)"}},
      {"end = 2", "start = @-1", {"'start' must be >= 0"}},
      {"end = 2", "velocity = @[1]", {"'velocity' must have 3 entries"}},
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

TEST(SceneErrors, Colliders) {
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
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneErrors, Shapes) {
  const std::string ball = "{ type = \"sphere\", center = [0.5, 0.5, 0.5], radius = 0.1 }";
  const std::string box = "{ type = \"box\", min = [0, 0, 0], max = [1, 1, 1] }";
  const std::string inner = "{ type = \"sphere\", center = [0, 0, 0], radius = 1 }";
  const Case cases[] = {
      {ball, "@3", {"'shape' must be a table"}},
      {ball, "@{ radius = 1 }", {"shape needs the key 'type'"}},
      {ball, "{ type = @\"shpere\" }", {"unknown shape type 'shpere'; did you mean 'sphere'?"}},
      {ball, "{ type = @\"height_field\" }", {"\"height_field\" is not available in this version"}},
      {ball, "{ type = @\"vdb\" }", {"not available in this version"}},
      {ball, "{ type = @\"text\" }", {"not available in this version"}},
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

TEST(SceneErrors, Output) {
  const Case cases[] = {
      {"image = true",
       "particles = [@\"vtk\"]",
       {"\"vtk\" is not available in this version", "\"ply\""}},
      {"image = true", "particles = [\"ply\", @\"vdb\"]", {"not available in this version"}},
      {"image = true", "particles = [@\"bgeo\"]", {"not available in this version"}},
      {"image = true", "particles = [@\"plx\"]", {"unknown particles 'plx'; did you mean 'ply'?"}},
      {"image = true", "particles = [\"ply\", @\"ply\"]", {"lists \"ply\" twice"}},
      {"image = true", "particles = @\"ply\"", {"'particles' must be an array"}},
      {"image = true", "surface = @[\"obj\"]", {"not available in this version"}},
      {"image = true", "channels = [@\"velocty\"]", {"did you mean 'velocity'?"}},
      {"image = true", "color = @\"velocty\"", {"did you mean 'velocity'?"}},
      {"image = true", "resolution = @[0, 1]", {"[width, height]"}},
      {"image = true", "resolution = @[640]", {"[width, height]"}},
      {"image = true", "resolution = @[640.0, 480]", {"[width, height]"}},
      {"image = true", "checkpoint_every = @-1", {"'checkpoint_every' must be from 0"}},
      {"image = true",
       "diagnostics = @\"all\"",
       {"unknown diagnostics 'all'", "off, totals, stages"}},
      {"image = true", "diagnostics = @1", {"'diagnostics' must be a string"}},
      {"image = true", "camera = @{ eye = [1, 0, 0] }", {"output.camera needs the key 'target'"}},
      {"image = true", "camera = { eye = [1, 0, 0], target = @[1, 0, 0] }", {"must differ"}},
      {"image = true",
       "camera = { eye = [1, 0, 0], target = [0, 0, 0], up = @[1, 0, 0] }",
       {"parallel"}},
      {"image = true", "camera = @{ eye = [0, 1, 0], target = [0, 0, 0] }", {"parallel"}},
      {"image = true",
       "camera = { eye = [1, 0, 0], target = [0, 0, 0], fov = @180 }",
       {"'fov' must be in (0, 180)"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  expect_one_finding(
      kScene2D,
      {"dx = 0.1", "dx = 0.1\n[output]\ncamera = @{ }", {"a camera needs dimension = 3"}});
}

TEST(SceneErrors, SectionsOfOtherIntegrators) {
  const Case cases[] = {
      {"[time]",
       "@[fluid]\ntolerance = 1e-6\nmax_iterations = 3\n[time]",
       {"'fluid' belongs to integrator \"incompressible\""}},
      {"[time]",
       "@[thermal]\nambient = 290\n[time]",
       {"'thermal' belongs to integrator \"thermal\""}},
      {"[time]",
       "@[tracers]\nper_cell = 216\n[time]",
       {"'tracers' belongs to integrator \"incompressible\""}},
      {"[time]",
       "@[[mesh]]\nfile = \"cloth.obj\"\n[time]",
       {"Lagrangian meshes", "not available in this version"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
}

TEST(SceneErrors, AllFindingsComeTogetherInTheOrderOfTheFile) {
  std::string text = edited(kScene3D, "cfl = 0.5", "cfl = 2\nclf = 1");
  text = edited(text, "density = 400", "density = -1");
  text = edited(text, "radius = 0.1 }", "radius = \"big\" }");
  text = edited(text, "dimension = 3", "frames = -2");
  const std::vector<std::string> lines = lines_of(message_of(text, {"", {"output.imge=true"}}));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0].find("s.toml:3:10: 'frames'"), 0U) << lines[0];
  EXPECT_EQ(lines[1].find("s.toml:7:7: 'cfl'"), 0U) << lines[1];
  EXPECT_EQ(lines[2].find("s.toml:8:1: unknown key 'clf'"), 0U) << lines[2];
  EXPECT_EQ(lines[3].find("s.toml:14:11: 'density'"), 0U) << lines[3];
  EXPECT_EQ(lines[4].find("s.toml:23:63: 'radius'"), 0U) << lines[4];
  EXPECT_EQ(lines[5].find("--set output.imge: unknown key 'imge'"), 0U) << lines[5];
}

TEST(SceneErrors, AWrongDimensionDoesNotHideOrInventOthers) {
  const std::string message = message_of(edited(kScene2D, "dimension = 2", "dimension = 1"));
  EXPECT_EQ(lines_of(message).size(), 1U) << message;
}

TEST(SceneErrors, DeepNestingIsRefused) {
  std::string keys = "a";
  for (int i = 0; i < 100'000; ++i) keys += ".a";
  std::string arrays = "a = " + std::string(100'000, '[');
  const std::string nested = "a = " + std::string(70, '[') + std::string(70, ']');
  for (const std::string& text :
       {keys + " = 1", "[" + keys + "]", "x = {" + keys + " = 1}", arrays, nested}) {
    EXPECT_NE(message_of(text), "");
  }
  std::string dots = "# " + std::string(100, '.') + "\ntitle = \"" + std::string(100, '.') + "\"\n";
  dots += "reference = '''\n" + std::string(100, '.') + "'''\n";
  EXPECT_EQ(message_of(dots + kScene2D), "") << "dots in comments and strings nest nothing";
}

}  // namespace
}  // namespace firn
