#pragma once

#include "kernels/solve/krylov.inl"
#include "kernels/solve/minres.h"

namespace firn {

template <class Space>
struct ClearMinres {
  static constexpr const char* kName = "clear_minres";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MinresView<Space> m;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    using Real = typename Space::Real;
    for_each_value<Space>(g, [&](std::uint64_t at, std::uint32_t) {
      m.v.out.value[at] = m.v.r1[at] = m.v.w1.value[at] = m.v.w2.value[at] = Real(0);
    });
    const std::uint64_t first = std::uint64_t{g.index()} * Space::kCompanions;
    g.for_each(Space::kCompanions, [&](std::uint32_t i) {
      m.v.out.companion[first + i] = Real(0);
      m.v.w1.companion[first + i] = m.v.w2.companion[first + i] = Real(0);
    });
  }
};

// Of r . G^-1 r. A preconditioner that is not positive definite breaks the iteration; one that is
// itself a solve may leave so much of a residual that is as good as none.
FIRN_HD inline double minres_norm(MinresControl& c, double square) {
  if (square < -1e-14 * c.initial * c.initial) fail(c);
  return square < 0 ? 0 : sqrt(square);
}

struct FinishFirst {
  static constexpr const char* kName = "finish_first";
  static constexpr int kColumns = 2;
  static constexpr bool kMaximum = false;
  double epsilon;
  FIRN_HD void operator()(MinresControl& c, const double* v) const {
    c.initial = 0;
    c.beta = c.initial = c.residual = c.phibar = minres_norm(c, v[0]);
    c.rounding = 4 * epsilon * sqrt(v[1]);  // over the norm of the matrix
    c.tolerance = tolerance_for(c, c.initial);
    if (c.tolerance < c.rounding) c.tolerance = c.rounding;
    if (!finite(c.initial)) fail(c);
    if (c.initial <= c.tolerance) c.done = 1;
  }
};

// The plane rotations that keep the residual least.
struct FinishRotation {
  static constexpr const char* kName = "finish_rotation";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(MinresControl& c, const double* v) const {
    c.previous_beta = c.beta;
    c.beta = minres_norm(c, v[0]);
    if (c.failed != 0) return;
    c.previous_epsilon = c.epsilon;
    c.delta = c.cs * c.dbar + c.sn * c.alpha;
    const double gbar = c.sn * c.dbar - c.cs * c.alpha;
    c.epsilon = c.sn * c.beta;
    c.dbar = -c.cs * c.beta;
    c.gamma = sqrt(gbar * gbar + c.beta * c.beta);
    ++c.iterations;
    if (!(c.gamma > 0) || !finite(c.gamma)) return fail(c);
    c.cs = gbar / c.gamma;
    c.sn = c.beta / c.gamma;
    c.phi = c.cs * c.phibar;
    c.phibar = c.sn * c.phibar;
    c.residual = c.phibar;
    const double rounding = c.rounding * (c.alpha < 0 ? -c.alpha : c.alpha);
    if (c.tolerance < rounding) c.tolerance = rounding;
  }
};

// Ends the iteration before: x += phi w. Begins the next: in = v = z / beta.
template <class Space>
struct NextDirection {
  using Real = typename Space::Real;
  static constexpr const char* kName = "next_direction";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MinresView<Space> m;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const MinresVectors<Real>& v = m.v;
    const MinresControl& c = *v.control;
    const Real phi = static_cast<Real>(c.phi),
               inverse_beta = static_cast<Real>(c.beta > 0 ? 1 / c.beta : 0);
    const bool first = c.iterations == 0;
    for_each_value<Space>(g, [&](std::uint64_t at, std::uint32_t) {
      const Real z = v.out.value[at];
      v.out.value[at] = Real(0);
      if (!m.space.is_active(at)) return v.in.value[at] = Real(0), void();
      if (!first) m.space.add(at, phi, next(c, v.in.value[at], v.w1.value[at], v.w2.value[at]));
      v.in.value[at] = z * inverse_beta;
    });
    if constexpr (Space::kCompanions > 0)
      g.for_each(Space::kCompanions, [&](std::uint32_t i) {
        const std::uint64_t at = std::uint64_t{g.index()} * Space::kCompanions + i;
        if (!first)
          m.space.add_companion(
              at, phi, next(c, v.in.companion[at], v.w1.companion[at], v.w2.companion[at]));
        v.in.companion[at] = v.out.companion[at] * inverse_beta;
        v.out.companion[at] = Real(0);
      });
  }
  // The direction that follows w1 and w2, which move on.
  FIRN_HD static Real next(const MinresControl& c, Real v, Real& w1, Real& w2) {
    const Real w =
        (v - static_cast<Real>(c.previous_epsilon) * w1 - static_cast<Real>(c.delta) * w2) *
        static_cast<Real>(1 / c.gamma);
    w1 = w2;
    w2 = w;
    return w;
  }
};

