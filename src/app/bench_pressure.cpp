// `firn bench pressure`: the projection's solver on cubes of liquid of several sizes.
#include <fmt/format.h>

#include "firn/error.h"
#include "firn/version.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/json_out.h"
#include "src/app/machine.h"
#include "src/io/atomic_file.h"
#include "src/measure/floors.h"
#include "src/measure/pressure_bench.h"

namespace firn::app {
namespace {

// Values of one cell that an iteration reads or writes in memory, counted over its operators. On
// the finest level: three sweeps of 3, one of which reads the correction too, 1/8; residual and
// restriction 2 1/8, direction 3, product 2, solution, residual and first sweep 7; and in blocks
// that are not uniform, which here are those at the faces of the cube, the four coefficients of the
// six operators that read them. The coarser levels, each of an eighth of the cells and visited
// twice as often, add a third of a cycle, 33 3/4 with coefficients.
double values_per_iteration(int side) {
  const double inner = 1 - 8.0 / side;  // of the blocks along an edge
  const double uniform = inner * inner * inner;
  return 23.25 + 24 * (1 - uniform) + 33.75 / 3;
}

struct Row {
  int side;
  PressureBench figures;
  double per_iteration() const {  // s per cell
    return figures.seconds / static_cast<double>(figures.cells) / figures.iterations;
  }
};

}  // namespace

int bench_pressure_solver(const Options& options) {
  const int largest = options.side.value_or(256);
  if (largest % 16 != 0)
    throw Error(
        ErrorCategory::kScene,
        fmt::format("--side must be a multiple of 16, found {}: the smallest cube of blocks "
                    "of 4^3 cells has a quarter of it",
                    largest));
  const bool single = options.precision != "double";
  const auto bytes = [&](int side) {
    return values_per_iteration(side) * (single ? sizeof(float) : sizeof(double));
  };
  const double bandwidth = copy_bandwidth(options.run);
  std::vector<std::vector<std::string>> table{{"cells", "iterations", "time", "ns per cell",
                                               "ns per cell and iteration", "bytes moved",
                                               "of copy speed", "bytes held per cell"}};
  Json rows = Json::array();
  std::string device;
  for (const int side : {largest / 4, largest / 2, largest}) {
    const Row row{side,
                  bench_pressure(side, kPressureTolerance,
                                 single ? Precision::kSingle : Precision::kDouble, options.run)};
    const PressureBench& p = row.figures;
    if (!p.converged)
      throw Error(ErrorCategory::kDiverged,
                  fmt::format("the solve of {}^3 cells did not converge", side));
    device = p.device;
    const double share = bytes(side) / row.per_iteration() / bandwidth;
    table.push_back({fmt::format("{}^3", side), fmt::format("{}", p.iterations),
                     fmt::format("{:.4f} s", p.seconds),
                     fmt::format("{:.1f}", 1e9 * p.seconds / static_cast<double>(p.cells)),
                     fmt::format("{:.2f}", 1e9 * row.per_iteration()),
                     fmt::format("{:.0f}", bytes(side)), fmt::format("{:.0f} %", 100 * share),
                     fmt::format("{:.1f}", p.bytes_per_cell)});
    rows.push_back({{"cells", p.cells},
                    {"iterations", p.iterations},
                    {"seconds", p.seconds},
                    {"ns_per_cell_and_iteration", 1e9 * row.per_iteration()},
                    {"bytes_per_cell_and_iteration", bytes(side)},
                    {"share_of_copy_bandwidth", share},
                    {"bytes_per_cell", p.bytes_per_cell}});
  }
  fmt::print(
      "{}\n{} precision, cubes open above, random right-hand side, to {:g} of its largest "
      "value\ncopying moves {:.1f} GB/s; bytes moved per cell and iteration are counted\n\n{}",
      device, single ? "single" : "double", kPressureTolerance, 1e-9 * bandwidth,
      format_table(table));
  if (!options.json_file.empty()) {
    const Json json = {{"version", kVersion},
                       {"device", device},
                       {"cpu", cpu_model()},
                       {"precision", single ? "single" : "double"},
                       {"tolerance", kPressureTolerance},
                       {"copy_bytes_per_second", bandwidth},
                       {"sizes", rows}};
    write_file_atomically(options.json_file, to_text(json));
    fmt::print("wrote {}\n", options.json_file);
  }
  return 0;
}

}  // namespace firn::app
