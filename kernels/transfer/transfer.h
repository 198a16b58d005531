// The transfers as operators: particles to grid and back, and both fused, for every transfer type,
// kernel and dimension. What sizes registers (dimension, precision, degree, mode set) is a template
// parameter; everything else is run-time data.
#pragma once

#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/math/mat.h"
#include "kernels/step/control.h"
#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"

namespace firn {

template <class Real, int D>
struct GridUpdateParams;
template <class Real>
struct MaterialParams;
struct EnergyView;

// A member of the family of transfers as numbers.
struct TransferParams {
  int degree = 2;
  ModeSet set = ModeSet::kAffine;
  std::uint32_t mask = ~0u;           // modes of the set that are kept
  double flip = 0;                    // share of the FLIP increment
  double symmetric = 1, skew = 1;     // scales of the parts of C
  bool moment_weighted_skew = false;  // RPIC with the linear kernel: K_p is not a multiple of I
  bool affine_map = false;            // xi = affine
  bool gradient_force = false;        // classical form instead of MLS-MPM
  bool internal_force = true;         // P2G brings the impulse of the particles' stress
  bool separate_force = false;  // force impulse in GridView::increments instead of in the momentum
  // Collocated: of so many steps, a power of two, one holds J of what flows against the nodes' mass
  // (materials/volume_drift.h); 0: none does.
  std::uint32_t volume_interval = 0;
  bool corrects_positions = false;  // staggered: positions also move with kFaceCorrection
  bool shears = false;              // staggered: stress goes to kFaceImpulse, grad v comes back
  bool staggered = false;           // velocities live on the faces of cells (mac.h), not on nodes
};

// Whether it is a step's turn to hold J against the nodes' mass, and for how long it does then, s.
FIRN_HD inline bool holds_volumes(const TransferParams& params, const StepControl& control) {
  const std::uint32_t interval = params.volume_interval;
  return interval > 0 && (control.step & (interval - 1)) == 0;
}
template <class Real>
FIRN_HD inline Real volume_span(const TransferParams& params, Real dt) {
  return static_cast<Real>(params.volume_interval) * dt;
}

// Homes are the blocks of floor(x / dx - shift), such that the lowest node of every stencil of the
// particle is that node or, on the axis along which a staggered stencil lies on faces, the next.
template <class Real>
FIRN_HD constexpr Real home_shift(const TransferParams& params) {
  return params.staggered ? staggered_shift<Real>(params.degree)
                          : stencil_shift<Real>(params.degree);
}

// What holds particles in place whatever the grid did: the domain box.
template <class Real, int D>
struct ParticleBounds {
  bool active = false;
  Vec<Real, D> min, max;
};

// Where a fused step has left particles behind: bit `slot % 32` of marks[first_chunk + slot / 32],
// slots of the layout before; order[i] is the old slot of the i-th particle of the present one,
// which lies in the same bank.
struct LateParticles {
  const std::uint32_t* order = nullptr;
  const std::uint32_t* marks = nullptr;
};

// Adds mass, momentum and the impulse of the internal forces to GridView::momentum and ::impulse,
// whose nodes must be zero in all active blocks; after a fused step those of the late particles
// alone, to what it has left there.
template <class Exec, int D, class Real>
void p2g(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
         const LateParticles& late, const GridView<Real>& grid, const StepControl* control,
         std::uint32_t block_bound);

// Reads velocities, coefficients and the velocity gradient from the nodes and moves the particles
// with the interpolated velocity, then out of bodies. Faults and the largest speed go to `control`.
template <class Exec, int D, class Real>
void g2p(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
         const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
         const ParticleView<Real>& particles, const GridView<Real>& grid, StepControl* control,
         std::uint32_t block_bound);

// The fused step: one pass over the particles reads the velocities of this step from the grid,
// moves the particles, advances their deformation and stress, and scatters the momentum of the next
// step. Velocities, coefficients, gradients and stresses stay in registers between two steps, and
// particles keep their place in memory as long as the tile of their home block holds their stencil.
//
// Needs a grid with GridView::around and wide_parities(degree, d) parities per axis (tile.h). With
// StepControl::fuse it adds to GridView::momentum and ::impulse what P2G would at the start of the
// next step; without, it stores velocities, coefficients and stresses as G2P and the constitutive
// step do. Particles that went further than the tile reaches are marked (ParticleView::late) and
// stored in either case. Faults and maxima go to `control`.
template <class Exec, int D, class Real>
void g2p2g(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
           const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
           const EnergyView& energies, const ParticleView<Real>& particles,
           const GridView<Real>& grid, StepControl* control, std::uint32_t block_bound);

}  // namespace firn
