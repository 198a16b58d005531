// Shapes: one small function per type, found by name in one table. A new shape is one function and
// one line there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "src/scene/height_map.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

Shape parse_shape(const Node& node, ReadContext& context);

void require_keys(TableReader& table, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) table.require(key);
}

void parse_sphere(TableReader& table, Shape& shape) {
  require_keys(table, {"center", "radius"});
  table.vector("center", shape.center);
  table.number("radius", shape.radius, Range::positive());
}

void parse_box(TableReader& table, Shape& shape) {
  require_keys(table, {"min", "max"});
  const bool has_min = table.vector("min", shape.min), has_max = table.vector("max", shape.max);
  table.number("rounding", shape.rounding, Range::non_negative());
  if (!has_min || !has_max) return;
  const int axes = static_cast<int>(table.node().find("min")->items.size());
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

void parse_half_space(TableReader& table, Shape& shape) {
  require_keys(table, {"point", "normal"});
  table.vector("point", shape.point);
  table.direction("normal", shape.normal);
}

// cylinder, capsule, cone
void parse_around_axis(TableReader& table, Shape& shape) {
  require_keys(table, {"from", "to", "radius"});
  const bool has_from = table.vector("from", shape.from), has_to = table.vector("to", shape.to);
  table.number("radius", shape.radius, Range::positive());
  if (has_from && has_to && shape.from == shape.to) table.fail("to", "'from' and 'to' must differ");
}

void parse_torus(TableReader& table, Shape& shape) {
  require_keys(table, {"center", "radius", "tube_radius"});
  table.vector("center", shape.center);
  table.direction("axis", shape.axis);
  table.number("radius", shape.radius, Range::positive());
  table.number("tube_radius", shape.tube_radius, Range::positive());
}

void parse_ellipsoid(TableReader& table, Shape& shape) {
  require_keys(table, {"center", "radii"});
  table.vector("center", shape.center);
  if (!table.vector("radii", shape.radii)) return;
  const std::size_t axes = table.node().find("radii")->items.size();
  const bool positive =
      std::all_of(shape.radii.begin(), shape.radii.begin() + static_cast<std::ptrdiff_t>(axes),
                  [](double radius) { return radius > 0; });
  if (!positive) table.fail("radii", "every entry of 'radii' must be > 0");
}

void parse_placement(TableReader& table, Shape& shape) {
  table.vector("translation", shape.translation);
  table.rotation("rotation", shape.rotation);
  table.number("scale", shape.scale, Range::positive());
}

void parse_mesh(TableReader& table, Shape& shape) {
  table.require("file");
  parse_placement(table, shape);
  const bool sized = table.number("size", shape.size, Range::positive());
  if (sized && table.node().find("scale") != nullptr) {
    table.fail("size", "give either 'size' (length of the longest edge) or 'scale', not both");
  }
  if (!table.string("file", shape.file)) return;
  namespace fs = std::filesystem;
  const std::string extension = fs::path(shape.file).extension().string();
  std::error_code ignored;
  if (extension != ".obj" && extension != ".ply" && extension != ".stl") {
    table.fail("file", fmt::format("mesh file \"{}\" must end in .obj, .ply or .stl", shape.file));
  } else if (shape.file.find('\0') != std::string::npos ||
             !fs::is_regular_file(shape.file, ignored)) {
    table.context().findings.add(
        table.node().find("file")->where,
        fmt::format("mesh file \"{}\" does not exist or is no file", shape.file),
        ErrorCategory::kFile);
  }
}

// The rectangle: [x, z], or x alone in 2D.
bool parse_corner(TableReader& table, std::string_view key, Vec3& out) {
  if (table.context().is_2d()) return table.number(key, out[0]);
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
  require_keys(table, {"min", "max"});
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

// Either 'height', or 'file' with 'low' and 'high'.
bool parse_heights(TableReader& table, Shape& shape) {
  if (table.node().find("file") == nullptr) {
    for (const char* key : {"low", "high"})
      table.refuse(key, "belongs to a height_field with a 'file'; remove it");
    table.require("height");
    return table.field("height", shape.height, height_variables(table.context().dimension));
  }
  table.refuse("height", "and 'file' exclude each other; remove one");
  require_keys(table, {"low", "high"});
  const bool has_low = table.number("low", shape.low), has_high = table.number("high", shape.high);
  const bool has_file = table.string("file", shape.file);
  return has_file && has_low && has_high && table.node().find("height") == nullptr;
}

// A coarse sampling finds what is wrong with the heights while their place in the file is known.
void parse_height_field(TableReader& table, Shape& shape) {
  const bool placed = parse_rectangle(table, shape), given = parse_heights(table, shape);
  double base = 0;
  if (table.number("base", base)) shape.base = base;
  const int dimension = table.context().dimension;
  if (!placed || !given || dimension == 0) return;
  const double longest = std::max(shape.max[0] - shape.min[0], shape.max[2] - shape.min[2]);
  constexpr int kProbes = 64;
  try {
    bake_heights(shape, dimension, longest / kProbes);
  } catch (const Error& error) {
    const Node* origin = table.node().find(shape.file.empty() ? "height" : "file");
    table.context().findings.add(origin->where, error.what(), error.category());
  }
}

// union, intersection, difference (the first minus all others)
void parse_boolean(TableReader& table, Shape& shape) {
  const Node* children = table.require("children");
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
  if (const Node* child = table.require("child"))
    shape.children.push_back(parse_shape(*child, table.context()));
  parse_placement(table, shape);
}

struct ShapeParser {
  std::string_view name;
  ShapeType type;
  bool in_2d;
  void (*parse)(TableReader&, Shape&);
};

constexpr ShapeParser kShapes[] = {
    {"sphere", ShapeType::kSphere, true, parse_sphere},
    {"box", ShapeType::kBox, true, parse_box},
    {"half_space", ShapeType::kHalfSpace, true, parse_half_space},
    {"cylinder", ShapeType::kCylinder, false, parse_around_axis},
    {"capsule", ShapeType::kCapsule, true, parse_around_axis},
    {"cone", ShapeType::kCone, false, parse_around_axis},
    {"torus", ShapeType::kTorus, false, parse_torus},
    {"ellipsoid", ShapeType::kEllipsoid, true, parse_ellipsoid},
    {"height_field", ShapeType::kHeightField, true, parse_height_field},
    {"mesh", ShapeType::kMesh, false, parse_mesh},
    {"union", ShapeType::kUnion, true, parse_boolean},
    {"intersection", ShapeType::kIntersection, true, parse_boolean},
    {"difference", ShapeType::kDifference, true, parse_boolean},
    {"transform", ShapeType::kTransform, true, parse_transform},
};

constexpr std::string_view kOtherShapes = "use the analytic shapes or a mesh";
constexpr Unavailable kLaterShapes[] = {{"vdb", kOtherShapes}, {"text", kOtherShapes}};

const ShapeParser* find_parser(TableReader& table) {
  const Node* node = table.require("type");
  std::vector<std::string_view> names;
  for (const ShapeParser& parser : kShapes) names.push_back(parser.name);
  std::size_t index = 0;
  if (node == nullptr ||
      !read_choice(*node, "shape type", names, kLaterShapes, index, table.context())) {
    return nullptr;
  }
  if (table.context().is_2d() && !kShapes[index].in_2d) {
    std::erase_if(names, [](std::string_view name) {
      return std::any_of(std::begin(kShapes), std::end(kShapes), [&](const ShapeParser& parser) {
        return parser.name == name && !parser.in_2d;
      });
    });
    table.fail(*node, fmt::format("shape \"{}\" needs dimension = 3; in 2D there are {}",
                                  node->text, list_of(names)));
    return nullptr;
  }
  return &kShapes[index];
}

Shape parse_shape(const Node& node, ReadContext& context) {
  Shape shape;
  const Node* type = node.find("type");
  const std::string label =
      type != nullptr && type->is(NodeType::kString) ? "shape " + type->text : "shape";
  TableReader table(node, label, context);
  if (!node.is(NodeType::kTable)) return shape;
  // Without a type nothing is known about the other keys, so only the type is reported.
  if (const ShapeParser* parser = find_parser(table)) {
    shape.type = parser->type;
    parser->parse(table, shape);
    table.finish();
  }
  return shape;
}

}  // namespace

void parse_shape_key(TableReader& table, Shape& out) {
  if (const Node* node = table.require("shape")) out = parse_shape(*node, table.context());
}

}  // namespace firn::scene
