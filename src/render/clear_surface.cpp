#if FIRN_WITH_EMBREE
#include "src/render/clear_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/render/finish.h"
#include "src/render/ground.h"
#include "src/render/surface_values.h"

namespace firn {
namespace {

constexpr float kIndex = 1.33f;      // of refraction, water's
constexpr float kReflected = 0.02f;  // of light from straight above
constexpr int kMostSegments = 12;    // of a ray's way; the last sees the sky
constexpr float kScattered = 0.30f;  // what of the lost light comes back in the material's colour

// Refracted at a surface with the normal `n` against the ray, `ratio` = index before over behind;
// false where all light is reflected.
bool refract(const V3f& d, const V3f& n, float ratio, V3f& out) {
  const float cosine = -dot(d, n);
  const float square = 1 - ratio * ratio * (1 - cosine * cosine);
  if (square < 0) return false;
  out = normalized(d * ratio + n * (ratio * cosine - std::sqrt(square)));
  return true;
}

float reflected_part(float cosine) {
  const float c = 1 - std::min(1.0f, cosine), c2 = c * c;
  return kReflected + (1 - kReflected) * c2 * c2 * c;
}

V3f lane(const V3p& x, int i) { return {{x[0][i], x[1][i], x[2][i]}}; }

// How far from where a ray has met a surface it may seem to meet it again: by the rounding of the
// places, which counts across the surface, whose cosine to the ray is given.
float rounding(const V3f& origin, const V3f& met, float distance, float cosine) {
  constexpr float kUlps = 16, kGrazing = 0.02f;
  float largest = distance;
  for (int c = 0; c < 3; ++c) largest = std::max({largest, std::abs(origin[c]), std::abs(met[c])});
  return kUlps * std::numeric_limits<float>::epsilon() * largest / std::max(cosine, kGrazing);
}

}  // namespace

// Rays on their way: where they are, what part of their light still counts, and what they have
// seen. Where particles lie behind, which only camera rays can meet, a ray stays straight.
struct ClearSurface::Paths {
  Packet3 origin, direction;  // unit vectors
  V3f share[kPacket], seen[kPacket], behind[kPacket];
  float left[kPacket];  // m to the particle behind; negative: refracted, meets what there is
  float travelled[kPacket];
  PacketFloats from;  // m: the surface that a ray has left lies nearer, and is not met again
  ClearMedia within[kPacket];
  bool touching[kPacket];         // in air that is none, between two clear things that touch
  alignas(64) int open[kPacket];  // -1: on its way, 0: has ended
  bool met = false;               // some ray has met something clear
  // The sun's mirror image where a ray has just met a surface: what of it counts if nothing shades
  // it, and the way to it.
  V3f glint[kPacket];
  Packet3 mirrored;

