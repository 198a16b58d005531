// What lies on the grid between fused steps follows its blocks into a new layout. See rebuild.h.
#pragma once

#include "kernels/grid/rebuild.h"

namespace firn {

// Before a layout is replaced: the keys of its blocks.
struct SaveKeys {
  static constexpr const char* kName = "save_keys";
  const std::uint64_t* keys;
  std::uint64_t* saved;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    if (control->grid_saved == 0) saved[i] = keys[i];
  }
};
template <class Real>
struct SaveNodes {
  static constexpr const char* kName = "save_nodes";
  static constexpr int kThreads = 256;
  struct Scratch {};
  const Real* nodes;
  Real* saved;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (control->grid_saved != 0 || control->carried == 0) return;
    const std::uint64_t first = std::uint64_t{g.index()} * kNodeReals;
    g.for_each(kNodeReals, [&](std::uint32_t i) { saved[first + i] = nodes[first + i]; });
  }
  static constexpr std::uint32_t kNodeReals = 64 * 4;
};
struct NoteSaved {
  static constexpr const char* kName = "note_saved";
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    if (control->grid_saved == 0) control->saved_blocks = control->n_blocks;
    control->grid_saved = 1;
  }
};

// Fills the blocks of the new layout with what they held in the old one; with zeros where they are
// new, or where nothing is carried from the last step.
template <class Real>
struct CarryNodes {
  static constexpr const char* kName = "carry_nodes";
  static constexpr int kThreads = 256;
  struct Scratch {
    std::uint32_t from;
  };
  const std::uint64_t *keys, *saved_keys;
  const Real* saved;
  Real* nodes;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.once([&] { g.scratch.from = control->carried != 0 ? find(keys[g.index()]) : kNoBlock; });
    g.sync();
    constexpr std::uint32_t n = SaveNodes<Real>::kNodeReals;
    Real* to = nodes + std::uint64_t{g.index()} * n;
    if (g.scratch.from == kNoBlock) return g.for_each(n, [&](std::uint32_t i) { to[i] = Real(0); });
    const Real* from = saved + std::uint64_t{g.scratch.from} * n;
    g.for_each(n, [&](std::uint32_t i) { to[i] = from[i]; });
  }

  FIRN_HD std::uint32_t find(std::uint64_t key) const {
    const std::uint32_t at = lower_bound(saved_keys, control->saved_blocks, key);
    return at < control->saved_blocks && saved_keys[at] == key ? at : kNoBlock;
  }
};

template <class Exec, class Real>
void save_keys(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
               StepControl* control) {
  launch_items(exec, {{&control->n_blocks, max_blocks}, &control->skip_layout},
               SaveKeys{grid.keys, grid.saved_keys, control});
}

template <class Exec, class Real>
void save_nodes(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
                StepControl* control) {
  const std::uint32_t* skip = &control->skip_layout;
  const DeviceCount blocks{&control->n_blocks, max_blocks};
  save_keys(exec, grid, max_blocks, control);
  launch_groups(exec, {blocks, skip}, SaveNodes<Real>{grid.momentum, grid.nodes, control});
  if (grid.impulse != nullptr)
    launch_groups(exec, {blocks, skip}, SaveNodes<Real>{grid.impulse, grid.increments, control});
  launch_items(exec, {{nullptr, 1}, skip}, NoteSaved{control});
}

template <class Exec, class Real>
void carry_nodes(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
                 StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &control->skip_layout};
  launch_groups(exec, blocks,
                CarryNodes<Real>{grid.keys, grid.saved_keys, grid.nodes, grid.momentum, control});
  if (grid.impulse != nullptr)
    launch_groups(
        exec, blocks,
        CarryNodes<Real>{grid.keys, grid.saved_keys, grid.increments, grid.impulse, control});
}

}  // namespace firn
