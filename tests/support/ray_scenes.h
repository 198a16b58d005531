// Scenes of the ray tracer without particles: a ground, and boxes.
#pragma once

#include <utility>
#include <vector>

#include "src/render/raytrace.h"
#include "src/render/view.h"
#include "tests/support/pictures.h"

namespace firn::test {

// Grey, y = 0; `size` is what the scene would frame.
inline RayScene ground_scene(float size) {
  RayScene scene;
  scene.meshes = scene.bodies = scene.clear = make_ray_meshes({});
  scene.size = size;
  scene.grid_spacing = 1e3f;  // no line of it is in the picture
  PlanePatch ground{{{0.5f, 0, 0.5f}}, {{0, 1, 0}}, {}, 12 * size};
  ground.axes = {V3f{{1, 0, 0}}, V3f{{0, 0, 1}}};
  ground.is_ground = false;
  scene.planes = {ground};
  return scene;
}

// Triangles that face outward.
inline Mesh box_mesh(const V3f& low, const V3f& high) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.positions.push_back(
        {{(i & 1 ? high : low)[0], (i & 2 ? high : low)[1], (i & 4 ? high : low)[2]}});
  mesh.indices = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  return mesh;
}

inline Surface clear_box(const V3f& low, const V3f& high, const V3f& color) {
  Surface surface;
  surface.mesh = box_mesh(low, high);
  surface.color = color;
  surface.finish = {.gloss = 0.02f, .spread = 0.05f, .gap = 0.05f, .depth = 2};
  return surface;
}

inline void set_clear(RayScene& scene, std::vector<Surface> surfaces) {
  scene.clear = make_ray_meshes(std::move(surfaces));
}

inline Image picture(const RayScene& scene, const Vec3& eye, const Vec3& target) {
  Camera camera;
  camera.eye = eye;
  camera.target = target;
  camera.fov = 0.7;
  return ray_trace(scene, Projection(camera, static_cast<double>(kWidth) / kHeight), kWidth,
                   kHeight);
}

}  // namespace firn::test
