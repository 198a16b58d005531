#pragma once

#include "kernels/grid/guard.h"
#include "kernels/grid/update.h"
#include "kernels/materials/constitutive.inl"
#include "kernels/math/generic_scalar.h"
#include "kernels/transfer/advance.h"
#include "kernels/transfer/contribution.h"
#include "kernels/transfer/correct_volumes.h"
#include "kernels/transfer/gather.h"
#include "kernels/transfer/pack_stencil.h"
#include "kernels/transfer/tile.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// kApart: forces and FLIP's increments have tiles of their own.
template <int D, int Degree, ModeSet Set, bool kApart, class Real>
struct G2P2G {
  static constexpr const char* kName = "g2p2g";
  using Tile = WideTile<D, Degree, Real>;
  // On CUDA the warps of a group read the same tiles. Each adds to tiles of its own, where its
  // particles take turns. As many as the arena has room for, of four: a block of 64 cells with
  // eight particles each has four chunks for each of them.
  static constexpr int kWarps = kHasNodeRows ? 1 : fused_warps(sizeof(Tile), kApart);
  static constexpr int kThreads = kWarps * kLanes;
  static constexpr bool kFewWarps = true;
  // As the registers allow.
  static constexpr int kResidentGroups =
      (sizeof(Real) == 4 && !kApart && Set == ModeSet::kAffine ? 12 : 8) / kWarps;
  struct Sums {
    Tile momentum;
  };
  struct SumsApart {
    Tile momentum, impulse;
  };
  struct Read {
    Tile velocity;
  };
  struct ReadApart {
    Tile velocity, increment;
  };
  struct Scratch {
    std::conditional_t<kApart, ReadApart, Read> read;
    std::conditional_t<kApart, SumsApart, Sums> of_warp[kWarps];
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

  // What all packs of a group are advanced with, and what a warp's have told so far.
  template <class Lanes>
  struct Pass {
    using T = typename Lanes::Value;
    Vec<int, D> home;
    Real dt, next_dt;
    PositionSum<Real> sum;
    bool fuse, near_bodies;
    T speed_squared = T(Real(0)), overshoot = T(Real(0));
    StiffestSoFar<T> stiffest = {};
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    using Lanes = typename Group::template Lanes<Real>;
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    Pass<Lanes> pass{home,
                     static_cast<Real>(control->dt),
                     static_cast<Real>(control->next_dt),
                     PositionSum<Real>(control->step),
                     control->fuse != 0,
                     BodyGuard<D, Real>(bodies, grid.dx).any_reaches(home)};
    load_wide<D, Degree>(g, g.scratch.read.velocity, grid, block, grid.nodes);
    if constexpr (kApart)
      load_wide<D, Degree>(g, g.scratch.read.increment, grid, block, grid.increments);
    // Of the warps that have a chunk.
    const std::uint32_t chunks = grid.chunk_begin[block + 1] - grid.chunk_begin[block];
    const int summing = chunks < kWarps ? static_cast<int>(chunks) : kWarps;
    if (pass.fuse)
      for (int w = 0; w < summing; ++w) {
        clear_tile(g, g.scratch.of_warp[w].momentum);
        if constexpr (kApart) clear_tile(g, g.scratch.of_warp[w].impulse);
      }
    g.sync();
    for_each_pack_in(g, block, grid, particles, [&](const Lanes& lanes) {
      if constexpr (Set == ModeSet::kAffine)
        advance_flat(g, pass, lanes);
      else
        advance(g, pass, lanes);
    });
    tell(g, pass);
    if (!pass.fuse) return;
    g.sync();
    flush(g, block, grid.momentum, summing, [](const auto& sums) { return &sums.momentum; });
    if constexpr (kApart)
      flush(g, block, grid.impulse, summing, [](const auto& sums) { return &sums.impulse; });
  }

  // What the first `summing` warps have added to the tile that `of` chooses.
  template <class Group, class Of>
  FIRN_HD void flush(Group& g, std::uint32_t block, Real* channel, [[maybe_unused]] int summing,
                     Of&& of) const {
    for_each_wide<D, Degree>(g, grid, block, channel, [&](std::uint32_t t, Node<Real>& node) {
      Node<Real> sum = of(g.scratch.of_warp[0])->node[t];
      for (int w = 1; w < kWarps; ++w)
        if (w < summing) sum += of(g.scratch.of_warp[w])->node[t];
      g.accumulate_global(node, sum);
    });
  }

