#include "src/render/follow.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

// Of the box's diagonal. What lies a little beyond it is still in the picture, which has a margin.
constexpr double kBeyond = 0.03;
constexpr double kRoom = 0.12;      // beyond what had left it, so that it does not soon leave again
constexpr double kFarthest = 1.0;   // of the first box's diagonal; what flies further may leave
constexpr double kStiffness = 0.7;  // per frame: half of the way in two frames and a half

// A critically damped spring towards `to`, exactly: x'' = -2 k x' - k^2 (x - to).
void approach(double& x, double& rate, double to, double frames) {
  const double off = x - to, a = rate + kStiffness * off, e = std::exp(-kStiffness * frames);
  x = to + (off + a * frames) * e;
  rate = (rate - kStiffness * a * frames) * e;
}

}  // namespace

Follower::Follower(const Bounds& first) : first_(first), shown_(first), wanted_(first) {}

const Bounds& Follower::advance(double frames, const Bounds& material) {
  const double room = kRoom * wanted_.diagonal(), beyond = kBeyond * wanted_.diagonal();
  const double reach = kFarthest * first_.diagonal();
  for (int c = 0; c < 3; ++c) {
    if (!material.empty() && material.min[c] < wanted_.min[c] - beyond)
      wanted_.min[c] =
          std::min(wanted_.min[c], std::max(material.min[c] - room, first_.min[c] - reach));
    if (!material.empty() && material.max[c] > wanted_.max[c] + beyond)
      wanted_.max[c] =
          std::max(wanted_.max[c], std::min(material.max[c] + room, first_.max[c] + reach));
    approach(shown_.min[c], rate_.min[c], wanted_.min[c], frames);
    approach(shown_.max[c], rate_.max[c], wanted_.max[c], frames);
  }
  return shown_;
}

std::vector<double> Follower::state() const {
  std::vector<double> numbers;
  for (const Bounds* bounds : {&shown_, &wanted_, &rate_})
    for (const V3d* side : {&bounds->min, &bounds->max})
      for (int c = 0; c < 3; ++c) numbers.push_back((*side)[c]);
  return numbers;
}

void Follower::set_state(std::span<const double> numbers) {
  auto next = numbers.begin();
  for (Bounds* bounds : {&shown_, &wanted_, &rate_})
    for (V3d* side : {&bounds->min, &bounds->max})
      for (int c = 0; c < 3; ++c) (*side)[c] = *next++;
}

}  // namespace firn
