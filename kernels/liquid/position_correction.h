// How full of liquid the cells are, and the correction of particles that evens it out: the implicit
// density projection of [Kugelstadt et al. 2019] on the matrix of the pressure.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// filled = sum w V_p / dx^D with the linear kernel about cell centres, relative to what fits beside
// walls and bodies. Takes the open areas of faces.
template <class Exec, int D, class Real>
void fill_cells(Exec& exec, const GridUpdateParams<Real, D>& params,
                const ParticleView<Real>& particles, const GridView<Real>& grid,
                const MacView<Real>& mac, std::uint32_t max_blocks, const StepControl* control);

// Of each block, in columns of `table`: what cells hold beyond what fits, by groups of 4^d, which
// even out how particles happen to lie; and what they hold in all. In cells.
enum ExcessColumn { kBeyond, kHeld, kExcessColumns };
template <class Exec, int D, class Real>
void measure_excess(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks, double* table,
                    const StepControl* control);

// The right-hand side of the correction: what a cell holds too much, as a rate, 1/s. Cells at the
// surface may hold less than full; inner cells are also filled up. Coefficients stay those of the
// pressure, and the right-hand side of cells that are no fluid 0, as assemble_projection leaves it.
template <class Exec, int D, class Real>
void assemble_correction(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                         const StepControl* control);

}  // namespace firn
