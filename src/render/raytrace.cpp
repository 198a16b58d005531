// A picture is made in passes, each parallel and each free of random numbers: camera rays, four per
// pixel; light at every particle that a camera ray hit; light on surfaces, one sample set per pixel
// in a 4x4 pattern that is then averaged over 4x4 pixels; colours. Light at a particle (rather than
// at each point of its sphere) costs few rays, has no noise, and its mean free direction makes a
// mass of spheres shade like the surface that it is.
#include "src/render/raytrace.h"

#include "firn/error.h"

#if FIRN_WITH_EMBREE
#include <cmath>
#include <numbers>

#include "kernels/exec/parallel_for.h"
#include "src/render/embree_scene.h"
#include "src/render/shading.h"

namespace firn {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kSkyRays = 32;  // per particle, over the full sphere
constexpr float kFar = 1e30f;
constexpr double kHierarchyBytes = 36;  // of Embree's tree, per sphere: measured from 10⁶ on
constexpr float kDeepSky = 0.15f;       // light that trickles down between particles
constexpr float kPlaneFadeFrom = 2.5f, kPlaneFadeTo = 7.0f;  // distance from the centre / size

struct ParticleLight {
  float sun = 0, sky = 0;
  V3f open{{0, 0, 0}};  // mean free direction, of length one on a plane
};

struct SurfaceLight {
  float sun = 1, sky = 1;
  std::uint32_t object = kNothing;
  bool faded = false;  // a plane so far away that only the background is seen
  V3f normal{{0, 0, 0}}, position{{0, 0, 0}};
};

// Low-discrepancy points: the golden ratio spiral on the sphere, and the same on a disc.
V3f sphere_direction(int i, int count) {
  const float z = 1 - (2 * static_cast<float>(i) + 1) / static_cast<float>(count);
  const float angle = static_cast<float>(i) * kPi * (3 - std::sqrt(5.0f));
  const float r = std::sqrt(1 - z * z);
  return {{r * std::cos(angle), z, r * std::sin(angle)}};
}
std::array<float, 2> disc_point(int i, int count) {
  const float r = std::sqrt((static_cast<float>(i) + 0.5f) / static_cast<float>(count));
  const float angle = static_cast<float>(i) * kPi * (3 - std::sqrt(5.0f));
  return {r * std::cos(angle), r * std::sin(angle)};
}

class RayTracer {
 public:
  RayTracer(const RayScene& scene, const Projection& view, int width, int height);
  Image run();

 private:
  void trace_camera_rays();
  void light_particles();
  ParticleLight light_at_particle(std::size_t i) const;
  void light_surfaces();
  SurfaceLight surface_at(int x, int y) const;
  std::array<float, 2> sample_light(const SurfaceLight& at, int pattern) const;
  SurfaceLight light_at_surface(int x, int y) const;
  SurfaceLight smoothed(int x, int y) const;
  SurfaceLight nearest_light(int x, int y, std::uint32_t object, const V3f& normal) const;
  Rgb pixel_color(int x, int y) const;
  V3f radiance(int x, int y, const RayHit& hit, const V3f& direction) const;
  V3f particle_radiance(const RayHit& hit, const V3f& direction) const;
  V3f surface_radiance(int x, int y, const RayHit& hit, const V3f& direction) const;

  V3f camera_direction(int x, int y, int sample) const;
  const std::array<RayHit, 4>& hits(int x, int y) const { return hits_[index(x, y)]; }
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * width_ + x; }
  V3f surface_normal(const RayHit& hit, const V3f& direction) const;
  float grid_line(const V3f& position, const V3f& normal, float footprint) const;
  V3f sun_direction(const std::array<float, 2>& disc) const;

  const RayScene& scene_;
  const EmbreeScene embree_;
  const Projection& view_;
  const int width_, height_;
  V3f eye_, to_sun_;
  std::array<V3f, 2> sun_frame_;
  std::array<V3f, kSkyRays> sky_directions_;
  std::array<V3f, 8> sun_directions_;
  std::vector<std::array<RayHit, 4>> hits_;
  std::vector<ParticleLight> particle_light_;
  std::vector<SurfaceLight> raw_light_, surface_light_;
};

