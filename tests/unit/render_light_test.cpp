// Light on surfaces that are given as meshes.
#if defined(FIRN_WITH_EMBREE)
#include <gtest/gtest.h>

#include <algorithm>

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

// Slits in a lid on the floor, narrower than a pixel: what is seen through them is met by no
// pixel's first ray, and lies as dark as all else in the room.
TEST(RenderLight, WhatIsSeenThroughASlitIsNoBrighterThanWhatIsAboutIt) {
  RayScene scene = ground_scene(20);
  const Image open = picture(scene, {0, 0.9, 0.01}, {0, 0, 0});
  Mesh lid;
  constexpr float kPitch = 0.081f, kSlit = 0.0015f;
  const auto add = [&](const Mesh& part) {
    const auto first = static_cast<std::uint32_t>(lid.positions.size());
    lid.positions.insert(lid.positions.end(), part.positions.begin(), part.positions.end());
    for (const std::uint32_t corner : part.indices) lid.indices.push_back(first + corner);
  };
  for (float x = -1; x < 1; x += kPitch)
    add(box_mesh({{x, 0.0005f, -1}}, {{x + kPitch - kSlit, 0.001f, 1}}));
  Surface boards{lid}, room{box_mesh({{-1, -0.1f, -1}}, {{1, 1, 1}})};
  boards.color = {{0.02f, 0.02f, 0.02f}};
  scene.meshes = make_ray_meshes({boards, room});
  const Image seen = picture(scene, {0, 0.9, 0.01}, {0, 0, 0});
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      ASSERT_LT(brightness(seen.pixel(x, y)), 0.25 * brightness(open.pixel(x, y))) << x << ' ' << y;
}

// A ridge 2 mm high, seen from 7 cm in a scene of 20 m: the sun stands on the left, at 43 degrees,
// so that the shadow has three to four pixels.
TEST(RenderLight, SmallThingsHaveTheirShadowsInPicturesFromNearby) {
  RayScene scene = ground_scene(20);
  const Vec3 eye{-0.01, 0.07, 0.001}, target{-0.01, 0, 0};  // does not see its right side
  const Image bare = picture(scene, eye, target);
  Surface ridge{box_mesh({{-0.002f, 0, -1}}, {{0, 0.002f, 1}})};
  ridge.color = {{1, 1, 1}};
  scene.meshes = make_ray_meshes({ridge});
  const Image seen = picture(scene, eye, target);
  int shaded = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      shaded += brightness(seen.pixel(x, y)) < 0.75 * brightness(bare.pixel(x, y));
  EXPECT_GT(shaded, 2 * kHeight);
}

// A slope far from the origin, where places have steps of 8 mm, larger than a part of the scene's
// size: it does not lie in its own shadow.
TEST(RenderLight, RoundingCastsNoShadows) {
  const float far = 1e5f;
  RayScene scene = ground_scene(2);
  scene.center = {{far, 0, 0}};
  scene.planes.clear();
  Surface slope;
  slope.mesh.positions = {
      {{far - 8, -8, 8}}, {{far + 8, 8, 8}}, {{far + 8, 8, -8}}, {{far - 8, -8, -8}}};
  slope.mesh.indices = {0, 1, 2, 0, 2, 3};
  scene.meshes = make_ray_meshes({slope});
  const Image seen = picture(scene, {far - 2, 6, 2}, {far, 0, 0});
  int least = 1000, most = 0;
  for (int y = kHeight / 2 - 15; y < kHeight / 2 + 15; ++y)
    for (int x = kWidth / 2 - 15; x < kWidth / 2 + 15; ++x) {
      least = std::min(least, brightness(seen.pixel(x, y)));
      most = std::max(most, brightness(seen.pixel(x, y)));
    }
  EXPECT_GT(least, 0.95 * most);
  EXPECT_GT(most, 200);
}

}  // namespace
}  // namespace firn::test
#endif
