// Cameras that move: by key frames and round their targets, in scenes and in pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "firn/render.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/render/framing.h"
#include "src/scene/parse.h"
#include "src/scene/scene_document.h"
#include "tests/support/expect_error.h"
#include "tests/support/pictures.h"
#include "tests/support/scene_cases.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;

Camera keyed(const std::vector<double>& times, const std::vector<Vec3>& eye) {
  Camera camera;
  camera.motion = CameraKeys{times, eye, {}, {}};
  return camera;
}

Vec3 velocity(const Camera& camera, double time, double step) {
  const Vec3 a = camera.at(time).eye, b = camera.at(time + step).eye;
  return {(b[0] - a[0]) / step, (b[1] - a[1]) / step, (b[2] - a[2]) / step};
}

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(CameraPath, GoesThroughItsKeysWithoutJumpsOfVelocity) {
  const std::vector<double> times{-1, 0.5, 1, 4};
  const std::vector<Vec3> eye{{0, 1, 5}, {2, 1, 4}, {3, 2, 2}, {-1, 2, 6}};
  const Camera camera = keyed(times, eye);
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(camera.at(times[k]).eye, eye[k]);
    // Accelerations are below 100 m/s^2 here.
    EXPECT_LT(distance(velocity(camera, times[k], -kStep), velocity(camera, times[k], kStep)),
              200 * kStep);
  }
  EXPECT_EQ(camera.at(-9).eye, eye.front());
  EXPECT_EQ(camera.at(9).eye, eye.back());
  EXPECT_LT(distance(velocity(camera, -1, kStep), {}), 200 * kStep);
  EXPECT_LT(distance(velocity(camera, 4, -kStep), {}), 200 * kStep);
}

TEST(CameraPath, EasesBetweenTwoKeysAndFollowsAParabolaThroughThree) {
  const Camera two = keyed({0, 2}, {{0, 0, 4}, {8, 0, 4}});
  EXPECT_NEAR(two.at(0.5).eye[0], 8 * (3.0 / 16 - 2.0 / 64), 8e-15);
  EXPECT_NEAR(two.at(1).eye[0], 4, 8e-15);
  // Its velocity at a key is that of x = t^2, whose values the keys are.
  const Camera square = keyed({0, 1, 3, 4}, {{0, 0, 4}, {1, 0, 4}, {9, 0, 4}, {16, 0, 4}});
  EXPECT_NEAR(velocity(square, 1, 1e-6)[0], 2, 1e-4);
  for (const double t : {1.3, 2.0, 2.9}) EXPECT_NEAR(square.at(t).eye[0], t * t, 1e-13) << t;
}

TEST(CameraPath, RestsBetweenEqualKeys) {
  const Camera camera = keyed({0, 1, 2, 3}, {{0, 0, 4}, {1, 0, 4}, {1, 0, 4}, {5, 2, 4}});
  for (const double t : {1.0, 1.2, 1.7, 2.0}) EXPECT_EQ(camera.at(t).eye, (Vec3{1, 0, 4})) << t;
}

// However uneven they are.
TEST(CameraPath, AnglesStayBetweenTheirKeys) {
  Camera camera;
  camera.eye = {0, 0, 4};
  camera.motion = CameraKeys{{0, 0.01, 5, 5.5}, {}, {}, {3.0, 0.1, 0.2, 0.05}};
  for (int i = 0; i <= 5500; ++i) {
    const double t = 1e-3 * i, fov = camera.at(t).fov;
    const auto [from, to] = t < 0.01 ? std::pair(0.1, 3.0)
                            : t < 5  ? std::pair(0.1, 0.2)
                                     : std::pair(0.05, 0.2);
    EXPECT_GE(fov, from - 1e-15) << t;
    EXPECT_LE(fov, to + 1e-15) << t;
    EXPECT_EQ(camera.at(t).eye, camera.eye);
  }
}

