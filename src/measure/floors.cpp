#include "src/measure/floors.h"

#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/exec/multiply_add.h"
#include "kernels/exec/parallel_for.h"
#include "src/run/on_device.h"
#include "src/run/with_precision.h"

namespace firn {

namespace {

constexpr int kRuns = 5;  // the fastest counts
constexpr std::size_t kCopiedBytes = std::size_t{1} << 28;

template <class Action>
double fastest_of_runs(Action&& action) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    action();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, spent.count());
  }
  return fastest;
}

double copy_on(Cpu& exec) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<char> from(kCopiedBytes, 1), to(kCopiedBytes, 0);
  const double seconds = fastest_of_runs([&] {
    parallel_for(kCopiedBytes / kPiece, exec.threads(), [&](std::size_t i) {
      std::memcpy(to.data() + i * kPiece, from.data() + i * kPiece, kPiece);
    });
  });
  return 2.0 * kCopiedBytes / seconds;
}

#if defined(FIRN_WITH_CUDA)
double copy_on(Cuda& exec) {
  Buffer<Cuda, char> from(exec, 4 * kCopiedBytes), to(exec, 4 * kCopiedBytes);
  from.zero();
  exec.synchronize();
  const double seconds = fastest_of_runs([&] {
    exec.copy(to.data(), from.data(), from.bytes());
    exec.synchronize();
  });
  return 2.0 * static_cast<double>(from.bytes()) / seconds;
}
#endif

// Some ten milliseconds on either device.
template <class Exec>
std::uint32_t multiply_add_groups(const Exec& exec) {
  if constexpr (Exec::kIsCuda)
    return 256 * static_cast<std::uint32_t>(exec.multiprocessors());
  else
    return 64 * static_cast<std::uint32_t>(exec.threads());
}

template <class Real, class Exec>
double multiply_add_rate(Exec& exec) {
  const std::uint32_t groups = multiply_add_groups(exec);
  Buffer<Exec, Real> sums(exec, std::size_t{groups} * kMultiplyAddChunks * kLanes);
  const double seconds = fastest_of_runs([&] {
    multiply_add(exec, groups, sums.data());
    exec.synchronize();
  });
  return groups * kMultiplyAddOperations / seconds;
}

}  // namespace

Floors measure_floors(Precision precision, const RunOptions& options) {
  return on_device(options, [&](auto& exec) {
    return with_precision(precision, [&](auto zero) {
      return Floors{copy_on(exec), multiply_add_rate<decltype(zero)>(exec)};
    });
  });
}

double copy_bandwidth(const RunOptions& options) {
  return on_device(options, [](auto& exec) { return copy_on(exec); });
}

}  // namespace firn
