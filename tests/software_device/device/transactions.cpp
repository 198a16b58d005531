// What accesses of a warp cost: sectors of global memory, wavefronts of shared memory, turns of
// atomics; and whether they stay within live memory.
#include <algorithm>
#include <bit>

#include "check.h"
#include "counters.h"

namespace emulator::core {

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u16 launch_serial = 0, phase_serial = 0;

std::string hex(u64 value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// One word after the other, in the order of the lanes.
bool contiguous(Mask m, const u64* at, unsigned bytes) {
  if (m != kFull) return false;
  u64 differs = 0;
  for (int i = 0; i < kLanes; ++i) differs |= at[i] ^ (at[0] + static_cast<u64>(i) * bytes);
  return differs == 0;
}

// A sector must come from device memory when a launch meets it for the first time, unless the
// launch wrote it before, and go there once if the launch writes it.
void count_dram(Counters& c, const Allocation& a, u64 byte, Touch touch) {
  SectorUse& use = a.sector_of(byte);
  if (touch != Touch::kWrite) {
    c.dram_read += use.read != launch_serial && use.written != launch_serial;
    use.read = launch_serial;
  }
  if (touch != Touch::kRead) {
    c.dram_written += use.written != launch_serial;
    use.written = launch_serial;
  }
}

// f(byte) for the first byte that is accessed of each sector; returns how many sectors.
template <class F>
u64 for_each_sector(Mask m, const u64* at, unsigned bytes, F&& f) {
  if (contiguous(m, at, bytes)) {
    const u64 first = at[0] / 32, last = (at[kLanes - 1] + bytes - 1) / 32;
    for (u64 s = first; s <= last; ++s) f(std::max(s * 32, at[0]));
    return last - first + 1;
  }
  // Rising addresses, the usual case, need no search for sectors that were met before.
  u64 newest = 0, sectors = 0;
  u64 met[2 * kLanes];
  for_each_lane(m, [&](int i) {
    for (u64 s = at[i] / 32; s <= (at[i] + bytes - 1) / 32; ++s) {
      if (sectors > 0 && s == newest) continue;
      const bool rises = sectors == 0 || s > newest;
      if (!rises && std::find(met, met + sectors, s) != met + sectors) continue;
      met[sectors++] = s;
      newest = std::max(newest, s);
      f(std::max(s * 32, at[i]));
    }
  });
  return sectors;
}

// `a`: the allocation of all lanes, or nullptr where they may have several.
void count_global(Counters& c, Mask m, const u64* at, unsigned bytes, Touch touch,
                  const Allocation* a) {
  ++c.global_requests;
  c.global_bytes += static_cast<u64>(std::popcount(m)) * bytes;
  c.sectors[static_cast<std::size_t>(touch)] += for_each_sector(m, at, bytes, [&](u64 byte) {
    const Allocation* own = a != nullptr ? a : memory().find(byte);
    if (own != nullptr) count_dram(c, *own, byte, touch);
  });
}

// 32 banks of 4 bytes: lanes that want different words of one bank take turns. Accesses of 8 and 16
// bytes are made for halves and quarters of the warp.
unsigned wavefronts(Mask m, const u64* at, unsigned bytes) {
  const int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  unsigned total = 0;
  for (int first = 0; first < kLanes; first += group) {
    const Mask part = m & static_cast<Mask>(((u64{1} << group) - 1) << first);
    if (part == 0) continue;
    u32 words[kLanes][8];
    u8 count[kLanes] = {};
    unsigned most = 1;
    for_each_lane(part, [&](int i) {
      for (u64 word = at[i] / 4; word <= (at[i] + bytes - 1) / 4; ++word) {
        u32* bank = words[word % 32];
        u8& n = count[word % 32];
        const unsigned kept = std::min<unsigned>(n, 8);
        if (std::find(bank, bank + kept, static_cast<u32>(word)) != bank + kept) continue;
        if (n < 8) bank[n] = static_cast<u32>(word);
        most = std::max<unsigned>(most, ++n);
      }
    });
    total += std::min(most, 32u);
  }
  return total;
}

// The most lanes that want one address.
unsigned most_lanes_at_one(Mask m, const u64* at) {
  unsigned most = 1;
  for (Mask rest = m; rest != 0;) {
    const u64 first = at[std::countr_zero(rest)];
    Mask same = 0;
    for (int i = 0; i < kLanes; ++i) same |= Mask{at[i] == first} << i;
    most = std::max(most, static_cast<unsigned>(std::popcount(same & m)));
    rest &= ~same;
  }
  return most;
}

// Names the lane that leaves live memory, or whose address is not aligned.
void check_lanes(Warp& w, const Instruction& in, Mask m, const u64* at, unsigned bytes) {
  for_each_lane(m, [&](int i) {
    const Allocation* own = memory().find(at[i]);
    const std::string access = "access of " + std::to_string(bytes) + " bytes at " + hex(at[i]);
    if (own == nullptr || at[i] + bytes > own->end)
      fault(w, in, i, access + " is outside live memory: " + explain(at[i]));
    if (at[i] % bytes != 0) fault(w, in, i, access + " is not aligned: " + place_in(*own, at[i]));
  });
}

}  // namespace

const Allocation* begin_global(Warp& w, const Instruction& in, Mask m, const u64* at,
                               unsigned bytes, Touch touch) {
  const Allocation* a = nullptr;
  if (checks().memory) {
    u64 low = at[0], high = at[0], low_bits = 0;
    for (int i = 0; i < kLanes; ++i) {
      low = std::min(low, at[i]);
      high = std::max(high, at[i]);
      low_bits |= at[i];
    }
    a = memory().find(low);
    if ((low_bits & (bytes - 1)) != 0 || a == nullptr || high + bytes > a->end) {
      check_lanes(w, in, m, at, bytes);
      a = nullptr;
    }
  }
  count_global(*w.block->counters, m, at, bytes, touch, a);
  return a;
}

void begin_local(Warp& w, const Instruction& in, Mask m, const u64* at, unsigned bytes, u32 limit,
                 const char* space) {
  u64 high = 0, bits = 0;
  for (int i = 0; i < kLanes; ++i) {
    high = std::max(high, at[i]);
    bits |= at[i];
  }
  if ((bits & (bytes - 1)) == 0 && high < limit && high + bytes <= limit) return;
  for_each_lane(m, [&](int i) {
    if (at[i] % bytes != 0 || at[i] >= limit || at[i] + bytes > limit)
      fault(w, in, i,
            "access of " + std::to_string(bytes) + " bytes at offset " +
                std::to_string(static_cast<long long>(at[i])) + " of " + std::to_string(limit) +
                " bytes of " + space + " memory" + (at[i] % bytes != 0 ? " is not aligned" : ""));
  });
}

void begin_shared(Warp& w, const Instruction& in, Mask m, const u64* at, unsigned bytes) {
  // Unchecked it would hit the emulator itself.
  begin_local(w, in, m, at, bytes, w.block->shared_bytes, "shared");
  Counters& c = *w.block->counters;
  ++c.shared_requests;
  c.wavefronts += bytes >= 4 && contiguous(m, at, bytes) ? bytes / 4 : wavefronts(m, at, bytes);
}

void count_global_atomic(Warp& w, Mask m, const u64* at) {
  Counters& c = *w.block->counters;
  ++c.global_atomics;
  c.global_turns += most_lanes_at_one(m, at);
}

void count_shared_atomic(Warp& w, Mask m, const u64* at, unsigned bytes, bool loops) {
  Counters& c = *w.block->counters;
  const unsigned turns = most_lanes_at_one(m, at);
  ++c.shared_atomics;
  c.shared_turns += turns;
  if (!loops) return;
  // Each turn loads, adds, compares and swaps, tests and branches; one lane at each address gets
  // through. The first load is what was counted as the access.
  constexpr unsigned kInstructionsPerTurn = 5;
  c.loop_instructions += kInstructionsPerTurn * turns - 1;
  c.wavefronts += wavefronts(m, at, bytes) + 2 * (turns - 1);
}

u16 serial_of_phase() { return phase_serial; }

void begin_phase() {
  if (++phase_serial != 0) return;
  launch_serial = phase_serial = 1;  // old shadows could be taken for those of later launches
  forget_launches();
}
void begin_launch() {
  ++launch_serial;  // never ahead of the other
  begin_phase();
}

}  // namespace emulator::core
