// `place` and `instances` of bodies and colliders.
#include <fmt/format.h>

#include "src/scene/parse.h"
#include "src/scene/placement.h"

namespace firn::scene {
namespace {

constexpr Word kPlaces[] = {{"ground", "down, until it touches a collider or a wall"}};

constexpr Key kPlaceKeys[] = {
    key("center", "where the middle of its bounds goes; of `instances`, that of all together",
        {.kind = Kind::kVector, .unit = "m", .otherwise = "where it is"}),
    key("ground", "then down along gravity, until it touches a collider or a wall of the domain",
        {.kind = Kind::kBoolean, .otherwise = "false"}),
};

constexpr Choice<Turns> kTurns[] = {{"none", Turns::kNone},
                                    {"upright", Turns::kUpright, "about the vertical"},
                                    {"any", Turns::kAny}};
constexpr int kMostCopies = 10'000;

constexpr Key kArrayKeys[] = {
    key("count", "of copies along each axis",
        {.kind = Kind::kInteger,
         .range = Range::closed(1, kMostCopies),
         .list = Count{2, 3},
         .required = true}),
    key("step", "from one to the next, along each axis",
        {.kind = Kind::kVector, .unit = "m", .required = true}),
};
constexpr Key kScatterKeys[] = {
    key<&ScatteredCopies::count>("count", "of copies",
                                 {.range = Range::closed(1, kMostCopies), .required = true}),
    key<&ScatteredCopies::min>("min", "corner of the box in which their centres lie",
                               {.unit = "m", .required = true}),
    key<&ScatteredCopies::max>("max", "the other one", {.unit = "m", .required = true}),
    key("scale", "from, to",
        {.kind = Kind::kNumber,
         .range = Range::positive(),
         .list = Count{2, 2},
         .otherwise = "[1.0, 1.0]"}),
    choice_key<&ScatteredCopies::turns, kTurns>("turn", "at random; in 2D \"any\" only does"),
    key<&ScatteredCopies::gap>("gap", "at least, between the spheres around them",
                               {.unit = "m", .range = Range::non_negative()}),
    key<&ScatteredCopies::seed>("seed", "of what is random", {.range = Range::closed(0, 9e15)}),
};
constexpr Table kArrayTable = {"instances array", "Copies on a lattice.", kArrayKeys};
constexpr Table kScatterTable = {
    "instances scatter",
    "Copies at random, of which none meets another: the spheres around their bounds do not.",
    kScatterKeys};
constexpr Subtype kTypes[] = {{"array", "", true, &kArrayTable},
                              {"scatter", "", true, &kScatterTable}};
constexpr Choice<int> kTypeWords[] = {{"array", 0}, {"scatter", 1}};
constexpr Key kInstancesKeys[] = {
    key("type", "of arrangement",
        {.kind = Kind::kChoice, .required = true, .words = kWordsOf<kTypeWords>}),
};

bool read_numbers(TableReader& table, std::string_view name, std::size_t least, std::size_t most,
                  std::vector<double>& out) {
  const Node* node = table.find(name);
  if (node == nullptr || !read_type(*node, NodeType::kArray, name, table.context())) return false;
  if (node->items.size() < least || node->items.size() > most) {
    table.fail(*node, fmt::format("'{}' must have {} entries, found {}", name,
                                  table.context().is_2d() ? least : most, node->items.size()));
    return false;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i)
    if (!read_number(node->items[i], fmt::format("{}.{}", name, i), table.row(name).range,
                     out.emplace_back(), table.context()))
      return false;
  return true;
}

std::vector<Shape> parse_array(TableReader& table, const Shape& shape) {
  LatticeOfCopies lattice;
  std::vector<double> count;
  const std::size_t axes = table.context().is_2d() ? 2 : 3;
  const bool counted = read_numbers(table, "count", axes, axes, count);
  if (!table.read("step", lattice.step) || !counted) return {};
  double all = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    lattice.count[i] = static_cast<int>(count[i]);
    all *= lattice.count[i];
    if (lattice.count[i] != count[i])
      return table.fail("count", "'count' must hold whole numbers"), std::vector<Shape>{};
  }
  if (all > kMostCopies)
    return table.fail("count",
                      fmt::format("there may be {} copies at most, found {}", kMostCopies, all)),
           std::vector<Shape>{};
  return table.context().findings.empty() ? copies_of(shape, lattice) : std::vector<Shape>{};
}

std::vector<Shape> parse_scatter(TableReader& table, const Shape& shape, const Scene& scene) {
  ScatteredCopies scattered;
  table.read_members(scattered);
  std::vector<double> scale;
  if (read_numbers(table, "scale", 2, 2, scale)) {
    scattered.smallest = scale[0], scattered.largest = scale[1];
    if (scale[0] > scale[1]) table.fail("scale", "'scale' must not fall");
  }
  for (int i = 0; i < (table.context().is_2d() ? 2 : 3); ++i)
    if (scattered.min[i] > scattered.max[i]) table.fail("max", "'max' must not be below 'min'");
  if (!table.context().findings.empty()) return {};
  if (!table.context().reads_files)  // bounds, without which there are no places, may be a file's
    return std::vector<Shape>(static_cast<std::size_t>(scattered.count), shape);
  return copies_of(shape, scattered, scene);
}

std::vector<Shape> parse_copies(const Node& node, const Shape& shape, const Scene& scene,
                                ReadContext& context) {
  TableReader table(node, kInstances, context);
  std::size_t type = 0;
  if (!node.is(NodeType::kTable) || !table.read_word("type", type, "instances type")) return {};
  table.add(*kTypes[type].table);
  std::vector<Shape> copies =
      type == 0 ? parse_array(table, shape) : parse_scatter(table, shape, scene);
  table.finish();
  return copies;
}

struct Place {
  std::optional<Vec3> center;
  bool ground = false;
};
Place parse_place(const Node& node, ReadContext& context) {
  Place place;
  if (node.is(NodeType::kString)) {
    std::size_t index = 0;
    place.ground = read_choice(node, "place", names_of(kPlaces), {}, index, context);
    return place;
  }
  TableReader table(node, kPlace, context);
  if (!node.is(NodeType::kTable)) return place;
  table.read("center", place.center);
  table.read("ground", place.ground);
  table.finish();
  return place;
}

}  // namespace

