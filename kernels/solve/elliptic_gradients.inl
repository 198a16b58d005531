#pragma once

#include "kernels/solve/conjugate_gradients.inl"
#include "kernels/solve/elliptic_gradients.h"
#include "kernels/solve/multigrid.h"
#include "kernels/solve/stencil.h"

namespace firn {

template <int D, class Real>
struct PrepareGuess {
  static constexpr const char* kName = "prepare_guess";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {};
  EllipticVectors<Real> v;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const std::uint64_t first = std::uint64_t{block} * CellTraits<D>::kCells;
    if (v.level.kind[block] == kBlockEmpty) {
      g.for_each(CellTraits<D>::kCells, [&](std::uint32_t i) {
        v.solution[first + i] = v.residual[first + i] = Real(0);
        v.direction[first + i] = v.work[first + i] = Real(0);
      });
      g.for_each(kReductionColumns,
                 [&](std::uint32_t c) { v.partials[std::uint64_t{c} * v.max_blocks + block] = 0; });
      return;
    }
    if (v.level.kind[block] == kBlockUniform) return;
    const GeneralRows<D, Real> rows{v.level, block};
    Real* x = v.solution + first;
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      strips.for_each([&](const auto& at) {
        using Value = decltype(rows.diagonal(at));
        at.store(x, at.first, rows.diagonal(at) != Value{} ? at.load(x, at.first) : Value{});
      });
    });
  }
};

template <int D, class Real>
struct ComputeResidual {
  static constexpr const char* kName = "compute_residual";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  struct Scratch {
    BlockMaxima<Real> maxima[kReductionColumns];
  };
  EllipticVectors<Real> v;
  bool ignore_solution;

  template <class Group>
  FIRN_FLAT FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (v.level.kind[block] == kBlockEmpty) return;
    const std::uint64_t first = std::uint64_t{block} * kCells;
    const BlockField<D, Real> x(v.level, v.solution, block);
    const Real with = ignore_solution ? Real(0) : Real(1);
    auto& maxima = g.scratch.maxima;
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      with_rows<D>(v.level, block, [&](const auto& rows) {
        strips.for_each([&](const auto& at) {
          const auto diagonal = rows.diagonal(at), given = at.load(v.rhs + first, at.first);
          const auto b = diagonal != decltype(given){} ? given : decltype(given){};
          const auto r = b - with * rows.product(at, x);
          at.store(v.residual + first, at.first, r);
          at.store(v.direction + first, at.first, decltype(given){});
          at.store(maxima[0].term, at.first, magnitude<Real>(r));
          at.store(maxima[1].term, at.first, magnitude<Real>(b));
          at.store(maxima[2].term, at.first, magnitude<Real>(diagonal * x.own(at.first)));
        });
      });
    });
    for (std::uint32_t c = 0; c < kReductionColumns; ++c)
      store_block_maximum(g, maxima[c], v.partials + std::uint64_t{c} * v.max_blocks + block);
  }
};

template <int D, class Real>
struct UpdateDirection {
  static constexpr const char* kName = "update_direction";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {};
  EllipticVectors<Real> v;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (v.level.kind[g.index()] == kBlockEmpty) return;
    const std::uint64_t first = std::uint64_t{g.index()} * CellTraits<D>::kCells;
    const Real beta = static_cast<Real>(v.control->beta);
    Real* p = v.direction + first;
    const Real* z = v.work + first;
    g.template for_each_line<CellTraits<D>::kCells>(
        1, [&](std::uint32_t, std::uint32_t i) { p[i] = z[i] + beta * p[i]; });
  }
};

template <int D, class Real>
struct ApplyOperator {
  static constexpr const char* kName = "apply_operator";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  using Scratch = BlockSums;
  EllipticVectors<Real> v;

