#pragma once

#include "kernels/fluid/fold.h"
#include "kernels/fluid/solid_geometry.h"

namespace firn {

template <int D>
FIRN_HD inline bool test_face(const std::uint32_t* mask, const CellAddress& at, int axis) {
  return at.exists() && test_bit(mask + face_word<D>(at.block, axis), at.cell);
}

// Faces that keep their own velocity: what apply_pressure leaves as valid.
template <int D, class Real>
struct MarkOwnFaces {
  static constexpr const char* kName = "mark_own_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t own[kWords];
  };
  MacView<Real> mac;
  std::uint32_t* own;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(kWords, [&](std::uint32_t w) { g.scratch.own[w] = 0; });
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (keeps_velocity<D>(mac, {g.index(), i % kCells}, static_cast<int>(i / kCells)))
        g.atomic_or(g.scratch.own[i / 32], 1u << (i % 32));
    });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      own[std::uint64_t{g.index()} * kWords + w] = g.scratch.own[w];
    });
  }
};

// Those and their neighbours that no sticky solid holds.
template <int D, class Real>
struct ReachFaces {
  static constexpr const char* kName = "reach_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t reached[kWords];
  };
  SolidGeometry<D, Real> solids;
  MacView<Real> mac;
  const std::uint32_t* inner;
  std::uint32_t* outer;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* known = inner + std::uint64_t{g.index()} * kWords;
    g.for_each(kWords, [&](std::uint32_t w) { g.scratch.reached[w] = known[w]; });
    g.sync();
    const Vec<int, D> block = block_of_key<D>(solids.grid.keys[g.index()]);
    const bool near = solids.is_near(block);
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (!test_bit(known, i) &&
          reaches(g.index(), block, static_cast<int>(i / kCells), i % kCells, near))
        g.atomic_or(g.scratch.reached[i / 32], 1u << (i % 32));
    });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      outer[std::uint64_t{g.index()} * kWords + w] = g.scratch.reached[w];
    });
  }

  FIRN_HD bool reaches(std::uint32_t rank, const Vec<int, D>& block, int axis, std::uint32_t cell,
                       bool near) const {
    const std::uint64_t face = face_index<D>(rank, axis, cell);
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    bool found = false;
    for (int b = 0; b < D && !found; ++b)
      for (int by = -1; by <= 1; by += 2)
        found = found ||
                test_face<D>(inner, cell_address<D>(mac, rank, stepped<D>(local, b, by)), axis);
    if (!found || !near || mac.area[face] > Real(0)) return found;
    return solids.nearest(solids.face_position(block, local, axis)).boundary !=
           BoundaryType::kSticky;
  }
};

// A face gathers its share of each neighbour of the layer beyond.
template <int D, class Real>
struct FoldLayer {
  static constexpr const char* kName = "fold_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {};
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = inner + std::uint64_t{g.index()} * kWords;
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (test_bit(own, i)) gather(g.index(), static_cast<int>(i / kCells), i % kCells);
    });
  }

  FIRN_HD void gather(std::uint32_t rank, int axis, std::uint32_t cell) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    Node<Real>& face = mac.faces[face_index<D>(rank, axis, cell)];
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const CellAddress at = cell_address<D>(mac, rank, stepped<D>(local, b, by));
        if (!test_face<D>(outer, at, axis) || test_face<D>(inner, at, axis)) continue;
        face += (Real(1) / static_cast<Real>(heirs(at, axis))) *
                mac.faces[face_index<D>(at.block, axis, at.cell)];
      }
  }
  // Faces that a face of the outer layer hands its own to.
  FIRN_HD int heirs(const CellAddress& of, int axis) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(of.cell));
    int count = 0;
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2)
        count += test_face<D>(inner, cell_address<D>(mac, of.block, stepped<D>(local, b, by)), axis)
                     ? 1
                     : 0;
    return count;
  }
};

template <class Exec, int D, class Real>
void fold_faces(Exec& exec, const GridUpdateParams<Real, D>& params, int layers,
                std::uint32_t* masks, const GridView<Real>& grid, const MacView<Real>& mac,
                std::uint32_t max_blocks, const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  const auto mask = [&](int layer) {
    return masks + std::uint64_t{2 * D} * max_blocks * static_cast<std::uint64_t>(layer);
  };
  launch_groups(exec, range, MarkOwnFaces<D, Real>{mac, mask(0)});
  for (int l = 1; l <= layers; ++l)
    launch_groups(exec, range, ReachFaces<D, Real>{{params, grid}, mac, mask(l - 1), mask(l)});
  for (int l = layers; l > 0; --l)
    launch_groups(exec, range, FoldLayer<D, Real>{mac, mask(l - 1), mask(l)});
}

}  // namespace firn
