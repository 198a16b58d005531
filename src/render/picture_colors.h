// Colours of pixels, from what their camera rays meet and the light there.
#pragma once

#include "src/render/clear_surface.h"
#include "src/render/finish.h"
#include "src/render/particle_light.h"
#include "src/render/surface_light.h"

namespace firn {

class PictureColors {
 public:
  // `pixel` is the height of a pixel over its distance.
  PictureColors(const PictureHits& hits, const LightDirections& lights,
                const std::vector<ParticleLight>& particles, const SurfaceLight& surfaces,
                double pixel);

  // Also the image's alpha and light, where it has room for them.
  void draw(int tile, Image& image) const;

 private:
  // One sample each of pixels that lie side by side.
  struct Seen {
    V3p direction;
    Lanes object, distance;
    V3p normal, albedo, glow;
    Lanes sun, sky;
    Lanes faded;  // 1: nothing but background
    V3p passed;   // of the sun's colours
    FinishLanes finish = {};
    bool finished = false;  // some lane is
  };

  V3f position_of(const Seen& seen, int lane) const;
  // With `behind` without the background, of each colour of which that part is seen.
  V3p radiance(int x, int y, int sample, V3p* behind = nullptr) const;
  void draw_apart(int x, int y, int count, Image& image) const;
  void see_spheres(const PacketHits& row, int first, Seen& seen) const;
  void see_meshes(int x, int y, int sample, const PacketHits& row, Seen& seen) const;
  void see_planes(int x, int y, Seen& seen) const;

  const PictureHits& hits_;
  const RayScene& scene_;
  const LightDirections& lights_;
  const std::vector<ParticleLight>& particles_;
  const SurfaceLight& surfaces_;
  const float pixel_;
  const ClearSurface clear_;
};

}  // namespace firn
