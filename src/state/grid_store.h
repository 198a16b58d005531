// The block-sparse grid of one simulation in a backend's memory.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/fields/blocks.h"
#include "kernels/grid/rebuild.h"
#include "kernels/transfer/modes.h"

namespace firn {

template <class Exec, int D, class Real>
class GridStore {
 public:
  // `components`: groups of 4 reals per node; 1 for collocated velocities, D for one per face.
  // `parities`: per axis, of the colours of blocks; 0 unless steps are fused, which need momentum
  // beside velocity and all neighbours of a block.
  GridStore(Exec& exec, double dx, const PeriodicBlocks& periodic, std::uint32_t materials,
            int components, bool increments, int parities = 0)
      : exec_(exec),
        dx_(dx),
        periodic_(periodic),
        materials_(materials),
        reals_(BlockTraits<D>::kNodes * 4 * static_cast<std::size_t>(components)),
        with_increments_(increments),
        fused_(parities > 0),
        parities_(fused_ ? parities : 2) {}

  std::uint32_t capacity() const { return capacity_; }  // blocks
  std::vector<std::uint64_t> keys(std::uint32_t blocks) const { return keys_.download(blocks); }
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
    renew(exec_, keys_, blocks);
    renew(exec_, home_, blocks);
    renew(exec_, corners_, std::size_t{blocks} * BlockTraits<D>::kCorners);
    renew(exec_, chunk_begin_, blocks + 1);
    renew(exec_, coloured_, blocks);
    renew(exec_, colour_begin_, colours() + 1);
    renew(exec_, block_colour_, blocks);
    const std::size_t bins = std::size_t{blocks} * materials_;
    renew(exec_, bin_begin_, bins + 1);
    renew(exec_, bin_chunks_, bins);
    renew(exec_, bin_first_, bins + 1);
    const std::size_t nodes = std::size_t{blocks} * reals_;
    if (!fused_) {
      renew(exec_, nodes_, nodes);
      if (with_increments_) renew(exec_, increments_, nodes);
      return;
    }
    renew(exec_, around_, std::size_t{blocks} * int_power(3, D));
    renew(exec_, near_count_, bins * int_power(3, D));
    renew(exec_, old_rank_, blocks);
    enlarge(saved_keys_, blocks);
    enlarge(nodes_, nodes);
    renew(exec_, momentum_, nodes);
    if (!with_increments_) return;
    enlarge(increments_, nodes);
    renew(exec_, impulse_, nodes);
  }

  GridView<Real> view() {
    GridView<Real> v;
    v.hash = {hash_keys_.data(), hash_ranks_.data(), hash_home_.data(),
              static_cast<std::uint32_t>(hash_keys_.size() - 1)};
    v.keys = keys_.data();
    v.home = home_.data();
    v.corners = corners_.data();
    v.chunk_begin = chunk_begin_.data();
    v.coloured = coloured_.data();
    v.colour_begin = colour_begin_.data();
    v.parities = parities_;
    v.nodes = nodes_.data();
    v.increments = increments_.data();
    v.momentum = fused_ ? momentum_.data() : v.nodes;
    v.impulse = fused_ ? impulse_.data() : v.increments;
    v.around = around_.data();
    v.saved_keys = saved_keys_.data();
    v.dx = static_cast<Real>(dx_);
    v.inv_dx = static_cast<Real>(1 / dx_);
    v.periodic = periodic_;
    return v;
  }
  void fill(RebuildView& scratch) {
    scratch.max_blocks = capacity_;
    scratch.materials = materials_;
    scratch.bin_begin = bin_begin_.data();
    scratch.bin_chunks = bin_chunks_.data();
    scratch.bin_first = bin_first_.data();
    scratch.block_colour = block_colour_.data();
    scratch.near_counts = {near_count_.data(), old_rank_.data()};
  }

  // What fused steps leave on the grid: the blocks, and the momentum on their nodes.
  struct Carried {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> home;
    std::vector<Real> momentum, impulse;
  };
  Carried carried(std::uint32_t blocks) const {
    const std::size_t nodes = std::size_t{blocks} * reals_;
    return {keys_.download(blocks), home_.download(blocks), momentum_.download(nodes),
            with_increments_ ? impulse_.download(nodes) : std::vector<Real>{}};
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
                                block_key<D>(periodic_.wrapped(neighbour))))
          return false;
      }
    return true;
  }
  void restore(const Carried& c) {
    keys_.upload(c.keys);
    home_.upload(c.home);
    momentum_.upload(c.momentum);
    impulse_.upload(c.impulse);
  }

  std::size_t bytes() const {
    std::size_t sum = hash_keys_.bytes() + hash_ranks_.bytes() + hash_home_.bytes() + keys_.bytes();
    for (const auto* b :
         {&home_, &corners_, &chunk_begin_, &coloured_, &colour_begin_, &block_colour_, &bin_begin_,
          &bin_chunks_, &bin_first_, &around_, &near_count_, &old_rank_})
      sum += b->bytes();
    return sum + saved_keys_.bytes() + nodes_.bytes() + increments_.bytes() + momentum_.bytes() +
           impulse_.bytes();
  }
  // What bytes() says once `blocks` are reserved, for estimates.
  std::size_t bytes_for(std::uint32_t blocks) const {
    const std::size_t node = reals_ * sizeof(Real) * (with_increments_ ? 2 : 1) * (fused_ ? 2 : 1);
    const std::size_t around = int_power(3, D);
    const std::size_t block = node + 8 + 4 * (4 + BlockTraits<D>::kCorners) +
                              std::size_t{12} * materials_ +
                              (fused_ ? 8 + 4 * (1 + around * (1 + materials_)) : 0);
    const std::size_t table_entry = 8 + 4 + 4;
    return blocks * block + hash_places(blocks) * table_entry + 4 * (colours() + 3);
  }
  static std::uint32_t hash_places(std::uint32_t blocks) { return std::bit_ceil(2 * blocks); }

 private:
  std::size_t colours() const { return static_cast<std::size_t>(int_power(parities_, D)); }
  template <class T>
  void enlarge(Buffer<Exec, T>& buffer, std::size_t size) {
    if (buffer.empty()) return renew(exec_, buffer, size);
    buffer.resize(size);
  }
  Exec& exec_;
  double dx_;
  PeriodicBlocks periodic_;
  std::uint32_t materials_, capacity_ = 0;
  std::size_t reals_;  // per block
  bool with_increments_, fused_;
  int parities_;
  Buffer<Exec, std::uint64_t> hash_keys_, keys_, saved_keys_;
  Buffer<Exec, std::uint32_t> hash_ranks_, hash_home_, home_, corners_, chunk_begin_, coloured_,
      colour_begin_, block_colour_, bin_begin_, bin_chunks_, bin_first_, around_, near_count_,
      old_rank_;
  Buffer<Exec, Real> nodes_, increments_, momentum_, impulse_;
};

}  // namespace firn
