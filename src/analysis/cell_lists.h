// Particles sorted into the cells of a sparse, possibly periodic lattice: the sums over neighbours
// that a diagnostic needs then cost O(n) on any set of particles, however far they have scattered.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "firn/scene.h"
#include "kernels/exec/parallel_for.h"
#include "kernels/transfer/spline.h"

namespace firn {

// Indices of 64-bit keys in the order of their first insertion; open addressing. Eight consecutive
// keys begin their search side by side, so that neighbours along the last axis share cache lines.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  KeyTable() : slots_(std::size_t{8} << (64 - shift_)) {}

  std::uint32_t find(std::uint64_t key) const { return slots_[slot_of(key)].index; }
  std::uint32_t insert(std::uint64_t key) {
    Slot& slot = slots_[slot_of(key)];
    if (slot.index != kNone) return slot.index;
    slot = {key, size_};
    if (2 * std::size_t{++size_} > slots_.size()) grow();
    return size_ - 1;
  }
  std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t index = kNone;
  };
  // Where the key is, or else the free place for it. The uppermost bits of the product depend on
  // all bits of the key.
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (((key >> 3) * 0x9e3779b97f4a7c15ull) >> shift_) * 8 + (key & 7);
    while (slots_[i & mask].index != kNone && slots_[i & mask].key != key) ++i;
    return i & mask;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old)
      if (slot.index != kNone) slots_[slot_of(slot.key)] = slot;
  }

  int shift_ = 57;  // 64 minus the logarithm of the number of runs of eight slots
  std::vector<Slot> slots_;
  std::uint32_t size_ = 0;
};

template <int D>
using Cell = std::array<std::int32_t, D>;

// The nodes of a lattice lie at the integer multiples of `spacing`; a particle belongs to the cell
// of the lowest node of its quadratic stencil. Along a periodic axis a whole number of cells fits.
template <int D>
struct Lattice {
  Vec<double, D> spacing;  // m
  Cell<D> period{};        // cells; 0: the axis has no end

  // Spacing dx, a little more or less along axes with a length in `lengths` (0: none).
  Lattice(double dx, const Vec3& lengths) {
    for (int a = 0; a < D; ++a) {
      spacing[a] = dx;
      if (!(lengths[a] > 0)) continue;
      period[a] = std::max(1, static_cast<std::int32_t>(std::lround(lengths[a] / dx)));
      spacing[a] = lengths[a] / period[a];
    }
  }

  Cell<D> wrapped(Cell<D> cell) const {
    for (int a = 0; a < D; ++a)
      if (period[a] > 0) cell[a] -= period[a] * floor_ratio(cell[a], period[a]);
    return cell;
  }
  Cell<D> neighbour(Cell<D> cell, int axis, int step) const {
    cell[axis] += step;
    return wrapped(cell);
  }

 private:
  static std::int32_t floor_ratio(std::int32_t a, std::int32_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }
};

// The cells that hold particles come first, in the order of their coordinates; behind them the
// cells whose node lies in the stencil of one, but which are empty. Particles that are not finite,
// or farther than a million cells from the origin, where single precision has no digits left within
// a cell, are in no cell.
template <int D>
class CellLists {
 public:
  static constexpr int kStencil = D == 2 ? 9 : 27;

  // `position` has n * D entries.
  CellLists(const Lattice<D>& lattice, std::span<const float> position) : lattice_(lattice) {
    sort(position);
    occupied_ = table_.size();
    for (int a = 0; a < D; ++a) widen(a);
    begin_.resize(cells_.size() + 1, begin_.back());
  }

  const Lattice<D>& lattice() const { return lattice_; }
  std::uint32_t occupied() const { return occupied_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(cells_.size()); }

  // Places in the sorted order, and which particle lies at one.
  std::uint32_t begin(std::uint32_t cell) const { return begin_[cell]; }
  std::uint32_t end(std::uint32_t cell) const { return begin_[cell + 1]; }
  std::span<const std::uint32_t> order() const { return order_; }

