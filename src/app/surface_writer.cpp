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

// Of every surface that a scene may show, the same in all frames: its material's and, where several
// bodies or sources are of it, their number among these. Whatever names are taken, all differ.
std::map<std::pair<int, int>, std::string> surface_names(const Scene& scene) {
  std::vector<std::vector<int>> owners(scene.materials.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    owners[static_cast<std::size_t>(scene.bodies[b].material)].push_back(static_cast<int>(b));
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    owners[static_cast<std::size_t>(scene.sources[s].material)].push_back(
        static_cast<int>(scene.bodies.size() + s));
  std::set<std::string> taken;
  for (const Material& m : scene.materials) taken.insert(m.name);
  std::map<std::pair<int, int>, std::string> names;
  for (std::size_t m = 0; m < owners.size(); ++m) {
    const auto material = static_cast<int>(m);
    const std::string& name = scene.materials[m].name;
    names[{material, 0}] = name;  // of a liquid
    if (owners[m].size() < 2 || is_liquid(scene.materials[m].model)) {
      for (const int owner : owners[m]) names[{material, owner}] = name;
      continue;
    }
    for (std::size_t i = 0; i < owners[m].size(); ++i) {
      std::string numbered;
      for (std::size_t digits = 1; numbered.empty() || !taken.insert(numbered).second; ++digits)
        numbered = fmt::format("{}_{:0{}}", name, i + 1, digits);
      names[{material, owners[m][i]}] = std::move(numbered);
    }
  }
  // A line of a file ends where one of them would.
  for (auto& [surface, name] : names)
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; }, '_');
  return names;
}

}  // namespace

SurfaceWriter::SurfaceWriter(const Scene& scene, const RunDirectory& directory,
                             const std::vector<std::string>& formats)
    : scene_(scene), directory_(directory), names_(surface_names(scene)) {
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
                          const FrameMark& mark) const {
  if (formats_.empty()) return;
  const auto surfaces = material_surfaces(
      scene_, particles, std::vector<bool>(scene_.materials.size(), true), walls_->at(colliders));
  const std::vector<float> colors = colors_of(scene_, particles);
  std::vector<SurfaceLayer> layers;
  layers.reserve(surfaces.size());
  for (const MaterialSurface& s : surfaces)
    layers.push_back({names_.at({s.material, s.body}), s.material, &s.surface,
                      s.at_vertices(particles.velocity, 3), s.at_vertices(colors, 3)});
  for (const SurfaceFormat* format : formats_)
    format->write(directory_.surface_path(mark.frame, format->name), layers, mark);
}

}  // namespace firn::app
