#pragma once

#include "kernels/liquid/separating_walls.h"
#include "kernels/mac/pressure_slope.h"

namespace firn {

template <int D, class Real>
struct SwitchWalls {
  static constexpr const char* kName = "switch_walls";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  static constexpr int kWords = 2 * D;
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;
  std::uint32_t* changed;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t first = std::uint64_t{g.index()} * kWords;
    // One thread per word, so that each writes its own.
    g.for_each(kWords, [&](std::uint32_t w) {
      const std::uint32_t separates = mac.separates[first + w];
      if (separates == 0) return;
      const std::uint32_t before = mac.opened[first + w];
      std::uint32_t after = before;
      for (std::uint32_t bit = 0; bit < 32; ++bit)
        if ((separates >> bit & 1u) != 0 &&
            switches(g.index(), 32 * w + bit, (before >> bit & 1u) != 0))
          after ^= 1u << bit;
      if (after == before) return;
      mac.opened[first + w] = after;
      g.atomic_or(*changed, 1u);
    });
  }

  // Liquid that slides along a wall is under no pressure but what rounding and the tolerance of the
  // solve leave: that opens no face. As a share of the velocity at the face.
  static constexpr Real kLeastTension = Real(1e-4);

  // Face i of the block: opens under tension, closes where liquid would enter.
  FIRN_HD bool switches(std::uint32_t block, std::uint32_t i, bool opened) const {
    const int axis = static_cast<int>(i / kCells);
    const CellAddress upper{block, i % kCells};
    const CellAddress lower = cell_address<D>(
        mac, block, stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)), axis, -1));
    const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
    if (above == below) return false;
    const std::uint64_t index = face_index<D>(block, axis, upper.cell);
    const Node<Real>& face = mac.faces[index];
    if (opened) {
      const Real leaving = face[0] -
                           pressure_slope<D>(grid, mac, index, upper, above, lower, below) -
                           face[kFaceBoundaryVelocity];
      return above ? leaving < Real(0) : leaving > Real(0);
    }
    // As a velocity over one cell.
    const Real tension =
        -mac.pressure[cell_index(above ? upper : lower)] * specific_volume(mac, face) * grid.inv_dx;
    return tension > kLeastTension * (abs(face[0]) + abs(face[kFaceBoundaryVelocity]));
  }
};

// The areas of what may open, once all of it is decided: a slope looks at those of the faces about.
template <int D, class Real>
struct SetSwitchedAreas {
  static constexpr const char* kName = "set_switched_areas";
  static constexpr int kThreads = 64;
  static constexpr int kWords = 2 * D;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t first = std::uint64_t{g.index()} * kWords;
    Real* area = mac.area + face_index<D>(g.index(), 0, 0);
    g.for_each(kWords, [&](std::uint32_t w) {
      const std::uint32_t separates = mac.separates[first + w], opened = mac.opened[first + w];
      for (std::uint32_t bit = 0; separates != 0 && bit < 32; ++bit)
        if ((separates >> bit & 1u) != 0)
          area[32 * w + bit] = (opened >> bit & 1u) != 0 ? Real(1) : Real(0);
    });
  }
};

template <class Exec, int D, class Real>
void switch_walls(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                  std::uint32_t* changed, std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                SwitchWalls<D, Real>{grid, mac, changed});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                SetSwitchedAreas<D, Real>{mac});
}

template <int D, class Real>
struct CloseWalls {
  static constexpr const char* kName = "close_walls";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* opened = mac.opened + std::uint64_t{g.index()} * 2 * D;
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      if (test_bit(opened, i)) mac.area[face_index<D>(g.index(), 0, i)] = Real(0);
    });
  }
};

template <class Exec, int D, class Real>
void close_walls(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                 const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop}, CloseWalls<D, Real>{mac});
}

}  // namespace firn
