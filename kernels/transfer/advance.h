// What the gathers of both grids do with a velocity they have read: the loop over a block's
// particles, positions, the FLIP blend, the scales of the affine part, and the faults.
#pragma once

#include <type_traits>

#include "kernels/grid/guard.h"
#include "kernels/transfer/position_sum.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

// C <- symmetric * sym(C) + skew * skew(C), by pairs of off-diagonal entries.
template <class Real>
struct PartScales {
  const TransferParams& params;

  FIRN_HD bool active() const { return params.symmetric != 1 || params.skew != 1; }

  // RPIC with the linear kernel takes the rotation from L_p and K_p [APIC 5.2], whose moments D_a
  // and D_b differ by axis and vanish on nodes.
  template <class T>
  FIRN_HD void apply(const T& D_a, const T& D_b, T& C_ab, T& C_ba) const {
    T rotation = T(Real(0.5)) * (C_ba - C_ab);
    if (params.moment_weighted_skew) {
      const T K = D_a + D_b;
      const auto safe = K > T(kEpsilon<Real>);
      rotation = select(safe, (C_ba * D_a - C_ab * D_b) / select(safe, K, T(Real(1))), T(Real(0)));
    }
    const T stretch = T(static_cast<Real>(params.symmetric) * Real(0.5)) * (C_ab + C_ba);
    rotation = T(static_cast<Real>(params.skew)) * rotation;
    C_ab = stretch - rotation;
    C_ba = stretch + rotation;
  }
};

// v_pa <- flip (v_pa + sum w dv) + (1 - flip) sum w v.
template <class T>
FIRN_HD inline T blended_velocity(const TransferParams& params, const T& before, const T& increment,
                                  const T& mean) {
  const T flip = T(static_cast<Scalar<T>>(params.flip));
  return flip * (before + increment) + (1 - flip) * mean;
}

// Where particles go along an axis. Those that the grid cannot address stay, and the step ends with
// a fault whose message says where; positions that are no numbers are the velocity's fault.
template <class T, class Mask>
struct Moved {
  T x;
  Mask strays;
};
// x_pa <- x + by, by being dt v with the interpolated velocity.
template <int D, class T, class Real>
FIRN_HD inline auto move_along(int a, const ParticleBounds<Real, D>& bounds,
                               const PositionSum<Real>& sum, Real inv_dx, const T& x, const T& by) {
  T moved = sum(x, by);
  if (bounds.active) moved = clamp(moved, T(bounds.min[a]), T(bounds.max[a]));
  const auto inside = abs(moved * T(inv_dx)) < T(static_cast<Real>(BlockTraits<D>::kMaxCell));
  using Mask = std::remove_cv_t<decltype(inside)>;
  return Moved<T, Mask>{select(inside, moved, x), !inside && is_finite(moved)};
}

// Of a particle of block `home` that has moved from `before` to x, whose coordinates lie kLanes
// apart. Few blocks have a body near, and what is called leaves the others their registers.
template <int D, class Real>
FIRN_RARE FIRN_HD inline void guard_particle(BodyGuard<D, Real> guard, Vec<int, D> home,
                                             Vec<Real, D> before, Real* x, Real dt, bool tangents) {
  for (int c = 0; c < guard.count; ++c) {
    if (!guard.reaches(home, c)) continue;
    Vec<Real, D> at;
    for (int a = 0; a < D; ++a) at[a] = x[a * kLanes];
    if (!guard.push_out(c, before, at, dt, tangents)) continue;
    for (int a = 0; a < D; ++a) x[a * kLanes] = at[a];
  }
}

// Base of the operators that go from grid to particle.
template <int D, class Real>
struct ParticleAdvance {
  TransferParams params;
  ParticleBounds<Real, D> bounds;
  ParticleView<Real> particles;
  GridView<Real> grid;
  StepControl* control;
  GridUpdateParams<Real, D> bodies;

  FIRN_HD bool is_near_bodies(std::uint32_t block) const {
    return bodies.collider_count > 0 &&
           BodyGuard<D, Real>(bodies, grid.dx).any_reaches(block_of_key<D>(grid.keys[block]));
  }
  FIRN_HD bool is_held(const Vec<int, D>& home, const Vec<Real, D>& x) const {
    const BodyGuard<D, Real> guard(bodies, grid.dx);
    for (int c = 0; c < guard.count; ++c)
      if (guard.reaches(home, c) && guard.holds(c, x)) return true;
    return false;
  }
  // Of a particle that has moved from `before`; see push_out.
  FIRN_HD void guard(const Vec<int, D>& home, const Vec<Real, D>& before, std::uint32_t chunk,
                     std::uint32_t lane, bool tangents) const {
    guard_particle<D, Real>({bodies, grid.dx}, home, before,
                            &channel_row(particles.x, chunk, D, 0)[lane],
                            static_cast<Real>(control->dt), tangents);
  }

