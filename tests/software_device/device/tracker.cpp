#include "tracker.h"

#include <algorithm>
#include <cstring>

namespace emulator::core {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

bool is_amid_equals(Mask m, const u64* at, int i) {
  return i > 0 && i + 1 < kLanes && (m >> (i - 1) & 7) == 7 && at[i] == at[i - 1] &&
         at[i] == at[i + 1];
}

// f(word, bytes of it, offset) for the words of an access that is aligned to its size, or else for
// its first word.
template <class F>
[[gnu::always_inline]] inline void for_each_word(std::uint64_t at, unsigned bytes, F&& f) {
  if (bytes < 4) return f(at / 4, ((1u << bytes) - 1) << at % 4 & 0xF, 0u);
  for (unsigned k = 0; k < bytes; k += 4) f((at + k) / 4, 0xFu, k);
}

}  // namespace

void Tracker::report(int lane, const Seen& s, u64 at, Touch touch, bool against_write) const {
  if (!count_finding(w_, in_, race_)) return;
  const u32 other = against_write ? s.writer : s.reader;
  const u64 line = against_write ? s.written_at : s.read_at;
  std::string party = other == (block_ | w_.thread(lane))
                          ? "another thread"
                          : "thread " + std::to_string(other & 1023);
  party += (other ^ block_) >> 10 == 0 ? " of the same block"
                                       : " of block " + std::to_string(other >> 10);
  const char* verb = touch == Touch::kRead     ? "reads "
                     : touch == Touch::kAtomic ? "updates "
                                               : "writes ";
  const Allocation* a = race_ == Kind::kRaceGlobal ? memory().find(at) : nullptr;
  const std::string place =
      a != nullptr ? place_in(*a, at) : "byte " + std::to_string(at) + " of shared memory";
  describe_finding(w_, in_, race_, lane,
                   verb + place +
                       (against_write ? ", which was written by " : ", which was read by ") +
                       party + " at PTX line " + std::to_string(line));
}

GlobalTracker::GlobalTracker(Warp& w, const Instruction& in, const Allocation* a)
    : w_(w),
      in_(in),
      allocation_(a),
      tracker_(w, in, serial_of_phase(), Kind::kRaceGlobal),
      races_(checks().race) {}

const Allocation* GlobalTracker::allocation_at(u64 at, unsigned bytes) {
  const Allocation* a = memory().find(at);
  return a != nullptr && at + bytes <= a->end ? a : nullptr;
}

bool GlobalTracker::differs(u64 at, const void* value, unsigned offset, unsigned bytes) {
  return value == nullptr ||
         std::memcmp(reinterpret_cast<const std::byte*>(at) + offset,
                     static_cast<const std::byte*>(value) + offset, std::min(bytes, 4u)) != 0;
}

void GlobalTracker::report_fresh(int lane, const Allocation& a, u64 at) const {
  if (count_finding(w_, in_, Kind::kUninitialisedGlobal))
    describe_finding(w_, in_, Kind::kUninitialisedGlobal, lane,
                     "reads " + place_in(a, at) + ", never written");
}

SharedTracker::SharedTracker(Warp& w, const Instruction& in)
    : w_(w),
      in_(in),
      shadow_(w.block->shadow->words.data()),
      tracker_(w, in, w.block->shadow->serial, Kind::kRaceShared),
      races_(checks().race) {}

bool SharedTracker::differs(u64 at, const void* value, unsigned offset, unsigned bytes) const {
  return value == nullptr ||
         std::memcmp(w_.block->shared + at + offset, static_cast<const std::byte*>(value) + offset,
                     std::min(bytes, 4u)) != 0;
}

void SharedTracker::report_fresh(int lane, u64 at) const {
  if (count_finding(w_, in_, Kind::kUninitialisedShared))
    describe_finding(
        w_, in_, Kind::kUninitialisedShared, lane,
        "reads byte " + std::to_string(at) + " of shared memory, not written by this block");
}

[[gnu::always_inline]] inline bool GlobalTracker::written(const Allocation& a, std::uint64_t at,
                                                          unsigned bytes, Touch touch) {
  bool all = true;
  for (std::uint64_t offset = at - a.begin, rest = bytes; rest > 0;) {
    const unsigned shift = offset % 8,
                   n = rest < 8 - shift ? static_cast<unsigned>(rest) : 8 - shift;
    const auto wanted = static_cast<std::uint8_t>(((1u << n) - 1) << shift);
    std::uint8_t& flags = a.written[offset / 8];
    const bool have = (flags & wanted) == wanted;
    if (touch != Touch::kWrite) all &= have;
    if (touch != Touch::kRead && !have) flags |= wanted;
    offset += n;
    rest -= n;
  }
  return all;
}

void GlobalTracker::touch(int lane, std::uint64_t at, unsigned bytes, Touch touch,
                          const void* value) const {
  const Allocation* a = allocation_ != nullptr ? allocation_ : allocation_at(at, bytes);
  if (a == nullptr) return;  // memory is not checked
  if (!written(*a, at, bytes, touch) && checks().init) report_fresh(lane, *a, at);
  if (!races_) return;
  Shadow* shadow = a->shadow - a->begin / 4;  // words are those of the address space
  for_each_word(at, bytes, [&](std::uint64_t word, unsigned which, unsigned offset) {
    Shadow& s = shadow[word];
    s = touch == Touch::kRead ? tracker_.read(lane, s, which, at + offset)
                              : tracker_.write(lane, s, which, at + offset, touch,
                                               [&] { return differs(at, value, offset, bytes); });
  });
}

void SharedTracker::touch(int lane, std::uint64_t at, unsigned bytes, Touch touch,
                          const void* value) const {
  bool all = true;
  for_each_word(at, bytes, [&](std::uint64_t word, unsigned which, unsigned offset) {
    Shadow& s = shadow_[word];
    unsigned valid = tracker_.is_current(s) ? static_cast<unsigned>(s.rest >> kValid) : 0;
    if (touch != Touch::kWrite) all &= (valid & which) == which;
    if (touch != Touch::kRead) valid |= which;
    Shadow after = !races_ ? tracker_.renewed(s)
                   : touch == Touch::kRead
                       ? tracker_.read(lane, s, which, at + offset)
                       : tracker_.write(lane, s, which, at + offset, touch,
                                        [&] { return differs(at, value, offset, bytes); });
    after.rest = (after.rest & ~(std::uint64_t{0xF} << kValid)) | std::uint64_t{valid & 0xF}
                                                                      << kValid;
    s = after;
  });
  if (!all && checks().init) report_fresh(lane, at);
}

void GlobalTracker::read(Mask m, const u64* at, unsigned bytes) const {
  for_each_lane(m, [&](int i) {
    if (!is_amid_equals(m, at, i)) touch(i, at[i], bytes, Touch::kRead, nullptr);
  });
}

void SharedTracker::read(Mask m, const u64* at, unsigned bytes) const {
  for_each_lane(m, [&](int i) {
    if (!is_amid_equals(m, at, i)) touch(i, at[i], bytes, Touch::kRead, nullptr);
  });
}

}  // namespace emulator::core