RayTracer::RayTracer(const RayScene& scene, const Projection& view, int width, int height)
    : scene_(scene), embree_(scene), view_(view), width_(width), height_(height) {
  eye_ = to_float(view.eye);
  // The sun stands high on the left, or on the side that no wall shades, a little behind the
  // camera.
  V3f left = to_float(-view.right), back = to_float(-view.forward);
  back = normalized(back - scene.up * dot(back, scene.up));
  if (dot(left, scene.open_side) < 0) left = -left;
  to_sun_ = normalized(scene.up * 0.9f + left * 0.9f + back * 0.35f);
  sun_frame_ = perpendicular(to_sun_);
  for (int i = 0; i < kSkyRays; ++i) sky_directions_[i] = sphere_direction(i, kSkyRays);
  for (int i = 0; i < 8; ++i) sun_directions_[i] = sun_direction(disc_point(i, 8));
}

V3f RayTracer::sun_direction(const std::array<float, 2>& disc) const {
  return normalized(to_sun_ + sun_frame_[0] * (kSunRadius * disc[0]) +
                    sun_frame_[1] * (kSunRadius * disc[1]));
}

// Four samples on a rotated square, so that near-horizontal and near-vertical edges get four steps.
V3f RayTracer::camera_direction(int x, int y, int sample) const {
  constexpr float kOffset[4][2] = {
      {0.375f, 0.125f}, {0.875f, 0.375f}, {0.625f, 0.875f}, {0.125f, 0.625f}};
  const double u = (x + double{kOffset[sample][0]}) / width_;
  const double v = (y + double{kOffset[sample][1]}) / height_;
  return to_float(view_.direction(2 * u - 1, 1 - 2 * v));
}

void RayTracer::trace_camera_rays() {
  hits_.resize(static_cast<std::size_t>(width_) * height_);
  parallel_for(height_, 0, [&](int y) {
    for (int x = 0; x < width_; ++x)
      hits_[index(x, y)] =
          embree_.trace(eye_, {camera_direction(x, y, 0), camera_direction(x, y, 1),
                               camera_direction(x, y, 2), camera_direction(x, y, 3)});
  });
}

void RayTracer::light_particles() {
  std::vector<char> seen(scene_.spheres.size(), 0);
  for (const std::array<RayHit, 4>& pixel : hits_)
    for (const RayHit& hit : pixel)
      if (hit.object == kSpheres) seen[hit.primitive] = 1;
  std::vector<std::size_t> visible;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) visible.push_back(i);
  particle_light_.resize(scene_.spheres.size());
  parallel_for(static_cast<int>(visible.size()), 0,
               [&](int i) { particle_light_[visible[i]] = light_at_particle(visible[i]); });
}

ParticleLight RayTracer::light_at_particle(std::size_t i) const {
  const std::array<float, 4>& sphere = scene_.spheres[i];
  const V3f center{{sphere[0], sphere[1], sphere[2]}};
  const float radius = sphere[3], reach = 0.3f * scene_.size;
  ParticleLight light;
  int open = 0;
  for (int first = 0; first < kSkyRays; first += 8) {
    const unsigned free = embree_.free8(center, &sky_directions_[first], 1.01f * radius, reach);
    for (int k = 0; k < 8; ++k)
      if (free >> k & 1) {
        light.open += sky_directions_[first + k];
        ++open;
      }
  }
  // Half of all directions are open on a plane, and their mean has length 1/2.
  light.sky = std::clamp(2 * static_cast<float>(open) / kSkyRays, kDeepSky, 1.0f);
  light.open *= 4.0f / kSkyRays;
  // Start outside the nearest neighbours, which the normal already accounts for.
  const float length = norm(light.open);
  const V3f start = length > 0.1f ? center + light.open * (1.5f * radius / length) : center;
  const unsigned free = embree_.free8(start, sun_directions_.data(), 1.01f * radius, kFar);
  light.sun = static_cast<float>(__builtin_popcount(free)) / 8;
  return light;
}

V3f RayTracer::surface_normal(const RayHit& hit, const V3f& direction) const {
  const Mesh& mesh = scene_.surfaces[hit.object - 1].mesh;
  const std::uint32_t* corner = &mesh.indices[std::size_t{3} * hit.primitive];
  V3f normal;
  if (mesh.normals.empty()) {
    const V3f& a = mesh.positions[corner[0]];
    normal = cross(mesh.positions[corner[1]] - a, mesh.positions[corner[2]] - a);
  } else {
    normal = mesh.normals[corner[0]] * (1 - hit.u - hit.v) + mesh.normals[corner[1]] * hit.u +
             mesh.normals[corner[2]] * hit.v;
  }
  normal = normalized(normal);
  return dot(normal, direction) > 0 ? -normal : normal;
}

