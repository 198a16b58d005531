// Grounds, walls and what is cut from them in pictures, and what passes the domain's faces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "src/render/collider_view.h"
#include "src/render/mesh.h"
#include "src/render/render.h"
#include "src/render/stage.h"
#include "tests/support/meshes.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch_folder.h"

namespace firn::test {
namespace {

Shape half_space(const Vec3& normal, const Vec3& point = {}) {
  Shape shape;
  shape.type = ShapeType::kHalfSpace;
  shape.normal = normal;
  shape.point = point;
  return shape;
}

Shape box(double half_width, double depth) {
  Shape shape;
  shape.type = ShapeType::kBox;
  shape.min = {-half_width, -depth, -half_width};
  shape.max = {half_width, depth, half_width};
  return shape;
}

Shape boolean(ShapeType type, const std::vector<Shape>& children) {
  Shape shape;
  shape.type = type;
  shape.children = children;
  return shape;
}

Collider red(const Shape& shape) {
  Collider collider;
  collider.shape = shape;
  collider.color = {0.9, 0.05, 0.05};
  return collider;
}

TEST(Planes, OfAnIntersectionWithAMeshTheMeshStands) {
  const ScratchFolder folder;
  write_text(folder / "cube.obj", as_obj(cube()));
  Shape mesh;
  mesh.type = ShapeType::kMesh;
  mesh.file = (folder / "cube.obj").string();
  const Shape ground = half_space({0, 1, 0});
  Scene scene = base_scene(3);
  std::vector<Plane> planes;
  for (const auto& children : {std::vector{mesh, ground}, std::vector{ground, mesh}}) {
    scene.colliders = {red(boolean(ShapeType::kIntersection, children))};
    EXPECT_EQ(ColliderView(scene).surfaces({}).size(), 1u);
    append_planes(scene.colliders[0].shape, {}, planes);
    EXPECT_TRUE(planes.empty());
  }
  append_planes(boolean(ShapeType::kDifference, {ground, mesh}), {}, planes);
  EXPECT_EQ(planes.size(), 1u);
}

// The pit is a unit wide and as deep; its floor and the ground beside it are all that is there.
TEST(Planes, WhatIsCutFromAGroundIsThereWithinTheRoom) {
  const Shape pit = boolean(ShapeType::kDifference, {half_space({0, 1, 0}), box(0.5, 1)});
  Shape turned;
  turned.type = ShapeType::kTransform;
  turned.translation = {0, 2, 0};
  turned.scale = 2;
  turned.children = {pit};
  Bounds room;
  room.add({{-3, -2, -3}});
  room.add({{3, 4, 3}});
  Mesh mesh;
  append_shape(turned, {}, mesh, 3, &room);
  bool ground = false, floor = false;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    if (mesh.normals[i][1] < 0.99f) continue;
    const float x = mesh.positions[i][0], y = mesh.positions[i][1];
    if (std::max(std::abs(x), std::abs(mesh.positions[i][2])) > 2.9f) continue;
    ground = ground || (std::abs(y - 2) < 1e-3f && std::abs(x) > 1.1f);
    floor = floor || std::abs(y) < 1e-3f;
    EXPECT_LT(std::min(std::abs(y - 2), std::abs(y)), 0.05f);
  }
  EXPECT_TRUE(ground);
  EXPECT_TRUE(floor);
}

Scene box_of_air(BoundaryType x_faces) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = x_faces;
  return scene;
}

TEST(Planes, OfWhatIsNotInTheRoomNothingIs) {
  Bounds room;
  room.add({{-1, 5, -1}});
  room.add({{1, 7, 1}});
  Mesh mesh;
  append_shape(boolean(ShapeType::kDifference, {half_space({0, 1, 0}), box(0.5, 1)}), {}, mesh, 3,
               &room);
  EXPECT_TRUE(mesh.indices.empty());
}

TEST(MovedOn, StopsAtWallsLeavesOpenFacesAndComesBackFromPeriodicOnes) {
  const auto after_a_while = [](BoundaryType faces, float speed) {
    const Scene scene = box_of_air(faces);
    Snapshot snapshot = one_particle(2, {0.9, 0.5, 0}, 0.1);
    const Stage stage = make_stage(scene, snapshot);
    snapshot.velocity = {speed, 0};
    return after(scene, stage, snapshot, 0.25).position[0];
  };
  for (const float speed : {1.0f, -4.2f}) {
    const float there = 0.9f + 0.25f * speed;
    EXPECT_FLOAT_EQ(after_a_while(BoundaryType::kSlip, speed), std::clamp(there, 0.0f, 1.0f));
    EXPECT_FLOAT_EQ(after_a_while(BoundaryType::kOpen, speed), there);
    EXPECT_NEAR(after_a_while(BoundaryType::kPeriodic, speed), there - std::floor(there), 1e-6);
  }
}

TEST(Tracers, AloneHideParticlesButWhereColoursShowThese) {
  Scene scene = base_scene(2);
  const Snapshot one = one_particle(2, {0, 0, 0}, 0.1);
  const auto alone = [&](const Snapshot& tracers) {
    Renderer renderer(scene);
    renderer.aim(one, 0);
    return renderer.shows_tracers_alone(tracers);
  };
  EXPECT_FALSE(alone(one));
  scene.tracers.alone = true;
  EXPECT_TRUE(alone(one));
  EXPECT_FALSE(alone(Snapshot{}));
  scene.output.color = "speed";
  EXPECT_FALSE(alone(one));
}

