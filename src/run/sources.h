// The sources of a scene as it runs: pulses at exact times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "src/state/batch.h"

namespace firn {

class Sources {
 public:
  explicit Sources(const Scene& scene) : scene_(scene) {
    for (std::size_t s = 0; s < scene.sources.size(); ++s)
      states_.push_back({fill_source(scene, s)});
  }

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }

  // s; infinite if nothing comes any more.
  double next_emission() const {
    double t = kNever;
    for (std::size_t s = 0; s < size(); ++s) t = std::min(t, next_time(s));
    return t;
  }
  // f(source, batch) for every pulse that is due.
  template <class F>
  void emit_until(double now, F f) {
    for (std::size_t s = 0; s < size(); ++s)
      for (; next_time(s) <= now; ++states_[s].pulses) f(s, states_[s].pulse.batch);
  }

  std::uint64_t pulses(std::size_t source) const { return states_[source].pulses; }
  void set_pulses(const std::vector<std::uint64_t>& pulses) {
    for (std::size_t s = 0; s < size(); ++s) states_[s].pulses = pulses[s];
  }
  // How many ranges of ids each source must have that has emitted so many pulses: one for each
  // that is not empty.
  std::vector<std::optional<std::uint64_t>> ranges(const std::vector<std::uint64_t>& pulses) const {
    std::vector<std::optional<std::uint64_t>> ranges(pulses.begin(), pulses.end());
    for (std::size_t s = 0; s < ranges.size(); ++s)
      if (states_[s].pulse.batch.position.empty()) ranges[s].reset();
    return ranges;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct State {
    SourcePulse pulse;
    std::uint64_t pulses = 0;  // emitted so far
  };

  double next_time(std::size_t s) const {
    const State& state = states_[s];
    const Source& source = scene_.sources[s];
    if (state.pulses > 0 && state.pulse.period == 0) return kNever;
    const double t = source.start + static_cast<double>(state.pulses) * state.pulse.period;
    return t < source.end ? t : kNever;
  }

  const Scene& scene_;
  std::vector<State> states_;
};

}  // namespace firn
