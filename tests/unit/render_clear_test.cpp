// Clear surfaces that are given as meshes, so that the picture there should be is known.
#if defined(FIRN_WITH_EMBREE)
#include <gtest/gtest.h>

#include <cmath>

#include "src/render/view.h"
#include "tests/support/pictures.h"
#include "tests/support/ray_scenes.h"

namespace firn::test {
namespace {

constexpr V3f kRed{{0.9f, 0.3f, 0.3f}};

// From above, a little from the front.
Image picture(const RayScene& scene, double height = 4) {
  Camera camera;
  camera.eye = {0.1, height, 0.35 * height};
  camera.target = {0, 0, 0};
  camera.fov = 40;
  return ray_trace(scene, Projection(camera, static_cast<double>(kWidth) / kHeight), kWidth,
                   kHeight);
}

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

}  // namespace
}  // namespace firn::test
#endif
