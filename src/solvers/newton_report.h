// How a solve of NewtonSolver ended, and what it begins with.
#pragma once

#include <algorithm>
#include <cmath>

#include "firn/scene.h"
#include "kernels/implicit/system.h"

namespace firn {

struct NewtonReport {
  bool converged = false;
  bool rounding_limited = false;  // the potential's last digits know no better
  bool at_rounding = false;       // the imbalance misses the tolerance, and is rounding
  bool ends_in_body = false;      // what no contact kept from it; see follow_particles
  int iterations = 0, linear_iterations = 0, cuts = 0, passes = 0, looks = 0;
  double imbalance = 0, tolerance = 0;         // sqrt(sum |impulse|^2 / m), kg^(1/2) m/s
  double energy_before = 0, energy_after = 0;  // the potential of the guess and at the end, J
};

// By their potentials, or where these differ by rounding alone (a share of them), which a stiff
// body has enough of for all others, by their imbalance.
inline bool is_better_guess(const NewtonSums& a, const NewtonSums& b, double rounding) {
  if (!std::isfinite(a.energy) || !std::isfinite(a.imbalance)) return false;
  if (!std::isfinite(b.energy) || !std::isfinite(b.imbalance)) return true;
  const double hidden = rounding * std::max(std::abs(a.energy), std::abs(b.energy));
  if (std::abs(a.energy - b.energy) > hidden) return a.energy < b.energy;
  return a.imbalance <= b.imbalance;
}

// Whether nodes may be held to velocities other than 0.
inline bool contains_sequence(const Shape& shape) {
  return shape.type == ShapeType::kMeshSequence ||
         std::any_of(shape.children.begin(), shape.children.end(), contains_sequence);
}
inline bool bodies_move(const Scene& scene) {
  return std::any_of(scene.colliders.begin(), scene.colliders.end(), [](const Collider& c) {
    return c.motion || c.dynamics || contains_sequence(c.shape);
  });
}

}  // namespace firn
