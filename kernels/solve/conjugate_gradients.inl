#pragma once

#include <type_traits>

#include "kernels/solve/conjugate_gradients.h"
#include "kernels/solve/krylov.inl"

namespace firn {

// --- decisions ---

// Norms of a space that weighs its values are sums, the others largest magnitudes.
template <bool Weighs>
struct FinishNormOf {
  static constexpr bool kMaximum = !Weighs;
  static FIRN_HD double norm(double v) { return Weighs ? sqrt(v) : v; }
};

// Columns: norms of the residual, of the right-hand side, of diagonal times solution.
// Storing the solution rounds each value by up to epsilon / 2, which changes the residual by up to
// epsilon / 2 times twice the diagonal times the value: no solution of this precision is sure to do
// better.
template <bool Weighs>
struct FinishResidualOf : FinishNormOf<Weighs> {
  static constexpr const char* kName = "finish_residual";
  static constexpr int kColumns = kReductionColumns;
  using FinishNormOf<Weighs>::norm;
  double epsilon;
  explicit FinishResidualOf(double epsilon) : epsilon(epsilon) {}
  FIRN_HD void operator()(SolveControl& c, const double* v) const {
    c.removed_means = c.singular_components > 0 ? norm(v[1]) : 0;
    c.residual = norm(v[0]);
    if (c.singular_components == 0) c.rhs = norm(v[1]);
    c.rounding = epsilon * (norm(v[2]) + c.removed_means);
  }
};
using FinishResidual = FinishResidualOf<false>;

struct AdoptRhs {
  static constexpr const char* kName = "adopt_rhs";
  SolveControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    control->rhs = control->residual;
  }
};

struct JudgeResidual {
  static constexpr const char* kName = "judge_residual";
  // Evaluating a residual rounds each of its five terms and more, none larger than the diagonal
  // times the solution, by up to epsilon / 2: where starting again and again does not lower it,
  // that is what is left.
  static constexpr double kEvaluation = 3;
  // Of the right-hand side as given: a solution whose rounding hides more than that solves nothing,
  // however large it has become.
  static constexpr double kHidden = 0.1;
  SolveControl* control;
  bool initial;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    SolveControl& c = *control;
    if (initial) {
      c.initial = c.residual;
      c.failed = 0;
      c.tolerance = tolerance_for(c, c.rhs);
    }
    if (!finite(c.residual) || !finite(c.rhs)) return fail(c);
    if (c.failed != 0 && c.iterations < c.max_iterations) return;  // the iteration broke down
    const bool tells = c.residual <= kHidden * (c.rhs > c.removed_means ? c.rhs : c.removed_means);
    c.rounding_limited = c.residual > c.tolerance && c.residual <= c.rounding && tells ? 1 : 0;
    c.failed = 0;
    c.done = c.residual <= c.tolerance || c.rounding_limited != 0 ? 1 : 0;
    if (c.done != 0) return;
    if (c.restarts == kMaxRestarts && c.residual <= kEvaluation * c.rounding && tells) {
      c.rounding_limited = c.done = 1;
      return;
    }
    if (c.iterations >= c.max_iterations || c.restarts == kMaxRestarts) return fail(c);
    if (!initial) ++c.restarts;
    c.target = c.tolerance > 0.5 * c.rounding ? c.tolerance : 0.5 * c.rounding;
    c.rz = 0;
  }
};

struct FinishPrecondition {
  static constexpr const char* kName = "finish_precondition";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(SolveControl& c, const double* v) const {
    if (!(v[0] > 0) || !finite(v[0])) return fail(c);
    c.beta = c.rz > 0 ? v[0] / c.rz : 0;
    c.rz = v[0];
  }
};
struct FinishProduct {
  static constexpr const char* kName = "finish_product";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(SolveControl& c, const double* v) const {
    if (!(v[0] > 0) || !finite(v[0])) return fail(c);
    c.alpha = c.rz / v[0];
  }
};
template <bool Weighs>
struct FinishUpdateOf : FinishNormOf<Weighs> {
  static constexpr const char* kName = "finish_update";
  static constexpr int kColumns = 1;
  FIRN_HD void operator()(SolveControl& c, const double* v) const {
    c.residual = FinishNormOf<Weighs>::norm(v[0]);
    ++c.iterations;
    if (!finite(c.residual)) return fail(c);
    if (c.residual <= c.target)
      c.done = 1;
    else if (c.iterations >= c.max_iterations)
      fail(c);
  }
};
using FinishUpdate = FinishUpdateOf<false>;

