// What the camera rays of a picture meet, by squares of pixels. Of squares that show planes and the
// background only nothing is kept: it costs less to meet a plane again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "src/render/clear_shadow.h"
#include "src/render/embree_scene.h"
#include "src/render/picture_rays.h"
#include "src/render/sphere_tiles.h"

namespace firn {

class PictureHits {
 public:
  PictureHits(const RayScene& scene, const Projection& view, int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  int columns() const { return columns_; }  // of tiles
  int tiles() const { return static_cast<int>(tiles_.size()); }
  int left(int tile) const { return tile % columns_ * kTile; }
  int top(int tile) const { return tile / columns_ * kTile; }

  void trace(int tile);
  bool may_show_meshes(int tile) const;

  // Of a sample of 16 pixels from x on, a multiple of 16; null where only planes are seen.
  const PacketHits* row(int x, int y, int sample) const {
    const Tile* tile = tiles_[y / kTile * columns_ + x / kTile].get();
    return tile ? &(*tile)[y % kTile][sample] : nullptr;
  }
  // Particles that camera rays have met, in the order of their indices.
  std::vector<std::uint32_t> visible_particles() const;

  const RayScene& scene;
  const EmbreeScene embree;
  const CameraRays camera;
  std::optional<ClearShadow> clear_shadow;  // once it is known where the sun stands

 private:
  using Row = std::array<PacketHits, kSamples>;
  using Tile = std::array<Row, kTile>;

  void frame_meshes(const Projection& view);
  void meet_planes(int x, int y, Row& row) const;
  void meet_spheres(int tile, Tile& hits) const;
  bool meet_sphere(std::uint32_t sphere, int x, int y, Row& row) const;
  bool keep_visible(const Tile& hits);

  int width_, height_, columns_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;  // pixels that meshes lie within
  SphereTiles spheres_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  std::vector<char> seen_;  // by particle
};

}  // namespace firn
