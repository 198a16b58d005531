// What the thermal step adds to the incompressible one for material that resists shear and may be
// compressed [T 6.3, 6.4]: the volume ratio and compressibility of cells in the projection, and the
// deviatoric stress of particles, whose deformation also follows their phase.
#pragma once

#include "kernels/fluid/mac_grid.h"
#include "kernels/materials/params.h"
#include "kernels/thermal/cells.h"

namespace firn {

// Of a cell: sum w m, sum w m J, sum w m / lambda, and the change of J that the pressure brings.
inline constexpr int kMatterVolume = 1, kMatterCompressibility = 2, kMatterChange = 3;

inline constexpr int kMatterKernel = 2;

// Adds the particles' J and 1/lambda to `matter`, which must be zero.
template <class Exec, int D, class Real>
void matter_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const HeatView<Real>& heat, std::uint32_t max_blocks, const StepControl* control);

// After assemble_projection: with q = p dt,
//   1/(lambda J dt^2) q - div(1/rho grad q) = -(J - 1)/(J dt) - div v
// of which `mass` takes the first coefficient and the right-hand side the first term on the right.
// J_P = 1: plastic flow keeps the volume. Without lambda the first term is gone, and with it what
// tells this from an incompressible liquid.
template <class Exec, int D, class Real>
void compress_cells(Exec& exec, const MacView<Real>& mac, const HeatView<Real>& heat,
                    std::uint32_t max_blocks, const StepControl* control);

// The change of the volume ratio that goes with the pressure, to J = 1 - p / lambda, to the
// particles. To integrate div v at each of them instead would let J drift from what the projection
// sees. The value itself must not be mixed in: smoothed J is no longer what the pressure holds, and
// a column under its weight would creep together for ever.
template <class Exec, int D, class Real>
void volume_g2p(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const MacView<Real>& mac, const HeatView<Real>& heat, std::uint32_t max_blocks,
                const StepControl* control);

// F follows the velocity gradient and has the determinant that volume_g2p has found; solids return
// to their yield surface, liquids lose all of F but its volume. Leaves V0 tau of the deviatoric
// stress for the next step, Newtonian viscosity included. Materials are corotated_deviatoric with
// lambda = 0.
template <class Exec, int D, class Real>
void deform_particles(Exec& exec, const MaterialParams<Real>* materials,
                      const ParticleView<Real>& particles, const HeatView<Real>& heat,
                      std::uint32_t max_chunks, StepControl* control);

}  // namespace firn
