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
FIRN_HD inline Real half_space_share(Real u, int degree) {
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
// 2 C + n + 1 = (1 + 1/u)^(n + 1). Further in, shares grow outwards ever faster, and halving finds
// it.
template <class Real>
FIRN_HD inline Real cells_from_material(Real steepness, int degree) {
  const Real n = static_cast<Real>(degree), reach = Real(0.5) * (n + Real(1));
  const Real u =
      Real(1) / (pow(Real(2) * steepness + n + Real(1), Real(1) / (n + Real(1))) - Real(1));
  if (u < Real(1)) return reach - u;
  constexpr int kHalvings = 8;
  Real near = 0, far = reach - Real(1);
  for (int i = 0; i < kHalvings; ++i) {
    const Real middle = Real(0.5) * (near + far), within = reach - middle;
    const Real rise =
        half_space_share(within + Real(1), degree) - half_space_share(within - Real(1), degree);
    (Real(2) * steepness * half_space_share(within, degree) < rise ? far : near) = middle;
  }
  return near;
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
