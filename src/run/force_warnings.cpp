#include "src/run/force_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace firn {

std::vector<std::string> force_warnings(const Scene& scene) {
  std::vector<std::string> warnings, unmoved;
  for (const Collider& collider : scene.colliders)
    if (collider.dynamics) unmoved.push_back(fmt::format("\"{}\"", collider.name));
  for (const ForceField& force : scene.forces) {
    if (!(force.drag > 0) &&
        std::equal(force.acceleration.component.begin(),
                   force.acceleration.component.begin() + scene.simulation.dimension,
                   VectorField().component.begin()))
      warnings.push_back(fmt::format(
          "force \"{}\" does nothing: its 'acceleration' and its 'drag' are zero", force.name));
    else if (!unmoved.empty())
      warnings.push_back(
          fmt::format("force \"{}\" acts on material alone, not on colliders with a mass ({}): "
                      "gravity and what touches them moves these",
                      force.name, fmt::join(unmoved, ", ")));
  }
  return warnings;
}

}  // namespace firn
