// Poses from key frames: they pass through the keys, and their velocities are the derivatives of
// the positions.
#include "kernels/collide/rigid_motion.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <vector>

namespace firn {
namespace {

using Vector = Vec<double, 3>;
constexpr double kPi = std::numbers::pi;

struct Keys {
  std::vector<double> times, translation, rotation;
  Vector pivot = Vector::zero();
  KeyframeView view() const {
    return {times.data(), translation.data(), rotation.data(), static_cast<int>(times.size()),
            pivot};
  }
};

Keys tumbling() {
  return {{0, 0.5, 2, 3},
          {0, 0, 0, 1, 2, 3, 1, -2, 0.5, 4, 4, 4},
          {0, 0, 0, 0.3, 0.4, -0.2, 1.2, -0.5, 2.9, 1.2, -0.5, 2.9},
          {{0.2, -0.3, 0.4}}};
}

double difference(const Mat<double, 3>& a, const Mat<double, 3>& b) {
  return std::sqrt(contract(a - b, a - b));
}

// Central differences err by h^2/6 times the third derivative, (spin)^3 r < 60 here, and round-off
// 4 eps / h.
TEST(RigidMotion, VelocityIsTheDerivativeOfThePosition) {
  const Keys keys = tumbling();
  const Vector body = {{0.7, 0.1, -0.5}};
  constexpr double h = 1e-5;
  for (double t : {0.1, 0.3, 0.7, 1.5, 1.9, 2.5}) {
    const Vector ahead = to_world(pose_at<double>(keys.view(), t + h), body);
    const Vector behind = to_world(pose_at<double>(keys.view(), t - h), body);
    const RigidPose<double> pose = pose_at<double>(keys.view(), t);
    const Vector v = velocity_at(pose, to_world(pose, body));
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(v[i], (ahead[i] - behind[i]) / (2 * h),
                  60 * h * h / 6 + 16 * kEpsilon<double> / h)
          << t;
  }
}

TEST(RigidMotion, PassesThroughItsKeysContinuously) {
  const Keys keys = tumbling();
  for (std::size_t k = 0; k < keys.times.size(); ++k) {
    const Vector angles = {
        {keys.rotation[3 * k], keys.rotation[3 * k + 1], keys.rotation[3 * k + 2]}};
    for (double side : {-1e-12, 0.0, 1e-12}) {
      const RigidPose<double> pose = pose_at<double>(keys.view(), keys.times[k] + side);
      EXPECT_LT(difference(pose.rotation, rotation_from_euler(angles)), 1e-10);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(pose.translation[i], keys.translation[3 * k + i], 1e-10);
    }
  }
}

TEST(RigidMotion, RestsBeforeTheFirstAndFromTheLastKey) {
  Keys keys = tumbling();
  keys.times = {1, 2, 3, 4};
  for (double t : {0.0, 0.999, 4.0, 100.0}) {
    const RigidPose<double> pose = pose_at<double>(keys.view(), t);
    EXPECT_EQ(norm(pose.velocity), 0);
    EXPECT_EQ(norm(pose.angular_velocity), 0);
  }
  EXPECT_EQ(pose_at<double>(keys.view(), 100).translation[0], 4);
  const RigidPose<double> none = pose_at<double>(KeyframeView{}, 3.0);
  EXPECT_EQ(difference(none.rotation, Mat<double, 3>::identity()), 0);
}

TEST(RigidMotion, OneAngleMayTurnSeveralTimes) {
  const Keys keys{{0, 2}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 6 * kPi}, Vector::zero()};
  const RigidPose<double> pose = pose_at<double>(keys.view(), 0.25);
  EXPECT_NEAR(pose.angular_velocity[2], 3 * kPi, 1e-14);
  const Vector x = to_world(pose, Vector{{1, 0, 0}});  // 3/8 of a turn
  EXPECT_NEAR(x[0], std::cos(0.75 * kPi), 1e-15);
  EXPECT_NEAR(x[1], std::sin(0.75 * kPi), 1e-15);
  // An inner angle turns about its axis as the outer ones have turned it.
  const Keys inner{{0, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, kPi / 2, 5, 0, kPi / 2}, Vector::zero()};
  const RigidPose<double> turned = pose_at<double>(inner.view(), 0.5);
  EXPECT_NEAR(turned.angular_velocity[1], 5, 1e-14);
  EXPECT_LT(difference(turned.rotation, rotation_from_euler({{2.5, 0, kPi / 2}})), 1e-14);
}

TEST(RigidMotion, RotationVectorsInvertRotations) {
  std::mt19937 engine(4);
  std::normal_distribution<double> u;
  for (double angle : {0.0, 1e-9, 1e-4, 1.0, 3.0, kPi - 1e-9, kPi})
    for (int q = 0; q < 50; ++q) {
      Vector axis = {{u(engine), u(engine), u(engine)}};
      axis *= angle / norm(axis);
      const Mat<double, 3> R = rotation_from_vector(axis);
      EXPECT_LT(difference(R * transpose(R), Mat<double, 3>::identity()), 16 * kEpsilon<double>);
      EXPECT_LT(difference(rotation_from_vector(vector_from_rotation(R)), R), 32 * kEpsilon<double>)
          << angle;
    }
}

template <class Real, int D>
void round_trip() {
  Keys keys = tumbling();
  if (D == 2)
    for (std::size_t k = 0; k < keys.times.size(); ++k)
      keys.rotation[3 * k] = keys.rotation[3 * k + 1] = 0;
  const RigidPose<Real> pose = pose_at<Real>(keys.view(), 1.1);
  Vec<Real, D> x;
  for (int i = 0; i < D; ++i) x[i] = Real(0.3) * Real(i + 1);
  const Vec<Real, D> back = to_body(pose, to_world(pose, x));
  // Offsets up to 4 and about ten operations each way.
  for (int i = 0; i < D; ++i) EXPECT_NEAR(back[i], x[i], 80 * kEpsilon<Real>);
  EXPECT_NEAR(norm(rotate_to_world(pose, x)), norm(x), 8 * kEpsilon<Real>);
}

TEST(RigidMotion, BodyAndWorldAreInverses) {
  round_trip<float, 2>();
  round_trip<float, 3>();
  round_trip<double, 2>();
  round_trip<double, 3>();
}

TEST(RigidMotion, SpinsInThePlane) {
  const Keys keys{{0, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 2}, {{1, 1, 0}}};
  const RigidPose<double> pose = pose_at<double>(keys.view(), 0.5);
  const Vec<double, 2> v = velocity_at(pose, Vec<double, 2>{{2, 1}});
  EXPECT_NEAR(v[0], 0, 1e-15);
  EXPECT_NEAR(v[1], 2, 1e-15);
}

// Over keys, over none, before the first one and in turns of up to 2 rad in a step.
TEST(RigidMotion, ChordsEndWhereTheBodyWillBe) {
  const Keys keys = tumbling();
  const Vector x = {{0.7, -0.4, 0.9}};
  for (const double t : {-0.1, 0.0, 0.3, 0.5, 1.1, 1.99, 3.0})
    for (const double dt : {1e-6, 0.01, 0.3, 0.7}) {
      const RigidPose<double> pose = pose_over<double>(keys.view(), t, dt);
      const Vector body = to_body(pose, x);
      const Vector end = to_world(pose_at<double>(keys.view(), t + dt), body);
      EXPECT_LE(norm(x + dt * velocity_at(pose, x) - end), 1e-14) << t << " " << dt;
    }
  const RigidPose<double> still = pose_over<double>(keys.view(), 1.1, 0);
  EXPECT_LE(norm(velocity_at(still, x) - velocity_at(pose_at<double>(keys.view(), 1.1), x)), 1e-15);
}
TEST(RigidMotion, BendsGrowWithTheSquareOfTheTurn) {
  const Keys keys{{0, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 2}, {{1, 1, 0}}};
  const Vec<double, 2> x = {{2, 1}};
  const Vec<double, 2> bent = bend_at(pose_over<double>(keys.view(), 0, 1e-3), x);
  EXPECT_NEAR(bent[0], -0.5 * 4 * 1e-3, 1e-8);
  EXPECT_NEAR(bent[1], 0, 1e-15);
}

}  // namespace
}  // namespace firn