  // Where a cell's node lies, by number and in space.
  const Cell<D>& cell(std::uint32_t cell) const { return cells_[cell]; }
  Vec<double, D> position_of(std::uint32_t cell) const {
    Vec<double, D> x;
    for (int a = 0; a < D; ++a) x[a] = cells_[cell][a] * lattice_.spacing[a];
    return x;
  }
  // Whose node is nearest to `x`; kNone where there is none.
  std::uint32_t node_near(const Vec<double, D>& x) const {
    Cell<D> cell;
    for (int a = 0; a < D; ++a)
      cell[a] = static_cast<std::int32_t>(std::floor(x[a] / lattice_.spacing[a] + 0.5));
    return table_.find(key_of(lattice_.wrapped(cell)));
  }
  // The node that the particles of an occupied cell are nearest to.
  std::uint32_t node_of_region(std::uint32_t cell) const {
    Cell<D> node = cells_[cell];
    for (int a = 0; a < D; ++a) ++node[a];
    return table_.find(key_of(lattice_.wrapped(node)));
  }
  // Those that hold the particles within a cell's side of what lies nearest to a node.
  std::array<std::uint32_t, kStencil> around(std::uint32_t node) const { return stencil(node, -1); }

  // The cells at `cell` + direction * k, k in {0, 1, 2}^D with the last axis fastest; kNone where
  // there is none.
  std::array<std::uint32_t, kStencil> stencil(std::uint32_t cell, int direction) const {
    std::array<std::uint32_t, kStencil> result;
    for (int i = 0; i < kStencil; ++i) {
      Cell<D> other = cells_[cell];
      for (int a = D - 1, rest = i; a >= 0; --a, rest /= 3) other[a] += direction * (rest % 3);
      result[i] = table_.find(key_of(lattice_.wrapped(other)));
    }
    return result;
  }

 private:
  static constexpr int kBits = 21;
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  static std::uint64_t key_of(const Cell<D>& cell) {
    std::uint64_t key = 0;
    for (int a = 0; a < D; ++a)
      key = key << kBits | static_cast<std::uint32_t>(cell[a] + (1 << (kBits - 1)));
    return key;
  }
  static Cell<D> cell_of(std::uint64_t key) {
    Cell<D> cell;
    for (int a = D - 1; a >= 0; --a, key >>= kBits)
      cell[a] = static_cast<std::int32_t>(key & ((1 << kBits) - 1)) - (1 << (kBits - 1));
    return cell;
  }
  std::uint64_t key_of(const float* position) const {
    constexpr double kFarthest = (1 << (kBits - 1)) - 4;  // leaves room for the stencil
    Cell<D> cell;
    for (int a = 0; a < D; ++a) {
      const double place = double{position[a]} / lattice_.spacing[a];
      if (!(std::abs(place) < kFarthest)) return kNoKey;
      cell[a] =
          axis_base(double{position[a]}, 1 / lattice_.spacing[a], stencil_shift<double>(2)).node;
    }
    return key_of(lattice_.wrapped(cell));
  }

  // A counting sort. Cells are numbered in the order of their keys, so that those which are near in
  // space are near in memory, whatever the order of the particles.
  void sort(std::span<const float> position) {
    std::vector<std::uint64_t> keys(position.size() / D);
    parallel_for(keys.size(), 0, [&](std::size_t p) { keys[p] = key_of(&position[p * D]); });
    number_cells(keys);
    std::vector<std::uint32_t> cells(keys.size());
    parallel_for(keys.size(), 0, [&](std::size_t p) { cells[p] = table_.find(keys[p]); });
    begin_.assign(cells_.size() + 1, 0);
    for (const std::uint32_t cell : cells)
      if (cell != KeyTable::kNone) ++begin_[cell + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    order_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_);
    for (std::size_t p = 0; p < cells.size(); ++p)
      if (cells[p] != KeyTable::kNone) order_[next[cells[p]]++] = static_cast<std::uint32_t>(p);
  }

  void number_cells(const std::vector<std::uint64_t>& keys) {
    KeyTable found;
    std::vector<std::uint64_t> distinct;
    for (const std::uint64_t key : keys)
      if (key != kNoKey && found.insert(key) == distinct.size()) distinct.push_back(key);
    std::sort(distinct.begin(), distinct.end());
    for (const std::uint64_t key : distinct) add(key);
  }

  void add(std::uint64_t key) {
    if (table_.insert(key) == cells_.size()) cells_.push_back(cell_of(key));
  }
  void widen(int axis) {
    const std::uint32_t count = size();
    for (std::uint32_t cell = 0; cell < count; ++cell)
      for (int step = 1; step <= 2; ++step)
        add(key_of(lattice_.neighbour(cells_[cell], axis, step)));
  }

  Lattice<D> lattice_;
  KeyTable table_;
  std::vector<Cell<D>> cells_;
  std::vector<std::uint32_t> begin_, order_;
  std::uint32_t occupied_ = 0;
};

}  // namespace firn
