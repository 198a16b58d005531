// What a body does to the velocity of the material that touches it: sticky, slip, or separate with
// Coulomb friction. One function serves grid nodes, faces and particles.
#pragma once

#include "firn/kinds.h"
#include "kernels/math/vec.h"

namespace firn {

// Whether it keeps material from leaving as from entering.
FIRN_HD inline bool holds_both_ways(BoundaryType type) {
  return type == BoundaryType::kSticky || type == BoundaryType::kSlip;
}

// Velocity of the material after contact. `v` is its velocity, `v_body` that of the body at the
// same place, `n` the body's outward unit normal. Sticky takes over the body's velocity. Slip
// removes the relative normal velocity in both directions. Separate lets material leave; material
// that approaches loses its normal velocity, and its tangential velocity changes by at most
// friction * |change of the normal velocity|.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> apply_boundary(BoundaryType type, Real friction, Vec<Real, D> v,
                                           Vec<Real, D> v_body, Vec<Real, D> n) {
  if (type == BoundaryType::kSticky) return v_body;
  const Vec<Real, D> relative = v - v_body;
  const Real normal_speed = dot(relative, n);
  if (type == BoundaryType::kSeparate && normal_speed >= Real(0)) return v;
  Vec<Real, D> tangential = relative - normal_speed * n;
  if (type == BoundaryType::kSeparate && friction > Real(0)) {
    const Real speed = norm(tangential);
    const Real loss = friction * -normal_speed;
    tangential *= speed > loss ? (speed - loss) / speed : Real(0);
  }
  return v_body + tangential;
}

// apply_boundary as a matrix: the shares of the relative velocity v - v_body that contact takes,
// along the normal and along the surface. v becomes v - N (v - v_body) with
// N = normal n n^T + tangential (I - n n^T), symmetric and between 0 and the identity.
template <class Real>
struct ContactShares {
  Real normal = 0, tangential = 0;
  FIRN_HD bool any() const { return normal > Real(0) || tangential > Real(0); }
};

template <class Real, int D>
FIRN_HD inline ContactShares<Real> contact_shares(BoundaryType type, Real friction,
                                                  const Vec<Real, D>& v, const Vec<Real, D>& v_body,
                                                  const Vec<Real, D>& n) {
  if (type == BoundaryType::kSticky) return {Real(1), Real(1)};
  const Vec<Real, D> relative = v - v_body;
  const Real normal_speed = dot(relative, n);
  if (type != BoundaryType::kSeparate) return {Real(1), Real(0)};
  if (normal_speed >= Real(0)) return {};
  if (!(friction > Real(0))) return {Real(1), Real(0)};
  const Real speed = norm(relative - normal_speed * n);
  const Real loss = friction * -normal_speed;
  return {Real(1), speed > loss ? loss / speed : Real(1)};
}

template <class Real, int D>
FIRN_HD inline Vec<Real, D> apply_shares(const ContactShares<Real>& shares, const Vec<Real, D>& v,
                                         const Vec<Real, D>& v_body, const Vec<Real, D>& n) {
  const Vec<Real, D> relative = v - v_body, normal = dot(relative, n) * n;
  return v - (shares.normal * normal + shares.tangential * (relative - normal));
}

}  // namespace firn
