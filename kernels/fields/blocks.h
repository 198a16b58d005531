// The block-sparse grid: blocks of 4^3 (3D) or 8^2 (2D) nodes with unbounded signed coordinates,
// found through a hash and numbered by the rank of their Morton key, so that blocks near in space
// are near in memory and the numbering does not depend on the order in which threads insert them.
#pragma once

#include <cstdint>

#include "kernels/base/integers.h"
#include "kernels/fields/place.h"
#include "kernels/math/vec.h"

namespace firn {

inline constexpr std::uint64_t kEmptyKey = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

template <int D>
struct BlockTraits {
  static_assert(D == 2 || D == 3);
  static constexpr int kShift = D == 3 ? 2 : 3;
  static constexpr int kSide = 1 << kShift;
  static constexpr int kNodes = 64;
  static constexpr int kCorners = 1 << D;            // a block and its neighbours on the + sides
  static constexpr int kKeyBits = D == 3 ? 20 : 30;  // per axis
  static constexpr std::int64_t kBias = std::int64_t{1} << (kKeyBits - 1);
  // Cells a position may be away from the origin: blocks within the key range, with one to spare
  // for the halo, and nodes within 32 bits.
  static constexpr std::int64_t kMaxNode = std::int64_t{1} << 30;
  static constexpr std::int64_t kMaxCell =
      (kBias - 2) * kSide < kMaxNode ? (kBias - 2) * kSide : kMaxNode;
};

// Spreads the low bits of x, as many as keys have per axis: bit i goes to bit 3 i. Gathering them
// again minds no others.
FIRN_HD inline std::uint64_t spread_by_3(std::uint64_t x) {
  x &= 0xfffff;
  x = (x | x << 32) & 0x001f00000000ffffull;
  x = (x | x << 16) & 0x001f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  x = (x | x << 2) & 0x1249249249249249ull;
  return x;
}
FIRN_HD inline std::uint64_t gather_by_3(std::uint64_t x) {
  x &= 0x0249249249249249ull;
  x = (x | x >> 2) & 0x10c30c30c30c30c3ull;
  x = (x | x >> 4) & 0x100f00f00f00f00full;
  x = (x | x >> 8) & 0x001f0000ff0000ffull;
  x = (x | x >> 16) & 0x001f00000000ffffull;
  x = (x | x >> 32) & 0x1fffffull;
  return x;
}
FIRN_HD inline std::uint64_t spread_by_2(std::uint64_t x) {
  x &= 0x3fffffff;
  x = (x | x << 16) & 0x0000ffff0000ffffull;
  x = (x | x << 8) & 0x00ff00ff00ff00ffull;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull;
  x = (x | x << 1) & 0x5555555555555555ull;
  return x;
}
FIRN_HD inline std::uint64_t gather_by_2(std::uint64_t x) {
  x &= 0x0555555555555555ull;
  x = (x | x >> 1) & 0x3333333333333333ull;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffull;
  x = (x | x >> 8) & 0x0000ffff0000ffffull;
  x = (x | x >> 16) & 0x7fffffffull;
  return x;
}

template <int D>
FIRN_HD inline std::uint64_t block_key(const Vec<int, D>& block) {
  std::uint64_t key = 0;
  for (int a = 0; a < D; ++a) {
    const auto biased = static_cast<std::uint64_t>(block[a] + BlockTraits<D>::kBias);
    key |= (D == 3 ? spread_by_3(biased) : spread_by_2(biased)) << a;
  }
  return key;
}
// Materials that touch each other, rather than hold together, move with velocity fields of their
// own, on blocks of their own: the highest bits of a key say which. Field 0 is that of all others.
inline constexpr int kFieldShift = 60;
inline constexpr int kMostFields = 15;  // all bits of the last one would be those of kEmptyKey
static_assert(BlockTraits<2>::kKeyBits * 2 <= kFieldShift &&
              BlockTraits<3>::kKeyBits * 3 <= kFieldShift);
FIRN_HD inline int field_of_key(std::uint64_t key) { return static_cast<int>(key >> kFieldShift); }
// The key of a block in a field.
template <int D>
FIRN_HD inline std::uint64_t block_key(const Vec<int, D>& block, int field) {
  return block_key<D>(block) | static_cast<std::uint64_t>(field) << kFieldShift;
}
// And in the field that another key is of.
template <int D>
FIRN_HD inline std::uint64_t key_beside(std::uint64_t key, const Vec<int, D>& block) {
  return block_key<D>(block) | key >> kFieldShift << kFieldShift;
}

template <int D>
FIRN_HD inline Vec<int, D> block_of_key(std::uint64_t key) {
  Vec<int, D> block;
  for (int a = 0; a < D; ++a) {
    const std::uint64_t biased = D == 3 ? gather_by_3(key >> a) : gather_by_2(key >> a);
    block[a] = static_cast<int>(static_cast<std::int64_t>(biased) - BlockTraits<D>::kBias);
  }
  return block;
}

// The axes along which the grid is a ring, of `count` blocks from `first` on; 0 where it is not.
// The count is even, so that blocks of one colour stay apart across the seam.
struct PeriodicBlocks {
  int first[3] = {}, count[3] = {};

