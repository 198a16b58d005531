// Ray-traced pictures of particles (as spheres) and surfaces under a soft sun and a sky, through
// Embree.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "src/render/color_map.h"
#include "src/render/image.h"
#include "src/render/mesh.h"
#include "src/render/view.h"

namespace firn {

struct Surface {
  Mesh mesh;
  V3f color{{0.5f, 0.5f, 0.5f}};  // linear light
};

// A square of a plane, met by a formula instead of a search: most rays of most pictures meet
// nothing else.
struct PlanePatch {
  V3f center, normal;
  std::array<V3f, 2> axes;  // unit vectors along its sides
  float half_size = 0;
  V3f color{{0.5f, 0.5f, 0.5f}};  // linear light
  bool is_ground = false;         // gets a grid and fades into the background far away
};

// Surfaces made ready for a search by rays.
class RayMeshes;
// Throws as ray_trace.
std::shared_ptr<const RayMeshes> make_ray_meshes(std::vector<Surface> surfaces);

struct RayScene {
  std::vector<std::array<float, 4>> spheres;  // centre and radius
  std::vector<ColorF> sphere_colors;          // sRGB
  std::vector<ColorF> sphere_glow;            // linear; empty: none
  std::shared_ptr<const RayMeshes> meshes;    // never null; several pictures may share them
  std::vector<PlanePatch> planes;
  V3f up{{0, 1, 0}}, center{{0, 0, 0}};  // of the region of interest
  V3f open_side{{0, 0, 0}};              // sum of the normals of walls
  float size = 1;                        // its diagonal
  float grid_spacing = 0.1f;             // of the lines on the ground, m
};

// Throws Error{kScene} in a build without Embree.
void require_ray_tracer();

// What ray_trace takes beside its arguments, bytes.
double ray_trace_bytes(double spheres, int width, int height);

// Throws as require_ray_tracer, and Error{kDevice} if Embree fails.
Image ray_trace(const RayScene& scene, const Projection& view, int width, int height);

}  // namespace firn
