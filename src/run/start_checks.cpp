#include "src/run/start_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/state/body_warnings.h"

namespace firn {

const Scene& validated(const Scene& scene) {
  validate(scene);
  return scene;
}

void require_particles(const Scene& scene, std::size_t particles) {
  if (particles > 0 || !scene.sources.empty()) return;
  throw Error(ErrorCategory::kScene,
              fmt::format("the scene has no particles: {}", fmt::join(body_warnings(scene), "; ")));
}

void require_finite(const FrameStats& stats) {
  const Totals& t = stats.totals;
  // Momenta and kinetic energy are NaN while velocities lie on the grid.
  const std::pair<const char*, double> sums[] = {{"mass", t.mass},
                                                 {"elastic energy", t.elastic},
                                                 {"potential energy", t.potential},
                                                 {"heat", t.heat}};
  for (const auto& [name, sum] : sums)
    if (!std::isfinite(sum))
      throw Error(ErrorCategory::kDiverged,
                  fmt::format("the {} of all particles is {} after step {} at t = {:.6g} s: the "
                              "scene's numbers are beyond what can be summed; check the units of "
                              "densities, lengths and stiffness",
                              name, sum, stats.total_steps, stats.time),
                  {stats.total_steps, stats.time, {}, {}, {}});
}

}  // namespace firn
