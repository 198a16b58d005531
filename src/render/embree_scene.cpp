#if FIRN_WITH_EMBREE
#include "src/render/embree_scene.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

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

}  // namespace

EmbreeTree::EmbreeTree(RTCSceneFlags flags) : device_(rtcNewDevice(nullptr)) {
  if (!device_) {
    const RTCError error = rtcGetDeviceError(nullptr);
    throw Error(ErrorCategory::kDevice,
                "Embree, which draws pictures, cannot start: " +
                    (error == RTC_ERROR_OUT_OF_MEMORY     ? "there is no memory for it"
                     : error == RTC_ERROR_UNSUPPORTED_CPU ? "it does not know this CPU"
                                                          : "error " + std::to_string(error)) +
                    "; output.image = false does without");
  }
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, flags);
}

EmbreeTree::~EmbreeTree() {
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

void EmbreeTree::commit() {
  rtcCommitScene(scene_);
  const RTCError error = rtcGetDeviceError(device_);
  if (error == RTC_ERROR_OUT_OF_MEMORY)
    throw Error(ErrorCategory::kDevice, "Embree ran out of memory for the picture's particles");
  if (error != RTC_ERROR_NONE)
    throw Error(ErrorCategory::kDevice, "Embree failed: error " + std::to_string(error));
  RTCBounds box;
  rtcGetSceneBounds(scene_, &box);
  if (box.lower_x > box.upper_x) return;
  bounds_.add({{box.lower_x, box.lower_y, box.lower_z}});
  bounds_.add({{box.upper_x, box.upper_y, box.upper_z}});
  const V3d margin = V3d::filled(1e-4 * bounds_.diagonal());
  bounds_.min -= margin;
  bounds_.max += margin;
}

RayMeshes::RayMeshes(std::vector<Surface> surfaces, int first)
    : surfaces_(std::move(surfaces)),
      tree_(RTC_SCENE_FLAG_ROBUST) {  // or rays slip between triangles
  for (std::uint32_t i = 0; i < surfaces_.size(); ++i) {
    const Mesh& mesh = surfaces_[i].mesh;
    if (mesh.indices.empty()) continue;
    tree_.attach(
        RTC_GEOMETRY_TYPE_TRIANGLE, static_cast<std::uint32_t>(first) + i + 1,
        [&](RTCGeometry geometry) {
          void* vertices =
              rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                      3 * sizeof(float), mesh.positions.size());
          if (vertices)
            std::copy(mesh.positions.begin(), mesh.positions.end(), static_cast<V3f*>(vertices));
          void* indices =
              rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                      3 * sizeof(std::uint32_t), mesh.indices.size() / 3);
          if (indices)
            std::copy(mesh.indices.begin(), mesh.indices.end(),
                      static_cast<std::uint32_t*>(indices));
        });
  }
  tree_.commit();
}

std::shared_ptr<const RayMeshes> make_ray_meshes(std::vector<Surface> surfaces, int first) {
  return std::make_shared<const RayMeshes>(std::move(surfaces), first);
}

EmbreeScene::EmbreeScene(const RayScene& scene)
    : planes_(scene.planes),
      meshes_(*scene.meshes),
      bodies_(*scene.bodies),
      clear_(*scene.clear),
      first_plane_(1 + static_cast<float>(meshes_.surfaces().size() + bodies_.surfaces().size())),
      bricks_(scene.spheres),
      spheres_(RTC_SCENE_FLAG_NONE) {
  if (!scene.spheres.empty())
    spheres_.attach(RTC_GEOMETRY_TYPE_USER, 0,
                    [&](RTCGeometry geometry) { bricks_.set(geometry); });
  spheres_.commit();
}

const Surface& EmbreeScene::surface(float object) const {
  const auto i = static_cast<std::size_t>(object) - 1, first = meshes_.surfaces().size();
  return i < first ? meshes_.surfaces()[i] : bodies_.surfaces()[i - first];
}

Bounds EmbreeScene::mesh_bounds() const {
  Bounds all;
  for (const RayMeshes* meshes : {&meshes_, &bodies_, &clear_}) {
    const Bounds& bounds = meshes->tree().bounds();
    if (bounds.empty()) continue;
    all.add(bounds.min);
    all.add(bounds.max);
  }
  return all;
}

