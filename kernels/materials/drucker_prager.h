// Sand: Hencky elasticity inside a Drucker-Prager cone [Klar et al. 2016], with the volume
// correction of [Tampubolon et al. 2017], optional cohesion (the tip of the cone at the strain c I)
// and optional friction hardening. Flow along the cone keeps volume; tension beyond the tip is
// released, and the volume gained that way is remembered so that the sand must close again before
// it resists compression. With dilatancy, flow along the cone gains volume, and keeps it: the
// strain returns along dev(e) / |dev(e)| + beta I, where beta is the cone's slope at the dilatancy
// angle, so that it would be associated flow at the friction angle.
#pragma once

#include "kernels/materials/stvk_hencky.h"

namespace firn {

struct DruckerPrager : StvkHencky {
  static constexpr int kScalars = 2;

  template <int D, class T>
  FIRN_HD static T kept_volume(const T* history) {
    return exp(history[0]);
  }

  // Of a history, log of the volume that dilatancy has gained, and of what tension has opened.
  template <class T>
  FIRN_HD static T dilated(const MaterialParams<Scalar<T>>& params, const T& q) {
    return T(params.dilatancy) * min(q, T(params.dilates_until));
  }
  template <class T>
  FIRN_HD static T open_volume_of(const MaterialParams<Scalar<T>>& params, const T* history) {
    using Real = Scalar<T>;
    if (!(params.dilatancy > Real(0))) return history[0];
    const T kept = dilated(params, history[1]), open = history[0] - kept;
    constexpr Real kRounding = 16 * kEpsilon<Real>;
    return select(open > T(kRounding) * kept, open, T(0));
  }

  // Slope of the cone: constant, or with the friction angle phi(q) = h0 + (h1 q - h3) exp(-h2 q).
  template <class T>
  FIRN_HD static T friction(const MaterialParams<Scalar<T>>& params, const T& q) {
    using Real = Scalar<T>;
    if (!params.has_friction_hardening) return T(params.friction);
    const Real* h = params.friction_hardening;
    const T sine = sin(T(h[0]) + (T(h[1]) * q - T(h[3])) * exp(T(-h[2]) * q));
    return T(params.match[0]) * sine / (T(3) - T(params.match[1]) * sine);
  }

  template <class T>
  struct Torn {
    T opened, held;
  };
  // What lies `beyond` the tip opens, and holds together the less the farther it is open: not at
  // all from kTears times the strain of the tip on. Both follow from the whole strain alone, so
  // that sand that closes again gets back no more than that.
  template <class T>
  FIRN_HD static Torn<T> tear(const MaterialParams<Scalar<T>>& params, const T& beyond,
                              const T& cohesion, const T& dimension) {
    using Real = Scalar<T>;
    constexpr Real kTears = 10, kMostOpened = Real(3.4);  // 30 times the volume
    if (!params.volume_correction) return {beyond, cohesion};
    const T tip = dimension * cohesion, partly = beyond * T(1 / (1 - 1 / kTears));
    const auto holds = partly < T(kTears) * tip;
    const T opened = select(holds, partly, beyond + tip);
    return {min(opened, T(kMostOpened)),
            select(holds, cohesion - opened * (T(1 / kTears) / dimension), T(0))};
  }

  // Returns the strain to the cone; yields the mask of lanes whose strain changed.
  template <class T, int D>
  FIRN_HD static auto project(const MaterialParams<Scalar<T>>& params, Vec<T, D>& strain,
                              T (&history)[history_capacity<D>()]) {
    using Real = Scalar<T>;
    const T cohesion(params.cohesion);
    const T open_volume = open_volume_of(params, history);
    Vec<T, D> e;  // relative to the tip, after the open volume was closed
    for (int i = 0; i < D; ++i) e[i] = strain[i] + open_volume * T(Real(1) / D) - cohesion;
    const T tr = sum(e);
    Vec<T, D> dev;
    for (int i = 0; i < D; ++i) dev[i] = e[i] - tr * T(Real(1) / D);
    const T length = norm(dev);
    const T slope = T(params.cone_ratio) * friction(params, history[1]);
    T slip = length + slope * tr, gained = T(Real(0));
    if (params.dilatancy > Real(0)) {  // which presses, so that it slips the less
      const T steeper = slope * T(params.dilatancy),
              room = max(T(params.dilates_until) - history[1], T(0));
      slip = max(slip / (T(1) + steeper), slip - steeper * room);
      gained = T(params.dilatancy) * min(max(slip, T(0)), room);
    }
    const auto tension = tr > gained;
    const auto sliding = !tension && slip > T(0);
    const auto changed = tension || sliding || open_volume != T(0);

    const auto [opened, held] = tear(params, tr, cohesion, T(Real(D)));
    const T shrink = slip / max(length, T(kLeastNormal<Real>));
    for (int i = 0; i < D; ++i) {
      const T returned = select(sliding, e[i] - shrink * dev[i] - gained * T(Real(1) / D), e[i]);
      strain[i] = select(changed, select(tension, held, returned + cohesion), strain[i]);
    }
    // The part of the opening that is new; the rest was counted when it came.
    const T opening = max(opened - open_volume, T(0));
    const T opens = sqrt(length * length + opening * opening * T(Real(1) / D));
    history[0] = params.volume_correction ? select(tension, opened, T(0)) : T(0);
    if (params.dilatancy > Real(0)) {
      // Slip alone, which says what has been gained.
      history[1] = history[1] + select(sliding, slip, T(0));
      history[0] = history[0] + dilated(params, history[1]);
    } else {
      history[1] = history[1] + select(tension, opens, select(sliding, slip, T(0)));
    }
    return changed;
  }

  // Flow along the cone keeps volume, so its stress has no potential; with the cone's width as it
  // was at the step's begin it has. Beyond the tip there is no pressure; shear stress that ended
  // there as well would leave the potential a cliff, down which a step falls apart.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
    using Real = Scalar<T>;
    const T shift = open_volume_of(params, state.history) * T(Real(1) / D) - T(params.cohesion);
    Vec<T, D> e;
    for (int i = 0; i < D; ++i) e[i] = log(sigma[i]) + shift;
    const T before = log(determinant(state.F)) + T(Real(D)) * shift;
    const T width = T(0) - T(params.cone_ratio) * before * friction(params, state.history[1]);
    return bounded_stress(params, sigma, e, max(width, T(0)), Real(0), sum(e) > T(0));
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    const Svd<T, D> s = svd(state.F);
    Vec<T, D> strain = hencky_strain(s);
    const auto changed = project(params, strain, state.history);
    store_strain(s, strain, changed, state.F);
    return respond_to_strain(params, s.U, strain);
  }
};

}  // namespace firn
