// What the page is told of a scene once: names, channels and their colours, the first camera, what
// stands in it; and the columns of its ledger.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "firn/version.h"
#include "src/render/color_map.h"
#include "src/render/particle_color.h"
#include "src/render/view.h"
#include "src/view/session.h"

namespace firn::view {
namespace {

Json bytes_of(const ColorF& color) {
  Json bytes = Json::array();
  for (const float c : color) bytes.push_back(std::lround(255 * std::clamp(c, 0.0f, 1.0f)));
  return bytes;
}

template <ColorF (*map)(double)>
Json table_of() {
  Json table = Json::array();
  for (int i = 0; i < 256; ++i) table.push_back(bytes_of(map(i / 255.0)));
  return table;
}

ColorF to_color(const Vec3& color) {
  return {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])};
}

Json channels_json(const std::vector<ViewChannel>& channels) {
  Json list = Json::array();
  for (const ViewChannel& c : channels)
    list.push_back({{"name", c.name},
                    {"label", c.label},
                    {"unit", c.unit},
                    {"category", c.category},
                    {"diverging", c.diverging}});
  return list;
}

Json materials_json(const Scene& scene) {
  Json list = Json::array();
  for (const Material& material : scene.materials)
    list.push_back({{"name", material.name}, {"color", bytes_of(to_color(material.color))}});
  return list;
}

Json bodies_json(const Scene& scene) {
  Json list = Json::array();
  const auto add = [&list](const std::string& name) {
    list.push_back(
        {{"name", name}, {"color", bytes_of(category_color(static_cast<int>(list.size())))}});
  };
  for (const Body& body : scene.bodies) add(body.name);
  for (const Source& source : scene.sources) add(source.name);
  return list;
}

// Null: the scene has none. Colours are by body, as in pictures where they show materials.
Json tracers_json(const Scene& scene, const TracedBodies& traced) {
  if (!(scene.tracers.per_cell > 0)) return nullptr;
  Scene shown = scene;
  shown.output.color = "material";
  Snapshot one_of_each;
  one_of_each.dimension = 1;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    one_of_each.id.push_back(static_cast<std::uint32_t>(b));
    one_of_each.body.push_back(static_cast<std::uint16_t>(b));
    one_of_each.material.push_back(static_cast<std::uint16_t>(scene.bodies[b].material));
  }
  Json bodies = Json::array();
  const std::vector<ColorF> colors = ParticleColors(shown, {}, {})(one_of_each);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    bodies.push_back({{"name", scene.bodies[b].name},
                      {"color", bytes_of(colors[b])},
                      {"traced", traced.is_filled(b)}});
  return {{"diameter", 2 * tracer_radius(scene)}, {"bodies", bodies}};
}

Json domain_json(const Scene& scene) {
  if (!scene.grid.domain) return nullptr;
  return {{"min", scene.grid.domain->min}, {"max", scene.grid.domain->max}};
}

std::string solids_bytes(const Scene& scene) {
  const Solids solids = solids_of(scene);
  Json list = Json::array();
  std::string bytes;
  const auto append = [&bytes](const std::vector<float>& numbers) {
    const std::size_t at = bytes.size();
    bytes.resize(at + numbers.size() * sizeof(float));
    if (!numbers.empty()) std::memcpy(bytes.data() + at, numbers.data(), bytes.size() - at);
  };
  for (std::size_t i = 0; i < solids.solids.size(); ++i) {
    const Solid& s = solids.solids[i];
    list.push_back({{"name", s.name},
                    {"color", bytes_of(to_color(s.color))},
                    {"collider", solids.collider[i]},
                    {"plane", s.plane},
                    {"point", s.point},
                    {"normal", s.normal},
                    {"triangles", s.triangles.size() / 9},
                    {"lines", s.lines.size() / 6}});
    append(s.triangles);
    append(s.lines);
  }
  return packed({{"solids", list}}, bytes);
}

// What a scene's pictures show, by the name of a channel of the viewer.
std::string first_channel(const std::string& color) {
  if (color == "velocity") return "speed";
  if (color == "deformation_gradient") return "volume_ratio";
  return color == "glow" ? "temperature" : color;
}

double magnitude(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

}  // namespace

std::vector<std::string> ledger_columns(const Scene& scene) {
  std::vector<std::string> columns{"time",      "total", "kinetic",  "elastic",
                                   "potential", "mass",  "momentum", "angular momentum"};
  if (scene.solves_heat()) columns.emplace_back("heat");
  return columns;
}

