#pragma once

#include <cmath>

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/extrapolation.h"
#include "kernels/mac/face_masks.h"
#include "kernels/transfer/mac.h"

namespace firn {

template <int D>
FIRN_HD inline bool test_face(const std::uint32_t* mask, const CellAddress& at, int axis) {
  return at.exists() && test_bit(mask + face_word<D>(at.block, axis), at.cell);
}

// Faces that keep their own velocity: what apply_pressure and release_sliding_faces leave as valid.
template <int D, class Real>
struct MarkOwnFaces {
  static constexpr const char* kName = "mark_own_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t of_fluid[kWords];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  std::uint32_t* own;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool near = has_boundary(mac, g.index());
    find_fluid_faces<D>(g, mac, g.index(), g.scratch.of_fluid);
    g.sync();
    select_bits(
        g, kWords, [&](std::uint32_t w) { return g.scratch.of_fluid[w]; },
        [&](std::uint32_t i) { return !near || keeps(g.index(), block, i); },
        [&](std::uint32_t w, std::uint32_t bits) { own[face_word<D>(g.index(), 0) + w] = bits; });
  }
  FIRN_HD bool keeps(std::uint32_t rank, const Vec<int, D>& block, std::uint32_t i) const {
    const Real open = mac.area[face_index<D>(rank, 0, i)];
    if (open > Real(0)) return open >= Real(kOpenEnough);
    return !boundary.slides(block, local_of_node<D>(static_cast<int>(i % kCells)),
                            static_cast<int>(i / kCells));
  }
};

// Those and their neighbours that no sticky boundary holds.
template <int D, class Real>
struct ReachFaces {
  static constexpr const char* kName = "reach_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t reached[kWords];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  const std::uint32_t* inner;
  std::uint32_t* outer;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    find_neighbours<D>(g, mac, g.index(), inner, g.scratch.reached);
    g.sync();
    const std::uint64_t first = face_word<D>(g.index(), 0);
    if (!has_boundary(mac, g.index())) {
      g.for_each(kWords, [&](std::uint32_t w) { outer[first + w] = g.scratch.reached[w]; });
      return;
    }
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    select_bits(
        g, kWords, [&](std::uint32_t w) { return g.scratch.reached[w]; },
        [&](std::uint32_t i) {
          return test_bit(inner + first, i) || !is_held(g.index(), block, i);
        },
        [&](std::uint32_t w, std::uint32_t bits) { outer[first + w] = bits; });
  }

  FIRN_HD bool is_held(std::uint32_t rank, const Vec<int, D>& block, std::uint32_t i) const {
    if (mac.area[face_index<D>(rank, 0, i)] > Real(0)) return false;
    const Vec<Real, D> x = boundary.face_position(
        block, local_of_node<D>(static_cast<int>(i % kCells)), static_cast<int>(i / kCells));
    return boundary.nearest(x).boundary == BoundaryType::kSticky;
  }
};

// f(at, behind, whether that one is of the inner layer too) for each face `at` of the inner layer
// beside one of the outer layer; `behind` lies beyond it.
template <int D, class Real, class F>
FIRN_HD inline void for_each_heir(const MacView<Real>& mac, const std::uint32_t* inner,
                                  const CellAddress& of, int axis, F&& f) {
  for (int b = 0; b < D; ++b)
    for (int by = -1; by <= 1; by += 2) {
      const CellAddress at = cell_beside<D>(mac, of, b, by);
      if (!test_face<D>(inner, at, axis)) continue;
      const CellAddress behind = cell_beside<D>(mac, of, b, 2 * by);
      f(at, behind, test_face<D>(inner, behind, axis));
    }
}

// How a face of the outer layer follows the inner one: as the mean of its neighbours there, or,
// along straight lines, of 2 x_at - x_behind over those that have one behind them. Inside bodies
// there are no lines: velocities there are those that the body allows.
template <class Real>
struct Heirs {
  int count = 0, lines = 0;
  FIRN_HD Real mean() const { return Real(1) / static_cast<Real>(count); }
  FIRN_HD Real near(bool has_behind) const {
    if (lines == 0) return mean();
    return has_behind ? Real(2) / static_cast<Real>(lines) : Real(0);
  }
  FIRN_HD Real far() const { return lines == 0 ? Real(0) : Real(-1) / static_cast<Real>(lines); }
};
template <int D, class Real>
FIRN_HD inline Heirs<Real> heirs_of(const MacView<Real>& mac, const std::uint32_t* inner,
                                    const CellAddress& of, int axis) {
  Heirs<Real> heirs;
  const bool open = mac.area[face_index<D>(of.block, axis, of.cell)] > Real(0);
  for_each_heir<D>(mac, inner, of, axis, [&](const CellAddress&, const CellAddress&, bool behind) {
    ++heirs.count;
    heirs.lines += open && behind ? 1 : 0;
  });
  return heirs;
}

