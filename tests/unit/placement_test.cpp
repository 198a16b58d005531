// Where shapes go: arrays and scattered copies, centres, things put on the ground; and the keys
// `place` and `instances` that say so.
#include "src/scene/placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "src/scene/continuation.h"
#include "src/scene/shapes.h"
#include "tests/support/expect_error.h"
#include "tests/support/scene_cases.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.05, kTouching = 0.05 * kDx;

Scene space(int dimension = 3) { return empty_scene(dimension, kDx); }

CompiledShape compiled(const Shape& shape, const Scene& scene) {
  return compile_shape(shape, scene.simulation.dimension, scene.grid.dx);
}
double bottom(const Shape& shape, const Scene& scene) { return compiled(shape, scene).min[1]; }
Shape put_down_alone(const Shape& shape, const Scene& scene) {
  return put_down({shape}, scene).at(0);
}

TEST(Placement, PutsDownOnAPlane) {
  for (const int d : {2, 3}) {
    Scene scene = space(d);
    scene.colliders = {collider("ground", ground(0.3), BoundaryType::kSticky)};
    for (const double height : {5.0, 0.5, 0.35, 0.1, -2.0})  // also up out of it
      EXPECT_NEAR(bottom(put_down_alone(sphere({1, height, 0}, 0.2), scene), scene), 0.3, kTouching)
          << height;
    EXPECT_NEAR(bottom(put_down_alone(box({0, 1, 0}, {0.4, 1.2, 0.3}), scene), scene), 0.3,
                kTouching);
  }
}

TEST(Placement, PutsDownOnASlope) {
  Scene scene = space();
  scene.colliders = {
      collider("slope", half_space({0, 0, 0}, {0.6, 0.8, 0}), BoundaryType::kSticky)};
  const CompiledShape ball = compiled(put_down_alone(sphere({1, 2, 0.5}, 0.2), scene), scene);
  const Vec3 middle{0.5 * (ball.min[0] + ball.max[0]), 0.5 * (ball.min[1] + ball.max[1]), 0};
  EXPECT_NEAR(middle[0], 1, 1e-9);
  EXPECT_NEAR(0.6 * middle[0] + 0.8 * middle[1], 0.2, 0.2 * kDx);
}

TEST(Placement, PutsDownOnStairsAndWalls) {
  Scene scene = space(2);
  scene.grid.domain.emplace();
  scene.grid.domain->min = {-3, -1, 0}, scene.grid.domain->max = {3, 3, 0};
  scene.colliders = {collider("low", box({0, -1, 0}, {1, 0.2, 0}), BoundaryType::kSticky),
                     collider("high", box({1, -1, 0}, {2, 0.7, 0}), BoundaryType::kSticky)};
  const auto at = [&](double x) {
    return bottom(put_down_alone(box({x, 2, 0}, {x + 0.4, 2.2, 0}), scene), scene);
  };
  EXPECT_NEAR(at(0.2), 0.2, kTouching);
  EXPECT_NEAR(at(0.8), 0.7, kTouching);  // on both: on the higher one
  EXPECT_NEAR(at(-2), -1, kTouching);    // the wall
  scene.simulation.gravity = {9.8, 0, 0};
  const CompiledShape beside =
      compiled(put_down_alone(box({-1, 0, 0}, {-0.8, 0.1, 0}), scene), scene);
  EXPECT_NEAR(beside.max[0], 0, kTouching);
}

TEST(Placement, NeedsAGroundAndBounds) {
  Scene scene = space();
  expect_error(ErrorCategory::kScene, {"no ground below"},
               [&] { put_down_alone(sphere({}, 0.2), scene); });
  scene.colliders = {collider("ball", sphere({3, -3, 0}, 0.5), BoundaryType::kSticky)};
  expect_error(ErrorCategory::kScene, {"no ground below"},
               [&] { put_down_alone(sphere({}, 0.2), scene); });
  expect_error(ErrorCategory::kScene, {"no end"}, [&] { put_down_alone(ground(), scene); });
  expect_error(ErrorCategory::kScene, {"no end"}, [&] { centered({ground()}, {}, scene); });
}

