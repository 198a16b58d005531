// What is said of a frame, as far as it comes from the scene and from what the device counted.
#pragma once

#include <cmath>
#include <vector>

#include "firn/simulation.h"
#include "kernels/step/control.h"

namespace firn {

inline DtLimit most_frequent(const StepControl& c) {
  // The end of a frame cuts one or two steps of every frame; it is named only where nothing else
  // ever limited.
  int best = 0;
  for (int i = 1; i < static_cast<int>(StepLimit::kFrameEnd); ++i)
    if (c.limited[i] > c.limited[best]) best = i;
  return c.limited[best] > 0 ? static_cast<DtLimit>(best) : DtLimit::kFrameEnd;
}

inline Vec3 periods(const Scene& scene) {
  Vec3 lengths{};
  if (!scene.grid.domain) return lengths;
  const Domain& domain = *scene.grid.domain;
  for (int a = 0; a < scene.simulation.dimension; ++a)
    if (domain.boundary[2 * a] == BoundaryType::kPeriodic)
      lengths[a] = domain.max[a] - domain.min[a];
  return lengths;
}

// What the device tells of a frame's steps.
inline FrameStats frame_stats(const Scene& scene, const StepControl& c) {
  FrameStats s;
  s.time = c.time;
  s.steps = static_cast<std::int64_t>(c.frame_steps);
  s.total_steps = static_cast<std::int64_t>(c.step);
  s.dt_min = c.dt_smallest;
  s.dt_max = c.dt_largest;
  s.dt_last = c.dt;
  s.limited_by = s.steps > 0 ? most_frequent(c) : DtLimit::kNone;
  if (s.limited_by == DtLimit::kWaveSpeed || s.limited_by == DtLimit::kViscosity)
    s.limiting_material = scene.materials[c.limit_material].name;
  s.particles = c.n_particles;
  s.blocks = c.n_blocks;
  s.chunks = c.n_chunks;
  s.removed = c.removed;
  s.layouts = static_cast<std::int64_t>(c.layouts);
  s.late = static_cast<std::int64_t>(c.late_total + c.late);
  s.max_speed = std::sqrt(c.speed_squared);
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    if ((c.squeezed[m / 32] >> m % 32 & 1) != 0) s.squeezed.push_back(static_cast<int>(m));
  return s;
}

// The same of one step.
inline StepInfo step_info(const StepControl& c, int frame) {
  return {static_cast<std::int64_t>(c.step),
          frame,
          c.time,
          c.dt,
          static_cast<DtLimit>(c.limit),
          c.n_particles,
          std::sqrt(c.speed_squared)};
}

// Impulses and work, of a frame that took `seconds`, as means over it.
inline void average(FrameStats& stats, double seconds) {
  if (!(seconds > 0)) return;
  for (std::vector<ColliderReaction>* reactions : {&stats.reactions, &stats.contacts})
    for (ColliderReaction& r : *reactions) {
      r.power /= seconds;
      for (std::size_t a = 0; a < 3; ++a) r.force[a] /= seconds, r.torque[a] /= seconds;
    }
}

}  // namespace firn