  // How many times around the ring block coordinate `at` lies from the first round.
  FIRN_HD int turns(int axis, int at) const {
    const int from = at - first[axis], n = count[axis];
    return n == 0 ? 0 : (from >= 0 ? from / n : -((n - 1 - from) / n));
  }
  template <int D>
  FIRN_HD Vec<int, D> wrapped(Vec<int, D> block) const {
    for (int a = 0; a < D; ++a) block[a] -= turns(a, block[a]) * count[a];
    return block;
  }
};

// The block of stencils that begin at x, which on a ring goes to the first round. Where rounding
// leaves it outside all the same, beside the seam, x goes around once more, and at last by its last
// bits: a block beyond the ring would be another one than its image in it.
template <int D, class Real>
FIRN_HD inline int come_home(const PeriodicBlocks& periodic, int axis, Real dx, Real inv_dx,
                             Real shift, Real& x) {
  const auto block_at = [&](Real at) {
    return axis_base(at, inv_dx, shift).node >> BlockTraits<D>::kShift;
  };
  int block = block_at(x), turns = periodic.turns(axis, block);
  for (int round = 0; turns != 0; ++round) {
    if (round < 2)
      x -= static_cast<Real>(turns * periodic.count[axis] * BlockTraits<D>::kSide) * dx;
    else
      x -= static_cast<Real>(turns) * kEpsilon<Real> * max(abs(x), dx);
    block = block_at(x);
    turns = periodic.turns(axis, block);
  }
  return block;
}

// Corner c of a block lies one block further along every axis whose bit is set in c.
template <int D>
FIRN_HD inline Vec<int, D> corner_block(Vec<int, D> block, int corner) {
  for (int a = 0; a < D; ++a) block[a] += (corner >> a) & 1;
  return block;
}
// Blocks of one colour (the remainders of the coordinates) have disjoint corner sets for two
// parities per axis, and disjoint neighbourhoods for three.
template <int D>
FIRN_HD inline int block_colour(const Vec<int, D>& block, int parities = 2) {
  int colour = 0;
  for (int a = D - 1; a >= 0; --a) {
    const int remainder = block[a] % parities;
    colour = colour * parities + (remainder < 0 ? remainder + parities : remainder);
  }
  return colour;
}
// Neighbour n of a block, -1, 0 or +1 along each axis, the last one fastest.
template <int D>
FIRN_HD inline Vec<int, D> neighbour_block(Vec<int, D> block, int n) {
  for (int a = D - 1; a >= 0; --a, n /= 3) block[a] += n % 3 - 1;
  return block;
}
// The blocks around those with particles that are entered as well, by how many of them along every
// axis: the stencils of particles reach one behind.
struct BlockHalo {
  int before = 0, behind = 1;