TEST(CameraPath, OrbitsItsTargetWhereverThatIs) {
  Camera camera;
  camera.eye = {1, 2, 5};
  camera.target = {1, 0, 1};
  camera.orbit = kPi / 2;
  EXPECT_EQ(camera.at(0).eye, camera.eye);
  // Against the clock seen from above: from the front to the right.
  EXPECT_LT(distance(camera.at(1).eye, {5, 2, 1}), 1e-14);
  EXPECT_LT(distance(camera.at(2).eye, {1, 2, -3}), 1e-14);
  EXPECT_LT(distance(camera.at(8).eye, camera.eye), 1e-13);
  camera.up = {0, 0, 3};
  EXPECT_LT(distance(camera.at(1).eye, {-1, 0, 5}), 1e-14);
  camera.up = {0, 1, 0};
  camera.motion = CameraKeys{{0, 1}, {}, {{1, 0, 1}, {1, 1, 3}}, {}};
  EXPECT_LT(distance(camera.at(1).eye, {3, 2, 3}), 1e-14);
}

// --- in scenes ---

const std::string kPlain = "camera = { eye = [0, 1, 4], target = [0, 0, 0], orbit = 20 }";

std::string with_motion(const std::string& motion, const std::string& camera = "") {
  return "camera = { " + (camera.empty() ? "eye = [0, 1, 4], target = [0, 0, 0]" : camera) +
         ", motion = { type = \"keyframes\", " + motion + " } }";
}

Camera camera_of(const std::string& camera) {
  return *parse_scene(edited(kScene3D, "image = true", camera), "s.toml", "/nowhere", {})
              .output.camera;
}

TEST(CameraMotion, IsRead) {
  EXPECT_NEAR(camera_of(kPlain).orbit, kPi / 9, 1e-15);
  const Camera camera = camera_of(with_motion("times = [0, 2], fov = [90, 45]"));
  EXPECT_EQ(camera.eye, (Vec3{0, 1, 4}));
  ASSERT_TRUE(camera.motion);
  EXPECT_EQ(camera.motion->times, (std::vector<double>{0, 2}));
  EXPECT_TRUE(camera.motion->eye.empty());
  EXPECT_NEAR(camera.motion->fov[1], kPi / 4, 1e-15);
  // What the motion has the camera need not have.
  const Camera all = camera_of(
      with_motion("times = [0], eye = [[1, 2, 3]], target = [[0, 0, 0]]", "up = [0, 0, 1]"));
  EXPECT_EQ(all.at(5).eye, (Vec3{1, 2, 3}));
}

TEST(CameraUp, IsAgainstGravityWhereTheSceneDoesNotSay) {
  const auto up_of = [](const std::string& camera, const std::string& gravity) {
    const Scene scene = parse_scene(edited(kScene3D, "image = true", "camera = { " + camera + " }"),
                                    "s.toml", "/nowhere", {"", {"simulation.gravity=" + gravity}});
    scene::Findings findings;
    scene::ReadContext context{findings};
    const Scene again = scene::parse_tree(scene::document_of(scene), context);
    findings.throw_if_any();
    EXPECT_EQ(again.output.camera->up, scene.output.camera->up) << "it is written";
    return scene.output.camera->up;
  };
  const std::string view = "eye = [0, 4, 1], target = [0, 0, 0]",
                    down = "eye = [0, 0, 4], target = [0, 0, 0]";
  EXPECT_EQ(up_of(view, "[0, 0, -9.81]"), (Vec3{0, 0, 1}));
  EXPECT_EQ(up_of(view, "[0, -9.81, 0]"), (Vec3{0, 1, 0}));
  EXPECT_EQ(up_of(view, "[3, 0, -4]"), (Vec3{-0.6, 0, 0.8}));
  EXPECT_EQ(up_of(view, "[0, 0, 0]"), (Vec3{0, 1, 0}));
  EXPECT_EQ(up_of(view + ", up = [0, 1, 0]", "[0, 0, -9.81]"), (Vec3{0, 1, 0}));
  EXPECT_EQ(up_of(down, "[0, 0, -9.81]"), (Vec3{0, 1, 0})) << "it looks straight down";
}

