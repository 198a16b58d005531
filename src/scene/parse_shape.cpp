// Shapes: the rows of each type and one small function, found by name in one table. A new shape is
// its rows and one line there, and a function where there is more to check than its rows say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/scene/height_map.h"
#include "src/scene/parse_shape_files.h"

namespace firn::scene {
namespace {

Shape parse_shape(const Node& node, ReadContext& context);

constexpr Key kCenter =
    key<&Shape::center>("center", "where its middle is", {.unit = "m", .required = true});
constexpr Key radius_key(std::string_view about) {
  return key<&Shape::radius>("radius", about,
                             {.unit = "m", .range = Range::positive(), .required = true});
}
constexpr Key kSphereKeys[] = {kCenter, radius_key("of the ball")};
constexpr Key kBoxKeys[] = {
    key<&Shape::min>("min", "corner with the smallest coordinates",
                     {.unit = "m", .required = true, .by_hand = true}),
    key<&Shape::max>("max", "corner with the largest coordinates",
                     {.unit = "m", .required = true, .by_hand = true}),
    key<&Shape::rounding>("rounding", "radius of the edges, at most half of the shortest one",
                          {.unit = "m", .range = Range::non_negative()})};
constexpr Key kHalfSpaceKeys[] = {
    key<&Shape::point>("point", "on its surface", {.unit = "m", .required = true}),
    key<&Shape::normal>("normal", "of the surface, away from the solid",
                        {.kind = Kind::kDirection, .required = true})};
constexpr Key kAroundAxisKeys[] = {
    key<&Shape::from>("from", "end of the axis; of a cone its base",
                      {.unit = "m", .required = true, .by_hand = true}),
    key<&Shape::to>("to", "other end of the axis; of a cone its apex",
                    {.unit = "m", .required = true, .by_hand = true}),
    radius_key("around the axis; of a cone at its base")};
constexpr Key kTorusKeys[] = {
    kCenter, radius_key("of the ring"),
    key<&Shape::axis>("axis", "of symmetry", {.kind = Kind::kDirection}),
    key<&Shape::tube_radius>("tube_radius", "of the tube around the ring",
                             {.unit = "m", .range = Range::positive(), .required = true})};
constexpr Key kEllipsoidKeys[] = {
    kCenter, key<&Shape::radii>("radii", "along the axes, each > 0",
                                {.unit = "m", .required = true, .by_hand = true})};
constexpr Key kHeightFieldKeys[] = {
    key<&Shape::min>("min", "corner of its rectangle: x and z",
                     {.kind = Kind::kCorner, .unit = "m", .required = true, .by_hand = true}),
    key<&Shape::max>("max", "the other corner",
                     {.kind = Kind::kCorner, .unit = "m", .required = true, .by_hand = true}),
    key<&Shape::height>("height", "y of the surface, of x and in 3D z; this or a file",
                        {.unit = "m", .variables = "xz", .by_hand = true, .value = no_default}),
    key<&Shape::file>("file", "a PNG whose grey is the height, seen from above", {.by_hand = true}),
    key<&Shape::low>("low", "height of black; with a file",
                     {.unit = "m", .by_hand = true, .value = no_default}),
    key<&Shape::high>("high", "height of white; with a file",
                      {.unit = "m", .by_hand = true, .value = no_default}),
    key<&Shape::base>("base", "y of the underside, below all heights",
                      {.unit = "m", .otherwise = "it has no end below"})};
constexpr Key kBooleanKeys[] = {table_key("children", kShape,
                                          "two or more; difference: the first without the others",
                                          {.list = Count{2}, .required = true})};
constexpr Key kTransformKeys[] = {table_key("child", kShape, "what is moved", {.required = true}),
                                  kScale, kRotation, kTranslation};

constexpr Table kSphere = {"shape sphere", "", kSphereKeys};
constexpr Table kBox = {"shape box", "", kBoxKeys};
constexpr Table kHalfSpace = {"shape half_space", "All that is behind a plane.", kHalfSpaceKeys};
constexpr Table kAroundAxis = {"shape cylinder, capsule, cone", "", kAroundAxisKeys};
constexpr Table kTorus = {"shape torus", "", kTorusKeys};
constexpr Table kEllipsoid = {"shape ellipsoid", "", kEllipsoidKeys};
constexpr Table kHeightField = {"shape height_field", "All that is below a surface.",
                                kHeightFieldKeys};
constexpr Table kBoolean = {"shape union, intersection, difference", "", kBooleanKeys};
constexpr Table kTransform = {"shape transform", "", kTransformKeys};

void parse_members(TableReader& table, Shape& shape) { table.read_members(shape); }

void parse_box(TableReader& table, Shape& shape) {
  const bool has_min = table.read("min", shape.min), has_max = table.read("max", shape.max);
  table.read_members(shape);
  if (!has_min || !has_max) return;
  const int axes = static_cast<int>(table.at("min")->items.size());
  for (int axis = 0; axis < axes; ++axis) {
    const double extent = shape.max[axis] - shape.min[axis];
    if (!(extent > 0)) {
      table.fail("max",
                 fmt::format("'max' must exceed 'min' along every axis, but {} <= {} along {}",
                             shape.max[axis], shape.min[axis], "xyz"[axis]));
    } else if (shape.rounding > extent / 2) {
      table.fail(
          "rounding",
          fmt::format("'rounding' must be at most half of every edge, but the edge along {} is {}",
                      "xyz"[axis], extent));
    }
  }
}

// cylinder, capsule, cone
void parse_around_axis(TableReader& table, Shape& shape) {
  const bool has_from = table.read("from", shape.from), has_to = table.read("to", shape.to);
  table.read_members(shape);
  if (has_from && has_to && shape.from == shape.to) table.fail("to", "'from' and 'to' must differ");
}

void parse_ellipsoid(TableReader& table, Shape& shape) {
  table.read_members(shape);
  if (!table.read("radii", shape.radii)) return;
  const std::size_t axes = table.at("radii")->items.size();
  const bool positive =
      std::all_of(shape.radii.begin(), shape.radii.begin() + static_cast<std::ptrdiff_t>(axes),
                  [](double radius) { return radius > 0; });
  if (!positive) table.fail("radii", "every entry of 'radii' must be > 0");
}

// The rectangle: [x, z], or x alone in 2D.
bool parse_corner(TableReader& table, std::string_view key, Vec3& out) {
  if (table.context().is_2d()) return table.read(key, out[0]);
  const Node* node = table.find(key);
  if (node == nullptr || !read_type(*node, NodeType::kArray, key, table.context())) return false;
  if (node->items.size() != 2) {
    table.fail(*node, fmt::format("'{}' of a height_field must have 2 entries (x, z), found {}",
                                  key, node->items.size()));
    return false;
  }
  bool valid = true;
  for (int i = 0; i < 2; ++i)
    valid &= read_number(node->items[i], fmt::format("{}.{}", key, i), Range::any(), out[2 * i],
                         table.context());
  return valid;
}

bool parse_rectangle(TableReader& table, Shape& shape) {
  const bool has_min = parse_corner(table, "min", shape.min);
  if (!parse_corner(table, "max", shape.max) || !has_min) return false;
  bool valid = true;
  for (int axis = 0; axis < (table.context().is_2d() ? 1 : 3); axis += 2) {
    if (shape.max[axis] > shape.min[axis]) continue;
    valid = false;
    table.fail("max", fmt::format("'max' must exceed 'min', but {} <= {} along {}", shape.max[axis],
                                  shape.min[axis], "xyz"[axis]));
  }
  return valid;
}

bool parse_height(TableReader& table, ScalarField& out) {
  const Node* node = table.require("height");
  return node != nullptr && read_field(*node, "height", out, table.context(),
                                       height_variables(table.context().dimension));
}

// Either 'height', or 'file' with 'low' and 'high'.
bool parse_heights(TableReader& table, Shape& shape) {
  if (!table.has("file")) {
    for (const char* key : {"low", "high"})
      table.refuse(key, "belongs to a height_field with a 'file'; remove it");
    return parse_height(table, shape.height);
  }
  table.refuse("height", "and 'file' exclude each other; remove one");
  for (const char* key : {"low", "high"}) table.require(key);
  const bool has_low = table.read("low", shape.low), has_high = table.read("high", shape.high);
  const bool has_file = table.read("file", shape.file);
  return has_file && has_low && has_high && !table.has("height");
}

// A coarse sampling finds what is wrong with the heights while their place in the file is known.
void parse_height_field(TableReader& table, Shape& shape) {
  const bool placed = parse_rectangle(table, shape), given = parse_heights(table, shape);
  table.read_members(shape);
  const int dimension = table.context().dimension;
  if (!placed || !given || dimension == 0 || !table.context().reads_files) return;
  const double longest = std::max(shape.max[0] - shape.min[0], shape.max[2] - shape.min[2]);
  constexpr int kProbes = 64;
  try {
    bake_heights(shape, dimension, longest / kProbes);
  } catch (const Error& error) {
    const Node* origin = table.at(shape.file.empty() ? "height" : "file");
    table.context().findings.add(origin->where, error.what(), error.category());
  }
}

// union, intersection, difference (the first minus all others)
void parse_boolean(TableReader& table, Shape& shape) {
  const Node* children = table.find("children");
  if (children == nullptr || !read_type(*children, NodeType::kArray, "children", table.context()))
    return;
  if (children->items.size() < 2) {
    table.fail(*children, fmt::format("'children' must list two or more shapes, found {}",
                                      children->items.size()));
  }
  for (const Node& child : children->items)
    shape.children.push_back(parse_shape(child, table.context()));
}

void parse_transform(TableReader& table, Shape& shape) {
  if (const Node* child = table.find("child"))
    shape.children.push_back(parse_shape(*child, table.context()));
  table.read_members(shape);
}

struct ShapeParser : Subtype {
  ShapeType type;
  void (*parse)(TableReader&, Shape&);
};

constexpr ShapeParser kShapes[] = {
    {{"sphere", "a disc in 2D", true, &kSphere}, ShapeType::kSphere, parse_members},
    {{"box", "", true, &kBox}, ShapeType::kBox, parse_box},
    {{"half_space", "", true, &kHalfSpace}, ShapeType::kHalfSpace, parse_members},
    {{"cylinder", "", false, &kAroundAxis}, ShapeType::kCylinder, parse_around_axis},
    {{"capsule", "", true, &kAroundAxis}, ShapeType::kCapsule, parse_around_axis},
    {{"cone", "", false, &kAroundAxis}, ShapeType::kCone, parse_around_axis},
    {{"torus", "", false, &kTorus}, ShapeType::kTorus, parse_members},
    {{"ellipsoid", "", true, &kEllipsoid}, ShapeType::kEllipsoid, parse_ellipsoid},
    {{"height_field", "", true, &kHeightField}, ShapeType::kHeightField, parse_height_field},
    {{"mesh", "", false, &kMesh}, ShapeType::kMesh, parse_mesh},
    {{"mesh_sequence", "of colliders: a mesh that changes its shape", false, &kMeshSequence},
     ShapeType::kMeshSequence,
     parse_mesh_sequence},
    {{"vdb", "the surface of a level set, or of densities", false, &kVdb},
     ShapeType::kVdb,
     parse_vdb},
    {{"text", "letters; in 3D extruded", true, &kText}, ShapeType::kText, parse_text},
    {{"union", "", true, &kBoolean}, ShapeType::kUnion, parse_boolean},
    {{"intersection", "", true, &kBoolean}, ShapeType::kIntersection, parse_boolean},
    {{"difference", "", true, &kBoolean}, ShapeType::kDifference, parse_boolean},
    {{"transform", "", true, &kTransform}, ShapeType::kTransform, parse_transform},
};
constexpr auto kSubtypes = [] {
  std::array<Subtype, std::size(kShapes)> types;
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = kShapes[i];
  return types;
}();

constexpr auto kTypes = [] {
  std::array<Choice<ShapeType>, std::size(kShapes)> types{};
  for (std::size_t i = 0; i < types.size(); ++i)
    types[i] = {kShapes[i].name, kShapes[i].type, kShapes[i].about};
  return types;
}();
constexpr Key kShapeKeys[] = {
    choice_key<&Shape::type, kTypes>("type", "of shape", {.required = true, .by_hand = true})};

const ShapeParser* find_parser(TableReader& table) {
  std::size_t index = 0;
  if (!table.read_word("type", index, "shape type")) return nullptr;
  if (table.context().is_2d() && !kShapes[index].in_2d) {
    std::vector<std::string_view> names;
    for (const ShapeParser& parser : kShapes)
      if (parser.in_2d) names.push_back(parser.name);
    table.fail("type", fmt::format("shape \"{}\" needs dimension = 3; in 2D there are {}",
                                   kShapes[index].name, list_of(names)));
    return nullptr;
  }
  return &kShapes[index];
}

Shape parse_shape(const Node& node, ReadContext& context) {
  Shape shape;
  const Node* type = node.find("type");
  const std::string label =
      type != nullptr && type->is(NodeType::kString) ? "shape " + type->text : "shape";
  TableReader table(node, kShape, context, label);
  if (!node.is(NodeType::kTable)) return shape;
  // Without a type nothing is known about the other keys, so only the type is reported.
  if (const ShapeParser* parser = find_parser(table)) {
    shape.type = parser->type;
    table.add(*parser->table);
    parser->parse(table, shape);
    table.finish();
  }
  return shape;
}

}  // namespace

constinit const Table kShape = {"shape", "A region of space, chosen by its type.", kShapeKeys,
                                kSubtypes};

void parse_shape_key(TableReader& table, std::string_view name, Shape& out, bool may_change) {
  const Node* node = table.find("shape");
  if (node == nullptr) return;
  const std::string owner = fmt::format("{} \"{}\"", table.label(), excerpt(name));
  const Findings::About about(table.context().findings, owner);
  out = parse_shape(*node, table.context());
  if (holds_mesh_sequence(out) && !may_change)
    table.fail("shape", "a mesh_sequence is for colliders; take one of its files as a mesh");
  else if (holds_mesh_sequence(out) && !is_mesh_sequence(out))
    table.fail(
        "shape",
        "a mesh_sequence is the whole shape of a collider, moved by transforms at most; make "
        "what it is combined with colliders of their own");
  out.place.text = fmt::format("{}: {}: ", to_string(node->where), owner);
}

}  // namespace firn::scene
