// Soil and porous snow: Hencky elasticity inside the ellipse of modified Cam clay [Roscoe & Burland
// 1968], q^2 (1 + 2 beta) <= M^2 (p + beta p0) (p0 - p), with tension as far as beta p0 [Gaume et
// al. 2018]. Flow is associated and found with the hardening of the step's end: what compacts
// hardens, what dilates softens, and at the critical state between them volume stays. In 2D this is
// plane strain. Stresses are Kirchhoff's, p is positive in compression and q the uniaxial one.
#pragma once

#include "kernels/materials/spatial_hencky.h"

namespace firn {

struct CamClay : SpatialHencky<1> {
  template <int D, class T>
  FIRN_HD static T kept_volume(const T* history) {
    return exp(history[0]);
  }

  // In all directions. Volume that is gained in the plane and taken across it has not flowed.
  template <class T, int D>
  FIRN_HD static T plastic_volume_strain(const MaterialState<T, D>& state) {
    if constexpr (D == 2)
      return state.history[0] - across(state);
    else
      return state.history[0];
  }

  // Strains of pressure p / K in the plane of (p / K, ellipse |dev e|), where the ellipse is a
  // circle about `centre`, and how fast both grow with compaction.
  template <class T>
  struct Circle {
    T centre, radius, centre_slope, radius_slope;
  };

  // Where plastic flow has made volume larger by e^flowed.
  template <class T>
  FIRN_HD static Circle<T> circle(const MaterialParams<Scalar<T>>& params, const T& flowed) {
    using Real = Scalar<T>;
    constexpr Real kMost = 40;  // e^40: far beyond any stress, and far from overflow
    const Real xi = params.hardening;
    const T x = min(T(-xi) * (flowed + T(params.compacted)), T(kMost));
    T p0, slope;
    if (params.hardens_as_sinh) {  // K sinh(xi max(-alpha, 0))
      const T grown = exp_minus_one(max(x, T(0))), shrunk = grown / (T(1) + grown);
      p0 = T(Real(0.5)) * (grown + shrunk);
      slope = select(x > T(0), T(xi) * (p0 + T(1) - shrunk), T(0));  // cosh = sinh + e^-x
    } else {
      p0 = T(params.consolidation) * exp(x);
      slope = T(xi) * p0;
    }
    const T near(Real(0.5) * (1 - params.tension)), far(Real(0.5) * (1 + params.tension));
    return {near * p0, far * p0, near * slope, far * slope};
  }

  // Associated flow by the volume strain m, towards the circle's centre along p, at a distance
  // `along` of which it ends.
  template <class T>
  struct Returned {
    T along, across;  // from the centre
    T beyond, slope;  // squared distance less the squared radius, and its derivative by m
    Circle<T> to;
  };
  template <class T>
  FIRN_HD static Returned<T> returned(const MaterialParams<Scalar<T>>& params, const T& compression,
                                      const T& shear, const T& flowed, const T& side, const T& m) {
    using Real = Scalar<T>;
    const T kappa(params.deviatoric_flow);
    Returned<T> r;
    r.to = circle(params, flowed - side * m);
    r.along = side * (compression - r.to.centre) - m;
    const T along = max(r.along, T(0)), reach = max(along + kappa * m, T(kLeastNormal<Real>));
    const T share = along / reach, along_slope = T(-1) - r.to.centre_slope;
    r.across = shear * share;
    r.beyond = along * along + r.across * r.across - r.to.radius * r.to.radius;
    const T across_slope = shear * kappa * (along_slope * m - along) / (reach * reach);
    r.slope = T(2) * (along * along_slope + r.across * across_slope -
                      side * r.to.radius * r.to.radius_slope);
    return r;
  }

  template <class T>
  struct Flowed {
    Vec<T, 3> strain;
    decltype(T() > T()) yields;
  };
  // Returns the strain to the ellipse; also the mask of lanes whose strain changed. The flow m lies
  // between none and what ends at the centre's pressure, where shear flows for ever. From outside
  // `beyond` is positive there and negative here: Newton's method between bounds that close in.
  // Few scenes have soil, and what is called leaves the others their registers.
  template <class T>
  FIRN_RARE FIRN_HD static Flowed<T> project(const MaterialParams<Scalar<T>>& params, T flowed,
                                             Vec<T, 3> strain) {
    using Real = Scalar<T>;
    constexpr int kMostSteps = sizeof(Real) == 4 ? 40 : 70;
    const T compression = T(0) - sum(strain), mean = compression * T(Real(-1) / 3);
    Vec<T, 3> dev;
    for (int i = 0; i < 3; ++i) dev[i] = strain[i] - mean;
    const T shear = T(params.ellipse) * norm(dev);
    const Circle<T> from = circle(params, flowed);
    const T off = compression - from.centre;
    const auto yields = off * off + shear * shear > from.radius * from.radius;
    if (!any(yields)) return {strain, yields};

    const T side = select(off > T(0), T(1), T(-1));
    const T scale = max(abs(compression), from.radius);
    T low = T(0), high = select(yields, abs(off), T(0)), m = T(0);
    auto open = yields;
    for (int step = 0; step < kMostSteps && any(open); ++step) {
      const Returned<T> r = returned(params, compression, shear, flowed, side, m);
      const auto beyond = r.beyond > T(0) && r.along > T(0);
      low = select(open && beyond, m, low);
      high = select(open && !beyond, m, high);
      const T newton = m - r.beyond / select(r.slope < T(0), r.slope, T(-1));
      const auto inside = newton > low && newton < high && r.slope < T(0);
      const T next = select(inside, newton, T(Real(0.5)) * (low + high));
      const auto moves = abs(next - m) > T(2 * kEpsilon<Real>) * scale;
      m = select(open, next, m);
      open = open && moves && high > low;
    }
    const Returned<T> r = returned(params, compression, shear, flowed, side, m);
    const T radius = r.to.radius, along = clamp(r.along, T(0), radius);
    // Far from the critical state by the flow's ratio; near it, where that is 0 / 0, by the circle.
    const T on_circle = sqrt(max(radius * radius - along * along, T(0)));
    const auto flat = along > T(Real(0.7)) * radius;
    const T left =
        min(select(flat, r.across, on_circle), shear) / max(shear, T(kLeastNormal<Real>));
    const T pressure = r.to.centre + side * along;
    for (int i = 0; i < 3; ++i)
      strain[i] = select(yields, left * dev[i] - pressure * T(Real(1) / 3), strain[i]);
    return {strain, yields};
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    return respond_with(params, state, [&](Vec<T, 3>& e) {
      T before = T(0);
      for (int i = 0; i < D; ++i) before = before + e[i];
      const Flowed<T> flow = project(params, plastic_volume_strain(state), e);
      e = flow.strain;
      T after = T(0);
      for (int i = 0; i < D; ++i) after = after + e[i];
      state.history[0] = state.history[0] + select(flow.yields, before - after, T(0));
      return flow.yields;
    });
  }
};

}  // namespace firn
