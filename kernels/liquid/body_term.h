// What the bodies that liquid moves are to the system of the projection: G^T M^-1 G of
// moved_bodies.h, see EllipticTerm.
#pragma once

#include "kernels/liquid/moved_bodies.h"
#include "kernels/solve/components.h"
#include "kernels/solve/elliptic_gradients.h"

namespace firn {

template <class Exec, int D, class Real>
void add_body_product(Exec& exec, const BodyCoupling<Real, D>& bodies,
                      const EllipticVectors<Real>& v, std::uint32_t blocks);
template <class Exec, int D, class Real>
void subtract_body_product(Exec& exec, const BodyCoupling<Real, D>& bodies,
                           const EllipticVectors<Real>& v, std::uint32_t blocks);

// Components that a constant pressure would move a body from, as of a cylinder below a piston, are
// not singular. `ties`: room for System::kUnknowns a component.
template <class Exec, int D, class Real>
void tie_components(Exec& exec, const BodyCoupling<Real, D>& bodies,
                    const ComponentView<Real>& components, std::int64_t* ties, std::uint32_t count,
                    std::uint32_t blocks);

}  // namespace firn
