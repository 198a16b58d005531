// Memory that the device knows: what of it is live, what was freed, and beside each allocation what
// the checkers and counters keep about it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace emulator::core {

// Who last touched the bytes of one word of memory. All of it is of one launch (global memory) or
// block (shared memory), `serial`; where that is past, the word counts as untouched. Three words
// that are loaded and stored whole: parts written one by one could not be forwarded to the next
// load.
struct Shadow {
  std::uint64_t parties;  // writer, reader: block << 10 | thread
  std::uint64_t
      times;  // of the write: epoch 24, bytes 4, plain 1; from bit 32 of the read: epoch 24,
              // bytes 4, and whether others of the warp, the block, the grid read as well
  std::uint64_t rest;  // serial 16, PTX lines of the write and the read 20 each, from bit 56 the
                       // bytes that the block has written (shared memory)
};
static_assert(sizeof(Shadow) == 24);

// The last launches that read and wrote a sector of 32 bytes.
struct SectorUse {
  std::uint16_t read, written;
};

struct Allocation {
  std::uint64_t begin = 0, end = 0;
  std::string label;
  std::uint8_t* written = nullptr;  // a bit for each byte
  Shadow* shadow = nullptr;         // one for each word
  SectorUse* sectors = nullptr;     // one for each sector

  SectorUse& sector_of(std::uint64_t byte) const { return sectors[byte / 32 - begin / 32]; }
};

struct Memory {
  std::map<std::uint64_t, Allocation> live;  // by end
  std::deque<Allocation> freed;              // newest first
  const Allocation* last = nullptr;

  const Allocation* find(std::uint64_t at) {
    if (last != nullptr && at >= last->begin && at < last->end) return last;
    return find_other(at);
  }

 private:
  const Allocation* find_other(std::uint64_t at);
};
Memory& memory();

// Forgets all that launches have left beside allocations, when their serial numbers begin anew.
void forget_launches();

std::string place_in(const Allocation&, std::uint64_t at);  // "byte 4 of 'label' (16 bytes)"
std::string explain(std::uint64_t at);  // where a bad address lies, as far as can be told

}  // namespace emulator::core
