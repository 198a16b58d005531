// The sources of a scene as it runs: emissions at their times, to a thousandth of what lies between
// two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "src/scene/same_time.h"
#include "src/state/source_flow.h"

namespace firn {

class Sources {
 public:
  explicit Sources(const Scene& scene) : scene_(scene) {
    for (std::size_t s = 0; s < scene.sources.size(); ++s) {
      states_.push_back({SourceFlow(scene, s), 0, std::nullopt});
      states_.back().flow.batch(0);  // refuses what cannot be
    }
  }

  std::size_t size() const { return states_.size(); }

  // The next emission (s) on the way to `target`, which may be infinite, or that.
  double next_stop(double target) const {
    double t = target;
    for (std::size_t s = 0; s < size(); ++s)
      t = std::min(t, first_of(target, next_time(s), same(s)));
    return t;
  }
  // f(source, batch) for every emission that is due; `present` as SourceFlow asks for it. Where a
  // stop has been reached, those are due that it was to stand for; where steps were broken off on
  // their way to one, it still comes.
  template <class F>
  void emit_until(double now, bool reached, const FindParticles& present, F f) {
    for (std::size_t s = 0; s < size(); ++s)
      for (; next_time(s) <= now + (reached ? same(s) : same_time(scene_)); ++states_[s].emissions)
        f(s, batch(states_[s], present));
  }
  // What the sources bring until they next emit.
  std::vector<SourceInflow> inflows() {
    std::vector<SourceInflow> flows;
    for (std::size_t s = 0; s < size(); ++s) {
      State& state = states_[s];
      if (state.emissions == 0 || next_time(s) == kNever) continue;
      if (!state.coming) state.coming = state.flow.batch(state.emissions);
      flows.push_back(state.flow.inflow(*state.coming, state.emissions));
    }
    return flows;
  }

  std::uint64_t emissions(std::size_t source) const { return states_[source].emissions; }
  void set_emissions(const std::vector<std::uint64_t>& emissions) {
    for (std::size_t s = 0; s < size(); ++s) {
      states_[s].emissions = emissions[s];
      states_[s].coming.reset();
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct State {
    SourceFlow flow;
    std::uint64_t emissions = 0;          // so far
    std::optional<ParticleBatch> coming;  // that of the next one, once somebody has asked
  };

  static ParticleBatch batch(State& state, const FindParticles& present) {
    if (!state.coming) return state.flow.batch(state.emissions, present);
    ParticleBatch batch = std::move(*state.coming);
    state.coming.reset();
    return batch;
  }

  // s. The pattern moves by as many cells in it as nobody sees.
  double same(std::size_t s) const {
    return std::max(same_time(scene_), 1e-3 * states_[s].flow.period());
  }
  double next_time(std::size_t s) const {
    const State& state = states_[s];
    if (state.emissions > 0 && state.flow.period() == 0) return kNever;
    const double t = state.flow.time(state.emissions);
    return t < scene_.sources[s].end ? t : kNever;
  }

  const Scene& scene_;
  std::deque<State> states_;
};

}  // namespace firn