// Where the camera ray of a pixel meets a surface; object is kNothing where it does not.
SurfaceLight RayTracer::surface_at(int x, int y) const {
  SurfaceLight light;
  const RayHit& hit = hits(x, y)[0];
  if (hit.object == kNothing || hit.object == kSpheres) return light;
  const V3f direction = camera_direction(x, y, 0);
  light.object = hit.object;
  light.normal = surface_normal(hit, direction);
  light.position = eye_ + direction * hit.distance;
  light.faded = scene_.surfaces[hit.object - 1].is_plane &&
                norm(light.position - scene_.center) > kPlaneFadeTo * scene_.size;
  return light;
}

// Two of 32 sun directions, and two of 32 sky directions: pattern = 0..15.
std::array<float, 2> RayTracer::sample_light(const SurfaceLight& at, int pattern) const {
  const auto [u, w] = perpendicular(at.normal);
  std::array<V3f, 4> directions;
  for (int k = 0; k < 2; ++k) {
    const std::array<float, 2> p = disc_point(2 * pattern + k, 32);
    directions[k] = sun_direction(p);
    // A uniform disc lifted to the hemisphere has the cosine distribution.
    const float height = std::sqrt(std::max(0.0f, 1 - p[0] * p[0] - p[1] * p[1]));
    directions[2 + k] = u * p[0] + w * p[1] + at.normal * height;
  }
  const float lift = 2e-4f * scene_.size, reach = 0.4f * scene_.size;
  const unsigned free =
      embree_.free4(at.position + at.normal * lift, directions, 0, {kFar, kFar, reach, reach});
  return {0.5f * static_cast<float>((free & 1) + (free >> 1 & 1)),
          0.5f * static_cast<float>((free >> 2 & 1) + (free >> 3 & 1))};
}

SurfaceLight RayTracer::light_at_surface(int x, int y) const {
  SurfaceLight light = surface_at(x, y);
  if (light.object == kNothing || light.faded) return light;
  const std::array<float, 2> sample = sample_light(light, (x & 3) + 4 * (y & 3));
  light.sun = sample[0];
  light.sky = sample[1];
  return light;
}

// The mean over the 4x4 pixels that complete the pattern, of those on the same smooth surface;
// where these are few, at edges and in cracks, the pixel takes all samples itself.
SurfaceLight RayTracer::smoothed(int x, int y) const {
  SurfaceLight light = raw_light_[index(x, y)];
  if (light.object == kNothing || light.faded) return light;
  float sun = 0, sky = 0;
  int count = 0;
  for (int j = std::max(0, y - 2); j < std::min(height_, y + 2); ++j)
    for (int i = std::max(0, x - 2); i < std::min(width_, x + 2); ++i) {
      const SurfaceLight& other = raw_light_[index(i, j)];
      if (other.object != light.object || dot(other.normal, light.normal) < 0.9f) continue;
      sun += other.sun;
      sky += other.sky;
      ++count;
    }
  if (count < 12) {
    sun = sky = 0;
    for (count = 0; count < 16; ++count) {
      const std::array<float, 2> sample = sample_light(light, count);
      sun += sample[0];
      sky += sample[1];
    }
  }
  light.sun = sun / static_cast<float>(count);
  light.sky = sky / static_cast<float>(count);
  return light;
}

void RayTracer::light_surfaces() {
  raw_light_.resize(hits_.size());
  surface_light_.resize(hits_.size());
  parallel_for(height_, 0, [&](int y) {
    for (int x = 0; x < width_; ++x) raw_light_[index(x, y)] = light_at_surface(x, y);
  });
  parallel_for(height_, 0, [&](int y) {
    for (int x = 0; x < width_; ++x) surface_light_[index(x, y)] = smoothed(x, y);
  });
}

// At an edge the pixel's own sample may lie on another surface; a neighbour's then stands in.
SurfaceLight RayTracer::nearest_light(int x, int y, std::uint32_t object, const V3f& normal) const {
  const SurfaceLight& own = surface_light_[index(x, y)];
  if (own.object == object && dot(own.normal, normal) > 0.9f) return own;
  SurfaceLight best;
  best.sky = 0.7f;
  float similarity = -1;
  for (int j = std::max(0, y - 1); j <= std::min(height_ - 1, y + 1); ++j)
    for (int i = std::max(0, x - 1); i <= std::min(width_ - 1, x + 1); ++i) {
      const SurfaceLight& other = surface_light_[index(i, j)];
      if (other.object != object || dot(other.normal, normal) <= similarity) continue;
      similarity = dot(other.normal, normal);
      best = other;
    }
  return best;
}