// --- vectors of a space ---

// A block's part of the norm of a residual.
template <class Space>
struct ResidualNorm {
  static constexpr bool kWeighs = requires(const Space& s) { s.weight(std::uint64_t{}); };
  using Real = typename Space::Real;
  using Term = std::conditional_t<kWeighs, double, Real>;
  using Scratch = std::conditional_t<kWeighs, BlockSums, BlockMaxima<Real>>;

  FIRN_HD static void add(Term& term, const Space& space, std::uint64_t at, Real value) {
    if constexpr (kWeighs) {
      const auto exact = static_cast<double>(value);
      term += static_cast<double>(space.weight(at)) * exact * exact;
    } else {
      const Real m = magnitude<Real>(value);
      if (m > term) term = m;
    }
  }
  // The terms of all 64 parts; begins with a barrier.
  template <class Group>
  FIRN_HD static void store(Group& g, Scratch& terms, double* out) {
    if constexpr (kWeighs) {
      for (std::uint32_t n = 32; n > 0; n /= 2) {
        g.sync();
        g.for_each(n, [&](std::uint32_t i) { terms.term[i] += terms.term[i + n]; });
      }
      g.sync();
      g.once([&] { *out = terms.term[0]; });
    } else {
      store_block_maximum(g, terms, out);
    }
  }
};

template <class Space>
struct BeginGradients {
  using Real = typename Space::Real;
  static constexpr const char* kName = "begin_gradients";
  static constexpr int kThreads = 64;
  struct Scratch {};
  ConjugateSpace<Space> s;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for_each_value<Space>(g, [&](std::uint64_t at, std::uint32_t) {
      s.v.work[at] = Real(0);
      // A preconditioner may read the residual of what was an unknown in the last solve.
      if (!s.space.is_active(at)) s.v.solution[at] = s.v.direction[at] = s.v.residual[at] = Real(0);
    });
  }
};

template <class Space, class Product>
struct SubtractProduct {
  using Real = typename Space::Real;
  static constexpr const char* kName = "subtract_product";
  static constexpr int kThreads = 64;
  using Norm = ResidualNorm<Space>;
  struct Scratch {
    typename Norm::Scratch norms[kReductionColumns];
  };
  ConjugateSpace<Space> s;
  Product product;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    auto& norms = g.scratch.norms;
    g.for_each(64, [&](std::uint32_t part) {
      for (auto& n : norms) n.term[part] = 0;
      for (std::uint32_t i = part; i < Space::kValues; i += 64) subtract(g.index(), i, part, norms);
    });
    for (std::uint32_t c = 0; c < kReductionColumns; ++c)
      Norm::store(g, norms[c], s.v.partials + std::uint64_t{c} * s.blocks.bound + g.index());
  }
  FIRN_HD void subtract(std::uint32_t block, std::uint32_t i, std::uint32_t part,
                        typename Norm::Scratch* norms) const {
    const std::uint64_t at = std::uint64_t{block} * Space::kValues + i;
    if (!s.space.is_active(at)) return;
    const Real b = s.v.rhs[at], ax = product(block, i, at), r = b - ax;
    s.v.residual[at] = r;
    s.v.direction[at] = s.v.work[at] = Real(0);
    Norm::add(norms[0].term[part], s.space, at, r);
    Norm::add(norms[1].term[part], s.space, at, b);
    Norm::add(norms[2].term[part], s.space, at, ax);
  }
};

template <class Space>
struct NextConjugate {
  using Real = typename Space::Real;
  static constexpr const char* kName = "next_conjugate";
  static constexpr int kThreads = 64;
  struct Scratch {};
  ConjugateSpace<Space> s;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real beta = static_cast<Real>(s.v.control->beta);
    for_each_value<Space>(g, [&](std::uint64_t at, std::uint32_t) {
      const Real z = s.v.work[at];
      s.v.work[at] = Real(0);
      if (s.space.is_active(at)) s.v.direction[at] = z + beta * s.v.direction[at];
    });
  }
};

