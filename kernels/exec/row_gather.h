// Rows of 32 values gathered from rows of other chunks, as vectors of the compiler. Particles that
// lay in one chunk before mostly lie in one chunk again, in the same order with gaps: so a row is
// put together from few old rows, each shuffled once, instead of value by value. Host code only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/exec/launch.h"
#include "kernels/exec/vector_bytes.h"

namespace firn {

template <class T>
class RowGather {
 public:
  // Where each lane comes from: chunk * 32 + lane.
  explicit RowGather(const std::uint32_t (&slot)[kLanes]) : slot_(slot) {
    if constexpr (kShuffles) {
      for (std::uint32_t h = 0; h < kVectors && !scattered_; ++h) find_pieces(h);
    } else {
      scattered_ = true;
    }
  }

  // Row k of `to` from the rows k of the chunks in `from`, of `stride` rows each.
  template <class U>
  void rows(std::uint32_t n, const U* from, std::uint32_t stride, U* to) const {
    if constexpr (std::is_same_v<U, T>)
      if (!scattered_) return shuffled_rows(n, from, stride, to);
    std::uint64_t at[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      at[lane] = std::uint64_t{slot_[lane] / kLanes} * stride * kLanes + slot_[lane] % kLanes;
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        to[k * kLanes + lane] = from[at[lane] + k * kLanes];
  }

 private:
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef Index Indices __attribute__((vector_size(kVectorBytes)));
  static constexpr std::uint32_t kWidth = kVectorBytes / sizeof(T), kVectors = kLanes / kWidth;
  static constexpr bool kShuffles = kVectorBytes >= 32;
  // Beyond that, single values are as fast.
  static constexpr std::uint32_t kMostPieces = 24;

  // The lanes of one vector that come from one vector.
  struct Piece {
    std::uint32_t source;  // slot / kWidth
    Indices taken;         // -1 or 0
  };

  void find_pieces(std::uint32_t h) {
    const std::uint32_t* slot = slot_ + h * kWidth;
    Indices sources;
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      place_[h][i] = static_cast<Index>(slot[i] % kWidth);
      sources[i] = static_cast<Index>(slot[i] / kWidth);
    }
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      const std::uint32_t source = slot[i] / kWidth;
      if (i > 0 && source == slot[i - 1] / kWidth) continue;
      if (pieces_ == kMostPieces) {
        scattered_ = true;
        return;
      }
      piece_[pieces_++] = {source, sources == static_cast<Index>(source)};
    }
    end_[h] = pieces_;
  }

  void shuffled_rows(std::uint32_t n, const T* from, std::uint32_t stride, T* to) const {
    const T* sources[kMostPieces];
    for (std::uint32_t p = 0; p < pieces_; ++p) {
      const std::uint32_t first = piece_[p].source * kWidth;
      sources[p] = from + std::uint64_t{first / kLanes} * stride * kLanes + first % kLanes;
    }
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t h = 0, p = 0; h < kVectors; ++h) {
        Vector row{};
        for (; p < end_[h]; ++p) {
          Vector old;
          std::memcpy(&old, sources[p] + k * kLanes, kVectorBytes);
          row = piece_[p].taken ? __builtin_shuffle(old, place_[h]) : row;
        }
        std::memcpy(to + k * kLanes + h * kWidth, &row, kVectorBytes);
      }
  }

  const std::uint32_t* slot_;
  Indices place_[kVectors];
  Piece piece_[kMostPieces];
  std::uint32_t end_[kVectors], pieces_ = 0;
  bool scattered_ = false;
};

}  // namespace firn
