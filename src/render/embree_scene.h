// What rays meet: spheres and meshes, which Embree searches, and planes. Rays come in packets of 16
// that start near each other or point the same way, as Embree's packets want them.
#pragma once

#if FIRN_WITH_EMBREE
#include <embree3/rtcore.h>

#include <cstdint>

#include "src/render/lanes.h"
#include "src/render/raytrace.h"

namespace firn {

// What a ray has met is a number among others in a pack: nothing, the spheres, surface i as 1 + i,
// and behind the surfaces the planes.
inline constexpr float kNothing = -1, kSpheres = 0;
inline constexpr float kFar = 1e30f;

struct PacketHits {
  PacketFloats object, distance, u, v;  // distance in units of the ray's direction
  std::uint32_t primitive[kPacket];     // of spheres and surfaces
};

struct ShadowRays {
  Packet3 origin, direction;
  PacketFloats from, to;
  PacketFloats open;  // 1, or 0: not asked, or blocked
};

struct PlaneHits {
  Lanes object, distance;  // kNothing, kFar
};

// How far along rays a plane is; -1 where they do not meet it.
inline Lanes distance_to(const PlanePatch& plane, const V3p& origin, const V3p& direction) {
  const V3p to_center = spread(plane.center) - origin, normal = spread(plane.normal);
  const Lanes t = dot(to_center, normal) / dot(direction, normal);
  const V3p at = direction * t - to_center;
  const Lanes across = abs(dot(at, spread(plane.axes[0]))),
              along = abs(dot(at, spread(plane.axes[1])));
  return select(max(across, along) <= Lanes(plane.half_size), t, Lanes(-1.0f));
}

class EmbreeScene {
 public:
  explicit EmbreeScene(const RayScene& scene);
  ~EmbreeScene();
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;

  float first_plane() const { return 1 + static_cast<float>(surfaces_); }
  PlaneHits nearest_plane(const V3f& origin, const V3p& direction) const;
  // Puts what is closer than the distances that are there in their place.
  void meet_meshes(const V3f& origin, const Packet3& directions, PacketHits& hits) const;
  // Closes the rays that meet something between from and to.
  void block(ShadowRays& rays) const;

  const Bounds& mesh_bounds() const { return mesh_bounds_; }  // a little wide; empty without any

 private:
  void attach_spheres(const RayScene& scene);
  void attach_surface(const Surface& surface, std::uint32_t id);
  void release();

  const std::vector<PlanePatch>& planes_;
  std::size_t surfaces_;
  Bounds mesh_bounds_;
  V3f low_, high_;  // of spheres and meshes, a little wide
  RTCDevice device_ = nullptr;
  RTCScene meshes_ = nullptr, all_ = nullptr;
};

}  // namespace firn
#endif
