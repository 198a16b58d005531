#pragma once

#include "kernels/exec/algorithms.h"
#include "kernels/solve/block_sum.h"
#include "kernels/solve/components.h"
#include "kernels/solve/reduce_blocks.h"
#include "kernels/solve/stencil.h"

namespace firn {

// Labels within each block: the smallest of what the couplings inside the block reach.
template <int D, class Real>
struct LabelBlocks {
  static constexpr const char* kName = "label_blocks";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  struct Scratch {
    Real diagonal[kCells];
    std::uint32_t label[kCells];
    std::uint32_t changed;
  };
  LevelView<Real> level;
  std::uint32_t* labels;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    std::uint32_t* out = labels + std::uint64_t{block} * kCells;
    if (level.kind[block] == kBlockEmpty) {
      g.for_each(kCells, [&](std::uint32_t i) { out[i] = kNoLabel; });
      return;
    }
    if (level.kind[block] == kBlockUniform) {
      g.for_each(kCells, [&](std::uint32_t i) { out[i] = block * kCells; });
      return;
    }
    const GeneralRows<D, Real> rows{level, block};
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      strips.for_each(
          [&](const auto& at) { at.store(g.scratch.diagonal, at.first, rows.diagonal(at)); });
    });
    g.sync();
    std::uint32_t* label = g.scratch.label;
    g.for_each(kCells, [&](std::uint32_t i) {
      label[i] = g.scratch.diagonal[i] != Real(0) ? i : kNoLabel;
    });
    g.once([&] { g.scratch.changed = 1; });
    g.sync();
    while (g.scratch.changed != 0) spread(g, level.conductance + std::uint64_t{block} * D * kCells);
    g.for_each(kCells, [&](std::uint32_t i) {
      out[i] = label[i] == kNoLabel ? kNoLabel : block * kCells + label[i];
    });
  }

  // Labels only decrease, so it does no harm that a cell may see a neighbour before or after its
  // change.
  template <class Group>
  FIRN_HD void spread(Group& g, const Real* k) const {
    std::uint32_t* label = g.scratch.label;
    g.sync();
    g.once([&] { g.scratch.changed = 0; });
    g.sync();
    g.for_each(kCells, [&](std::uint32_t i) {
      const std::uint32_t before = g.load(label[i]);
      std::uint32_t least = before;
      for (int a = 0; a < D; ++a) {
        const std::uint32_t stride = static_cast<std::uint32_t>(CellTraits<D>::stride(a));
        const std::uint32_t at = i / stride % CellTraits<D>::kSide;
        const Real* k_axis = k + static_cast<std::uint32_t>(a) * kCells;
        if (at > 0 && k_axis[i] != Real(0)) least = smaller(least, g.load(label[i - stride]));
        if (at + 1 < CellTraits<D>::kSide && k_axis[i + stride] != Real(0))
          least = smaller(least, g.load(label[i + stride]));
      }
      if (least == before) return;
      g.store(label[i], least);
      g.store(g.scratch.changed, 1u);
    });
    g.sync();
  }
  FIRN_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

template <class Device>
FIRN_HD inline std::uint32_t root_of(const Device& device, const std::uint32_t* labels,
                                     std::uint32_t cell) {
  std::uint32_t next = device.load(labels[cell]);
  while (next != cell) {
    cell = next;
    next = device.load(labels[cell]);
  }
  return cell;
}

// Joins the components on both sides of the faces below a block. A root is only ever hung below a
// smaller one, so the smallest cell of a component is its last root, whoever comes first.
template <int D, class Real>
struct UniteBlocks {
  static constexpr const char* kName = "unite_blocks";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  struct Scratch {};
  LevelView<Real> level;
  std::uint32_t* labels;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (!is_coupled(level.kind[block])) return;
    for (int a = 0; a < D; ++a) {
      const std::uint32_t other = level.neighbours[std::uint64_t{2 * D} * block + 2 * a];
      if (other == kNoBlock) continue;
      if (level.kind[block] == kBlockUniform && level.kind[other] == kBlockUniform) {
        g.once([&] { unite(g, block * kCells, other * kCells); });
        continue;
      }
      const Real* k =
          level.conductance + (std::uint64_t{block} * D + static_cast<std::uint32_t>(a)) * kCells;
      g.for_each(CellTraits<D>::kFace, [&](std::uint32_t f) {
        const std::uint32_t cell = face_cell<D>(a, f, 0);
        if (k[cell] != Real(0))
          unite(g, block * kCells + cell,
                other * kCells + face_cell<D>(a, f, CellTraits<D>::kSide - 1));
      });
    }
  }
  template <class Group>
  FIRN_HD void unite(Group& g, std::uint32_t a, std::uint32_t b) const {
    // Coefficients that cancel. Others may be hanging these cells below theirs meanwhile.
    if (g.load(labels[a]) == kNoLabel || g.load(labels[b]) == kNoLabel) return;
    a = root_of(g, labels, a), b = root_of(g, labels, b);
    while (a != b) {
      const std::uint32_t high = a > b ? a : b, low = a > b ? b : a;
      if (g.compare_exchange(labels[high], high, low) == high) return;
      a = root_of(g, labels, high), b = root_of(g, labels, low);
    }
  }
};

