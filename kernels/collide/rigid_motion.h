// Rigid motion from key frames on host and device: the pose at a time and its exact time
// derivative. Translation is linear between keys; rotation turns at constant angular velocity from
// one key to the next (slerp).
#pragma once

#include "kernels/math/mat.h"

namespace firn {

// x_world = rotation (x_body - pivot) + pivot + translation; velocities are those of world space.
template <class Real>
struct RigidPose {
  Mat<Real, 3> rotation;
  Vec<Real, 3> translation, pivot, velocity, angular_velocity;
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
  RigidPose<Real> pose;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) pose.rotation(i, j) = Real(R(i, j));
  pose.translation = rigid::cast<Real>(translation);
  pose.pivot = rigid::cast<Real>(keys.pivot);
  pose.velocity = rigid::cast<Real>(velocity);
  pose.angular_velocity = rigid::cast<Real>(spin);
  return pose;
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
// Velocity in m/s of the point of the body that is at world position x.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> velocity_at(const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  const Vec<Real, 3> r = rigid::to_3d(x) - pose.pivot - pose.translation;
  return rigid::from_3d<D>(pose.velocity + cross(pose.angular_velocity, r));
}

}  // namespace firn