  FIRN_HD int across() const { return before + 1 + behind; }
  template <int D>
  FIRN_HD Vec<int, D> block(Vec<int, D> home, int n) const {
    for (int a = D - 1; a >= 0; --a, n /= across()) home[a] += n % across() - before;
    return home;
  }
};
template <int D>
FIRN_HD inline int node_in_block(const Vec<int, D>& local) {
  int index = local[0];
  for (int a = 1; a < D; ++a) index = index * BlockTraits<D>::kSide + local[a];
  return index;
}
template <int D>
FIRN_HD inline Vec<int, D> local_of_node(int index) {
  Vec<int, D> local;
  for (int a = D - 1; a >= 0; --a) {
    local[a] = index % BlockTraits<D>::kSide;
    index /= BlockTraits<D>::kSide;
  }
  return local;
}

// The first of `count` ascending keys that is not below `key`.
FIRN_HD inline std::uint32_t lower_bound(const std::uint64_t* keys, std::uint32_t count,
                                         std::uint64_t key) {
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// An open-addressing hash from block key to rank. Capacity is a power of two.
struct BlockHash {
  std::uint64_t* keys = nullptr;
  std::uint32_t* ranks = nullptr;
  std::uint32_t* home = nullptr;  // 1 where the block holds particles
  std::uint32_t mask = 0;         // capacity - 1

  FIRN_HD std::uint32_t first_slot(std::uint64_t key) const {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ull;  // 2^64 / golden ratio: multiplicative hashing, Knuth
    return static_cast<std::uint32_t>(key >> 32) & mask;
  }
  // A table that is half full, as full as one with room enough becomes, has no such run of keys but
  // with a probability of e^-49 [Knuth, TAOCP 6.4]; one that is too small would be searched from
  // end to end for each of its keys.
  static constexpr std::uint32_t kMostProbes = 256;

  // The slot of `key`, inserting it if absent; kNoBlock if the table is too full.
  template <class Device>
  FIRN_HD std::uint32_t insert(const Device& device, std::uint64_t key) const {
    const std::uint32_t probes = mask < kMostProbes ? mask + 1 : kMostProbes;
    std::uint32_t slot = first_slot(key);
    for (std::uint32_t probe = 0; probe < probes; ++probe, slot = (slot + 1) & mask) {
      std::uint64_t found = device.load(keys[slot]);
      if (found == kEmptyKey) found = device.compare_exchange(keys[slot], kEmptyKey, key);
      if (found == key || found == kEmptyKey) return slot;
    }
    return kNoBlock;
  }
  // The slot of `key` or kNoBlock; no insertion may run at the same time.
  FIRN_HD std::uint32_t find(std::uint64_t key) const {
    std::uint32_t slot = first_slot(key);
    for (std::uint32_t probe = 0; probe <= mask; ++probe, slot = (slot + 1) & mask) {
      if (keys[slot] == key) return slot;
      if (keys[slot] == kEmptyKey) return kNoBlock;
    }
    return kNoBlock;
  }
};

// The grid as pointers. Node channels hold 4 reals per node (see exec/node.h), 64 nodes per block.
template <class Real>
struct GridView {
  BlockHash hash;
  std::uint64_t* keys = nullptr;        // per block, ascending
  std::uint64_t* saved_keys = nullptr;  // of the layout before, for carry_nodes
  std::uint32_t* home = nullptr;        // per block: 1 if it holds particles
  std::uint32_t* corners =
      nullptr;                      // per block 2^d ranks: itself and its neighbours on the + sides
  std::uint32_t* around = nullptr;  // per block 3^d ranks: the block and all its neighbours, the
                                    // last axis fastest; null unless steps are fused
  std::uint32_t* chunk_begin = nullptr;   // per block + 1: its chunks
  std::uint32_t* coloured = nullptr;      // home blocks, colour by colour
  std::uint32_t* colour_begin = nullptr;  // colours + 1
  int parities = 2;                       // colours per axis
  BlockHalo halo;
  // P2G writes momentum (and mass) and, where forces are kept apart, their impulse; the grid update
  // leaves velocity (and mass) and the velocity change in `nodes` and `increments`. The fused step
  // needs both at once; otherwise they are the same memory.
  Real *momentum = nullptr, *impulse = nullptr;
  Real *nodes = nullptr, *increments = nullptr;
  Real dx = 0, inv_dx = 0;
  PeriodicBlocks periodic;
};

}  // namespace firn