// Of a third of a pixel, and a third of its colour, wherever it falls.
TEST(RenderFlat, ThinCollidersAreWhole) {
  Scene scene = box_of_air(BoundaryType::kSlip);
  const double pixel = 1.06 / kHeight;
  for (const double at : {0.4, 0.4 + 0.3 * pixel, 0.4 + 0.5 * pixel, 0.4 + 0.8 * pixel}) {
    Collider plate = red({});
    plate.color = {0, 0, 0};
    plate.shape.type = ShapeType::kBox;
    plate.shape.min = {0.2, at, 0};
    plate.shape.max = {0.8, at + pixel / 3, 0};
    const auto picture = [&](const std::vector<Collider>& colliders) {
      scene.colliders = colliders;
      Renderer renderer(scene);
      renderer.set_captions(false);
      return renderer.render(one_particle(2, {0.5, 0.9, 0}, 0.01), 0);
    };
    const Image with = picture({plate}), without = picture({});
    for (int x = kWidth / 2 - 20; x < kWidth / 2 + 20; ++x) {
      double darker = 0;
      for (int y = 0; y < kHeight; ++y)
        darker += 1 - double(with.pixel(x, y)[0]) / without.pixel(x, y)[0];
      EXPECT_NEAR(darker, 1.0 / 3, 0.02) << at;  // of 255 shades in two pixels, 1 / 128
    }
  }
}

#if FIRN_WITH_EMBREE

Camera from_above() {
  Camera camera;
  camera.eye = {0, 3, 4};
  return camera;
}

Image picture_of(const Scene& scene,
                 const Snapshot& material = one_particle(3, {1.2, 0.2, 0}, 0.1)) {
  Renderer renderer(scene);
  renderer.set_captions(false);
  return renderer.render(material, 0);
}

int difference(const Rgb& a, const Rgb& b) {
  int sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::abs(a[c] - b[c]);
  return sum;
}

TEST(Render3D, TheFloorOfTheDomainIsThereBesideWalls) {
  Scene scene = base_scene(3);
  scene.output.camera = from_above();
  scene.output.outline = scene.output.glass = Drawn::kNever;
  const Image sky = picture_of(scene);
  scene.grid.domain = Domain{{-5, 0, -5}, {5, 1000, 5}, {}, {}};
  const Image floor = picture_of(scene);
  scene.colliders = {red(half_space({1, 0, 0}, {-4, 0, 0}))};
  const Image both = picture_of(scene);
  const auto at = [](const Image& image) { return image.pixel(kWidth / 2, kHeight / 2); };
  EXPECT_LT(difference(at(both), at(floor)), 0.5 * difference(at(both), at(sky)));
}

TEST(Render3D, AGroundWithAPitIsSeen) {
  Scene scene = base_scene(3);
  scene.output.camera = from_above();
  const Shape pit = boolean(ShapeType::kDifference, {half_space({0, 1, 0}), box(0.5, 0.5)});
  scene.colliders = {red(pit)};
  const Snapshot above = ball(50, {0, 0.6, -1.2}, 0.4);
  const Image image = picture_of(scene, above);
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2, kHeight / 2)));  // in the pit
  EXPECT_TRUE(is_red(image.pixel(kWidth / 4, kHeight / 2)));  // beside it
  scene.colliders = {red(half_space({0, 1, 0}))};
  EXPECT_NE(image.pixel(kWidth / 2, kHeight / 2),
            picture_of(scene, above).pixel(kWidth / 2, kHeight / 2));
}

TEST(Render3D, WhatIsNotVisibleHidesNothing) {
  Scene scene = base_scene(3);
  scene.output.camera = from_above();
  Shape shelf = box(1, 0.2);  // before the camera
  shelf.min = {-1, 1.3, 1.5}, shelf.max = {1, 1.9, 2.5};
  scene.colliders = {red(half_space({0, 1, 0})), red(shelf)};
  const Snapshot below = ball(50, {0, 0.6, 0}, 0.4);
  const auto middle = [&] { return picture_of(scene, below).pixel(kWidth / 2, kHeight / 2); };
  scene.colliders.pop_back();
  const auto alone = middle();
  scene.colliders.push_back(red(shelf));
  EXPECT_NE(middle(), alone);
  scene.colliders[1].visible = false;
  EXPECT_EQ(middle(), alone);
  const auto beside = [&] { return picture_of(scene, below).pixel(kWidth / 4, kHeight / 2); };
  EXPECT_TRUE(is_red(beside()));
  scene.colliders[0].visible = false;
  EXPECT_FALSE(is_red(beside()));
}

TEST(Render3D, CeilingsAreAsWideAsWalls) {
  Scene scene = base_scene(3);
  scene.output.camera = Camera{};
  scene.output.camera->eye = {0, 1, 30};
  scene.output.camera->target = {0, 1.5, 0};
  const auto red_share = [&](const Vec3& normal, const Vec3& point) {
    scene.colliders = {red(half_space(normal, point))};
    Renderer renderer(scene);
    renderer.set_captions(false);
    const Image image = renderer.render(ball(50, {0, 0.5, 0}, 0.4), 0);
    int count = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) count += is_red(image.pixel(x, y));
    return count;
  };
  EXPECT_LT(2 * red_share({0, -1, 0}, {0, 3, 0}), red_share({0, 1, 0}, {0, -1, 0}));
}

#endif

}  // namespace
}  // namespace firn::test
