#if FIRN_WITH_EMBREE
#include "src/render/embree_scene.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "firn/error.h"

namespace firn {
namespace {

void copy(float (&to)[kPacket], const PacketFloats& from) { std::memcpy(to, from.v, sizeof to); }

void set_rays(RTCRay16& rays) {
  for (int i = 0; i < kPacket; ++i) {
    rays.time[i] = 0;
    rays.mask[i] = ~0u;
    rays.id[i] = static_cast<unsigned>(i);
    rays.flags[i] = 0;
  }
}

// Whether rays pass through a box between two distances. Where a ray lies in the plane of a side,
// zero times infinity is no number, and every comparison with it leaves the box open.
Lanes::mask_type meets_box(const V3f& low, const V3f& high, const V3p& origin, const V3p& direction,
                           Lanes from, Lanes to) {
  for (int c = 0; c < 3; ++c) {
    const Lanes inverse = Lanes(1.0f) / direction[c];
    const Lanes a = (Lanes(low[c]) - origin[c]) * inverse;
    const Lanes b = (Lanes(high[c]) - origin[c]) * inverse;
    from = max(from, min(a, b));
    to = min(to, max(a, b));
  }
  return from <= to;
}

// Nowhere without geometry.
Bounds bounds_of(RTCScene scene, double margin) {
  RTCBounds box;
  rtcGetSceneBounds(scene, &box);
  Bounds bounds;
  if (box.lower_x > box.upper_x) return bounds;
  bounds.add(V3d{{box.lower_x, box.lower_y, box.lower_z}} - V3d::filled(margin));
  bounds.add(V3d{{box.upper_x, box.upper_y, box.upper_z}} + V3d::filled(margin));
  return bounds;
}

}  // namespace

EmbreeScene::EmbreeScene(const RayScene& scene)
    : planes_(scene.planes), surfaces_(scene.surfaces.size()), device_(rtcNewDevice(nullptr)) {
  if (!device_)
    throw Error(ErrorCategory::kDevice,
                "Embree cannot start: error " + std::to_string(rtcGetDeviceError(nullptr)));
  meshes_ = rtcNewScene(device_);
  all_ = rtcNewScene(device_);
  // Without it rays slip between the triangles of a mesh.
  rtcSetSceneFlags(meshes_, RTC_SCENE_FLAG_ROBUST);
  if (surfaces_ > 0) rtcSetSceneFlags(all_, RTC_SCENE_FLAG_ROBUST);
  attach_spheres(scene);
  for (std::uint32_t i = 0; i < surfaces_; ++i) attach_surface(scene.surfaces[i], i + 1);
  rtcCommitScene(meshes_);
  rtcCommitScene(all_);
  const RTCError error = rtcGetDeviceError(device_);
  const double margin = 1e-4 * static_cast<double>(scene.size);
  mesh_bounds_ = bounds_of(meshes_, margin);
  const Bounds bounds = bounds_of(all_, margin);
  low_ = to_float(bounds.min);
  high_ = to_float(bounds.max);
  if (error == RTC_ERROR_NONE) return;
  release();
  throw Error(ErrorCategory::kDevice, error == RTC_ERROR_OUT_OF_MEMORY
                                          ? "Embree ran out of memory for the picture's particles"
                                          : "Embree failed: error " + std::to_string(error));
}

EmbreeScene::~EmbreeScene() { release(); }

void EmbreeScene::release() {
  rtcReleaseScene(meshes_);
  rtcReleaseScene(all_);
  rtcReleaseDevice(device_);
}

void EmbreeScene::attach_spheres(const RayScene& scene) {
  if (scene.spheres.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  // Embree reads them where they are: they outlive it, and 16 bytes each need no padding.
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                             scene.spheres.data(), 0, 4 * sizeof(float), scene.spheres.size());
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(all_, geometry, 0);
  rtcReleaseGeometry(geometry);
}

void EmbreeScene::attach_surface(const Surface& surface, std::uint32_t id) {
  if (surface.mesh.indices.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  const Mesh& mesh = surface.mesh;
  void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           3 * sizeof(float), mesh.positions.size());
  if (vertices)
    std::copy(mesh.positions.begin(), mesh.positions.end(), static_cast<V3f*>(vertices));
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(std::uint32_t), mesh.indices.size() / 3);
  if (indices)
    std::copy(mesh.indices.begin(), mesh.indices.end(), static_cast<std::uint32_t*>(indices));
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(meshes_, geometry, id);
  rtcAttachGeometryByID(all_, geometry, id);
  rtcReleaseGeometry(geometry);
}

