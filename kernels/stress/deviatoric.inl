#pragma once

#include "kernels/mac/extrapolation.h"
#include "kernels/solve/block_sum.h"
#include "kernels/solve/reduce_blocks.h"
#include "kernels/stress/deviatoric_particles.inl"
#include "kernels/stress/deviatoric_pressure.inl"
#include "kernels/transfer/mac.h"

namespace firn {

struct StartDeviatoric {
  static constexpr const char* kName = "start_deviatoric";
  SolveOptions options;
  const std::uint32_t* stop;
  DeviatoricControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    DeviatoricControl c;
    c.done = c.stopped = *stop != 0 ? 1 : 0;
    c.max_iterations = options.max_iterations;
    c.tolerance = options.relative;
    *control = c;
  }
};

// Which faces are solved, and their mass. Closed ones move with their solid.
template <int D, class Real>
struct SetOut {
  static constexpr const char* kName = "set_out";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  DeviatoricView<Real> view;
  Real cell_volume;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = view.layers.mask(0) + face_word<D>(g.index(), 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      Node<Real>& at = mac.faces[face];
      if (mac.area[face] == Real(0)) at.set(kFaceVelocity, at[kFaceBoundaryVelocity]);
      const bool keeps = test_bit(own, i);
      view.mass[face] = keeps ? mass_of(face) : Real(0);
      view.in.face[face] = keeps ? at[kFaceVelocity] : Real(0);
      view.out.face[face] = view.r1[face] = Real(0);
      view.w1.face[face] = view.w2.face[face] = Real(0);
    });
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const std::uint64_t at = cell_index({g.index(), cell});
      view.pressure[at] = view.in.cell[at] = view.out.cell[at] = Real(0);
      view.w1.cell[at] = view.w2.cell[at] = Real(0);
    });
  }
  FIRN_HD Real mass_of(std::uint64_t face) const {
    const Real w = specific_volume(mac, mac.faces[face]);
    return w > Real(0) ? mac.area[face] * cell_volume / w : Real(0);
  }
};

// Of what a solve to a tolerance leaves of a square.
FIRN_HD inline double deviatoric_norm(double square) { return square < 0 ? 0 : sqrt(square); }

// The first residual. Partials, second column: the norm of the velocities, whose rounding is as
// much.
template <int D, class Real>
struct FirstResidual {
  static constexpr const char* kName = "first_residual";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  DeviatoricView<Real> view;
  std::uint32_t max_blocks;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const auto size = [&](std::uint64_t face, std::uint32_t) {
      const Real mass = view.mass[face];
      view.r2[face] = mass > Real(0) ? -dt2 * view.out.face[face] : Real(0);
      const double v = static_cast<double>(view.in.face[face]);
      return static_cast<double>(mass) * v * v;
    };
    store_face_sum<D>(g, g.scratch, size, view.partials + max_blocks + g.index());
  }
};

struct FinishFirst {
  static constexpr const char* kName = "finish_first";
  static constexpr int kColumns = 2;
  static constexpr bool kMaximum = false;
  double epsilon;
  FIRN_HD void operator()(DeviatoricControl& c, const double* v) const {
    c.beta = c.initial = c.residual = c.phibar = deviatoric_norm(v[0]);
    c.rounding = 4 * epsilon * sqrt(v[1]);
    c.tolerance *= c.initial;
    if (c.tolerance < c.rounding) c.tolerance = c.rounding;
    if (!(c.initial <= kLargest<double>)) c.failed = c.done = 1;
    if (c.initial <= c.tolerance) c.done = 1;
  }
};

