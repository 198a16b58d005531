// Pictures that show materials by their surfaces.
#if defined(FIRN_WITH_EMBREE) && defined(FIRN_WITH_OPENVDB)
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <functional>

#include "src/render/render.h"
#include "src/render/surface_values.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

constexpr double kSpacing = 0.05;

// A box of particles on a lattice.
Snapshot box(const Vec3& low, const Vec3& high) {
  Snapshot snapshot;
  for (double x = low[0] + kSpacing / 2; x < high[0]; x += kSpacing)
    for (double y = low[1] + kSpacing / 2; y < high[1]; y += kSpacing)
      for (double z = low[2] + kSpacing / 2; z < high[2]; z += kSpacing)
        add_particle(snapshot, {x, y, z}, 1.2 * kSpacing);
  return snapshot;
}

Scene scene_with(MaterialModel model, Finish finish) {
  Scene scene = base_scene(3);
  scene.output.look = Look::kSurface;
  scene.materials[0].model = model;
  scene.materials[0].finish = finish;
  scene.colliders = {ground_collider()};
  Camera camera;
  camera.eye = {0, 3, 4};
  camera.target = {0, 0.2, 0};
  scene.output.camera = camera;
  return scene;
}

Image picture(const Scene& scene, const Snapshot& snapshot) {
  Renderer renderer(scene);
  renderer.set_captions(false);
  return renderer.render(snapshot, 0);
}

int count(const Image& image, const std::function<bool(const Rgb&)>& holds) {
  int pixels = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) pixels += holds(image.pixel(x, y));
  return pixels;
}

TEST(RenderSurface, CoversWhatTheParticlesCover) {
  Scene scene = scene_with(MaterialModel::kFixedCorotated, Finish::kMatte);
  const Snapshot block = box({-0.5, 0.5, -0.5}, {0.5, 1, 0.5});
  const int surface = count(picture(scene, block), is_red);
  scene.output.look = Look::kParticles;
  const int particles = count(picture(scene, block), is_red);
  EXPECT_GT(particles, 500);
  EXPECT_NEAR(surface, particles, 0.12 * particles);
}

TEST(RenderSurface, HasTheColoursOfItsParticles) {
  Scene scene = scene_with(MaterialModel::kFixedCorotated, Finish::kMatte);
  Body red, blue;
  blue.color = Vec3{0.05, 0.05, 0.9};
  scene.bodies = {red, blue};
  Snapshot block = box({-0.8, 0.2, -0.3}, {0.8, 0.8, 0.3});
  for (std::size_t p = 0; p < block.size(); ++p) block.body[p] = block.position[3 * p] > 0;
  const Image image = picture(scene, block);
  const auto is_blue = [](const Rgb& c) { return c[2] > 2 * c[0] && c[2] > 2 * c[1] && c[2] > 60; };
  const int left = count(image, is_red), right = count(image, is_blue);
  EXPECT_GT(left, 300);
  EXPECT_NEAR(left, right, 0.3 * left);
}

// Through deep red water less of the ground's green and blue arrives than through shallow water,
// and beside it all.
TEST(RenderSurface, ClearMaterialsAbsorb) {
  const Scene scene = scene_with(MaterialModel::kIncompressible, Finish::kAuto);
  Snapshot pool = box({-0.7, 0, -0.5}, {-0.1, 0.4, 0.5});
  const Snapshot shallow = box({0.1, 0, -0.5}, {0.7, 0.15, 0.5});
  for (std::size_t p = 0; p < shallow.size(); ++p) {
    add_particle(
        pool, {shallow.position[3 * p], shallow.position[3 * p + 1], shallow.position[3 * p + 2]},
        1.2 * kSpacing);
  }
  const Image image = picture(scene, pool);
  const Image ground = picture(scene, one_particle(3, {50, 50, 50}, 0.01));
  const auto green = [&](const Image& seen, int x) {
    return static_cast<double>(seen.pixel(x, kHeight / 2 + 2)[1]) /
           seen.pixel(x, kHeight / 2 + 2)[0];
  };
  const int deep_x = kWidth / 2 - 12, shallow_x = kWidth / 2 + 12;
  EXPECT_LT(green(image, deep_x), 0.8 * green(image, shallow_x));
  EXPECT_LT(green(image, shallow_x), 0.95 * green(ground, shallow_x));
}

// The ground through the water that the camera is in: below it, and out of the pool's side.
TEST(RenderSurface, ACameraInAClearMaterialSeesItFromThere) {
  Scene scene = scene_with(MaterialModel::kIncompressible, Finish::kAuto);
  const Snapshot pool = box({-1, 0, -1}, {1, 1, 1});
  const Snapshot none = one_particle(3, {50, 50, 50}, 0.01);
  const auto tint = [&](const Vec3& eye, const Vec3& target) {
    scene.output.camera->eye = eye;
    scene.output.camera->target = target;
    const auto green = [](const Image& seen) {
      const Rgb c = seen.pixel(kWidth / 2, kHeight / 2);
      return static_cast<double>(c[1]) / c[0];
    };
    return green(picture(scene, pool)) / green(picture(scene, none));
  };
  const double deep = tint({0.1, 0.9, 0}, {0.2, 0, 0}), shallow = tint({0.1, 0.3, 0}, {0.2, 0, 0});
  EXPECT_LT(shallow, 0.9);
  EXPECT_LT(deep, 0.8 * shallow);
  const double far = tint({-0.8, 0.5, 0}, {1.4, 0, 0}), near = tint({0.8, 0.5, 0}, {1.4, 0, 0});
  EXPECT_LT(far, 0.8 * near);
  EXPECT_LT(near, 1);
}

