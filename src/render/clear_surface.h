// Clear materials before what else a picture shows: rays are refracted where they enter and leave,
// lose light within, and part of them is reflected.
#pragma once

#include <optional>

#include "src/render/clear_media.h"
#include "src/render/picture_hits.h"

namespace firn {

class ClearSurface {
 public:
  // `pixel` is the height of a pixel over its distance.
  ClearSurface(const PictureHits& hits, const LightDirections& lights, float pixel);

  bool may_show(int x, int y) const;

  // What rays from the camera see whose light without clear materials is `behind`: `object`, at
  // `distance`. `met` becomes 1 where there are any, 0 elsewhere.
  V3p before(const V3p& behind, const V3p& direction, const Lanes& object, const Lanes& distance,
             Lanes& met) const;

 private:
  struct Paths;

  const Surface& surface(float object) const {
    return hits_.embree.clear().surfaces()[static_cast<std::size_t>(object) - 1];
  }
  ClearMedium medium_of(const PacketHits& met, int ray) const;
  bool leaves(const PacketHits& met, int ray, const V3f& direction) const;
  void find_camera();

  void start(Paths& paths, const V3p& behind, const V3p& direction, const Lanes& object,
             const Lanes& distance) const;
  void advance(Paths& paths) const;
  static void absorb(Paths& paths, int ray, const ClearMedium& medium, float distance);
  void find_touching(const Paths& paths, const PacketHits& clear, bool (&touching)[kPacket]) const;
  void reflect(Paths& paths, int ray, const Surface& met, const V3f& way, float cosine) const;
  void add_glints(Paths& paths) const;
  void pass(Paths& paths, int ray, const PacketHits& clear, bool touching) const;
  void end(Paths& paths, const PacketHits& opaque, const int (&ends)[kPacket]) const;
  V3p light(const Paths& paths, const PacketHits& opaque, int first) const;

  const PictureHits& hits_;
  const LightDirections& lights_;
  float pixel_;
  std::optional<ClearMedium> camera_is_in_;
};

}  // namespace firn