// Ends the iteration before: x += phi w. Begins the next: in = v = z / beta.
template <int D, class Real>
struct NextDirection {
  static constexpr const char* kName = "next_direction";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  DeviatoricView<Real> view;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const DeviatoricControl& c = *view.control;
    const Real phi = static_cast<Real>(c.phi),
               inverse_beta = static_cast<Real>(c.beta > 0 ? 1 / c.beta : 0);
    const bool first = c.iterations == 0;
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      const Real z = view.out.face[face];
      view.out.face[face] = Real(0);
      if (!(view.mass[face] > Real(0))) return view.in.face[face] = Real(0), void();
      if (!first) {
        const Real w = next(c, view.in.face[face], view.w1.face[face], view.w2.face[face]);
        mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceVelocity] + phi * w);
      }
      view.in.face[face] = z * inverse_beta;
    });
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const std::uint64_t at = cell_index({g.index(), cell});
      if (!first)
        view.pressure[at] += phi * next(c, view.in.cell[at], view.w1.cell[at], view.w2.cell[at]);
      view.in.cell[at] = view.out.cell[at] * inverse_beta;
      view.out.cell[at] = Real(0);
    });
  }
  // The direction that follows w1 and w2, which move on.
  FIRN_HD static Real next(const DeviatoricControl& c, Real v, Real& w1, Real& w2) {
    const Real w =
        (v - static_cast<Real>(c.previous_epsilon) * w1 - static_cast<Real>(c.delta) * w2) *
        static_cast<Real>(1 / c.gamma);
    w1 = w2;
    w2 = w;
    return w;
  }
};

struct CloseDeviatoric {
  static constexpr const char* kName = "close_deviatoric";
  DeviatoricControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    DeviatoricControl& c = *control;
    if (c.iterations == 0) return;
    if (c.residual <= c.tolerance) c.done = 1;
    if (c.done == 0 && c.iterations >= c.max_iterations) c.failed = c.done = 1;
  }
};

// out = A v - (beta / previous beta) r1, with A v = (M + dt^2 H) v + B' y. Partials: <v, out>.
template <int D, class Real>
struct DeviatoricProduct {
  static constexpr const char* kName = "deviatoric_product";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  DeviatoricView<Real> view;
  PressureForce<D, Real> force;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const DeviatoricControl& c = *view.control;
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const Real ratio = static_cast<Real>(c.iterations > 0 ? c.beta / c.previous_beta : 0);
    const auto product = [&](std::uint64_t face, std::uint32_t i) {
      if (!(view.mass[face] > Real(0))) return 0.0;
      const Real v = view.in.face[face];
      const Real y = view.mass[face] * v + dt2 * view.out.face[face] +
                     force(view.in.cell, g.index(), i) - ratio * view.r1[face];
      view.out.face[face] = y;
      return static_cast<double>(y) * static_cast<double>(v);
    };
    store_face_sum<D>(g, g.scratch, product, view.partials + g.index());
  }
};

struct FinishAlpha {
  static constexpr const char* kName = "finish_alpha";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(DeviatoricControl& c, const double* v) const { c.alpha = v[0]; }
};

// The Lanczos vectors move on.
template <int D, class Real>
struct NextResidual {
  static constexpr const char* kName = "next_residual";
  static constexpr int kThreads = 64;
  struct Scratch {};
  DeviatoricView<Real> view;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real ratio = static_cast<Real>(view.control->alpha / view.control->beta);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      if (!(view.mass[face] > Real(0))) return;
      const Real y = view.out.face[face] - ratio * view.r2[face];
      view.r1[face] = view.r2[face];
      view.r2[face] = y;
    });
  }
};

// The plane rotations that keep the residual least.
struct FinishRotation {
  static constexpr const char* kName = "finish_rotation";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(DeviatoricControl& c, const double* v) const {
    c.previous_beta = c.beta;
    c.beta = deviatoric_norm(v[0]);
    c.previous_epsilon = c.epsilon;
    c.delta = c.cs * c.dbar + c.sn * c.alpha;
    const double gbar = c.sn * c.dbar - c.cs * c.alpha;
    c.epsilon = c.sn * c.beta;
    c.dbar = -c.cs * c.beta;
    c.gamma = sqrt(gbar * gbar + c.beta * c.beta);
    ++c.iterations;
    if (!(c.gamma > 0) || !(c.gamma <= kLargest<double>)) {
      c.failed = c.done = 1;
      return;
    }
    c.cs = gbar / c.gamma;
    c.sn = c.beta / c.gamma;
    c.phi = c.cs * c.phibar;
    c.phibar = c.sn * c.phibar;
    c.residual = c.phibar;
    const double rounding = c.rounding * (c.alpha < 0 ? -c.alpha : c.alpha);
    if (c.tolerance < rounding) c.tolerance = rounding;
  }
};

