// Pictures of simulations, as `firn run` makes them: ray-traced in 3D (with Embree), drawn flat in
// 2D. Programs link firn::render.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

using Rgb = std::array<std::uint8_t, 3>;  // sRGB

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};  // 3 * width * height, sRGB, rows from the top
  // Of output.alpha: width * height, 0 where only the background is seen. Colours are not
  // multiplied by it, and are the background's where it is 0. Empty: opaque.
  std::vector<std::uint8_t> alpha{};
  // Of output.exr: 4 * width * height, linear light with the primaries of sRGB, one being a white
  // surface that faces the sun, without the background, captions and outlines; multiplied by the
  // alpha behind it. Else empty.
  std::vector<float> light{};

  static Image filled(int width, int height, Rgb color);
  Rgb pixel(int x, int y) const;
  void set_pixel(int x, int y, Rgb color);
  // Mixes `color` over the pixel with `opacity` in [0,1]; outside the picture nothing happens.
  void blend_pixel(int x, int y, Rgb color, float opacity);
};

// Writes to a temporary name beside `path` and renames, so that a reader never sees half a file.
// Throws Error{kFile} naming the path and the system's reason.
void write_png(const std::string& path, const Image& image);
// Likewise of Image::light, as half floats R, G, B, A. Throws Error{kScene} in a build without
// OpenEXR.
void write_exr(const std::string& path, const Image& image);

// What a picture shows beside its scene. SceneRenderer::shown_of leaves out what output.color does
// not need.
struct Shown {
  Snapshot particles{};
  Snapshot tracers{};
  std::vector<ColliderState> colliders{};  // those that are missing are at rest
  double time = 0;                         // s
};

// A collider as others show it: triangles, counter-clockwise seen from outside, where it is at rest
// (ColliderState tells where it is). What has no end, half-spaces above all, ends a few sizes of
// the scene beside it.
struct ColliderMesh {
  std::vector<float> positions{};          // 3 per vertex, m
  std::vector<float> normals{};            // 3 per vertex, or none: flat triangles
  std::vector<std::uint32_t> triangles{};  // 3 per triangle
};
// Of 3D scenes; a mesh_sequence as it is at `time`, s. Throws Error{kScene} for a scene in 2D or a
// collider that is not there, Error{kFile} if its files cannot be read.
ColliderMesh collider_mesh(const Scene& scene, std::size_t collider, double time = 0);

// Where colliders that follow key frames are at a time, s; those that material moves are at rest.
std::vector<ColliderState> scripted_colliders(const Scene& scene, double time);

class SceneRenderer {
 public:
  // By Scene::output: resolution, color, camera. Throws Error{kScene} if output.color names nothing
  // that can be shown, the resolution is not positive, the scene is 3D and the build has no Embree,
  // or output.exr asks for light of a build without OpenEXR; Error{kFile} if a collider's mesh
  // cannot be read.
  explicit SceneRenderer(const Scene& scene);
  ~SceneRenderer();
  // As a simulation that has been moved from, see there.
  SceneRenderer(SceneRenderer&&) noexcept;
  SceneRenderer& operator=(SceneRenderer&&) noexcept;

  // The simulation as it is. The first call fixes the colour range by what it shows, and the camera
  // where the scene has none, unless start() has; from then on that only moves back, smoothly,
  // where material would leave the picture (output.follow). The same calls give the same pictures
  // for any number of threads. Throws Error{kScene} where output.color shows what the simulation
  // has no value of just now (see Simulation::snapshot).
  Image render(const Simulation& simulation);
  Image render(const Shown& shown);
  Shown shown_of(const Simulation& simulation) const;
  // Fixes what the first picture does, without making one.
  void start(const Shown& first);

  // Before the first picture, for each of those that will be made: the camera then frames all of
  // them and stands still.
  void look_ahead(const Shown& shown);

  // What the camera has followed so far. A renderer that goes on with the pictures of another gives
  // the same ones once it has been started with the first picture's state of things and has been
  // given the other's.
  std::vector<double> view_state() const;
  // Takes what view_state() gave, or nothing, for a camera that has followed nothing yet. Throws
  // Error{kFile} for anything else.
  void set_view_state(const std::vector<double>& state);

 private:
  class Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