TEST(Placement, TheGroundIsWhereKeyFramesHaveItAtTheStart) {
  constexpr double kQuarter = 1.5707963267948966;
  for (const int d : {2, 3}) {
    Scene scene = space(d);
    scene.colliders = {collider("table", box({0, 0, 0}, {2, 0.2, 2}), BoundaryType::kSticky)};
    std::optional<Keyframes>& motion = scene.colliders[0].motion;
    motion = Keyframes{{0, 1}, {{0, 1, 0}, {0, 5, 0}}, {}, {}};
    const double z = d == 3 ? 1 : 0;
    const Shape ball = sphere({1, 1.8, z}, 0.1);
    EXPECT_NEAR(bottom(put_down_alone(ball, scene), scene), 1.2, kTouching);
    motion->times = {-1, 1};  // half way at the start
    EXPECT_NEAR(bottom(put_down_alone(sphere({1, 3.1, z}, 0.1), scene), scene), 3.2, kTouching);
    motion = Keyframes{{0}, {}, {{0, 0, kQuarter}}, {1, 0, 1}};  // stands on end
    EXPECT_NEAR(bottom(put_down_alone(sphere({0.9, 3, z}, 0.05), scene), scene), 1, kTouching);
  }
}

TEST(Placement, HowFarThingsFallIsNoMatter) {
  for (const double height : {1.0, 12.0, 25.0, 250.0}) {
    Scene scene = space();
    scene.grid.dx = 0.01;
    scene.colliders = {collider("plate", box({-1, -0.01, -1}, {1, 0, 1}), BoundaryType::kSticky)};
    const Shape ball = sphere({0, height, 0}, 0.1);
    EXPECT_NEAR(bottom(put_down_alone(ball, scene), scene), 0, 0.05 * 0.01) << height;
  }
}

TEST(Placement, CentresBounds) {
  const Scene scene = space();
  const CompiledShape c =
      compiled(centered({box({1, 2, 3}, {2, 4, 7})}, {0.5, 0, -1}, scene).at(0), scene);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(0.5 * (c.min[i] + c.max[i]), (Vec3{0.5, 0, -1}[i]), 1e-12);
  EXPECT_NEAR(c.max[2] - c.min[2], 4, 1e-12);
}

TEST(Placement, CentresSeveralTogether) {
  const Scene scene = space();
  const auto copies = copies_of(sphere({1, 0, 0}, 0.1), {{3, 1, 1}, {0.5, 0, 0}});
  const auto moved = centered(copies, {7, 1, 0}, scene);
  ASSERT_EQ(moved.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const CompiledShape c = compiled(moved[i], scene);
    EXPECT_NEAR(0.5 * (c.min[0] + c.max[0]), 6.5 + 0.5 * static_cast<double>(i), 1e-12);
    EXPECT_NEAR(0.5 * (c.min[1] + c.max[1]), 1, 1e-12);
  }
}

TEST(Placement, ArraysStandOnALattice) {
  const Scene scene = space();
  const auto copies = copies_of(sphere({1, 0, 0}, 0.1), {{2, 3, 1}, {0.5, 0.25, 9}});
  ASSERT_EQ(copies.size(), 6u);
  const CompiledShape last = compiled(copies.back(), scene);
  EXPECT_NEAR(last.min[0], 1 + 0.5 - 0.1, 1e-12);
  EXPECT_NEAR(last.min[1], 0.5 - 0.1, 1e-12);
  EXPECT_NEAR(last.min[2], -0.1, 1e-12);
}

ScatteredCopies hundred() {
  ScatteredCopies s;
  s.count = 100;
  s.min = {0, 0, 0}, s.max = {2, 2, 2};
  s.smallest = 0.5, s.largest = 1;
  s.turns = Turns::kAny;
  s.gap = 0.01;
  return s;
}

