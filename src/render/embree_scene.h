// What rays meet: spheres and meshes, which Embree searches, and planes. Rays come in packets of 16
// that start near each other or point the same way, as Embree's packets want them.
#pragma once

#if FIRN_WITH_EMBREE
#include <cstdint>

#include "src/render/embree.h"
#include "src/render/lanes.h"
#include "src/render/raytrace.h"
#include "src/render/sphere_bricks.h"

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

// What Embree searches, and a box about it that most rays pass by.
class EmbreeTree {
 public:
  explicit EmbreeTree(RTCSceneFlags flags);
  ~EmbreeTree();
  EmbreeTree(const EmbreeTree&) = delete;
  EmbreeTree& operator=(const EmbreeTree&) = delete;

  // `set` fills the geometry's buffers.
  template <class F>
  void attach(RTCGeometryType type, std::uint32_t id, F set) {
    RTCGeometry geometry = rtcNewGeometry(device_, type);
    set(geometry);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene_, geometry, id);
    rtcReleaseGeometry(geometry);
  }
  // After the last geometry; throws what Embree has complained about since the first.
  void commit();

  RTCScene scene() const { return scene_; }
  const Bounds& bounds() const { return bounds_; }  // a little wide; empty without geometry
  void block(ShadowRays& rays) const;

 private:
  RTCDevice device_;
  RTCScene scene_ = nullptr;
  Bounds bounds_;
};

class RayMeshes {
 public:
  RayMeshes(std::vector<Surface> surfaces, int first);

  const std::vector<Surface>& surfaces() const { return surfaces_; }
  const EmbreeTree& tree() const { return tree_; }
  // Puts what is closer than the distances that are there, and farther than `from`, in their place.
  // `asked`: -1, or 0 for rays to leave as they are.
  void meet(const Packet3& origins, const Packet3& directions, const int (&asked)[kPacket],
            PacketHits& hits, const PacketFloats& from = {}) const;

 private:
  std::vector<Surface> surfaces_;
  EmbreeTree tree_;
};

class EmbreeScene {
 public:
  explicit EmbreeScene(const RayScene& scene);

  // Of the surfaces that block light; clear ones count on their own.
  bool has_surfaces() const { return first_plane() > 1; }
  const Surface& surface(float object) const;
  const RayMeshes& clear() const { return clear_; }
  float first_plane() const { return first_plane_; }
  Bounds mesh_bounds() const;

  void meet_meshes(const Packet3& origins, const Packet3& directions, const int (&asked)[kPacket],
                   PacketHits& hits) const;
  PlaneHits nearest_plane(const V3p& origin, const V3p& direction) const;
  // Closes the rays that meet something between from and to.
  void block(ShadowRays& rays) const;

 private:
  const std::vector<PlanePatch>& planes_;
  const RayMeshes &meshes_, &bodies_, &clear_;
  float first_plane_;
  SphereBricks bricks_;
  EmbreeTree spheres_;
};

inline constexpr auto kAllAsked = [] {
  struct {
    alignas(64) int rays[kPacket];
  } all{};
  for (int& ray : all.rays) ray = -1;
  return all;
}();

}  // namespace firn
#endif
