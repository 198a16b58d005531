// Where nodes of one level of multigrid.h lie on the next.
#pragma once

#include "kernels/implicit/multigrid.h"

namespace firn {

// What is the same on all levels: where nodes lie.
template <int D>
struct NodePlaces {
  static constexpr int kSide = BlockTraits<D>::kSide, kShift = BlockTraits<D>::kShift;
  static constexpr std::uint32_t kNodes = BlockTraits<D>::kNodes;
  static constexpr int kAround = int_power(3, D), kParts = 1 << D;

  // Two nodes of the coarser level take part along an axis: with 3/4 the one whose half the node
  // is in, with 1/4 the one on its other side.
  static FIRN_HD int parent(int node) { return node >> 1; }
  static FIRN_HD int aside(int node) { return (node >> 1) + ((node & 1) != 0 ? 1 : -1); }

  // Number of the neighbour of a block that holds `local`, at most one block away, and the node in
  // it.
  static FIRN_HD int neighbour_of(Vec<int, D>& local) {
    int n = 0;
    for (int a = 0; a < D; ++a) {
      n = 3 * n + (local[a] >> kShift) + 1;
      local[a] &= kSide - 1;
    }
    return n;
  }
  // Of a node beside the block of a coarse level, counted in nodes of the finer one from the
  // block's begin; false where that level has none.
  template <class Real>
  static FIRN_HD bool finer_node(const NodeLevel<Real>& coarse, std::uint32_t block,
                                 const Vec<int, D>& local, std::uint64_t& node) {
    int n = 0, part = 0;
    Vec<int, D> in;
    for (int a = 0; a < D; ++a) {
      n = 3 * n + (local[a] >> (kShift + 1)) + 1;
      part |= (local[a] >> kShift & 1) << a;
      in[a] = local[a] & (kSide - 1);
    }
    const std::uint32_t there = coarse.around[std::uint64_t{block} * kAround + n];
    if (there == kNoBlock) return false;
    const std::uint32_t rank = coarse.finer[std::uint64_t{there} * kParts + part];
    if (rank == kNoBlock) return false;
    node = std::uint64_t{rank} * kNodes + node_in_block<D>(in);
    return true;
  }
  // f(node of the finer level, weight, whether it is a part of the node) for those that take part
  // in a node of a coarse block.
  template <class Real, class F>
  static FIRN_HD void for_each_finer(const NodeLevel<Real>& coarse, std::uint32_t block,
                                     const Vec<int, D>& local, F&& f) {
    for (int t = 0; t < int_power(4, D); ++t) {
      Vec<int, D> at;
      Real w = Real(1);
      bool own = true;
      int rest = t;
      for (int a = 0; a < D; ++a, rest /= 4) {
        const int offset = rest % 4 - 1;  // -1 .. 2
        const bool inner = offset == 0 || offset == 1;
        at[a] = 2 * local[a] + offset;
        w *= inner ? Real(0.75) : Real(0.25);
        own = own && inner;
      }
      std::uint64_t node = 0;
      if (finer_node(coarse, block, at, node)) f(node, w, own);
    }
  }
  // f(node of the coarser level, weight) for those that a node takes part in. `corner` of its
  // block: see NodeLevel::coarser.
  template <class Real, class F>
  static FIRN_HD void for_each_coarser(const NodeLevel<Real>& finer, std::uint32_t block,
                                       const Vec<int, D>& local, F&& f) {
    const Vec<int, D> at = block_of_key<D>(finer.keys[block]);
    for (int choice = 0; choice < kParts; ++choice) {
      int corner = 0;
      Real w = Real(1);
      Vec<int, D> in;
      for (int a = 0; a < D; ++a) {
        const int node = (at[a] & 1) * kSide + local[a];  // from the parent's begin
        const bool away = (choice >> a & 1) != 0;
        in[a] = away ? aside(node) : parent(node);
        w *= away ? Real(0.25) : Real(0.75);
        if (in[a] < 0 || in[a] >= kSide) corner |= 1 << a;
        in[a] &= kSide - 1;
      }
      const std::uint32_t rank = finer.coarser[std::uint64_t{block} * kParts + corner];
      if (rank != kNoBlock) f(std::uint64_t{rank} * kNodes + node_in_block<D>(in), w);
    }
  }
  // Corner c of what a finer block reaches on the coarser level.
  static FIRN_HD Vec<int, D> coarser_block(const Vec<int, D>& block, int corner) {
    Vec<int, D> at;
    for (int a = 0; a < D; ++a)
      at[a] = (block[a] >> 1) + ((corner >> a & 1) == 0 ? 0 : (block[a] & 1) != 0 ? 1 : -1);
    return at;
  }
};

template <class Real>
LaunchRange blocks_of(const NodeLevel<Real>& level, const std::uint32_t* stop = nullptr) {
  return {{nullptr, level.blocks}, stop};
}
template <class Real>
LaunchRange packs_of(const NodeLevel<Real>& level, const std::uint32_t* stop = nullptr) {
  return {{nullptr, (level.rows + kPackRows - 1) / kPackRows}, stop};
}

}  // namespace firn
