#include "src/surface/material_surfaces.h"

#include <map>
#include <utility>

namespace firn {
namespace {

// SurfaceSettings::drawn of solids: a ball that lies on a floor touches it at a point, and has no
// skirt there; what lies flat on it still does so without a gap.
constexpr double kSolidDrawn = 0.15;

std::vector<float> of(const std::vector<std::uint32_t>& particles, std::span<const float> values,
                      std::size_t components) {
  std::vector<float> chosen;
  chosen.reserve(particles.size() * components);
  for (const std::size_t p : particles)
    for (std::size_t c = 0; c < components; ++c) chosen.push_back(values[p * components + c]);
  return chosen;
}

}  // namespace

bool is_liquid(MaterialModel model) {
  return model == MaterialModel::kIncompressible || model == MaterialModel::kWeaklyCompressible;
}

std::vector<float> MaterialSurface::at_vertices(std::span<const float> values,
                                                int components) const {
  return surface.at_vertices(of(particles, values, static_cast<std::size_t>(components)),
                             components);
}

std::vector<float> MaterialSurface::fitted_at_vertices(std::span<const float> vectors) const {
  return surface.fitted_at_vertices(of(particles, vectors, 3));
}

std::vector<std::uint32_t> MaterialSurface::nearest_to_vertices() const {
  std::vector<std::uint32_t> nearest = surface.nearest_to_vertices();
  for (std::uint32_t& p : nearest) p = particles[p];
  return nearest;
}

bool is_shown_as_surface(const Scene& scene, int material) {
  if (scene.simulation.dimension != 3 || !surfaces_available()) return false;
  const Material& m = scene.materials[material];
  const Look look = m.look != Look::kAuto ? m.look : scene.output.look;
  if (look != Look::kAuto) return look == Look::kSurface;
  return m.model != MaterialModel::kSnow && m.model != MaterialModel::kSandClamp &&
         m.model != MaterialModel::kDruckerPrager;
}

bool makes_surfaces(const Scene& scene) {
  if (!scene.output.surface.empty()) return true;
  bool shown = false;
  for (int m = 0; m < static_cast<int>(scene.materials.size()); ++m)
    shown = shown || is_shown_as_surface(scene, m);
  return scene.output.image && shown;
}

double surface_bytes(const Scene& scene) {
  constexpr double kBytes = 142, kImages = 17, kImagesOfEllipsoids = 41;
  if (!has_walls(scene)) return kBytes;
  const bool ellipsoids = scene.output.surface_kernel == SurfaceKernel::kAnisotropic;
  return kBytes + (ellipsoids ? kImagesOfEllipsoids : kImages);
}

SurfaceSettings surface_settings(const Scene& scene) {
  return {scene.output.surface_voxel, scene.output.surface_smoothing, scene.output.surface_kernel};
}

std::vector<MaterialSurface> material_surfaces(const Scene& scene, const Snapshot& snapshot,
                                               const std::vector<bool>& wanted,
                                               const Walls& walls) {
  const auto is_solid = [&](int material) { return !is_liquid(scene.materials[material].model); };
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t p = 0; p < snapshot.size(); ++p) {
    const int material = snapshot.material[p];
    if (!wanted[material]) continue;
    groups[{material, is_solid(material) ? snapshot.body[p] : 0}].push_back(p);
  }
  std::vector<MaterialSurface> surfaces;
  for (auto& [key, particles] : groups) {
    const std::vector<float> position = of(particles, snapshot.position, 3);
    const std::vector<float> volume = of(particles, snapshot.volume, 1);
    SurfaceSettings settings = surface_settings(scene);
    if (is_solid(key.first)) settings.drawn = kSolidDrawn;
    ParticleSurface surface({position, volume}, settings, walls);
    surfaces.push_back({key.first, key.second, std::move(particles), std::move(surface)});
  }
  return surfaces;
}

}  // namespace firn
