#include "src/sim/pressure_bench.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

#include "kernels/exec/parallel_for.h"
#include "src/sim/pressure_solver.h"

namespace firn {

namespace {

constexpr std::size_t kCells = BlockTraits<3>::kNodes;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every face between two cells conducts 1; so does the surface, on top of the highest cells.
template <class Real>
struct Cube {
  std::vector<std::uint64_t> keys;
  std::vector<Real> conductance, dirichlet, rhs;

  explicit Cube(int side) {
    const int blocks = side / BlockTraits<3>::kSide;
    for (int x = 0; x < blocks; ++x)
      for (int y = 0; y < blocks; ++y)
        for (int z = 0; z < blocks; ++z) keys.push_back(block_key<3>({{x, y, z}}));
    std::sort(keys.begin(), keys.end());
    conductance.resize(keys.size() * 3 * kCells);
    dirichlet.resize(keys.size() * kCells);
    rhs.resize(keys.size() * kCells);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t b = 0; b < keys.size(); ++b)
      for (std::size_t i = 0; i < kCells; ++i) {
        const Vec<int, 3> local = local_of_node<3>(static_cast<int>(i));
        const Vec<int, 3> block = block_of_key<3>(keys[b]);
        for (std::size_t a = 0; a < 3; ++a) {
          const int at = static_cast<int>(a);
          if (block[at] * BlockTraits<3>::kSide + local[at] > 0)
            conductance[(b * 3 + a) * kCells + i] = 1;
        }
        if (block[1] * BlockTraits<3>::kSide + local[1] == side - 1) dirichlet[b * kCells + i] = 1;
        rhs[b * kCells + i] = static_cast<Real>(uniform(random));
      }
  }
};

template <class Real, class Exec>
PressureBench bench_on(Exec& exec, int side, double relative) {
  const Cube<Real> cube(side);
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
