// The transfers on MAC grids: every velocity component lives on the faces of its axis and is a
// scalar problem with a stencil of its own [APIC 6; PolyPIC 7]. Cell c spans
// [c dx, (c + 1) dx]; its face a is the lower one along axis a, at c_a dx along a and
// (c_b + 1/2) dx along the others. `faces` holds one node (4 reals) per face:
//   faces[((block * d + axis) * 64 + cell) * 4 ...].
// After mac_p2g a face holds (momentum along its axis, mass, sum w V_p, impulse); mac_g2p expects
// (velocity, its change in this step, correction, velocity for strains), so that the change lies
// beside the velocity for FLIP. Particles must be at home for the shift of staggered stencils:
// home_shift(params) with params.staggered. The impulse of the particles' stress (classical form:
// -dt V0 tau grad w) is 0 unless params.shears.
#pragma once

#include "kernels/transfer/transfer.h"

namespace firn {

inline constexpr int kFaceMomentum = 0, kFaceMass = 1, kFaceVolume = 2,
                     kFaceImpulse = 3;  // after mac_p2g
// Before mac_g2p; the correction (m/s) moves particles and leaves their velocity as it is.
inline constexpr int kFaceVelocity = 0, kFaceIncrement = 1, kFaceCorrection = 2;
inline constexpr int kFaceStrained = 3;  // the velocity that params.shears takes gradients of

// Adds momentum, mass (kg), rest volume (m^d) and impulse to the faces. Faces of all active blocks
// must be zero.
template <class Exec, int D, class Real>
void mac_p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
             const GridView<Real>& grid, Real* faces, const StepControl* control,
             std::uint32_t block_bound);

// Reads velocities and coefficients from the faces and moves the particles with the interpolated
// velocity, then out of bodies. Faults and the largest speed go to `control`. Leaves the velocity
// gradient channel as it is unless params.shears, where it is that of kFaceStrained.
template <class Exec, int D, class Real>
void mac_g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
             const GridUpdateParams<Real, D>& bodies, const ParticleView<Real>& particles,
             const GridView<Real>& grid, Real* faces, StepControl* control,
             std::uint32_t block_bound);

}  // namespace firn
