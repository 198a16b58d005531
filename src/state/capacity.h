// How much room a simulation allocates for what it has found it needs; `estimate` follows the same
// rules.
#pragma once

#include <algorithm>
#include <cstdint>

namespace firn {

// After growing: an eighth in reserve.
inline std::uint32_t with_room(std::uint32_t needed) { return needed + needed / 8 + 64; }

// Chunks after appending a batch of `added` that did not fit: a sixteenth for the partly filled
// ones of the layout.
inline std::uint32_t chunks_after_append(std::uint32_t present, std::uint32_t added) {
  return present + added + added / 16 + 64;
}

// Blocks before the first layout is known. Home blocks of a well-filled scene hold 64 cells of
// particles; the halo adds about as many.
inline std::uint32_t initial_blocks(std::uint32_t particles) {
  return std::max<std::uint32_t>(particles / 128, 64);
}

}  // namespace firn