struct FlattenLabels {
  static constexpr const char* kName = "flatten_labels";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {};
  std::uint32_t* labels;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    std::uint32_t last = kNoLabel, root = kNoLabel;  // cells of one block mostly share a label
    g.for_each(64, [&](std::uint32_t i) {
      const std::uint32_t cell = g.index() * 64 + i, label = g.load(labels[cell]);
      if (is_flagged(label)) return;
      if (label != last) last = label, root = root_of(g, labels, label);
      g.store(labels[cell], root);
    });
  }
};

template <class Real>
struct GroundRoots {
  static constexpr const char* kName = "ground_roots";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {};
  const Real *dirichlet, *mass;
  std::uint32_t* labels;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(64, [&](std::uint32_t i) {
      const std::uint32_t cell = g.index() * 64 + i;
      if (dirichlet[cell] == Real(0) && (mass == nullptr || mass[cell] == Real(0))) return;
      const std::uint32_t label = g.load(labels[cell]), root = label & ~kGrounded;
      if (label == kNoLabel) return;
      if ((g.load(labels[root]) & kGrounded) == 0) g.atomic_or(labels[root], kGrounded);
    });
  }
};

// Roots without a flag are those of singular components. Runs over the bound: 0 beyond the count.
struct CountRoots {
  static constexpr const char* kName = "count_roots";
  DeviceCount blocks;
  const std::uint32_t* labels;
  std::uint32_t* flags;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    std::uint32_t roots = 0;
    if (blocks.value == nullptr || block < *blocks.value)
      for (std::uint32_t i = 0; i < 64; ++i) roots += labels[block * 64 + i] == block * 64 + i;
    flags[block] = roots;
  }
};
struct AdoptComponents {
  static constexpr const char* kName = "adopt_components";
  DeviceCount blocks;
  const std::uint32_t* ranks;
  SolveControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    const std::uint32_t n =
        blocks.value != nullptr && *blocks.value < blocks.bound ? *blocks.value : blocks.bound;
    control->singular_components = ranks[n];
  }
};
struct NumberRoots {
  static constexpr const char* kName = "number_roots";
  std::uint32_t* labels;
  const std::uint32_t* ranks;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    std::uint32_t number = ranks[block];
    for (std::uint32_t cell = block * 64; cell < block * 64 + 64; ++cell)
      if (labels[cell] == cell) labels[cell] = kSingular | number++;
  }
};
// Roots keep their label, since other cells look at them.
struct NumberCells {
  static constexpr const char* kName = "number_cells";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {
    std::uint32_t label[64];
  };
  std::uint32_t* labels;
  std::int64_t* cells;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    std::uint32_t* own = labels + std::uint64_t{g.index()} * 64;
    g.for_each(64, [&](std::uint32_t i) {
      const std::uint32_t label = own[i];
      const std::uint32_t number = is_flagged(label) ? label : labels[label];
      if (number != label) own[i] = is_singular(number) ? number : kNoLabel;
      g.scratch.label[i] = number;
    });
    g.sync();
    g.once([&] {
      for (std::uint32_t i = 0, run = 0; i < 64; i += run) {
        const std::uint32_t label = g.scratch.label[i];
        for (run = 1; i + run < 64 && g.scratch.label[i + run] == label;) ++run;
        if (is_singular(label)) g.atomic_add(cells[label - kSingular], run);
      }
    });
  }
};

struct ClearSums {
  static constexpr const char* kName = "clear_sums";
  std::int64_t* sums;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    sums[i] = 0;
  }
};

template <class Real>
struct SumComponents {
  static constexpr const char* kName = "sum_components";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  struct Scratch {};
  const Real* channel;
  const std::uint32_t* labels;
  std::int64_t* sums;
  SumScale scale;
  const SolveControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const double unit = scale.unit(control->residual);
    if (!(unit > 0) || !(unit <= kLargest<double>)) return;
    const std::uint64_t first = std::uint64_t{g.index()} * 64;
    g.once([&] {
      for (std::uint64_t i = first, end = first + 64; i < end;) {
        const std::uint32_t label = labels[i];
        double sum = 0;
        for (; i < end && labels[i] == label; ++i) sum += static_cast<double>(channel[i]);
        if (is_singular(label))
          g.atomic_add(sums[label - kSingular], static_cast<std::int64_t>(sum / unit));
      }
    });
  }
};