constinit const Key kPlaceWord = key("", "", {.kind = Kind::kChoice, .words = kPlaces});
constinit const Table kPlace = {
    "place", "Moves a shape. The text `\"ground\"` is short for `{ ground = true }`.", kPlaceKeys};
constinit const Table kInstances = {"instances",
                                    "Copies of a body, each a body of its own: NAME.0, NAME.1, ...",
                                    kInstancesKeys, kTypes};

void place_shapes(TableReader& table, const Scene& scene, std::vector<Shape>& shapes) {
  const Node* node = table.find("place");
  if (node == nullptr) return;
  ReadContext& context = table.context();
  const Place place = parse_place(*node, context);
  if (!context.findings.empty()) return;  // the shape, or the ground, may mean nothing
  if (!context.reads_files) return;       // nobody asks then where they are
  try {
    if (place.center) shapes = centered(shapes, *place.center, scene);
    if (place.ground) shapes = put_down(shapes, scene);
  } catch (const Error& error) {
    context.findings.add(node->where, error.what(), error.category());
  }
}

std::vector<Shape> parse_instances(TableReader& table, const Scene& scene, const Shape& shape) {
  const Node* node = table.find("instances");
  if (node == nullptr) return {};
  try {
    return parse_copies(*node, shape, scene, table.context());
  } catch (const Error& error) {
    table.context().findings.add(node->where, error.what(), error.category());
    return {};
  }
}

}  // namespace firn::scene
