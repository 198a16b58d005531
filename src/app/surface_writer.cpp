#include "src/app/surface_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

double per_cell(const Scene& scene, int owner) {
  const auto i = static_cast<std::size_t>(owner);
  return i < scene.bodies.size() ? scene.bodies[i].particles_per_cell
                                 : scene.sources[i - scene.bodies.size()].particles_per_cell;
}

// Every surface that a scene may show, the same in all frames, without anything in it. Its name is
// its material's and, where several bodies or sources are of it, their number among these. Whatever
// names are taken, all differ.
std::map<std::pair<int, int>, SurfaceLayer> surfaces_of(const Scene& scene) {
  std::vector<std::vector<int>> owners(scene.materials.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    owners[static_cast<std::size_t>(scene.bodies[b].material)].push_back(static_cast<int>(b));
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    owners[static_cast<std::size_t>(scene.sources[s].material)].push_back(
        static_cast<int>(scene.bodies.size() + s));
  std::set<std::string> taken;
  for (const Material& m : scene.materials) taken.insert(m.name);
  std::map<std::pair<int, int>, SurfaceLayer> surfaces;
  for (std::size_t m = 0; m < owners.size(); ++m) {
    const auto material = static_cast<int>(m);
    const std::string& name = scene.materials[m].name;
    const bool liquid = is_liquid(scene.materials[m].model);
    for (std::size_t i = 0; i < owners[m].size() && !(liquid && i > 0); ++i) {
      SurfaceLayer& own = surfaces[{material, liquid ? 0 : owners[m][i]}];
      own = {name, material, surface_voxel(scene, per_cell(scene, owners[m][i])), nullptr};
      if (liquid || owners[m].size() == 1) continue;
      std::string numbered;
      for (std::size_t digits = 1; numbered.empty() || !taken.insert(numbered).second; ++digits)
        numbered = fmt::format("{}_{:0{}}", name, i + 1, digits);
      own.name = std::move(numbered);
    }
  }
  // A line of a file ends where one of them would.
  for (auto& [of, surface] : surfaces)
    std::replace_if(
        surface.name.begin(), surface.name.end(), [](char c) { return c >= 0 && c < ' '; }, '_');
  return surfaces;
}

}  // namespace

SurfaceWriter::SurfaceWriter(const Scene& scene, const RunDirectory& directory,
                             const std::vector<std::string>& formats)
    : scene_(scene), directory_(directory), surfaces_(surfaces_of(scene)) {
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
  walls_.emplace(scene);
  directory.make_surface_folder();
}

void SurfaceWriter::write(const Snapshot& particles, const std::vector<ColliderState>& colliders,
                          const FrameMark& mark, bool ids_are_known) const {
  if (formats_.empty()) return;
  const auto surfaces = material_surfaces(
      scene_, particles, std::vector<bool>(scene_.materials.size(), true), walls_->at(colliders));
  const std::vector<float> colors = colors_of(scene_, particles);
  SurfaceFrame frame{mark,
                     scene_.solves_heat() && particles.temperature.size() == particles.size(),
                     ids_are_known,
                     {}};
  auto all = surfaces_;
  for (const MaterialSurface& s : surfaces) {
    SurfaceLayer& layer = all.at({s.material, s.body});
    layer.surface = &s.surface;
    layer.velocity = s.fitted_at_vertices(particles.velocity);
    layer.color = s.at_vertices(colors, 3);
    if (frame.has_temperature) layer.temperature = s.at_vertices(particles.temperature, 1);
    for (const std::uint32_t p : s.nearest_to_vertices()) {
      layer.body.push_back(particles.body[p]);
      layer.id.push_back(particles.id[p]);
    }
  }
  for (auto& [of, layer] : all) frame.layers.push_back(std::move(layer));
  for (const SurfaceFormat* format : formats_)
    format->write(directory_.surface_path(mark.frame, format->name), frame);
}

}  // namespace firn::app
