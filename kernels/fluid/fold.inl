#pragma once

#include <type_traits>

#include "kernels/fluid/face_masks.h"
#include "kernels/fluid/fold.h"
#include "kernels/fluid/solid_geometry.h"
#include "kernels/transfer/mac.h"

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
    std::uint32_t reached[kWords], held[kWords];
  };
  SolidGeometry<D, Real> solids;
  MacView<Real> mac;
  const std::uint32_t* inner;
  std::uint32_t* outer;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D, [&](std::uint32_t axis) {
      const auto bits = [&](std::uint32_t block) {
        return face_bits<D>(inner, block, static_cast<int>(axis));
      };
      const std::uint64_t reached = bits(g.index()) | beside<D>(mac, g.index(), bits);
      g.scratch.reached[2 * axis] = static_cast<std::uint32_t>(reached);
      g.scratch.reached[2 * axis + 1] = static_cast<std::uint32_t>(reached >> 32);
      g.scratch.held[2 * axis] = g.scratch.held[2 * axis + 1] = 0;
    });
    g.sync();
    const Vec<int, D> block = block_of_key<D>(solids.grid.keys[g.index()]);
    const std::uint32_t* known = inner + std::uint64_t{g.index()} * kWords;
    if (solids.is_near(block))
      g.for_each(D * kCells, [&](std::uint32_t i) {
        if (test_bit(g.scratch.reached, i) && !test_bit(known, i) && is_held(g.index(), block, i))
          g.atomic_or(g.scratch.held[i / 32], 1u << (i % 32));
      });
    g.sync();
    g.for_each(kWords, [&](std::uint32_t w) {
      outer[std::uint64_t{g.index()} * kWords + w] = g.scratch.reached[w] & ~g.scratch.held[w];
    });
  }

  FIRN_HD bool is_held(std::uint32_t rank, const Vec<int, D>& block, std::uint32_t i) const {
    if (mac.area[face_index<D>(rank, 0, i)] > Real(0)) return false;
    const Vec<Real, D> x = solids.face_position(
        block, local_of_node<D>(static_cast<int>(i % kCells)), static_cast<int>(i / kCells));
    return solids.nearest(x).boundary == BoundaryType::kSticky;
  }
};

// f(axis, direction, whether the neighbour there has one behind it) for each face of the inner layer
// beside one of the outer layer.
template <int D, class Real, class F>
FIRN_HD inline void for_each_heir(const MacView<Real>& mac, const std::uint32_t* inner,
                                  const CellAddress& of, int axis, F&& f) {
  const Vec<int, D> local = local_of_node<D>(static_cast<int>(of.cell));
  for (int b = 0; b < D; ++b)
    for (int by = -1; by <= 1; by += 2) {
      const CellAddress at = cell_address<D>(mac, of.block, stepped<D>(local, b, by));
      if (!test_face<D>(inner, at, axis)) continue;
      const CellAddress behind = cell_address<D>(mac, of.block, stepped<D>(local, b, 2 * by));
      f(at, behind, test_face<D>(inner, behind, axis));
    }
}
struct Heirs {
  int count = 0;
  bool linear = false;
};
template <int D, class Real>
FIRN_HD inline Heirs heirs(const MacView<Real>& mac, const std::uint32_t* inner,
                           const CellAddress& of, int axis, bool linear) {
  int all = 0, backed = 0;
  for_each_heir<D>(mac, inner, of, axis, [&](const CellAddress&, const CellAddress&, bool has) {
    ++all;
    backed += has ? 1 : 0;
  });
  if (linear && backed > 0) return {backed, true};
  return {all, false};
}

// A face gathers its share of each neighbour of the layer beyond.
template <int D, class Value, class Real>
struct FoldLayer {
  static constexpr const char* kName = "fold_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  struct Scratch {
    std::uint64_t takes[D];
  };
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;
  Value* faces;
  bool linear;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D, [&](std::uint32_t axis) {
      const auto beyond = [&](std::uint32_t block) {
        return face_bits<D>(outer, block, static_cast<int>(axis)) &
               ~face_bits<D>(inner, block, static_cast<int>(axis));
      };
      g.scratch.takes[axis] = face_bits<D>(inner, g.index(), static_cast<int>(axis)) &
                              (linear ? ~std::uint64_t{0} : beside<D>(mac, g.index(), beyond));
    });
    g.sync();
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if ((g.scratch.takes[i / kCells] >> (i % kCells) & 1u) != 0)
        gather(g.index(), static_cast<int>(i / kCells), i % kCells);
    });
  }

  FIRN_HD void gather(std::uint32_t rank, int axis, std::uint32_t cell) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    Value& face = faces[face_index<D>(rank, axis, cell)];
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const CellAddress near = cell_address<D>(mac, rank, stepped<D>(local, b, by)),
                          behind = cell_address<D>(mac, rank, stepped<D>(local, b, -by)),
                          far = cell_address<D>(mac, rank, stepped<D>(local, b, 2 * by));
        if (is_outer(near, axis)) {
          const Heirs h = heirs<D>(mac, inner, near, axis, linear);
          if (!h.linear || test_face<D>(inner, behind, axis))
            add(face, (h.linear ? Real(2) : Real(1)) / static_cast<Real>(h.count), near, axis);
        } else if (linear && test_face<D>(inner, near, axis) && is_outer(far, axis)) {
          const Heirs h = heirs<D>(mac, inner, far, axis, true);
          add(face, Real(-1) / static_cast<Real>(h.count), far, axis);
        }
      }
  }
  FIRN_HD bool is_outer(const CellAddress& at, int axis) const {
    return test_face<D>(outer, at, axis) && !test_face<D>(inner, at, axis);
  }
  FIRN_HD void add(Value& face, Real weight, const CellAddress& from, int axis) const {
    const Value& value = faces[face_index<D>(from.block, axis, from.cell)];
    if constexpr (std::is_same_v<Value, Real>) {
      face += weight * value;
    } else {
      if (linear)
        face.set(kFaceImpulse, face[kFaceImpulse] + weight * value[kFaceImpulse]);
      else
        face += weight * Node<Real>::make(value[0], value[1], value[2], Real(0));
    }
  }
};

