// Clear surfaces that are given as meshes, so that the picture there should be is known.
#if defined(FIRN_WITH_EMBREE)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/pictures.h"
#include "tests/support/ray_scenes.h"

namespace firn::test {
namespace {

constexpr V3f kRed{{0.9f, 0.3f, 0.3f}};

// From above, a little from the front.
Image picture(const RayScene& scene) { return test::picture(scene, {0.1, 4, 1.4}, {0, 0, 0}); }

double mean_brightness(const Image& image, int half) {
  double sum = 0;
  for (int y = kHeight / 2 - half; y < kHeight / 2 + half; ++y)
    for (int x = kWidth / 2 - half; x < kWidth / 2 + half; ++x)
      sum += brightness(image.pixel(x, y));
  return sum / (4.0 * half * half);
}

// Thinner than what rays were once moved on by at every surface, by the size of the scene.
TEST(RenderClear, AThinSheetShowsTheFloorThatItLiesOn) {
  for (const float thickness : {1e-2f, 1e-3f, 1e-4f, 1e-5f}) {
    RayScene scene = ground_scene(20);
    const double bare = mean_brightness(picture(scene), 10);
    set_clear(scene, {clear_box({{-1, 0, -1}}, {{1, thickness, 1}}, kRed)});
    const Image wet = picture(scene);
    EXPECT_NEAR(mean_brightness(wet, 10), bare, 0.1 * bare) << thickness;
    for (int y = kHeight / 2 - 10; y < kHeight / 2 + 10; ++y)
      for (int x = kWidth / 2 - 10; x < kWidth / 2 + 10; ++x)
        ASSERT_GT(brightness(wet.pixel(x, y)), 0.75 * bare) << thickness << ' ' << x << ' ' << y;
  }
}

double farthest(const Image& a, const Image& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.rgb[i]) - b.rgb[i]));
  return most;
}

// One clear thing, of which a part is a thing of its own: by its edges there may be a film of air,
// or they overlap. Neither it nor its shadow may be seen.
TEST(RenderClear, AThingWithinAnotherOrBesideItIsNotSeenWhereTheyAreAlike) {
  const auto parts = [](std::vector<Surface> surfaces) {
    RayScene scene = ground_scene(5);
    set_clear(scene, std::move(surfaces));
    return picture(scene);
  };
  const V3f low{{-1, 0.1f, -1}}, high{{1, 1.1f, 1}};
  const Image whole = parts({clear_box(low, high, kRed)});
  EXPECT_GT(farthest(whole, picture(ground_scene(5))), 20);
  const Surface inner = clear_box({{-0.4f, 0.3f, -0.4f}}, {{0.4f, 0.8f, 0.4f}}, kRed);
  EXPECT_LE(farthest(parts({clear_box(low, high, kRed), inner}), whole), 1);
  EXPECT_LE(farthest(parts({inner, clear_box(low, high, kRed)}), whole), 1);
  for (const float film : {-0.01f, 0.01f}) {
    const Image two = parts({clear_box(low, {{1, 0.6f - film / 2, 1}}, kRed),
                             clear_box({{-1, 0.6f + film / 2, -1}}, high, kRed)});
    // By how much the way in both is longer or shorter; and along the seam of the sides, where a
    // ray may come in between them.
    int other = 0;
    for (std::size_t i = 0; i < two.rgb.size(); i += 3)
      other +=
          std::abs(two.rgb[i] - whole.rgb[i]) + std::abs(two.rgb[i + 1] - whole.rgb[i + 1]) > 6;
    EXPECT_LT(other, 2 * kWidth) << film;
  }
}

// A slab that is tilted so as to show the camera the sun's mirror image, which stands on the left
// and a little behind, in the open and under a roof.
TEST(RenderClear, WhereSomethingShadesItNothingGlints) {
  const V3f to_sun = normalized(V3f{{-0.9f, 0.9f, 0.35f}}),
            to_camera = normalized(V3f{{0.1f, 4, 1.4f}}), normal = normalized(to_sun + to_camera);
  const auto [u, w] = perpendicular(normal);
  Surface slab = clear_box({{-0.5f, -0.2f, -0.5f}}, {{0.5f, 0, 0.5f}}, {{0.2f, 0.2f, 0.2f}});
  for (V3f& x : slab.mesh.positions) x = u * x[0] + normal * x[1] + w * x[2] + V3f{{0, 1, 0}};
  RayScene scene = ground_scene(5);
  set_clear(scene, {slab});
  const auto at_slab = [&] {
    int most = 0;
    const Image seen = test::picture(scene, {0.1, 5, 1.4}, {0, 1, 0});
    for (int y = kHeight / 2 - 8; y < kHeight / 2 + 8; ++y)
      for (int x = kWidth / 2 - 8; x < kWidth / 2 + 8; ++x)
        most = std::max(most, brightness(seen.pixel(x, y)));
    return most;
  };
  const int open = at_slab();
  EXPECT_GT(open, 500);
  scene.meshes = make_ray_meshes({Surface{box_mesh({{-60, 6, -60}}, {{60, 6.1f, 60}})}});
  EXPECT_LT(at_slab(), 0.8 * open);
}

// Blue within red: the way in either counts, in the shadow as well.
TEST(RenderClear, WhatIsWithinHasItsOwnColour) {
  const V3f blue{{0.3f, 0.3f, 0.9f}};
  RayScene scene = ground_scene(5);
  set_clear(scene, {clear_box({{-1, 0.1f, -1}}, {{1, 1.1f, 1}}, kRed)});
  const Image red = picture(scene);
  set_clear(scene, {clear_box({{-1, 0.1f, -1}}, {{1, 1.1f, 1}}, kRed),
                    clear_box({{-0.5f, 0.2f, -0.5f}}, {{0.5f, 1, 0.5f}}, blue)});
  const Image both = picture(scene);
  const Rgb r = red.pixel(kWidth / 2, kHeight / 2), b = both.pixel(kWidth / 2, kHeight / 2);
  EXPECT_GT(r[0], 1.2 * r[2]);
  EXPECT_GT(b[2], b[0]);
  EXPECT_GT(brightness(b), 0.7 * brightness(r));
}

// A metal mirrors what is about it as in air; a varnish reflects much less in water.
TEST(RenderClear, ThingsWithinHaveTheirFinish) {
  const auto picture_of = [](const SurfaceFinish& finish) {
    RayScene scene = ground_scene(5);
    set_clear(scene, {clear_box({{-1, 0, -1}}, {{1, 1.1f, 1}}, {{0.9f, 0.9f, 0.9f}})});
    Surface within{box_mesh({{-0.5f, 0.2f, -0.5f}}, {{0.5f, 0.7f, 0.5f}})};
    within.color = {{0.8f, 0.4f, 0.1f}};
    within.finish = finish;
    scene.meshes = make_ray_meshes({within});
    return test::picture(scene, {0.1, 2, 3.4}, {0, 0.4, 0});
  };
  const Image matte = picture_of({});
  EXPECT_GT(farthest(picture_of({.gloss = 0.55f, .spread = 0.22f, .metal = true}), matte), 30);
  const double varnished = farthest(picture_of({.gloss = 0.06f, .spread = 0.12f}), matte);
  EXPECT_GT(varnished, 0);
  EXPECT_LT(varnished, 40);
}

}  // namespace
}  // namespace firn::test
#endif
