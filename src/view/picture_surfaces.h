// The surfaces of a picture's materials as WebGL takes them, made when somebody looks at them.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/surface/material_surfaces.h"
#include "src/view/picture.h"

namespace firn::view {

// Triangles of all materials that pictures show by their surface, and which points lie within.
struct SurfaceMeshes {
  Places places;                         // of vertices
  std::vector<std::int8_t> normal;       // x, y, z of each vertex, 127 of length one
  Levels levels;                         // of vertices, where the channel has values
  std::vector<std::uint8_t> color;       // r, g, b of each vertex, where it has categories
  std::vector<std::uint32_t> triangles;  // three vertices each, counterclockwise from outside
  std::size_t opaque = 0;                // of the triangles' corners; those behind are clear
  std::vector<bool> covered;             // of the picture's points
  std::vector<bool> clear;               // those that a clear surface covers

  std::size_t vertices() const { return normal.size() / 3; }
};

class PictureSurfaces {
 public:
  explicit PictureSurfaces(const Scene& scene);

  // Whether any material of the scene is shown so.
  bool any() const;
  // Of the points that the picture has: where these are a sample, coarser. Empty where it has no
  // volumes. Those who ask at once wait for each other. As in pictures of files, clear materials
  // are so where colours show materials or bodies. `left_out`: points that are not drawn, with the
  // same ones for all channels of a picture; empty: all are drawn.
  SurfaceMeshes of(const Picture& picture, const std::string& channel,
                   const std::vector<bool>& left_out = {});

 private:
  void make(const Picture& picture, const std::vector<bool>& left_out);

  Scene scene_;
  std::optional<SceneWalls> walls_;  // once they are needed
  std::vector<bool> wanted_;         // by material
  std::mutex mutex_;
  std::uint64_t number_ = 0;  // of the picture whose surfaces are kept
  bool of_all_ = true;        // whether no points were left out of them
  std::vector<MaterialSurface> kept_;
};

// For each vertex x, y, z and the level as 16-bit numbers, then four bytes of its normal and four
// of its colour; then the triangles as 32-bit numbers; then a bit for each point that is covered,
// and another one for each that a clear surface covers.
std::string packed_surfaces(const SurfaceMeshes& meshes);

}  // namespace firn::view
