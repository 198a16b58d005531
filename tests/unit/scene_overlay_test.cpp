// Variants and overrides: what they change, and what they say when they cannot.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene_file.h"

namespace firn {
namespace {

const std::string kScene = R"TOML(
[grid]
dx = 0.1
domain = { min = [0, 0, 0], max = [1, 1, 1] }
[material.snow]
preset = "snow_dry"
[[body]]
name = "a"
material = "snow"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.1 }
[[body]]
name = "b"
material = "snow"
shape = { type = "union", children = [
  { type = "sphere", center = [0, 0, 0], radius = 1 }, { type = "sphere", center = [1, 0, 0], radius = 1 }] }
[variants.paper]
grid.dx = 0.01
simulation.frames = 100
[variants.paper.body.0]
particles_per_cell = 16
[variants.one]
body = [{ material = "snow", shape = { type = "sphere", center = [0, 0, 0], radius = 2 } }]
[variants.beyond.body.7]
name = "x"
[variants.wrong]
grid.dx = -1
)TOML";

Scene parse(const SceneOptions& options) { return parse_scene(kScene, "s.toml", "", options); }

std::string message_of(const SceneOptions& options) {
  try {
    parse(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kScene);
    return error.what();
  }
  return {};
}

void expect_message(const SceneOptions& options, const std::string& start,
                    const std::string& word) {
  const std::string message = message_of(options);
  EXPECT_EQ(message.find(start), 0U) << message;
  EXPECT_NE(message.find(word), std::string::npos) << message;
}

TEST(SceneVariants, MergeDeepAndByIndex) {
  const Scene plain = parse({}), paper = parse({"paper", {}});
  EXPECT_EQ(plain.grid.dx, 0.1);
  EXPECT_EQ(paper.grid.dx, 0.01);
  EXPECT_TRUE(paper.grid.domain == plain.grid.domain);
  EXPECT_EQ(paper.simulation.frames, 100);
  EXPECT_EQ(paper.bodies.at(0).particles_per_cell, 16);
  EXPECT_TRUE(paper.bodies.at(0).shape == plain.bodies.at(0).shape);
  EXPECT_TRUE(paper.bodies.at(1) == plain.bodies.at(1));
}

TEST(SceneVariants, ArraysReplaceArrays) {
  const Scene one = parse({"one", {}});
  ASSERT_EQ(one.bodies.size(), 1U);
  EXPECT_EQ(one.bodies[0].shape.radius, 2);
}

TEST(SceneVariants, AreGoneOnceResolved) {
  const Scene paper = parse({"paper", {"grid.dx=0.05"}});
  EXPECT_EQ(paper.resolved_toml.find("variants"), std::string::npos);
  const Scene again = parse_scene(paper.resolved_toml, "s.toml", "");
  EXPECT_TRUE(again == paper);
}

TEST(SceneVariants, Mistakes) {
  expect_message({"papr", {}},
                 "--variant papr: the scene has no variant 'papr'; did you mean 'paper'?", "wrong");
  expect_message({"beyond", {}}, "s.toml:23:23: ", "no element 7 here; the array has 2");
  expect_message({"wrong", {}}, "s.toml:26:11: 'dx' must be > 0", "");
}

TEST(SceneOverrides, ReachEveryPlace) {
  const Scene scene =
      parse({"paper",
             {"grid.dx=0.02", "simulation.precision=double", "transfer.type=\"flip\"",
              "body.1.shape.children.0.radius = 0.25", "simulation.gravity=[0, 0, -1]",
              "body.0.velocity.1=3", "body.0.velocity=[1, \"x\", 0]", "body.0.velocity.2=7",
              "title=a=b", "output.diagnostics=off"}});
  EXPECT_EQ(scene.grid.dx, 0.02) << "overrides come after the variant";
  EXPECT_EQ(scene.simulation.precision, Precision::kDouble) << "bare words are strings";
  EXPECT_EQ(scene.transfer.type, TransferType::kFlip) << "sections that the file lacks appear";
  EXPECT_EQ(scene.bodies[1].shape.children[0].radius, 0.25);
  EXPECT_EQ(scene.simulation.gravity, (Vec3{0, 0, -1}));
  EXPECT_EQ(scene.bodies[0].velocity.component[1].expression, "x") << "later overrides win";
  EXPECT_EQ(scene.bodies[0].velocity.component[2].constant, 7);
  EXPECT_EQ(scene.title, "a=b");
  EXPECT_EQ(scene.output.diagnostics, DiagnosticsLevel::kOff);
}

