// What material exerts on colliders, and materials on each other, as mean values over the time
// between two looks at a simulation: of all colliders, and behind these of all materials where any
// touch.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "firn/simulation.h"

namespace firn {

inline std::vector<ColliderImpulse> impulses_of(const Simulation& simulation) {
  std::vector<ColliderImpulse> all = simulation.collider_impulses();
  const std::vector<ColliderImpulse> contacts = simulation.contact_impulses();
  all.insert(all.end(), contacts.begin(), contacts.end());
  return all;
}
inline std::vector<ColliderReaction> reactions_of(const FrameStats& stats) {
  std::vector<ColliderReaction> all = stats.reactions;
  all.insert(all.end(), stats.contacts.begin(), stats.contacts.end());
  return all;
}

inline ColliderReaction mean_over(const ColliderImpulse& now, const ColliderImpulse& before,
                                  double seconds) {
  ColliderReaction mean;
  for (std::size_t i = 0; i < 3; ++i) {
    mean.force[i] = (now.impulse[i] - before.impulse[i]) / seconds;
    mean.torque[i] = (now.angular_impulse[i] - before.angular_impulse[i]) / seconds;
  }
  return mean;
}

// The simulation itself has them since the end of its last span alone: of a frame, or of a call of
// advance_steps.
class ReactionMeans {
 public:
  // Times that differ by less than `slack` are the same.
  explicit ReactionMeans(double slack) : slack_(slack) {}

  // Since that end; where none has been made, and so nothing is known, NaN.
  std::vector<ColliderReaction> since_end(const Simulation& simulation) const {
    return since_end(moment_of(simulation));
  }

  // Since this was last called, if no more than one span has ended since; else as since_end.
  std::vector<ColliderReaction> since_last(const Simulation& simulation) {
    const Moment now = moment_of(simulation);
    const std::optional<Moment> before = std::exchange(last_, now);
    const bool stands = before && before->steps == now.steps && before->time == now.time;
    if (!stands) means_ = before ? between(*before, now) : since_end(now);
    return means_;
  }

 private:
  struct Moment {
    double time = 0, end = 0;             // s, now and of the last span's end
    std::int64_t steps = 0, started = 0;  // made at that end, and where that span began
    std::vector<ColliderReaction> means;  // of that span
    std::vector<ColliderImpulse> sums;    // since its end
  };
  Moment moment_of(const Simulation& simulation) const {
    const FrameStats stats = simulation.stats();
    Moment now{simulation.time(),   stats.time,
               stats.total_steps,   stats.total_steps - stats.steps,
               reactions_of(stats), impulses_of(simulation)};
    // Until a step is made they are still those of the span.
    if (!(now.time > now.end + slack_)) now.sums.assign(now.sums.size(), ColliderImpulse{});
    return now;
  }

  std::vector<ColliderReaction> since_end(const Moment& now) const {
    std::vector<ColliderReaction> means = now.means;
    for (std::size_t c = 0; c < means.size(); ++c) {
      constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
      if (now.time > now.end + slack_)
        means[c] = mean_over(now.sums[c], {}, now.time - now.end);
      else if (now.steps == 0)
        means[c].force = means[c].torque = {kNothing, kNothing, kNothing};
    }
    return means;
  }
  std::vector<ColliderReaction> between(const Moment& before, const Moment& now) const {
    const double seconds = now.time - before.time;
    const bool same = now.steps == before.steps && std::fabs(now.end - before.end) <= slack_;
    if (!(seconds > slack_) || !(same || now.started == before.steps)) return since_end(now);
    std::vector<ColliderReaction> means;
    for (std::size_t c = 0; c < now.sums.size(); ++c) {
      ColliderImpulse sum = now.sums[c];
      if (!same)  // what that span had in all
        for (std::size_t i = 0; i < 3; ++i) {
          sum.impulse[i] += now.means[c].force[i] * (now.end - before.end);
          sum.angular_impulse[i] += now.means[c].torque[i] * (now.end - before.end);
        }
      means.push_back(mean_over(sum, before.sums[c], seconds));
    }
    return means;
  }

  double slack_;
  std::optional<Moment> last_;
  std::vector<ColliderReaction> means_;
};

}  // namespace firn
