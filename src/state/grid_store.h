// The block-sparse grid of one simulation in a backend's memory.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "kernels/fields/blocks.h"
#include "kernels/grid/rebuild.h"
#include "kernels/transfer/modes.h"
#include "src/state/block_fields.h"

namespace firn {

template <class Exec, int D, class Real>
class GridStore {
 public:
  // `components`: groups of 4 reals per node; 1 for collocated velocities, D for one per face,
  // where every step has another layout. `parities`: per axis, of the colours of blocks; 0 unless
  // steps are fused, which need momentum beside velocity.
  GridStore(Exec& exec, double dx, const PeriodicBlocks& periodic, std::uint32_t materials,
            int components, bool increments, int parities = 0)
      : exec_(exec),
        dx_(dx),
        periodic_(periodic),
        materials_(std::max(materials, 1u)),  // bins are there also where nothing is, nor will be
        reals_(BlockTraits<D>::kNodes * 4 * static_cast<std::size_t>(components)),
        with_increments_(increments),
        fused_(parities > 0),
        near_(fused_ || (components > 1 && !Exec::kIsCuda)),
        halo_{fused_ ? 1 : 0, 1},
        parities_(fused_ ? parities : 2),
        keys_(exec, key_table()),
        words_(exec, word_table()),
        nodes_(exec, node_table()) {}

  std::uint32_t capacity() const { return capacity_; }  // blocks
  // From the next layout on, at least.
  void widen_halo(const BlockHalo& halo) {
    halo_ = {std::max(halo_.before, halo.before), std::max(halo_.behind, halo.behind)};
  }
  std::vector<std::uint64_t> keys(std::uint32_t blocks) const {
    return keys_[kKeys].download(blocks);
  }
  const PeriodicBlocks& periodic() const { return periodic_; }

  // Nothing in the grid outlives a step, so a larger one starts empty; but for what save_nodes has
  // put aside.
  void reserve(std::uint32_t blocks) {
    if (blocks <= capacity_) return;
    capacity_ = blocks;
    const std::uint32_t table = hash_places(blocks);
    renew(exec_, hash_keys_, table);
    renew(exec_, hash_ranks_, table);
    renew(exec_, hash_home_, table);
    renew(exec_, colour_begin_, colours() + 1);
    keys_.reserve(blocks);
    words_.reserve(blocks);
    nodes_.reserve(blocks);
  }

  GridView<Real> view() {
    GridView<Real> v;
    v.hash = {hash_keys_.data(), hash_ranks_.data(), hash_home_.data(),
              static_cast<std::uint32_t>(hash_keys_.size() - 1)};
    v.keys = keys_.data(kKeys);
    v.home = words_.data(kHome);
    v.corners = words_.data(kCorners);
    v.chunk_begin = words_.data(kChunkBegin);
    v.coloured = words_.data(kColoured);
    v.colour_begin = colour_begin_.data();
    v.parities = parities_;
    v.nodes = nodes_.data(kNodes);
    v.increments = nodes_.data(kIncrements);
    v.momentum = fused_ ? nodes_.data(kMomentum) : v.nodes;
    v.impulse = fused_ ? nodes_.data(kImpulse) : v.increments;
    v.around = fused_ ? words_.data(kAround) : nullptr;
    v.halo = halo_;
    v.saved_keys = keys_.data(kSavedKeys);
    v.dx = static_cast<Real>(dx_);
    v.inv_dx = static_cast<Real>(1 / dx_);
    v.periodic = periodic_;
    return v;
  }
  void fill(RebuildView& scratch) {
    scratch.max_blocks = capacity_;
    scratch.materials = materials_;
    scratch.bin_begin = words_.data(kBinBegin);
    scratch.bin_chunks = words_.data(kBinChunks);
    scratch.bin_first = words_.data(kBinFirst);
    scratch.block_colour = words_.data(kBlockColour);
    scratch.near_counts = {words_.data(kNearCount), words_.data(kOldRank),
                           fused_ ? nullptr : words_.data(kAround)};
  }

