// A picture is made in passes, each parallel and each free of random numbers: camera rays, four per
// pixel, and light on the surfaces that they meet; light at every particle that they meet; means of
// the light on surfaces; colours.
#include "src/render/raytrace.h"

#include "firn/error.h"

#if FIRN_WITH_EMBREE
#include "kernels/exec/in_parallel.h"
#include "src/render/outline.h"
#include "src/render/picture_colors.h"

namespace firn {
namespace {

// The sun stands high on the left, or on the side that no wall shades, a little behind the camera.
V3f direction_to_sun(const RayScene& scene, const Projection& view) {
  V3f left = to_float(-view.right), back = to_float(-view.forward);
  back = normalized(back - scene.up * dot(back, scene.up));
  if (dot(left, scene.open_side) < 0) left = -left;
  return normalized(scene.up * 0.9f + left * 0.9f + back * 0.35f);
}

}  // namespace

void require_ray_tracer() {}

double ray_trace_bytes(double spheres, bool clear, int width, int height) {
  const double pixels = static_cast<double>(width) * height;
  return spheres * (SphereBricks::kBytes + SphereTiles::kBytes + sizeof(ParticleLight) + 1) +
         pixels * (kSamples * sizeof(PacketHits) / kPacket + SurfaceLight::kBytes +
                   (clear ? SurfaceLight::kTintBytes : 0));
}

Image ray_trace(const RayScene& scene, const Projection& view, int width, int height) {
  PictureHits hits(scene, view, width, height);
  const LightDirections lights(direction_to_sun(scene, view));
  hits.clear_shadow.emplace(hits.embree.clear(), lights.to_sun);
  const double pixel = 2 * view.tan_y / height;  // its height over its distance
  SurfaceLight surfaces(hits, lights, static_cast<float>(pixel));
  in_parallel(hits.tiles(), [&](int tile) {
    hits.trace(tile);
    surfaces.measure(tile);
  });
  const std::vector<ParticleLight> particles = light_particles(hits, lights);
  in_parallel(hits.tiles(), [&](int tile) { surfaces.smooth(tile); });
  const PictureColors colors(hits, lights, particles, surfaces, pixel);
  Image image = Image::filled(width, height, {});
  const std::size_t pixels = std::size_t{1} * width * height;
  if (scene.with_alpha) image.alpha.resize(pixels, 0);
  if (scene.with_light) image.light.resize(4 * pixels, 0.0f);
  in_parallel(hits.tiles(), [&](int tile) { colors.draw(tile, image); });
  for (const Outline& outline : scene.outlines) draw_outline(hits, view, outline, image);
  return image;
}

}  // namespace firn

#else  // no Embree

namespace firn {
void require_ray_tracer() {
  throw Error(ErrorCategory::kScene,
              "pictures of 3D scenes: built without Embree (configure with -DFIRN_WITH_EMBREE=ON); "
              "set output.image = false to run without pictures");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): with Embree it keeps them
std::shared_ptr<const RayMeshes> make_ray_meshes(std::vector<Surface>, int) { return {}; }
double ray_trace_bytes(double, bool, int, int) { return 0; }
Image ray_trace(const RayScene&, const Projection&, int, int) {
  require_ray_tracer();
  return {};
}
}  // namespace firn
#endif
