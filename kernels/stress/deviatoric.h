// Deviatoric forces by one step of Newton's method [T 6.4.5.2], together with the pressure: the
// velocities u + delta of the faces, of which the projection has made u, solve
//   [ M + dt^2 H   B' ] [ delta ]   [ -dt^2 H u ]
//   [ B            -C ] [   y   ] = [     0     ]
// with M and B those of the projection, mass of faces and flux out of cells, H the second
// derivative of the deviatoric energy (and Newtonian viscosity / dt) at the beginning of the step,
// applied by way of the particles and never assembled, C the compressibility of what cells hold,
// and y pressure times dt with its sign changed. Forces of faces beyond the material are folded
// (mac/extrapolation.h). Solved one after the other instead, stress and pressure shake stiff bodies
// to pieces beyond some five times the explicit step.
//
// H may be indefinite, where material is compressed, so the method is MINRES [Paige & Saunders
// 1975]. Its preconditioner G is the same system without H: the projection [Gould et al. 2001;
// Dollar et al. 2006]. z = G^-1 r comes with its y, for which B z = C y,
// and so does all that is combined of such pairs: neither C^-1 nor B' C^-1 B is ever formed, and C
// may be 0. Since G has the masses of M, no iteration changes the momentum; with the diagonal of
// dt^2 H added to them it was only kept to the tolerance, and iterations were no fewer.
#pragma once

#include "kernels/heat/conduction.h"
#include "kernels/mac/extrapolation.h"
#include "kernels/materials/params.h"
#include "kernels/solve/conjugate_gradients.h"

namespace firn {

// The scalars of MINRES in device memory, by the names of Paige & Saunders.
struct DeviatoricControl {
  std::uint32_t done = 0, failed = 0, iterations = 0, max_iterations = 0;
  std::uint32_t stopped = 0;         // the step had been stopped before: nothing was done
  double tolerance = 0;              // in the norm of the preconditioner; at first relative
  double rounding = 0;               // of a residual, over the norm of the matrix
  double initial = 0, residual = 0;  // sqrt(r . G^-1 r)
  double beta = 0, previous_beta = 0, alpha = 0;
  double cs = -1, sn = 0, dbar = 0, epsilon = 0, phibar = 0;
  double phi = 0, gamma = 1, delta = 0, previous_epsilon = 0;  // of the iteration that has ended
};

// Per particle: the left stretch of J^(-1/d) F, symmetric, then V0 mu (0 for liquids), V0 J mu^N.
template <int D>
constexpr int stretch_components() {
  return symmetric_components(D) + 2;
}

// A vector of the faces that are solved, [block][axis][64], and the q = -y that belongs to it, of
// the cells, [block][64]: 0 in air.
template <class Real>
struct DeviatoricPair {
  Real *face = nullptr, *cell = nullptr;
};

// Channels of faces are [block][axis][64].
template <class Real>
struct DeviatoricView {
  Real* stretch = nullptr;  // [chunk][stretch_components][lane]
  Real* mass = nullptr;     // kg; 0 on faces that are not solved
  // The velocities that H is applied to (m/s), and A of them (kg m/s) or the next G^-1 r2.
  DeviatoricPair<Real> in, out;
  Real *r1 = nullptr, *r2 = nullptr;
  DeviatoricPair<Real> w1, w2;
  Real* pressure = nullptr;    // [block][64]: the sum of what the solution's q has grown by
  double* partials = nullptr;  // two columns of [block]
  FaceLayers layers;
  DeviatoricControl* control = nullptr;
};

// What all parts of a solve work on.
template <class Real>
struct DeviatoricProblem {
  int degree = 2;  // of the kernel
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;
  DeviatoricView<Real> view;
  std::uint32_t max_blocks = 0;
  const StepControl* control = nullptr;
};

// From F and temperature of the particles.
template <class Exec, int D, class Real>
void measure_stretch(Exec& exec, const MaterialParams<Real>* materials,
                     const ParticleView<Real>& particles, const HeatView<Real>& heat,
                     const DeviatoricView<Real>& view, std::uint32_t max_chunks,
                     StepControl* control);

// out += E^T H E in. `in` is that of the faces that are solved, 0 on the others; E makes it known
// beyond them. Nothing once view.control->done is set.
template <class Exec, int D, class Real>
void apply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem);

// r2 = -dt^2 H u, of the velocities in `mac`, and what it makes the right-hand side of the
// projection. Closed faces take the solid's velocity and keep it. Comes after a projection, which
// tells which of them material leaves in this step.
template <class Exec, int D, class Real>
void begin_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem,
                      const SolveOptions& options);

// The two halves of an iteration, between which view.out.cell becomes the solution of the
// projection for the right-hand side in `mac`. The first one begins with that solution and ends the
// iteration before, which moves velocities and pressure; if there is none, it judges the first
// residual. Neither does anything once view.control->done is set.
template <class Exec, int D, class Real>
void advance_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem, bool first);
template <class Exec, int D, class Real>
void multiply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem);

// The rest of the velocities: faces that no stress moves, on the way from fluid to fluid or air,
// follow the pressure. What it has grown by joins that of the projection.
template <class Exec, int D, class Real>
void end_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem);

}  // namespace firn
