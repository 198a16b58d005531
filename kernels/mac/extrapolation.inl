#pragma once

#include <cmath>

#include "kernels/mac/extrapolation.h"
#include "kernels/mac/face_masks.h"
#include "kernels/mac/heirs.h"
#include "kernels/transfer/mac.h"

namespace firn {

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
// something join those that particles have given something to, from which most faces beyond have
// nothing; `given` is read and `given_next` written, so that no block waits for another.
template <int D, class Payload, class Value, class Real>
struct TransposeLayer {
  static constexpr const char* kName = "transpose_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  static constexpr bool kOfGrid = std::is_same_v<Value, Node<Real>>;
  // Of inner faces, and which of their neighbours: of the layer beyond, one and two steps away, and
  // of the inner one.
  struct Scratch {
    DirectionBits<D> near, far, inside;
    std::uint32_t takes[kWords];
  };
  MacView<Real> mac;
  FaceLayers layers;
  int layer;
  Value* faces;
  const std::uint32_t* given;
  std::uint32_t* given_next;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t *inner = layers.mask(layer - 1), *outer = layers.mask(layer);
    g.for_each(D, [&](std::uint32_t i) {
      const int axis = static_cast<int>(i);
      const auto beyond = faces_around<D>(mac, g.index(), [&](std::uint32_t of) {
        std::uint64_t bits = face_bits<D>(outer, of, axis) & ~face_bits<D>(inner, of, axis);
        if (kOfGrid) bits &= face_bits<D>(given, of, axis);
        return bits;
      });
      std::uint64_t takes = 0;
      if (face_bits<D>(inner, g.index(), axis) != 0 && !beyond.empty()) {
        const auto within = faces_around<D>(
            mac, g.index(), [&](std::uint32_t of) { return face_bits<D>(inner, of, axis); });
        beyond.towards(1, g.scratch.near[i]);
        beyond.towards(2, g.scratch.far[i]);
        within.towards(1, g.scratch.inside[i]);
        for (int d = 0; d < kDirections<D>; ++d)
          takes |= g.scratch.near[i][d] | (g.scratch.far[i][d] & g.scratch.inside[i][d]);
        takes &= within.own;
      }
      store_word_pair(g.scratch.takes, i, takes);
    });
    g.sync();
    for_each_bit(
        g, kWords, [&](std::uint32_t w) { return g.scratch.takes[w]; },
        [&](std::uint32_t i) {
          gather(g.scratch, {g.index(), i % kCells}, static_cast<int>(i / kCells));
        });
    if constexpr (kOfGrid) {
      const std::uint64_t first = face_word<D>(g.index(), 0);
      g.for_each(kWords, [&](std::uint32_t w) {
        given_next[first + w] = given[first + w] | g.scratch.takes[w];
      });
    }
  }

  FIRN_HD void gather(const Scratch& at, const CellAddress& self, int axis) const {
    Value& face = faces[face_index<D>(self.block, axis, self.cell)];
    for (int d = 0; d < kDirections<D>; ++d) {
      const bool near = test_bit(at.near[axis][d], self.cell);
      if (!near &&
          !(test_bit(at.inside[axis][d], self.cell) && test_bit(at.far[axis][d], self.cell)))
        continue;
      const CellAddress from = cell_towards<D>(mac, self, d, near ? 1 : 2);
      const Heirs<Real> heirs = heirs_of<D, Real>(layers, from, axis);
      const std::uint64_t outer = face_index<D>(from.block, axis, from.cell);
      const Value& value = faces[outer];
      const bool held = clings(mac, from.block, outer), mirrors = held && layer == 1;
      if (near)
        Payload::add(face, value, held ? Real(0) : heirs.mean(),
                     mirrors ? mac.mirrored[outer] * heirs.mean()
                             : heirs.near(test_bit(at.inside[axis][d ^ 1], self.cell)));
      else if (!mirrors)
        Payload::add(face, value, Real(0), heirs.far());
    }
  }
};

