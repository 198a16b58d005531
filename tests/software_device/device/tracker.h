// Follows the accesses of one warp-wide instruction, lane by lane, each before it is made: whether
// what is read was written, and which threads race.
#pragma once

#include "check.h"

namespace emulator::core {

// The races of one warp-wide instruction, lane by lane.
class Tracker {
 public:
  Tracker(Warp& w, const Instruction& in, std::uint16_t serial, Kind race)
      : w_(w),
        in_(in),
        epoch_(w.epoch & 0xFFFFFF),
        block_(w.block->linear << 10),
        serial_(serial),
        race_(race) {
    first_read_.serial = first_write_.serial = serial_;
    first_read_.read_epoch = first_write_.write_epoch = epoch_ & 0xFFFFFF;
    first_read_.read_at = first_write_.written_at = in.line & 0xFFFFF;
  }

  [[gnu::always_inline]] void read(int lane, Shadow& s, unsigned bytes, std::uint64_t at) const {
    const std::uint32_t id = block_ | w_.thread(lane);
    if (s.serial != serial_) {  // nothing touched it yet, the usual case
      s = first_read_;
      s.reader = id;
      s.read = bytes & 0xF;
      return;
    }
    if ((s.written & bytes) != 0 && s.plain_write != 0 && s.writer != id &&
        !ordered(lane, s.writer, s.write_epoch))
      report(lane, s, at, Touch::kRead, true);
    if (s.read != 0) note_readers(lane, s, id);
    s.reader = id;
    s.read_epoch = epoch_ & 0xFFFFFF;
    s.read_at = in_.line & 0xFFFFF;
    s.read |= bytes & 0xF;
  }

  // `changes()`: whether the write changes what memory holds.
  template <class F>
  [[gnu::always_inline]] void write(int lane, Shadow& s, unsigned bytes, std::uint64_t at,
                                    Touch touch, F&& changes) const {
    const std::uint32_t id = block_ | w_.thread(lane);
    const bool plain = touch == Touch::kWrite && !in_.strong;
    if (s.serial != serial_) {
      s = first_write_;
      s.writer = id;
      s.written = bytes & 0xF;
      s.plain_write = plain;
      return;
    }
    if ((s.written & bytes) != 0 && s.writer != id && (plain || s.plain_write != 0) &&
        !ordered(lane, s.writer, s.write_epoch) && (!plain || s.plain_write == 0 || changes()))
      report(lane, s, at, touch, true);
    else if (plain && (s.read & bytes) != 0 && read_by_others(lane, s))
      report(lane, s, at, touch, false);
    const bool again = s.writer == id && s.write_epoch == epoch_;
    s.written = (again ? s.written | bytes : bytes) & 0xF;
    s.writer = id;
    s.write_epoch = epoch_ & 0xFFFFFF;
    s.written_at = in_.line & 0xFFFFF;
    s.plain_write = plain;
  }
  bool is_current(const Shadow& s) const { return s.serial == serial_; }
  void renew(Shadow& s) const {
    if (s.serial == serial_) return;
    s = {};
    s.serial = serial_;
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
  bool read_by_others(int lane, const Shadow& s) const {
    if (s.read_by_grid != 0) return true;
    if (s.reader != (block_ | w_.thread(lane)) && !ordered(lane, s.reader, s.read_epoch))
      return true;
    if (((s.reader ^ block_) >> 10) != 0 || after(w_.barrier, s.read_epoch)) return false;
    return s.read_by_block != 0 ||
           (s.read_by_warp != 0 && !after(w_.synced[static_cast<unsigned>(lane)], s.read_epoch));
  }
  // Of those before this thread, whose own last read may lie behind a synchronisation as well.
  void note_readers(int lane, Shadow& s, std::uint32_t id) const {
    if (((s.reader ^ block_) >> 10) != 0) {
      s.read_by_grid = 1;
      s.read_by_warp = s.read_by_block = 0;
    } else if (ordered(lane, s.reader, s.read_epoch)) {
      s.read_by_warp = 0;
      if (after(w_.barrier, s.read_epoch)) s.read_by_block = 0;
    } else if (s.reader == id) {
      return;
    } else if ((s.reader & 1023) / kLanes == w_.index) {
      s.read_by_warp = 1;
    } else {
      s.read_by_block = 1;
    }
  }
  void report(int lane, const Shadow&, std::uint64_t at, Touch, bool against_write) const;

  Warp& w_;
  const Instruction& in_;
  std::uint32_t epoch_, block_;
  std::uint16_t serial_;
  Kind race_;
  Shadow first_read_{},
      first_write_{};  // of a word that nothing touched before, but for the thread
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