// Of the ground that an opaque block shades, seen from above.
TEST(RenderSurface, ClearMaterialsCastLightTintedShadows) {
  Scene scene = scene_with(MaterialModel::kIncompressible, Finish::kMatte);
  scene.output.camera->eye = {0, 7, 0.1};
  scene.output.camera->target = {0, 0, 0};
  const Snapshot block = box({-0.3, 1, -0.3}, {0.3, 1.3, 0.3});
  const Image opaque = picture(scene, block);
  scene.materials[0].finish = Finish::kClear;
  const Image clear = picture(scene, block);
  scene.materials[0].color = {0.98, 0.98, 0.98};
  const Image water = picture(scene, block);
  const Image bare = picture(scene, one_particle(3, {50, 50, 50}, 0.01));
  // Neither the block itself, which is red, nor two pixels of the shadow's soft edge.
  const auto in_core = [&](int x, int y) {
    bool core = true;
    for (const auto& [dx, dy] : {std::array{0, 0}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}}) {
      const Rgb o = opaque.pixel(x + dx, y + dy);
      core = core && !is_red(o) && brightness(o) < 0.6 * brightness(bare.pixel(x + dx, y + dy));
    }
    return core;
  };
  int shaded = 0;
  for (int y = 2; y < kHeight - 2; ++y)
    for (int x = 2; x < kWidth - 2; ++x) {
      const Rgb o = opaque.pixel(x, y), c = clear.pixel(x, y), w = water.pixel(x, y),
                b = bare.pixel(x, y);
      if (!in_core(x, y)) continue;
      ++shaded;
      EXPECT_GT(brightness(c), brightness(o)) << x << ' ' << y;
      EXPECT_LT(brightness(c), 0.97 * brightness(b)) << x << ' ' << y;
      EXPECT_GT(brightness(w), brightness(c)) << x << ' ' << y;
      EXPECT_LT(brightness(w), 0.97 * brightness(b)) << x << ' ' << y;
      // Red water lets red light through.
      EXPECT_GT(1.0 * c[0] / c[2], 1.1 * b[0] / b[2]) << x << ' ' << y;
      EXPECT_NEAR(1.0 * w[0] / w[2], 1.0 * b[0] / b[2], 0.1) << x << ' ' << y;
    }
  EXPECT_GT(shaded, 20);
}

TEST(RenderSurface, FinishesDiffer) {
  const Snapshot block = box({-0.5, 0.2, -0.5}, {0.5, 0.7, 0.5});
  std::vector<std::vector<std::uint8_t>> seen;
  for (const Finish finish :
       {Finish::kMatte, Finish::kGlossy, Finish::kSoft, Finish::kMetal, Finish::kClear}) {
    const auto pixels = picture(scene_with(MaterialModel::kFixedCorotated, finish), block).rgb;
    for (const auto& other : seen) EXPECT_NE(pixels, other);
    seen.push_back(pixels);
  }
}

TEST(RenderSurface, IsTheSameForAnyNumberOfThreads) {
  const Scene scene = scene_with(MaterialModel::kIncompressible, Finish::kClear);
  const Snapshot pool = box({-0.5, 0, -0.5}, {0.5, 0.4, 0.5});
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Image one = picture(scene, pool);
  omp_set_num_threads(3);
  const Image three = picture(scene, pool);
  omp_set_num_threads(threads);
  EXPECT_EQ(one.rgb, three.rgb);
}

TEST(RenderSurface, OfSnowIsItsParticles) {
  Scene scene = scene_with(MaterialModel::kSnow, Finish::kAuto);
  const Snapshot block = box({-0.5, 0.2, -0.5}, {0.5, 0.7, 0.5});
  scene.output.look = Look::kAuto;
  const Image by_default = picture(scene, block);
  scene.output.look = Look::kParticles;
  EXPECT_EQ(by_default.rgb, picture(scene, block).rgb);
}

// Beside what other surfaces take: of every pixel what is left of the sun's three colours.
TEST(RenderSurface, TakesMoreMemoryWhereItIsClear) {
  Scene scene = scene_with(MaterialModel::kIncompressible, Finish::kAuto);
  const double clear = picture_bytes(scene, 1000, 0);
  scene.output.color = "speed";  // is shown on what does not refract
  EXPECT_EQ(clear - picture_bytes(scene, 1000, 0), 3 * sizeof(float) * kWidth * kHeight);
}

// At the rim the mean of the corners' normals may face away where the face itself is seen: it then
// lies across the view, and does not turn into the surface.
TEST(SurfaceNormal, FacesWhoSeesIt) {
  Mesh mesh;
  mesh.positions = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}};  // faces +z
  mesh.indices = {0, 1, 2};
  mesh.normals.assign(3, normalized(V3f{{0.8f, 0, 0.6f}}));
  const auto seen_along = [&](const V3f& direction) {
    return surface_normal(mesh, 0, 0.3f, 0.3f, direction);
  };
  for (const float slant : {0.0f, 0.5f, 0.7f, 0.75f, 0.8f, 0.9f, 0.99f}) {
    const V3f down{{slant, 0, -std::sqrt(1 - slant * slant)}};
    const V3f normal = seen_along(down);
    EXPECT_NEAR(norm(normal), 1, 1e-6);
    EXPECT_LE(dot(normal, down), 1e-6) << slant;
    EXPECT_GT(dot(normal, mesh.normals[0]), 0.5) << slant;
    if (slant > 0.6f) continue;
    EXPECT_NEAR(dot(seen_along(-1.0f * down), mesh.normals[0]), -1, 1e-6) << "from behind";
  }
}

}  // namespace
}  // namespace firn::test
#endif
