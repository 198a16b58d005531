#include "src/sim/pressure_bench.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "kernels/exec/parallel_for.h"
#include "src/sim/pressure_cube.h"
#include "src/sim/pressure_solver.h"

namespace firn {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Real, class Exec>
PressureBench bench_on(Exec& exec, int side, double relative) {
  const PressureCube<Real> cube(side);
  const auto blocks = static_cast<std::uint32_t>(cube.keys.size());
  const Buffer<Exec, std::uint64_t> keys(exec, std::span<const std::uint64_t>(cube.keys));
  const Buffer<Exec, Real> conductance(exec, std::span<const Real>(cube.conductance)),
      dirichlet(exec, std::span<const Real>(cube.dirichlet)),
      rhs(exec, std::span<const Real>(cube.rhs));
  Buffer<Exec, Real> solution(exec, cube.rhs.size());
  PressureSolver<Exec, 3, Real> solver(exec);
  PressureBench result;
  result.device = exec.name();
  for (int run = 0; run < 2; ++run) {  // the first one allocates
    solution.zero();
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    const SolveReport report = solver.solve({keys.data(),
                                             {nullptr, blocks},
                                             conductance.data(),
                                             dirichlet.data(),
                                             nullptr,
                                             rhs.data(),
                                             solution.data(),
                                             {}},
                                            {relative, 0, 200}, nullptr);
    exec.synchronize();
    result.seconds = seconds_since(start);
    result.iterations = report.iterations;
    result.converged = report.converged;
  }
  result.residual = cube.residual(solution.download());
  result.cells = static_cast<std::int64_t>(cube.rhs.size());
  const std::size_t bytes =
      solver.bytes() + conductance.bytes() + dirichlet.bytes() + rhs.bytes() + solution.bytes();
  result.bytes_per_cell = static_cast<double>(bytes) / static_cast<double>(result.cells);
  return result;
}

constexpr std::size_t kCopiedBytes = std::size_t{1} << 28;
constexpr int kCopies = 5;  // the fastest counts

double copy_on(Cpu& exec) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<char> from(kCopiedBytes, 1), to(kCopiedBytes, 0);
  double fastest = 1e30;
  for (int run = 0; run < kCopies; ++run) {
    const auto start = std::chrono::steady_clock::now();
    parallel_for(kCopiedBytes / kPiece, exec.threads(), [&](std::size_t i) {
      std::memcpy(to.data() + i * kPiece, from.data() + i * kPiece, kPiece);
    });
    fastest = std::min(fastest, seconds_since(start));
  }
  return 2.0 * kCopiedBytes / fastest;
}

#if defined(FIRN_WITH_CUDA)
double copy_on(Cuda& exec) {
  Buffer<Cuda, char> from(exec, 4 * kCopiedBytes), to(exec, 4 * kCopiedBytes);
  from.zero();
  double fastest = 1e30;
  for (int run = 0; run < kCopies; ++run) {
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    exec.copy(to.data(), from.data(), from.bytes());
    exec.synchronize();
    fastest = std::min(fastest, seconds_since(start));
  }
  return 2.0 * static_cast<double>(from.bytes()) / fastest;
}
#endif

// Calls f with the backend that the options name.
template <class F>
auto on_device(const RunOptions& options, F&& f) {
  const bool has_cuda = !cuda_device_names().empty();
  const bool cuda =
      options.device == Device::kCuda || (options.device == Device::kAuto && has_cuda);
#if defined(FIRN_WITH_CUDA)
  if (cuda) {
    Cuda exec;
    return f(exec);
  }
#else
  if (cuda)
    throw Error(ErrorCategory::kDevice, "this firn was built without CUDA; use --device cpu");
#endif
  Cpu exec(options.threads);
  return f(exec);
}

}  // namespace

PressureBench bench_pressure(int side, double relative, Precision precision,
                             const RunOptions& options) {
  return on_device(options, [&](auto& exec) {
    return precision == Precision::kDouble ? bench_on<double>(exec, side, relative)
                                           : bench_on<float>(exec, side, relative);
  });
}

double copy_bandwidth(const RunOptions& options) {
  return on_device(options, [](auto& exec) { return copy_on(exec); });
}

}  // namespace firn
