// Which nodes a source shares with what lies behind it (kernels/grid/openings.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/scene.h"

namespace firn {

struct SourceOpening {
  std::array<int, 3> first{}, count{1, 1, 1};  // a box of nodes
  std::vector<bool> open;                      // of its nodes, x fastest
  Vec3 flow{};                                 // unit
  double begin = 0, end = 0;                   // s
};

// Of the sources at rest that may lie before walls or colliders that hold what touches them, where
// velocities are those of nodes; on faces what comes in makes its own way (kernels/mac/inflow.h).
// Throws Error{kScene} for a source whose shape has no end.
std::vector<SourceOpening> source_openings(const Scene& scene);

}  // namespace firn
