// Times of frames, key frames, emissions and readings are each computed in a way of their own. A
// step between two that differ by rounding would be a sliver, whose pressure, say, is a residual
// over nothing.
#pragma once

#include "firn/scene.h"

namespace firn {

// s, by which two times may differ and be the same.
inline double same_time(const Scene& scene) { return 1e-6 / scene.simulation.fps; }
// Of that, which no step is worth, whoever asks for it.
inline constexpr double kSliver = 1e-4;

// The next stop on the way to `target`: `other` if that comes before it.
inline double first_of(double target, double other, double same) {
  return other < target - same ? other : target;
}

}  // namespace firn
