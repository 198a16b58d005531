// The key frames of a motion in the form that the physics reads (kernels/collide/rigid_motion.h).
#pragma once

#include <optional>
#include <vector>

#include "firn/scene.h"
#include "kernels/collide/rigid_motion.h"

namespace firn {

// Times, then translations, then rotations.
inline std::vector<double> packed_keys(const std::optional<Keyframes>& motion) {
  if (!motion) return {};
  const std::size_t n = motion->times.size();
  std::vector<double> values(motion->times);
  for (const auto* vectors : {&motion->translation, &motion->rotation})
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 3; ++a)
        values.push_back(i < vectors->size() ? (*vectors)[i][a] : 0.0);
  return values;
}

// Of keys that lie at `keys`, packed.
inline KeyframeView view_of(const std::optional<Keyframes>& motion, const double* keys) {
  if (!motion) return {};
  const std::size_t n = motion->times.size();
  return {keys,
          keys + n,
          keys + 4 * n,
          static_cast<int>(n),
          {{motion->pivot[0], motion->pivot[1], motion->pivot[2]}}};
}

}  // namespace firn
