// The camera that moves back where material would leave the picture.
#include "src/render/follow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "firn/error.h"
#include "src/render/framing.h"
#include "src/render/render.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

constexpr double kMargin = 0.5 * (1 / 0.86 - 1);  // of a picture beside what it frames

Bounds box(const V3d& min, const V3d& max) {
  Bounds bounds;
  bounds.add(min);
  bounds.add(max);
  return bounds;
}
const Bounds kUnit = box({{0, 0, 0}}, {{1, 1, 1}});

// A box of a fifth that moves along x from the unit box's middle; `ahead`: frames.
Bounds moving(double frame, double speed, double ahead) {
  const double x = 0.4 + speed * frame;
  return box({{x, 0.1, 0.1}}, {{x + 0.2 + speed * ahead, 0.3, 0.3}});
}

TEST(Follower, StandsStillWhileNothingLeaves) {
  Follower follower(kUnit);
  for (int frame = 0; frame < 50; ++frame)
    EXPECT_EQ(follower.advance(1, box({{0.1, 0, 0}}, {{1.02, 0.9, 1}})), kUnit) << frame;
  EXPECT_FALSE(follower.has_moved());
}

TEST(Follower, StandsStillWhereThereIsNothing) {
  Follower follower(kUnit);
  EXPECT_EQ(follower.advance(1, Bounds{}), kUnit);
}

TEST(Follower, KeepsWhatLeavesWithinThePictureAndMovesOnlyOutwards) {
  for (const double speed : {0.01, 0.02, 0.04}) {
    Follower follower(kUnit);
    double before = 1, rate_before = 0;
    for (int frame = 1; frame <= 200 && 0.6 + speed * frame < 2; ++frame) {
      const Bounds now = moving(frame, speed, Follower::kAhead);
      const Bounds& shown = follower.advance(1, now);
      const double margin = kMargin * (shown.max[0] - shown.min[0]);
      ASSERT_LT(now.max[0] - speed * Follower::kAhead, shown.max[0] + margin)
          << "frame " << frame << ", speed " << speed;
      const double rate = shown.max[0] - before;
      ASSERT_GE(rate, 0);
      // A critically damped spring starts with an acceleration of k^2 = 0.49 times the distance,
      // which is at most what left the box and the room beyond it.
      const double farthest = now.max[0] + 0.2 * shown.diagonal() - before;
      ASSERT_LE(std::abs(rate - rate_before), 0.49 * std::max(farthest, rate_before));
      before = shown.max[0], rate_before = rate;
      for (int c = 0; c < 3; ++c) ASSERT_EQ(shown.min[c], 0);
      ASSERT_EQ(shown.max[1], 1);
    }
    EXPECT_GT(before, 1.5) << speed;
  }
}

TEST(Follower, LetsGoWhatFliesFar) {
  Follower follower(kUnit);
  for (int frame = 1; frame < 100; ++frame) follower.advance(1, moving(frame, 1, 0));
  EXPECT_NEAR(follower.shown().max[0], 1 + kUnit.diagonal(), 1e-9);
}

TEST(Follower, ComesToTheSameByAnyStepsOnceItKnows) {
  Follower fine(kUnit), coarse(kUnit);
  const Bounds left = moving(0, 0, 0.0);
  const Bounds out = box(left.min, {{1.4, 0.3, 0.3}});
  for (int i = 0; i < 8; ++i) fine.advance(0.5, out);
  coarse.advance(4, out);
  // Each of the nine steps rounds numbers of the size of one.
  EXPECT_NEAR(fine.shown().max[0], coarse.shown().max[0],
              9 * 4 * std::numeric_limits<double>::epsilon());
  EXPECT_GT(coarse.shown().max[0], 1.2);
}

TEST(Follower, GoesOnFromItsState) {
  Follower whole(kUnit);
  for (int frame = 1; frame < 40; ++frame) whole.advance(1, moving(frame, 0.02, 2));
  Follower first(kUnit), second(kUnit);
  for (int frame = 1; frame < 25; ++frame) first.advance(1, moving(frame, 0.02, 2));
  second.set_state(first.state());
  for (int frame = 25; frame < 40; ++frame) second.advance(1, moving(frame, 0.02, 2));
  EXPECT_EQ(second.state(), whole.state());
}

Snapshot ball_at(double x) { return ball(300, {x, 0.5, 0}, 0.2); }

