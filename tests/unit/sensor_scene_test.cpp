// [[sensor]] in scene files: what it means, and what is wrong with it, with the place.
#include <gtest/gtest.h>

#include <string>

#include "src/scene/parse.h"
#include "src/scene/scene_document.h"
#include "tests/support/scene_cases.h"

namespace firn {
namespace {

const std::string kSensors = kScene3D + R"TOML(
[[sensor]]
name = "probe"
type = "point"
position = [0.5, 0.5, 0.5]
channels = ["velocity", "stress"]
rate = 100.0
[[sensor]]
type = "region"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.2 }
[[sensor]]
type = "plane"
position = [0.5, 0, 0]
normal = [2, 0, 0]
radius = 0.3
[[sensor]]
type = "height"
position = [0.5, 0, 0.5]
up = [0, 2, 0]
[[sensor]]
name = "weight"
type = "collider"
collider = "collider0"
)TOML";

// What they say of two bodies of the scene that touch, and of others of the same material.
const std::string kOfBodies = R"TOML(
[material.foam]
model = "neo_hookean"
youngs_modulus = 1e5
poisson_ratio = 0.3
density = 100
[[body]]
name = "left"
material = "foam"
shape = { type = "sphere", center = [0.3, 0.3, 0.3], radius = 0.1 }
[[body]]
name = "right"
material = "foam"
shape = { type = "sphere", center = [0.7, 0.3, 0.3], radius = 0.1 }
[[body]]
name = "third"
material = "foam"
shape = { type = "sphere", center = [0.7, 0.7, 0.3], radius = 0.1 }
[[contact]]
bodies = ["left", "right"]
[[sensor]]
name = "push"
type = "contact"
bodies = ["left"]
[[sensor]]
name = "foam"
type = "motion"
materials = ["foam"]
[[sensor]]
name = "wall"
type = "motion"
collider = "collider0"
[[sensor]]
name = "inside"
type = "region"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.2 }
bodies = ["third", "left"]
)TOML";

TEST(SensorScenes, SayWhatIsMeasured) {
  const Scene scene = parse_scene(kSensors, "s.toml", "");
  ASSERT_EQ(scene.sensors.size(), 5u);
  const Sensor& probe = scene.sensors[0];
  EXPECT_EQ(probe.name, "probe");
  EXPECT_EQ(probe.kind, SensorKind::kPoint);
  EXPECT_EQ(probe.rate, 100.0);
  EXPECT_EQ(probe.position, (Vec3{0.5, 0.5, 0.5}));
  EXPECT_EQ(probe.channels, (std::vector<std::string>{"velocity", "stress"}));
  EXPECT_EQ(scene.sensors[1].name, "sensor1");
  EXPECT_EQ(scene.sensors[1].shape.type, ShapeType::kSphere);
  EXPECT_FALSE(scene.sensors[1].rate);
  EXPECT_EQ(scene.sensors[2].direction, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.sensors[2].radius, 0.3);
  EXPECT_EQ(scene.sensors[3].direction, (Vec3{0, 1, 0}));
  EXPECT_EQ(scene.sensors[4].collider, 0);
}

TEST(SensorScenes, SayWhoseParticlesCount) {
  const Scene scene = parse_scene(kSensors + kOfBodies, "s.toml", "");
  const auto index_of = [](const auto& things, std::string_view name) {
    for (std::size_t i = 0; i < things.size(); ++i)
      if (things[i].name == name) return static_cast<int>(i);
    return -1;
  };
  ASSERT_EQ(scene.sensors.size(), 9u);
  const int left = index_of(scene.bodies, "left"), third = index_of(scene.bodies, "third");
  EXPECT_EQ(scene.sensors[5].bodies, std::vector<int>{left});
  EXPECT_TRUE(scene.sensors[5].materials.empty());
  // Also what bodies have instead.
  EXPECT_EQ(
      scene.sensors[6].materials,
      (std::vector<int>{index_of(scene.materials, "foam"), index_of(scene.materials, "foam (left)"),
                        index_of(scene.materials, "foam (right)")}));
  EXPECT_EQ(scene.sensors[7].collider, 0);
  EXPECT_EQ(scene.sensors[8].bodies, (std::vector<int>{third, left}));
}

TEST(SensorScenes, ComeBackFromTheirDocument) {
  Scene before = parse_scene(kSensors + kOfBodies, "s.toml", "");
  for (Sensor& sensor : before.sensors) sensor.shape.place = {};
  scene::Findings findings;
  scene::ReadContext context{findings};
  Scene after = scene::parse_tree(scene::document_of(before), context);
  findings.throw_if_any();
  for (Sensor& sensor : after.sensors) sensor.shape.place = {};
  EXPECT_EQ(before.sensors, after.sensors);
}

