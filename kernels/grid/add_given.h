// What materials have given each other in a step, by velocity field.
#pragma once

#include "kernels/grid/meet_materials.h"

namespace firn {

// Adds contacts.given to sums[field * kReactionColumns + column], blocks in their order.
template <class Exec, class Real>
void add_given(Exec& exec, const ContactPairs<Real>& contacts, const GridView<Real>& grid,
               double* sums, std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