TEST(SceneOverrides, AModelMayLeaveParametersOfTheOldOneBehind) {
  const Scene scene = parse({"", {"material.snow.hardening=5", "material.snow.model=neo_hookean"}});
  EXPECT_EQ(scene.materials[0].model, MaterialModel::kNeoHookean);
  EXPECT_EQ(parse_scene(scene.resolved_toml, "s.toml", ""), scene);
}

// What is written of it is read again, and says the same.
void expect_read_again(const Scene& scene) {
  EXPECT_EQ(parse_scene(scene.resolved_toml, "s.toml", ""), scene);
}

const std::string kSoft = R"TOML(
[grid]
dx = 0.1
[material.m]
preset = "jello"
youngs_modulus = 2e4
density = 900
[[body]]
material = "m"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.1 }
[variants.wet.material.m]
preset = "water"
[variants.model.material.m]
model = "weakly_compressible"
bulk_modulus = 1e5
[variants.twice.material.m]
preset = "water"
poisson_ratio = 0.3
)TOML";

Scene soft(const SceneOptions& options) { return parse_scene(kSoft, "s.toml", "", options); }

TEST(SceneOverrides, AnotherPresetOrModelLeavesParametersBehind) {
  const SceneOptions options[] = {
      {"", {"material.m.preset=water"}},
      {"", {"material.m.model=weakly_compressible", "material.m.bulk_modulus=1e5"}},
      {"wet", {}},
      {"model", {}},
      {"model", {"material.m.preset=honey"}},
  };
  for (const SceneOptions& o : options) {
    SCOPED_TRACE(o.variant + (o.overrides.empty() ? "" : o.overrides[0]));
    const Scene scene = soft(o);
    EXPECT_EQ(scene.materials[0].model, MaterialModel::kWeaklyCompressible);
    EXPECT_EQ(scene.materials[0].density, 900);
    expect_read_again(scene);
  }
  const Scene back = soft({"model", {"material.m.preset=jello"}});
  EXPECT_EQ(back.materials[0].model, MaterialModel::kFixedCorotated) << "the preset's own";
  EXPECT_EQ(back.materials[0].youngs_modulus, 2e4);
  expect_read_again(back);
}

TEST(SceneOverrides, ParametersThatCameWithAModelOrAfterItMustBeOfIt) {
  const SceneOptions options[] = {
      {"", {"material.m.preset=water", "material.m.poisson_ratio=0.3"}},
      {"wet", {"material.m.poisson_ratio=0.3"}},
      {"twice", {}},
  };
  for (const SceneOptions& o : options) {
    try {
      soft(o);
      ADD_FAILURE() << "no error was thrown";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("has no 'poisson_ratio'"), std::string::npos)
          << error.what();
    }
  }
}

TEST(SceneOverrides, AMaterialMayBeAdded) {
  const Scene scene = parse({"", {"material.ice.preset=concrete", "body.0.material=ice"}});
  EXPECT_EQ(scene.bodies[0].material, 1);
}

TEST(SceneOverrides, ReachNamesWithDotsByQuotes) {
  const std::string model = "={ model = \"neo_hookean\", density = 1, youngs_modulus = 1, ";
  for (const std::string name : {"\"wet.sand\"", "'wet.sand'"}) {
    const Scene scene = parse({"",
                               {"material." + name + model + "poisson_ratio = 0.2 }",
                                "material." + name + ".density=7", "body.0.material=wet.sand"}});
    const Material& last = scene.materials.back();
    EXPECT_EQ(last.name, "wet.sand");
    EXPECT_EQ(last.density, 7);
  }
}

