// Pictures of simulations: ray-traced in 3D (with Embree), drawn flat in 2D.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/image.h"

namespace firn {

// The surface of a mesh collider at the moment of the picture, in world coordinates.
struct TriangleSurface {
  std::vector<float> vertices;         // 3 per vertex
  std::vector<std::uint32_t> indices;  // 3 per triangle
  Vec3 color{0.55, 0.55, 0.55};        // sRGB
};

// Where a rigid body is: x_world = rotation (x_body - pivot) + pivot + translation.
struct ColliderPose {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  Vec3 translation{}, pivot{};
  double time = 0;  // s, of a mesh_sequence
};

// What Renderer::render takes beside its arguments, bytes.
double picture_bytes(const Scene& scene, double particles, double tracers);

class Renderer {
 public:
  // Throws Error{kScene} if output.color names nothing that can be shown, the resolution is not
  // positive, or the scene is 3D and the build has no Embree.
  explicit Renderer(const Scene& scene);
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  // One frame. The first call fixes the camera and the colour range from its snapshot, later ones
  // move the camera back where material would leave the picture; the same calls give the same
  // pictures for any number of threads. `poses` is one per collider (missing
  // ones are at rest); mesh colliders are shown by `surfaces`. Particles with positions that are
  // not finite are left out. `tracers` (Simulation::tracers) stand for the particles of their
  // bodies, unless colours show a quantity that only particles have.
  Image render(const Snapshot& snapshot, double time, const std::vector<ColliderPose>& poses = {},
               const std::vector<TriangleSurface>& surfaces = {}, const Snapshot& tracers = {});

  // What render does, one after the other: aims at a frame, draws what is shown (the frame or what
  // comes shortly before or after it), and writes the time and what colours mean over it.
  void aim(const Snapshot& snapshot, double time);
  Image draw(const Snapshot& snapshot, const std::vector<ColliderPose>& poses = {},
             const std::vector<TriangleSurface>& surfaces = {}, const Snapshot& tracers = {});
  void write_captions(Image& image, double time);

  // Particles after some seconds at their velocities, outside the planes and the domain's walls.
  Snapshot moved_on(const Snapshot& snapshot, double seconds) const;
  // Whether pictures with these show no particles.
  bool shows_tracers_alone(const Snapshot& tracers) const;
  // The view of the scene's camera so many seconds after the picture's time, in what is drawn next.
  void look(double seconds);
  // How far the second of these two points is from the first in the picture, so many seconds before
  // or after its time each.
  double pixels_between(const Vec3& from, double before, const Vec3& to, double after) const;
  // The way of the fastest particle in the picture in so many seconds, but for a few strays.
  double pixels_moved(const Snapshot& snapshot, double seconds) const;
  // The way of what rests, by a camera that moves.
  double pixels_passed(double seconds) const;

  // As those of SceneRenderer.
  void look_ahead(const Snapshot& snapshot);
  std::vector<double> view_state() const;
  void set_view_state(const std::vector<double>& state);

  // The camera of 3D pictures; meaningful after the first picture, or where the scene gives one.
  Camera camera() const;
  // The time and the colour bar; on by default.
  void set_captions(bool shown);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
