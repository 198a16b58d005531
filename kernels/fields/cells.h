// Where cells lie in a block, on its faces and in the aggregates of the next coarser level.
#pragma once

#include "kernels/fields/blocks.h"

namespace firn {

// A group here is one block at 0.1 to 0.5 us: the coarse levels of a cycle are not worth a second
// thread.
inline constexpr int kLightGroups = 32;

template <int D>
struct CellTraits {
  static constexpr int kSide = BlockTraits<D>::kSide;
  static constexpr int kCells = BlockTraits<D>::kNodes;
  static constexpr int kFace = kCells / kSide;           // cells of a face
  static constexpr int kAggregates = kCells / (1 << D);  // coarse cells that a block makes
  static constexpr int stride(int axis) {
    int s = 1;
    for (int a = axis; a < D - 1; ++a) s *= kSide;
    return s;
  }
};

// Cell f of the layer at coordinate `layer` along `axis`.
template <int D>
FIRN_HD constexpr std::uint32_t face_cell(int axis, std::uint32_t f, std::uint32_t layer) {
  constexpr std::uint32_t side = CellTraits<D>::kSide;
  std::uint32_t stride = 1;
  for (int a = axis; a < D - 1; ++a) stride *= side;
  return f / stride * stride * side + layer * stride + f % stride;
}

// The coarse cell, in the parent block, of cell i in a block whose key is `key`.
template <int D>
FIRN_HD inline std::uint32_t coarse_cell(std::uint64_t key, std::uint32_t i) {
  const Vec<int, D> fine = local_of_node<D>(static_cast<int>(i));
  Vec<int, D> local;
  for (int a = 0; a < D; ++a)
    local[a] = static_cast<int>(key >> a & 1) * (BlockTraits<D>::kSide / 2) + fine[a] / 2;
  return static_cast<std::uint32_t>(node_in_block<D>(local));
}

// The first of the 2^D cells of the block's aggregate q, and cell `child` of an aggregate relative
// to its first.
template <int D>
FIRN_HD inline std::uint32_t aggregate_first(std::uint32_t q) {
  constexpr std::uint32_t half = BlockTraits<D>::kSide / 2;
  Vec<int, D> local;
  for (int a = D - 1; a >= 0; --a) {
    local[a] = static_cast<int>(2 * (q % half));
    q /= half;
  }
  return static_cast<std::uint32_t>(node_in_block<D>(local));
}
template <int D>
FIRN_HD inline std::uint32_t aggregate_child(std::uint32_t child) {
  Vec<int, D> local;
  for (int a = 0; a < D; ++a) local[a] = static_cast<int>(child >> a & 1);
  return static_cast<std::uint32_t>(node_in_block<D>(local));
}

// The Morton key of the next block below (up = 0) or above (up = 1) along an axis.
template <int D>
FIRN_HD inline std::uint64_t neighbour_key(std::uint64_t key, int axis, bool up) {
  const std::uint64_t one = std::uint64_t{1} << axis;
  const std::uint64_t mask = (D == 3 ? spread_by_3(0x1fffff) : spread_by_2(0x7fffffff)) << axis;
  const std::uint64_t moved = up ? ((key | ~mask) + one) & mask : ((key & mask) - one) & mask;
  return (key & ~mask) | moved;
}

// Whether the ring along `axis` still closes at multigrid level `l`, after halving it l times.
FIRN_HD inline bool is_ring(const PeriodicBlocks& periodic, int axis, int l) {
  const int parts = (1 << l) - 1, n = periodic.count[axis];
  return n >> l != 0 && (n & parts) == 0 && (periodic.first[axis] & parts) == 0;
}
// The coordinate of a key along an axis, counted as keys count, and that of a ring's first block.
template <int D>
FIRN_HD inline std::uint64_t key_coordinate(std::uint64_t key, int axis) {
  return D == 3 ? gather_by_3(key >> axis) : gather_by_2(key >> axis);
}
template <int D>
FIRN_HD inline std::uint64_t ring_begin(const PeriodicBlocks& periodic, int axis, int l) {
  return static_cast<std::uint64_t>(periodic.first[axis] + BlockTraits<D>::kBias) >> l;
}
// neighbour_key, around the rings of level l.
template <int D>
FIRN_HD inline std::uint64_t neighbour_around(std::uint64_t key, int axis, bool up,
                                              const PeriodicBlocks& periodic, int l) {
  if (!is_ring(periodic, axis, l)) return neighbour_key<D>(key, axis, up);
  const std::uint64_t begin = ring_begin<D>(periodic, axis, l),
                      last = begin + static_cast<std::uint64_t>(periodic.count[axis] >> l) - 1,
                      at = key_coordinate<D>(key, axis);
  if (at != (up ? last : begin)) return neighbour_key<D>(key, axis, up);
  const std::uint64_t to = up ? begin : last;
  const auto spread = [&](std::uint64_t c) {
    return (D == 3 ? spread_by_3(c) : spread_by_2(c)) << axis;
  };
  return (key & ~spread(at)) | spread(to);
}

// The place of `key` among n ascending keys, or kNoBlock. Looked for around place `near`, ever
// further away: the curve keeps most neighbours close.
FIRN_HD inline std::uint32_t find_key(const std::uint64_t* keys, std::uint32_t n,
                                      std::uint32_t near, std::uint64_t key) {
  std::uint32_t first = 0, last = n;  // keys before `first` are smaller, none from `last` on is
  if (keys[near] < key) {
    first = near + 1;
    for (std::uint32_t step = 1; step < n - near; step *= 2) {
      if (keys[near + step] >= key) {
        last = near + step;
        break;
      }
      first = near + step + 1;
    }
  } else {
    last = near;
    for (std::uint32_t step = 1; step <= near; step *= 2) {
      if (keys[near - step] < key) {
        first = near - step + 1;
        break;
      }
      last = near - step;
    }
  }
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (keys[middle] < key)
      first = middle + 1;
    else
      last = middle;
  }
  return first < n && keys[first] == key ? first : kNoBlock;
}

}  // namespace firn