// Nothing of the first snapshot tells that it will move: it has no velocity, and no weight.
Scene drifting_scene() {
  Scene scene = base_scene(3);
  scene.simulation.gravity = {};
  return scene;
}

TEST(Framing, FollowsMaterialAndKeepsItsDirection) {
  const Scene scene = drifting_scene();
  Framing framing(scene, kWidth, kHeight);
  framing.start(ball_at(0), 0);
  const Camera first = framing.camera();
  for (int frame = 1; frame <= 48; ++frame) framing.advance(ball_at(0.01 * frame), frame / 24.0);
  const V3d before = normalized(to_vec(first.eye) - to_vec(first.target));
  const V3d after = normalized(to_vec(framing.camera().eye) - to_vec(framing.camera().target));
  EXPECT_NEAR(norm(after - before), 0, 1e-12);
  const Projection view(framing.camera(), 16.0 / 9);
  for (const V3d& x : {V3d{{0.48 + 0.2, 0.5, 0}}, V3d{{-0.2, 0.5, 0}}})
    EXPECT_LT(std::abs(view.project(x)[0]), 1);
  EXPECT_GT(std::abs(Projection(first, 16.0 / 9).project({{0.68, 0.5, 0}})[0]), 1);
}

TEST(Framing, StandsStillWhereItIsToldTo) {
  Scene scene = drifting_scene();
  scene.output.follow = false;
  Framing framing(scene, kWidth, kHeight);
  framing.start(ball_at(0), 0);
  const Camera first = framing.camera();
  for (int frame = 1; frame <= 48; ++frame) framing.advance(ball_at(0.05 * frame), frame / 24.0);
  EXPECT_EQ(framing.camera(), first);
}

TEST(Framing, FollowsInThePlaneToo) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {};
  Framing framing(scene, kWidth, kHeight);
  framing.start(one_particle(2, {0, 0, 0}, 0.5), 0);
  const double first = framing.flat_view().pixels_per_metre;
  for (int frame = 1; frame <= 48; ++frame)
    framing.advance(one_particle(2, {0.02 * frame, 0, 0}, 0.5), frame / 24.0);
  EXPECT_LT(framing.flat_view().pixels_per_metre, first);
  EXPECT_LT(framing.flat_view().column(0.96 + 0.2), kWidth);
}

TEST(Framing, ThatLooksAheadFramesAllOfItAndStandsStill) {
  const Scene scene = drifting_scene();
  Framing framing(scene, kWidth, kHeight);
  for (const double x : {0.0, 1.0, 2.0}) framing.look_ahead(ball_at(x));
  framing.start(ball_at(0), 0);
  const Camera first = framing.camera();
  const Projection view(first, 16.0 / 9);
  for (const double x : {-0.15, 2.15}) EXPECT_LT(std::abs(view.project({{x, 0.5, 0}})[0]), 0.95);
  EXPECT_GT(std::abs(view.project({{2.15, 0.5, 0}})[0]), 0.5);  // and not from far away
  framing.advance(ball_at(2), 2);
  EXPECT_EQ(framing.camera(), first);
}

TEST(Framing, TakesNoStateThatIsNone) {
  const Scene scene = drifting_scene();
  Framing framing(scene, kWidth, kHeight);
  framing.start(ball_at(0), 0);
  framing.set_state({});
  EXPECT_THROW(framing.set_state({1, 2, 3}), Error);
  std::vector<double> state = framing.state();
  state[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(framing.set_state(state), Error);
}

#if FIRN_WITH_EMBREE

TEST(Framing, PicturesGoOnToTheBit) {
  const Scene scene = drifting_scene();
  const auto at = [](int frame) { return ball_at(0.015 * frame); };
  Renderer whole(scene);
  Image expected;
  std::vector<double> saved;
  for (int frame = 0; frame <= 30; ++frame) {
    expected = whole.render(at(frame), frame / 24.0);
    if (frame == 20) saved = whole.view_state();
  }
  Renderer resumed(scene);
  resumed.render(at(0), 0);
  resumed.set_view_state(saved);
  Image image;
  for (int frame = 21; frame <= 30; ++frame) image = resumed.render(at(frame), frame / 24.0);
  EXPECT_EQ(image.rgb, expected.rgb);
  Renderer forgetful(scene);
  forgetful.render(at(0), 0);
  for (int frame = 21; frame <= 30; ++frame) image = forgetful.render(at(frame), frame / 24.0);
  EXPECT_NE(image.rgb, expected.rgb);
}

#endif

}  // namespace
}  // namespace firn::test