TEST(SensorScenes, AreToldWhatIsWrong) {
  const Case cases[] = {
      {"type = \"point\"", "type = @\"pont\"", {"unknown sensor type 'pont'", "'point'"}},
      {"name = \"probe\"", "name = @\"a/b\"", {"names its files"}},
      {"name = \"probe\"", "name = @\".hidden\"", {"names its files"}},
      {"name = \"weight\"", "name = @\"probe\"", {"already a sensor named 'probe'"}},
      {"rate = 100.0", "rate = @0", {"'rate' must be > 0"}},
      {"rate = 100.0", "rate = @1e9", {"at most 1000 times simulation.fps"}},
      {"position = [0.5, 0.5, 0.5]", "position = @[0.5, 1.5, 0.5]", {"must lie in grid.domain"}},
      {"position = [0.5, 0.5, 0.5]", "position = @[0.5, 0.5]", {"must have 3 entries"}},
      {"[\"velocity\", \"stress\"]",
       "[\"velocity\", @\"temperature\"]",
       {"channels 'temperature': this scene has none"}},
      {"[\"velocity\", \"stress\"]", "[\"velocity\", @\"id\"]", {"unknown channels 'id'"}},
      {"[\"velocity\", \"stress\"]", "[\"velocity\", @\"velocity\"]", {"twice"}},
      {"normal = [2, 0, 0]", "normal = @[0, 0, 0]", {"'normal'"}},
      {"radius = 0.3\n", "radius = @-1\n", {"'radius' must be > 0"}},
      {"up = [0, 2, 0]", "@normal = [0, 2, 0]", {"normal"}},
      {"type = \"collider\"\ncollider = \"collider0\"",
       "type = \"collider\"\ncollider = @\"colider0\"",
       {"did you mean 'collider0'?"}},
      {"type = \"point\"\n", "", {"type"}},
      {"\"push\"\ntype = \"contact\"\nbodies = [\"left\"]",
       "\"push\"\ntype = \"contact\"\nbodies = @[\"third\"]",
       {"touches nothing", "[[contact]]"}},
      {"\"push\"\ntype = \"contact\"\nbodies = [\"left\"]",
       "\"push\"\ntype = \"contact\"\nbodies = [@\"leff\"]",
       {"unknown bodies 'leff'", "did you mean 'left'?"}},
      {"\"push\"\ntype = \"contact\"\nbodies = [\"left\"]",
       "\"push\"\ntype = \"contact\"\nmaterials = @[\"snow\"]",
       {"touches nothing", "[[contact]]"}},
      {"\"push\"\ntype = \"contact\"\nbodies = [\"left\"]",
       "\"push\"\ntype = \"contact\"",
       {"needs one of 'bodies' and 'materials'"}},
      {"materials = [\"foam\"]", "materials = @[]", {"'materials' names none"}},
      {"type = \"motion\"\ncollider = \"collider0\"",
       "type = \"motion\"",
       {"needs one of 'collider', 'bodies' and 'materials'"}},
      {"collider = \"collider0\"\n[[sensor]]\nname = \"inside\"",
       "collider = \"collider0\"\nbodies = [\"left\"]\n[[sensor]]\nname = \"inside\"",
       {"needs one of 'collider', 'bodies' and 'materials'"}},
      {"bodies = [\"third\", \"left\"]",
       "bodies = [\"left\"]\nmaterials = @[\"foam\"]",
       {"either 'bodies' or 'materials'"}},
  };
  for (const Case& c : cases) {
    std::string text = edited(kSensors + kOfBodies, c.find, c.instead);
    const std::string position = take_marker(text), message = message_of(text);
    EXPECT_EQ(lines_of(message).size(), 1u) << c.instead << ": " << message;
    if (position != "1:1") {
      EXPECT_EQ(message.find("s.toml:" + position + ": "), 0u) << message;
    }
    for (const std::string& word : c.words)
      EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
}

TEST(SensorScenes, NeedAnUpWithoutGravity) {
  const std::string text = edited(edited(kSensors, "up = [0, 2, 0]\n", ""), "dimension = 3",
                                  "dimension = 3\ngravity = [0, 0, 0]");
  EXPECT_NE(message_of(text).find("needs 'up'"), std::string::npos) << message_of(text);
}

}  // namespace
}  // namespace firn
