// Ray-traced pictures of particles (as spheres) and surfaces under a soft sun and a sky, through
// Embree.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "src/render/color_map.h"
#include "src/render/image.h"
#include "src/render/mesh.h"
#include "src/render/view.h"

namespace firn {

// How a surface takes light beside what its colour scatters; linear light.
struct SurfaceFinish {
  float gloss = 0;     // what of the light a varnish on it reflects, seen from above
  float spread = 1;    // of the sun's mirror image: 1 dull, 0 a mirror
  float soft = 0;      // how far light reaches round it
  bool metal = false;  // reflects in its own colour
  float gap = 0;       // m: so near beneath a clear material things are wet, without air between
  float depth = 1;     // m: of white light, what passes so much of a clear material has its colour
};

struct Surface {
  Mesh mesh;
  V3f color{{0.5f, 0.5f, 0.5f}};  // linear light
  std::vector<V3f> colors = {};   // by vertex, in place of `color`, if there are any
  std::vector<V3f> glow = {};     // light of their own, by vertex, if there is any
  SurfaceFinish finish = {};
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
// `first`: how many surfaces a picture has before these. Throws as ray_trace.
std::shared_ptr<const RayMeshes> make_ray_meshes(std::vector<Surface> surfaces, int first = 0);

// The edges of a box, drawn as thin lines: those of the faces that are named, in the order -x, +x,
// -y, ...
struct Outline {
  V3f min, max;
  Rgb color;
  std::array<bool, 6> faces{true, true, true, true, true, true};
};

// A box whose faces, in that order, are panes of glass or are not there.
struct GlassBox {
  V3f min, max;
  std::array<bool, 6> panes{};
  float touching = 0;  // m: material may reach so far into a wall

  bool has(int axis, bool upper) const {
    return panes[static_cast<std::size_t>(2 * axis + (upper ? 1 : 0))];
  }
};

struct RayScene {
  std::vector<std::array<float, 4>> spheres;  // centre and radius
  std::vector<ColorF> sphere_colors;          // sRGB
  std::vector<ColorF> sphere_glow;            // linear; empty: none
  // None of them null. Several pictures may share the first; then surfaces of materials, and those
  // that are clear, which block no light.
  std::shared_ptr<const RayMeshes> meshes, bodies, clear;
  std::vector<PlanePatch> planes;
  V3f up{{0, 1, 0}}, center{{0, 0, 0}};  // of the region of interest
  V3f open_side{{0, 0, 0}};              // sum of the normals of walls
  float size = 1;                        // its diagonal
  float grid_spacing = 0.1f;             // of the lines on the ground, m
  std::vector<Outline> outlines;
  std::optional<GlassBox> glass;
  bool with_alpha = false, with_light = false;  // of Image, beside its colours
};

// Throws Error{kScene} in a build without Embree.
void require_ray_tracer();

// What ray_trace takes beside its arguments, bytes. `clear`: whether there are clear surfaces.
double ray_trace_bytes(double spheres, bool clear, int width, int height);

// Throws as require_ray_tracer, and Error{kDevice} if Embree fails.
Image ray_trace(const RayScene& scene, const Projection& view, int width, int height);

}  // namespace firn
