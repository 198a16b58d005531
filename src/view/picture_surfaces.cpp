#include "src/view/picture_surfaces.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "src/render/color_map.h"
#include "src/render/material_view.h"

namespace firn::view {
namespace {

float value_of(const Levels& levels, std::size_t i) {
  const std::uint16_t level = i < levels.level.size() ? levels.level[i] : kMissing;
  if (level == kMissing) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(levels.low + (levels.high - levels.low) * level / kLargestLevel);
}

std::vector<float> values_of(const Levels& levels) {
  std::vector<float> values(levels.level.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(levels, i);
  return values;
}

std::vector<std::uint16_t> indices_of(const Picture& picture, const char* channel) {
  const Channel* found = picture.find(channel);
  return found != nullptr ? found->levels->level : std::vector<std::uint16_t>(picture.points());
}

// What surfaces are made of, at the precision of the picture; each point stands for its share of
// the particles.
Snapshot points_of(const Picture& picture) {
  Snapshot snapshot;
  snapshot.dimension = 3;
  const std::size_t n = picture.points();
  snapshot.id.resize(n);
  std::iota(snapshot.id.begin(), snapshot.id.end(), 0u);
  snapshot.position.resize(3 * n);
  for (std::size_t i = 0; i < 3 * n; ++i)
    snapshot.position[i] =
        static_cast<float>(picture.places.origin[i % 3] +
                           picture.places.extent[i % 3] * picture.places.level[i] / 65535);
  const auto share = static_cast<float>(static_cast<double>(picture.particles) /
                                        static_cast<double>(std::max<std::size_t>(n, 1)));
  snapshot.volume = values_of(*picture.volume);
  for (float& volume : snapshot.volume) volume *= share;
  snapshot.material = indices_of(picture, "material");
  snapshot.body = indices_of(picture, "body");
  return snapshot;
}

// Of each point, by what a category stands for.
std::vector<float> colors_of(const Scene& scene, const Levels& levels, bool of_bodies) {
  std::vector<float> colors;
  colors.reserve(3 * levels.level.size());
  for (const std::uint16_t level : levels.level) {
    ColorF color = category_color(level);
    if (!of_bodies && level < scene.materials.size())
      for (std::size_t c = 0; c < 3; ++c)
        color[c] = static_cast<float>(scene.materials[level].color[c]);
    colors.insert(colors.end(), {color[0], color[1], color[2]});
  }
  return colors;
}

}  // namespace

PictureSurfaces::PictureSurfaces(const Scene& scene) : scene_(scene) {
  for (int m = 0; m < static_cast<int>(scene.materials.size()); ++m)
    wanted_.push_back(is_shown_as_surface(scene, m));
}

bool PictureSurfaces::any() const {
  return std::find(wanted_.begin(), wanted_.end(), true) != wanted_.end();
}

void PictureSurfaces::make(const Picture& picture, const std::vector<bool>& left_out) {
  if (picture.number == number_ && left_out.empty() == of_all_) return;
  kept_.clear();
  Snapshot points = points_of(picture);
  std::vector<bool> wanted = wanted_;
  wanted.push_back(false);  // a material that is none, of which no surface is made
  const auto none = static_cast<std::uint16_t>(wanted_.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points.material[i] > none || (!left_out.empty() && left_out[i])) points.material[i] = none;
  if (!walls_) walls_.emplace(scene_);
  kept_ = material_surfaces(scene_, points, wanted, walls_->at(picture.colliders));
  number_ = picture.number;
  of_all_ = left_out.empty();
}

SurfaceMeshes PictureSurfaces::of(const Picture& picture, const std::string& channel,
                                  const std::vector<bool>& left_out) {
  SurfaceMeshes all;
  if (!any() || picture.volume == nullptr || picture.points() == 0) return all;
  const std::lock_guard lock(mutex_);
  make(picture, left_out);
  all.covered.assign(picture.points(), false);
  all.clear.assign(picture.points(), false);
  const Channel* shown = picture.find(channel);
  const bool category = channel == "material" || channel == "body";
  std::vector<float> values;
  if (shown != nullptr)
    values =
        category ? colors_of(scene_, *shown->levels, channel == "body") : values_of(*shown->levels);
  std::vector<float> position, at_vertices;
  const auto add = [&](const MaterialSurface& body, bool clear) {
    const SurfaceMesh& mesh = body.surface.mesh();
    if (mesh.vertices() == 0) return;  // too coarse voxels lost it
    for (const std::uint32_t p : body.particles) all.covered[p] = true, all.clear[p] = clear;
    const auto first = static_cast<std::uint32_t>(position.size() / 3);
    for (const std::uint32_t corner : mesh.triangles) all.triangles.push_back(first + corner);
    position.insert(position.end(), mesh.positions.begin(), mesh.positions.end());
    for (const float n : mesh.normals)
      all.normal.push_back(static_cast<std::int8_t>(std::lround(127 * std::clamp(n, -1.0f, 1.0f))));
    if (values.empty()) return;
    const std::vector<float> own = body.at_vertices(values, category ? 3 : 1);
    at_vertices.insert(at_vertices.end(), own.begin(), own.end());
  };
  const auto is_clear = [&](const MaterialSurface& body) {
    return shown_finish(scene_.materials[static_cast<std::size_t>(body.material)], !category) ==
           Finish::kClear;
  };
  for (const bool clear : {false, true}) {
    for (const MaterialSurface& body : kept_)
      if (is_clear(body) == clear) add(body, clear);
    if (!clear) all.opaque = all.triangles.size();
  }
  Snapshot corners;
  corners.dimension = 3;
  corners.position = std::move(position);
  std::vector<std::uint32_t> order(all.vertices());
  std::iota(order.begin(), order.end(), 0u);
  all.places = quantised_places(corners, order);
  if (category)
    for (const float c : at_vertices)
      all.color.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(c, 0.0f, 1.0f))));
  else if (!at_vertices.empty())
    all.levels = quantised({at_vertices.begin(), at_vertices.end()}, order);
  return all;
}

std::string packed_surfaces(const SurfaceMeshes& meshes) {
  constexpr std::size_t kVertex = 16;
  const std::size_t n = meshes.vertices(), triangles = 4 * meshes.triangles.size();
  std::string bytes(n * kVertex + triangles, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    char* out = bytes.data() + i * kVertex;
    const std::uint16_t* place = &meshes.places.level[3 * i];
    const std::uint16_t point[4] = {
        place[0], place[1], place[2],
        meshes.levels.level.empty() ? kMissing : meshes.levels.level[i]};
    std::memcpy(out, point, 8);
    std::memcpy(out + 8, &meshes.normal[3 * i], 3);
    if (!meshes.color.empty()) std::memcpy(out + 12, &meshes.color[3 * i], 3);
  }
  if (triangles > 0) std::memcpy(bytes.data() + n * kVertex, meshes.triangles.data(), triangles);
  return bytes + packed_bits(meshes.covered) + packed_bits(meshes.clear);
}

}  // namespace firn::view
