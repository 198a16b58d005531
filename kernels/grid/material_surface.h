// Where the surface of the material lies that a node feels from afar, as the mass on the nodes
// around it tells: kernels hand mass to nodes a cell and a half beyond the outermost particles, and
// contact with all that has mass would be felt over gaps and along normals of other faces.
#pragma once

#include "kernels/fields/blocks.h"
#include "kernels/math/scalar.h"

namespace firn {

// The share of the full mass that a node has which lies `u` cells within the reach of a half space:
// the integral of the B-spline of the degree n, the sum over k of
// (-1)^k C(n+1, k) (u - k)+^(n+1) / (n+1)!, counted from its end.
template <class Real>
FIRN_RARE FIRN_HD inline Real half_space_share(Real u, int degree) {
  const int n = degree + 1;
  Real sum = 0, binomial = 1, factorial = 1;
  for (int k = 0; k <= n && u > static_cast<Real>(k); ++k) {
    Real power = 1;
    for (int i = 0; i < n; ++i) power *= u - static_cast<Real>(k);
    sum += binomial * power;
    binomial *= -static_cast<Real>(n - k) / static_cast<Real>(k + 1);
  }
  for (int i = 2; i <= n; ++i) factorial *= static_cast<Real>(i);
  return sum / factorial;
}

// The distance of a node from the material, in cells; 0 within it. `steepness`: the difference of
// the masses of the nodes next to it over twice its own mass, C. As for a half space along an axis,
// where the result is exact: u cells within its reach, u < 1, the node behind has nothing, so that
// 2 C + n + 1 = (1 + 1/u)^(n + 1). Further in it is where what the masses say and what shares do
// differ by nothing, which secants find.
template <class Real>
FIRN_RARE FIRN_HD inline Real cells_from_material(Real steepness, int degree) {
  const Real n = static_cast<Real>(degree), reach = Real(0.5) * (n + Real(1));
  const Real u =
      Real(1) / (pow(Real(2) * steepness + n + Real(1), Real(1) / (n + Real(1))) - Real(1));
  if (u < Real(1)) return reach - u;
  const auto excess = [&](Real cells) {
    const Real within = reach - cells;
    return Real(2) * steepness * half_space_share(within, degree) -
           half_space_share(within + Real(1), degree) + half_space_share(within - Real(1), degree);
  };
  constexpr int kSecants = 6;
  const Real last = reach - Real(1);
  Real near = 0, far = last, of_near = excess(near), of_far = excess(far);
  if (!(of_near > Real(0))) return near;
  if (!(of_far < Real(0))) return far;
  [[maybe_unused]] constexpr int kUnrolled = 1;
  FIRN_UNROLL
  for (int i = 0; i < kSecants; ++i) {
    const Real cells = near + (far - near) * (of_near / (of_near - of_far)),
               of_cells = excess(cells);
    if (of_cells > Real(0)) {
      near = cells, of_near = of_cells;
      of_far *= Real(0.5);  // so that neither end stays for ever (Illinois)
    } else {
      far = cells, of_far = of_cells;
      of_near *= Real(0.5);
    }
  }
  return near + (far - near) * (of_near / (of_near - of_far));
}

// And as far as its mass tells by itself, a share of what a node within the material has.
template <class Real>
FIRN_RARE FIRN_HD inline Real cells_from_share(Real share, int degree) {
  if (!(share < Real(0.5))) return Real(0);
  const Real order = static_cast<Real>(degree + 1), reach = Real(0.5) * order,
             one_within = half_space_share(Real(1), degree);
  if (share < one_within) return reach - pow(share / one_within, Real(1) / order);
  // Shares are convex there, and little more than what lies on their chord.
  return (reach - Real(1)) * ((Real(0.5) - share) / (Real(0.5) - one_within));
}

// The way from a node to the surface of the material, from the masses of the node and of those
// before and behind it along every axis.
template <class Real, int D>
struct WayToMaterial {
  Vec<Real, D> towards;  // unit vector; zero where mass tells no direction
  Real cells;            // 0 within the material
};
template <int D, class Real>
FIRN_HD inline WayToMaterial<Real, D> way_to_material(Real mass, const Vec<Real, D>& before,
                                                      const Vec<Real, D>& behind, int degree) {
  const Vec<Real, D> rise = behind - before;
  const Real length = norm(rise);
  if (!(length > Real(0))) return {Vec<Real, D>::zero(), Real(0)};
  return {(Real(1) / length) * rise, cells_from_material(Real(0.5) * length / mass, degree)};
}

}  // namespace firn
