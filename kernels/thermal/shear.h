// Deviatoric forces by one step of Newton's method [T 6.4.5.2]: the velocities v of the faces solve
//   (M + dt^2 H) v = M v*,   v* = v + dt f / m + dt g,
// with H the second derivative of the deviatoric energy (and Newtonian viscosity / dt) at the
// beginning of the step, applied by way of the particles and never assembled. M and H are those of
// folded faces (fluid/fold.h). H may be indefinite, where material is compressed, so the method is
// MINRES (Paige & Saunders 1975) with the diagonal as preconditioner.
#pragma once

#include "kernels/fluid/conjugate.h"
#include "kernels/fluid/fold.h"
#include "kernels/materials/params.h"
#include "kernels/thermal/cells.h"

namespace firn {

// The scalars of MINRES in device memory, by the names of Paige & Saunders.
struct ShearControl {
  std::uint32_t done = 0, failed = 0, iterations = 0, max_iterations = 0;
  std::uint32_t stopped = 0;         // the step had been stopped before: nothing was done
  double tolerance = 0;              // relative, in the norm of the preconditioner
  double initial = 0, residual = 0;  // sqrt(r . r / diagonal)
  double beta = 0, previous_beta = 0, alpha = 0;
  double cs = -1, sn = 0, dbar = 0, epsilon = 0, phibar = 0;
  double phi = 0, gamma = 1, delta = 0, previous_epsilon = 0;  // of the iteration that has ended
};

// Per particle: the left stretch of J^(-1/d) F, symmetric, then V0 mu (0 for liquids), V0 J mu^N.
template <int D>
constexpr int stretch_components() {
  return symmetric_components(D) + 2;
}

// Faces are [block][axis][64].
template <class Real>
struct ShearView {
  Real* stretch = nullptr;                    // [chunk][stretch_components][lane]
  Real *mass = nullptr, *diagonal = nullptr;  // kg; the diagonal is 0 on faces that are not solved
  Real *in = nullptr, *out = nullptr;         // m/s; kg m/s
  Real *r1 = nullptr, *r2 = nullptr, *w1 = nullptr, *w2 = nullptr;
  double* partials = nullptr;  // [block]
  FaceLayers layers;
  ShearControl* control = nullptr;
};

// From F and temperature of the particles.
template <class Exec, int D, class Real>
void measure_stretch(Exec& exec, const MaterialParams<Real>* materials,
                     const ParticleView<Real>& particles, const HeatView<Real>& heat,
                     const ShearView<Real>& shear, std::uint32_t max_chunks, StepControl* control);

// After fold_faces and before accelerations: keeps the masses of the faces, and takes the impulses
// of the stress away until begin_shear brings them in. A projection between the two sees an impact
// and gravity but no stiff force, which it would answer with a pressure that the solve then damps.
template <class Exec, int D, class Real>
void keep_impulses(Exec& exec, const MacView<Real>& mac, const ShearView<Real>& shear,
                   std::uint32_t max_blocks, const StepControl* control);

// out += E^T H E in. `in` is that of the faces that are solved, 0 on the others; E makes it known
// beyond them. Nothing once shear.control->done is set.
template <class Exec, int D, class Real>
void apply_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                 const GridView<Real>& grid, const MacView<Real>& mac, const ShearView<Real>& shear,
                 std::uint32_t max_blocks, const StepControl* control);

// Starts on the way from v* in `mac` to v: the first residual is -dt^2 H v*. Closed faces that no
// material leaves in this step take the solid's velocity and keep it. Comes after a projection,
// which tells them.
template <class Exec, int D, class Real>
void begin_shear(Exec& exec, int degree, const SolveOptions& options,
                 const ParticleView<Real>& particles, const GridView<Real>& grid,
                 const MacView<Real>& mac, const ShearView<Real>& shear, std::uint32_t max_blocks,
                 const StepControl* control);

// One iteration, which moves the velocities in `mac`; nothing once shear.control->done is set.
template <class Exec, int D, class Real>
void iterate_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                   const GridView<Real>& grid, const MacView<Real>& mac,
                   const ShearView<Real>& shear, std::uint32_t max_blocks,
                   const StepControl* control);

}  // namespace firn