PlaneHits EmbreeScene::nearest_plane(const V3f& origin, const V3p& direction) const {
  PlaneHits nearest{Lanes(kNothing), Lanes(kFar)};
  float object = first_plane();
  for (const PlanePatch& plane : planes_) {
    const Lanes t = distance_to(plane, spread(origin), direction);
    const auto closer = t > Lanes(0.0f) && t < nearest.distance;
    nearest.distance = select(closer, t, nearest.distance);
    nearest.object = select(closer, Lanes(object), nearest.object);
    ++object;
  }
  return nearest;
}

void EmbreeScene::meet_meshes(const V3f& origin, const Packet3& directions,
                              PacketHits& hits) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  RTCRayHit16 packet;
  RTCRay16& rays = packet.ray;
  set_rays(rays);
  copy(rays.dir_x, directions[0]), copy(rays.dir_y, directions[1]), copy(rays.dir_z, directions[2]);
  copy(rays.tfar, hits.distance);
  alignas(64) int valid[kPacket];
  for (int i = 0; i < kPacket; ++i) {
    valid[i] = -1;
    rays.org_x[i] = origin[0], rays.org_y[i] = origin[1], rays.org_z[i] = origin[2];
    rays.tnear[i] = 0;
    packet.hit.geomID[i] = packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  rtcIntersect16(valid, meshes_, &context, &packet);
  for (int i = 0; i < kPacket; ++i) {
    if (packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) continue;
    hits.object[i] = static_cast<float>(packet.hit.geomID[i]);
    hits.distance[i] = rays.tfar[i];
    hits.primitive[i] = packet.hit.primID[i];
    hits.u[i] = packet.hit.u[i];
    hits.v[i] = packet.hit.v[i];
  }
}

void EmbreeScene::block(ShadowRays& rays) const {
  alignas(64) int asked[kPacket];
  bool any_asked = false;
  for (int i = 0; i < kPacket; i += kLanes) {
    const V3p origin = load(rays.origin, i), direction = load(rays.direction, i);
    const Lanes from = load(&rays.from[i]), to = load(&rays.to[i]);
    Lanes open = load(&rays.open[i]);
    for (const PlanePatch& plane : planes_) {
      const Lanes t = distance_to(plane, origin, direction);
      open = select(t >= from && t <= to, Lanes(0.0f), open);
    }
    store(&rays.open[i], open);
    const Lanes near =
        select(meets_box(low_, high_, origin, direction, from, to), open, Lanes(0.0f));
    for (int k = 0; k < kLanes; ++k) asked[i + k] = near[static_cast<std::size_t>(k)] > 0 ? -1 : 0;
    any_asked = any_asked || any(near > Lanes(0.0f));
  }
  if (!any_asked || low_[0] > high_[0]) return;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay16 packet;
  set_rays(packet);
  copy(packet.org_x, rays.origin[0]), copy(packet.org_y, rays.origin[1]);
  copy(packet.org_z, rays.origin[2]), copy(packet.dir_x, rays.direction[0]);
  copy(packet.dir_y, rays.direction[1]), copy(packet.dir_z, rays.direction[2]);
  copy(packet.tnear, rays.from), copy(packet.tfar, rays.to);
  rtcOccluded16(asked, all_, &context, &packet);
  // Embree marks an occluded ray by tfar = -infinity.
  for (int i = 0; i < kPacket; ++i)
    if (asked[i] && packet.tfar[i] < 0) rays.open[i] = 0;
}

}  // namespace firn
#endif