  // What fused steps leave on the grid: the blocks, and the momentum on their nodes.
  struct Carried {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> home;
    std::vector<Real> momentum, impulse;
  };
  Carried carried(std::uint32_t blocks) const {
    const std::size_t nodes = std::size_t{blocks} * reals_;
    return {keys(blocks), words_[kHome].download(blocks), nodes_[kMomentum].download(nodes),
            with_increments_ ? nodes_[kImpulse].download(nodes) : std::vector<Real>{}};
  }
  // Whether the sizes agree, keys ascend, and all neighbours of homes are there.
  bool fits(const Carried& c, std::uint32_t blocks) const {
    const std::size_t nodes = std::size_t{blocks} * reals_;
    if (!fused_ || c.keys.size() != blocks || c.home.size() != blocks ||
        c.momentum.size() != nodes || c.impulse.size() != (with_increments_ ? nodes : 0) ||
        std::adjacent_find(c.keys.begin(), c.keys.end(), std::greater_equal<>()) != c.keys.end())
      return false;
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (int n = 0; c.home[b] != 0 && n < int_power(3, D); ++n) {
        const auto neighbour = neighbour_block<D>(block_of_key<D>(c.keys[b]), n);
        if (!std::binary_search(c.keys.begin(), c.keys.end(),
                                key_beside<D>(c.keys[b], periodic_.wrapped(neighbour))))
          return false;
      }
    return true;
  }
  void restore(const Carried& c) {
    keys_[kKeys].upload(c.keys);
    words_[kHome].upload(c.home);
    nodes_[kMomentum].upload(c.momentum);
    nodes_[kImpulse].upload(c.impulse);
  }

  std::size_t bytes() const {
    return hash_keys_.bytes() + hash_ranks_.bytes() + hash_home_.bytes() + colour_begin_.bytes() +
           keys_.bytes() + words_.bytes() + nodes_.bytes();
  }
  // What bytes() says once `blocks` are reserved, for estimates.
  std::size_t bytes_for(std::uint32_t blocks) const {
    const std::size_t table_entry = 8 + 4 + 4;
    return hash_places(blocks) * table_entry + 4 * (colours() + 1) +
           Keys::bytes_for(key_table(), blocks) + Words::bytes_for(word_table(), blocks) +
           Nodes::bytes_for(node_table(), blocks);
  }
  static std::uint32_t hash_places(std::uint32_t blocks) { return std::bit_ceil(2 * blocks); }

 private:
  std::size_t colours() const { return static_cast<std::size_t>(int_power(parities_, D)); }

  enum KeyField { kKeys, kSavedKeys, kKeyFields };
  FieldTable<kKeyFields> key_table() const {
    return {{{kKeys, 1}, {kSavedKeys, near_ ? 1u : 0u, 0, fused_}}};
  }
  enum Word {
    kHome,
    kCorners,
    kChunkBegin,
    kColoured,
    kBlockColour,
    kBinBegin,
    kBinChunks,
    kBinFirst,
    kAround,
    kNearCount,
    kOldRank,
    kWords
  };
  FieldTable<kWords> word_table() const {
    const std::size_t bins = materials_, around = near_ ? int_power(3, D) : 0;
    return {{{kHome, 1},
             {kCorners, BlockTraits<D>::kCorners},
             {kChunkBegin, 1, 1},
             {kColoured, 1},
             {kBlockColour, 1},
             {kBinBegin, bins, 1},
             {kBinChunks, bins},
             {kBinFirst, bins, 1},
             {kAround, around},
             {kNearCount, bins * around},
             {kOldRank, fused_ ? 1u : 0u}}};
  }
  // What save_nodes has put aside outlives the step.
  enum NodeField { kNodes, kIncrements, kMomentum, kImpulse, kNodeFields };
  FieldTable<kNodeFields> node_table() const {
    const std::size_t increments = with_increments_ ? reals_ : 0;
    return {{{kNodes, reals_, 0, fused_},
             {kIncrements, increments, 0, fused_},
             {kMomentum, fused_ ? reals_ : 0},
             {kImpulse, fused_ ? increments : 0}}};
  }
  using Keys = BlockFields<Exec, std::uint64_t, kKeyFields>;
  using Words = BlockFields<Exec, std::uint32_t, kWords>;
  using Nodes = BlockFields<Exec, Real, kNodeFields>;

  Exec& exec_;
  double dx_;
  PeriodicBlocks periodic_;
  std::uint32_t materials_, capacity_ = 0;
  std::size_t reals_;  // per block
  bool with_increments_, fused_;
  bool near_;  // layouts are found from those before: see kernels/grid/near_layout.inl
  BlockHalo halo_;
  int parities_;
  Buffer<Exec, std::uint64_t> hash_keys_;
  Buffer<Exec, std::uint32_t> hash_ranks_, hash_home_, colour_begin_;
  Keys keys_;
  Words words_;
  Nodes nodes_;
};

}  // namespace firn
