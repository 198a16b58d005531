// [[sensor]]: what is measured of a scene while it runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/scene/output_channels.h"
#include "src/scene/parse.h"
#include "src/scene/sensed_contacts.h"

namespace firn::scene {
namespace {

std::vector<Word> channel_words() {
  std::vector<Word> words;
  for (const OutputChannel& c : output_channels())
    if (c.has_mean) words.push_back({c.name, c.about});
  return words;
}

constexpr Key position_key(std::string_view about) {
  return key<&Sensor::position>("position", about, {.unit = "m", .required = true});
}
constexpr Key kChannels = key<&Sensor::channels>(
    "channels", "of particles, whose means are read",
    {.kind = Kind::kChoice, .list = Count{0}, .more_words = channel_words, .by_hand = true});
constexpr Key names_key(std::string_view key_name, std::string_view about,
                        std::string_view otherwise) {
  return key(key_name, about, {.kind = Kind::kString, .list = Count{1}, .otherwise = otherwise});
}
constexpr Key kOfBodies = names_key("bodies", "names of those that count", "all"),
              kOfMaterials =
                  names_key("materials", "names of those that count", "all, or `bodies` do");

constexpr Key kPointKeys[] = {position_key("where"), kChannels, kOfBodies, kOfMaterials};
constexpr Key kRegionKeys[] = {shape_key("where, at rest in the world"), kChannels, kOfBodies,
                               kOfMaterials};
constexpr Key kPlaneKeys[] = {
    position_key("a point of the plane"),
    key<&Sensor::direction>("normal", "of the plane; what passes along it counts as positive",
                            {.kind = Kind::kDirection, .required = true}),
    key<&Sensor::radius>("radius", "what passes further from `position` does not count",
                         {.unit = "m", .range = Range::positive(), .otherwise = "no end"}),
    kOfBodies,
    kOfMaterials,
};
constexpr Key kHeightKeys[] = {
    position_key("from where it is measured"),
    key<&Sensor::direction>(
        "up", "towards where",
        {.kind = Kind::kDirection, .otherwise = "against gravity", .value = no_default}),
    kOfBodies,
    kOfMaterials,
};
constexpr Key kColliderKeys[] = {key("collider", "name of a [[collider]]",
                                     {.kind = Kind::kString, .required = true, .by_hand = true})};
constexpr Key kContactKeys[] = {
    names_key("bodies", "names of those that are read as one, with materials of their own",
              "`materials` are"),
    names_key("materials", "names of those that are read as one", "`bodies` are"),
};
constexpr Key kMotionKeys[] = {
    key("collider", "name of a [[collider]]",
        {.kind = Kind::kString, .otherwise = "`bodies` or `materials` are", .by_hand = true}),
    names_key("bodies", "names of those that are followed as one", "the others are"),
    names_key("materials", "names of those that are followed as one", "the others are"),
};

constexpr Table kPointTable = {"sensor point",
                               "Density and means of channels of the material around a point, by "
                               "the quadratic spline of one cell.",
                               kPointKeys};
constexpr Table kRegionTable = {
    "sensor region", "Particles, mass and volume in a shape, and means of channels.", kRegionKeys};
constexpr Table kPlaneTable = {"sensor plane",
                               "Mass and volume that pass a plane in a second, the area that is "
                               "wetted, and the mean velocity across.",
                               kPlaneKeys};
constexpr Table kHeightTable = {
    "sensor height", "How far material reaches up from a point, as a wave gauge.", kHeightKeys};
constexpr Table kColliderTable = {
    "sensor collider",
    "Force and torque about the world origin that material exerts, means since the last reading.",
    kColliderKeys};

constexpr Table kContactTable = {
    "sensor contact",
    "Force and torque about the world origin that others exert where they touch ([[contact]]), "
    "means since the last reading.",
    kContactKeys};
constexpr Table kMotionTable = {
    "sensor motion",
    "Where a collider, or the centre of mass of material, is, and how it moves and turns.",
    kMotionKeys};

struct SensorType : Subtype {
  SensorKind kind;
};
constexpr SensorType kSensors[] = {
    {{"point", "", true, &kPointTable}, SensorKind::kPoint},
    {{"region", "", true, &kRegionTable}, SensorKind::kRegion},
    {{"plane", "", true, &kPlaneTable}, SensorKind::kPlane},
    {{"height", "", true, &kHeightTable}, SensorKind::kHeight},
    {{"collider", "", true, &kColliderTable}, SensorKind::kCollider},
    {{"contact", "", true, &kContactTable}, SensorKind::kContact},
    {{"motion", "", true, &kMotionTable}, SensorKind::kMotion},
};
constexpr auto kSubtypes = [] {
  std::array<Subtype, std::size(kSensors)> types;
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = kSensors[i];
  return types;
}();
constexpr auto kTypes = [] {
  std::array<Choice<SensorKind>, std::size(kSensors)> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = {kSensors[i].name, kSensors[i].kind};
  return types;
}();

constexpr Key kSensorKeys[] = {
    choice_key<&Sensor::kind, kTypes>("type", "of sensor", {.required = true, .by_hand = true}),
    key("name", "of its files, `sensors/NAME.csv`; each but once",
        {.kind = Kind::kString, .otherwise = "sensor0, sensor1, ..."}),
    key<&Sensor::rate>(
        "rate", "readings per second, at whose times steps end; at most a thousand a frame",
        {.unit = "1/s", .range = Range::positive(), .otherwise = "at the end of every frame"}),
};

// It names files, on whatever system they are looked at.
void check_file_name(TableReader& table, const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  constexpr std::size_t kLongest = 100;
  if (!plain || name.starts_with('.') || name.size() > kLongest)
    table.fail("name",
               "'name' of a sensor names its files: up to 100 letters, digits, '_', '-' and '.', "
               "not '.' first");
}

void check_in_domain(TableReader& table, const Scene& scene, const Vec3& x) {
  if (!scene.grid.domain) return;
  const Domain& domain = *scene.grid.domain;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scene.simulation.dimension); ++i)
    if (x[i] < domain.min[i] || x[i] > domain.max[i])
      return table.fail("position", "'position' of a sensor must lie in grid.domain");
}

