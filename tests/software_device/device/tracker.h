// Follows the accesses of one warp-wide instruction, lane by lane, each before it is made: whether
// what is read was written, and which threads race.
#pragma once

#include "check.h"

namespace emulator::core {

// What a `Shadow` says.
struct Seen {
  std::uint32_t writer, reader, write_epoch, read_epoch, written_at, read_at;
  std::uint8_t written, read;                      // bytes
  bool plain_write;                                // as opposed to an atomic or volatile one
  bool read_by_warp, read_by_block, read_by_grid;  // further threads than `reader`
};
constexpr std::uint32_t kEpochMask = 0xFFFFFF, kLineMask = 0xFFFFF;
constexpr int kWrittenAt = 16, kReadAt = 36, kValid = 56;

[[gnu::always_inline]] inline Seen unpacked(const Shadow& s) {
  const auto write = static_cast<std::uint32_t>(s.times),
             read = static_cast<std::uint32_t>(s.times >> 32);
  return {.writer = static_cast<std::uint32_t>(s.parties),
          .reader = static_cast<std::uint32_t>(s.parties >> 32),
          .write_epoch = write & kEpochMask,
          .read_epoch = read & kEpochMask,
          .written_at = static_cast<std::uint32_t>(s.rest >> kWrittenAt) & kLineMask,
          .read_at = static_cast<std::uint32_t>(s.rest >> kReadAt) & kLineMask,
          .written = static_cast<std::uint8_t>(write >> 24 & 0xF),
          .read = static_cast<std::uint8_t>(read >> 24 & 0xF),
          .plain_write = (write >> 28 & 1) != 0,
          .read_by_warp = (read >> 28 & 1) != 0,
          .read_by_block = (read >> 29 & 1) != 0,
          .read_by_grid = (read >> 30 & 1) != 0};
}
// With `serial` and no bytes that are valid.
[[gnu::always_inline]] inline Shadow packed(const Seen& s, std::uint16_t serial) {
  const std::uint32_t write =
      s.write_epoch | std::uint32_t{s.written} << 24 | std::uint32_t{s.plain_write} << 28;
  const std::uint32_t read =
      s.read_epoch | std::uint32_t{s.read} << 24 | std::uint32_t{s.read_by_warp} << 28 |
      std::uint32_t{s.read_by_block} << 29 | std::uint32_t{s.read_by_grid} << 30;
  return {.parties = s.writer | std::uint64_t{s.reader} << 32,
          .times = write | std::uint64_t{read} << 32,
          .rest = serial | std::uint64_t{s.written_at} << kWrittenAt |
                  std::uint64_t{s.read_at} << kReadAt};
}

// The races of one warp-wide instruction, lane by lane.
class Tracker {
 public:
  Tracker(Warp& w, const Instruction& in, std::uint16_t serial, Kind race)
      : w_(w),
        in_(in),
        epoch_(w.epoch & kEpochMask),
        line_(in.line & kLineMask),
        block_(w.block->linear << 10),
        serial_(serial),
        race_(race) {}

  // The shadow after a read of it.
  [[gnu::always_inline]] Shadow read(int lane, const Shadow& shadow, unsigned bytes,
                                     std::uint64_t at) const {
    const std::uint32_t id = block_ | w_.thread(lane);
    if (!is_current(shadow))  // nothing touched it yet, the usual case
      return {.parties = std::uint64_t{id} << 32,
              .times = std::uint64_t{epoch_ | (bytes & 0xF) << 24} << 32,
              .rest = serial_ | std::uint64_t{line_} << kReadAt};
    Seen s = unpacked(shadow);
    if ((s.written & bytes) != 0 && s.plain_write && s.writer != id &&
        !ordered(lane, s.writer, s.write_epoch))
      report(lane, s, at, Touch::kRead, true);
    if (s.read != 0) note_readers(lane, s, id);
    s.reader = id;
    s.read_epoch = epoch_;
    s.read_at = line_;
    s.read |= static_cast<std::uint8_t>(bytes & 0xF);
    return packed(s, serial_);
  }