// A face of the outer layer takes the mean of those that it follows.
template <int D, class Real>
struct ExtendLayer {
  static constexpr const char* kName = "extend_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {};
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;
  Real* faces;
  bool linear;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t first = std::uint64_t{g.index()} * kWords;
    g.for_each(D * kCells, [&](std::uint32_t i) {
      if (test_bit(outer + first, i) && !test_bit(inner + first, i))
        continue_to(g.index(), static_cast<int>(i / kCells), i % kCells);
    });
  }

  FIRN_HD void continue_to(std::uint32_t rank, int axis, std::uint32_t cell) const {
    const CellAddress of{rank, cell};
    const Heirs h = heirs<D>(mac, inner, of, axis, linear);
    Real sum = Real(0);
    const auto value = [&](const CellAddress& at) {
      return faces[face_index<D>(at.block, axis, at.cell)];
    };
    for_each_heir<D>(mac, inner, of, axis,
                     [&](const CellAddress& at, const CellAddress& behind, bool has) {
                       if (!h.linear) sum += value(at);
                       if (h.linear && has) sum += 2 * value(at) - value(behind);
                     });
    faces[face_index<D>(rank, axis, cell)] = sum / static_cast<Real>(h.count);
  }
};

template <int D, class Real>
struct ExtendSlopes {
  static constexpr const char* kName = "extend_slopes";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {};
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;
  bool first;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t words = std::uint64_t{g.index()} * kWords;
    g.for_each(D * kCells, [&](std::uint32_t i) {
      Node<Real>& face = mac.faces[face_index<D>(g.index(), 0, i)];
      if (first) return face.set(3, face[kFaceVelocity]), void();
      if (!test_bit(outer + words, i) || test_bit(inner + words, i)) return;
      if (!(mac.area[face_index<D>(g.index(), 0, i)] > Real(0))) return;
      const CellAddress of{g.index(), i % kCells};
      const int axis = static_cast<int>(i / kCells);
      const Heirs h = heirs<D>(mac, inner, of, axis, true);
      Real sum = Real(0);
      const auto value = [&](const CellAddress& at) {
        return mac.faces[face_index<D>(at.block, axis, at.cell)][3];
      };
      for_each_heir<D>(mac, inner, of, axis,
                       [&](const CellAddress& at, const CellAddress& behind, bool has) {
                         if (!h.linear) sum += value(at);
                         if (h.linear && has) sum += 2 * value(at) - value(behind);
                       });
      face.set(3, sum / static_cast<Real>(h.count));
    });
  }
};

template <class Exec, int D, class Real>
void extend_slopes(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                   const LaunchRange& blocks) {
  launch_groups(exec, blocks, ExtendSlopes<D, Real>{mac, nullptr, nullptr, true});
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks,
                  ExtendSlopes<D, Real>{mac, layers.mask(l - 1), layers.mask(l), false});
}

template <class Exec, int D, class Real>
void find_layers(Exec& exec, const GridUpdateParams<Real, D>& params, const FaceLayers& layers,
                 const GridView<Real>& grid, const MacView<Real>& mac, const LaunchRange& blocks) {
  launch_groups(exec, blocks, MarkOwnFaces<D, Real>{mac, layers.mask(0)});
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks,
                  ReachFaces<D, Real>{{params, grid}, mac, layers.mask(l - 1), layers.mask(l)});
}

template <int D, class Exec, class Value, class Real>
void fold_layers(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Value* faces,
                 const LaunchRange& blocks, bool linear) {
  for (int l = layers.count; l > 0; --l)
    launch_groups(exec, blocks,
                  FoldLayer<D, Value, Real>{mac, layers.mask(l - 1), layers.mask(l), faces, linear});
}
template <class Exec, int D, class Real>
void fold_faces(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                const LaunchRange& blocks) {
  fold_layers<D>(exec, layers, mac, mac.faces, blocks, false);
  fold_layers<D>(exec, layers, mac, mac.faces, blocks, true);
}
template <class Exec, int D, class Real>
void fold_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Real* channel,
                  const LaunchRange& blocks) {
  fold_layers<D>(exec, layers, mac, channel, blocks, true);
}

template <class Exec, int D, class Real>
void extend_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Real* channel,
                    const LaunchRange& blocks) {
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks,
                  ExtendLayer<D, Real>{mac, layers.mask(l - 1), layers.mask(l), channel, true});
}

}  // namespace firn
