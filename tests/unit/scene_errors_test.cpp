// What is wrong with a scene is said with its place: syntax, types, settings. The cases edit the
// valid scenes of tests/support/scene_cases.h.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firn/simulation.h"
#include "tests/support/scene_cases.h"

namespace firn {
namespace {

TEST(SceneErrors, TheScenesTheyEditAreValid) {
  EXPECT_EQ(message_of(kScene3D), "");
  EXPECT_EQ(message_of(kScene2D), "");
}

// The columns are toml++'s, which points behind a token as often as at it; the line is what counts.
TEST(SceneErrors, Syntax) {
  const Case cases[] = {
      {"cfl = 0.5", "cfl = @!", {"value"}},
      {"cfl = 0.5", "cfl = 0.5\n@cfl = 0.5", {"redefine"}},
      {"title = \"t\"", "title = \"\xff\"", {"utf-8"}},
      {"title = \"t\"", "title = \"t", {"string"}},
      {"[time]", "[@$ime]", {"$"}},
      {"[time]", "[@.time]", {"."}},
      {"[[body]]", "[[@,body]]", {","}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.instead);
    std::string text = edited(kScene3D, c.find, c.instead);
    const std::string position = take_marker(text);
    const std::string message = message_of(text);
    EXPECT_EQ(message.find("s.toml:" + position.substr(0, position.find(':')) + ":"), 0U)
        << message;
    for (const std::string& word : c.words)
      EXPECT_NE(message.find(word), std::string::npos) << message;
  }
}

TEST(SceneErrors, OnlyAsciiOutsideStringsAndComments) {
  const std::string valid = "title = \"\u00e9 \u3000\" # \u00e9\nreference = '''\u00e9'''''\n";
  EXPECT_EQ(message_of("\ufeff" + valid + edited(kScene3D, "title = \"t\"", "")), "");
  for (const char* character : {"\u00e9", "\u3000", "\ufeff", "\u00a0", "\u2028", "\xff"}) {
    const std::string text =
        edited(kScene3D, "[time]", std::string("\"\u00e9\" ") + character + " = 1");
    EXPECT_EQ(message_of(text).find("s.toml:6:5: only ASCII characters"), 0U) << message_of(text);
  }
  // Where toml++ looks for white space: in numbers, behind a backslash, at the start of a line.
  EXPECT_EQ(message_of(edited(kScene3D, "title = \"t\"", "title = \"\"\"\\\n  \u00e9\"\"\"")), "");
  for (const char* value : {"+\"\u00e9", "1[\"\u00e9", "\"\"\"\\\u00e9\"\"\""}) {
    const std::string found = message_of(edited(kScene3D, "[time]", std::string("x = ") + value));
    EXPECT_EQ(found.find("s.toml:6:"), 0U) << found;
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
  expect_one_finding(kScene2D,
                     {"[simulation]", "time = @3\n[simulation]", {"'[time]' must be a table"}});
  expect_one_finding(kScene2D,
                     {"[simulation]", "sink = @3\n[simulation]", {"'[[sink]]' must be an array"}});
  expect_one_finding(kScene2D,
                     {"[simulation]", "sink = [@3]\n[simulation]", {"'[[sink]]' must be a table"}});
  expect_one_finding(kScene2D,
                     {"[simulation]", "source = @3\n[simulation]", {"'source' must be a string"}});
  expect_one_finding(
      kScene2D, {"[simulation]", "variants = @3\n[simulation]", {"must be a table of tables"}});
  expect_one_finding(
      kScene2D, {"[simulation]", "variants.@a = 3\n[simulation]", {"variant 'a' must be a table"}});
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
      {"max = [1, 1, 1], boundary = \"slip\"",
       "max = @[1, 1.6, 0.8], boundary = \"periodic\"",
       {"periodic axis x", "multiple of 8 cells", "0.8 m", "it is 1 m", "the nearest is 0.8 m"}},
      {"min = [0, 0, 0], max = [1, 1, 1], boundary = \"slip\"",
       "min = @[0.1, 0, 0], max = [0.9, 1, 1], boundary = { x_min = \"periodic\", "
       "x_max = \"periodic\" }",
       {"periodic axis x", "begin on a multiple of 4 cells", "is 0.1; the nearest is 0"}},
      {"boundary = \"slip\"",
       "boundary = @{ x_min = \"periodic\" }",
       {"only one of x_min and x_max"}},
      {"boundary = \"slip\"", "boundary = @\"slippery\"", {"unknown boundary 'slippery'"}},
      {"boundary = \"slip\"",
       "boundary = { x_min = @\"opened\" }",
       {"unknown x_min 'opened'", "open"}},
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

TEST(SceneErrors, Output) {
  const Case cases[] = {
      {"image = true",
       "particles = [@\"vtk\"]",
       {"\"vtk\" is not available in this version", "\"vtp\""}},
      {"image = true",
       "particles = [@\"vtpp\"]",
       {"unknown particles 'vtpp'; did you mean 'vtp'?"}},
      {"image = true", "volumes = [@\"vbd\"]", {"unknown volumes 'vbd'; did you mean 'vdb'?"}},
      {"image = true", "volumes = @\"vdb\"", {"'volumes' must be an array"}},
      {"image = true", "particles = [@\"plx\"]", {"unknown particles 'plx'; did you mean 'ply'?"}},
      {"image = true", "particles = [\"ply\", @\"ply\"]", {"lists \"ply\" twice"}},
      {"image = true", "particles = @\"ply\"", {"'particles' must be an array"}},
      {"image = true", "surface = [@\"objj\"]", {"unknown surface 'objj'; did you mean 'obj'?"}},
      {"image = true", "surface_voxel = @3", {"[0.25, 2]"}},
      {"image = true", "look = @\"balls\"", {"surface", "particles"}},
      {"image = true", "motion_blur = @1.5", {"[0, 1]"}},
      {"image = true", "legend = @true", {"legend"}},
      {"image = true", "outline = @\"some\"", {"auto", "always", "never"}},
      {"image = true", "glass = @\"some\"", {"auto", "always", "never"}},
      {"image = true", "surface_kernel = @\"round\"", {"isotropic", "anisotropic"}},
      {"image = true", "follow = @\"yes\"", {"follow"}},
      {"image = true", "channels = [@\"velocty\"]", {"did you mean 'velocity'?"}},
      {"image = true", "color = @\"velocty\"", {"did you mean 'velocity'?"}},
      {"image = true", "color_range = @[0, 1]", {"not of color = \"material\""}},
      {"image = true", "resolution = @[0, 1]", {"[width, height]"}},
      {"image = true", "resolution = @[640]", {"[width, height]"}},
      {"image = true", "resolution = @[640.0, 480]", {"[width, height]"}},
      {"image = true", "checkpoint_every = @-1", {"'checkpoint_every' must be from 0"}},
      {"image = true", "keep_checkpoints = @0", {"'keep_checkpoints' must be from 1"}},
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

TEST(SceneErrors, Diagnostics) {
  const Case cases[] = {
      {"dx = 0.1",
       "dx = 0.1\n[diagnostics]\nenergy_growth = @0",
       {"'energy_growth' must be > 0, found 0"}},
      {"dx = 0.1",
       "dx = 0.1\n[diagnostics]\non_energy_growth = @\"halt\"",
       {"unknown on_energy_growth 'halt'", "warn, stop"}},
      {"dx = 0.1",
       "dx = 0.1\n[output]\ndiagnostics = false\n@[diagnostics]\nenergy_growth = 0.1",
       {"[diagnostics] needs energies"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene2D, c);
}

TEST(SceneErrors, SectionsOfOtherIntegrators) {
  const Case cases[] = {
      {"[time]",
       "@[fluid]\ntolerance = 1e-6\nmax_iterations = 3\n[time]",
       {"[fluid] belongs to integrator \"incompressible\"", "remove it"}},
      {"[time]",
       "@[thermal]\nambient = 290\n[time]",
       {"[thermal] belongs to integrator \"thermal\"", "remove it"}},
      {"[time]",
       "@[implicit]\ntolerance = 1e-3\n[time]",
       {"[implicit] belongs to integrators \"optimization\" and \"semi_implicit\"", "remove it"}},
      {"[time]",
       "@[tracers]\nper_cell = 216\n[time]",
       {"[tracers] belongs to integrator \"incompressible\"", "remove it"}},
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

TEST(SceneErrors, ManyFindingsAreCountedAndLongInputIsCut) {
  std::string text = kScene3D + "[variants]\n";
  for (int i = 0; i < 100; ++i) text += "x" + std::to_string(i) + " = 1\n";
  const std::vector<std::string> lines = lines_of(message_of(text));
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines.back(), "... and 80 more; mend these first");

  const std::string longest(100'000, 'x');
  std::string many_names;
  for (int i = 0; i < 30; ++i)
    many_names += "[material.m" + std::to_string(i) + longest + "]\npreset = \"water\"\n";
  const std::string cases[] = {
      longest + " = 1\n" + kScene3D,
      edited(kScene3D, "type = \"apic\"", "type = \"" + longest + "\""),
      edited(kScene3D, "type = \"sphere\"", "type = \"" + longest + "\""),
      edited(kScene3D, "name = \"ball\"", "name = \"" + longest + "\"\nx = 1"),
      edited(kScene3D, "radius = 0.1 }", "radius = 0.1, " + longest + " = 1 }"),
      edited(kScene3D, "material = \"snow\"", "material = \"" + longest + "\"") + many_names,
      edited(kScene3D, "name = \"ball\"", "velocity = [\"" + longest + "\", 0, 0]"),
      edited(kScene3D, "model = \"snow\"", "model = \"snow\"\n" + longest + " = 1"),
      longest + " = \n"};
  for (const std::string& c : cases) {
    const std::string message = message_of(c);
    EXPECT_NE(message, "");
    EXPECT_LT(message.size(), 2000U) << message;
  }
  EXPECT_NE(message_of(cases[0]).find("'" + longest.substr(0, 80) + "...'"), std::string::npos);
}

TEST(SceneErrors, FindingsOfAShapeNameItsBody) {
  const std::string message = message_of(edited(kScene3D, "radius = 0.1 }", "radius = -1 }"));
  EXPECT_EQ(message, "s.toml:22:63: 'radius' must be > 0, found -1 (of [[body]] \"ball\")");
  // What only sampling can find.
  const Scene scene =
      parse_scene(edited(kScene3D, "radius = 0.1 }", "radius = 1e9 }"), "s.toml", "");
  try {
    estimate(scene);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("s.toml:22:9: [[body]] \"ball\": the shape fills"), 0U)
        << error.what();
  }
}

TEST(SceneErrors, AWrongDimensionDoesNotHideOrInventOthers) {
  const std::string message = message_of(edited(kScene2D, "dimension = 2", "dimension = 1"));
  EXPECT_EQ(lines_of(message).size(), 1U) << message;
}

TEST(SceneErrors, TheTwoMeaningsOfSourceAreExplained) {
  const std::string message = message_of(edited(kScene3D, "title = ", "source = "));
  EXPECT_EQ(message.find("s.toml:29:1: "), 0U) << message;
  EXPECT_NE(message.find("[[source]] gives its origin as reference"), std::string::npos) << message;
}

TEST(SceneErrors, AnEmptySceneSaysWhatItNeeds) {
  const std::vector<std::string> lines = lines_of(message_of(""));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("s.toml:1:1: the scene needs [grid]"), 0U) << lines[0];
  EXPECT_EQ(lines[1].find("s.toml:1:1: the scene has no [[body]], no [[source]]"), 0U) << lines[1];
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
