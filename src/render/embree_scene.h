// Embree behind the three questions that a picture asks: what do four camera rays hit, and which of
// four or eight rays reach the light.
#pragma once

#if FIRN_WITH_EMBREE
#include <embree3/rtcore.h>

#include <array>
#include <cstdint>

#include "src/render/raytrace.h"

namespace firn {

struct RayHit {
  std::uint32_t object;  // kNothing, kSpheres, or 1 + index of the surface
  std::uint32_t primitive;
  float distance, u, v;  // distance in units of the ray's direction
};
inline constexpr std::uint32_t kNothing = RTC_INVALID_GEOMETRY_ID;
inline constexpr std::uint32_t kSpheres = 0;

class EmbreeScene {
 public:
  explicit EmbreeScene(const RayScene& scene);
  ~EmbreeScene();
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;

  std::array<RayHit, 4> trace(const V3f& origin, const std::array<V3f, 4>& directions) const;

  // Bit i is set if direction i is free between the two distances.
  unsigned free4(const V3f& origin, const std::array<V3f, 4>& directions, float from,
                 const std::array<float, 4>& to) const;
  unsigned free8(const V3f& origin, const V3f* directions, float from, float to) const;

 private:
  void attach_spheres(const RayScene& scene);
  void attach_surface(const Surface& surface, std::uint32_t id);

  RTCDevice device_ = nullptr;
  RTCScene scene_ = nullptr;
};

}  // namespace firn
#endif
