#include "src/render/surroundings.h"

#include <algorithm>
#include <cmath>

#include "src/scene/boundary_types.h"

namespace firn {
namespace {

// More names than these are a list to look things up in, and of one there is nothing to tell apart.
constexpr std::size_t kFewestNames = 2, kMostNames = 10;

constexpr float kDark = 0.12f;  // luminance: a third of a grey ground's
constexpr float kLight = 0.7f;  // three quarters of white paper's
constexpr Vec3 kLightGround{0.8, 0.8, 0.79};

// Rec. 709.
float luminance(const ColorF& srgb) {
  const ColorF light = srgb_to_linear(srgb);
  return 0.2126f * light[0] + 0.7152f * light[1] + 0.0722f * light[2];
}

// Of the colours of a scene's materials and bodies; none where pictures have other ones.
std::vector<float> shown_luminances(const Scene& scene) {
  if (scene.output.color != "material") return {};
  Scene by_material;
  by_material.materials = scene.materials;
  by_material.bodies = scene.bodies;
  by_material.sources = scene.sources;
  std::vector<float> shown;
  for (const LegendEntry& entry : legend_of(by_material)) shown.push_back(luminance(entry.color));
  return shown;
}

constexpr Rgb kInk{38, 46, 56};
constexpr Rgb kGlassEdge{205, 228, 220};

// Half of the corners are in the picture, those of the floor, say.
bool shows_most(const Domain& domain, const Projection& view) {
  Bounds bounds;
  bounds.add(to_vec(domain.min));
  bounds.add(to_vec(domain.max));
  int seen = 0;
  for (int i = 0; i < 8; ++i) {
    const V3d corner = bounds.corner(i);
    if (dot(corner - view.eye, view.forward) <= 0) continue;
    const auto [x, y] = view.project(corner);
    seen += std::abs(x) < 1 && std::abs(y) < 1 ? 1 : 0;
  }
  return seen >= 4;
}

bool holds_liquid(const Scene& scene) {
  return std::any_of(scene.materials.begin(), scene.materials.end(), [](const Material& material) {
    return material.model == MaterialModel::kIncompressible ||
           material.model == MaterialModel::kWeaklyCompressible;
  });
}

}  // namespace

std::vector<LegendEntry> shown_legend(const Scene& scene) {
  if (scene.output.legend == Drawn::kNever) return {};
  std::vector<LegendEntry> entries = legend_of(scene);
  const bool tells = entries.size() >= kFewestNames && entries.size() <= kMostNames;
  if (scene.output.legend == Drawn::kAuto && !tells) entries.clear();
  return entries;
}

std::optional<GlassBox> shown_glass(const Scene& scene, const V3d& up, const Projection& view) {
  const std::optional<Domain>& domain = scene.grid.domain;
  if (!domain || scene.output.glass == Drawn::kNever) return {};
  if (scene.output.glass == Drawn::kAuto && !(holds_liquid(scene) && shows_most(*domain, view)))
    return {};
  GlassBox glass{to_float(to_vec(domain->min)),
                 to_float(to_vec(domain->max)),
                 {},
                 static_cast<float>(scene.grid.dx)};
  const std::size_t floor = floor_of(scene.simulation, up);
  for (std::size_t face = 0; face < glass.panes.size(); ++face)
    glass.panes[face] = face != floor && is_wall(domain->boundary[face]);
  if (std::none_of(glass.panes.begin(), glass.panes.end(), [](bool pane) { return pane; }))
    return {};
  return glass;
}

// The edges of the domain by themselves where they are in the picture and no panes are.
std::vector<Outline> shown_outlines(const Scene& scene, const V3d& up, const Projection& view) {
  if (!scene.grid.domain) return {};
  const Domain& domain = *scene.grid.domain;
  const std::optional<GlassBox> glass = shown_glass(scene, up, view);
  const Drawn drawn = scene.output.outline;
  std::vector<Outline> outlines;
  if (glass) outlines.push_back({glass->min, glass->max, kGlassEdge, glass->panes});
  if (drawn == Drawn::kAlways || (drawn == Drawn::kAuto && !glass && shows_most(domain, view)))
    outlines.push_back({to_float(to_vec(domain.min)), to_float(to_vec(domain.max)), kInk});
  return outlines;
}

// What is light on a grey ground keeps it: it would be lost on a light one.
Vec3 ground_color(const Scene& scene) {
  const std::vector<float> shown = shown_luminances(scene);
  const bool dark = !shown.empty() && std::all_of(shown.begin(), shown.end(),
                                                  [](float value) { return value < kDark; });
  return dark ? kLightGround : Collider{}.color;
}

bool is_lost_on_white(const Scene& scene) {
  const std::vector<float> shown = shown_luminances(scene);
  return std::any_of(shown.begin(), shown.end(), [](float value) { return value > kLight; });
}

}  // namespace firn
