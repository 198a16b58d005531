#include "src/render/material_view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "src/surface/material_surfaces.h"

namespace firn {
namespace {

// Thinner than honey.
constexpr double kThinLiquid = 0.1;  // Pa s

Finish finish_of(const Material& material) {
  if (material.finish != Finish::kAuto) return material.finish;
  switch (material.model) {
    case MaterialModel::kIncompressible:
    case MaterialModel::kWeaklyCompressible:
      return material.viscosity < kThinLiquid ? Finish::kClear : Finish::kGlossy;
    case MaterialModel::kVonMises:
      return Finish::kMetal;
    case MaterialModel::kCamClay:
      return Finish::kMatte;
    default:
      return Finish::kSoft;
  }
}

SurfaceFinish look_of(Finish finish) {
  switch (finish) {
    case Finish::kGlossy:
      return {.gloss = 0.06f, .spread = 0.12f};
    case Finish::kMetal:
      return {.gloss = 0.55f, .spread = 0.22f, .metal = true};
    case Finish::kClear:
      return {.gloss = 0.02f, .spread = 0.05f};
    case Finish::kSoft:
      return {.gloss = 0.04f, .spread = 0.25f, .soft = 0.35f};
    default:
      return {};
  }
}

// That all of these particles have, if it is one.
std::optional<ColorF> one_color(const std::vector<std::uint32_t>& particles,
                                const std::vector<ColorF>& colors) {
  const ColorF& first = colors[particles.front()];
  const bool is_one = std::all_of(particles.begin(), particles.end(),
                                  [&](std::uint32_t p) { return colors[p] == first; });
  return is_one ? std::optional(first) : std::nullopt;
}

std::vector<float> flat(const std::vector<ColorF>& colors, bool linear) {
  std::vector<float> values;
  values.reserve(3 * colors.size());
  for (const ColorF& color : colors)
    for (const float c : {color[0], color[1], color[2]})
      values.push_back(linear ? c : srgb_to_linear(c));
  return values;
}

// By material.
std::vector<bool> shown_as_surfaces(const Scene& scene) {
  std::vector<bool> wanted(scene.materials.size());
  for (std::size_t m = 0; m < wanted.size(); ++m)
    wanted[m] = is_shown_as_surface(scene, static_cast<int>(m));
  return wanted;
}

std::vector<V3f> vectors(const std::vector<float>& values) {
  std::vector<V3f> result(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i / 3][static_cast<int>(i % 3)] = values[i];
  return result;
}

// Values of vertices that are there again behind all others, if there are any.
void repeat(const std::vector<std::uint32_t>& vertices, std::vector<V3f>& values) {
  if (values.empty()) return;
  for (const std::uint32_t vertex : vertices) values.push_back(values[vertex]);
}

}  // namespace

Finish shown_finish(const Material& material, bool scalar_colors) {
  const Finish finish = finish_of(material);
  return scalar_colors && finish != Finish::kMatte ? Finish::kSoft : finish;
}

void MaterialView::add_to(RayScene& rays, int first) && {
  rays.bodies = make_ray_meshes(std::move(bodies), first);
  rays.clear = make_ray_meshes(std::move(clear));
}

bool shows_surfaces(const Scene& scene) {
  const std::vector<bool> wanted = shown_as_surfaces(scene);
  return std::find(wanted.begin(), wanted.end(), true) != wanted.end();
}

MaterialView view_materials(const Scene& scene, const Snapshot& snapshot,
                            const ParticleColors& colors, double depth, const Walls& walls) {
  MaterialView view;
  if (!shows_surfaces(scene) || snapshot.size() == 0) return view;
  const std::vector<bool> wanted = shown_as_surfaces(scene);
  view.covered.assign(snapshot.size(), false);
  const std::vector<ColorF> own = colors(snapshot);
  std::vector<float> color;  // linear, once some surface has several
  const std::vector<float> glow = flat(colors.glow(snapshot), true);
  for (MaterialSurface& body : material_surfaces(scene, snapshot, wanted, walls)) {
    if (body.surface.mesh().vertices() == 0) continue;  // too coarse voxels lost it
    for (const std::uint32_t p : body.particles) view.covered[p] = true;
    const Finish finish = shown_finish(scene.materials[body.material], colors.is_scalar());
    Surface surface;
    if (const std::optional<ColorF> one = one_color(body.particles, own)) {
      for (std::size_t c = 0; c < 3; ++c)
        surface.color[static_cast<int>(c)] = srgb_to_linear((*one)[c]);
    } else {
      if (color.empty()) color = flat(own, false);
      surface.colors = vectors(body.at_vertices(color, 3));
    }
    if (!glow.empty()) surface.glow = vectors(body.at_vertices(glow, 3));
    std::vector<std::uint32_t> copied;
    SurfaceMesh mesh = std::move(body.surface).creased(copied);
    repeat(copied, surface.colors);
    repeat(copied, surface.glow);
    surface.mesh = {vectors(mesh.positions), vectors(mesh.normals), std::move(mesh.triangles)};
    surface.finish = look_of(finish);
    double volume = 0;
    for (const std::uint32_t p : body.particles) volume += snapshot.volume[p];
    surface.finish.gap =
        2 * static_cast<float>(std::cbrt(volume / static_cast<double>(body.particles.size())));
    surface.finish.depth = static_cast<float>(depth);
    (finish == Finish::kClear ? view.clear : view.bodies).push_back(std::move(surface));
  }
  return view;
}

}  // namespace firn