TEST(SceneOverrides, ATableThatIsGivenReplacesTheWholeTable) {
  const Scene scene =
      parse({"",
             {"body.0.shape={type=\"box\", min=[0, 0, 0], max=[1, 1, 1]}",
              "material.snow={model=\"neo_hookean\", density=1, youngs_modulus=1e4, "
              "poisson_ratio=0.3}",
              "material.snow.density=2", "grid.domain={min=[0, 0, 0], max=[2, 2, 2]}"}});
  EXPECT_EQ(scene.bodies[0].shape.type, ShapeType::kBox);
  EXPECT_EQ(scene.materials[0].model, MaterialModel::kNeoHookean);
  EXPECT_EQ(scene.materials[0].density, 2) << "later overrides reach into it";
  EXPECT_EQ(scene.grid.domain->max, (Vec3{2, 2, 2}));
  expect_message({"", {"body.0.shape={type=\"sphere\", radius=1}"}},
                 "--set body.0.shape: shape sphere needs the key 'center'", "[[body]] \"a\"");
  expect_message({"",
                  {"material.snow={model=\"neo_hookean\", density=1, youngs_modulus=1, "
                   "poisson_ratio=0, hardening=1}"}},
                 "--set material.snow: model \"neo_hookean\" has no 'hardening'", "");
  expect_message({"", {"body={0={name=\"c\"}}"}},
                 "--set body: '[[body]]' must be an array, found a table", "");
}

TEST(SceneOverrides, Mistakes) {
  struct {
    std::string text, start, word;
  } const cases[] = {
      {"grid.dy=1", "--set grid.dy: unknown key 'dy' in [grid]; did you mean 'dx'?", ""},
      {"tranfer.type=apic", "--set tranfer.type: unknown key 'tranfer' in the scene", "'transfer'"},
      {"time.clf=0.1", "--set time.clf: unknown key 'clf' in [time]", "'cfl'"},
      {"grid.dx=coarse", "--set grid.dx: 'dx' must be a number, found a string", ""},
      {"grid.dx=1\ntitle=3", "--set grid.dx: 'dx' must be a number, found a string", ""},
      {"grid.dx.a=1", "--set grid.dx.a: 'dx' must be a number, found a table", ""},
      {"body.2.name=c", "--set body.2.name: there is no element 2 here; the array has 2", ""},
      {"body.-1.name=c", "--set body.-1.name: there is no element -1 here; the array has 2", ""},
      {"body.a.name=c", "--set body.a.name: '[[body]]' must be an array, found a table", ""},
      {"body.0.shape.radios=1", "--set body.0.shape.radios: unknown key 'radios' in shape sphere",
       "'radius'"},
      {"material.snwo.density=1", "--set material.snwo.density: the scene has no material 'snwo'",
       "'snow'"},
      {"material.snow.hardness=1", "--set material.snow.hardness: unknown key 'hardness'", ""},
      {"grid.dx", "--set grid.dx: an override reads key=value", ""},
      {"grid..dx=1", "--set grid..dx: an override reads key=value", ""},
      {"=1", "--set : an override reads key=value", ""},
      {"", "--set : an override reads key=value", ""},
      {"variants.paper.grid.dx=1", "--set variants.paper.grid.dx: variants cannot be overridden",
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    expect_message({"", {c.text}}, c.start, c.word);
  }
}

// A run's resolved scene is read again, so what no file may say no override may build.
TEST(SceneOverrides, DeepValuesAreRefusedAsInAFile) {
  const std::string path = "body.0.shape.child.child", move = "{ type = \"transform\", child = ";
  std::string value = "{ type = \"sphere\", center = [0, 0, 0], radius = 1 }";
  const std::string shape = "body.0.shape=" + move + move + value + "}}";
  for (int i = 0; i < 57; ++i) value = move + value + "}";
  const Scene deepest = parse({"", {shape, path + "=" + value}});
  EXPECT_EQ(parse_scene(deepest.resolved_toml, "s.toml", ""), deepest);
  expect_message({"", {shape, path + "=" + move + value + "}"}}, "--set " + path, "64 levels");
}

TEST(SceneOverrides, ALongPathIsRefused) {
  std::string path = "a";
  for (int i = 0; i < 100'000; ++i) path += ".a";
  EXPECT_NE(message_of({"", {path + "=1"}}), "");
}

}  // namespace
}  // namespace firn
