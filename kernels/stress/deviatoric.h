// Deviatoric forces by one step of Newton's method [T 6.4.5.2], or viscosity alone, together with
// the pressure: the velocities u + delta of the faces, of which the projection has made u, solve
//   [ M + dt^2 H   B' ] [ delta ]   [ -dt^2 H u ]
//   [ B            -C ] [   y   ] = [     0     ]
// with M and B those of the projection, mass of faces and flux out of cells, H the second
// derivative of the deviatoric energy (and Newtonian viscosity / dt) at the beginning of the step,
// applied by way of the particles and never assembled, C the compressibility of what cells hold,
// and y pressure times dt with its sign changed. Of liquids alone that is Stokes' problem. Forces
// of faces beyond the material are folded (mac/extrapolation.h). Solved one after the other
// instead, stress and pressure shake stiff bodies to pieces beyond some five times the explicit
// step.
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
#include "kernels/solve/minres.h"

namespace firn {

// Per particle: the left stretch of J^(-1/d) F, symmetric, then V0 mu (0 for liquids), V0 J mu^N.
template <int D>
constexpr int stretch_components() {
  return symmetric_components(D) + 2;
}

// Channels of faces are [block][axis][64]; companions of vectors are q = -y of the cells,
// [block][64]: 0 in air.
template <class Real>
struct DeviatoricView {
  Real* stretch = nullptr;   // [chunk][stretch_components][lane]
  Real* mass = nullptr;      // kg; 0 on faces that are not solved
  Real* pressure = nullptr;  // [block][64]: the sum of what the solution's q has grown by
  FaceLayers layers;
  MinresVectors<Real> minres;
};

// What all parts of a solve work on.
template <class Real>
struct DeviatoricProblem {
  int degree = 2;  // of the kernel
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;  // without a ghost fluid
  DeviatoricView<Real> view;
  std::uint32_t max_blocks = 0;
  const StepControl* control = nullptr;
  bool liquid = false;  // nothing has anything but viscosity, and `stretch` is V0 mu^N alone
};

// From F and temperature of the particles.
template <class Exec, int D, class Real>
void measure_stretch(Exec& exec, const MaterialParams<Real>* materials,
                     const ParticleView<Real>& particles, const HeatView<Real>& heat,
                     const DeviatoricView<Real>& view, std::uint32_t max_chunks,
                     StepControl* control);

// The same of a problem of liquids that are a ghost fluid's beyond the cells of the MAC grid: 0 for
// particles that lie in none of its cells of fluid, nor beside one, where velocities are not known.
template <class Exec, int D, class Real>
void measure_viscosity(Exec& exec, const MaterialParams<Real>* materials,
                       const DeviatoricProblem<Real>& problem);

// out += E^T H E in. `in` is that of the faces that are solved, 0 on the others; E makes it known
// beyond them. Nothing once the solve is done.
template <class Exec, int D, class Real>
void apply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem, Real* in, Real* out);

// Begins MINRES with r2 = -dt^2 H u, of the velocities in `mac`. Closed faces take the solid's
// velocity and keep it. Comes after a projection, which tells which of them material leaves in this
// step.
template <class Exec, int D, class Real>
void begin_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem,
                      const SolveOptions& options);

// Once it is solved: adds to params.reactions what the stress of its motion does to bodies, beside
// that of the step's begin (stress_reactions).
template <class Exec, int D, class Real>
void deviatoric_reactions(Exec& exec, const DeviatoricProblem<Real>& problem,
                          const GridUpdateParams<Real, D>& params);

// What G^-1 r makes the right-hand side of the projection, in `mac`.
template <class Exec, int D, class Real>
void project_residual(Exec& exec, const DeviatoricProblem<Real>& problem, const Real* r);

// The rest of the velocities: faces that no stress moves, on the way from fluid to fluid or air,
// follow the pressure. What it has grown by joins that of the projection.
template <class Exec, int D, class Real>
void end_deviatoric(Exec& exec, const DeviatoricProblem<Real>& problem);

}  // namespace firn