  // The maxima, once for all packs of a warp: each would wait for what others have told.
  template <class Group, class Lanes>
  FIRN_HD void tell(Group& g, const Pass<Lanes>& pass) const {
    Lanes::with_largest(pass.speed_squared, [&](Real fastest) {
      g.atomic_max(control->speed_squared, static_cast<double>(fastest));
    });
    if (pass.fuse)
      Lanes::with_largest(pass.overshoot, [&](Real reach) {
        g.atomic_max(control->overshoot, static_cast<double>(reach));
      });
    constitutive.template tell<Lanes>(g, pass.stiffest);
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
  FIRN_FLAT FIRN_HD void advance_flat(Group& g, Pass<Lanes>& pass, const Lanes& lanes) const {
    advance(g, pass, lanes);
  }
  template <class Group, class Lanes>
  FIRN_HD void advance(Group& g, Pass<Lanes>& pass, const Lanes& lanes) const {
    using T = typename Lanes::Value;
    prefetch(lanes);
    Vec<T, D> x;
    for (int a = 0; a < D; ++a) x[a] = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
    Motion<T> motion;
    gather(g, pass, lanes, x, motion);
    measure(g, pass, lanes, motion.v);
    move(g, pass, lanes, motion, x);
    const Mat<T, D> stress = constitutive.advance(g, lanes, motion.grad_v, pass.dt, pass.stiffest);

    const PackStencil<D, Degree, Set, Lanes> s(x, grid.inv_dx, pass.home);
    const auto late = lanes.active() && s.overshoot() >= T(Real(1));
    const std::uint32_t n_late = pass.fuse ? lanes.mark(particles.late[lanes.chunk], late) : 0;
    const bool any_late = n_late > 0;
    if (!pass.fuse || any_late || params.flip > 0 || control->velocities != 0)
      store_velocity(lanes, motion.v);
    if (!pass.fuse || any_late) store(lanes, motion, stress);
    if (!pass.fuse) return;
    pass.overshoot = max(pass.overshoot, select(lanes.active(), s.overshoot(), T(Real(0))));
    if (any_late) lanes.once([&] { g.atomic_increment(control->late, n_late); });
    scatter(g, pass, lanes, s, late, motion, stress);
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
  FIRN_HD void gather(Group& g, const Pass<Lanes>& pass, const Lanes& lanes, const Vec<T, D>& x,
                      Motion<T>& motion) const {
    const PackStencil<D, Degree, Set, Lanes> s(x, grid.inv_dx, pass.home);
    typename Lanes::template Table<kModes * D> modes;
    typename Lanes::template Table<D * D> slopes;
    typename Lanes::template Table<D> increments;
    lanes.for_each_lane([&](int i, std::uint32_t) {
      const auto own = s.of(i);
      const Node<Real>* velocities = g.scratch.read.velocity.node + s.index(i);
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
            gather_mean<Tile::kLayout>(own, g.scratch.read.increment.node + s.index(i));
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
    if (holds_volumes(params, *control)) {
      const VolumeDrift<D, Real> drift(constitutive.materials, particles, grid.inv_dx);
      correct_volumes<Degree>(drift, lanes, s, g.scratch.read.velocity.node, pass.home, x,
                              motion.grad_v, volume_span(params, pass.dt));
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
  FIRN_HD void measure(Group& g, Pass<Lanes>& pass, const Lanes& lanes, const Vec<T, D>& v) const {
    const T speed_squared = norm_squared(v);
    const auto finite = is_finite(speed_squared);
    pass.speed_squared = max(pass.speed_squared, select(lanes.active(), speed_squared, T(Real(0))));
    if (all(finite)) return;
    lanes.for_each_lane([&](int i, std::uint32_t lane) {
      if (!Lanes::test(finite, i)) report(g, Fault::kVelocity, lanes.chunk, lane);
    });
  }

  // With the interpolated velocity, then out of bodies.
  template <class Group, class Lanes, class T>
  FIRN_HD void move(Group& g, const Pass<Lanes>& pass, const Lanes& lanes, const Motion<T>& motion,
                    Vec<T, D>& x) const {
    for (int a = 0; a < D; ++a) {
      const auto moved =
          move_along(a, bounds, pass.sum, grid.inv_dx, x[a], T(pass.dt) * motion.c[0][a]);
      x[a] = moved.x;
      if (!any(moved.strays)) continue;
      lanes.for_each_lane([&](int i, std::uint32_t lane) {
        if (Lanes::test(moved.strays, i)) report(g, Fault::kPositionRange, lanes.chunk, lane);
      });
    }
    if (pass.near_bodies) {
      const BodyGuard<D, Real> guard(bodies, grid.dx);
      for (int c = 0; c < guard.count; ++c)
        if (guard.reaches(pass.home, c)) push_out(guard, c, pass.dt, lanes, motion, x);
    }
    for (int a = 0; a < D; ++a) lanes.store(channel_row(particles.x, lanes.chunk, D, a), x[a]);
  }
  template <class Lanes, class T>
  FIRN_HD void push_out(const BodyGuard<D, Real>& guard, int c, Real dt, const Lanes& lanes,
                        const Motion<T>& motion, Vec<T, D>& x) const {
    typename Lanes::template Table<2 * D> table;
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
  FIRN_HD void scatter(Group& g, const Pass<Lanes>& pass, const Lanes& lanes, const Stencils& s,
                       const Mask& late, const Motion<T>& motion, const Mat<T, D>& stress) const {
    constexpr int kForce = kModes * D + 1, kRows = kForce + D * D;
    const Contribute contribution{params, pass.dt * grid.inv_dx};
    const bool sums_force = contribution.sums_force();
    typename Lanes::template Table<kRows> rows;
    const T m = lanes.load(channel_row(particles.mass, lanes.chunk, 1, 0));
    const T scale = T(impulse_scale<Degree>(params, pass.next_dt, grid.inv_dx));
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
    auto& sums = g.scratch.of_warp[kWarps > 1 ? g.warp() : 0];
    const auto on_time = [&](int i, std::uint32_t) { return !Lanes::test(late, i); };
    lanes.for_each_in_turn(on_time, [&](int i, std::uint32_t, const auto& turns_at) {
      const auto own = s.of(i);
      const int at = s.index(i);
      const auto turns = turns_at(at);
      Node<Real> c[kModes];
      for (int r = 0; r < kModes; ++r) c[r] = node_of(rows, r * D, i);
      c[0].set(3, rows.at(kModes * D, i));
      Node<Real>* momentum = sums.momentum.node + at;
      if (sums_force)
        return Contribute::take(turns, [&](const auto& turn) {
          contribution.template add_modes<Tile::kLayout>(turn, own, c, momentum);
        });
      Node<Real> force[D];
      for (int a = 0; a < D; ++a) force[a] = node_of(rows, kForce + a * D, i);
      Node<Real>* apart = momentum;
      if constexpr (kApart) apart = sums.impulse.node + at;
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
