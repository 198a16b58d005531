// Nodes behind walls that are mirror images (grid/mirror.h) and those near colliders that depend on
// others (grid/dependents.h), for passes by way of the particles: they have no velocity of their
// own, and what is due to them is due to the node that they mirror or depend on. To all other
// passes they are nodes without mass.
#pragma once

#include "kernels/implicit/system.h"

namespace firn {

// Gives images and dependents the vectors of what they mirror or depend on, mirrored or in their
// share.
template <class Exec, int D, class Real>
void mirror_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem, NodeVectors kind,
                  Real* vectors);

// The transpose, of changes: moves what they have to that. Of dependents that slip it is what they
// have along the normal, and they have no more of what mirror_nodes has put into `in` there. What
// dependents had of the gradient is kept, `anew` or added to what was, for mirror_dependents.
template <class Exec, int D, class Real>
void fold_nodes(Exec& exec, const ImplicitProblem<Real, D>& problem, Real* vectors, Real* in,
                bool anew);

// Of those whose mass nodes have taken over: v* with their weights in the same way.
template <class Exec, int D, class Real>
void turn_weights(Exec& exec, const ImplicitProblem<Real, D>& problem);

}  // namespace firn
