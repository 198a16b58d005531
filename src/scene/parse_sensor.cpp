// [[sensor]]: what is measured of a scene while it runs.
#include <fmt/format.h>

#include <cmath>

#include "src/scene/output_channels.h"
#include "src/scene/parse.h"

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
constexpr Key kCollider = key("collider", "name of a [[collider]]",
                              {.kind = Kind::kString, .required = true, .by_hand = true});

constexpr Key kPointKeys[] = {position_key("where"), kChannels};
constexpr Key kRegionKeys[] = {shape_key("where, at rest in the world"), kChannels};
constexpr Key kPlaneKeys[] = {
    position_key("a point of the plane"),
    key<&Sensor::direction>("normal", "of the plane; what passes along it counts as positive",
                            {.kind = Kind::kDirection, .required = true}),
    key<&Sensor::radius>("radius", "what passes further from `position` does not count",
                         {.unit = "m", .range = Range::positive(), .otherwise = "no end"}),
};
constexpr Key kHeightKeys[] = {
    position_key("from where it is measured"),
    key<&Sensor::direction>(
        "up", "towards where",
        {.kind = Kind::kDirection, .otherwise = "against gravity", .value = no_default}),
};
constexpr Key kColliderKeys[] = {kCollider};

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

struct SensorType : Subtype {
  SensorKind kind;
};
constexpr SensorType kSensors[] = {
    {{"point", "", true, &kPointTable}, SensorKind::kPoint},
    {{"region", "", true, &kRegionTable}, SensorKind::kRegion},
    {{"plane", "", true, &kPlaneTable}, SensorKind::kPlane},
    {{"height", "", true, &kHeightTable}, SensorKind::kHeight},
    {{"collider", "", true, &kColliderTable}, SensorKind::kCollider},
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

void parse_sensor(TableReader& table, const Scene& scene, Sensor& sensor) {
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
      parse_collider_name(table, scene, sensor.collider);
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
  table.finish();
}

}  // namespace

constinit const Table kSensor = {"[[sensor]]",
                                 "A gauge that reads numbers off the material, chosen by its type.",
                                 kSensorKeys, kSubtypes};

void parse_sensors(const Node& root, Scene& scene, ReadContext& context) {
  const Table& rows = section_rows("sensor", context);
  const Node* nodes = root.find("sensor");
  if (nodes == nullptr || !read_type(*nodes, NodeType::kArray, rows.name, context)) return;
  Names names;
  for (std::size_t i = 0; i < nodes->items.size(); ++i) {
    TableReader table(nodes->items[i], rows, context);
    if (!nodes->items[i].is(NodeType::kTable)) continue;
    Sensor sensor;
    parse_name(table, "sensor", i, sensor.name, names);
    check_file_name(table, sensor.name);
    parse_sensor(table, scene, sensor);  // without a type nothing is known about the other keys
    scene.sensors.push_back(std::move(sensor));
  }
}

}  // namespace firn::scene
