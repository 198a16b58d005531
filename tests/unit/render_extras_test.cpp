// The domain's outline, blur by motion, and the edges of colliders that booleans cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "firn/render.h"
#include "src/render/color_map.h"
#include "src/render/mesh.h"
#include "src/render/render.h"
#include "src/render/surroundings.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

Scene tank_scene() {
  Scene scene = base_scene(3);
  scene.grid.domain = Domain{{-1, -1, -1}, {1, 1, 1}, {}, {}};
  Camera camera;
  camera.eye = {0, 0, 8};
  camera.fov = 0.5;
  scene.output.camera = camera;
  scene.output.outline = Drawn::kAlways;
  return scene;
}

TEST(Outline, IsDrawnByItselfWhereTheDomainIsSeen) {
  Scene scene = tank_scene();
  scene.output.outline = Drawn::kAuto;
  const auto shows = [&] {
    return !shown_outlines(scene, {{0, 1, 0}}, Projection(*scene.output.camera, 1)).empty();
  };
  EXPECT_TRUE(shows());
  scene.output.camera->target = {20, 0, 0};
  EXPECT_FALSE(shows());
  scene.output.outline = Drawn::kAlways;
  EXPECT_TRUE(shows());
  scene.output.outline = Drawn::kNever;
  EXPECT_FALSE(shows());
  scene.output.outline = Drawn::kAlways;
  scene.grid.domain.reset();
  EXPECT_FALSE(shows());
}

#if FIRN_WITH_EMBREE

Image picture(const Scene& scene, const Snapshot& snapshot) {
  Renderer renderer(scene);
  renderer.set_captions(false);
  return renderer.render(snapshot, 0);
}

int differing(const Image& a, const Image& b, int left, int right, int top, int bottom) {
  int pixels = 0;
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x)
      for (std::size_t c = 0, off = 0; c < 3; ++c) {
        off += static_cast<std::size_t>(std::abs(a.pixel(x, y)[c] - b.pixel(x, y)[c]));
        if (c == 2) pixels += off > 12;
      }
  return pixels;
}

// The front face's corners are 1 m off the axis at 7 m, the back ones at 9 m.
TEST(Outline, LiesWhereTheEdgesAre) {
  Scene scene = tank_scene();
  const Snapshot grain = one_particle(3, {0.9, -0.9, 0}, 0.05);
  const Image with = picture(scene, grain);
  scene.output.outline = Drawn::kNever;
  const Image without = picture(scene, grain);
  const double per_metre = 0.5 * kHeight / std::tan(0.25);
  for (const double depth : {7.0, 9.0}) {
    const int edge = static_cast<int>(per_metre / depth);
    const int x = kWidth / 2 - edge, y = kHeight / 2;
    EXPECT_GE(differing(with, without, x - 1, x + 1, y - 5, y + 5), 11) << depth;
  }
  EXPECT_EQ(
      differing(with, without, kWidth / 2 - 5, kWidth / 2 + 5, kHeight / 2 - 5, kHeight / 2 + 5),
      0);
  EXPECT_EQ(differing(with, without, 0, 20, 0, kHeight - 1), 0);
}

TEST(Outline, IsHiddenByWhatIsNearer) {
  Scene scene = tank_scene();
  const double back = 0.5 * kHeight / std::tan(0.25) / 9;
  const int x = kWidth / 2 - static_cast<int>(back), y = kHeight / 2;
  for (const double z : {0.0, -2.0}) {
    // On the way from the eye to the middle of the left back edge, or behind it.
    const Snapshot ball = one_particle(3, {-(8 - z) / 9, 0, z}, 0.5);
    scene.output.outline = Drawn::kAlways;
    const Image with = picture(scene, ball);
    scene.output.outline = Drawn::kNever;
    const Image without = picture(scene, ball);
    const int changed = differing(with, without, x - 2, x + 2, y - 2, y + 2);
    if (z == 0)
      EXPECT_EQ(changed, 0);
    else
      EXPECT_GE(changed, 5);
  }
}

// Of a ball that flies to the right before a plain background.
class MotionBlur : public testing::Test {
 protected:
  MotionBlur() {
    scene_.simulation.gravity = {};
    scene_.simulation.fps = 10;
    scene_.output.resolution = {320, 180};
    Camera camera;
    camera.eye = {0, 0, 5};
    scene_.output.camera = camera;
    scene_.output.legend = Drawn::kNever;
    ball_ = one_particle(3, {0, 0, 0}, 0.4);
    ball_.velocity[0] = 4;
  }