TEST(CameraMotion, ComesBackFromItsDocument) {
  Scene scene =
      parse_scene(edited(kScene3D, "image = true",
                         with_motion("times = [0, 2], eye = [[1, 2, 3], [4, 5, 6]], fov = [30, 40]",
                                     "target = [0, 0, 0], orbit = -10")),
                  "s.toml", "/nowhere", {});
  scene::Findings findings;
  scene::ReadContext context{findings};
  const Scene again = scene::parse_tree(scene::document_of(scene), context);
  findings.throw_if_any();
  ASSERT_TRUE(again.output.camera && again.output.camera->motion);
  EXPECT_EQ(again.output.camera->motion->eye, scene.output.camera->motion->eye);
  EXPECT_NEAR(again.output.camera->motion->fov[0], kPi / 6, 1e-15);
  EXPECT_NEAR(again.output.camera->orbit, -kPi / 18, 1e-15);
}

TEST(CameraMotion, IsHeldAgainstItsRanges) {
  const Case cases[] = {
      {"", "camera = { eye = [1, 0, 0], target = [0, 0, 0], orbit = @\"slow\" }", {"'orbit'"}},
      {"", "camera = { eye = [1, 0, 0], target = [0, 0, 0], orbit = @inf }", {"finite"}},
      {"",
       "camera = { eye = [1, 0, 0], target = [0, 0, 0], motion = @3 }",
       {"output.camera.motion"}},
      {"", with_motion("@tims = [0], times = [0]"), {"unknown key 'tims'", "'times'"}},
      {"",
       "camera = { eye = [1, 0, 0], target = [0, 0, 0], motion = { type = @\"path\", times = [0] } "
       "}",
       {"keyframes"}},
      {"",
       "camera = { eye = [1, 0, 0], target = [0, 0, 0], motion = @{ type = \"keyframes\" } }",
       {"output.camera.motion needs the key 'times'"}},
      {"", with_motion("times = @[]"), {"'times' must not be empty"}},
      {"", with_motion("times = [0, 1, @1]"), {"'times' must increase strictly, but 1 follows 1"}},
      {"",
       with_motion("times = [0, 1], eye = @[[0, 0, 1]]"),
       {"'eye' must have as many entries as 'times' (2), found 1"}},
      {"", with_motion("times = [0], eye = [@[0, 1]]"), {"'eye.0' must have 3 entries"}},
      {"", with_motion("times = [0], eye = [[0, @1e13, 0]]"), {"[-1000000000000, 1000000000000]"}},
      {"", with_motion("times = [0, 1], fov = [40, @180]"), {"'fov.1'", "(0, 180)"}},
      {"", with_motion("times = [@nan]"), {"finite"}},
      {"",
       with_motion("times = [0]", "target = [0, 0, 0]").insert(9, "@"),
       {"output.camera needs the key 'eye'"}},
      {"",
       with_motion("times = [0]", "eye = [0, 0, 1], target = [0, 0, 0], up = @[0, 0, 0]"),
       {"must not be zero"}},
  };
  for (Case c : cases) {
    c.find = "image = true";
    expect_one_finding(kScene3D, c);
  }
}

TEST(CameraMotion, MustLeaveAPicture) {
  const Case cases[] = {
      {"",
       with_motion("times = [0, 1.5], eye = [[0, 0, 4], @[0, 0, 0]]"),
       {"the camera's 'eye' and 'target' must differ, at 1.5 s"}},
      {"",
       with_motion("times = [0, 2], eye = [[0, 0, 4], @[0, 4, 0]]"),
       {"'up' must not be zero or parallel to the view direction, at 2 s"}},
      {"",
       with_motion(
           "times = [0, 2], eye = [[0, 0, 4], [1, 0, 1]], target = [@[0, 0, 4], [0, 0, 0]]"),
       {"must differ, at 0 s"}},
      // Through what it looks at, and over the top of it.
      {"",
       with_motion("times = @[0, 1, 3], eye = [[0, 0, 9], [0, 0, 4], [0, 0, -4]]"),
       {"turns over between 1 and 3 s", "'target'"}},
      {"",
       with_motion("times = @[0, 1], eye = [[0, 4, 4], [0, 4, -4]]"),
       {"turns over between 0 and 1 s, at 0.5 s", "'up'"}},
  };
  for (Case c : cases) {
    c.find = "image = true";
    expect_one_finding(kScene3D, c);
  }
  // Round it there is nothing against, nor against many turns.
  camera_of(with_motion("times = [0, 1, 2], eye = [[0, 4, 4], [4, 4, 0], [0, 4, -4]]"));
  camera_of(with_motion("times = [0, 9], fov = [30, 40]",
                        "eye = [1, 0, 0], target = [0, 0, 0], orbit = 36000"));
}