V3f RayTracer::particle_radiance(const RayHit& hit, const V3f& direction) const {
  const std::array<float, 4>& sphere = scene_.spheres[hit.primitive];
  const V3f center{{sphere[0], sphere[1], sphere[2]}};
  const V3f round = normalized(eye_ + direction * hit.distance - center);
  const ParticleLight& light = particle_light_[hit.primitive];
  const V3f normal = normalized(round * 0.55f + light.open);
  const ColorF albedo = srgb_to_linear(scene_.sphere_colors[hit.primitive]);
  const V3f reflected =
      shade({{albedo[0], albedo[1], albedo[2]}}, normal, to_sun_, scene_.up, light.sun, light.sky);
  if (scene_.sphere_glow.empty()) return reflected;
  const ColorF& glow = scene_.sphere_glow[hit.primitive];
  return reflected + V3f{{glow[0], glow[1], glow[2]}};
}

// Lines one pixel wide at multiples of the spacing along both directions of a plane.
float RayTracer::grid_line(const V3f& position, const V3f& normal, float footprint) const {
  const auto [u, w] = perpendicular(normal);
  const float half_width = std::max(0.5f * footprint, 0.006f * scene_.grid_spacing);
  float strength = 0;
  for (const V3f& axis : {u, w}) {
    const float t = dot(position, axis) / scene_.grid_spacing;
    const float distance = std::abs(t - std::round(t)) * scene_.grid_spacing;
    if (distance < half_width) strength = std::min(1.0f, 0.012f * scene_.grid_spacing / half_width);
  }
  return strength;
}

V3f RayTracer::surface_radiance(int x, int y, const RayHit& hit, const V3f& direction) const {
  const Surface& surface = scene_.surfaces[hit.object - 1];
  const V3f normal = surface_normal(hit, direction);
  const V3f position = eye_ + direction * hit.distance;
  const SurfaceLight light = nearest_light(x, y, hit.object, normal);
  V3f albedo = surface.color;
  const float depth = norm(direction) * hit.distance;
  if (surface.is_plane) {
    const float footprint =
        depth * static_cast<float>(2 * view_.tan_y) / static_cast<float>(height_);
    albedo = albedo * (1 - 0.16f * grid_line(position, normal, footprint));
  }
  const V3f color = shade(albedo, normal, to_sun_, scene_.up, light.sun, light.sky);
  if (!surface.is_plane) return color;
  const float far = norm(position - scene_.center) / scene_.size;
  return mix(color, background(normalized(direction), scene_.up),
             smoothstep(kPlaneFadeFrom, kPlaneFadeTo, far));
}

V3f RayTracer::radiance(int x, int y, const RayHit& hit, const V3f& direction) const {
  if (hit.object == kNothing) return background(normalized(direction), scene_.up);
  if (hit.object == kSpheres) return particle_radiance(hit, direction);
  return surface_radiance(x, y, hit, direction);
}

Rgb RayTracer::pixel_color(int x, int y) const {
  V3f sum = V3f::zero();
  for (int s = 0; s < 4; ++s) {
    const V3f color = radiance(x, y, hits(x, y)[s], camera_direction(x, y, s));
    for (int c = 0; c < 3; ++c) sum[c] += 0.25f * tone_map(color[c]);
  }
  Rgb rgb;
  for (int c = 0; c < 3; ++c)
    rgb[c] = static_cast<std::uint8_t>(std::lround(255 * linear_to_srgb(sum[c])));
  return rgb;
}

Image RayTracer::run() {
  trace_camera_rays();
  light_particles();
  light_surfaces();
  Image image = Image::filled(width_, height_, {});
  parallel_for(height_, 0, [&](int y) {
    for (int x = 0; x < width_; ++x) image.set_pixel(x, y, pixel_color(x, y));
  });
  return image;
}

}  // namespace

void require_ray_tracer() {}

double ray_trace_bytes(double spheres, int width, int height) {
  const double pixels = static_cast<double>(width) * height;
  return spheres * (kHierarchyBytes + sizeof(ParticleLight) + 1) +
         pixels * (4 * sizeof(RayHit) + 2 * sizeof(SurfaceLight));
}

Image ray_trace(const RayScene& scene, const Projection& view, int width, int height) {
  return RayTracer(scene, view, width, height).run();
}

}  // namespace firn

#else  // no Embree

namespace firn {
void require_ray_tracer() {
  throw Error(ErrorCategory::kScene,
              "pictures of 3D scenes: built without Embree (configure with -DFIRN_WITH_EMBREE=ON); "
              "set output.image = false to run without pictures");
}
double ray_trace_bytes(double, int, int) { return 0; }
Image ray_trace(const RayScene&, const Projection&, int, int) {
  require_ray_tracer();
  return {};
}
}  // namespace firn
#endif