  V3f way(int i) const { return {{direction[0][i], direction[1][i], direction[2][i]}}; }
};

ClearSurface::ClearSurface(const PictureHits& hits, const LightDirections& lights, float pixel)
    : hits_(hits), lights_(lights), pixel_(pixel) {
  find_camera();
}

// Within a surface that is closed rays leave it first, whichever way they go; along the axes, of
// which some may graze an edge.
void ClearSurface::find_camera() {
  const RayMeshes& clear = hits_.embree.clear();
  if (clear.surfaces().empty()) return;
  constexpr int kRays = 6;
  Packet3 eyes, directions;
  PacketHits met;
  alignas(64) int asked[kPacket];
  for (int i = 0; i < kPacket; ++i) {
    asked[i] = i < kRays ? -1 : 0;
    met.object[i] = kNothing;
    met.distance[i] = kFar;
    for (int c = 0; c < 3; ++c) {
      eyes[c][i] = hits_.camera.eye[c];
      directions[c][i] = c != i / 2 % 3 ? 0.0f : i % 2 ? -1.0f : 1.0f;
    }
  }
  clear.meet(eyes, directions, asked, met);
  int leave = 0;
  ClearMedium medium{};
  for (int i = 0; i < kRays; ++i) {
    if (met.object[i] == kNothing) continue;
    const V3f outward =
        surface_normal(surface(met.object[i]).mesh, met.primitive[i], met.u[i], met.v[i]);
    if (outward[i / 2] * directions[i / 2][i] <= 0) continue;
    ++leave;
    medium = medium_of(met, i);
  }
  if (2 * leave > kRays) camera_is_in_ = medium;
}

ClearMedium ClearSurface::medium_of(const PacketHits& met, int i) const {
  const Surface& own = surface(met.object[i]);
  return {met.object[i], surface_color(own, met.primitive[i], met.u[i], met.v[i]), own.finish.depth,
          own.finish.gap};
}

// By the triangle itself: at a rim the normals of its corners may say otherwise.
bool ClearSurface::leaves(const PacketHits& met, int i, const V3f& d) const {
  return dot(d, face_normal(surface(met.object[i]).mesh, met.primitive[i])) > 0;
}

bool ClearSurface::may_show(int x, int y) const {
  return !hits_.embree.clear().surfaces().empty() &&
         hits_.may_show_meshes(y / kTile * hits_.columns() + x / kTile);
}

void ClearSurface::start(Paths& paths, const V3p& behind, const V3p& direction, const Lanes& object,
                         const Lanes& distance) const {
  PacketHits first;
  Packet3 eyes, directions;
  for (int i = 0; i < kPacket; ++i) {
    const int k = std::min(i, kLanes - 1);
    paths.open[i] = i < kLanes ? -1 : 0;
    first.object[i] = kNothing;
    first.distance[i] = distance[k];
    const V3f d = lane(direction, k);
    for (int c = 0; c < 3; ++c) {
      eyes[c][i] = hits_.camera.eye[c];
      directions[c][i] = d[c];
    }
  }
  if (!camera_is_in_) hits_.embree.clear().meet(eyes, directions, paths.open, first);
  for (int i = 0; i < kPacket; ++i) {
    if (!camera_is_in_ && first.object[i] == kNothing) paths.open[i] = 0;
    if (paths.open[i] == 0) continue;
    paths.met = true;
    const V3f d = lane(direction, i);
    const float length = norm(d);
    for (int c = 0; c < 3; ++c) {
      paths.origin[c][i] = hits_.camera.eye[c];
      paths.direction[c][i] = d[c] / length;
    }
    paths.share[i] = V3f::filled(1);
    paths.seen[i] = V3f::zero();
    paths.behind[i] = lane(behind, i);
    paths.left[i] = object[i] == kSpheres ? distance[i] * length : -1;
    paths.travelled[i] = paths.from[i] = 0;
    paths.touching[i] = false;
    if (camera_is_in_) paths.within[i].enter(*camera_is_in_);
  }
}

void ClearSurface::absorb(Paths& paths, int i, const ClearMedium& medium, float distance) {
  for (int c = 0; c < 3; ++c) {
    const float tint = medium.tint[c];
    const float kept = std::exp(std::log(std::max(tint, 0.02f)) * distance / medium.depth);
    paths.seen[i][c] += paths.share[i][c] * (1 - kept) * tint * kScattered;
    paths.share[i][c] *= kept;
  }
}

// Of the rays that would leave clear material, those that meet other such material so near that
// there is no air between: the surfaces of two things that touch are never quite one.
void ClearSurface::find_touching(const Paths& paths, const PacketHits& clear,
                                 bool (&touching)[kPacket]) const {
  std::fill(std::begin(touching), std::end(touching), false);
  if (hits_.embree.clear().surfaces().size() < 2) return;
  PacketHits beyond;
  alignas(64) int asked[kPacket];
  for (int i = 0; i < kPacket; ++i) {
    asked[i] = paths.open[i] != 0 && leaves(clear, i, paths.way(i)) ? -1 : 0;
    beyond.object[i] = kNothing;
    beyond.distance[i] =
        asked[i] != 0 ? clear.distance[i] + surface(clear.object[i]).finish.gap : 0;
  }
  hits_.embree.clear().meet(paths.origin, paths.direction, asked, beyond, clear.distance);
  for (int i = 0; i < kPacket; ++i)
    touching[i] = asked[i] != 0 && beyond.object[i] != kNothing &&
                  beyond.object[i] != clear.object[i] && !leaves(beyond, i, paths.way(i));
}

// Of what comes to clear material from the air, the part that does not enter.
void ClearSurface::reflect(Paths& paths, int i, const Surface& met, const V3f& way,
                           float cosine) const {
  const float part = reflected_part(cosine);
  const V3f sky = lane(surroundings(spread(way), hits_.scene.up), 0);
  const float sun = highlight(spread(way), lights_.to_sun, Lanes(met.finish.spread))[0];
  for (int c = 0; c < 3; ++c) {
    paths.seen[i][c] += paths.share[i][c] * part * sky[c];
    paths.glint[i][c] = paths.share[i][c] * part * kSunLight[c] * sun;
    paths.mirrored[c][i] = way[c];
    paths.share[i][c] *= 1 - part;
  }
}

// Where the surfaces that were met last see the sun.
void ClearSurface::add_glints(Paths& paths) const {
  constexpr float kSeen = 1e-3f;
  ShadowRays sun{paths.origin, paths.mirrored, {}, {}, {}};
  bool any = false;
  for (int i = 0; i < kPacket; ++i) {
    const V3f& glint = paths.glint[i];
    sun.open[i] = paths.open[i] != 0 && std::max({glint[0], glint[1], glint[2]}) > kSeen ? 1 : 0;
    sun.to[i] = kFar;
    any = any || sun.open[i] > 0;
  }
  if (!any) return;
  hits_.embree.block(sun);
  for (int i = 0; i < kPacket; ++i)
    if (sun.open[i] > 0) paths.seen[i] += paths.glint[i];
}

// What a ray does that has met clear material before anything else. All clear materials refract
// alike, so that from one into another it goes straight on.
void ClearSurface::pass(Paths& paths, int i, const PacketHits& clear, bool touching) const {
  const float object = clear.object[i], distance = clear.distance[i];
  const Surface& met = surface(object);
  const V3f d = paths.way(i), face = face_normal(met.mesh, clear.primitive[i]);
  const bool out = dot(d, face) > 0;
  V3f normal = surface_normal(met.mesh, clear.primitive[i], clear.u[i], clear.v[i]);
  // Against the ray; at a rim the corners' normals may say otherwise.
  if ((dot(d, normal) > 0) != out) normal = face;
  if (out) normal = -normal;
  ClearMedia within = paths.within[i];
  const bool from_clear = out || !within.empty() || paths.touching[i];
  // What is left has been entered, if only so near to another surface that this was not met.
  if (!within.empty() || out)
    absorb(paths, i, within.empty() ? medium_of(clear, i) : within.top(), distance);
  if (out)
    within.leave(object);
  else
    within.enter(medium_of(clear, i));
  touching = touching && within.empty();
  const bool to_clear = !within.empty() || touching;
  const float cosine = std::max(0.0f, -dot(d, normal));
  const V3f mirrored = d + normal * (2 * cosine);
  V3f onward = d;
  const bool straight = paths.left[i] >= 0 || from_clear == to_clear;
  const bool passes = straight || refract(d, normal, from_clear ? kIndex : 1 / kIndex, onward);
  if (!from_clear) reflect(paths, i, met, mirrored, cosine);
  if (passes) {
    paths.within[i] = within;
    paths.touching[i] = touching;
  } else {
    onward = mirrored;
  }
  // On the surface and not beyond, where something opaque may lie that is not to be missed.
  V3f before, place;
  for (int c = 0; c < 3; ++c) {
    before[c] = paths.origin[c][i];
    paths.origin[c][i] = place[c] = before[c] + d[c] * distance;
    paths.direction[c][i] = onward[c];
  }
  paths.from[i] = rounding(before, place, distance, std::abs(dot(face, onward)));
  paths.travelled[i] += distance;
  if (paths.left[i] >= 0) paths.left[i] = std::max(0.0f, paths.left[i] - distance);
}

// Light of what rays end at.
V3p ClearSurface::light(const Paths& paths, const PacketHits& opaque, int first) const {
  const V3p direction = load(paths.direction, first);
  const Lanes object = load(&opaque.object.v[first]), distance = load(&opaque.distance.v[first]);
  const V3p position = load(paths.origin, first) + direction * distance;
  V3p albedo = V3p::zero(), normal = spread(hits_.scene.up), glow = V3p::zero();
  Lanes travelled(0.0f), faded(0.0f);
  FinishLanes finish;
  for (int i = 0; i < kLanes; ++i) travelled[i] = paths.travelled[first + i];
  float next = hits_.embree.first_plane();
  for (const PlanePatch& plane : hits_.scene.planes) {
    const auto here = object == Lanes(next++);
    if (!any(here)) continue;
    const V3p color = plane.is_ground ? ground_albedo(plane, hits_.scene.grid_spacing, position,
                                                      (travelled + distance) * Lanes(pixel_))
                                      : spread(plane.color);
    albedo = select(here, color, albedo);
    normal = select(here, spread(plane.normal), normal);
    if (plane.is_ground) {
      const Lanes far = norm(position - spread(hits_.scene.center)) * Lanes(1 / hits_.scene.size);
      faded = select(here, smoothstep(kFadeFrom, kFadeTo, far), faded);
    }
  }
  faded = select(object == Lanes(kNothing), Lanes(1.0f), faded);
  for (int i = 0; i < kLanes; ++i) {
    const int k = first + i;
    if (!(object[i] > kSpheres) || object[i] >= hits_.embree.first_plane()) continue;
    const Surface& surface = hits_.embree.surface(object[i]);
    const V3f n = surface_normal(surface.mesh, opaque.primitive[k], opaque.u[k], opaque.v[k],
                                 lane(direction, i));
    const V3f color = surface_color(surface, opaque.primitive[k], opaque.u[k], opaque.v[k]);
    const V3f shine = surface_glow(surface, opaque.primitive[k], opaque.u[k], opaque.v[k]);
    for (int c = 0; c < 3; ++c) normal[c][i] = n[c], albedo[c][i] = color[c], glow[c][i] = shine[c];
    finish.set(i, surface.finish);
    if (!paths.within[k].empty()) finish.wet(i, kIndex);
  }
  ShadowRays sun;
  const Lanes lift = lift_of(position, travelled + distance, pixel_, hits_.scene.size);
  const Lanes asked = select(object > Lanes(kSpheres), Lanes(1.0f), Lanes(0.0f));
  for (int i = 0; i < kPacket; i += kLanes) {
    store(sun.origin, i, position + normal * lift);
    store(sun.direction, i, spread(lights_.to_sun));
    store(&sun.from[i], Lanes(0.0f));
    store(&sun.to[i], Lanes(kFar));
    store(&sun.open[i], i == 0 ? asked : Lanes(0.0f));
  }
  hits_.embree.block(sun);
  V3p passed = V3p::filled(Lanes(1.0f));
  for (int i = 0; i < kLanes; ++i) {
    if (asked[i] == 0) continue;
    const V3f left = hits_.clear_shadow->passed(lane(position, i));
    for (int c = 0; c < 3; ++c) passed[c][i] = left[c];
  }
  const Lanes lit = load(&sun.open.v[0]), sky(0.85f);  // that reach it
  const V3p own =
      shade(albedo, normal, lights_.to_sun, hits_.scene.up, lit, sky, Lanes(0.0f), &passed);
  const V3p color = glow + finished(own, finish, albedo, unit(direction), normal, lights_.to_sun,
                                    hits_.scene.up, lit, sky);
  return mix(color, background(direction, hits_.scene.up), faded);
}

void ClearSurface::end(Paths& paths, const PacketHits& opaque, const int (&ends)[kPacket]) const {
  for (int first = 0; first < kPacket; first += kLanes) {
    if (std::none_of(ends + first, ends + first + kLanes, [](int e) { return e != 0; })) continue;
    const V3p color = light(paths, opaque, first);
    for (int i = 0; i < kLanes; ++i) {
      const int k = first + i;
      if (ends[k] == 0) continue;
      for (int c = 0; c < 3; ++c) {
        const float seen = paths.left[k] >= 0 ? paths.behind[k][c] : color[c][i];
        paths.seen[k][c] += paths.share[k][c] * seen;
      }
      paths.open[k] = 0;
    }
  }
}

void ClearSurface::advance(Paths& paths) const {
  PacketHits opaque, clear;
  for (int i = 0; i < kPacket; ++i) {
    opaque.object[i] = clear.object[i] = kNothing;
    opaque.distance[i] = kFar;
  }
  for (int i = 0; i < kPacket; i += kLanes) {
    const PlaneHits plane =
        hits_.embree.nearest_plane(load(paths.origin, i), load(paths.direction, i));
    store(&opaque.object[i], plane.object);
    store(&opaque.distance[i], plane.distance);
  }
  hits_.embree.meet_meshes(paths.origin, paths.direction, paths.open, opaque);
  for (int i = 0; i < kPacket; ++i)
    clear.distance[i] = paths.left[i] >= 0 && paths.open[i] ? paths.left[i] : opaque.distance[i];
  hits_.embree.clear().meet(paths.origin, paths.direction, paths.open, clear, paths.from);
  alignas(64) int ends[kPacket];
  for (int i = 0; i < kPacket; ++i) {
    const float end = paths.left[i] >= 0 && paths.open[i] ? paths.left[i] : opaque.distance[i];
    const bool inside = paths.open[i] != 0 && !paths.within[i].empty();
    const bool wet = inside && end < clear.distance[i] + paths.within[i].top().gap;
    ends[i] = paths.open[i] != 0 && (wet || clear.object[i] == kNothing) ? -1 : 0;
    // A sheet may be so thin that its end is not met, and nothing behind it either.
    if (ends[i] == 0 || !inside) continue;
    const ClearMedium& medium = paths.within[i].top();
    absorb(paths, i, medium, end < kFar ? end : medium.gap);
  }
  end(paths, opaque, ends);
  bool touching[kPacket];
  find_touching(paths, clear, touching);
  for (int i = 0; i < kPacket; ++i) {
    paths.glint[i] = V3f::zero();
    if (paths.open[i] != 0) pass(paths, i, clear, touching[i]);
  }
  add_glints(paths);
}

V3p ClearSurface::before(const V3p& behind, const V3p& direction, const Lanes& object,
                         const Lanes& distance, Lanes& met) const {
  Paths paths;
  start(paths, behind, direction, object, distance);
  met = 0.0f;
  if (!paths.met) return behind;
  for (int i = 0; i < kLanes; ++i) met[i] = paths.open[i] != 0 ? 1.0f : 0.0f;
  for (int i = 0; i < kMostSegments; ++i) {
    if (std::none_of(paths.open, paths.open + kPacket, [](int o) { return o != 0; })) break;
    advance(paths);
  }
  V3p color = behind;
  for (int i = 0; i < kLanes; ++i) {
    if (met[i] == 0) continue;
    const V3f d = paths.way(i);
    const V3f sky = lane(surroundings(spread(d), hits_.scene.up), 0);
    for (int c = 0; c < 3; ++c)
      color[c][i] = paths.seen[i][c] + (paths.open[i] != 0 ? paths.share[i][c] * sky[c] : 0);
  }
  return color;
}

}  // namespace firn
#endif
