// Light on surfaces that are given as meshes.
#if defined(FIRN_WITH_EMBREE)
#include <gtest/gtest.h>

#include "tests/support/pictures.h"
#include "tests/support/ray_scenes.h"

namespace firn::test {
namespace {

// Its walls and its floor, a plane, get light off each other, though no ray of theirs finds the
// sky.
TEST(RenderLight, AClosedRoomIsDimAndNotBlack) {
  RayScene scene = ground_scene(20);
  const Image open = picture(scene, {0.1, 0.9, 0.4}, {0, 0, 0});
  Surface room;
  room.mesh = box_mesh({{-1, -0.1f, -1}}, {{1, 1, 1}});
  scene.meshes = make_ray_meshes({room});
  const Image floor = picture(scene, {0.1, 0.9, 0.4}, {0, 0, 0});
  const Image wall = picture(scene, {0.1, 0.5, 0.9}, {0, 0.5, -1});
  for (int y = 20; y < kHeight - 20; y += 5)
    for (int x = 20; x < kWidth - 20; x += 5)
      for (const Image* seen : {&floor, &wall}) {
        EXPECT_GT(brightness(seen->pixel(x, y)), 0.15 * brightness(open.pixel(x, y)));
        EXPECT_LT(brightness(seen->pixel(x, y)), 0.6 * brightness(open.pixel(x, y)));
      }
}

}  // namespace
}  // namespace firn::test
#endif
