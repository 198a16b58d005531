#include "src/scene/parse_shape_files.h"
#include "src/scene/moved_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/error.h"
#include "src/scene/mesh_sequence.h"
#include "src/scene/mesh_text.h"
#include "src/scene/mesh_vdb.h"

namespace firn::scene {
namespace {

constexpr Choice<MeshSolid> kMeshSolids[] = {
    {"winding", MeshSolid::kWinding,
     "where the generalised winding number exceeds one half: holes are closed by smooth caps"},
    {"shell", MeshSolid::kShell,
     "all within half of thickness of the triangles, which need not enclose anything"}};
constexpr Key kSize = key<&Shape::size>("size", "of the longest edge of its box; in place of scale",
                                        {.unit = "m", .range = Range::positive(), .by_hand = true});
constexpr Key kSolid = choice_key<&Shape::solid, kMeshSolids>("solid", "what is inside");
constexpr Key kThickness = key<&Shape::thickness>(
    "thickness", "of a shell, which needs it; size and scale leave it as it is",
    {.unit = "m", .range = Range::positive(), .by_hand = true, .value = no_default});

constexpr Key kMeshKeys[] = {
    key<&Shape::file>("file", "OBJ, PLY or STL, closed or not; relative to the scene file",
                      {.required = true, .by_hand = true}),
    kSize,
    kSolid,
    kThickness,
    kScale,
    kRotation,
    kTranslation};
constexpr Range kNumbers = Range::closed(0, 1e6);  // of files
constexpr Key kMeshSequenceKeys[] = {
    key<&Shape::file>("file",
                      "as of a mesh, with %d or %04d where the number stands; in all of them "
                      "vertices move and faces stay",
                      {.required = true, .by_hand = true}),
    key<&Shape::first>("first", "number of the first file",
                       {.range = kNumbers, .required = true, .by_hand = true}),
    key<&Shape::last>("last", "number of the last file",
                      {.range = kNumbers, .required = true, .by_hand = true}),
    key<&Shape::fps>("fps", "files per second; vertices move evenly from one to the next",
                     {.unit = "1/s", .range = Range::left_open(0, 1e6)}),
    key<&Shape::start>("start", "when it is as in the first file; before that it rests",
                       {.unit = "s", .range = Range::closed(-1e9, 1e9)}),
    key<&Shape::loop>("loop",
                      "from the last file it moves on to the first, and so on; else it rests"),
    kSize,
    kSolid,
    kThickness,
    kScale,
    kRotation,
    kTranslation};
constexpr Key kVdbKeys[] = {
    key<&Shape::file>("file", "of OpenVDB; relative to the scene file",
                      {.required = true, .by_hand = true}),
    key<&Shape::grid>("grid", "which of its grids", {.otherwise = "the only one of floats"}),
    key<&Shape::iso>("iso", "of densities: solid where there is more; a level set has none",
                     {.range = Range::positive(), .otherwise = "a level set's 0"}),
    kSize,
    kScale,
    kRotation,
    kTranslation};
constexpr Key kTextKeys[] = {
    key<&Shape::text>("text", "UTF-8, in one line or several", {.required = true}),
    key<&Shape::size>("size", "of the font: its em, some 1.4 times the height of capitals",
                      {.unit = "m", .range = Range::positive(), .required = true}),
    key<&Shape::depth>(
        "depth", "from front to back, half on either side of z = 0; 2D: none",
        {.unit = "m", .range = Range::positive(), .by_hand = true, .value = no_default}),
    key<&Shape::font>("font", "a file (TTF, OTF); relative to the scene file",
                      {.otherwise = "DejaVu Sans, where this machine has it", .by_hand = true}),
    kScale,
    kRotation,
    kTranslation};

void fail_for_file(TableReader& table, std::string_view key, const std::string& what) {
  table.context().findings.add(table.at(key)->where, what, ErrorCategory::kFile);
}
// Whether a file that the scene needs is missing.
bool lacks(TableReader& table, const std::string& path) {
  return table.context().reads_files && !is_file(path);
}

void read_size(TableReader& table, Shape& shape) {
  const bool sized = table.read("size", shape.size);
  if (sized && table.has("scale"))
    table.fail("size", "give either 'size' (length of the longest edge) or 'scale', not both");
}
void read_solid(TableReader& table, Shape& shape) {
  if (shape.solid == MeshSolid::kShell) {
    if (table.require("thickness") != nullptr) table.read("thickness", shape.thickness);
  } else {
    table.refuse("thickness", "belongs to a mesh with solid = \"shell\"; remove it, or say so");
  }
}
// Whether the file's name is that of a mesh; else it is a finding.
bool check_mesh_name(TableReader& table, const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".obj" || extension == ".ply" || extension == ".stl") return true;
  table.fail("file", fmt::format("mesh file \"{}\" must end in .obj, .ply or .stl", excerpt(file)));
  return false;
}

// What is wrong with a file, where its name stands.
template <class Check>
void check_file(TableReader& table, std::string_view key, Check check) {
  if (!table.context().reads_files) return;
  try {
    check();
  } catch (const Error& error) {
    const Node* origin = table.at(key);
    table.context().findings.add((origin != nullptr ? *origin : table.node()).where, error.what(),
                                 error.category());
  }
}

}  // namespace

