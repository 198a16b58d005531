#include "src/app/surface_writer.h"

#include <fmt/format.h>

#include <map>

#include "firn/error.h"
#include "src/surface/material_surfaces.h"

namespace firn::app {
namespace {

// That of its body, if it has one, or of its material.
std::vector<float> colors_of(const Scene& scene, const Snapshot& particles) {
  std::vector<float> colors;
  colors.reserve(3 * particles.size());
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const std::size_t body = particles.body[p];
    const bool own = body < scene.bodies.size() && scene.bodies[body].color;
    for (const double c :
         own ? *scene.bodies[body].color : scene.materials[particles.material[p]].color)
      colors.push_back(static_cast<float>(c));
  }
  return colors;
}

}  // namespace

SurfaceWriter::SurfaceWriter(const Scene& scene, const RunDirectory& directory,
                             const std::vector<std::string>& formats)
    : scene_(scene), directory_(directory) {
  for (const std::string& name : formats) {
    const SurfaceFormat* format = find_surface_format(name);
    if (format == nullptr)
      throw Error(ErrorCategory::kScene, fmt::format("there is no surface format '{}'", name));
    formats_.push_back(format);
  }
  if (formats_.empty()) return;
  if (scene.simulation.dimension != 3)
    throw Error(ErrorCategory::kScene, "surfaces need a scene with dimension = 3");
  require_surface_formats(scene, formats);
  directory.make_surface_folder();
}

void SurfaceWriter::write(const Snapshot& particles, const FrameMark& mark) const {
  if (formats_.empty()) return;
  const auto surfaces =
      material_surfaces(scene_, particles, std::vector<bool>(scene_.materials.size(), true));
  const std::vector<float> colors = colors_of(scene_, particles);
  std::map<int, int> of_material, numbered;
  for (const MaterialSurface& s : surfaces) ++of_material[s.material];
  std::vector<SurfaceLayer> layers;
  for (const MaterialSurface& s : surfaces) {
    std::string name = scene_.materials[s.material].name;
    if (of_material[s.material] > 1) name += fmt::format("_{}", ++numbered[s.material]);
    layers.push_back({std::move(name), s.material, &s.surface, s.at_vertices(particles.velocity, 3),
                      s.at_vertices(colors, 3)});
  }
  for (const SurfaceFormat* format : formats_)
    format->write(directory_.surface_path(mark.frame, format->name), layers, mark);
}

}  // namespace firn::app
