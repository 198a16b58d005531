// Rigid motion from key frames on host and device: the pose at a time and its exact time
// derivative. Translation is linear between keys; rotation turns at constant angular velocity from
// one key to the next (slerp).
#pragma once

#include "kernels/math/mat.h"

namespace firn {

// x_world = rotation (x_body - pivot) + pivot + translation; velocities are those of world space.
// `bend` (s^-1/2) turns the velocity of a point that goes round into that of the chord to where it
// will be when a step ends; see along_chords.
template <class Real>
struct RigidPose {
  Mat<Real, 3> rotation;
  Vec<Real, 3> translation, pivot, velocity, angular_velocity, bend;
};

// Keys of one body: `translation` and `rotation` hold three numbers per key (m; Euler angles in
// radians, applied x then y then z), `times` increases. A view: the owner keeps the arrays alive on
// the side that evaluates it.
struct KeyframeView {
  const double* times = nullptr;
  const double* translation = nullptr;
  const double* rotation = nullptr;
  int count = 0;
  Vec<double, 3> pivot = {{0, 0, 0}};
};

// Rotation by |w| about w, right-handed (Rodrigues).
FIRN_HD inline Mat<double, 3> rotation_from_vector(const Vec<double, 3>& w) {
  const double angle = norm(w);
  if (angle == 0) return Mat<double, 3>::identity();
  const Vec<double, 3> u = w * (1 / angle);
  const Mat<double, 3> cross_u = {{{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}}};
  const double half = std::sin(0.5 * angle);
  return Mat<double, 3>::identity() + std::sin(angle) * cross_u +
         (2 * half * half) * (cross_u * cross_u);
}

// The shortest rotation vector of R: the inverse of rotation_from_vector for angles up to pi. Goes
// through the quaternion, whose largest component is at least 1/2, so that every angle keeps full
// precision.
FIRN_HD inline Vec<double, 3> vector_from_rotation(const Mat<double, 3>& R) {
  double q[4];  // (x, y, z, w)
  const double diagonal[4] = {R(0, 0), R(1, 1), R(2, 2), trace(R)};
  int largest = 3;
  for (int i = 0; i < 3; ++i)
    if (diagonal[i] > diagonal[largest]) largest = i;
  if (largest == 3) {
    q[3] = 0.5 * std::sqrt(1 + trace(R));
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      q[i] = (R(k, j) - R(j, k)) / (4 * q[3]);
    }
  } else {
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = 0.5 * std::sqrt(1 + R(i, i) - R(j, j) - R(k, k));
    q[j] = (R(i, j) + R(j, i)) / (4 * q[i]);
    q[k] = (R(i, k) + R(k, i)) / (4 * q[i]);
    q[3] = (R(k, j) - R(j, k)) / (4 * q[i]);
  }
  Vec<double, 3> axis = {{q[0], q[1], q[2]}};
  if (q[3] < 0) axis = -axis;
  const double sine = norm(axis);
  if (sine == 0) return Vec<double, 3>::zero();
  return axis * (2 * std::atan2(sine, std::fabs(q[3])) / sine);
}

// R = R_z(c) R_y(b) R_x(a): about x first, then y, then z.
FIRN_HD inline Mat<double, 3> rotation_from_euler(const Vec<double, 3>& angles) {
  return rotation_from_vector({{0, 0, angles[2]}}) * rotation_from_vector({{0, angles[1], 0}}) *
         rotation_from_vector({{angles[0], 0, 0}});
}

// World-space rotation vector that takes key angles `a` to `b`. If one angle alone differs it is
// that many radians about that (turned) axis, so that keys can say "three turns"; otherwise the
// shortest way.
FIRN_HD inline Vec<double, 3> rotation_between(const Vec<double, 3>& a, const Vec<double, 3>& b) {
  int changed = -1, changes = 0;
  for (int i = 0; i < 3; ++i)
    if (a[i] != b[i]) {
      changed = i;
      ++changes;
    }
  if (changes == 0) return Vec<double, 3>::zero();
  if (changes > 1)
    return vector_from_rotation(rotation_from_euler(b) * transpose(rotation_from_euler(a)));
  Vec<double, 3> axis = Vec<double, 3>::zero(), later = Vec<double, 3>::zero();
  axis[changed] = b[changed] - a[changed];
  for (int i = changed + 1; i < 3; ++i) later[i] = a[i];  // the rotations applied after this one
  return rotation_from_euler(later) * axis;
}

namespace rigid {

template <class Real>
FIRN_HD inline Vec<Real, 3> cast(const Vec<double, 3>& a) {
  return {{Real(a[0]), Real(a[1]), Real(a[2])}};
}
template <class Real>
FIRN_HD inline RigidPose<Real> cast(const RigidPose<double>& pose) {
  RigidPose<Real> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result.rotation(i, j) = Real(pose.rotation(i, j));
  result.translation = cast<Real>(pose.translation);
  result.pivot = cast<Real>(pose.pivot);
  result.velocity = cast<Real>(pose.velocity);
  result.angular_velocity = cast<Real>(pose.angular_velocity);
  result.bend = cast<Real>(pose.bend);
  return result;
}
// In 2D the third coordinate is zero and dropped again: rotations there are about z.
template <int D, class Real>
FIRN_HD inline Vec<Real, 3> to_3d(const Vec<Real, D>& x) {
  Vec<Real, 3> r = Vec<Real, 3>::zero();
  for (int i = 0; i < D; ++i) r[i] = x[i];
  return r;
}
template <int D, class Real>
FIRN_HD inline Vec<Real, D> from_3d(const Vec<Real, 3>& x) {
  Vec<Real, D> r;
  for (int i = 0; i < D; ++i) r[i] = x[i];
  return r;
}

}  // namespace rigid