void parse_collider_name(TableReader& table, const Scene& scene, int& out) {
  std::string name;
  if (!table.read("collider", name)) return;
  std::vector<std::string_view> names;
  for (const Collider& collider : scene.colliders) {
    if (collider.name == name) {
      out = static_cast<int>(names.size());
      return;
    }
    names.push_back(collider.name);
  }
  table.fail("collider", fmt::format("the scene has no collider '{}'{}", excerpt(name),
                                     suggestion(name, names)));
}

// What sensors may name.
struct Nameable {
  const Scene& scene;
  const OwnMaterials& own;
  bool has_all_bodies;  // see lacks_instances
  bool is_sound;        // nothing was wrong with it so far
};

// Whose particles count, or are meant.
void parse_of(TableReader& table, const Nameable& known, Sensor& sensor) {
  const bool counts_all = sensor.kind != SensorKind::kContact && sensor.kind != SensorKind::kMotion;
  const std::string_view advice =
      counts_all ? "leave it out for all, or name some" : "name those that are meant";
  const Scene& scene = known.scene;
  if (table.find("bodies") != nullptr && known.has_all_bodies)
    sensor.bodies = table.read_indices("bodies", names_of(scene.bodies), advice);
  sensor.materials = table.read_indices("materials", names_of(scene.materials), advice);
  for (const int named : std::vector<int>(sensor.materials)) {
    const auto [begin, end] = known.own.equal_range(named);
    for (auto of_body = begin; of_body != end; ++of_body)
      if (std::ranges::find(sensor.materials, of_body->second) == sensor.materials.end())
        sensor.materials.push_back(of_body->second);
  }
  const int given = int{table.has("bodies")} + int{table.has("materials")};
  if (sensor.kind == SensorKind::kMotion) {
    if (given + int{table.has("collider")} != 1)
      table.fail(table.node(),
                 "a sensor of type \"motion\" needs one of 'collider', 'bodies' and 'materials'");
  } else if (sensor.kind == SensorKind::kContact) {
    if (given != 1)
      table.fail(table.node(),
                 "a sensor of type \"contact\" needs one of 'bodies' and 'materials'");
  } else if (given == 2) {
    table.fail("materials", "a sensor has either 'bodies' or 'materials'; remove one of them");
  }
  if (sensor.kind != SensorKind::kContact || !known.is_sound ||
      (sensor.bodies.empty() && sensor.materials.empty()))
    return;
  if (const std::string why = sensed_contacts(scene, sensor).why_none; !why.empty())
    table.fail(sensor.bodies.empty() ? "materials" : "bodies", why);
}

void parse_sensor(TableReader& table, const Nameable& known, Sensor& sensor) {
  const Scene& scene = known.scene;
  std::size_t index = 0;
  if (!table.read_word("type", index, "sensor type")) return;
  sensor.kind = kSensors[index].kind;
  table.add(*kSensors[index].table);
  table.read_members(sensor);
  constexpr double kMostInAFrame = 1000;
  if (sensor.rate && *sensor.rate > kMostInAFrame * scene.simulation.fps)
    table.fail("rate", fmt::format("'rate' must be at most {} times simulation.fps ({}), found {}",
                                   kMostInAFrame, scene.simulation.fps, *sensor.rate));
  switch (sensor.kind) {
    case SensorKind::kRegion:
      parse_shape_key(table, sensor.name, sensor.shape);
      break;
    case SensorKind::kCollider:
    case SensorKind::kMotion:
      parse_collider_name(table, scene, sensor.collider);
      break;
    case SensorKind::kContact:
      break;
    case SensorKind::kHeight:
      if (sensor.direction == Vec3{} && scene.simulation.gravity == Vec3{})
        table.fail(table.node(), "without gravity a sensor of type \"height\" needs 'up'");
      [[fallthrough]];
    case SensorKind::kPoint:
    case SensorKind::kPlane:
      if (table.has("position")) check_in_domain(table, scene, sensor.position);
  }
  if (sensor.kind == SensorKind::kPoint || sensor.kind == SensorKind::kRegion)
    table.read_words("channels", sensor.channels, mean_channels_of(scene));
  if (sensor.kind != SensorKind::kCollider) parse_of(table, known, sensor);
  table.finish();
}

}  // namespace

constinit const Table kSensor = {"[[sensor]]",
                                 "A gauge that reads numbers off the material, chosen by its type.",
                                 kSensorKeys, kSubtypes};

void parse_sensors(const Node& root, Scene& scene, const OwnMaterials& own, ReadContext& context) {
  const Table& rows = section_rows("sensor", context);
  const Node* nodes = root.find("sensor");
  if (nodes == nullptr || !read_type(*nodes, NodeType::kArray, rows.name, context)) return;
  const Nameable known{scene, own, !lacks_instances(root, context), context.findings.empty()};
  Names names;
  for (std::size_t i = 0; i < nodes->items.size(); ++i) {
    TableReader table(nodes->items[i], rows, context);
    if (!nodes->items[i].is(NodeType::kTable)) continue;
    Sensor sensor;
    parse_name(table, "sensor", i, sensor.name, names);
    check_file_name(table, sensor.name);
    parse_sensor(table, known, sensor);  // without a type nothing is known about the other keys
    scene.sensors.push_back(std::move(sensor));
  }
}

}  // namespace firn::scene
