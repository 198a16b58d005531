// Liquid that leaves a wall: a wall with boundary "separate" pushes but does not pull, so that
// u_n >= 0, p >= 0 and p u_n = 0 on it [Batty et al. 2007]. Which of its faces are
// open is found by solving, opening those under tension, and closing those that liquid would enter.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Opens and closes faces after a solve; `changed` (device) becomes 1 if any did.
template <class Exec, int D, class Real>
void switch_walls(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                  std::uint32_t* changed, std::uint32_t max_blocks, const StepControl* control);

// Makes the opened faces walls again, their velocity apart.
template <class Exec, int D, class Real>
void close_walls(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                 const StepControl* control);

}  // namespace firn
