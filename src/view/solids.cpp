#include "src/view/solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "src/render/collider_view.h"
#include "src/render/mesh.h"

namespace firn::view {
namespace {

constexpr std::size_t kMostTriangles = 500000;
constexpr float kEdgeCosine = 0.8f;  // faces that turn by more than some 37 degrees have an edge

using Triangle = std::array<V3f, 3>;

void append(const V3f& x, std::vector<float>& list) {
  for (int c = 0; c < 3; ++c) list.push_back(x[c]);
}

void append_box_lines(const V3f& low, const V3f& high, std::vector<float>& lines) {
  for (unsigned corner = 0; corner < 8; ++corner)
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (corner & (1u << axis)) continue;
      for (const unsigned end : {corner, corner | (1u << axis)})
        for (unsigned c = 0; c < 3; ++c)
          lines.push_back(end & (1u << c) ? high[static_cast<int>(c)] : low[static_cast<int>(c)]);
    }
}

struct Extent {
  V3f low, high;
};
Extent extent_of(const std::vector<Triangle>& triangles) {
  Extent extent{triangles[0][0], triangles[0][0]};
  for (const Triangle& t : triangles)
    for (const V3f& x : t)
      for (int c = 0; c < 3; ++c) {
        extent.low[c] = std::min(extent.low[c], x[c]);
        extent.high[c] = std::max(extent.high[c], x[c]);
      }
  return extent;
}

// Corners are one where they lie within a millionth of the whole: meshes have them once per normal.
class Edges {
 public:
  explicit Edges(const std::vector<Triangle>& triangles) {
    const auto [low, high] = extent_of(triangles);
    low_ = low;
    scale_ = 1e6f / std::max(norm(high - low), 1e-30f);
    for (const Triangle& t : triangles) add(t);
  }

  void append_sharp(std::vector<float>& lines) const {
    for (const auto& [ends, edge] : edges_)
      if (edge.faces == 1 || edge.sharp)
        for (const V3f& end : edge.ends) append(end, lines);
  }

 private:
  using Corner = std::array<std::int64_t, 3>;
  struct Edge {
    std::array<V3f, 2> ends;
    V3f normal;
    int faces = 0;
    bool sharp = false;
  };

  Corner corner(const V3f& x) const {
    Corner corner;
    for (int c = 0; c < 3; ++c)
      corner[static_cast<std::size_t>(c)] = std::llround((x[c] - low_[c]) * scale_);
    return corner;
  }

  void add(const Triangle& t) {
    const std::array<Corner, 3> corners{corner(t[0]), corner(t[1]), corner(t[2])};
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) return;
    const V3f normal = normalized(cross(t[1] - t[0], t[2] - t[0]));
    for (std::size_t i = 0; i < 3; ++i) {
      const V3f &a = t[i], &b = t[(i + 1) % 3];
      std::pair ends{corners[i], corners[(i + 1) % 3]};
      if (ends.second < ends.first) std::swap(ends.first, ends.second);
      Edge& edge = edges_[ends];
      if (edge.faces++ == 0)
        edge.ends = {a, b}, edge.normal = normal;
      else if (std::abs(dot(edge.normal, normal)) < kEdgeCosine)
        edge.sharp = true;
    }
  }

  V3f low_;
  float scale_ = 1;
  std::map<std::pair<Corner, Corner>, Edge> edges_;
};

std::vector<Triangle> triangles_of(const Scene& scene, const Collider& collider) {
  std::vector<Triangle> triangles;
  Mesh mesh;
  append_shape(collider.shape, {}, mesh, scene.simulation.dimension);
  for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3)
    triangles.push_back({mesh.positions[mesh.indices[i]], mesh.positions[mesh.indices[i + 1]],
                         mesh.positions[mesh.indices[i + 2]]});
  Scene alone;
  alone.simulation = scene.simulation;
  alone.grid = scene.grid;
  alone.colliders = {collider};
  for (const TriangleSurface& surface : ColliderView(alone).surfaces({}))
    for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
      Triangle& triangle = triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c)
          triangle[k][c] =
              surface.vertices[3 * surface.indices[i + k] + static_cast<std::size_t>(c)];
    }
  return triangles;
}

std::optional<Solid> surface_of(const Scene& scene, const Collider& collider) {
  const std::vector<Triangle> triangles = triangles_of(scene, collider);
  if (triangles.empty()) return std::nullopt;
  Solid solid;
  solid.name = collider.name;
  solid.color = collider.color;
  if (triangles.size() > kMostTriangles) {
    const auto [low, high] = extent_of(triangles);
    append_box_lines(low, high, solid.lines);
    return solid;
  }
  for (const Triangle& triangle : triangles)
    for (const V3f& x : triangle) append(x, solid.triangles);
  Edges(triangles).append_sharp(solid.lines);
  return solid;
}

}  // namespace

Solids solids_of(const Scene& scene) {
  Solids result;
  const auto add = [&result](Solid solid, std::size_t collider) {
    result.solids.push_back(std::move(solid));
    result.collider.push_back(static_cast<int>(collider));
  };
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Collider& collider = scene.colliders[i];
    if (!collider.visible) continue;
    std::vector<Plane> planes;
    append_planes(collider.shape, {}, planes);
    for (const Plane& plane : planes)
      add({collider.name,
           collider.color,
           true,
           {plane.point[0], plane.point[1], plane.point[2]},
           {plane.normal[0], plane.normal[1], plane.normal[2]},
           {},
           {}},
          i);
    if (auto surface = surface_of(scene, collider)) add(std::move(*surface), i);
  }
  return result;
}

}  // namespace firn::view
