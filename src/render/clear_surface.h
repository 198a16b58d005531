// Clear materials before what else a picture shows: rays are refracted where they enter and leave,
// lose light within, and part of them is reflected.
#pragma once

#include <optional>

#include "src/render/picture_hits.h"

namespace firn {

class ClearSurface {
 public:
  // `pixel` is the height of a pixel over its distance.
  ClearSurface(const PictureHits& hits, const LightDirections& lights, float pixel);

  bool may_show(int x, int y) const;

  // What rays from the camera see whose light without clear materials is `behind`: `object`, at
  // `distance`.
  V3p before(const V3p& behind, const V3p& direction, const Lanes& object,
             const Lanes& distance) const;

 private:
  struct Paths;
  struct Medium {
    V3f tint;     // of light on its way there, and how far that reaches
    float depth;  // m
    float gap;    // SurfaceFinish
  };

  static Medium medium_of(const Surface& surface, std::uint32_t triangle, float u, float v);
  void find_camera();

  void start(Paths& paths, const V3p& behind, const V3p& direction, const Lanes& object,
             const Lanes& distance) const;
  void advance(Paths& paths) const;
  static void absorb(Paths& paths, int ray, float distance);
  void pass(Paths& paths, int ray, const PacketHits& clear) const;
  void end(Paths& paths, const PacketHits& opaque, const int (&ends)[kPacket]) const;
  V3p light(const Paths& paths, const PacketHits& opaque, int first) const;

  const PictureHits& hits_;
  const LightDirections& lights_;
  float pixel_;
  std::optional<Medium> camera_is_in_;
};

}  // namespace firn
