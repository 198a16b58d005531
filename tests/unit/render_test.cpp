// Pictures of three dimensions: what their view takes in, and what must be seen where. The scenes
// are small; the cameras are given where a test needs to know which pixel shows what.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "firn/error.h"
#include "src/render/render.h"
#include "src/render/view.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

TEST(View, DefaultCameraSeesWhatFallsAndSpreads) {
  Scene scene = base_scene(3);
  scene.colliders = {ground_collider()};
  const Snapshot snapshot = ball(2000, {0.3, 1.0, -0.2}, 0.25);
  const Stage stage = make_stage(scene, snapshot);
  EXPECT_LE(stage.focus.min[1], 0.01);  // down to the ground, which it reaches in 48 frames
  const Projection view(choose_camera(scene, stage, 16.0 / 9), 16.0 / 9);
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    V3d x = position_of(snapshot, i);
    for (const double height : {x[1], 0.0}) {
      x[1] = height;
      const std::array<double, 2> p = view.project(x);
      EXPECT_LT(std::max(std::abs(p[0]), std::abs(p[1])), 0.9);
    }
  }
  EXPECT_GT(view.eye[1], 0.25);
}

TEST(View, DefaultCameraLooksFromTheFrontRight) {
  const Scene scene = base_scene(3);
  const Camera camera = choose_camera(scene, make_stage(scene, ball(500, {0, 0, 0}, 0.2)), 1);
  EXPECT_GT(camera.eye[0], 0.1);
  EXPECT_GT(camera.eye[2], camera.eye[0]);
}

TEST(View, WaterHasRoomToFlowWithinItsDomain) {
  Scene scene = base_scene(3);
  scene.grid.domain = Domain{{0, 0, 0}, {10, 2, 1}, {}, {}};
  const Snapshot column = ball(500, {0.5, 0.5, 0.5}, 0.5);
  const double solid = make_stage(scene, column).focus.max[0];
  scene.materials[0].model = MaterialModel::kWeaklyCompressible;
  const Bounds focus = make_stage(scene, column).focus;
  EXPECT_GT(focus.max[0], solid + 1.5);
  EXPECT_LE(focus.max[2], 1.0 + 0.5 * scene.grid.dx + 0.1);  // the walls hold it
}

TEST(View, GravityMaySetAnyAxisUpright) {
  Scene scene = base_scene(3);
  scene.simulation.gravity = {0, 0, -9.81};
  const Snapshot snapshot = ball(500, {0, 0, 1}, 0.2);
  const Stage stage = make_stage(scene, snapshot);
  const Projection view(choose_camera(scene, stage, 1), 1);
  const std::array<double, 2> high = view.project({{0, 0, 1.1}}), low = view.project({{0, 0, 0.9}});
  EXPECT_GT(high[1] - low[1], 0.1);
  // Upright but for the perspective of a line beside the centre of the picture.
  EXPECT_LT(std::abs(high[0] - low[0]), 0.05 * (high[1] - low[1]));
}

TEST(View, CameraStandsBeforeWalls) {
  Scene scene = base_scene(3);
  for (const double x : {-1.0, 1.0}) {
    Collider wall = ground_collider();
    wall.shape.point = {0, 0, 0.5 * x};
    wall.shape.normal = {0, 0, x};
    scene.colliders = {ground_collider(), wall};
    const Snapshot snapshot = ball(500, {0, 0.5, 0.8 * x}, 0.2);
    const Camera camera = choose_camera(scene, make_stage(scene, snapshot), 1.5);
    EXPECT_GT((camera.eye[2] - 0.5 * x) * x, 0) << x;
  }
}

#if FIRN_WITH_EMBREE

Camera camera_at(const Vec3& eye, const Vec3& target) {
  Camera camera;
  camera.eye = eye;
  camera.target = target;
  return camera;
}

TEST(Render3D, CaptionsMayBeLeftOut) {
  Scene scene = base_scene(3);
  const auto picture = [&](double time) {
    return Renderer(scene).render(one_particle(3, {0, 0, 0}, 1), time).rgb;
  };
  EXPECT_FALSE(picture(0) == picture(1)) << "they tell the time";
  scene.output.captions = false;
  EXPECT_TRUE(picture(0) == picture(1));
}

TEST(Render3D, SphereInTheCentreHasItsColour) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 5}, {0, 0, 0});
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(one_particle(3, {0, 0, 0}, 1), 0);
  // Half a metre at 5 m is 0.1 / tan(fov / 2) of the half height.
  const int radius = static_cast<int>(0.1 / std::tan(0.5 * scene.output.camera->fov) * kHeight / 2);
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2, kHeight / 2)));
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2 - radius + 3, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2 - radius - 3, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(2, 2)));
}