// The pose at time t (s). Before the first key and from the last on the body rests at that key; at
// a key's time the velocities are those of the interval that follows. No keys: the identity, at
// rest.
template <class Real>
FIRN_HD inline RigidPose<Real> pose_at(const KeyframeView& keys, double t) {
  Vec<double, 3> translation = Vec<double, 3>::zero(), velocity = translation, spin = translation;
  Mat<double, 3> R = Mat<double, 3>::identity();
  if (keys.count > 0) {
    int k = 0;
    while (k + 1 < keys.count && t >= keys.times[k + 1]) ++k;
    const bool moving = k + 1 < keys.count && t >= keys.times[0];
    Vec<double, 3> angles;
    for (int i = 0; i < 3; ++i) {
      translation[i] = keys.translation[3 * k + i];
      angles[i] = keys.rotation[3 * k + i];
    }
    R = rotation_from_euler(angles);
    if (moving) {
      const double since = t - keys.times[k], rate = 1 / (keys.times[k + 1] - keys.times[k]);
      Vec<double, 3> next;
      for (int i = 0; i < 3; ++i) {
        velocity[i] = (keys.translation[3 * k + 3 + i] - translation[i]) * rate;
        next[i] = keys.rotation[3 * k + 3 + i];
      }
      spin = rotation_between(angles, next) * rate;
      translation += velocity * since;
      R = rotation_from_vector(spin * since) * R;
    }
  }
  return rigid::cast<Real>(
      RigidPose<double>{R, translation, keys.pivot, velocity, spin, Vec<double, 3>::zero()});
}

namespace rigid {

// To first order in the turn of a step of dt (s): along a tangent a point that goes round gets
// farther from the axis by half the square of the turn, the chord ends where it began.
FIRN_HD inline Vec<double, 3> bend(const Vec<double, 3>& angular_velocity, double dt) {
  return std::sqrt(0.5 * dt) * angular_velocity;
}

// Gives a pose the velocities whose step of dt ends, for all points of the body, where `turn` about
// the pivot has them: (exp(dt W) - 1) / dt = sin(a) / a W + (1 - cos(a)) dt / a^2 W^2, a = dt |W|.
FIRN_HD inline void along_chords(RigidPose<double>& pose, const Vec<double, 3>& turn, double dt) {
  const double angle = norm(turn);
  const Vec<double, 3> spin = turn * (1 / dt);
  pose.angular_velocity = (angle > 0 ? std::sin(angle) / angle : 1) * spin;
  pose.bend = (angle > 0 ? 2 * std::fabs(std::sin(0.5 * angle)) / angle : 1) * bend(spin, dt);
}

}  // namespace rigid

// The pose at time t with the velocities that take every point of the body straight to where it
// will be at t + dt, s: what is tied to the body keeps its place and its shape in steps of any
// length, also over a key.
template <class Real>
FIRN_HD inline RigidPose<Real> pose_over(const KeyframeView& keys, double t, double dt) {
  RigidPose<double> pose = pose_at<double>(keys, t);
  if (!(dt > 0)) return rigid::cast<Real>(pose);
  Vec<double, 3> turn = dt * pose.angular_velocity;
  int k = 0;
  while (k < keys.count && keys.times[k] <= t) ++k;
  if (k < keys.count && keys.times[k] < t + dt) {
    const RigidPose<double> end = pose_at<double>(keys, t + dt);
    pose.velocity = (end.translation - pose.translation) * (1 / dt);
    turn = vector_from_rotation(end.rotation * transpose(pose.rotation));
  }
  rigid::along_chords(pose, turn, dt);
  return rigid::cast<Real>(pose);
}

template <class Real, int D>
FIRN_HD inline Vec<Real, D> to_body(const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  const Vec<Real, 3> r = rigid::to_3d(x) - pose.pivot - pose.translation;
  return rigid::from_3d<D>(transpose(pose.rotation) * r + pose.pivot);
}
template <class Real, int D>
FIRN_HD inline Vec<Real, D> to_world(const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  return rigid::from_3d<D>(pose.rotation * (rigid::to_3d(x) - pose.pivot) + pose.pivot +
                           pose.translation);
}
// A direction, such as a normal, from body to world space.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> rotate_to_world(const RigidPose<Real>& pose, const Vec<Real, D>& n) {
  return rigid::from_3d<D>(pose.rotation * rigid::to_3d(n));
}
// The same, once the body has turned for half of the step of dt whose chords the pose has.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> half_turned(const RigidPose<Real>& pose, const Vec<Real, D>& n,
                                        Real dt) {
  const Vec<Real, 3> r = rigid::to_3d(n), bent = cross(pose.bend, cross(pose.bend, r));
  return rigid::from_3d<D>(r +
                           Real(0.5) * dt * (cross(pose.angular_velocity, r) + Real(0.5) * bent));
}
// By how much the velocities (m/s) of two points of the body differ that lie `apart`.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> spin_across(const RigidPose<Real>& pose, const Vec<Real, D>& apart) {
  return rigid::from_3d<D>(cross(pose.angular_velocity, rigid::to_3d(apart)));
}
// What the chord adds to the velocity of the point of the body that is at world position x, m/s.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> bend_at(const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  const Vec<Real, 3> r = rigid::to_3d(x) - pose.pivot - pose.translation;
  return rigid::from_3d<D>(cross(pose.bend, cross(pose.bend, r)));
}
// That velocity, m/s.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> velocity_at(const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  const Vec<Real, 3> r = rigid::to_3d(x) - pose.pivot - pose.translation;
  return rigid::from_3d<D>(pose.velocity + cross(pose.angular_velocity, r)) + bend_at(pose, x);
}

}  // namespace firn
