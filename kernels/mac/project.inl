#pragma once

#include "kernels/mac/face_masks.h"
#include "kernels/mac/pressure_slope.h"
#include "kernels/mac/project.h"
#include "kernels/transfer/mac.h"

namespace firn {

template <int D, class Real>
struct AssembleProjection {
  static constexpr const char* kName = "assemble_projection";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {};
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    g.for_each(kCells, [&](std::uint32_t cell) {
      for (int a = 0; a < D; ++a) mac.conductance[face_index<D>(block, a, cell)] = Real(0);
      Real dirichlet = Real(0), outflow = Real(0);
      if (is_fluid(mac, {block, cell})) add_faces(block, cell, dirichlet, outflow);
      mac.dirichlet[cell_index({block, cell})] = dirichlet;
      mac.rhs[cell_index({block, cell})] = -grid.inv_dx * outflow;
    });
  }

  FIRN_HD void add_faces(std::uint32_t block, std::uint32_t cell, Real& dirichlet,
                         Real& outflow) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress upper = side == 0 ? CellAddress{block, cell}
                                            : cell_address<D>(mac, block, stepped<D>(local, a, 1));
        const CellAddress other =
            side == 0 ? cell_address<D>(mac, block, stepped<D>(local, a, -1)) : upper;
        const std::uint64_t face = face_index<D>(upper.block, a, upper.cell);
        const Node<Real> at = mac.faces[face];
        const Real open = mac.area[face];
        const Real k = open * specific_volume(mac, at) * grid.inv_dx * grid.inv_dx;
        if (!is_fluid(mac, other))
          dirichlet += k / surface_distance<D>(mac, CellAddress{block, cell}, other);
        else if (side == 0)
          mac.conductance[face] = k;
        const Real flux = open * at[0] + (Real(1) - open) * at[kFaceBoundaryVelocity];
        outflow += side == 0 ? -flux : flux;
      }
  }
};

template <class Exec, int D, class Real>
void assemble_projection(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                         std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                AssembleProjection<D, Real>{grid, mac});
}

template <int D, class Real>
struct ApplyPressure {
  static constexpr const char* kName = "apply_pressure";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t valid[kWords];
  };
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    g.for_each(kWords, [&](std::uint32_t w) { g.scratch.valid[w] = 0; });
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (correct(block, static_cast<int>(i / kCells), i % kCells))
        g.atomic_or(g.scratch.valid[i / 32], 1u << (i % 32));
    });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      mac.valid[std::uint64_t{block} * kWords + w] = g.scratch.valid[w];
    });
  }

  // Whether the face belongs to a fluid cell and its velocity holds for the liquid around it.
  FIRN_HD bool correct(std::uint32_t block, int axis, std::uint32_t cell) const {
    const CellAddress upper{block, cell};
    const CellAddress lower =
        cell_address<D>(mac, block, stepped<D>(local_of_node<D>(static_cast<int>(cell)), axis, -1));
    const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
    if (!above && !below) return false;
    const std::uint64_t index = face_index<D>(block, axis, cell);
    Node<Real>& face = mac.faces[index];
    const Real open = mac.area[index];
    face.set(0, open > Real(0)
                    ? face[0] - pressure_slope<D>(grid, mac, index, upper, above, lower, below)
                    : face[kFaceBoundaryVelocity]);
    return open == Real(0) || open >= Real(kOpenEnough);
  }
};

template <class Exec, int D, class Real>
void apply_pressure(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                    std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ApplyPressure<D, Real>{grid, mac});
}

template <int D, class Real>
struct ApplyCorrection {
  static constexpr const char* kName = "apply_correction";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {};
  bool found;
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const int axis = static_cast<int>(i / kCells);
      const CellAddress upper{g.index(), i % kCells};
      const CellAddress lower = cell_address<D>(
          mac, g.index(), stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)), axis, -1));
      const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
      const std::uint64_t index = face_index<D>(g.index(), axis, upper.cell);
      Node<Real>& face = mac.faces[index];
      const bool moves = found && (above || below) && mac.area[index] > Real(0);
      Real along = Real(0);
      if (moves)
        along = (elastic_share(mac, upper, lower) - 1) *
                pressure_slope<D>(grid, mac, index, upper, above, lower, below);
      face.set(kFaceCorrection, along);
    });
  }
};

template <class Exec, int D, class Real>
void apply_correction(Exec& exec, bool found, const GridView<Real>& grid, const MacView<Real>& mac,
                      std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ApplyCorrection<D, Real>{found, grid, mac});
}

// One layer: faces that are not valid take the mean of the valid ones beside them. Which faces that
// are goes to `reached`, so that no face of the same layer is read.
template <int D, class Real>
struct ExtrapolateLayer {
  static constexpr const char* kName = "extrapolate_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t reached[kWords];
  };
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const std::uint32_t* valid = mac.valid + std::uint64_t{block} * kWords;
    g.for_each(D, [&](std::uint32_t axis) {
      const auto bits = [&](std::uint32_t of) {
        return face_bits<D>(mac.valid, of, static_cast<int>(axis));
      };
      const std::uint64_t reached = bits(block) | beside<D>(mac, block, bits);
      g.scratch.reached[2 * axis] = static_cast<std::uint32_t>(reached);
      g.scratch.reached[2 * axis + 1] = static_cast<std::uint32_t>(reached >> 32);
    });
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (test_bit(g.scratch.reached, i) && !test_bit(valid, i))
        continue_to(block, static_cast<int>(i / kCells), i % kCells);
    });
    g.for_each(kWords, [&](std::uint32_t w) {
      mac.reached[std::uint64_t{block} * kWords + w] = g.scratch.reached[w];
    });
  }

  FIRN_HD void continue_to(std::uint32_t block, int axis, std::uint32_t cell) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    Real velocity = Real(0), correction = Real(0);
    int count = 0;
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const CellAddress at = cell_address<D>(mac, block, stepped<D>(local, b, by));
        if (!at.exists() || !test_bit(mac.valid + face_word<D>(at.block, axis), at.cell)) continue;
        const Node<Real>& known = mac.faces[face_index<D>(at.block, axis, at.cell)];
        velocity += known[kFaceVelocity];
        correction += known[kFaceCorrection];
        ++count;
      }
    Node<Real>& face = mac.faces[face_index<D>(block, axis, cell)];
    face.set(kFaceVelocity, velocity / static_cast<Real>(count));
    face.set(kFaceCorrection, correction / static_cast<Real>(count));
  }
};

// The constrained velocity becomes the face's; increment = it - velocity before, which the forces
// left with its sign changed.
template <int D, class Real>
struct CompleteFaces {
  static constexpr const char* kName = "complete_faces";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      Node<Real>& face = mac.faces[face_index<D>(g.index(), 0, i)];
      const Real velocity = face[kFaceBoundaryVelocity];
      face.set(kFaceVelocity, velocity);
      face.set(kFaceIncrement, velocity + face[kFaceIncrement]);
    });
  }
};

template <class Exec, int D, class Real>
void complete_faces(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                    const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                CompleteFaces<D, Real>{mac});
}

template <class Exec, int D, class Real>
void extrapolate_faces(Exec& exec, int layers, const MacView<Real>& mac, std::uint32_t max_blocks,
                       const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  for (int layer = 0; layer < layers; ++layer)
    launch_groups(exec, range, ExtrapolateLayer<D, Real>{after_layers(layer, mac)});
}

}  // namespace firn
