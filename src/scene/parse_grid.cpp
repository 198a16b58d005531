// [grid]: the spacing, and the walls of the domain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr Choice<BoundaryType> kFaceBoundaries[] = {
    kBoundaries[0],
    kBoundaries[1],
    kBoundaries[2],
    {"periodic", BoundaryType::kPeriodic, "what leaves here enters at the opposite face"},
    {"open", BoundaryType::kOpen, "no wall: what passes is deleted"}};

constexpr Key face_key(std::string_view name, std::string_view about, bool in_2d = true) {
  return key(name, about, {.kind = Kind::kSame, .in_2d = in_2d});
}
constexpr Key kFaceKeys[] = {face_key("x_min", "left"),        face_key("x_max", "right"),
                             face_key("y_min", "bottom"),      face_key("y_max", "top"),
                             face_key("z_min", "back", false), face_key("z_max", "front", false)};
constexpr Key kByFace = table_key("", kFaces, "a value for each face");

// Of the members that have a value for each face.
template <class T>
T of_any_face(const std::array<T, 6>& faces) {
  return faces[0];
}

constexpr Key kDomainKeys[] = {
    key<&Domain::min>("min", "corner with the smallest coordinates",
                      {.unit = "m", .required = true, .by_hand = true}),
    key<&Domain::max>("max", "corner with the largest coordinates",
                      {.unit = "m", .required = true, .by_hand = true}),
    key("boundary",
        "what the faces are; periodic: both of an axis, which begins on a block and is an even "
        "number of blocks long (8 cells in 3D, 16 in 2D)",
        {.kind = Kind::kChoice,
         .words = kWordsOf<kFaceBoundaries>,
         .also = &kByFace,
         .value =
             [](const Key& row, const void*) {
               return word_node(kFaceBoundaries, of_any_face(Domain{}.boundary), row);
             }}),
    key("friction", "Coulomb's coefficient of separate faces",
        {.kind = Kind::kNumber,
         .range = Range::non_negative(),
         .under = Under::kNodal,
         .also = &kByFace,
         .value = [](const Key& row,
                     const void*) { return node_of(of_any_face(Domain{}.friction), row); }}),
    key("temperature", "of walls that heat crosses",
        {.kind = Kind::kField,
         .unit = "K",
         .range = Range::positive(),
         .under = Under::kHeat,
         .also = &kByFace,
         .otherwise = "insulated"}),
};

constexpr Key kGridKeys[] = {
    key<&GridSettings::dx>("dx", "edge of a cell",
                           {.unit = "m", .range = Range::positive(), .required = true}),
    table_key("domain", kDomain, "walls around the scene; without them space is unbounded"),
};

// One value for all faces, or a table with a value per face; read(node, what, face value).
template <class T, class Read>
void parse_faces(TableReader& domain, std::string_view key, std::array<T, 6>& faces, Read read) {
  const Node* node = domain.find(key);
  if (node == nullptr) return;
  if (!node->is(NodeType::kTable)) {
    T value{};
    if (read(*node, key, value)) faces.fill(value);
    return;
  }
  TableReader table(*node, kFaces, domain.context(), fmt::format("domain.{}", key));
  const std::size_t count = domain.context().is_2d() ? 4 : 6;
  for (std::size_t face = 0; face < count; ++face) {
    const std::string_view name = kFaceKeys[face].name;
    if (const Node* value = table.find(name)) read(*value, name, faces[face]);
  }
  table.finish();
}

void parse_extent(TableReader& table, Domain& domain, double dx) {
  const bool has_min = table.read("min", domain.min), has_max = table.read("max", domain.max);
  if (!has_min || !has_max) return;
  const int axes = table.context().is_2d() ? 2 : 3;
  for (int axis = 0; axis < axes; ++axis) {
    if (table.context().dimension == 0) return;
    const double extent = domain.max[axis] - domain.min[axis];
    if (!(extent > 0)) {
      table.fail(
          "max",
          fmt::format("domain.max must exceed domain.min along every axis, but {} <= {} along {}",
                      domain.max[axis], domain.min[axis], "xyz"[axis]));
    } else if (constexpr double kRounding = 1e-9; dx > extent * (1 + kRounding)) {
      table.fail(
          "max",
          fmt::format("the domain is {} m long along {}, shorter than one cell (grid.dx = {})",
                      extent, "xyz"[axis], dx));
    }
  }
}

