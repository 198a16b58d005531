#if FIRN_WITH_EMBREE
#include "src/render/clear_shadow.h"

#include <algorithm>
#include <cmath>

#include "src/render/surface_values.h"

namespace firn {
namespace {

constexpr int kMostSurfaces = 6;    // on a ray's way
constexpr float kStraight = 0.85f;  // of the light that meets a surface, what goes on near enough

// Light that has gone `distance` through the material of a surface, m.
void absorb(const Surface& surface, const PacketHits& hit, int i, float distance, Packet3& passed) {
  const V3f tint = surface_color(surface, hit.primitive[i], hit.u[i], hit.v[i]);
  for (int c = 0; c < 3; ++c)
    passed[static_cast<std::size_t>(c)][i] *=
        std::exp(std::log(std::max(tint[c], 0.02f)) * distance / surface.finish.depth);
}

}  // namespace

bool pass_clear(const RayMeshes& clear, float size, const ShadowRays& rays, Packet3& passed) {
  if (clear.surfaces().empty()) return false;
  ShadowRays unblocked = rays;
  clear.tree().block(unblocked);
  alignas(64) int asked[kPacket];
  bool any = false;
  for (int i = 0; i < kPacket; ++i) {
    asked[i] = rays.open[i] > 0 && unblocked.open[i] == 0 ? -1 : 0;
    any = any || asked[i] != 0;
  }
  if (!any) return false;
  for (auto& channel : passed) std::fill(std::begin(channel.v), std::end(channel.v), 1.0f);
  Packet3 origin = rays.origin;
  for (int surface = 0; surface < kMostSurfaces && any; ++surface) {
    PacketHits hit;
    std::fill(std::begin(hit.object.v), std::end(hit.object.v), kNothing);
    std::fill(std::begin(hit.distance.v), std::end(hit.distance.v), kFar);
    clear.meet(origin, rays.direction, asked, hit);
    any = false;
    for (int i = 0; i < kPacket; ++i) {
      if (asked[i] != 0 && hit.object[i] == kNothing) asked[i] = 0;
      if (asked[i] == 0) continue;
      any = true;
      const Surface& met = clear.surfaces()[static_cast<std::size_t>(hit.object[i]) - 1];
      const V3f d{{rays.direction[0][i], rays.direction[1][i], rays.direction[2][i]}};
      const V3f outward = surface_normal(met.mesh, hit.primitive[i], hit.u[i], hit.v[i]);
      if (dot(outward, d) > 0) absorb(met, hit, i, hit.distance[i], passed);
      const float on = hit.distance[i] + 1e-4f * size;  // or it would be met again
      for (std::size_t c = 0; c < 3; ++c) {
        passed[c][i] *= kStraight;
        origin[c][i] += d[static_cast<int>(c)] * on;
      }
    }
  }
  return true;
}

}  // namespace firn
#endif