// --- the solve ---

template <class Real>
LaunchRange deviatoric_blocks(const DeviatoricProblem<Real>& p) {
  return {{&p.control->n_blocks, p.max_blocks}, &p.view.control->done};
}

template <class Exec, int D, class Real>
void apply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p) {
  const LaunchRange blocks = deviatoric_blocks(p);
  extrapolate_channel<Exec, D, Real>(exec, p.view.layers, p.mac, p.view.in.face, blocks);
  const auto apply = [&](auto n) {
    launch_coloured(
        exec, {{nullptr, p.max_blocks}, blocks.stop}, p.grid.colour_begin, BlockTraits<D>::kCorners,
        ApplyDeviatoric<D, decltype(n)::value, Real>{{p.particles, p.grid, p.view, p.control}});
  };
  if (p.degree == 2) apply(std::integral_constant<int, 2>{});
  if (p.degree == 3) apply(std::integral_constant<int, 3>{});
  transpose_channel<Exec, D, Real>(exec, p.view.layers, p.mac, p.view.out.face, blocks);
}

template <class Exec, int D, class Real>
void begin_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p, const SolveOptions& options) {
  const LaunchRange blocks = deviatoric_blocks(p);
  launch_items(exec, {{nullptr, 1}, nullptr},
               StartDeviatoric{options, &p.control->stop, p.view.control});
  launch_groups(exec, blocks, SetOut<D, Real>{p.mac, p.view, power<D>(p.grid.dx)});
  apply_deviatoric<Exec, D, Real>(exec, p);
  launch_groups(exec, blocks, FirstResidual<D, Real>{p.view, p.max_blocks, p.control});
  launch_groups(exec, blocks, DeviatoricOutflow<D, Real>{p.grid, p.mac, p.view});
}

template <class Exec, int D, class Real>
void advance_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p, bool first) {
  const LaunchRange blocks = deviatoric_blocks(p);
  const auto reduce = [&](const auto& finish) {
    reduce_blocks(exec, finish, p.view.partials, p.max_blocks, p.max_blocks, p.view.control,
                  blocks.stop);
  };
  launch_groups(exec, blocks, PreconditionDeviatoric<D, Real>{p.view, pressure_force<D>(p)});
  if (first)
    reduce(FinishFirst{kEpsilon<Real>});
  else
    reduce(FinishRotation{});
  launch_groups(exec, blocks, NextDirection<D, Real>{p.mac, p.view});
  launch_items(exec, {{nullptr, 1}, blocks.stop}, CloseDeviatoric{p.view.control});
}

template <class Exec, int D, class Real>
void multiply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p) {
  const LaunchRange blocks = deviatoric_blocks(p);
  apply_deviatoric<Exec, D, Real>(exec, p);
  launch_groups(exec, blocks, DeviatoricProduct<D, Real>{p.view, pressure_force<D>(p), p.control});
  reduce_blocks(exec, FinishAlpha{}, p.view.partials, p.max_blocks, p.max_blocks, p.view.control,
                blocks.stop);
  launch_groups(exec, blocks, NextResidual<D, Real>{p.view});
  launch_groups(exec, blocks, DeviatoricOutflow<D, Real>{p.grid, p.mac, p.view});
}

template <class Exec, int D, class Real>
void end_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p) {
  MacView<Real> grown = p.mac;
  grown.pressure = p.view.pressure;
  launch_groups(exec, {{&p.control->n_blocks, p.max_blocks}, &p.control->stop},
                EndDeviatoric<D, Real>{p.grid, grown, p.view, p.mac.pressure});
}

}  // namespace firn
