#if FIRN_WITH_EMBREE
#include "src/render/surface_light.h"

#include <algorithm>
#include <optional>

#include "src/render/shading.h"

namespace firn {
namespace {

constexpr float kMixed = -2;     // beside the numbers of objects
constexpr float kSmooth = 0.9f;  // cosine between normals of one smooth surface
constexpr int kFewest = 12;      // pixels of a window that make a mean

std::array<V3p, 2> frame_of(const V3p& normal) {
  const auto along_x = abs(normal[0]) > Lanes(0.9f);
  const V3p helper = select(along_x, spread({{0, 1, 0}}), spread({{1, 0, 0}}));
  const V3p first = unit(cross(normal, helper));
  return {first, cross(first, normal)};
}

// What rays have found open of the sky, and what light comes there off other things, of which rays
// know nothing: it counts where little else does.
template <class T>
T with_deep(const T& sky) {
  const T shut = T(1) - sky;
  return sky + T(kDeepSky) * shut * shut;
}

}  // namespace

SurfaceLight::SurfaceLight(const PictureHits& hits, const LightDirections& lights, float pixel)
    : hits_(hits),
      lights_(lights),
      pixel_(pixel),
      object_(hits.width(), hits.height(), kNothing),
      open_sun_(hits.width(), hits.height(), 2),
      open_sky_(hits.width(), hits.height(), 2),
      sun_(hits.width(), hits.height(), 1),
      sky_(hits.width(), hits.height(), 1),
      plain_object_(hits.tiles(), kMixed) {
  if (hits.clear_shadow && !hits.clear_shadow->empty())
    passed_.assign(3, PixelMap(hits.width(), hits.height(), 1));
  if (hits.embree.has_surfaces())
    normals_.resize(static_cast<std::size_t>(hits.width()) * hits.height());
}

SurfaceLight::Points SurfaceLight::points_of_row(int x, int y) const {
  const RayScene& scene = hits_.scene;
  const PacketHits* row = hits_.row(x, y, 0);
  Points points;
  for (int i = 0; i < kPacket; i += kLanes) {
    const V3p direction = hits_.camera.directions(x + i, y, 0);
    const PlaneHits hit = row ? PlaneHits{load(&row->object.v[i]), load(&row->distance.v[i])}
                              : hits_.embree.nearest_plane(spread(hits_.camera.eye), direction);
    const V3p position = spread(hits_.camera.eye) + direction * hit.distance;
    V3p normal = V3p::zero();
    Lanes lit = select(hit.object > Lanes(kSpheres), Lanes(1.0f), Lanes(0.0f));
    float object = hits_.embree.first_plane();
    for (const PlanePatch& plane : scene.planes) {
      const auto here = hit.object == Lanes(object++);
      normal = select(here, spread(plane.normal), normal);
      const Lanes far = norm(position - spread(scene.center));
      if (plane.is_ground)
        lit = select(here && far > Lanes(kFadeTo * scene.size), Lanes(0.0f), lit);
    }
    store(&points.object[i], hit.object);
    store(points.position, i, position);
    store(points.normal, i, normal);
    store(&points.lit[i], lit);
  }
  for (int i = 0; row && i < kPacket; ++i) {
    if (!is_surface(row->object.v[i]) || is_plane(row->object.v[i])) continue;
    const Mesh& mesh = hits_.embree.surface(row->object.v[i]).mesh;
    const V3f normal = surface_normal(mesh, row->primitive[i], row->u.v[i], row->v.v[i],
                                      hits_.camera.direction(x + i, y, 0));
    for (int c = 0; c < 3; ++c) points.normal[c][i] = normal[c];
  }
  return points;
}

SurfaceLight::Counts SurfaceLight::count_open(const Points& points,
                                              const std::array<LightSamples, 2>& samples) const {
  const Lanes reach(0.4f * hits_.scene.size);
  Counts counts{};
  for (const LightSamples& sample : samples) {
    ShadowRays sun, sky;
    sun.direction = sample.sun;
    sun.open = sky.open = points.lit;
    for (int i = 0; i < kPacket; i += kLanes) {
      const V3p normal = load(points.normal, i), position = load(points.position, i);
      const auto [u, w] = frame_of(normal);
      const Lanes distance = norm(position - spread(hits_.camera.eye));
      const Lanes lift = lift_of(position, distance, pixel_, hits_.scene.size);
      store(sun.origin, i, position + normal * lift);
      store(sky.direction, i,
            u * load(&sample.across.v[i]) + w * load(&sample.along.v[i]) +
                normal * load(&sample.height.v[i]));
      store(&sun.from[i], Lanes(0.0f));
      store(&sun.to[i], Lanes(kFar));
      store(&sky.to[i], reach);
    }
    sky.origin = sun.origin;
    sky.from = sun.from;
    hits_.embree.block(sun);
    hits_.embree.block(sky);
    for (int i = 0; i < kPacket; ++i) {
      counts.sun[i] += sun.open[i];
      counts.sky[i] += sky.open[i];
    }
  }
  return counts;
}

void SurfaceLight::measure(int tile) {
  const int x = hits_.left(tile), columns = std::min(kTile, hits_.width() - x);
  const int y0 = hits_.top(tile), y1 = std::min(y0 + kTile, hits_.height());
  bool plain = true;
  float all = kMixed;
  for (int y = y0; y < y1; ++y) {
    const Points points = points_of_row(x, y);
    const bool lit =
        std::any_of(points.lit.v, points.lit.v + kPacket, [](float l) { return l > 0; });
    const Counts counts = lit ? count_open(points, lights_.rows[y & 3]) : Counts{};
    if (y == y0) all = points.object[0];
    for (int i = 0; i < columns; ++i) {
      *object_.at(x + i, y) = points.object[i];
      const bool takes = points.lit[i] > 0;
      if (takes) *open_sun_.at(x + i, y) = counts.sun[i];
      if (takes) *open_sky_.at(x + i, y) = counts.sky[i];
      if (takes && is_tinted()) {
        const V3f passed = hits_.clear_shadow->passed(
            {{points.position[0][i], points.position[1][i], points.position[2][i]}});
        for (std::size_t c = 0; c < 3; ++c) *passed_[c].at(x + i, y) = passed[static_cast<int>(c)];
      }
      plain = plain && points.object[i] == all && (!takes || counts.sun[i] + counts.sky[i] == 4);
      if (!normals_.empty() && is_surface(points.object[i]))
        normals_[static_cast<std::size_t>(y) * hits_.width() + x + i] = {
            {points.normal[0][i], points.normal[1][i], points.normal[2][i]}};
    }
  }
  plain_object_[tile] = plain && (all < 0 || is_plane(all)) ? all : kMixed;
}

// Then so is all around it, and the mean is one.
bool SurfaceLight::is_plainly_lit(int tile) const {
  const float object = plain_object_[tile];
  if (object == kMixed || object == kNothing) return object == kNothing;
  const int column = tile % hits_.columns(), row = tile / hits_.columns();
  const int rows = hits_.tiles() / hits_.columns();
  if (column == 0 || column + 1 == hits_.columns() || row == 0 || row + 1 == rows) return false;
  for (int j = row - 1; j <= row + 1; ++j)
    for (int i = column - 1; i <= column + 1; ++i)
      if (plain_object_[j * hits_.columns() + i] != object) return false;
  return true;
}

void SurfaceLight::smooth(int tile) {
  if (is_plainly_lit(tile)) return;
  const int y1 = std::min(hits_.top(tile) + kTile, hits_.height());
  for (int y = hits_.top(tile); y < y1; ++y) smooth_row(hits_.left(tile), y);
}

// The mean over the 4x4 pixels that complete the pattern, of those on the same smooth surface;
// where these are few, at edges and in cracks, the pixel takes all samples itself.
void SurfaceLight::smooth_row(int x, int y) {
  PacketFloats count;
  for (int i = 0; i < kPacket; i += kLanes) {
    const Lanes own = load(object_.at(x + i, y));
    Lanes sun(0.0f), sky(0.0f), pixels(0.0f);
    for (int row = y - 2; row < y + 2; ++row)
      for (int column = x + i - 2; column < x + i + 2; ++column) {
        const auto same = load(object_.at(column, row)) == own;
        pixels += select(same, Lanes(1.0f), Lanes(0.0f));
        sun += select(same, load(open_sun_.at(column, row)), Lanes(0.0f));
        sky += select(same, load(open_sky_.at(column, row)), Lanes(0.0f));
      }
    store(sun_.at(x + i, y), sun / (Lanes(2.0f) * pixels));
    store(sky_.at(x + i, y), with_deep(sky / (Lanes(2.0f) * pixels)));
    store(&count[i], pixels);
  }
  std::optional<Points> points;
  for (int i = 0; i < std::min(kPacket, hits_.width() - x); ++i) {
    const float object = *object_.at(x + i, y);
    if (!is_surface(object) || (is_plane(object) && count[i] >= kFewest)) continue;
    if (!points) points = points_of_row(x, y);
    const Light light =
        is_plane(object) ? all_samples_at(*points, i) : smoothed_on_mesh(x + i, y, *points);
    *sun_.at(x + i, y) = light.sun;
    *sky_.at(x + i, y) = light.sky;
  }
}

SurfaceLight::Light SurfaceLight::smoothed_on_mesh(int x, int y, const Points& points) const {
  const float object = *object_.at(x, y);
  const V3f normal = normal_at(x, y);
  float count = 0, sun = 0, sky = 0;
  for (int row = std::max(0, y - 2); row < std::min(hits_.height(), y + 2); ++row)
    for (int column = std::max(0, x - 2); column < std::min(hits_.width(), x + 2); ++column) {
      if (*object_.at(column, row) != object || dot(normal_at(column, row), normal) < kSmooth)
        continue;
      sun += *open_sun_.at(column, row);
      sky += *open_sky_.at(column, row);
      ++count;
    }
  if (count < kFewest) return all_samples_at(points, x % kPacket);
  return {sun / (2 * count), with_deep(sky / (2 * count))};
}

SurfaceLight::Light SurfaceLight::all_samples(const V3f& position, const V3f& normal) const {
  Points one;
  for (int i = 0; i < kPacket; ++i) {
    for (int c = 0; c < 3; ++c) {
      one.position[static_cast<std::size_t>(c)][i] = position[c];
      one.normal[static_cast<std::size_t>(c)][i] = normal[c];
    }
    one.lit[i] = 1;
  }
  const Counts counts = count_open(one, lights_.all);
  Light light{0, 0};
  for (int i = 0; i < kPacket; ++i) {
    light.sun += counts.sun[i] / (2 * kPacket);
    light.sky += counts.sky[i] / (2 * kPacket);
  }
  light.sky = with_deep(light.sky);
  return light;
}

SurfaceLight::Light SurfaceLight::all_samples_at(const Points& points, int lane) const {
  if (points.lit[lane] == 0) return {1, 1};
  const auto of = [lane](const Packet3& x) { return V3f{{x[0][lane], x[1][lane], x[2][lane]}}; };
  return all_samples(of(points.position), of(points.normal));
}

V3f SurfaceLight::normal_at(int x, int y) const {
  return normals_[static_cast<std::size_t>(y) * hits_.width() + x];
}

SurfaceLight::Light SurfaceLight::light_at(int x, int y) const {
  Light light{*sun_.at(x, y), *sky_.at(x, y)};
  for (std::size_t c = 0; c < passed_.size(); ++c)
    light.passed[static_cast<int>(c)] = *passed_[c].at(x, y);
  return light;
}

SurfaceLight::Light SurfaceLight::at(int x, int y, float object, const V3f& position,
                                     const V3f& normal) const {
  const auto similarity = [&](int column, int row) {
    if (*object_.at(column, row) != object) return -1.0f;
    return is_plane(object) ? 1.0f : dot(normal_at(column, row), normal);
  };
  if (similarity(x, y) > kSmooth) return light_at(x, y);
  float closest = 0;
  std::optional<Light> best;
  for (int row = std::max(0, y - 1); row <= std::min(hits_.height() - 1, y + 1); ++row)
    for (int column = std::max(0, x - 1); column <= std::min(hits_.width() - 1, x + 1); ++column) {
      if (similarity(column, row) <= closest) continue;
      closest = similarity(column, row);
      best = light_at(column, row);
    }
  if (best) return *best;
  Light light = all_samples(position, normal);
  if (is_tinted()) light.passed = hits_.clear_shadow->passed(position);
  return light;
}

}  // namespace firn
#endif