  Image picture(double open) {
    scene_.output.motion_blur = open;
    SceneRenderer renderer(scene_);
    return renderer.render({ball_, {}, {}, 0});
  }

  // Columns in which the middle row differs from the background.
  static std::array<int, 2> extent(const Image& image) {
    const int y = image.height / 2;
    const Rgb background = image.pixel(2, y);
    std::array<int, 2> extent{image.width, -1};
    for (int x = 0; x < image.width; ++x) {
      int off = 0;
      for (std::size_t c = 0; c < 3; ++c) off += std::abs(image.pixel(x, y)[c] - background[c]);
      if (off < 16) continue;
      extent[0] = std::min(extent[0], x), extent[1] = std::max(extent[1], x);
    }
    return extent;
  }

  // What the picture's light differs from its background by, below the caption.
  static double light(const Image& image) {
    double sum = 0;
    for (int y = 40; y < image.height; ++y) {
      const Rgb background = image.pixel(2, y);
      for (int x = 0; x < image.width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          sum += srgb_to_linear(static_cast<float>(image.pixel(x, y)[c]) / 255) -
                 srgb_to_linear(static_cast<float>(background[c]) / 255);
    }
    return sum;
  }

  Scene scene_ = base_scene(3);
  Snapshot ball_;
};

TEST_F(MotionBlur, ExtendsAlongTheVelocityAndKeepsTheLight) {
  const Image sharp = picture(0), blurred = picture(0.5);
  const auto before = extent(sharp), after = extent(blurred);
  // 4 m/s for half of a tenth of a second, half of it to either side.
  const double way = 0.2 * 0.5 * 180 / std::tan(0.5 * scene_.output.camera->fov) / 5;
  EXPECT_NEAR(before[0] - after[0], way / 2, 3);
  EXPECT_NEAR(after[1] - before[1], way / 2, 3);
  // Eight bits round each pixel's light by 1/255 of its slope at most; the sun's side of the ball
  // hardly changes over so short a way.
  EXPECT_NEAR(light(blurred), light(sharp), 0.03 * std::abs(light(sharp)));
}

// A bar beside a ball that stands still: moved by material, and by key frames.
TEST_F(MotionBlur, TurnsBodies) {
  ball_.velocity[0] = 0;
  Collider bar;
  bar.shape.type = ShapeType::kBox;
  bar.shape.min = {-0.1, -1.2, -0.1}, bar.shape.max = {0.1, 1.2, 0.1};
  ball_ = one_particle(3, {1.5, 0, 0}, 0.2);
  scene_.colliders = {bar};
  ColliderState spinning;
  spinning.dynamic = true;
  spinning.angular_velocity = {0, 0, 10};
  const auto picture_of = [&](const ColliderState& state, double open) {
    scene_.output.motion_blur = open;
    return SceneRenderer(scene_).render({ball_, {}, {state}, 0});
  };
  // A quarter of a radian to either side: its ends sweep 0.6 m.
  const auto width_at_the_top = [&](const Image& image) {
    const double pixels = 180 / (2 * 5 * std::tan(0.5 * scene_.output.camera->fov));
    const int y = static_cast<int>(90 - 1.1 * pixels);
    const Image without = [&] {
      Scene empty = scene_;
      empty.colliders.clear();
      return SceneRenderer(empty).render({ball_, {}, {}, 0});
    }();
    int changed = 0;
    for (int x = 0; x < image.width; ++x) {
      int off = 0;
      for (std::size_t c = 0; c < 3; ++c)
        off += std::abs(image.pixel(x, y)[c] - without.pixel(x, y)[c]);
      changed += off > 12;
    }
    return changed / pixels;
  };
  const double sharp = width_at_the_top(picture_of(spinning, 0));
  EXPECT_NEAR(sharp, 0.2, 0.1);
  EXPECT_GT(width_at_the_top(picture_of(spinning, 0.5)), sharp + 0.35);
  spinning.angular_velocity = {};
  EXPECT_NEAR(width_at_the_top(picture_of(spinning, 0.5)), sharp, 0.03);
}

TEST_F(MotionBlur, LeavesWhatStandsStill) {
  ball_.velocity[0] = 0;
  EXPECT_EQ(picture(0.5).rgb, picture(0).rgb);
}

TEST_F(MotionBlur, LeavesTheCaptionSharp) {
  const Image sharp = picture(0), blurred = picture(1);
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 60; ++x) ASSERT_EQ(sharp.pixel(x, y), blurred.pixel(x, y));
}

