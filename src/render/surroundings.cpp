#include "src/render/surroundings.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

// More names than these are a list to look things up in, and of one there is nothing to tell apart.
constexpr std::size_t kFewestNames = 2, kMostNames = 10;

constexpr float kDark = 0.12f;  // luminance: a third of a grey ground's
constexpr Vec3 kLightGround{0.8, 0.8, 0.79};

// Rec. 709.
float luminance(const ColorF& srgb) {
  const ColorF light = srgb_to_linear(srgb);
  return 0.2126f * light[0] + 0.7152f * light[1] + 0.0722f * light[2];
}

}  // namespace

std::vector<LegendEntry> shown_legend(const Scene& scene) {
  if (scene.output.legend == Drawn::kNever) return {};
  std::vector<LegendEntry> entries = legend_of(scene);
  const bool tells = entries.size() >= kFewestNames && entries.size() <= kMostNames;
  if (scene.output.legend == Drawn::kAuto && !tells) entries.clear();
  return entries;
}

// By itself where half of the corners are in the picture, those of the floor, say.
bool shows_outline(const Scene& scene, const Projection& view) {
  if (!scene.grid.domain || scene.output.outline == Drawn::kNever) return false;
  if (scene.output.outline == Drawn::kAlways) return true;
  Bounds domain;
  domain.add(to_vec(scene.grid.domain->min));
  domain.add(to_vec(scene.grid.domain->max));
  int seen = 0;
  for (int i = 0; i < 8; ++i) {
    const V3d corner = domain.corner(i);
    if (dot(corner - view.eye, view.forward) <= 0) continue;
    const auto [x, y] = view.project(corner);
    seen += std::abs(x) < 1 && std::abs(y) < 1 ? 1 : 0;
  }
  return seen >= 4;
}

// What is light on a grey ground keeps it: it would be lost on a light one.
Vec3 ground_color(const Scene& scene) {
  Scene by_material;
  by_material.materials = scene.materials;
  by_material.bodies = scene.bodies;
  by_material.sources = scene.sources;
  const std::vector<LegendEntry> colors = legend_of(by_material);
  const bool dark = !colors.empty() && scene.output.color == "material" &&
                    std::all_of(colors.begin(), colors.end(), [](const LegendEntry& entry) {
                      return luminance(entry.color) < kDark;
                    });
  return dark ? kLightGround : Collider{}.color;
}

}  // namespace firn
