#if FIRN_WITH_EMBREE
#include "src/render/particle_light.h"

#include <algorithm>
#include <span>

#include "kernels/exec/in_parallel.h"
#include "src/render/shading.h"

namespace firn {
namespace {

void start(ShadowRays& rays, int i, const V3f& origin, float from, float to) {
  for (int c = 0; c < 3; ++c) rays.origin[c][i] = origin[c];
  rays.from[i] = from;
  rays.to[i] = to;
}

// In one direction from all: such rays take the same way through Embree's tree.
void send(const PictureHits& hits, const V3f& direction, int count, ShadowRays& rays) {
  for (int i = 0; i < kPacket; ++i) {
    for (int c = 0; c < 3; ++c) rays.direction[c][i] = direction[c];
    rays.open[i] = i < count ? 1 : 0;
  }
  hits.embree.block(rays);
}

void add_sky(const PictureHits& hits, const LightDirections& lights,
             std::span<const std::uint32_t> particles, std::vector<ParticleLight>& all) {
  const int count = static_cast<int>(particles.size());
  ShadowRays rays{};
  for (int i = 0; i < count; ++i) {
    const auto& [x, y, z, radius] = hits.scene.spheres[particles[i]];
    start(rays, i, {{x, y, z}}, 1.01f * radius, 0.3f * hits.scene.size);
  }
  for (const V3f& direction : lights.sky) {
    send(hits, direction, count, rays);
    for (int i = 0; i < count; ++i) {
      all[particles[i]].sky += rays.open[i];
      all[particles[i]].open += direction * rays.open[i];
    }
  }
  // Half of all directions are open on a plane, and their mean has length 1/2.
  constexpr float kShare = 1.0f / std::tuple_size_v<decltype(LightDirections::sky)>;
  for (const std::uint32_t particle : particles) {
    ParticleLight& light = all[particle];
    light.sky = std::clamp(2 * kShare * light.sky, kDeepSky, 1.0f);
    light.open *= 4 * kShare;
  }
}

// Starts outside the nearest neighbours, which the normal already accounts for.
V3f sun_origin(const std::array<float, 4>& sphere, const ParticleLight& light) {
  const V3f center{{sphere[0], sphere[1], sphere[2]}};
  const float length = norm(light.open);
  return length > 0.1f ? center + light.open * (1.5f * sphere[3] / length) : center;
}

void add_sun(const PictureHits& hits, const LightDirections& lights,
             std::span<const std::uint32_t> particles, std::vector<ParticleLight>& all) {
  const int count = static_cast<int>(particles.size());
  ShadowRays rays{};
  for (int i = 0; i < count; ++i) {
    const std::array<float, 4>& sphere = hits.scene.spheres[particles[i]];
    start(rays, i, sun_origin(sphere, all[particles[i]]), 1.01f * sphere[3], kFar);
  }
  constexpr float kShare = 1.0f / std::tuple_size_v<decltype(LightDirections::sun)>;
  for (const V3f& direction : lights.sun) {
    send(hits, direction, count, rays);
    for (int i = 0; i < count; ++i) all[particles[i]].sun += kShare * rays.open[i];
  }
  if (!hits.clear_shadow || hits.clear_shadow->empty()) return;
  for (const std::uint32_t particle : particles) {
    const auto& [x, y, z, radius] = hits.scene.spheres[particle];
    const V3f left = hits.clear_shadow->passed({{x, y, z}});
    all[particle].sun *= (left[0] + left[1] + left[2]) / 3;
  }
}

}  // namespace

std::vector<ParticleLight> light_particles(const PictureHits& hits, const LightDirections& lights) {
  const std::vector<std::uint32_t> visible = hits.visible_particles();
  std::vector<ParticleLight> light(hits.scene.spheres.size());
  in_parallel((visible.size() + kPacket - 1) / kPacket, [&](std::size_t packet) {
    const auto rest = std::span(visible).subspan(kPacket * packet);
    const auto particles = rest.first(std::min<std::size_t>(kPacket, rest.size()));
    for (const std::uint32_t particle : particles) {
      const ColorF albedo = srgb_to_linear(hits.scene.sphere_colors[particle]);
      light[particle].albedo = {{albedo[0], albedo[1], albedo[2]}};
    }
    add_sky(hits, lights, particles, light);
    add_sun(hits, lights, particles, light);
  });
  return light;
}

}  // namespace firn
#endif