LedgerRow ledger_row(const Scene& scene, const FrameStats& stats) {
  const Totals& t = stats.totals;
  LedgerRow row{
      stats.time,
      t.kinetic + t.elastic + t.potential,
      t.kinetic,
      t.elastic,
      t.potential,
      t.mass,
      magnitude(t.momentum),
      scene.simulation.dimension == 2 ? t.angular_momentum[2] : magnitude(t.angular_momentum)};
  if (scene.solves_heat()) row.push_back(t.heat);
  return row;
}

void Session::set_scene(const Scene& scene, bool anew) {
  std::vector<ViewChannel> channels = view_channels(scene);
  Json told{
      {"firn", kVersion},
      {"live", live_},
      {"name", scene.name},
      {"title", scene.title.empty() ? scene.name : scene.title},
      {"dimension", scene.simulation.dimension},
      {"frames", scene.simulation.frames},
      {"fps", scene.simulation.fps},
      {"dx", scene.grid.dx},
      {"domain", domain_json(scene)},
      {"channels", channels_json(channels)},
      {"color", first_channel(scene.output.color)},
      {"materials", materials_json(scene)},
      {"bodies", bodies_json(scene)},
      {"ledger", scene.output.diagnostics == DiagnosticsLevel::kOff ? std::vector<std::string>{}
                                                                    : ledger_columns(scene)},
      {"map", table_of<color_map>()},
      {"diverging_map", table_of<diverging_color_map>()},
      {"stage", nullptr}};
  const auto surfaces = std::make_shared<PictureSurfaces>(scene);
  told["surfaces"] = surfaces->any();
  TracedBodies traced(scene);
  told["tracers"] = tracers_json(scene, traced);
  std::string solids = solids_bytes(scene);
  const std::lock_guard lock(mutex_);
  if (!anew && scene_.contains("stage")) told["stage"] = scene_["stage"];
  scene_ = std::move(told);
  channels_ = std::move(channels);
  surfaces_ = surfaces;
  traced_ = std::move(traced);
  solids_ = std::move(solids);
  if (anew) {
    store_.clear();
    rows_.clear();
    ++beginning_;
  }
  ++epoch_;
  changed();
}

namespace {

// Where a camera that moves is at each frame.
Json camera_path(const Scene& scene) {
  constexpr int kMost = 20000;  // beyond them it stands still
  Json path = Json::array();
  const std::optional<Camera>& camera = scene.output.camera;
  if (!camera || !camera->moves() || scene.simulation.dimension == 2) return path;
  for (int frame = 0; frame <= std::min(scene.simulation.frames, kMost); ++frame) {
    const Camera there = camera->at(frame / scene.simulation.fps);
    path.push_back({{"eye", there.eye}, {"target", there.target}, {"fov", there.fov}});
  }
  return path;
}

}  // namespace

void Session::set_stage(const Scene& scene, const Snapshot& first) {
  constexpr double kAspect = 16.0 / 9;
  constexpr int kHeight = 900;
  const Stage stage = make_stage(scene, first);
  Camera camera = choose_camera(scene, stage, kAspect);
  if (scene.simulation.dimension ==
      2) {  // a height of view at the target, seen from straight above
    const int width = static_cast<int>(kAspect * kHeight);
    const FlatView flat = choose_flat_view(scene, stage, width, kHeight);
    const V3d center = flat.point(width / 2.0, kHeight / 2.0);
    const double height = kHeight / flat.pixels_per_metre;
    camera.target = {center[0], center[1], 0};
    camera.eye = {center[0], center[1], height / 2 / std::tan(camera.fov / 2)};
    camera.up = {0, 1, 0};
  }
  const V3d low = stage.focus.min, high = stage.focus.max;
  const Json told{{"eye", camera.eye},
                  {"target", camera.target},
                  {"up", std::array{stage.up[0], stage.up[1], stage.up[2]}},
                  {"fov", camera.fov},
                  {"path", camera_path(scene)},
                  {"spacing", stage.spacing},
                  {"min", std::array{low[0], low[1], low[2]}},
                  {"max", std::array{high[0], high[1], high[2]}}};
  const std::lock_guard lock(mutex_);
  scene_["stage"] = told;
  ++epoch_;
  changed();
}

}  // namespace firn::view
