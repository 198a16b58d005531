// The host's loop over steps that a device makes later: batches of them, with a look at the control
// block behind each. Where no step needs the host, the next batch is enqueued before the look at
// this one has arrived, so that the device is never out of work. What follows a stop does nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "kernels/step/control.h"

namespace firn {

// When to end. `left` estimates how many steps follow those that the block has counted: steps
// enqueued beyond the end are launches for nothing.
struct RunGoal {
  std::function<bool(const StepControl&)> done;
  std::function<double(const StepControl&)> left;
};

struct RunPace {
  int steps_per_look, most_looks;                // looks under way at once
  std::chrono::milliseconds between_pauses{50};  // see run_ahead
};

// Returns whether the goal is reached; false if `interrupted`, which may be empty, asked to stop.
// It is asked where the device is out of work between two steps, and no layout half found: what it
// reads or saves is a state. Where the device would never be out of work it is given a pause now
// and then. `c` is the control block with nothing enqueued behind it.
//   queue.enqueue(n)  enqueues n steps and a look
//   queue.pending()   looks under way
//   queue.look()      waits for the oldest
//   queue.forget()    drops all of them
//   queue.act(c)      grows what overflowed, which lets the device go on; throws where it diverged
template <class Queue>
bool run_ahead(Queue&& queue, StepControl c, const RunGoal& goal, const RunPace& pace,
               const std::function<bool()>& interrupted) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t enqueued = c.step;  // the steps counted once all that is enqueued has run
  Clock::time_point asked = Clock::now();
  queue.forget();
  while (!goal.done(c)) {
    const bool repeats = (c.stop & kStopOverflow) != 0;  // as part of a step is made already
    if (interrupted && queue.pending() == 0 && c.grid_saved == 0 && !repeats) {
      if (interrupted()) return false;
      asked = Clock::now();
    }
    const bool pause =
        interrupted && queue.pending() > 0 && Clock::now() - asked >= pace.between_pauses;
    while (!pause && queue.pending() < pace.most_looks) {
      const double wanted = goal.left(c) - static_cast<double>(enqueued - c.step);
      if (wanted < 1 && queue.pending() > 0) break;
      const int n = static_cast<int>(std::clamp<double>(wanted, 1, pace.steps_per_look));
      queue.enqueue(n);
      enqueued += static_cast<std::uint64_t>(n);
    }
    c = queue.look();
    queue.act(c);
    // The looks under way when something grew still tell of the overflow.
    if ((c.stop & kStopOverflow) != 0) queue.forget();
    if (queue.pending() == 0) enqueued = c.step;
  }
  return true;
}

}  // namespace firn
