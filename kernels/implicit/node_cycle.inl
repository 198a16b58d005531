// The parts of a cycle over the levels of multigrid.h.
#pragma once

#include "kernels/implicit/node_places.h"
#include "kernels/implicit/nodes.h"
#include "kernels/solve/conjugate_gradients.inl"
#include "kernels/solve/minres.inl"

namespace firn {

// residual = rhs - A solution; or A solution, where there is no rhs.
template <int D, class Real>
struct SubtractNodes {
  static constexpr const char* kName = "subtract_nodes";
  static constexpr int kThreads = 64;
  struct Scratch {
    float sum[D][kPackRows];
  };
  NodeLevel<Real> level;
  const Real* rhs;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    auto& sum = g.scratch.sum;
    const std::uint64_t pack = g.index();
    g.for_each(kPackRows, [&](std::uint32_t i) {
      for (int a = 0; a < D; ++a) sum[a][i] = 0;
    });
    const float* matrix = level.matrix + pack * kCoupledNodes<D> * D * D * kPackRows;
    const std::uint32_t* column = level.column + pack * kCoupledNodes<D> * kPackRows;
    for (int k = 0; k < kCoupledNodes<D>; ++k, matrix += D * D * kPackRows, column += kPackRows)
      g.for_each(kPackRows, [&](std::uint32_t i) {
        const Real* in = level.solution + 4 * std::uint64_t{column[i]};
        float total[D] = {};
        for (int c = 0; c < D; ++c) {
          const auto value = static_cast<float>(in[c]);
          for (int a = 0; a < D; ++a) total[a] += matrix[(a * D + c) * kPackRows + i] * value;
        }
        for (int a = 0; a < D; ++a) sum[a][i] += total[a];
      });
    g.for_each(kPackRows, [&](std::uint32_t i) {
      const std::uint64_t row = pack * kPackRows + i;
      if (row >= level.rows) return;
      const std::uint64_t node = level.row_node[row];
      for (int a = 0; a < D; ++a) {
        const Real product = static_cast<Real>(sum[a][i]);
        level.residual[4 * node + a] = rhs == nullptr ? product : rhs[4 * node + a] - product;
      }
    });
  }
};

template <int D, class Real>
FIRN_HD inline Vec<Real, D> times_inverse(const NodeLevel<Real>& level, std::uint64_t node,
                                          const Real* values) {
  Vec<Real, D> r = Vec<Real, D>::zero();
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b)
      r[a] += level.inverse[8 * node + symmetric_entry<D>(a, b)] * values[4 * node + b];
  return r;
}

template <int D, class Real>
struct SmoothNodes {
  static constexpr const char* kName = "smooth_nodes";
  static constexpr int kThreads = 64;
  struct Scratch {};
  NodeLevel<Real> level;
  bool from_zero;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real damping = *level.damping;
    ImplicitNodes<D, Real>::for_each_node(g, [&](std::uint64_t node, std::uint32_t) {
      const Vec<Real, D> step =
          damping * times_inverse<D>(level, node, from_zero ? level.rhs : level.residual);
      for (int a = 0; a < D; ++a) {
        Real& z = level.solution[4 * node + a];
        z = from_zero ? step[a] : z + step[a];
      }
    });
  }
};

// A power iteration: solution = D^-1 residual, whose length beside that of the solution before
// tells the eigenvalue.
template <int D, class Real>
struct PowerStep {
  static constexpr const char* kName = "power_step";
  static constexpr int kThreads = 64;
  struct Scratch {
    double sums[2][BlockTraits<D>::kNodes];
  };
  NodeLevel<Real> level;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    auto& sums = g.scratch.sums;
    ImplicitNodes<D, Real>::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      const Vec<Real, D> x = times_inverse<D>(level, node, level.residual);
      sums[0][i] = sums[1][i] = 0;
      for (int a = 0; a < D; ++a) {
        Real& old = level.solution[4 * node + a];
        sums[0][i] += static_cast<double>(x[a]) * static_cast<double>(x[a]);
        sums[1][i] += static_cast<double>(old) * static_cast<double>(old);
        old = x[a];
      }
    });
    g.sync();
    g.for_each(2, [&](std::uint32_t c) {
      double sum = 0;
      for (double term : sums[c]) sum += term;
      level.partials[std::uint64_t{c} * level.blocks + g.index()] = sum;
    });
  }
};
struct FinishDamping {
  static constexpr const char* kName = "finish_damping";
  static constexpr int kColumns = 2;
  static constexpr bool kMaximum = false;
  // Power iterations see the largest eigenvalue from below. The cycle is positive as long as it is
  // less than 1.4 times what they saw.
  static constexpr double kStep = 1.43;
  template <class Real>
  FIRN_HD void operator()(Real& damping, const double* v) const {
    damping = v[0] > 0 && v[1] > 0 ? static_cast<Real>(kStep * sqrt(v[1] / v[0])) : Real(0);
  }
};
// Values without a pattern, from a node's number.
template <int D, class Real>
struct ScatterValues {
  static constexpr const char* kName = "scatter_values";
  static constexpr int kThreads = 64;
  struct Scratch {};
  NodeLevel<Real> level;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    ImplicitNodes<D, Real>::for_each_node(g, [&](std::uint64_t node, std::uint32_t) {
      for (int a = 0; a < D; ++a) {
        std::uint64_t bits = (4 * node + a + 1) * 0x9e3779b97f4a7c15ull;  // 2^64 / golden ratio
        bits ^= bits >> 29;
        bits *= 0xbf58476d1ce4e5b9ull;  // splitmix64, Steele et al. 2014
        level.solution[4 * node + a] =
            static_cast<Real>(bits >> 40) * Real(1.0 / (1 << 23)) - Real(1);
      }
    });
  }
};

