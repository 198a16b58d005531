#pragma once

#include "kernels/grid/guard.h"
#include "kernels/grid/update.h"
#include "kernels/materials/constitutive.inl"
#include "kernels/math/generic_scalar.h"
#include "kernels/transfer/advance.h"
#include "kernels/transfer/contribution.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/pack_stencil.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// kApart: forces and FLIP's increments have tiles of their own.
template <int D, int Degree, ModeSet Set, bool kApart, class Real>
struct G2P2G {
  static constexpr const char* kName = "g2p2g";
  static constexpr int kThreads = kLanes;  // a warp: its particles take turns at the tile
  // As the registers and the arenas allow.
  static constexpr int kResidentGroups =
      sizeof(Real) == 4 && !kApart && Set == ModeSet::kAffine ? 12 : 8;
  using Tile = WideTile<D, Degree, Real>;
  struct Apart {
    Tile increment, impulse;
  };
  struct Together {};
  struct Scratch {
    Tile velocity, momentum;
    std::conditional_t<kApart, Apart, Together> apart;
  };
  static constexpr int kModes = mode_count(Set, D);
  using Contribute = Contribution<D, Degree, Set, Real>;

  TransferParams params;
  ParticleBounds<Real, D> bounds;
  GridUpdateParams<Real, D> bodies;
  ConstitutiveUpdate<D, Real> constitutive;
  ParticleView<Real> particles;
  GridView<Real> grid;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const bool fuse = control->fuse != 0;
    load_wide<D, Degree>(g, g.scratch.velocity, grid, block, grid.nodes);
    if constexpr (kApart)
      load_wide<D, Degree>(g, g.scratch.apart.increment, grid, block, grid.increments);
    if (fuse) {
      clear_tile(g, g.scratch.momentum);
      if constexpr (kApart) clear_tile(g, g.scratch.apart.impulse);
    }
    g.sync();
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    for_each_pack_in(g, block, grid, particles, [&](const auto& lanes) {
      if constexpr (Set == ModeSet::kAffine)
        advance_flat(g, home, fuse, lanes);
      else
        advance(g, home, fuse, lanes);
    });
    if (!fuse) return;
    g.sync();
    flush_wide<D, Degree>(g, g.scratch.momentum, grid, block, grid.momentum);
    if constexpr (kApart)
      flush_wide<D, Degree>(g, g.scratch.apart.impulse, grid, block, grid.impulse);
  }

  // What the particles of a pack have read.
  template <class T>
  struct Motion {
    T c[kModes][D];  // coefficients: c[0] is the interpolated velocity
    Mat<T, D> grad_v;
    Vec<T, D> v;  // the particle's own velocity
  };

  // A third faster, and slow to compile: for the sets that most scenes use.
  template <class Group, class Lanes>
  FIRN_FLAT FIRN_HD void advance_flat(Group& g, const Vec<int, D>& home, bool fuse,
                                      const Lanes& lanes) const {
    advance(g, home, fuse, lanes);
  }
  template <class Group, class Lanes>
  FIRN_HD void advance(Group& g, const Vec<int, D>& home, bool fuse, const Lanes& lanes) const {
    using T = typename Lanes::Value;
    prefetch(lanes);
    Vec<T, D> x;
    for (int a = 0; a < D; ++a) x[a] = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
    Motion<T> motion;
    gather(g, home, lanes, x, motion);
    measure(g, lanes, motion.v);
    move(g, home, lanes, motion, x);
    const Mat<T, D> stress = constitutive.advance(g, lanes, motion.grad_v);

    const PackStencil<D, Degree, Set, Lanes> s(x, grid.inv_dx, home);
    const auto late = lanes.active() && s.overshoot() >= T(Real(1));
    const std::uint32_t n_late = fuse ? lanes.mark(particles.late[lanes.chunk], late) : 0;
    const bool any_late = n_late > 0;
    if (!fuse || any_late || params.flip > 0) store_velocity(lanes, motion.v);
    if (!fuse || any_late) store(lanes, motion, stress);
    if (!fuse) return;
    const Real reach = lanes.maximum(max(s.overshoot(), T(Real(0))));
    lanes.once([&] {
      g.atomic_max(control->overshoot, static_cast<double>(reach));
      if (any_late) g.atomic_increment(control->late, n_late);
    });
    scatter(g, lanes, s, late, motion, stress);
  }

  template <class Lanes>
  FIRN_HD void prefetch(const Lanes& lanes) const {
    lanes.prefetch_next(particles.x, D);
    lanes.prefetch_next(particles.displacement, D * D);
    lanes.prefetch_next(particles.mass, 1);
    lanes.prefetch_next(particles.volume, 1);
    if (params.flip > 0) lanes.prefetch_next(particles.v, D);
  }

  template <class Group, class Lanes, class T>
  FIRN_HD void gather(Group& g, const Vec<int, D>& home, const Lanes& lanes, const Vec<T, D>& x,
                      Motion<T>& motion) const {
    const PackStencil<D, Degree, Set, Lanes> s(x, grid.inv_dx, home);
    typename Lanes::template Table<kModes * D> modes;
    typename Lanes::template Table<D * D> slopes;
    typename Lanes::template Table<D> increments;
    lanes.for_each_lane([&](int i, std::uint32_t) {
      const auto own = s.of(i);
      const Node<Real>* velocities = g.scratch.velocity.node + s.index(i);
      Node<Real> c[kModes];
      if constexpr (Set == ModeSet::kAffine)
        gather_affine<Tile::kLayout>(own, &AxisStencil<Degree, Real>::linear, velocities, c);
      else
        gather_tensor<axis_modes(Set), Tile::kLayout>(own, velocities, c);
      for (int r = 0; r < kModes; ++r)
        for (int a = 0; a < D; ++a) modes.at(r * D + a, i) = c[r][a];
      if (params.gradient_force) {
        Node<Real> column[1 + D];
        gather_affine<Tile::kLayout>(own, &AxisStencil<Degree, Real>::dw, velocities, column);
        for (int b = 0; b < D; ++b)
          for (int a = 0; a < D; ++a) slopes.at(b * D + a, i) = column[1 + b][a];
      }
      if constexpr (kApart) {
        const Node<Real> mean =
            gather_mean<Tile::kLayout>(own, g.scratch.apart.increment.node + s.index(i));
        for (int a = 0; a < D; ++a) increments.at(a, i) = mean[a];
      }
    });

    const auto active = lanes.active();
    for (int r = 0; r < kModes; ++r)
      for (int a = 0; a < D; ++a) motion.c[r][a] = select(active, modes.get(r * D + a), T(Real(0)));
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b)
        motion.grad_v(a, b) =
            T(grid.inv_dx) * (params.gradient_force
                                  ? select(active, slopes.get(b * D + a), T(Real(0)))
                                  : motion.c[linear_mode(Set, D, b)][a]);
    for (int a = 0; a < D; ++a) {
      motion.v[a] = motion.c[0][a];
      if constexpr (kApart)
        motion.v[a] = blended_velocity(
            params,
            select(active, lanes.load(channel_row(particles.v, lanes.chunk, D, a)), T(Real(0))),
            select(active, increments.get(a), T(Real(0))), motion.c[0][a]);
    }
    scale_parts(s, motion);
    for (int r = 1; r < kModes; ++r)
      if ((params.mask >> r & 1u) == 0)
        for (int a = 0; a < D; ++a) motion.c[r][a] = T(Real(0));
  }

  template <class Stencils, class T>
  FIRN_HD void scale_parts(const Stencils& s, Motion<T>& motion) const {
    const PartScales<Real> scales{params};
    if (!scales.active()) return;
    for (int a = 0; a < D; ++a) {
      T(&column_a)[D] = motion.c[linear_mode(Set, D, a)];
      for (int b = a + 1; b < D; ++b) {
        T(&column_b)[D] = motion.c[linear_mode(Set, D, b)];
        scales.apply(second_moment<Degree>(s.offset(a)), second_moment<Degree>(s.offset(b)),
                     column_b[a], column_a[b]);
      }
      column_a[a] = T(static_cast<Real>(params.symmetric)) * column_a[a];
    }
  }

  // The largest speed, and velocities that are none.
  template <class Group, class Lanes, class T>
  FIRN_HD void measure(Group& g, const Lanes& lanes, const Vec<T, D>& v) const {
    const T speed_squared = norm_squared(v);
    const auto finite = is_finite(speed_squared);
    const Real fastest = lanes.maximum(speed_squared);
    lanes.once([&] { g.atomic_max(control->speed_squared, static_cast<double>(fastest)); });
    if (all(finite)) return;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      if (!Lanes::test(finite, i)) report(g, Fault::kVelocity, lanes.chunk, lane);
    });
  }

  // With the interpolated velocity, then out of bodies.
  template <class Group, class Lanes, class T>
  FIRN_HD void move(Group& g, const Vec<int, D>& home, const Lanes& lanes, const Motion<T>& motion,
                    Vec<T, D>& x) const {
    for (int a = 0; a < D; ++a) {
      const auto moved = move_along(a, bounds, *control, grid.inv_dx, x[a],
                                    T(static_cast<Real>(control->dt)) * motion.c[0][a]);
      x[a] = moved.x;
      if (!any(moved.strays)) continue;
      lanes.for_each_lane([&](int i, std::uint32_t lane) {
        if (Lanes::test(moved.strays, i)) report(g, Fault::kPositionRange, lanes.chunk, lane);
      });
    }
    const BodyGuard<D, Real> guard(bodies, grid.dx);
    for (int c = 0; c < guard.count; ++c)
      if (guard.reaches(home, c)) push_out(guard, c, lanes, motion, x);
    for (int a = 0; a < D; ++a) lanes.store(channel_row(particles.x, lanes.chunk, D, a), x[a]);
  }
  template <class Lanes, class T>
  FIRN_HD void push_out(const BodyGuard<D, Real>& guard, int c, const Lanes& lanes,
                        const Motion<T>& motion, Vec<T, D>& x) const {
    typename Lanes::template Table<2 * D> table;
    const Real dt = static_cast<Real>(control->dt);
    for (int a = 0; a < D; ++a) table.set(a, x[a]), table.set(D + a, motion.c[0][a]);
    lanes.for_each_lane([&](int i, std::uint32_t) {
      Vec<Real, D> at, moved;
      for (int a = 0; a < D; ++a) at[a] = table.at(a, i), moved[a] = table.at(D + a, i);
      guard.push_out(c, at - dt * moved, at, dt, false);
      for (int a = 0; a < D; ++a) table.at(a, i) = at[a];
    });
    for (int a = 0; a < D; ++a) x[a] = table.get(a);
  }

  template <class Lanes, class T>
  FIRN_HD void store_velocity(const Lanes& lanes, const Vec<T, D>& v) const {
    for (int a = 0; a < D; ++a) lanes.store(channel_row(particles.v, lanes.chunk, D, a), v[a]);
  }
  template <class Lanes, class T>
  FIRN_HD void store(const Lanes& lanes, const Motion<T>& motion, const Mat<T, D>& stress) const {
    constitutive.store_stress(lanes, stress);
    const int stored = particles.coefficient_modes;
    if (stored == 0) return;
    for (int r = 1; r < kModes; ++r)
      for (int a = 0; a < D; ++a)
        lanes.store(channel_row(particles.coefficients, lanes.chunk, stored * D, (r - 1) * D + a),
                    motion.c[r][a]);
  }

  // P2G of the next step for the particles that are not late.
  template <class Group, class Lanes, class Stencils, class Mask, class T>
  FIRN_HD void scatter(Group& g, const Lanes& lanes, const Stencils& s, const Mask& late,
                       const Motion<T>& motion, const Mat<T, D>& stress) const {
    constexpr int kForce = kModes * D + 1, kRows = kForce + D * D;
    const Contribute contribution{params, static_cast<Real>(control->dt) * grid.inv_dx};
    const bool sums_force = contribution.sums_force();
    typename Lanes::template Table<kRows> rows;
    const T m = lanes.load(channel_row(particles.mass, lanes.chunk, 1, 0));
    const T scale =
        T(impulse_scale<Degree>(params, static_cast<Real>(control->next_dt), grid.inv_dx));
    for (int a = 0; a < D; ++a) rows.set(a, m * motion.v[a]);
    rows.set(kModes * D, m);
    for (int r = 1; r < kModes; ++r)
      for (int a = 0; a < D; ++a) rows.set(r * D + a, m * motion.c[r][a]);
    for (int b = 0; b < D; ++b)
      for (int a = 0; a < D; ++a) {
        const T force = scale * stress(a, b);
        const int mode = linear_mode(Set, D, b);
        if (sums_force)
          rows.set(mode * D + a, m * motion.c[mode][a] + force);
        else
          rows.set(kForce + b * D + a, force);
      }
    const auto on_time = [&](int i, std::uint32_t) { return !Lanes::test(late, i); };
    lanes.for_each_in_turn(on_time, [&](int i, std::uint32_t, const auto& turns_at) {
      const auto own = s.of(i);
      const int at = s.index(i);
      const auto turns = turns_at(at);
      Node<Real> c[kModes];
      for (int r = 0; r < kModes; ++r) c[r] = node_of(rows, r * D, i);
      c[0].set(3, rows.at(kModes * D, i));
      Node<Real>* momentum = g.scratch.momentum.node + at;
      if (sums_force)
        return Contribute::take(turns, [&](const auto& turn) {
          contribution.template add_modes<Tile::kLayout>(turn, own, c, momentum);
        });
      Node<Real> force[D];
      for (int a = 0; a < D; ++a) force[a] = node_of(rows, kForce + a * D, i);
      Node<Real>* apart = momentum;
      if constexpr (kApart) apart = g.scratch.apart.impulse.node + at;
      Contribute::take(turns, [&](const auto& turn) {
        contribution.template add<Tile::kLayout>(turn, own, c, force, momentum, apart);
      });
    });
  }
  template <class Table>
  FIRN_HD static Node<Real> node_of(const Table& rows, int first, int i) {
    return Node<Real>::make(rows.at(first, i), rows.at(first + 1, i),
                            D == 3 ? rows.at(first + D - 1, i) : Real(0), Real(0));
  }

  template <class Group>
  FIRN_HD void report(Group& g, Fault fault, std::uint32_t chunk, std::uint32_t lane) const {
    g.atomic_min(control->fault, pack_fault(fault, channel_row(particles.id, chunk, 1, 0)[lane]));
  }
};