constinit const Table kMesh = {"shape mesh", "", kMeshKeys};
constinit const Table kMeshSequence = {
    "shape mesh_sequence", "The whole shape of a collider, in no boolean.", kMeshSequenceKeys};
constinit const Table kVdb = {"shape vdb", "", kVdbKeys};
constinit const Table kText = {
    "shape text", "The first letter begins at x = 0, the first line stands on y = 0.", kTextKeys};

void parse_mesh(TableReader& table, Shape& shape) {
  table.read_members(shape);
  read_size(table, shape);
  read_solid(table, shape);
  if (!table.read("file", shape.file) || !check_mesh_name(table, shape.file)) return;
  if (lacks(table, shape.file))
    fail_for_file(table, "file",
                  fmt::format("mesh file \"{}\" does not exist or is no file", shape.file));
}

void parse_mesh_sequence(TableReader& table, Shape& shape) {
  table.read_members(shape);
  read_size(table, shape);
  read_solid(table, shape);
  const bool has_first = table.read("first", shape.first);
  const bool numbered = table.read("last", shape.last) && has_first;
  if (!table.read("file", shape.file) || !check_mesh_name(table, shape.file)) return;
  if (!is_numbered(shape.file)) {
    table.fail("file", fmt::format("\"{}\" must have one %d or %04d where the number of a file "
                                   "stands, and no other % in its name",
                                   excerpt(shape.file)));
    return;
  }
  if (!numbered) return;
  constexpr int kMostFiles = 100'000;
  if (shape.last <= shape.first || shape.last - shape.first >= kMostFiles) {
    table.fail("last", fmt::format("'last' must be more than 'first' ({}), by less than {}",
                                   shape.first, kMostFiles));
    return;
  }
  std::vector<std::string> missing;
  for (const std::string& file : sequence_files(shape))
    if (lacks(table, file)) missing.push_back(file);
  if (missing.empty()) return;
  fail_for_file(
      table, "file",
      fmt::format("the sequence lacks {} of its {} files: \"{}\"{} does not exist or is no "
                  "file",
                  missing.size(), shape.last - shape.first + 1, missing[0],
                  missing.size() > 1 ? " and others" : ""));
}

void parse_vdb(TableReader& table, Shape& shape) {
  table.read_members(shape);
  read_size(table, shape);
  if (!table.read("file", shape.file)) return;
  if (lacks(table, shape.file))
    fail_for_file(table, "file",
                  fmt::format("volume \"{}\" does not exist or is no file", shape.file));
  else
    check_file(table, "file", [&] { check_vdb(shape.file, shape.grid, shape.iso); });
}

void parse_text(TableReader& table, Shape& shape) {
  table.read_members(shape);
  if (table.context().is_2d())
    table.refuse("depth", "is of extruded letters; in 2D they are flat: remove it");
  else if (table.require("depth") != nullptr)
    table.read("depth", shape.depth);
  const bool own = table.read("font", shape.font);
  if (table.at("text") != nullptr && shape.text.empty())
    table.fail("text", "'text' must not be empty");
  if (own && lacks(table, shape.font))
    fail_for_file(table, "font",
                  fmt::format("font \"{}\" does not exist or is no file", shape.font));
  else if (!shape.text.empty() && shape.size > 0)
    check_file(table, own ? "font" : "text", [&] {
      Shape flat = shape;
      flat.depth = shape.size;
      text_mesh(flat);
    });
}

bool is_mesh_sequence(const Shape& shape) {
  const Shape* inner = &shape;
  while (inner->type == ShapeType::kTransform && inner->children.size() == 1)
    inner = &inner->children[0];
  return inner->type == ShapeType::kMeshSequence;
}
bool holds_mesh_sequence(const Shape& shape) {
  return shape.type == ShapeType::kMeshSequence ||
         std::any_of(shape.children.begin(), shape.children.end(), holds_mesh_sequence);
}

}  // namespace firn::scene
