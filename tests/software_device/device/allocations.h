// Memory that the device knows: what of it is live, what was freed, and beside each allocation what
// the checkers and counters keep about it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace emulator::core {

// Who last touched the bytes of one word of memory. All of it is of one launch (global memory) or
// block (shared memory), `serial`; where that is past, the word counts as untouched.
struct Shadow {
  std::uint32_t writer, reader;                 // block << 10 | thread
  std::uint32_t write_epoch : 24, written : 4;  // Warp::epoch; which bytes
  std::uint32_t plain_write : 1, : 3;           // as opposed to an atomic or volatile one
  std::uint32_t read_epoch : 24, read : 4;
  std::uint32_t read_by_warp : 1, read_by_block : 1,
      read_by_grid : 1, : 1;                                 // further threads than `reader`
  std::uint64_t serial : 16, written_at : 20, read_at : 20;  // PTX lines
  std::uint64_t valid : 4, : 4;  // shared memory: bytes that the block has written
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
