// What a picture shows: the region where the material is and may go, and cameras that frame it.
// Everything is fixed by the scene and the first snapshot, so that a video does not jitter.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/color_map.h"
#include "src/render/mesh.h"

namespace firn {

struct Bounds {
  V3d min = V3d::filled(std::numeric_limits<double>::infinity());
  V3d max = V3d::filled(-std::numeric_limits<double>::infinity());

  void add(const V3d& x);
  bool empty() const { return !(min[0] <= max[0]); }
  V3d center() const { return (min + max) * 0.5; }
  V3d extent() const { return max - min; }
  double diagonal() const { return norm(extent()); }
  V3d corner(int i) const;  // i = 0..7
};

struct Stage {
  Bounds focus;        // holds the first snapshot, and room to fall, fly and spread
  V3d up{{0, 1, 0}};   // against gravity
  double spacing = 0;  // mean distance of particles, m
  double speed = 0;    // the largest speed to expect, m/s
  double drop = 0;     // how far the material can fall, m
  std::vector<Plane>
      ground;  // half-spaces that can be stood on, and the domain's floor where there is none
  std::vector<Plane> walls;  // the other half-spaces
};
Stage make_stage(const Scene& scene, const Snapshot& first);

// Edge length of a cube (square in 2D) with the mean rest volume of the particles.
double mean_spacing(const Snapshot& snapshot, double fallback);

V3d position_of(const Snapshot& snapshot, std::size_t i);

// Particles or tracers as a picture shows them: one sRGB colour each, one radius (m) for all.
struct PointLayer {
  const Snapshot* points;
  std::vector<ColorF> colors;
  double radius;
  std::vector<ColorF> glow = {};  // light of their own, linear; empty: none
};

// The scene's camera, or else a three-quarter view from above that frames stage.focus and that no
// wall hides.
Camera choose_camera(const Scene& scene, const Stage& stage, double aspect);

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
