#if FIRN_WITH_EMBREE
#include "src/render/picture_hits.h"

#include <algorithm>
#include <atomic>

namespace firn {
namespace {

float farthest(const std::array<PacketHits, kSamples>& row) {
  float far = 0;
  for (const PacketHits& hits : row)
    for (int i = 0; i < kPacket; i += kLanes)
      far = std::max(far, stdx::hmax(load(&hits.distance.v[i])));
  return far;
}

}  // namespace

PictureHits::PictureHits(const RayScene& rays, const Projection& view, int width, int height)
    : scene(rays),
      embree(rays),
      camera(view, width, height),
      width_(width),
      height_(height),
      columns_((width + kTile - 1) / kTile),
      spheres_(rays.spheres, view, width, height),
      tiles_(static_cast<std::size_t>(columns_) * ((height + kTile - 1) / kTile)),
      seen_(rays.spheres.size(), 0) {
  frame_meshes(view);
}

// All of the picture where something lies beside or behind the camera.
void PictureHits::frame_meshes(const Projection& view) {
  const Bounds bounds = embree.mesh_bounds();
  if (bounds.empty()) return;
  left_ = width_, top_ = height_;
  for (int i = 0; i < 8; ++i) {
    const V3d corner = bounds.corner(i);
    if (dot(corner - view.eye, view.forward) < 1e-3 * bounds.diagonal()) {
      left_ = top_ = 0;
      right_ = width_, bottom_ = height_;
      return;
    }
    const auto [x, y] = view.project(corner);
    const double column = 0.5 * (1 + x) * width_, row = 0.5 * (1 - y) * height_;
    left_ = std::min(left_, column - 1), right_ = std::max(right_, column + 1);
    top_ = std::min(top_, row - 1), bottom_ = std::max(bottom_, row + 1);
  }
}

bool PictureHits::may_show_meshes(int tile) const {
  return left(tile) < right_ && left(tile) + kTile > left_ && top(tile) < bottom_ &&
         top(tile) + kTile > top_;
}

void PictureHits::meet_planes(int x, int y, Row& row) const {
  for (int s = 0; s < kSamples; ++s)
    for (int i = 0; i < kPacket; i += kLanes) {
      const PlaneHits plane =
          embree.nearest_plane(spread(camera.eye), camera.directions(x + i, y, s));
      store(&row[s].object[i], plane.object);
      store(&row[s].distance[i], plane.distance);
    }
}

// The perpendicular from the centre to the ray keeps its digits where the sphere is far away.
bool PictureHits::meet_sphere(std::uint32_t sphere, int x, int y, Row& row) const {
  const auto& [cx, cy, cz, radius] = scene.spheres[sphere];
  const V3p to_center = spread(V3f{{cx, cy, cz}} - camera.eye);
  const Lanes square(radius * radius);
  bool met = false;
  for (int s = 0; s < kSamples; ++s)
    for (int i = 0; i < kPacket; i += kLanes) {
      const V3p direction = camera.directions(x + i, y, s);
      const Lanes inverse = Lanes(1.0f) / dot(direction, direction);
      const Lanes middle = dot(to_center, direction) * inverse;
      const V3p off = to_center - direction * middle;
      const Lanes rest = square - dot(off, off);
      if (!any(rest >= Lanes(0.0f))) continue;
      const Lanes distance = middle - sqrt(max(rest, Lanes(0.0f)) * inverse);
      const Lanes before = load(&row[s].distance[i]);
      const auto closer = rest >= Lanes(0.0f) && distance > Lanes(0.0f) && distance < before;
      if (!any(closer)) continue;
      met = true;
      store(&row[s].distance[i], select(closer, distance, before));
      store(&row[s].object[i], select(closer, Lanes(kSpheres), load(&row[s].object[i])));
      for (int k = 0; k < kLanes; ++k)
        if (closer[k]) row[s].primitive[i + k] = sphere;
    }
  return met;
}

// The direction of a camera ray has length one along the line of sight: distances are depths.
void PictureHits::meet_spheres(int tile, Tile& hits) const {
  std::array<float, kTile> far;
  for (int row = 0; row < kTile; ++row) far[row] = farthest(hits[row]);
  for (const std::uint32_t sphere : spheres_.in(tile)) {
    const SphereTiles::Place& place = spheres_.place(sphere);
    const int first = std::max(place.top - top(tile), 0),
              last = std::min(place.bottom - top(tile), kTile - 1);
    for (int row = first; row <= last; ++row)
      if (place.depth < far[row] && meet_sphere(sphere, left(tile), top(tile) + row, hits[row]))
        far[row] = farthest(hits[row]);
  }
}

// Whether there is anything but planes.
bool PictureHits::keep_visible(const Tile& hits) {
  bool kept = false;
  for (const Row& row : hits)
    for (const PacketHits& met : row)
      for (int i = 0; i < kPacket; ++i) {
        if (met.object[i] < kSpheres || met.object[i] >= embree.first_plane()) continue;
        kept = true;
        if (met.object[i] == kSpheres)
          std::atomic_ref(seen_[met.primitive[i]]).store(1, std::memory_order_relaxed);
      }
  return kept;
}

void PictureHits::trace(int tile) {
  const bool meshes = may_show_meshes(tile);
  if (!meshes && spheres_.in(tile).empty()) return;
  auto hits = std::make_unique_for_overwrite<Tile>();
  for (int row = 0; row < kTile; ++row) meet_planes(left(tile), top(tile) + row, (*hits)[row]);
  meet_spheres(tile, *hits);
  Packet3 eyes;
  for (int i = 0; i < kPacket; i += kLanes) store(eyes, i, spread(camera.eye));
  for (int row = 0; meshes && row < kTile; ++row)
    for (int s = 0; s < kSamples; ++s) {
      Packet3 directions;
      for (int i = 0; i < kPacket; i += kLanes)
        store(directions, i, camera.directions(left(tile) + i, top(tile) + row, s));
      embree.meet_meshes(eyes, directions, kAllAsked.rays, (*hits)[row][s]);
    }
  if (keep_visible(*hits)) tiles_[tile] = std::move(hits);
}

std::vector<std::uint32_t> PictureHits::visible_particles() const {
  std::vector<std::uint32_t> visible;
  for (std::uint32_t i = 0; i < seen_.size(); ++i)
    if (seen_[i]) visible.push_back(i);
  return visible;
}

}  // namespace firn
#endif
