// Where the time of a run goes, by a clock on the wall.
#pragma once

#include <chrono>
#include <utility>

namespace firn::app {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Adds the time that it lives to a sum, also where an error ends it.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += seconds_since(start_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace firn::app