template <class Real>
FIRN_HD inline bool is_nothing(const Node<Real>& face) {
  return face[0] == Real(0) && face[1] == Real(0) && face[2] == Real(0) && face[3] == Real(0);
}
template <class Real>
FIRN_HD inline bool is_nothing(Real face) {
  return face == Real(0);
}

// What a face takes from one of the outer layer, by its weights in the mean and in E; each number
// in one rounding, whatever the compiler would make of it.
struct TransposePayload {
  template <class Real>
  FIRN_HD static void add(Node<Real>& face, const Node<Real>& outer, Real mean, Real line) {
    static_assert(kFaceMomentum == 0 && kFaceMass == 1 && kFaceVolume == 2 && kFaceImpulse == 3);
    using std::fma;
    face = Node<Real>::make(fma(mean, outer[0], face[0]), fma(mean, outer[1], face[1]),
                            fma(mean, outer[2], face[2]), fma(line, outer[3], face[3]));
  }
  template <class Real>
  FIRN_HD static void add(Real& face, Real outer, Real, Real line) {
    face = std::fma(line, outer, face);
  }
};
// The same without the volume, in whose place whole_cells (see MacView) has put the mass of the
// face's own particles.
struct TransposeAroundVolume {
  template <class Real>
  FIRN_HD static void add(Node<Real>& face, const Node<Real>& outer, Real mean, Real line) {
    using std::fma;
    face = Node<Real>::make(fma(mean, outer[0], face[0]), fma(mean, outer[1], face[1]), face[2],
                            fma(line, outer[3], face[3]));
  }
};

// A face gathers its shares of the layer beyond, one and two steps away. Faces of the grid that get
// something join those that particles have given something to.
template <int D, class Payload, class Value, class Real>
struct TransposeLayer {
  static constexpr const char* kName = "transpose_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  static constexpr bool kOfGrid = std::is_same_v<Value, Node<Real>>;
  struct Scratch {
    std::uint32_t takes[kWords];
  };
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;
  Value* faces;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D, [&](std::uint32_t axis) {
      const auto beyond = [&](std::uint32_t block) {
        return face_bits<D>(outer, block, static_cast<int>(axis)) &
               ~face_bits<D>(inner, block, static_cast<int>(axis));
      };
      const std::uint64_t own = face_bits<D>(inner, g.index(), static_cast<int>(axis));
      std::uint64_t takes = 0;
      if (own != 0)
        takes = own & (beside<D>(mac, g.index(), beyond) | beside<D>(mac, g.index(), beyond, 2));
      store_face_bits(g.scratch.takes, axis, takes);
    });
    g.sync();
    select_bits(
        g, kWords, [&](std::uint32_t w) { return g.scratch.takes[w]; },
        [&](std::uint32_t i) {
          return gather(g.index(), static_cast<int>(i / kCells), i % kCells);
        },
        [&](std::uint32_t w, std::uint32_t bits) {
          if (kOfGrid && bits != 0) mac.given[face_word<D>(g.index(), 0) + w] |= bits;
        });
  }

  // Whether the face got anything. Most of the faces beyond hold nothing.
  FIRN_HD bool gather(std::uint32_t rank, int axis, std::uint32_t cell) const {
    const CellAddress self{rank, cell};
    Value& face = faces[face_index<D>(rank, axis, cell)];
    bool got = false;
    for (int b = 0; b < D; ++b)
      for (int by = -1; by <= 1; by += 2) {
        const auto at = [&](int steps) { return cell_beside<D>(mac, self, b, steps * by); };
        const CellAddress near = at(1), far = at(2);
        if (is_outer(near, axis)) {
          if (is_nothing(value(near, axis))) continue;
          const Heirs<Real> heirs = heirs_of<D>(mac, inner, near, axis);
          Payload::add(face, value(near, axis), heirs.mean(),
                       heirs.near(test_face<D>(inner, at(-1), axis)));
          got = true;
        } else if (test_face<D>(inner, near, axis) && is_outer(far, axis)) {
          if (is_nothing(value(far, axis))) continue;
          Payload::add(face, value(far, axis), Real(0), heirs_of<D>(mac, inner, far, axis).far());
          got = true;
        }
      }
    return got;
  }
  FIRN_HD bool is_outer(const CellAddress& at, int axis) const {
    return test_face<D>(outer, at, axis) && !test_face<D>(inner, at, axis);
  }
  FIRN_HD const Value& value(const CellAddress& at, int axis) const {
    return faces[face_index<D>(at.block, axis, at.cell)];
  }
};

