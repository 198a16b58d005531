// Rows of 32 values gathered from rows of other chunks, as vectors of the compiler. Particles that
// lay in one chunk before mostly lie in one chunk again, in the same order with gaps: so a row is
// put together from few old rows, each shuffled once, instead of value by value. Host code only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/base/vector_bytes.h"
#include "kernels/exec/launch.h"

namespace firn {

template <class T>
class RowGather {
 public:
  // Where each lane comes from: chunk * 32 + lane.
  explicit RowGather(const std::uint32_t (&slot)[kLanes]) : slot_(slot) {
    if (is_whole_chunk())
      kind_ = Kind::kChunk;
    else if (kShuffles && find_pieces())
      kind_ = Kind::kShuffled;
  }

  // Row k of `to` from the rows k of the chunks in `from`, of `stride` rows each.
  template <class U>
  void rows(std::uint32_t n, const U* from, std::uint32_t stride, U* to) const {
    if (kind_ == Kind::kChunk) {
      const U* chunk = from + std::uint64_t{slot_[0]} * stride;
      for (std::uint32_t k = 0; k < n; ++k)
        std::memcpy(to + k * kLanes, chunk + k * kLanes, sizeof(U) * kLanes);
      return;
    }
    if constexpr (std::is_same_v<U, T>)
      if (kind_ == Kind::kShuffled) return shuffled_rows(n, from, stride, to);
    std::uint64_t at[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      at[lane] = std::uint64_t{slot_[lane] / kLanes} * stride * kLanes + slot_[lane] % kLanes;
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        to[k * kLanes + lane] = from[at[lane] + k * kLanes];
  }

 private:
  using Index = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef Index Indices __attribute__((vector_size(kVectorBytes)));
  typedef std::uint32_t Slots
      __attribute__((vector_size(kVectorBytes / sizeof(T) * sizeof(std::uint32_t))));
  static constexpr std::uint32_t kWidth = kVectorBytes / sizeof(T), kVectors = kLanes / kWidth;
  static constexpr bool kShuffles = kVectorBytes >= 32;
  // Beyond that, single values are as fast.
  static constexpr std::uint32_t kMostPieces = 24;

  // The lanes of one vector that come from one vector.
  struct Piece {
    std::uint32_t source;  // slot / kWidth
    Indices taken;         // all bits set, or none
  };
  enum class Kind { kScattered, kShuffled, kChunk };

  bool is_whole_chunk() const {
    if (slot_[0] % kLanes != 0) return false;
    bool whole = true;
    for (std::uint32_t i = 1; i < kLanes; ++i) whole &= slot_[i] == slot_[0] + i;
    return whole;
  }
  bool find_pieces() {
    for (std::uint32_t h = 0; h < kVectors; ++h) {
      const std::uint32_t* slot = slot_ + h * kWidth;
      Slots slots;
      std::memcpy(&slots, slot, sizeof slots);
      const Indices wide = __builtin_convertvector(slots, Indices), sources = wide / kWidth;
      place_[h] = wide % kWidth;
      for (std::uint32_t i = 0; i < kWidth; ++i) {
        const std::uint32_t source = slot[i] / kWidth;
        if (i > 0 && source == slot[i - 1] / kWidth) continue;
        if (pieces_ == kMostPieces) return false;
        piece_[pieces_++] = {source, sources == source};
      }
      end_[h] = pieces_;
    }
    return true;
  }

  static Vector shuffled(Vector old, Indices place) {
#if defined(__clang__)
    return __builtin_shufflevector(old, place);
#else
    return __builtin_shuffle(old, place);
#endif
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
          row = piece_[p].taken ? shuffled(old, place_[h]) : row;
        }
        std::memcpy(to + k * kLanes + h * kWidth, &row, kVectorBytes);
      }
  }

  const std::uint32_t* slot_;
  Indices place_[kVectors];
  Piece piece_[kMostPieces];
  std::uint32_t end_[kVectors], pieces_ = 0;
  Kind kind_ = Kind::kScattered;
};

}  // namespace firn