TEST(CameraMotion, OfScenesInCodeIsHeldAgainstTheSame) {
  const auto expect = [](const std::string& finding, const Camera& camera) {
    Scene scene = parse_scene(kScene3D, "s.toml", "/nowhere", {});
    scene.output.camera = camera;
    test::expect_error(ErrorCategory::kScene, {finding}, [&] { validate(scene); });
  };
  Camera camera = keyed({0, 1}, {{0, 0, 4}, {0, 1, 4}});
  Scene scene = parse_scene(kScene3D, "s.toml", "/nowhere", {});
  scene.output.camera = camera;
  validate(scene);
  camera.motion->times = {1, 0};
  expect("output.camera.motion.times.1: 'times' must increase", camera);
  camera.motion->times = {0};
  expect("output.camera.motion.eye: 'eye' must have as many entries", camera);
  camera.motion->times = {0, 1};
  camera.motion->eye[1] = {0, 0, 0};
  expect("output.camera.motion.eye.1: the camera's 'eye' and 'target'", camera);
  camera.motion->eye[1] = {0, 0, std::nan("")};
  expect("output.camera.motion.eye.1.2: ", camera);
  camera = keyed({0}, {});
  camera.eye = {0, 0, 4};
  camera.motion->fov = {-1};
  expect("output.camera.motion.fov.0: 'fov.0' must be in (0, 180)", camera);
  camera.motion.reset();
  camera.orbit = INFINITY;
  expect("output.camera.orbit: ", camera);
}

// --- in pictures ---

// A small ball, a little off the middle; the camera is at a distance of 5.
class MovingCamera : public testing::Test {
 protected:
  MovingCamera() {
    scene_.simulation.gravity = {};
    scene_.simulation.fps = 10;
    scene_.output.resolution = {320, 180};
    scene_.output.legend = Drawn::kNever;
    Camera& camera = scene_.output.camera.emplace();
    camera.eye = {0, 0, 5};
  }

  static Shown shown(double time) {
    return {test::one_particle(3, {0.4, 0.2, 0.3}, 0.3), {}, {}, time};
  }

  // Where it is red, below the caption.
  struct Spot {
    double x = 0, y = 0;
  };
  static Spot spot(const Image& image) {
    Spot spot;
    int count = 0;
    for (int y = 30; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        if (!test::is_red(image.pixel(x, y))) continue;
        spot.x += x + 0.5, spot.y += y + 0.5, ++count;
      }
    spot.x /= count, spot.y /= count;
    return spot;
  }

  // The first and the last one in which a row differs from the background.
  static std::array<int, 2> columns(const Image& image, int row) {
    const Rgb background = image.pixel(2, row);
    std::array<int, 2> found{image.width, -1};
    for (int x = 0; x < image.width; ++x) {
      int off = 0;
      for (std::size_t c = 0; c < 3; ++c) off += std::abs(image.pixel(x, row)[c] - background[c]);
      if (off >= 16) found = {std::min(found[0], x), x};
    }
    return found;
  }

  // Where its centre should be, by a camera that stands there.
  void expect_there(const Image& image, const Camera& camera) const {
    const auto [u, v] = Projection(camera, 320.0 / 180).project({{0.4, 0.2, 0.3}});
    // The dark side of the ball is not red everywhere: its radius is 9 pixels.
    EXPECT_NEAR(spot(image).x, 160 * (1 + u), 2.5);
    EXPECT_NEAR(spot(image).y, 90 * (1 - v), 2.5);
  }