// Values of faces, one after the other or in the nodes of the faces.
template <class Real>
struct FaceChannel {
  Real* values;
  FIRN_HD Real load(std::uint64_t face) const { return values[face]; }
  FIRN_HD void store(std::uint64_t face, Real value) const { values[face] = value; }
};
template <class Real>
struct StrainedVelocity {
  Node<Real>* faces;
  FIRN_HD Real load(std::uint64_t face) const { return faces[face][kFaceStrained]; }
  FIRN_HD void store(std::uint64_t face, Real value) const {
    faces[face].set(kFaceStrained, value);
  }
};

// A face of the outer layer follows the inner one.
template <int D, class Channel, class Real>
struct ExtendLayer {
  static constexpr const char* kName = "extend_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {};
  MacView<Real> mac;
  const std::uint32_t *inner, *outer;
  Channel faces;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t first = std::uint64_t{g.index()} * kWords;
    for_each_bit(
        g, kWords, [&](std::uint32_t w) { return outer[first + w] & ~inner[first + w]; },
        [&](std::uint32_t i) {
          continue_to({g.index(), i % kCells}, static_cast<int>(i / kCells));
        });
  }

  FIRN_HD void continue_to(const CellAddress& of, int axis) const {
    const Heirs<Real> heirs = heirs_of<D>(mac, inner, of, axis);
    Real sum = Real(0);
    for_each_heir<D>(mac, inner, of, axis,
                     [&](const CellAddress& at, const CellAddress& behind, bool has_behind) {
                       sum += heirs.near(has_behind) * load(at, axis);
                       if (has_behind) sum += heirs.far() * load(behind, axis);
                     });
    faces.store(face_index<D>(of.block, axis, of.cell), sum);
  }
  FIRN_HD Real load(const CellAddress& at, int axis) const {
    return faces.load(face_index<D>(at.block, axis, at.cell));
  }
};

template <int D, class Real>
struct CopyVelocities {
  static constexpr const char* kName = "copy_velocities";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for_each_bit(
        g, 2 * D, [&](std::uint32_t w) { return looked_at<D>(mac, g.index(), w); },
        [&](std::uint32_t i) {
          Node<Real>& face = mac.faces[face_index<D>(g.index(), 0, i)];
          face.set(kFaceStrained, face[kFaceVelocity]);
        });
  }
};

template <class Exec, int D, class Real>
void find_layers(Exec& exec, const GridUpdateParams<Real, D>& params, const FaceLayers& layers,
                 const GridView<Real>& grid, const MacView<Real>& mac, const LaunchRange& blocks) {
  launch_groups(exec, blocks, MarkOwnFaces<D, Real>{{params, grid}, mac, layers.mask(0)});
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks,
                  ReachFaces<D, Real>{{params, grid}, mac, layers.mask(l - 1), layers.mask(l)});
}

template <class Payload, int D, class Exec, class Value, class Real>
void transpose_layers(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Value* faces,
                      const LaunchRange& blocks) {
  for (int l = layers.count; l > 0; --l)
    launch_groups(
        exec, blocks,
        TransposeLayer<D, Payload, Value, Real>{mac, layers.mask(l - 1), layers.mask(l), faces});
}
template <class Exec, int D, class Real>
void transpose_faces(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                     const LaunchRange& blocks) {
  if (mac.whole_cells)
    transpose_layers<TransposeAroundVolume, D>(exec, layers, mac, mac.faces, blocks);
  else
    transpose_layers<TransposePayload, D>(exec, layers, mac, mac.faces, blocks);
}
template <class Exec, int D, class Real>
void transpose_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                       Real* channel, const LaunchRange& blocks) {
  transpose_layers<TransposePayload, D>(exec, layers, mac, channel, blocks);
}

template <int D, class Exec, class Channel, class Real>
void extend_layers(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                   const Channel& faces, const LaunchRange& blocks) {
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks,
                  ExtendLayer<D, Channel, Real>{mac, layers.mask(l - 1), layers.mask(l), faces});
}
template <class Exec, int D, class Real>
void extrapolate_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                         Real* channel, const LaunchRange& blocks) {
  extend_layers<D>(exec, layers, mac, FaceChannel<Real>{channel}, blocks);
}
template <class Exec, int D, class Real>
void extrapolate_velocities(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                            const LaunchRange& blocks) {
  launch_groups(exec, blocks, CopyVelocities<D, Real>{mac});
  extend_layers<D>(exec, layers, mac, StrainedVelocity<Real>{mac.faces}, blocks);
}

}  // namespace firn
