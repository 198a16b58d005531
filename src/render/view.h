// Cameras that frame a region of a scene.
#pragma once

#include <array>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/color_map.h"
#include "src/render/mesh.h"
#include "src/render/stage.h"

namespace firn {

// Particles or tracers as a picture shows them: one sRGB colour each.
struct PointLayer {
  const Snapshot* points;
  std::vector<ColorF> colors;
  std::vector<double> radii;      // m, by body; or one for all
  std::vector<ColorF> glow = {};  // light of their own, linear; empty: none

  double radius(std::size_t i) const {
    return radii.size() == 1 ? radii[0] : radii[points->body[i]];
  }
};

// Of the points that pictures show tracers as, m.
double tracer_radius(const Scene& scene);

// The scene's camera as it is at time 0, or else a three-quarter view from above that frames
// stage.focus and that no wall hides.
Camera choose_camera(const Scene& scene, const Stage& stage, double aspect);

// A camera that frames other bounds from the same direction.
Camera reframed(const Camera& camera, const Bounds& focus, double aspect);

// Perspective: picture coordinates run over [-1,1] from left to right and from bottom to top.
struct Projection {
  V3d eye, right, up, forward;  // orthonormal
  double tan_x = 1, tan_y = 1;  // tangents of the half angles of view

  Projection(const Camera& camera, double aspect);
  std::array<double, 2> project(const V3d& x) const;  // meaningful for points in front of the eye
  V3d direction(double x, double y) const;            // not normalised
};

// Flat pictures: pixel = (x - left) * pixels_per_metre, rows counted from the top.
struct FlatView {
  double left = 0, top = 0, pixels_per_metre = 1;

  double column(double x) const { return (x - left) * pixels_per_metre; }
  double row(double y) const { return (top - y) * pixels_per_metre; }
  V3d point(double column, double row) const {
    return {{left + column / pixels_per_metre, top - row / pixels_per_metre, 0}};
  }
};
// The scene's camera (its target and its height of view at the target), else the domain, else
// stage.focus.
FlatView choose_flat_view(const Scene& scene, const Stage& stage, int width, int height);

}  // namespace firn
