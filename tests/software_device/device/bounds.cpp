#include "bounds.h"

#include <algorithm>

namespace emulator::core {

namespace {

constexpr double kMultiprocessors = 132, kClock = 1.755e9;
constexpr double kSectorBytes = 32;

}  // namespace

std::vector<Bound> bounds(const KernelSum& s, const Gpu& gpu) {
  const auto of = [&](Class c) {
    return static_cast<double>(s.issued_of[static_cast<std::size_t>(c)]);
  };
  const auto sum = [](auto... counts) { return (static_cast<double>(counts) + ...); };
  // Fewer blocks leave multiprocessors idle.
  const double blocks = sum(s.blocks) / sum(s.launches);
  const double per_clock = kClock * std::clamp(blocks, 1.0, kMultiprocessors);
  return {{"issue", sum(s.issued) / 4 / per_clock},
          {"fp32", of(Class::kFp32) / 4 / per_clock},
          {"int", (of(Class::kInt32) + of(Class::kInt64)) / 2 / per_clock},
          {"fp64", of(Class::kFp64) / 2 / per_clock},
          {"special", (of(Class::kSpecial) + of(Class::kConversion)) / 0.5 / per_clock},
          {"shared", sum(s.wavefronts) / per_clock},
          {"l1", sum(s.sectors[0], s.sectors[1], s.sectors[2]) / 4 / per_clock},
          {"atomic", sum(s.global_turns, s.shared_turns) / per_clock},
          {"dram", sum(s.dram_read, s.dram_written) * kSectorBytes / gpu.bytes_per_second}};
}

const Bound& largest(const std::vector<Bound>& all) {
  return *std::max_element(all.begin(), all.end(),
                           [](const Bound& a, const Bound& b) { return a.seconds < b.seconds; });
}

}  // namespace emulator::core