  Scene scene_ = test::base_scene(3);
};

TEST_F(MovingCamera, ShowsThingsWhereItsViewHasThem) {
  scene_.output.camera->motion = CameraKeys{
      {0, 1, 2}, {{0, 0, 5}, {4, 1, 3}, {0, 2, -5}}, {{0, 0, 0}, {0, 0.5, 0}, {0.2, 0, 0}}, {}};
  SceneRenderer renderer(scene_);
  for (const double time : {0.0, 0.4, 1.0, 1.7, 2.0, 3.0}) {
    SCOPED_TRACE(time);
    expect_there(renderer.render(shown(time)), scene_.output.camera->at(time));
  }
}

TEST_F(MovingCamera, GoesRoundWhatStandsStill) {
  scene_.output.camera->orbit = kPi / 2;
  SceneRenderer renderer(scene_);
  const Image first = renderer.render(shown(0)), right = renderer.render(shown(1)),
              round = renderer.render(shown(4));
  EXPECT_GT(spot(first).x, 165);
  EXPECT_LT(spot(right).x, 155);  // what is in front is on the left from there
  Camera there = *scene_.output.camera;
  there.orbit = 0;
  expect_there(first, there);
  expect_there(round, there);
  there.eye = {5, 0, 0};
  expect_there(right, there);
}

TEST_F(MovingCamera, GoesOnWhereAnotherRendererHasBeen) {
  scene_.output.camera->orbit = 1;
  SceneRenderer whole(scene_), again(scene_);
  whole.render(shown(0));
  whole.render(shown(0.5));
  again.render(shown(0));
  again.set_view_state(whole.view_state());
  EXPECT_EQ(whole.render(shown(1)).rgb, again.render(shown(1)).rgb);
}

TEST_F(MovingCamera, BlursWhatStandsStill) {
  const Image sharp = SceneRenderer(scene_).render(shown(1));
  scene_.output.motion_blur = 0.5;
  EXPECT_EQ(SceneRenderer(scene_).render(shown(1)).rgb, sharp.rgb);
  // A pan at 4 m/s between keys far away, through where the sharp picture is.
  Camera& camera = *scene_.output.camera;
  camera.motion = CameraKeys{{-1, 0, 2, 3},
                             {{-8, 0, 5}, {-4, 0, 5}, {4, 0, 5}, {8, 0, 5}},
                             {{-8, 0, 0}, {-4, 0, 0}, {4, 0, 0}, {8, 0, 0}},
                             {}};
  const Image blurred = SceneRenderer(scene_).render(shown(1));
  const int row = static_cast<int>(spot(sharp).y);
  const auto before = columns(sharp, row), after = columns(blurred, row);
  // 4 m/s for half of a tenth of a second at 4.7 m: half of it to either side.
  const double way = 0.2 * 90 / std::tan(0.5 * camera.fov) / 4.7;
  EXPECT_GT(way, 9);
  EXPECT_NEAR(before[0] - after[0], way / 2, 3);
  EXPECT_NEAR(after[1] - before[1], way / 2, 3);
  // A whole turn while the shutter is open ends where it began, but is a blur all round.
  camera.motion.reset();
  camera.orbit = 40 * kPi;
  EXPECT_NE(SceneRenderer(scene_).render(shown(1)).rgb, sharp.rgb);
}

TEST(Framing, LeavesAutomaticCamerasWhereTheyAre) {
  Scene scene = test::base_scene(3);
  const Snapshot ball = test::ball(500, {0, 1, 0}, 0.2);
  Framing framing(scene, 160, 90);
  framing.start(ball, 0);
  const Camera first = framing.camera();
  framing.look(0.5);
  EXPECT_EQ(framing.camera(), first);
  EXPECT_EQ(framing.pixels_passed(1), 0);
}

}  // namespace
}  // namespace firn
