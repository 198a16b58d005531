// How much room a liquid takes up, which is less than what its particles stand for where they have
// come to lie too close together.
#pragma once

#include "firn/simulation.h"

namespace firn {

// The part of the particles' volume that is lost, in [0, 1]: what cells of two spacings hold beyond
// their own volume, as weighted by the linear kernel. Too little in a cell counts as surface. Takes
// positions and volumes; some tenths of a per cent are the unevenness of a pattern at rest.
double lost_volume(const Snapshot& particles);

}  // namespace firn
