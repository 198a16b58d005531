// Nodes beside and behind the faces of colliders that hold all that touches them, as dependents of
// nodes farther out. Held at the body's velocity, as those in it would be, material ended at the
// outermost of them, wherever the face lies in its cell; and those outside would be free however
// near they are. With
//   v_i - b(x_i) = a_i (v_m - b(x_m)),   a_i = phi_i / phi_m,   |a_i| <= 1,
// b the body's velocity and phi distances from it, material that shears or is squeezed evenly
// before the face comes to rest on it exactly there. As for the nodes that are left this only
// restricts what velocities there are, steps stay as long as they may be: no vibration of them is
// faster than the fastest of all nodes. Their contact impulse, p_i - m_i v_i, acts on the body with
// the share 1 - a_i, at the face.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

// Which nodes depend on which, from masses as P2G has left them, once colliders are posed.
template <class Exec, int D, class Real>
void find_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, std::uint32_t max_blocks,
                     const StepControl* control);

// Adds to nodes what their dependents have: a_i (p_i - m_i c_i) with
// c_i = b(x_i) - a_i b(x_m), and a_i^2 m_i. Dependents keep their momentum; their mass is negative
// until mirror_dependents, which no pass takes for material. `drag`: of ImplicitProblem, for which
// m_i c_i is larger by drag dt.
template <class Exec, int D, class Real>
void fold_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, Real drag, std::uint32_t max_blocks,
                     const StepControl* control);

// Behind the grid update: gives dependents their velocities, all of them the masses that they had,
// and bodies what dependents take. `solved`: of a step's solve, which keeps the impulses of
// material out of balance (implicit/images.h); else the momentum of nodes has these.
template <class Exec, int D, class Real>
void mirror_dependents(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, Real drag, bool solved, std::uint32_t max_blocks,
                       const StepControl* control);

}  // namespace firn
