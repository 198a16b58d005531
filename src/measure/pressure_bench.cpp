#include "src/measure/pressure_bench.h"

#include <chrono>

#include "kernels/exec/buffer.h"
#include "kernels/exec/launch_counts.h"
#include "src/measure/pressure_cube.h"
#include "src/run/on_device.h"
#include "src/run/with_precision.h"
#include "src/solvers/elliptic_solver.h"

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
  EllipticSolver<Exec, 3, Real> solver(exec);
  PressureBench result;
  result.device = exec.name();
  for (int run = 0; run < 2; ++run) {  // the first one allocates
    solution.zero();
    exec.synchronize();
    reset_launch_counts();
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

}  // namespace

PressureBench bench_pressure(int side, double relative, Precision precision,
                             const RunOptions& options) {
  return on_device(options, [&](auto& exec) {
    return with_precision(
        precision, [&](auto zero) { return bench_on<decltype(zero)>(exec, side, relative); });
  });
}

}  // namespace firn