void EmbreeScene::meet_meshes(const Packet3& origins, const Packet3& directions,
                              const int (&asked)[kPacket], PacketHits& hits) const {
  meshes_.meet(origins, directions, asked, hits);
  bodies_.meet(origins, directions, asked, hits);
}

PlaneHits EmbreeScene::nearest_plane(const V3p& origin, const V3p& direction) const {
  PlaneHits nearest{Lanes(kNothing), Lanes(kFar)};
  float object = first_plane();
  for (const PlanePatch& plane : planes_) {
    const Lanes t = distance_to(plane, origin, direction);
    const auto closer = t > Lanes(0.0f) && t < nearest.distance;
    nearest.distance = select(closer, t, nearest.distance);
    nearest.object = select(closer, Lanes(object), nearest.object);
    ++object;
  }
  return nearest;
}

void RayMeshes::meet(const Packet3& origins, const Packet3& directions, const int (&asked)[kPacket],
                     PacketHits& hits, const PacketFloats& from) const {
  if (surfaces_.empty()) return;
  RTCRayHit16 packet;
  RTCRay16& rays = packet.ray;
  set_rays(rays);
  copy(rays.org_x, origins[0]), copy(rays.org_y, origins[1]), copy(rays.org_z, origins[2]);
  copy(rays.dir_x, directions[0]), copy(rays.dir_y, directions[1]), copy(rays.dir_z, directions[2]);
  copy(rays.tnear, from), copy(rays.tfar, hits.distance);
  alignas(64) int valid[kPacket];
  for (int i = 0; i < kPacket; ++i) {
    valid[i] = asked[i];
    packet.hit.geomID[i] = packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  find_nearest(valid, tree_.scene(), packet);
  for (int i = 0; i < kPacket; ++i) {
    if (!asked[i] || packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) continue;
    hits.object[i] = static_cast<float>(packet.hit.geomID[i]);
    hits.distance[i] = rays.tfar[i];
    hits.primitive[i] = packet.hit.primID[i];
    hits.u[i] = packet.hit.u[i];
    hits.v[i] = packet.hit.v[i];
  }
}

void EmbreeScene::block(ShadowRays& rays) const {
  for (const PlanePatch& plane : planes_)
    for (int i = 0; i < kPacket; i += kLanes) {
      const Lanes t = distance_to(plane, load(rays.origin, i), load(rays.direction, i));
      const auto within = t >= load(&rays.from[i]) && t <= load(&rays.to[i]);
      store(&rays.open[i], select(within, Lanes(0.0f), load(&rays.open[i])));
    }
  spheres_.block(rays);
  meshes_.tree().block(rays);
  bodies_.tree().block(rays);
}

void EmbreeTree::block(ShadowRays& rays) const {
  if (bounds_.empty()) return;
  const V3f low = to_float(bounds_.min), high = to_float(bounds_.max);
  alignas(64) int asked[kPacket];
  bool any_asked = false;
  for (int i = 0; i < kPacket; i += kLanes) {
    const auto near = meets_box(low, high, load(rays.origin, i), load(rays.direction, i),
                                load(&rays.from[i]), load(&rays.to[i]));
    const Lanes open = select(near, load(&rays.open[i]), Lanes(0.0f));
    for (int k = 0; k < kLanes; ++k) asked[i + k] = open[k] > 0 ? -1 : 0;
    any_asked = any_asked || any(open > Lanes(0.0f));
  }
  if (!any_asked) return;
  RTCRay16 packet;
  set_rays(packet);
  copy(packet.org_x, rays.origin[0]), copy(packet.org_y, rays.origin[1]);
  copy(packet.org_z, rays.origin[2]), copy(packet.dir_x, rays.direction[0]);
  copy(packet.dir_y, rays.direction[1]), copy(packet.dir_z, rays.direction[2]);
  copy(packet.tnear, rays.from), copy(packet.tfar, rays.to);
  find_any(asked, scene_, packet);
  for (int i = 0; i < kPacket; ++i)
    if (asked[i] && packet.tfar[i] < 0) rays.open[i] = 0;
}

}  // namespace firn
#endif
