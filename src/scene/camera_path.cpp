// Where a camera is at a time. Its key frames are joined by cubic Hermite curves through three
// points each, so that its velocity has no jumps.
#include <algorithm>
#include <cmath>

#include "firn/output.h"
#include "kernels/collide/rigid_motion.h"

namespace firn {
namespace {

using V3 = Vec<double, 3>;

V3 vector_of(const Vec3& x) { return {{x[0], x[1], x[2]}}; }
Vec3 numbers_of(const V3& x) { return {x[0], x[1], x[2]}; }

// The velocity at a key between two others that are reached at these mean velocities, in these
// times: that of the parabola through all three, but at most three times the slower one. So what
// rests between two keys stays where it is, and numbers with one sign of velocity have no other one
// in between [Fritsch and Carlson 1980]. `turns_back`: those with two signs have none at the key.
V3 velocity_at_key(const V3& before, const V3& after, double since, double until, bool turns_back) {
  if (turns_back && dot(before, after) <= 0) return V3::zero();
  const V3 v = (until / (since + until)) * before + (since / (since + until)) * after;
  const double speed = norm(v), most = 3 * std::min(norm(before), norm(after));
  if (!std::isfinite(speed)) return V3::zero();
  return speed > most ? (most / speed) * v : v;
}

// At rest before the first key and from the last one on.
template <class Values>
V3 on_curve(const std::vector<double>& times, const Values& value, double time, bool turns_back) {
  const std::size_t last = times.size() - 1;
  if (!(time > times[0])) return value(0);
  if (time >= times[last]) return value(last);
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  const auto k = static_cast<std::size_t>(after - times.begin()) - 1;
  const auto took = [&](std::size_t i) { return times[i + 1] - times[i]; };
  const auto mean = [&](std::size_t i) { return (1 / took(i)) * (value(i + 1) - value(i)); };
  const auto velocity = [&](std::size_t i) {
    if (i == 0 || i == last) return V3::zero();
    return velocity_at_key(mean(i - 1), mean(i), took(i - 1), took(i), turns_back);
  };
  const double h = took(k), s = (time - times[k]) / h;
  return value(k) + (s * s * (3 - 2 * s)) * (value(k + 1) - value(k)) +
         (h * s * (1 - s)) * ((1 - s) * velocity(k) - s * velocity(k + 1));
}

}  // namespace

Camera Camera::at(double time) const {
  Camera there;
  there.eye = eye, there.target = target, there.up = up, there.fov = fov;
  if (motion) {
    const CameraKeys& keys = *motion;
    const auto move = [&](const std::vector<Vec3>& list, Vec3& x) {
      const auto value = [&](std::size_t i) { return vector_of(list[i]); };
      if (!list.empty()) x = numbers_of(on_curve(keys.times, value, time, false));
    };
    move(keys.eye, there.eye);
    move(keys.target, there.target);
    const auto angle = [&](std::size_t i) -> V3 { return {{keys.fov[i], 0, 0}}; };
    if (!keys.fov.empty()) there.fov = on_curve(keys.times, angle, time, true)[0];
  }
  if (orbit == 0) return there;
  const V3 axis = vector_of(up), about = vector_of(there.target);
  const auto turn = rotation_from_vector((orbit * time / norm(axis)) * axis);
  there.eye = numbers_of(about + turn * (vector_of(there.eye) - about));
  return there;
}

}  // namespace firn