template <class Exec, int D, class Real>
void g2p2g(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
           const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
           const EnergyView& energies, const ParticleView<Real>& particles,
           const GridView<Real>& grid, StepControl* control, std::uint32_t block_bound) {
  const ConstitutiveUpdate<D, Real> constitutive{materials, particles, energies, control};
  const auto launch = [&](auto degree, auto set, auto apart) {
    using Op =
        G2P2G<D, decltype(degree)::value, decltype(set)::value, decltype(apart)::value, Real>;
    // Scenes that would need the others are not fused.
    constexpr bool kFits =
        fuses_on_cuda(decltype(degree)::value, D, Op::kModes, sizeof(Real), decltype(apart)::value);
    static_assert(!kFits || sizeof(typename Op::Scratch) <= kCudaArenaBytes);
    if constexpr (kFits || !Exec::kIsCuda)
      launch_coloured(exec, {{nullptr, block_bound}, &control->stop}, grid.colour_begin,
                      int_power(grid.parities, D),
                      Op{params, bounds, bodies, constitutive, particles, grid, control});
  };
  for_instance(params, [&](auto degree, auto set) {
    // FLIP's transfers have no modes beyond the affine ones.
    if constexpr (decltype(set)::value == ModeSet::kAffine)
      if (params.separate_force) return launch(degree, set, std::true_type{});
    launch(degree, set, std::false_type{});
  });
}

}  // namespace firn