  template <class Group>
  FIRN_FLAT FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (v.level.kind[block] == kBlockEmpty) return;
    const std::uint64_t first = std::uint64_t{block} * CellTraits<D>::kCells;
    const BlockField<D, Real> p(v.level, v.direction, block);
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      with_rows<D>(v.level, block, [&](const auto& rows) {
        strips.for_each(
            [&](const auto& at) { at.store(v.work + first, at.first, rows.product(at, p)); });
      });
    });
    store_block_product(g, g.scratch, v.direction + first, v.work + first, v.partials + block);
  }
  template <class Fetch>
  FIRN_HD void prefetch(std::uint32_t block, Fetch fetch) const {
    prefetch_stencil<D>(v.level, v.direction, block, fetch);
  }
};

template <int D, class Real>
struct UpdateSolution {
  static constexpr const char* kName = "update_solution";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  using Scratch = BlockMaxima<Real>;
  EllipticVectors<Real> v;
  template <class Group>
  FIRN_FLAT FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (v.level.kind[block] == kBlockEmpty) return;
    const std::uint64_t first = std::uint64_t{block} * CellTraits<D>::kCells;
    const Real alpha = static_cast<Real>(v.control->alpha);
    Real *x = v.solution + first, *r = v.residual + first, *work = v.work + first;
    const Real* p = v.direction + first;
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      with_rows<D>(v.level, block, [&](const auto& rows) {
        strips.for_each([&](const auto& at) {
          const std::uint32_t i = at.first;
          at.store(x, i, at.load(x, i) + alpha * at.load(p, i));
          const auto left = at.load(r, i) - alpha * at.load(work, i);
          at.store(r, i, left);
          at.store(g.scratch.term, i, magnitude<Real>(left));
          const auto guess = rows.first_guess(at, left);
          at.store(work, i, at.is_colour(kRed) ? guess : decltype(guess){});
        });
      });
    });
    store_block_maximum(g, g.scratch, v.partials + block);
  }
};

template <class Exec, int D, class Real>
void prepare_guess(Exec& exec, const EllipticVectors<Real>& v, std::uint32_t blocks) {
  launch_groups(exec, {{nullptr, blocks}, &v.control->stopped}, PrepareGuess<D, Real>{v});
}
template <class Exec, int D, class Real>
void compute_residual(Exec& exec, const EllipticVectors<Real>& v, bool ignore_solution,
                      EllipticTerm<Real>* term, std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->stopped;
  launch_groups(exec, {{nullptr, blocks}, stop}, ComputeResidual<D, Real>{v, ignore_solution});
  if (term != nullptr && !ignore_solution) term->subtract_product(v, blocks);
  reduce_blocks(exec, FinishResidual{kEpsilon<Real>}, v.partials, blocks, v.max_blocks, v.control,
                stop);
}
template <class Exec, int D, class Real>
void update_direction(Exec& exec, const EllipticVectors<Real>& v, std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->done;
  reduce_blocks(exec, FinishPrecondition{}, v.partials, blocks, v.max_blocks, v.control, stop);
  launch_groups(exec, {{nullptr, blocks}, stop}, UpdateDirection<D, Real>{v});
}
template <class Exec, int D, class Real>
void apply_operator(Exec& exec, const EllipticVectors<Real>& v, EllipticTerm<Real>* term,
                    std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->done;
  launch_groups(exec, {{nullptr, blocks}, stop}, ApplyOperator<D, Real>{v});
  if (term != nullptr) term->add_product(v, blocks);
  reduce_blocks(exec, FinishProduct{}, v.partials, blocks, v.max_blocks, v.control, stop);
}
template <class Exec, int D, class Real>
void update_solution(Exec& exec, const EllipticVectors<Real>& v, std::uint32_t blocks) {
  const std::uint32_t* stop = &v.control->done;
  launch_groups(exec, {{nullptr, blocks}, stop}, UpdateSolution<D, Real>{v});
  reduce_blocks(exec, FinishUpdate{}, v.partials, blocks, v.max_blocks, v.control, stop);
}

}  // namespace firn
