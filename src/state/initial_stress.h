// How the particles of a body are strained that begins under stress.
#pragma once

#include <array>
#include <vector>

#include "firn/scene.h"

namespace firn {

// xx, yy, zz, xy, yz, zx.
using SymmetricTensor = std::array<double, 6>;
inline double entry_of(const SymmetricTensor& a, int row, int column) {
  const int place = row == column ? row : row + column == 3 ? 4 : row + column == 2 ? 5 : 3;
  return a[static_cast<std::size_t>(place)];
}

struct InitialStress {                  // at each of some places; empty where a body says nothing
  std::vector<SymmetricTensor> stress;  // Cauchy's, Pa
  std::vector<SymmetricTensor> stretches;  // V = F, with which the material has that stress
  std::vector<double> volume_ratios;       // det F
};

// Throws Error{kScene} that names the body and the place where its material bears no such stress.
InitialStress initial_stress(const Scene& scene, const Body& body, const std::vector<Vec3>& places);

}  // namespace firn
