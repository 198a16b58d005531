// Nodes behind walls that are mirror images (grid/mirror.h), for passes by way of the particles: an
// image has no velocity of its own, and what is due to it is due to the node that it mirrors. To
// all other passes images are nodes without mass.
#pragma once

#include "kernels/implicit/system.h"

namespace firn {

// Gives images the vectors of what they mirror, mirrored.
template <class Exec, int D, class Real>
void mirror_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem, Real* vectors);

// The transpose: adds what images have to what they mirror, and leaves them zero.
template <class Exec, int D, class Real>
void fold_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem, Real* vectors);

// Of images, whose mass nodes have taken over: v* with their weights mirrored.
template <class Exec, int D, class Real>
void turn_weights(Exec& exec, const ImplicitProblem<Real, D>& problem);

}  // namespace firn