template <class Space, class Product>
struct ConjugateProduct {
  using Real = typename Space::Real;
  static constexpr const char* kName = "conjugate_product";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  ConjugateSpace<Space> s;
  Product product;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const auto term = [&](std::uint64_t at, std::uint32_t i) {
      if (!s.space.is_active(at)) return 0.0;
      const Real value = product(g.index(), i, at);
      s.v.work[at] = value;
      return static_cast<double>(value) * static_cast<double>(s.v.direction[at]);
    };
    store_value_sum<Space>(g, g.scratch, term, s.v.partials + g.index());
  }
};

template <class Space>
struct StepAlong {
  using Real = typename Space::Real;
  static constexpr const char* kName = "step_along";
  static constexpr int kThreads = 64;
  using Norm = ResidualNorm<Space>;
  using Scratch = typename Norm::Scratch;
  ConjugateSpace<Space> s;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real alpha = static_cast<Real>(s.v.control->alpha);
    g.for_each(64, [&](std::uint32_t part) {
      typename Norm::Term norm = 0;
      for (std::uint32_t i = part; i < Space::kValues; i += 64) {
        const std::uint64_t at = std::uint64_t{g.index()} * Space::kValues + i;
        if (!s.space.is_active(at)) continue;
        s.v.solution[at] += alpha * s.v.direction[at];
        const Real left = s.v.residual[at] - alpha * s.v.work[at];
        s.v.residual[at] = left;
        s.v.work[at] = Real(0);
        Norm::add(norm, s.space, at, left);
      }
      g.scratch.term[part] = norm;
    });
    Norm::store(g, g.scratch, s.v.partials + g.index());
  }
};

template <class Exec>
void adopt_rhs(Exec& exec, SolveControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->stopped}, AdoptRhs{control});
}
template <class Exec>
void judge_residual(Exec& exec, SolveControl* control, bool initial) {
  launch_items(exec, {{nullptr, 1}, &control->stopped}, JudgeResidual{control, initial});
}

template <class Exec, class Space, class Finish>
void reduce_gradients(Exec& exec, const ConjugateSpace<Space>& s, const Finish& finish,
                      const std::uint32_t* stop) {
  reduce_blocks(exec, finish, s.v.partials, s.blocks.bound, s.blocks.bound, s.v.control, stop);
}
template <class Exec, class Space>
void begin_gradients(Exec& exec, const ConjugateSpace<Space>& s) {
  launch_groups(exec, {s.blocks, &s.v.control->stopped}, BeginGradients<Space>{s});
}
template <class Exec, class Space, class Product>
void subtract_product(Exec& exec, const ConjugateSpace<Space>& s, const Product& product) {
  const std::uint32_t* stop = &s.v.control->stopped;
  launch_groups(exec, {s.blocks, stop}, SubtractProduct<Space, Product>{s, product});
  reduce_gradients(exec, s,
                   FinishResidualOf<ResidualNorm<Space>::kWeighs>{kEpsilon<typename Space::Real>},
                   stop);
}
template <class Exec, class Space, class Inverse>
void next_conjugate(Exec& exec, const ConjugateSpace<Space>& s, const Inverse& inverse) {
  const std::uint32_t* done = &s.v.control->done;
  launch_groups(
      exec, {s.blocks, done},
      Precondition<Space, Inverse>{s.space, inverse, s.v.residual, s.v.work, s.v.partials});
  reduce_gradients(exec, s, FinishPrecondition{}, done);
  launch_groups(exec, {s.blocks, done}, NextConjugate<Space>{s});
}
template <class Exec, class Space, class Product>
void step_along(Exec& exec, const ConjugateSpace<Space>& s, const Product& product) {
  const std::uint32_t* done = &s.v.control->done;
  launch_groups(exec, {s.blocks, done}, ConjugateProduct<Space, Product>{s, product});
  reduce_gradients(exec, s, FinishProduct{}, done);
  launch_groups(exec, {s.blocks, done}, StepAlong<Space>{s});
  reduce_gradients(exec, s, FinishUpdateOf<ResidualNorm<Space>::kWeighs>{}, done);
}

}  // namespace firn