struct CloseIteration {
  static constexpr const char* kName = "close_iteration";
  MinresControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    MinresControl& c = *control;
    if (c.iterations == 0) return;
    if (c.residual <= c.tolerance) c.done = 1;
    if (c.done == 0 && c.iterations >= c.max_iterations) fail(c);
  }
};

// out = A v - (beta / previous beta) r1. Partials: <v, out>.
template <class Space, class Product>
struct LanczosProduct {
  using Real = typename Space::Real;
  static constexpr const char* kName = "lanczos_product";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  MinresView<Space> m;
  Product product;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const MinresControl& c = *m.v.control;
    const Real ratio = static_cast<Real>(c.iterations > 0 ? c.beta / c.previous_beta : 0);
    const auto term = [&](std::uint64_t at, std::uint32_t i) {
      if (!m.space.is_active(at)) return 0.0;
      const Real y = product(g.index(), i, at) - ratio * m.v.r1[at];
      m.v.out.value[at] = y;
      return static_cast<double>(y) * static_cast<double>(m.v.in.value[at]);
    };
    store_value_sum<Space>(g, g.scratch, term, m.v.partials + g.index());
  }
};

struct FinishAlpha {
  static constexpr const char* kName = "finish_alpha";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(MinresControl& c, const double* v) const { c.alpha = v[0]; }
};

// The Lanczos vectors move on.
template <class Space>
struct NextResidual {
  static constexpr const char* kName = "next_residual";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MinresView<Space> m;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    using Real = typename Space::Real;
    const Real ratio = static_cast<Real>(m.v.control->alpha / m.v.control->beta);
    for_each_value<Space>(g, [&](std::uint64_t at, std::uint32_t) {
      if (!m.space.is_active(at)) return;
      const Real y = m.v.out.value[at] - ratio * m.v.r2[at];
      m.v.r1[at] = m.v.r2[at];
      m.v.r2[at] = y;
    });
  }
};

template <class Exec, class Space, class Finish>
void reduce_minres(Exec& exec, const MinresView<Space>& m, const Finish& finish) {
  reduce_blocks(exec, finish, m.v.partials, m.blocks.bound, m.blocks.bound, m.v.control,
                &m.v.control->done);
}

template <class Exec, class Space>
void begin_minres(Exec& exec, const MinresView<Space>& m, const SolveOptions& options,
                  const std::uint32_t* stop) {
  begin_solve(exec, options, stop, MinresControl{}, m.v.control);
  launch_groups(exec, {m.blocks, &m.v.control->done}, ClearMinres<Space>{m});
}

template <class Exec, class Space, class Inverse>
void advance_minres(Exec& exec, const MinresView<Space>& m, const Inverse& inverse, bool first) {
  const std::uint32_t* done = &m.v.control->done;
  launch_groups(
      exec, {m.blocks, done},
      Precondition<Space, Inverse>{m.space, inverse, m.v.r2, m.v.out.value, m.v.partials});
  if (first)
    reduce_minres(exec, m, FinishFirst{kEpsilon<typename Space::Real>});
  else
    reduce_minres(exec, m, FinishRotation{});
  launch_groups(exec, {m.blocks, done}, NextDirection<Space>{m});
  launch_items(exec, {{nullptr, 1}, done}, CloseIteration{m.v.control});
}

template <class Exec, class Space, class Product>
void multiply_minres(Exec& exec, const MinresView<Space>& m, const Product& product) {
  launch_groups(exec, {m.blocks, &m.v.control->done}, LanczosProduct<Space, Product>{m, product});
  reduce_minres(exec, m, FinishAlpha{});
  launch_groups(exec, {m.blocks, &m.v.control->done}, NextResidual<Space>{m});
}

}  // namespace firn