TEST(Placement, ScatteredCopiesDoNotMeet) {
  for (const int d : {2, 3}) {
    const Scene scene = space(d);
    ScatteredCopies scattered = hundred();
    if (d == 2) scattered.count = 30;
    const Shape brick = box({5, 5, 5}, {5.2, 5.1, 5.1});
    const auto copies = copies_of(brick, scattered, scene);
    ASSERT_EQ(static_cast<int>(copies.size()), scattered.count);
    std::set<double> angles;
    for (const Shape& a : copies) {
      const CompiledShape one = compiled(a, scene);
      angles.insert(a.rotation[2]);
      EXPECT_GE(a.scale, 0.5);
      EXPECT_LE(a.scale, 1);
      for (int i = 0; i < d; ++i) {
        const double middle = 0.5 * (one.min[i] + one.max[i]);
        EXPECT_GE(middle, -1e-9);
        EXPECT_LE(middle, 2 + 1e-9);
      }
      for (const Shape& b : copies) {
        if (&a == &b) continue;
        const CompiledShape other = compiled(b, scene);
        double squared = 0;
        for (int i = 0; i < d; ++i) {
          const double apart = 0.5 * (one.min[i] + one.max[i] - other.min[i] - other.max[i]);
          squared += apart * apart;
        }
        const double half = 0.5 * std::sqrt(d == 3 ? 0.06 : 0.05);
        EXPECT_GE(std::sqrt(squared), half * (a.scale + b.scale) + 0.01 - 1e-9);
      }
    }
    EXPECT_EQ(static_cast<int>(angles.size()), scattered.count);
    EXPECT_EQ(copies_of(brick, scattered, scene), copies);
    scattered.seed = 1;
    EXPECT_NE(copies_of(brick, scattered, scene), copies);
  }
}

// A uniform turn takes an axis to all directions alike.
TEST(Placement, TurnsHaveNoDirection) {
  ScatteredCopies scattered = hundred();
  scattered.count = 4000;
  scattered.max = {100, 100, 100};
  for (const Turns turns : {Turns::kAny, Turns::kUpright, Turns::kNone}) {
    scattered.turns = turns;
    Vec3 mean{}, squares{};
    for (const Shape& s : copies_of(sphere({}, 0.1), scattered, space())) {
      const double cx = std::cos(s.rotation[0]), sx = std::sin(s.rotation[0]);
      const double cy = std::cos(s.rotation[1]), sy = std::sin(s.rotation[1]);
      const double cz = std::cos(s.rotation[2]), sz = std::sin(s.rotation[2]);
      // Where R = Rz Ry Rx takes the z axis.
      const Vec3 z{cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx};
      for (std::size_t i = 0; i < 3; ++i) mean[i] += z[i] / 4000, squares[i] += z[i] * z[i] / 4000;
    }
    const bool any = turns == Turns::kAny, none = turns == Turns::kNone;
    const Vec3 expected = any    ? Vec3{1 / 3.0, 1 / 3.0, 1 / 3.0}
                          : none ? Vec3{0, 0, 1}
                                 : Vec3{0.5, 0, 0.5};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(squares[i], expected[i], 0.03) << i;
      EXPECT_NEAR(mean[i], none && i == 2 ? 1 : 0, 0.05) << i;
    }
  }
}

TEST(Placement, TellsHowManyFit) {
  ScatteredCopies scattered = hundred();
  scattered.max = {0.3, 0.3, 0.3};
  expect_error(ErrorCategory::kScene, {"only ", " of 100 copies"},
               [&] { copies_of(sphere({}, 0.1), scattered, space()); });
}

// --- in scene files ---

const std::string kBall = "shape = { type = \"sphere\", center = [0.5, 0.5, 0.5], radius = 0.1 }";