#endif

Shape cut_box() {
  Shape box;
  box.type = ShapeType::kBox;
  box.min = {-1, -1, -1};
  box.max = {1, 1, 1};
  Shape bore;
  bore.type = ShapeType::kCylinder;
  bore.from = {0, 0, -2};
  bore.to = {0, 0, 2};
  bore.radius = 0.5;
  Shape cut;
  cut.type = ShapeType::kDifference;
  cut.children = {box, bore};
  return cut;
}

// The vertices with two normals are on the bore's rim: on the front or back face and at the bore's
// radius, each once with the normal of the face and once with that of the bore.
TEST(BooleanCollider, HasASmoothRimWithTwoNormals) {
  Mesh mesh;
  append_shape(cut_box(), {}, mesh);
  ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
  const float cell = 2.0f / 128;
  std::map<std::array<float, 3>, int> at_point;
  for (const V3f& x : mesh.positions) ++at_point[{x[0], x[1], x[2]}];
  int on_rim = 0, of_face = 0, of_bore = 0;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const V3f& x = mesh.positions[i];
    const float r = std::hypot(x[0], x[1]), off_face = std::abs(1 - std::abs(x[2]));
    if (std::abs(r - 0.5f) > 0.6f * cell || off_face > 0.6f * cell) continue;
    if (at_point[{x[0], x[1], x[2]}] < 2) continue;  // beside the rim, on one side of it
    ++on_rim;
    // The pull of 0.002 for each of at most twelve crossings, against one plane at least, moves a
    // vertex by 2.4 % of its distance from them, less than a cell; and the bore's planes leave it
    // by cell^2 / (2 r) within a cell of where they touch.
    ASSERT_NEAR(r, 0.5, 0.024 * cell + cell * cell);
    ASSERT_NEAR(off_face, 0, 0.024 * cell);
    const V3f& n = mesh.normals[i];
    if (std::abs(n[2]) > 0.99f) ++of_face;
    if (std::hypot(n[0], n[1]) > 0.99f) ++of_bore;
  }
  // Two circles of 2 pi 0.5 / cell cells at least.
  EXPECT_GT(on_rim, 2 * 2 * 200);
  EXPECT_NEAR(of_face, on_rim / 2, 0.02 * on_rim);
  EXPECT_NEAR(of_bore, on_rim / 2, 0.02 * on_rim);
}

TEST(BooleanCollider, IsClosedAndEachTriangleHasNormalsOfItsOwnSide) {
  Mesh mesh;
  append_shape(cut_box(), {}, mesh);
  std::map<std::array<float, 3>, int> number;
  std::map<std::pair<int, int>, int> edges;
  int askew = 0;
  for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
    std::array<int, 3> corner;
    for (std::size_t k = 0; k < 3; ++k) {
      const V3f& x = mesh.positions[mesh.indices[t + k]];
      corner[k] = number.emplace(std::array{x[0], x[1], x[2]}, static_cast<int>(number.size()))
                      .first->second;
    }
    for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax(corner[k], corner[(k + 1) % 3])];
    const auto at = [&](std::size_t k) { return mesh.positions[mesh.indices[t + k]]; };
    const V3f n = cross(at(1) - at(0), at(2) - at(0));
    if (norm(n) < 1e-7f) continue;
    float cosine = 1;
    for (std::size_t k = 0; k < 3; ++k)
      cosine = std::min(cosine, std::abs(dot(normalized(n), mesh.normals[mesh.indices[t + k]])));
    ASSERT_GT(cosine, 0.71f);  // nearer to its own side than to the one at a right angle
    askew += cosine < 0.95f;
  }
  EXPECT_LT(askew, 0.01 * static_cast<double>(mesh.indices.size()) / 3);
  for (const auto& [edge, triangles] : edges) ASSERT_EQ(triangles % 2, 0);
}

}  // namespace
}  // namespace firn::test
