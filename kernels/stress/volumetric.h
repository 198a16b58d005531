// What the thermal step adds to the incompressible one for material that resists shear and may be
// compressed [T 6.3, 6.4]: the volume ratio and compressibility of cells in the projection, and the
// deviatoric stress of particles, whose deformation also follows their phase.
#pragma once

#include "kernels/heat/conduction.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/materials/params.h"

namespace firn {

// Of a cell: sum w V, sum w V ln J, sum w V / lambda, sum w V of solids. pressure_change leaves 1
// where a cell has something to say and the change of its pressure, Pa.
inline constexpr int kVolumeSum = 0, kVolumeLogRatio = 1, kVolumeCompressibility = 2,
                     kVolumeElastic = 3;
inline constexpr int kVolumeCounts = 0, kVolumePressureChange = 1;

inline constexpr int kVolumeKernel = 2;

// Adds the particles' ln J and 1/lambda to `volume_sums`, which must be zero.
template <class Exec, int D, class Real>
void volume_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const HeatView<Real>& heat, std::uint32_t max_blocks, const StepControl* control);

// The solids' share of the cells, to `elastic_fraction`; with `filled`, what fill_cells has found
// becomes the volume that the material has under its pressure.
template <class Exec, int D, class Real>
void settle_volume(Exec& exec, bool filled, const MacView<Real>& mac, const HeatView<Real>& heat,
                   std::uint32_t max_blocks, const StepControl* control);

// After assemble_projection: with p = -lambda ln J and d ln J / dt = div v, for q = p dt,
//   1/(lambda dt^2) q - div(1/rho grad q) = -ln J / dt - div v
// of which `compressibility` takes the first coefficient and the right-hand side the first term on
// the right. The source has p = -lambda (J - 1), which is the same for small changes; but no
// pressure makes this J negative, what it leaves is the step's divergence to the last bit, and
// small changes keep their digits however large lambda is. J_P = 1: plastic flow keeps the volume.
// Without 1/lambda the first term is gone, and with it what tells this from an incompressible
// liquid.
template <class Exec, int D, class Real>
void compress_cells(Exec& exec, const MacView<Real>& mac, const HeatView<Real>& heat,
                    std::uint32_t max_blocks, const StepControl* control);

// The change of pressure, as that of ln J = -p / lambda, to the particles: each takes its own
// share, by its lambda, of what a cell of several materials gives way. Cells of air have no
// pressure to tell and are left out of the mean, or particles at a surface would give way less than
// the material that they stand for. To integrate div v at each particle instead would let J drift
// from what the projection sees; and not the pressure but its change, since smoothed J is no longer
// what the pressure holds, and a column under its weight would creep together for ever.
template <class Exec, int D, class Real>
void volume_g2p(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const MacView<Real>& mac, const HeatView<Real>& heat, std::uint32_t max_blocks,
                const StepControl* control);

// F follows the velocity gradient and has the determinant that volume_g2p has found; solids return
// to their yield surface, liquids lose all of F but its volume. Leaves V0 tau of the deviatoric
// stress for the next step. With explicit forces Newtonian viscosity is in it, and elastic waves
// limit the step; `implicit` ones (deviatoric.h) have neither. Materials are corotated_deviatoric
// with lambda = 0.
template <class Exec, int D, class Real>
void deform_particles(Exec& exec, const MaterialParams<Real>* materials,
                      const ParticleView<Real>& particles, const HeatView<Real>& heat,
                      bool implicit, std::uint32_t max_chunks, StepControl* control);

}  // namespace firn