TEST(PlacedBodies, StandWhereTheSceneSays) {
  const auto scene_with = [](const std::string& more) {
    return parse_scene(edited(kScene3D, kBall, kBall + "\n" + more), "s.toml", "");
  };
  const auto middle = [](const Scene& scene, std::size_t body) {
    const CompiledShape c = compile_shape(scene.bodies[body].shape, 3, scene.grid.dx);
    return Vec3{0.5 * (c.min[0] + c.max[0]), 0.5 * (c.min[1] + c.max[1]),
                0.5 * (c.min[2] + c.max[2])};
  };
  EXPECT_NEAR(middle(scene_with("place = \"ground\""), 0)[1], 0.1, 0.005);
  EXPECT_NEAR(middle(scene_with("place = { center = [0.2, 0.8, 0.3] }"), 0)[1], 0.8, 1e-9);
  const Scene both = scene_with("place = { center = [0.2, 0.8, 0.3], ground = true }");
  EXPECT_NEAR(middle(both, 0)[0], 0.2, 1e-9);
  EXPECT_NEAR(middle(both, 0)[1], 0.1, 0.005);
  const Scene array =
      scene_with("instances = { type = \"array\", count = [2, 1, 2], step = [0.25, 0, 0.25] }");
  ASSERT_EQ(array.bodies.size(), 5u);
  EXPECT_EQ(array.bodies[3].name, "ball.3");
  EXPECT_EQ(array.bodies[3].material, array.bodies[0].material);
  EXPECT_NEAR(middle(array, 3)[2], 0.75, 1e-9);
  const Scene scattered = scene_with(
      "place = \"ground\"\ninstances = { type = \"scatter\", count = 5, min = [0.1, 0.5, 0.1], "
      "max = [0.9, 0.5, 0.9] }");
  ASSERT_EQ(scattered.bodies.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(middle(scattered, i)[1], 0.1, 0.005);
  const Scene together = scene_with(
      "place = { center = [0.5, 0.5, 0.5] }\ninstances = { type = \"array\", count = [3, 1, 1], "
      "step = [0.3, 0, 0] }");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(middle(together, i)[0], 0.2 + 0.3 * static_cast<double>(i), 1e-9);
}

// Names and counts are what the records of a run need; its meshes may be gone.
TEST(PlacedBodies, AreCountedWithoutTheirFiles) {
  const test::ScratchFolder folder;
  const std::string path = (folder / "scene.toml").string();
  const std::string mesh = "shape = { type = \"mesh\", file = \"gone.obj\" }\n";
  const std::string copies[] = {"type = \"array\", count = [2, 1, 2], step = [1, 0, 1]",
                                "type = \"scatter\", count = 4, min = [0, 0, 0], max = [1, 1, 1]"};
  for (const std::string& instances : copies) {
    test::write_text(path,
                     edited(kScene3D, kBall,
                            mesh + "place = { center = [1, 1, 1], ground = true }\ninstances = { " +
                                instances + " }"));
    const Scene scene = scene::scene_of_records(path);
    ASSERT_EQ(scene.bodies.size(), 5U);
    EXPECT_EQ(scene.bodies[3].name, "ball.3");
  }
}

TEST(PlacedBodies, SayWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"place = @\"grund\"", "'ground'"},
      {"place = @3", "'place'"},
      {"place = { @centre = [0, 0, 0] }", "did you mean 'center'?"},
      {"place = { center = @[0, 0] }", "must have 3 entries"},
      {"instances = { type = @\"grid\" }", "unknown instances type 'grid'"},
      {"instances = { type = \"array\", count = @[1, 2], step = [1, 1, 1] }", "3 entries"},
      {"instances = { type = \"array\", count = @[1.5, 2, 1], step = [1, 1, 1] }", "whole"},
      {"instances = { type = \"array\", count = @[100, 100, 2], step = [1, 1, 1] }",
       "10000 copies"},
      {"instances = { type = \"array\", count = [1, @0, 1], step = [1, 1, 1] }", "in [1, 10000]"},
      {"instances = @{ type = \"scatter\", count = 99, min = [0, 0, 0], max = [0.1, 0.1, 0.1] }",
       "of 99 copies"},
      {"instances = { type = \"scatter\", count = 1, min = [0, 1, 0], max = @[1, 0, 1] }",
       "must not be below"},
      {"instances = { type = \"scatter\", count = 1, min = [0, 0, 0], max = [1, 1, 1], scale = "
       "@[2, "
       "1] }",
       "must not fall"},
  };
  for (const auto& [more, word] : cases)
    expect_one_finding(kScene3D, {kBall, kBall + "\n" + more, {word}});
  // The place is that of the key, and told once.
  const std::string endless =
      "shape = { type = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0] }\n";
  for (const char* more : {"place = @\"ground\"", "place = @{ center = [0, 0, 0] }"})
    expect_one_finding(kScene3D,
                       {kBall, endless + more, {": what is placed: its shape has no end"}});
  const std::string point = "{ type = \"sphere\", center = [0, 0, 0], radius = 1 }";
  std::string deep = point;
  for (int i = 0; i < 20; ++i)
    deep = "{ type = \"union\", children = [" + point + ", " + deep + "] }";
  expect_one_finding(kScene3D, {kBall,
                                kBall + "\nplace = @\"ground\"\n[[collider]]\nname = \"rock\"\n" +
                                    "shape = " + deep,
                                {": the ground, collider \"rock\": shape: booleans are nested"}});
}

}  // namespace
}  // namespace firn::test
