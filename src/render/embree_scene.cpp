#if FIRN_WITH_EMBREE
#include "src/render/embree_scene.h"

#include <algorithm>
#include <limits>
#include <string>

#include "firn/error.h"

namespace firn {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One ray of a packet; the packets of four and of eight differ only in size.
template <class Packet>
void set_ray(Packet& packet, int i, const V3f& origin, const V3f& direction, float from, float to) {
  packet.org_x[i] = origin[0];
  packet.org_y[i] = origin[1];
  packet.org_z[i] = origin[2];
  packet.dir_x[i] = direction[0];
  packet.dir_y[i] = direction[1];
  packet.dir_z[i] = direction[2];
  packet.tnear[i] = from;
  packet.tfar[i] = to;
  packet.time[i] = 0;
  packet.mask[i] = ~0u;
  packet.id[i] = static_cast<unsigned>(i);
  packet.flags[i] = 0;
}

// Embree marks an occluded ray by tfar = -infinity.
template <class Packet>
unsigned free_rays(const Packet& packet, int count) {
  unsigned bits = 0;
  for (int i = 0; i < count; ++i)
    if (packet.tfar[i] >= 0) bits |= 1u << i;
  return bits;
}

}  // namespace

EmbreeScene::EmbreeScene(const RayScene& scene) : device_(rtcNewDevice(nullptr)) {
  if (!device_)
    throw Error(ErrorCategory::kDevice,
                "Embree cannot start: error " + std::to_string(rtcGetDeviceError(nullptr)));
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
  attach_spheres(scene);
  for (std::uint32_t i = 0; i < scene.surfaces.size(); ++i)
    attach_surface(scene.surfaces[i], i + 1);
  rtcCommitScene(scene_);
  const RTCError error = rtcGetDeviceError(device_);
  if (error == RTC_ERROR_NONE) return;
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
  throw Error(ErrorCategory::kDevice, error == RTC_ERROR_OUT_OF_MEMORY
                                          ? "Embree ran out of memory for the picture's particles"
                                          : "Embree failed: error " + std::to_string(error));
}

EmbreeScene::~EmbreeScene() {
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

void EmbreeScene::attach_spheres(const RayScene& scene) {
  if (scene.spheres.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  // Embree reads them where they are: they outlive it, and 16 bytes each need no padding.
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                             scene.spheres.data(), 0, 4 * sizeof(float), scene.spheres.size());
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_, geometry, kSpheres);
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
  rtcAttachGeometryByID(scene_, geometry, id);
  rtcReleaseGeometry(geometry);
}

std::array<RayHit, 4> EmbreeScene::trace(const V3f& origin,
                                         const std::array<V3f, 4>& directions) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  RTCRayHit4 packet;
  for (int i = 0; i < 4; ++i) {
    set_ray(packet.ray, i, origin, directions[i], 0, kInfinity);
    packet.hit.geomID[i] = packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  alignas(16) const int valid[4] = {-1, -1, -1, -1};
  rtcIntersect4(valid, scene_, &context, &packet);
  std::array<RayHit, 4> hits;
  for (int i = 0; i < 4; ++i)
    hits[i] = {packet.hit.geomID[i], packet.hit.primID[i], packet.ray.tfar[i], packet.hit.u[i],
               packet.hit.v[i]};
  return hits;
}

unsigned EmbreeScene::free4(const V3f& origin, const std::array<V3f, 4>& directions, float from,
                            const std::array<float, 4>& to) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay4 packet;
  for (int i = 0; i < 4; ++i) set_ray(packet, i, origin, directions[i], from, to[i]);
  alignas(16) const int valid[4] = {-1, -1, -1, -1};
  rtcOccluded4(valid, scene_, &context, &packet);
  return free_rays(packet, 4);
}

unsigned EmbreeScene::free8(const V3f& origin, const V3f* directions, float from, float to) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay8 packet;
  for (int i = 0; i < 8; ++i) set_ray(packet, i, origin, directions[i], from, to);
  alignas(32) const int valid[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  rtcOccluded8(valid, scene_, &context, &packet);
  return free_rays(packet, 8);
}

}  // namespace firn
#endif
