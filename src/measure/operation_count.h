// Operations per particle of the transfers and of the constitutive step, counted by running the
// operators themselves on counted.h.
#pragma once

#include <cstdint>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

struct TransferOperations {
  std::int64_t p2g = 0, g2p = 0;
};

// One particle's contribution to the nodes, and what it reads from them. Branches are the same for
// all particles.
TransferOperations count_transfer(const Scene& scene);

// The mean over some hundred particles of `state`, advanced by no strain: plastic flow that has
// already happened is not counted again. 0 without particles.
double count_constitutive(const Scene& scene, const Snapshot& state);

}  // namespace firn