// Of two bodies: the particles of the second have an eighth of the volume.
TEST(Render3D, SpheresAreAsLargeAsTheirBodysParticles) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 5}, {0, 0, 0});
  Renderer renderer(scene);
  renderer.set_captions(false);
  Snapshot both = one_particle(3, {-0.6, 0, 0}, 1);
  add_particle(both, {0.6, 0, 0}, 0.5);
  both.body[1] = 1;
  const Image image = renderer.render(both, 0);
  int left = 0, right = 0;
  for (int x = 0; x < kWidth; ++x)
    (x < kWidth / 2 ? left : right) += is_red(image.pixel(x, kHeight / 2));
  EXPECT_NEAR(left, 2 * right, 3);  // a column at each of their sides
}

TEST(Render3D, BodyColourWins) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 5}, {0, 0, 0});
  Body body;
  body.color = Vec3{0.05, 0.05, 0.9};
  scene.bodies = {body};
  Renderer renderer(scene);
  const Rgb c = renderer.render(one_particle(3, {0, 0, 0}, 1), 0).pixel(kWidth / 2, kHeight / 2);
  EXPECT_GT(c[2], 2 * c[0]);
}

// Seen from straight above, the shadow of a sphere lies beside it: the darkest ground is much
// darker than the median.
TEST(Render3D, ShadowIsDarkerThanLitGround) {
  Scene scene = base_scene(3);
  scene.colliders = {ground_collider()};
  scene.output.camera = camera_at({0, 8, 0}, {0, 0, 0});
  scene.output.camera->up = {0, 0, -1};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image with = renderer.render(one_particle(3, {0, 2, 0}, 1), 0);
  const Image without = renderer.render(one_particle(3, {0, 500, 0}, 1), 0);
  int shadow = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      if (is_red(with.pixel(x, y))) continue;
      shadow += brightness(with.pixel(x, y)) < 0.75 * brightness(without.pixel(x, y));
    }
  // A sphere of radius 0.5 under a sun of height h shades pi 0.25 / sin h, h = 54 degrees, of the
  // ground, which is seen with 18 pixels per metre: 310 pixels, and its soft edge.
  EXPECT_GT(shadow, 200);
  EXPECT_LT(shadow, 450);
}

TEST(Render3D, SameForAnyNumberOfThreads) {
  Scene scene = base_scene(3);
  scene.colliders = {ground_collider()};
  const Snapshot snapshot = ball(20000, {0, 0.5, 0}, 0.3);
  const int threads = omp_get_max_threads();
  std::vector<std::uint8_t> first;
  for (const int n : {1, 2, 5}) {
    omp_set_num_threads(n);
    Renderer renderer(scene);
    const Image image = renderer.render(snapshot, 0.1);
    if (first.empty()) first = image.rgb;
    EXPECT_TRUE(image.rgb == first) << n << " threads";
  }
  omp_set_num_threads(threads);
}

TEST(Render3D, CameraThatDoesNotFollowStaysThatOfTheFirstPicture) {
  Scene scene = base_scene(3);
  scene.output.follow = false;
  scene.colliders = {ground_collider()};
  Renderer renderer(scene);
  renderer.render(ball(100, {0, 1, 0}, 0.3), 0);
  const Camera camera = renderer.camera();
  renderer.render(ball(100, {3, 0.3, 0}, 0.3), 1);
  EXPECT_EQ(renderer.camera().eye, camera.eye);
  EXPECT_EQ(renderer.camera().target, camera.target);
}

TEST(Render3D, ShowsPosedCollidersAndMeshes) {
  Scene scene = base_scene(3);
  scene.output.camera = camera_at({0, 0, 10}, {0, 0, 0});
  Collider box;
  box.shape.type = ShapeType::kBox;
  box.shape.min = {-0.5, -0.5, -0.5};
  box.shape.max = {0.5, 0.5, 0.5};
  box.color = {0.9, 0.05, 0.05};
  scene.colliders = {box};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Snapshot nothing = one_particle(3, {0, 500, 0}, 0.1);
  EXPECT_TRUE(is_red(renderer.render(nothing, 0).pixel(kWidth / 2, kHeight / 2)));
  ColliderPose aside;
  aside.translation = {0, 0, -100};
  aside.pivot = {0, 0, 1};
  TriangleSurface triangle{{-1, -1, 0, 1, -1, 0, 0, 1, 0}, {0, 1, 2}, {0.05, 0.9, 0.05}};
  const Rgb c = renderer.render(nothing, 0, {aside}, {triangle}).pixel(kWidth / 2, kHeight / 2);
  EXPECT_GT(c[1], 2 * c[0]);
}

TEST(Render3D, EmptyAndBrokenSnapshotsGivePictures) {
  Scene scene = base_scene(3);
  scene.colliders = {ground_collider()};
  scene.output.color = "pressure";  // which these snapshots lack
  EXPECT_EQ(Renderer(scene).render(Snapshot{}, 0).width, kWidth);
  Snapshot broken = ball(50, {0, 1, 0}, 0.3);
  broken.position[4] = std::nanf("");
  broken.position[9] = INFINITY;
  EXPECT_EQ(Renderer(scene).render(broken, 0).height, kHeight);
}

#else

TEST(Render3D, WithoutEmbreeIsRefused) { EXPECT_THROW(Renderer{base_scene(3)}, Error); }

#endif

}  // namespace
}  // namespace firn::test
