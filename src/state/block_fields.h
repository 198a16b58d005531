// Fields of the grid: what a store keeps for each of its blocks, on their nodes, faces or cells, in
// one table. Memory, byte counts and estimates follow from the rows.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "kernels/exec/buffer.h"

namespace firn {

struct FieldRow {
  std::size_t field;       // the place of the row
  std::size_t per_block;   // values; 0: the scene does not have it
  std::size_t beyond = 0;  // values behind those of the last block
  bool kept = false;       // a larger store keeps its values; others start with zeros
};
template <std::size_t N>
using FieldTable = std::array<FieldRow, N>;

template <std::size_t N>
constexpr bool in_order(const FieldTable<N>& table) {
  for (std::size_t i = 0; i < N; ++i)
    if (table[i].field != i) return false;
  return true;
}

// Fields of one type. T is plain data.
template <class Exec, class T, std::size_t N>
class BlockFields {
 public:
  BlockFields(Exec& exec, const FieldTable<N>& table) : exec_(exec), table_(table) {
    assert(in_order(table));
  }

  void reserve(std::uint32_t blocks) {
    for (const FieldRow& row : table_) {
      Buffer<Exec, T>& buffer = buffers_[row.field];
      const std::size_t size = size_of(row, blocks);
      if (row.kept && !buffer.empty())
        buffer.resize(size);
      else
        renew(exec_, buffer, size);
    }
  }

  Buffer<Exec, T>& operator[](std::size_t field) { return buffers_[field]; }
  const Buffer<Exec, T>& operator[](std::size_t field) const { return buffers_[field]; }
  T* data(std::size_t field) { return buffers_[field].data(); }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& buffer : buffers_) sum += buffer.bytes();
    return sum;
  }
  // What bytes() says once `blocks` are reserved, for estimates.
  static std::size_t bytes_for(const FieldTable<N>& table, std::uint32_t blocks) {
    std::size_t sum = 0;
    for (const FieldRow& row : table) sum += size_of(row, blocks);
    return sum * sizeof(T);
  }

 private:
  static std::size_t size_of(const FieldRow& row, std::uint32_t blocks) {
    return row.per_block == 0 ? 0 : blocks * row.per_block + row.beyond;
  }

  Exec& exec_;
  FieldTable<N> table_;
  std::array<Buffer<Exec, T>, N> buffers_;
};

}  // namespace firn