  // Calls advance(home, chunk, lane), which returns the particle's new speed squared, for the
  // particles of a block; the largest goes to `control`.
  template <class Group, class Load, class F>
  FIRN_HD void gather(Group& g, Load&& load, F&& advance) const {
    gather_particles<D>(g, grid, particles, load, [&](const Vec<int, D>& home, const auto& lanes) {
      prefetch(lanes);
      Real fastest = 0;
      lanes.for_each_lane([&](int, std::uint32_t lane) {
        const Real speed_squared = advance(home, lanes.chunk, lane);
        if (!is_finite(speed_squared)) report(g, Fault::kVelocity, lanes.chunk, lane);
        fastest = fastest < speed_squared ? speed_squared : fastest;
      });
      fastest = lanes.across(fastest);
      lanes.once([&] { g.atomic_max(control->speed_squared, static_cast<double>(fastest)); });
    });
  }

  // The same by packs: advance(home, lanes) returns the new speeds squared.
  template <class Group, class Load, class F>
  FIRN_HD void gather_packs(Group& g, Load&& load, F&& advance) const {
    gather_particles<D>(g, grid, particles, load, [&](const Vec<int, D>& home, const auto& lanes) {
      using T = typename std::remove_cvref_t<decltype(lanes)>::Value;
      prefetch(lanes);
      T speed_squared = T(Real(0));
      if (lanes.active_lanes() > 0) speed_squared = advance(home, lanes);
      report(g, Fault::kVelocity, lanes, !is_finite(speed_squared));
      const Real fastest = lanes.maximum(speed_squared);
      lanes.once([&] { g.atomic_max(control->speed_squared, static_cast<double>(fastest)); });
    });
  }
  template <class Lanes>
  FIRN_HD void prefetch(const Lanes& lanes) const {
    lanes.prefetch_next(particles.x, D);
    lanes.prefetch_next(particles.v, D);
    lanes.prefetch_next(particles.coefficients, D * particles.coefficient_modes);
    lanes.prefetch_next(particles.gradient, D * D);
  }

  // Returns the particle's new velocity.
  FIRN_HD Real blend_velocity(int a, Real mean, Real increment, std::uint32_t chunk,
                              std::uint32_t lane) const {
    Real& v = channel_row(particles.v, chunk, D, a)[lane];
    v = params.flip > 0 ? blended_velocity(params, v, increment, mean) : mean;
    return v;
  }

  template <class Lanes, class T>
  FIRN_HD T blend_velocity(int a, const T& mean, const T& increment, const Lanes& lanes) const {
    Real* row = channel_row(particles.v, lanes.chunk, D, a);
    const T v = params.flip > 0 ? blended_velocity(params, lanes.load(row), increment, mean) : mean;
    lanes.store(row, v);
    return v;
  }

  template <class Group>
  FIRN_HD void move(Group& g, int a, Real x, Real velocity, std::uint32_t chunk,
                    std::uint32_t lane) const {
    const auto moved = move_along(a, bounds, PositionSum<Real>(control->step), grid.inv_dx, x,
                                  static_cast<Real>(control->dt) * velocity);
    if (moved.strays) report(g, Fault::kPositionRange, chunk, lane);
    channel_row(particles.x, chunk, D, a)[lane] = moved.x;
  }

  template <class Group, class Lanes, class T>
  FIRN_HD void move(Group& g, int a, const T& velocity, const Lanes& lanes) const {
    Real* row = channel_row(particles.x, lanes.chunk, D, a);
    const auto moved = move_along(a, bounds, PositionSum<Real>(control->step), grid.inv_dx,
                                  lanes.load(row), T(static_cast<Real>(control->dt)) * velocity);
    report(g, Fault::kPositionRange, lanes, moved.strays);
    lanes.store(row, moved.x);
  }

  template <class Group, class Lanes, class Mask>
  FIRN_HD void report(Group& g, Fault fault, const Lanes& lanes, const Mask& found) const {
    if (!any(found)) return;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      if (Lanes::test(found, i)) report(g, fault, lanes.chunk, lane);
    });
  }
  template <class Group>
  FIRN_HD void report(Group& g, Fault fault, std::uint32_t chunk, std::uint32_t lane) const {
    g.atomic_min(control->fault, pack_fault(fault, channel_row(particles.id, chunk, 1, 0)[lane]));
  }
};

}  // namespace firn
