// What environment variables set (README.md lists them). They are read once, when the first setting
// is asked for; a value that is not understood ends the program with a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

enum class Arrangement { kForward, kReverse, kRandom };

// The order in which warps or blocks take their turns.
struct TurnOrder {
  Arrangement arrangement = Arrangement::kForward;
  std::uint64_t seed = 1;
};

// What is checked while kernels run.
struct Checks {
  bool memory = true, init = true, race = true, sync = true;
};

struct Settings {
  // The device.
  int multiprocessors;       // EMULATOR_SMS
  std::size_t memory;        // EMULATOR_MEMORY: bytes of device memory
  unsigned capability;       // EMULATOR_COMPUTE_CAPABILITY: 90 for 9.0
  int driver_version;        // EMULATOR_DRIVER_VERSION: 13000 for 13.0
  int devices;               // EMULATOR_DEVICES: 0 to 8
  std::uint64_t lose_after;  // EMULATOR_LOSE_AFTER: kernels that run before the device is lost
  int lose_code;             // and the error of all calls then
  // How it works.
  bool lazy;               // EMULATOR_LAZY: work waits in its stream until something waits for it
  bool protect;            // EMULATOR_PROTECT: host code cannot touch device memory
  unsigned char garbage;   // EMULATOR_GARBAGE: what fresh memory holds
  TurnOrder warp_order;    // EMULATOR_WARP_ORDER
  TurnOrder block_order;   // EMULATOR_BLOCK_ORDER
  std::uint64_t resident;  // EMULATOR_RESIDENT: blocks that run by turns
  std::uint64_t limit;  // EMULATOR_LIMIT: warp instructions of a block before it counts as endless
  // What it tells.
  Checks checks;       // EMULATOR_CHECK
  bool counters;       // EMULATOR_COUNTERS: the table of counters at the end
  std::string report;  // EMULATOR_REPORT: file for findings and counters
  bool strict;         // EMULATOR_STRICT: findings are a failure of the program
};

const Settings& settings();

}  // namespace emulator