// Values of faces, one after the other or in the nodes of the faces. `wall`: that of the boundary
// which a face clings to; a channel has its velocity `walls` times.
template <class Real>
struct FaceChannel {
  Real* values;
  const Node<Real>* faces;
  Real walls;
  FIRN_HD Real load(std::uint64_t face) const { return values[face]; }
  FIRN_HD Real wall(std::uint64_t face) const {
    return walls != Real(0) ? walls * faces[face][kFaceBoundaryVelocity] : Real(0);
  }
  FIRN_HD void store(std::uint64_t face, Real value, bool) const { values[face] = value; }
};
// Particles read what is strained where a face clings. The increment stays that of a face that the
// boundary holds: with one that is mirrored too, FLIP shakes what turns between cylinders apart.
template <class Real>
struct StrainedVelocity {
  Node<Real>* faces;
  FIRN_HD Real load(std::uint64_t face) const { return faces[face][kFaceStrained]; }
  FIRN_HD Real wall(std::uint64_t face) const { return faces[face][kFaceVelocity]; }
  FIRN_HD void store(std::uint64_t face, Real value, bool clings) const {
    faces[face].set(kFaceStrained, value);
    if (clings) faces[face].set(kFaceVelocity, value);
  }
};

// A face of the outer layer follows the inner one.
template <int D, class Channel, class Real>
struct ExtendLayer {
  static constexpr const char* kName = "extend_layer";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    DirectionBits<D> near, far;
  };
  MacView<Real> mac;
  FaceLayers layers;
  int layer;
  Channel faces;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t *inner = layers.mask(layer - 1), *outer = layers.mask(layer);
    const std::uint64_t first = face_word<D>(g.index(), 0);
    g.for_each(D, [&](std::uint32_t axis) {
      const auto at = faces_around<D>(mac, g.index(), [&](std::uint32_t of) {
        return face_bits<D>(inner, of, static_cast<int>(axis));
      });
      at.towards(1, g.scratch.near[axis]);
      at.towards(2, g.scratch.far[axis]);
    });
    g.sync();
    for_each_bit(
        g, kWords, [&](std::uint32_t w) { return outer[first + w] & ~inner[first + w]; },
        [&](std::uint32_t i) {
          continue_to(g.scratch, {g.index(), i % kCells}, static_cast<int>(i / kCells));
        });
  }

  FIRN_HD void continue_to(const Scratch& at, const CellAddress& of, int axis) const {
    const Heirs<Real> heirs = heirs_of<D, Real>(layers, of, axis);
    const std::uint64_t face = face_index<D>(of.block, axis, of.cell);
    const bool held = clings(mac, of.block, face);
    Real sum = Real(0);
    if (held && layer == 1) {
      for (int d = 0; d < kDirections<D>; ++d)
        if (test_bit(at.near[axis][d], of.cell)) sum += load(cell_towards<D>(mac, of, d, 1), axis);
      const Real wall = faces.wall(face);
      return faces.store(face, wall + mac.mirrored[face] * (heirs.mean() * sum - wall), held);
    }
    for (int d = 0; d < kDirections<D>; ++d) {
      if (!test_bit(at.near[axis][d], of.cell)) continue;
      const bool has_behind = test_bit(at.far[axis][d], of.cell);
      sum += heirs.near(has_behind) * load(cell_towards<D>(mac, of, d, 1), axis);
      if (has_behind) sum += heirs.far() * load(cell_towards<D>(mac, of, d, 2), axis);
    }
    faces.store(face, sum, held);
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

template <class Payload, int D, class Exec, class Value, class Real>
void transpose_layers(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Value* faces,
                      const LaunchRange& blocks) {
  for (int l = layers.count; l > 0; --l) {
    const MacView<Real> at = after_handing_on(layers.count - l, mac);
    launch_groups(
        exec, blocks,
        TransposeLayer<D, Payload, Value, Real>{mac, layers, l, faces, at.given, at.read});
  }
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
    launch_groups(exec, blocks, ExtendLayer<D, Channel, Real>{mac, layers, l, faces});
}
template <class Exec, int D, class Real>
void extrapolate_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                         Real* channel, Real walls, const LaunchRange& blocks) {
  extend_layers<D>(exec, layers, mac, FaceChannel<Real>{channel, mac.faces, walls}, blocks);
}
template <class Exec, int D, class Real>
void extrapolate_velocities(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                            const LaunchRange& blocks) {
  launch_groups(exec, blocks, CopyVelocities<D, Real>{mac});
  extend_layers<D>(exec, layers, mac, StrainedVelocity<Real>{mac.faces}, blocks);
}

}  // namespace firn
