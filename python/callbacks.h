// Own forces and boundaries in Python: what the library hands out in every step, as arrays that
// are made when they are asked for.
#pragma once

#include "python/session.h"

namespace firn::python {

// Calls `force(step)` and takes what it returns, if anything, as the accelerations. Throws
// ViewError where it keeps an array.
void ask_force(Session& session, const nb::object& force, const ForceStep& step);
void ask_boundary(Session& session, const nb::object& boundary, const BoundaryStep& step);

}  // namespace firn::python