template <int D, class Real>
struct RestrictNodes {
  static constexpr const char* kName = "restrict_nodes";
  static constexpr int kThreads = 64;
  using Places = NodePlaces<D>;
  struct Scratch {};
  NodeLevel<Real> coarse;
  const Real* values;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(Places::kNodes, [&](std::uint32_t i) {
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
      Vec<Real, D> sum = Vec<Real, D>::zero();
      Places::for_each_finer(coarse, g.index(), local, [&](std::uint64_t from, Real w, bool) {
        for (int a = 0; a < D; ++a) sum[a] += w * values[4 * from + a];
      });
      ImplicitNodes<D, Real>::put(coarse.rhs, std::uint64_t{g.index()} * Places::kNodes + i, sum);
    });
  }
};

template <int D, class Real>
FIRN_HD inline Vec<Real, D> prolonged(const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse,
                                      std::uint32_t block, std::uint32_t i) {
  Vec<Real, D> sum = Vec<Real, D>::zero();
  NodePlaces<D>::for_each_coarser(finer, block, local_of_node<D>(static_cast<int>(i)),
                                  [&](std::uint64_t node, Real w) {
                                    for (int a = 0; a < D; ++a)
                                      sum[a] += w * coarse.solution[4 * node + a];
                                  });
  return sum;
}

template <int D, class Real>
struct ProlongNodes {
  static constexpr const char* kName = "prolong_nodes";
  static constexpr int kThreads = 64;
  struct Scratch {};
  NodeLevel<Real> finer, coarse;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    ImplicitNodes<D, Real>::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      const Vec<Real, D> z = prolonged<D>(finer, coarse, g.index(), i);
      for (int a = 0; a < D; ++a) finer.solution[4 * node + a] += z[a];
    });
  }
};

template <int D, class Real>
struct ProlongToGrid : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "prolong_to_grid";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {};
  NodeLevel<Real> finest, coarse;
  Real* out;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t i) {
      if (problem.view.kind[node] < kNodeHeld) return;
      Base::put(out, node, Base::project(node, prolonged<D>(finest, coarse, g.index(), i)));
    });
  }
};

template <class Exec, int D, class Real>
void find_damping(Exec& exec, const NodeLevel<Real>& level) {
  constexpr int kSteps = 12;
  launch_groups(exec, blocks_of(level), ScatterValues<D, Real>{level});
  for (int i = 0; i < kSteps; ++i) {
    launch_groups(exec, packs_of(level), SubtractNodes<D, Real>{level, nullptr});
    launch_groups(exec, blocks_of(level), PowerStep<D, Real>{level});
  }
  reduce_blocks(exec, FinishDamping{}, level.partials, level.blocks, level.blocks, level.damping,
                nullptr);
}
template <class Exec, int D, class Real>
void subtract_nodes(Exec& exec, const NodeLevel<Real>& level, const std::uint32_t* stop) {
  launch_groups(exec, packs_of(level, stop), SubtractNodes<D, Real>{level, level.rhs});
}
template <class Exec, int D, class Real>
void smooth_nodes(Exec& exec, const NodeLevel<Real>& level, bool from_zero,
                  const std::uint32_t* stop) {
  launch_groups(exec, blocks_of(level, stop), SmoothNodes<D, Real>{level, from_zero});
}
template <class Exec, int D, class Real>
void restrict_nodes(Exec& exec, const NodeLevel<Real>& coarse, const Real* values,
                    const std::uint32_t* stop) {
  launch_groups(exec, blocks_of(coarse, stop), RestrictNodes<D, Real>{coarse, values});
}
template <class Exec, int D, class Real>
void prolong_nodes(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse,
                   const std::uint32_t* stop) {
  launch_groups(exec, blocks_of(finer, stop), ProlongNodes<D, Real>{finer, coarse});
}
template <class Exec, int D, class Real>
void prolong_to_grid(Exec& exec, const ImplicitProblem<Real, D>& p, const NodeLevel<Real>& finest,
                     const NodeLevel<Real>& coarse, Real* out, const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, finest.blocks}, stop},
                ProlongToGrid<D, Real>{{p}, finest, coarse, out});
}

}  // namespace firn