  // The shadow after a write to it. `changes()`: whether the write changes what memory holds.
  template <class F>
  [[gnu::always_inline]] Shadow write(int lane, const Shadow& shadow, unsigned bytes,
                                      std::uint64_t at, Touch touch, F&& changes) const {
    const std::uint32_t id = block_ | w_.thread(lane);
    const bool plain = touch == Touch::kWrite && !in_.strong;
    if (!is_current(shadow))
      return {.parties = id,
              .times = epoch_ | (bytes & 0xF) << 24 | std::uint32_t{plain} << 28,
              .rest = serial_ | std::uint64_t{line_} << kWrittenAt};
    Seen s = unpacked(shadow);
    if ((s.written & bytes) != 0 && s.writer != id && (plain || s.plain_write) &&
        !ordered(lane, s.writer, s.write_epoch) && (!plain || !s.plain_write || changes()))
      report(lane, s, at, touch, true);
    else if (plain && (s.read & bytes) != 0 && read_by_others(lane, s))
      report(lane, s, at, touch, false);
    const bool again = s.writer == id && s.write_epoch == epoch_;
    s.written = static_cast<std::uint8_t>((again ? s.written | bytes : bytes) & 0xF);
    s.writer = id;
    s.write_epoch = epoch_;
    s.written_at = line_;
    s.plain_write = plain;
    return packed(s, serial_);
  }
  [[gnu::always_inline]] bool is_current(const Shadow& s) const {
    return static_cast<std::uint16_t>(s.rest) == serial_;
  }
  [[gnu::always_inline]] Shadow renewed(const Shadow& s) const {
    return is_current(s) ? s : Shadow{.parties = 0, .times = 0, .rest = serial_};
  }

 private:
  static bool after(std::uint32_t now, std::uint32_t epoch) {
    return static_cast<std::int32_t>((now - epoch) << 8) > 0;
  }

  // Whether a synchronisation lies between the access of `other` at `epoch` and this one.
  bool ordered(int lane, std::uint32_t other, std::uint32_t epoch) const {
    if (((other ^ block_) >> 10) != 0) return false;
    const unsigned thread = other & 1023;
    const Warp& w = w_.block->warps[thread / kLanes];
    if (after(w.barrier, epoch)) return true;
    return &w == &w_ && after(w.synced[thread % kLanes], epoch) &&
           after(w.synced[static_cast<unsigned>(lane)], epoch);
  }
  // Whether a thread other than this one has read the word with nothing between.
  bool read_by_others(int lane, const Seen& s) const {
    if (s.read_by_grid) return true;
    if (s.reader != (block_ | w_.thread(lane)) && !ordered(lane, s.reader, s.read_epoch))
      return true;
    if (((s.reader ^ block_) >> 10) != 0 || after(w_.barrier, s.read_epoch)) return false;
    return s.read_by_block ||
           (s.read_by_warp && !after(w_.synced[static_cast<unsigned>(lane)], s.read_epoch));
  }
  // Of those before this thread, whose own last read may lie behind a synchronisation as well.
  void note_readers(int lane, Seen& s, std::uint32_t id) const {
    if (((s.reader ^ block_) >> 10) != 0) {
      s.read_by_grid = true;
      s.read_by_warp = s.read_by_block = false;
    } else if (ordered(lane, s.reader, s.read_epoch)) {
      s.read_by_warp = false;
      if (after(w_.barrier, s.read_epoch)) s.read_by_block = false;
    } else if (s.reader == id) {
      return;
    } else if ((s.reader & 1023) / kLanes == w_.index) {
      s.read_by_warp = true;
    } else {
      s.read_by_block = true;
    }
  }
  void report(int lane, const Seen&, std::uint64_t at, Touch, bool against_write) const;

  Warp& w_;
  const Instruction& in_;
  std::uint32_t epoch_, line_, block_;
  std::uint16_t serial_;
  Kind race_;
};

class GlobalTracker {
 public:
  GlobalTracker(Warp& w, const Instruction& in, const Allocation* a);
  // Lanes at one place between others there are left out: the first and the last tell enough.
  void read(Mask, const std::uint64_t* at, unsigned bytes) const;
  // Before the access is made; `value` is what a write stores.
  void touch(int lane, std::uint64_t at, unsigned bytes, Touch touch, const void* value) const;

 private:
  static const Allocation* allocation_at(std::uint64_t at, unsigned bytes);
  static bool differs(std::uint64_t at, const void* value, unsigned offset, unsigned bytes);
  // Whether what is read was written; marks what is written.
  static bool written(const Allocation&, std::uint64_t at, unsigned bytes, Touch);
  void report_fresh(int lane, const Allocation&, std::uint64_t at) const;

  Warp& w_;
  const Instruction& in_;
  const Allocation* allocation_;
  Tracker tracker_;
  bool races_;
};

class SharedTracker {
 public:
  SharedTracker(Warp& w, const Instruction& in);
  void read(Mask, const std::uint64_t* at, unsigned bytes) const;
  void touch(int lane, std::uint64_t at, unsigned bytes, Touch touch, const void* value) const;

 private:
  bool differs(std::uint64_t at, const void* value, unsigned offset, unsigned bytes) const;
  void report_fresh(int lane, std::uint64_t at) const;

  Warp& w_;
  const Instruction& in_;
  Shadow* shadow_;
  Tracker tracker_;
  bool races_;
};

}  // namespace emulator::core
