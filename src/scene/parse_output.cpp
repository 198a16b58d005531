// [output]: what a run writes, and the camera of its pictures.
#include <fmt/format.h>

#include <cmath>

#include "src/scene/output_channels.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

constexpr std::string_view kLaterFormat = "use \"ply\" or \"npz\"";
constexpr Unavailable kLaterFormats[] = {
    {"vtk", kLaterFormat}, {"vdb", kLaterFormat}, {"bgeo", kLaterFormat}};

void parse_color_channel(TableReader& table, const Scene& scene, std::string& color) {
  const Node* node = table.find("color");
  const std::vector<std::string_view> names = colors_of(scene);
  std::size_t index = 0;
  if (node != nullptr && read_choice(*node, "color", names, {}, index, table.context()))
    color = names[index];
}

void parse_surface(TableReader& table) {
  const Node* node = table.find("surface");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "surface", table.context())) return;
  if (!node->items.empty()) {
    table.fail(
        *node,
        "meshed surfaces ('surface') are not available in this version; write particles instead");
  }
}

void parse_resolution(TableReader& table, std::array<int, 2>& resolution) {
  const Node* node = table.find("resolution");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "resolution", table.context())) return;
  constexpr std::int64_t kLargest = 16384;
  bool valid = node->items.size() == 2;
  for (const Node& item : node->items) {
    valid = valid && item.is(NodeType::kInteger) && item.integer >= 1 && item.integer <= kLargest;
  }
  if (!valid) {
    table.fail(*node,
               fmt::format("'resolution' must be [width, height] in pixels, integers from 1 to {}",
                           kLargest));
    return;
  }
  resolution = {static_cast<int>(node->items[0].integer), static_cast<int>(node->items[1].integer)};
}

void parse_diagnostics(TableReader& table, DiagnosticsLevel& level) {
  constexpr Choice<DiagnosticsLevel> kLevels[] = {{"off", DiagnosticsLevel::kOff},
                                                  {"totals", DiagnosticsLevel::kTotals},
                                                  {"stages", DiagnosticsLevel::kStages}};
  const Node* node = table.find("diagnostics");
  if (node != nullptr && node->is(NodeType::kBoolean)) {
    level = node->boolean ? DiagnosticsLevel::kTotals : DiagnosticsLevel::kOff;
  } else {
    table.choice<DiagnosticsLevel>("diagnostics", level, kLevels);
  }
}

// Sine of the angle between two vectors, 0 if one of them is zero.
double sine_between(const Vec3& a, const Vec3& b) {
  const Vec3 cross = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]};
  const double lengths = std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2]);
  return lengths > 0 ? std::hypot(cross[0], cross[1], cross[2]) / lengths : 0;
}

void check_view(TableReader& table, const Camera& camera) {
  const Vec3 view = {camera.target[0] - camera.eye[0], camera.target[1] - camera.eye[1],
                     camera.target[2] - camera.eye[2]};
  constexpr double kSmallestSine = 1e-6;  // below it the horizon is round-off
  if (!(std::hypot(view[0], view[1], view[2]) > 0)) {
    table.fail("target", "the camera's 'eye' and 'target' must differ");
  } else if (sine_between(view, camera.up) < kSmallestSine) {
    table.fail("up", "the camera's 'up' must not be zero or parallel to the view direction");
  }
}

Camera parse_camera(const Node& node, ReadContext& context) {
  Camera camera;
  TableReader table(node, "output.camera", context);
  if (!node.is(NodeType::kTable)) return camera;
  if (context.is_2d()) {
    table.fail(node, "a camera needs dimension = 3; 2D pictures frame the scene by themselves");
    return camera;
  }
  table.require("eye");
  table.require("target");
  const bool eye = table.vector("eye", camera.eye), target = table.vector("target", camera.target);
  const bool up = table.vector("up", camera.up) || node.find("up") == nullptr;
  table.angle("fov", camera.fov, Range::open(0, 180));
  if (eye && target && up) check_view(table, camera);
  table.finish();
  return camera;
}

}  // namespace

void parse_output(const Node& root, Scene& scene, ReadContext& context) {
  OutputSettings& s = scene.output;
  parse_section(root, "output", context, [&](TableReader& table) {
    table.string("directory", s.directory);
    table.strings("particles", s.particles, {"ply", "npz"}, kLaterFormats);
    parse_surface(table);
    table.boolean("image", s.image);
    table.boolean("video", s.video);
    parse_color_channel(table, scene, s.color);
    parse_resolution(table, s.resolution);
    table.strings("channels", s.channels, channels_of(scene));
    table.integer("checkpoint_every", s.checkpoint_every, 0, 1'000'000'000);
    parse_diagnostics(table, s.diagnostics);
    if (is_staggered(scene) && s.diagnostics == DiagnosticsLevel::kStages)
      table.fail("diagnostics", "\"stages\" needs integrator \"explicit\"; use \"totals\"");
    if (const Node* camera = table.find("camera")) s.camera = parse_camera(*camera, context);
  });
}

}  // namespace firn::scene
