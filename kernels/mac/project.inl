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
    const std::uint64_t first = cell_index({block, 0});
    if (is_dry(mac, block)) {
      Real* conductance = mac.conductance + D * first;
      g.template for_each_line<kCells>(D + 2, [&](std::uint32_t line, std::uint32_t i) {
        Real* to =
            line < D ? conductance + line * kCells : (line == D ? mac.dirichlet : mac.rhs) + first;
        to[i] = Real(0);
      });
      return;
    }
    g.for_each(kCells, [&](std::uint32_t cell) {
      for (int a = 0; a < D; ++a) mac.conductance[face_index<D>(block, a, cell)] = Real(0);
      Real dirichlet = Real(0), outflow = Real(0);
      if (is_fluid(mac, {block, cell})) add_faces(block, cell, dirichlet, outflow);
      mac.dirichlet[first + cell] = dirichlet;
      mac.rhs[first + cell] = -grid.inv_dx * outflow;
    });
  }

  FIRN_HD void add_faces(std::uint32_t block, std::uint32_t cell, Real& dirichlet,
                         Real& outflow) const {
    const CellAddress self{block, cell};
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress upper = side == 0 ? self : cell_beside<D>(mac, self, a, 1);
        const CellAddress other = side == 0 ? cell_beside<D>(mac, self, a, -1) : upper;
        const std::uint64_t face = face_index<D>(upper.block, a, upper.cell);
        const Node<Real> at = mac.faces[face];
        const Real open = mac.area[face];
        const Real k = open * specific_volume(mac, at) * grid.inv_dx * grid.inv_dx;
        if (!is_fluid(mac, other))
          dirichlet += k / surface_distance<D>(mac, self, other, a, 2 * side - 1);
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
    std::uint32_t of_fluid[kWords];
  };
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    find_fluid_faces<D>(g, mac, g.index(), g.scratch.of_fluid);
    g.sync();
    select_bits(
        g, kWords, [&](std::uint32_t w) { return g.scratch.of_fluid[w]; },
        [&](std::uint32_t i) {
          return correct(g.index(), static_cast<int>(i / kCells), i % kCells);
        },
        [&](std::uint32_t w, std::uint32_t bits) {
          mac.valid[face_word<D>(g.index(), 0) + w] = bits;
        });
  }

  // Whether the velocity of a fluid cell's face holds for the liquid around it.
  FIRN_HD bool correct(std::uint32_t block, int axis, std::uint32_t cell) const {
    const CellAddress upper{block, cell}, lower = cell_beside<D>(mac, upper, axis, -1);
    const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
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
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t of_fluid[kWords];
  };
  bool found;
  GridView<Real> grid;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    find_fluid_faces<D>(g, mac, g.index(), g.scratch.of_fluid);
    g.sync();
    for_each_bit(
        g, kWords,
        [&](std::uint32_t w) {
          return mac.given[face_word<D>(g.index(), 0) + w] | g.scratch.of_fluid[w];
        },
        [&](std::uint32_t i) {
          const std::uint64_t index = face_index<D>(g.index(), 0, i);
          const bool moves = found && test_bit(g.scratch.of_fluid, i) && mac.area[index] > Real(0);
          mac.faces[index].set(kFaceCorrection, moves ? along(g.index(), i, index) : Real(0));
        });
  }
  FIRN_HD Real along(std::uint32_t block, std::uint32_t i, std::uint64_t index) const {
    const int axis = static_cast<int>(i / kCells);
    const CellAddress upper{block, i % kCells}, lower = cell_beside<D>(mac, upper, axis, -1);
    const bool above = is_fluid(mac, upper), below = is_fluid(mac, lower);
    return (elastic_share(mac, upper, lower) - 1) *
           pressure_slope<D>(grid, mac, index, upper, above, lower, below);
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
    DirectionBits<D> known;
    std::uint32_t reached[kWords], wanted;
  };
  MacView<Real> mac;
  bool gaps_only;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const std::uint64_t first = face_word<D>(block, 0);
    if (gaps_only && !is_wanted(g, block)) {
      g.for_each(kWords, [&](std::uint32_t w) { mac.reached[first + w] = mac.valid[first + w]; });
      return;
    }
    g.for_each(D, [&](std::uint32_t axis) {
      const auto at = faces_around<D>(mac, block, [&](std::uint32_t of) {
        return face_bits<D>(mac.valid, of, static_cast<int>(axis));
      });
      at.towards(1, g.scratch.known[axis]);
      std::uint64_t bits = at.own;
      for (const std::uint64_t& known : g.scratch.known[axis]) bits |= known;
      store_word_pair(g.scratch.reached, axis, bits);
    });
    g.sync();
    for_each_bit(
        g, kWords, [&](std::uint32_t w) { return g.scratch.reached[w] & ~mac.valid[first + w]; },
        [&](std::uint32_t i) {
          continue_to(g.scratch.known, {block, i % kCells}, static_cast<int>(i / kCells));
        });
    g.for_each(kWords, [&](std::uint32_t w) { mac.reached[first + w] = g.scratch.reached[w]; });
  }

  // Whether a face of the block or of one beside it has a gap to be filled, or may be read by faces
  // that a boundary holds: as many layers as there are reach no further.
  template <class Group>
  FIRN_HD bool is_wanted(Group& g, std::uint32_t block) const {
    g.once([&] { g.scratch.wanted = 0; });
    g.sync();
    g.for_each(Around<D>::kBlocks, [&](std::uint32_t place) {
      const std::uint32_t other = mac.around[std::uint64_t{block} * Around<D>::kBlocks + place];
      if (other != kNoBlock && (mac.traits[other] & ~kKeptTraits) != 0)
        g.atomic_or(g.scratch.wanted, 1u);
    });
    g.sync();
    return g.scratch.wanted != 0;
  }

  FIRN_HD void continue_to(const DirectionBits<D>& known, const CellAddress& of, int axis) const {
    Real velocity = Real(0), correction = Real(0);
    int count = 0;
    for (int d = 0; d < kDirections<D>; ++d) {
      if (!test_bit(known[axis][d], of.cell)) continue;
      const CellAddress at = cell_towards<D>(mac, of, d, 1);
      const Node<Real>& from = mac.faces[face_index<D>(at.block, axis, at.cell)];
      velocity += from[kFaceVelocity];
      correction += from[kFaceCorrection];
      ++count;
    }
    Node<Real>& face = mac.faces[face_index<D>(of.block, axis, of.cell)];
    face.set(kFaceVelocity, velocity / static_cast<Real>(count));
    face.set(kFaceCorrection, correction / static_cast<Real>(count));
  }
};

// The constrained velocity becomes the face's; increment = it - velocity before, which the forces
// left with its sign changed. Away from boundaries constrain_faces has done so.
template <int D, class Real>
struct CompleteFaces {
  static constexpr const char* kName = "complete_faces";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!has_boundary(mac, g.index())) return;
    for_each_bit(
        g, 2 * D, [&](std::uint32_t w) { return looked_at<D>(mac, g.index(), w); },
        [&](std::uint32_t i) {
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
void extrapolate_faces(Exec& exec, int layers, bool gaps_only, const MacView<Real>& mac,
                       std::uint32_t max_blocks, const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  for (int layer = 0; layer < layers; ++layer)
    launch_groups(exec, range, ExtrapolateLayer<D, Real>{after_layers(layer, mac), gaps_only});
}

}  // namespace firn