template <class Real>
struct SubtractMeans {
  static constexpr const char* kName = "subtract_means";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  using Scratch = BlockMaxima<Real>;
  Real* channel;
  const std::uint32_t* labels;
  const std::int64_t *sums, *cells;
  SumScale scale;
  double* partials;
  const SolveControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const double unit = scale.unit(control->residual);
    Real* own = channel + std::uint64_t{g.index()} * 64;
    const std::uint32_t* label = labels + std::uint64_t{g.index()} * 64;
    g.for_each(64, [&](std::uint32_t i) {
      if (const std::uint32_t c = label[i] - kSingular; is_singular(label[i]) && cells[c] > 0) {
        const double mean = static_cast<double>(sums[c]) / static_cast<double>(cells[c]) * unit;
        own[i] = static_cast<Real>(static_cast<double>(own[i]) - mean);
      }
      g.scratch.term[i] = magnitude<Real>(own[i]);
    });
    store_block_maximum(g, g.scratch, partials + g.index());
  }
};

template <class Real>
struct MeasureChannel {
  static constexpr const char* kName = "measure_channel";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  using Scratch = BlockMaxima<Real>;
  const Real* channel;
  double* partials;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real* own = channel + std::uint64_t{g.index()} * 64;
    g.for_each(64, [&](std::uint32_t i) { g.scratch.term[i] = magnitude<Real>(own[i]); });
    store_block_maximum(g, g.scratch, partials + g.index());
  }
};

template <class Exec, int D, class Real>
void find_components(Exec& exec, const ComponentView<Real>& v, DeviceCount blocks,
                     const std::uint32_t* stop) {
  const LaunchRange range{blocks, stop};
  launch_groups(exec, range, LabelBlocks<D, Real>{v.level, v.labels});
  launch_groups(exec, range, UniteBlocks<D, Real>{v.level, v.labels});
  launch_groups(exec, range, FlattenLabels{v.labels});
  launch_groups(exec, range, GroundRoots<Real>{v.level.dirichlet, v.level.mass, v.labels});
  launch_items(exec, {{nullptr, blocks.bound}, stop}, CountRoots{blocks, v.labels, v.flags});
  exclusive_scan(exec, v.flags, blocks, stop, v.ranks);
  launch_items(exec, {{nullptr, 1}, stop}, AdoptComponents{blocks, v.ranks, v.control});
}

template <class Exec, int D, class Real>
void number_components(Exec& exec, const ComponentView<Real>& v, std::uint32_t components,
                       std::uint32_t blocks) {
  launch_items(exec, {{nullptr, components}, nullptr}, ClearSums{v.cells});
  launch_items(exec, {{nullptr, blocks}, nullptr}, NumberRoots{v.labels, v.ranks});
  launch_groups(exec, {{nullptr, blocks}, nullptr}, NumberCells{v.labels, v.cells});
}

struct UntieComponents {
  static constexpr const char* kName = "untie_components";
  std::int64_t* cells;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    if (cells[c] < 0) cells[c] = -cells[c];
  }
};
template <class Exec>
void untie_components(Exec& exec, std::int64_t* cells, std::uint32_t components) {
  launch_items(exec, {{nullptr, components}, nullptr}, UntieComponents{cells});
}

template <class Exec, int D, class Real>
void remove_means(Exec& exec, const ComponentView<Real>& v, Real* channel, bool measured,
                  double* partials, std::uint32_t components, std::uint32_t blocks,
                  const std::uint32_t* stop) {
  const LaunchRange range{{nullptr, blocks}, stop};
  const SumScale scale = SumScale::of(blocks);
  if (!measured) {
    launch_groups(exec, range, MeasureChannel<Real>{channel, partials});
    reduce_blocks(exec, FinishNorm{}, partials, blocks, v.max_blocks, v.control, stop);
  }
  launch_items(exec, {{nullptr, components}, stop}, ClearSums{v.sums});
  launch_groups(exec, range, SumComponents<Real>{channel, v.labels, v.sums, scale, v.control});
  launch_groups(
      exec, range,
      SubtractMeans<Real>{channel, v.labels, v.sums, v.cells, scale, partials, v.control});
  reduce_blocks(exec, FinishNorm{}, partials, blocks, v.max_blocks, v.control, stop);
}

}  // namespace firn
