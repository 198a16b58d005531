#include "src/render/view.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

bool hidden_by_wall(const Stage& stage, const V3d& eye) {
  return std::any_of(stage.walls.begin(), stage.walls.end(),
                     [&](const Plane& wall) { return dot(eye - wall.point, wall.normal) <= 0; });
}

// Moves the eye back along the line of sight, and target and eye sideways, until the focus fills
// the picture.
Camera frame_focus(const Bounds& focus, const Vec3& up, const V3d& backward, double aspect) {
  constexpr double kFill = 0.86;  // of the picture's width or height
  Camera camera;
  camera.up = up;
  V3d target = focus.center();
  double distance = 1;
  for (int pass = 0; pass < 4; ++pass) {
    for (int c = 0; c < 3; ++c) {
      camera.target[c] = target[c];
      camera.eye[c] = target[c] + backward[c];
    }
    const Projection view(camera, aspect);
    distance = 0;
    for (int i = 0; i < 8; ++i) {
      const V3d d = focus.corner(i) - target;
      const double across = std::max(std::abs(dot(d, view.right)) / (kFill * view.tan_x),
                                     std::abs(dot(d, view.up)) / (kFill * view.tan_y));
      distance = std::max(distance, across - dot(d, view.forward));
    }
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    Projection at_distance = view;
    at_distance.eye = target + backward * distance;
    for (int i = 0; i < 8; ++i) {
      const std::array<double, 2> p = at_distance.project(focus.corner(i));
      for (int c = 0; c < 2; ++c) {
        low[c] = std::min(low[c], p[c]);
        high[c] = std::max(high[c], p[c]);
      }
    }
    if (pass < 3)
      target += view.right * (0.5 * (low[0] + high[0]) * view.tan_x * distance) +
                view.up * (0.5 * (low[1] + high[1]) * view.tan_y * distance);
  }
  for (int c = 0; c < 3; ++c) camera.eye[c] = target[c] + backward[c] * distance;
  return camera;
}

}  // namespace

double tracer_radius(const Scene& scene) {
  constexpr double kOfSpacing = 0.3;  // small: one can see how densely tracers lie
  return kOfSpacing * scene.grid.dx *
         std::pow(scene.tracers.per_cell, -1.0 / scene.simulation.dimension);
}

Camera choose_camera(const Scene& scene, const Stage& stage, double aspect) {
  if (scene.output.camera) return scene.output.camera->at(0);
  // From the front (+z where up is y, -y where up is z), turned to the right; from elsewhere only
  // where walls are in the way.
  const auto [behind, right] = perpendicular(stage.up);
  constexpr double kElevation = 0.33, kDegree = 0.0174532925199433;
  const Vec3 up{stage.up[0], stage.up[1], stage.up[2]};
  Camera best;
  for (const double azimuth : {32.0, -32.0, 60.0, -60.0, 0.0, 148.0, -148.0, 180.0}) {
    const double a = azimuth * kDegree;
    const V3d level = right * std::sin(a) - behind * std::cos(a);
    const V3d backward = stage.up * std::sin(kElevation) + level * std::cos(kElevation);
    Camera camera = frame_focus(stage.focus, up, backward, aspect);
    if (azimuth == 32.0) best = camera;
    if (!hidden_by_wall(stage, to_vec(camera.eye))) return camera;
  }
  return best;
}

Camera reframed(const Camera& camera, const Bounds& focus, double aspect) {
  const V3d backward = normalized(to_vec(camera.eye) - to_vec(camera.target));
  return frame_focus(focus, camera.up, backward, aspect);
}

Projection::Projection(const Camera& camera, double aspect) {
  eye = to_vec(camera.eye);
  forward = normalized(to_vec(camera.target) - eye);
  const V3d side = cross(forward, to_vec(camera.up));
  right = norm(side) > 1e-9 ? normalized(side) : perpendicular(forward)[0];
  up = cross(right, forward);
  tan_y = std::tan(0.5 * camera.fov);
  tan_x = tan_y * aspect;
}

std::array<double, 2> Projection::project(const V3d& x) const {
  const V3d d = x - eye;
  const double depth = dot(d, forward);
  return {dot(d, right) / (depth * tan_x), dot(d, up) / (depth * tan_y)};
}

V3d Projection::direction(double x, double y) const {
  return forward + right * (x * tan_x) + up * (y * tan_y);
}

FlatView choose_flat_view(const Scene& scene, const Stage& stage, int width, int height) {
  Bounds shown = stage.focus;
  double margin = 1.06;
  if (scene.output.camera) {
    const Camera camera = scene.output.camera->at(0);
    const V3d target = to_vec(camera.target);
    const double half = norm(to_vec(camera.eye) - target) * std::tan(0.5 * camera.fov);
    shown.min = shown.max = target;
    shown.min[1] -= half;
    shown.max[1] += half;
    margin = 1;
  } else if (scene.grid.domain) {
    shown.min = to_vec(scene.grid.domain->min);
    shown.max = to_vec(scene.grid.domain->max);
  }
  const V3d extent = shown.extent() * margin;
  FlatView view;
  view.pixels_per_metre =
      std::min(width / std::max(extent[0], 1e-12), height / std::max(extent[1], 1e-12));
  view.left = shown.center()[0] - 0.5 * width / view.pixels_per_metre;
  view.top = shown.center()[1] + 0.5 * height / view.pixels_per_metre;
  return view;
}

}  // namespace firn
