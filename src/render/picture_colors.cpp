#if FIRN_WITH_EMBREE
#include "src/render/picture_colors.h"

#include <algorithm>

#include "src/render/glass.h"
#include "src/render/ground.h"
#include "src/render/surface_values.h"

namespace firn {

PictureColors::PictureColors(const PictureHits& hits, const LightDirections& lights,
                             const std::vector<ParticleLight>& particles,
                             const SurfaceLight& surfaces, double pixel)
    : hits_(hits),
      scene_(hits.scene),
      lights_(lights),
      particles_(particles),
      surfaces_(surfaces),
      pixel_(static_cast<float>(pixel)),
      clear_(hits, lights, pixel_) {}

V3f PictureColors::position_of(const Seen& seen, int i) const {
  V3f position;
  for (int c = 0; c < 3; ++c)
    position[c] = hits_.camera.eye[c] + seen.direction[c][i] * seen.distance[i];
  return position;
}

void PictureColors::see_planes(int x, int y, Seen& seen) const {
  float next = hits_.embree.first_plane();
  for (const PlanePatch& plane : scene_.planes) {
    const float object = next++;
    const auto here = seen.object == Lanes(object);
    if (!any(here)) continue;
    V3p albedo = spread(plane.color);
    if (plane.is_ground) {
      const V3p position = spread(hits_.camera.eye) + seen.direction * seen.distance;
      const Lanes footprint = norm(seen.direction) * seen.distance * Lanes(pixel_);
      albedo = ground_albedo(plane, scene_.grid_spacing, position, footprint);
      const Lanes far = norm(position - spread(scene_.center)) * Lanes(1 / scene_.size);
      seen.faded = select(here, smoothstep(kFadeFrom, kFadeTo, far), seen.faded);
    }
    seen.albedo = select(here, albedo, seen.albedo);
    seen.normal = select(here, spread(plane.normal), seen.normal);
    const auto own = here && load(surfaces_.object(x, y)) == Lanes(object);
    seen.sun = select(own, load(surfaces_.sun(x, y)), seen.sun);
    seen.sky = select(own, load(surfaces_.sky(x, y)), seen.sky);
    for (int c = 0; surfaces_.is_tinted() && c < 3; ++c)
      seen.passed[c] = select(own, load(surfaces_.passed(x, y, c)), seen.passed[c]);
    for (int i = 0; any(own != here) && i < std::min(kLanes, hits_.width() - x); ++i) {
      if (own[i] == here[i]) continue;
      const SurfaceLight::Light light =
          surfaces_.at(x + i, y, object, position_of(seen, i), plane.normal);
      seen.sun[i] = light.sun;
      seen.sky[i] = light.sky;
      for (int c = 0; c < 3; ++c) seen.passed[c][i] = light.passed[c];
    }
  }
}

void PictureColors::see_spheres(const PacketHits& row, int first, Seen& seen) const {
  Packet3 center{}, open{}, albedo{}, glow{};
  PacketFloats sun{}, sky{};
  for (int i = 0; i < kLanes; ++i) {
    if (row.object[first + i] != kSpheres) continue;
    const std::uint32_t particle = row.primitive[first + i];
    const ParticleLight& light = particles_[particle];
    for (int c = 0; c < 3; ++c) {
      center[c][i] = scene_.spheres[particle][c];
      open[c][i] = light.open[c];
      albedo[c][i] = light.albedo[c];
      if (!scene_.sphere_glow.empty()) glow[c][i] = scene_.sphere_glow[particle][c];
    }
    sun[i] = light.sun;
    sky[i] = light.sky;
  }
  const auto here = seen.object == Lanes(kSpheres);
  const V3p position = spread(hits_.camera.eye) + seen.direction * seen.distance;
  const V3p round = unit(position - load(center, 0));
  seen.normal = select(here, unit(round * Lanes(0.55f) + load(open, 0)), seen.normal);
  seen.albedo = select(here, load(albedo, 0), seen.albedo);
  seen.glow = load(glow, 0);
  seen.sun = select(here, load(&sun.v[0]), seen.sun);
  seen.sky = select(here, load(&sky.v[0]), seen.sky);
}

void PictureColors::see_meshes(int x, int y, int sample, const PacketHits& row, Seen& seen) const {
  for (int i = 0; i < std::min(kLanes, hits_.width() - x); ++i) {
    const int k = x % kPacket + i;
    const float object = row.object[k];
    if (object <= kSpheres || object >= hits_.embree.first_plane()) continue;
    const Surface& surface = hits_.embree.surface(object);
    const V3f normal = surface_normal(surface.mesh, row.primitive[k], row.u[k], row.v[k],
                                      hits_.camera.direction(x + i, y, sample));
    const SurfaceLight::Light light = surfaces_.at(x + i, y, object, position_of(seen, i), normal);
    const V3f color = surface_color(surface, row.primitive[k], row.u[k], row.v[k]);
    const V3f glow = surface_glow(surface, row.primitive[k], row.u[k], row.v[k]);
    for (int c = 0; c < 3; ++c) {
      seen.normal[c][i] = normal[c];
      seen.albedo[c][i] = color[c];
      seen.glow[c][i] = glow[c];
      seen.passed[c][i] = light.passed[c];
    }
    seen.sun[i] = light.sun;
    seen.sky[i] = light.sky;
    seen.finish.set(i, surface.finish);
    seen.finished = seen.finished || surface.finish.gloss > 0 || surface.finish.soft > 0;
  }
}

V3p PictureColors::radiance(int x, int y, int sample, V3p* behind) const {
  Seen seen{.direction = hits_.camera.directions(x, y, sample),
            .object = {},
            .distance = {},
            .normal = spread(scene_.up),
            .albedo = V3p::zero(),
            .glow = V3p::zero(),
            .sun = 1.0f,
            .sky = 1.0f,
            .faded = 0.0f,
            .passed = V3p::filled(Lanes(1.0f))};
  if (const PacketHits* row = hits_.row(x, y, sample)) {
    seen.object = load(&row->object.v[x % kPacket]);
    seen.distance = load(&row->distance.v[x % kPacket]);
    if (any(seen.object == Lanes(kSpheres))) see_spheres(*row, x % kPacket, seen);
    if (hits_.embree.has_surfaces()) see_meshes(x, y, sample, *row, seen);
  } else {
    const PlaneHits plane = hits_.embree.nearest_plane(spread(hits_.camera.eye), seen.direction);
    seen.object = plane.object;
    seen.distance = plane.distance;
  }
  seen.faded = select(seen.object == Lanes(kNothing), Lanes(1.0f), seen.faded);
  V3p color = V3p::zero();
  if (any(seen.faded < Lanes(1.0f))) {
    see_planes(x, y, seen);
    color = shade(seen.albedo, seen.normal, lights_.to_sun, scene_.up, seen.sun, seen.sky,
                  seen.finish.soft, surfaces_.is_tinted() ? &seen.passed : nullptr);
    if (seen.finished)
      color = finished(color, seen.finish, seen.albedo, unit(seen.direction), seen.normal,
                       lights_.to_sun, scene_.up, seen.sun, seen.sky);
    color = color + seen.glow;
  }
  const auto sky = [&] { return background(seen.direction, scene_.up); };
  if (behind != nullptr) {
    color = color * (Lanes(1.0f) - seen.faded);
    *behind = V3p::filled(seen.faded);
  } else if (any(seen.faded > Lanes(0.0f))) {
    color = mix(color, sky(), seen.faded);
  }
  const auto pass_panes = [&](Through way) {
    if (!scene_.glass) return;
    const auto through = [&](const V3p& light) {
      return through_glass(*scene_.glass, way, light, hits_.camera.eye, seen.direction,
                           seen.distance, lights_.to_sun, scene_.up);
    };
    color = through(color);
    if (behind != nullptr) *behind = through(*behind) - through(V3p::zero());
  };
  pass_panes(Through::kOutOf);
  if (clear_.may_show(x, y)) {
    Lanes met;
    V3p whole = color;
    for (int c = 0; behind != nullptr && c < 3; ++c) whole[c] += (*behind)[c] * sky()[c];
    whole = clear_.before(whole, seen.direction, seen.object, seen.distance, met);
    color = behind != nullptr ? select(met > Lanes(0.0f), whole, color) : whole;
    if (behind != nullptr) *behind = select(met > Lanes(0.0f), V3p::zero(), *behind);
  }
  pass_panes(Through::kInto);
  return color;
}

namespace {

void put(const V3p& srgb, int count, std::uint8_t* pixel) {
  for (int c = 0; c < 3; ++c) {
    const Lanes level = Lanes(255.0f) * to_srgb(srgb[c]) + Lanes(0.5f);
    for (int i = 0; i < count; ++i) pixel[3 * i + c] = static_cast<std::uint8_t>(level[i]);
  }
}

}  // namespace

// Pixels in which nothing is before the background have its colour, for who knows no alpha.
void PictureColors::draw_apart(int x, int y, int count, Image& image) const {
  const Lanes part(1.0f / kSamples), none(0.0f), one(1.0f);
  V3p light = V3p::zero(), whole = V3p::zero(), before = V3p::zero();
  Lanes alpha(0.0f);
  for (int s = 0; s < kSamples; ++s) {
    V3p behind;
    const V3p color = radiance(x, y, s, &behind);
    const V3p sky = background(hits_.camera.directions(x, y, s), scene_.up);
    const Lanes own = clamp(one - (behind[0] + behind[1] + behind[2]) * Lanes(1 / 3.0f), none, one);
    alpha += part * own;
    for (int c = 0; c < 3; ++c) {
      light[c] += part * color[c];
      whole[c] += part * tone_map(color[c] + behind[c] * sky[c]);
      before[c] += part * own * tone_map(color[c] / max(own, Lanes(1e-6f)));
    }
  }
  const std::size_t first = static_cast<std::size_t>(y) * image.width + x;
  if (!image.light.empty()) {
    for (int i = 0; i < count; ++i) {
      float* pixel = &image.light[4 * (first + i)];
      for (int c = 0; c < 3; ++c) pixel[c] = light[c][i];
      pixel[3] = alpha[i];
    }
  }
  if (!image.alpha.empty()) {
    const Lanes level = Lanes(255.0f) * alpha + Lanes(0.5f);
    for (int i = 0; i < count; ++i) image.alpha[first + i] = static_cast<std::uint8_t>(level[i]);
    for (int c = 0; c < 3; ++c)
      whole[c] = select(level >= one, before[c] / max(alpha, Lanes(1e-6f)), whole[c]);
  }
  put(whole, count, &image.rgb[3 * first]);
}

void PictureColors::draw(int tile, Image& image) const {
  const int right = std::min(hits_.left(tile) + kTile, image.width);
  const int bottom = std::min(hits_.top(tile) + kTile, image.height);
  const bool is_apart = !image.alpha.empty() || !image.light.empty();
  for (int y = hits_.top(tile); y < bottom; ++y)
    for (int x = hits_.left(tile); x < right; x += kLanes) {
      const int count = std::min(kLanes, right - x);
      if (is_apart) {
        draw_apart(x, y, count, image);
        continue;
      }
      V3p sum = V3p::zero();
      for (int s = 0; s < kSamples; ++s) {
        const V3p color = radiance(x, y, s);
        for (int c = 0; c < 3; ++c) sum[c] += Lanes(1.0f / kSamples) * tone_map(color[c]);
      }
      put(sum, count, &image.rgb[3 * (static_cast<std::size_t>(y) * image.width + x)]);
    }
}

}  // namespace firn
#endif