// The blocks of a periodic axis close a ring: whole blocks, and an even number of them, since
// blocks of one parity are worked on at the same time.
void check_periodic(TableReader& table, const Domain& domain, double dx) {
  const int axes = table.context().is_2d() ? 2 : 3;
  const double block = (table.context().is_2d() ? 8 : 4) * dx;
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a) {
    const bool low = domain.boundary[2 * a] == BoundaryType::kPeriodic,
               high = domain.boundary[2 * a + 1] == BoundaryType::kPeriodic;
    const char axis = "xyz"[a];
    if (low != high)
      table.fail("boundary",
                 fmt::format("only one of {0}_min and {0}_max is \"periodic\"; it takes "
                             "both faces of an axis",
                             axis));
    if (!low || !high || table.context().dimension == 0 || !(dx > 0)) continue;
    const double begin = domain.min[a] / block, count = (domain.max[a] - domain.min[a]) / block;
    const double even = std::max(2 * std::round(count / 2), 2.0);
    constexpr double kTolerance = 1e-3 / 8;  // of a block, a thousandth of a cell at most
    if (std::abs(begin - std::round(begin)) > kTolerance)
      table.fail("min", fmt::format("the periodic axis {} must begin on a multiple of {} cells "
                                    "({} m), but domain.min is {}; the nearest is {}",
                                    axis, std::round(block / dx), block, domain.min[a],
                                    std::round(begin) * block));
    else if (std::abs(count - even) > kTolerance)
      table.fail("max", fmt::format("the periodic axis {} must be a multiple of {} cells ({} m) "
                                    "long, but it is {} m; the nearest is {} m (grid.dx = {:.9g} "
                                    "would fit the length)",
                                    axis, 2 * std::round(block / dx), 2 * block,
                                    domain.max[a] - domain.min[a], even * block,
                                    (domain.max[a] - domain.min[a]) / (even * block / dx)));
  }
}

// Only a wall has a temperature.
void check_face_temperatures(TableReader& table, const Domain& domain) {
  const std::size_t count = table.context().is_2d() ? 4 : 6;
  for (std::size_t face = 0; face < count; ++face) {
    const BoundaryType boundary = domain.boundary[face];
    const bool open = boundary == BoundaryType::kOpen;
    if (!domain.temperature[face] || (!open && boundary != BoundaryType::kPeriodic)) continue;
    table.fail("temperature",
               fmt::format("{} is {}: there is no wall to have a temperature; give "
                           "those of the walls, as in temperature = {{ y_min = 290 }}",
                           kFaceKeys[face].name, open ? "open" : "periodic"));
    return;
  }
}

void parse_face_temperatures(TableReader& table, const Scene& scene, Domain& domain) {
  if (const auto reason = why_no_heat(scene)) return table.refuse("temperature", *reason);
  parse_faces(table, "temperature", domain.temperature,
              [&](const Node& value, std::string_view what, std::optional<ScalarField>& out) {
                ScalarField field;
                const Range& range = table.row("temperature").range;
                if (!read_field(value, what, field, table.context(), "xyzt", range)) return false;
                out = field;
                return true;
              });
  check_face_temperatures(table, domain);
}

Domain parse_domain(const Node& node, const Scene& scene, ReadContext& context) {
  const double dx = scene.grid.dx;
  Domain domain;
  TableReader table(node, kDomain, context);
  if (!node.is(NodeType::kTable)) return domain;
  parse_extent(table, domain, dx);
  parse_faces(table, "boundary", domain.boundary,
              [&](const Node& value, std::string_view what, BoundaryType& out) {
                std::size_t index = 0;
                const auto names = names_of(table.row("boundary").words);
                if (!read_choice(value, what, names, {}, index, context)) return false;
                out = kFaceBoundaries[index].value;
                return true;
              });
  check_periodic(table, domain, dx);
  if (is_staggered(scene) && table.has("friction")) table.fail("friction", kNoFriction);
  parse_faces(table, "friction", domain.friction,
              [&](const Node& value, std::string_view what, double& out) {
                return read_number(value, what, table.row("friction").range, out, context);
              });
  parse_face_temperatures(table, scene, domain);
  table.finish();
  return domain;
}

}  // namespace

std::optional<Node> face_boundary(BoundaryType boundary) {
  return word_node(kFaceBoundaries, boundary, *kDomain.find("boundary"));
}

constinit const Table kFaces = {
    "faces", "A value for each face of the domain; those that are left out keep the default.",
    kFaceKeys};
constinit const Table kDomain = {
    "grid.domain",
    "A box with walls. Each of its last three keys takes one value for all faces, "
    "or a table of faces.",
    kDomainKeys};
constinit const Table kGrid = {"[grid]", "", kGridKeys};

void parse_grid(const Node& root, Scene& scene, ReadContext& context) {
  if (root.find("grid") == nullptr) {
    context.findings.add(root.where,
                         "the scene needs [grid] with the grid spacing, e.g. dx = 0.01");
  }
  parse_section(root, "grid", context, [&](TableReader& table) {
    table.read_members(scene.grid);
    if (const Node* domain = table.find("domain")) {
      scene.grid.domain = parse_domain(*domain, scene, context);
    }
  });
}

}  // namespace firn::scene
