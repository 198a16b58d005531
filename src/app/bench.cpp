// `firn bench`: which suite the command line asks for, and whether its flags fit.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "firn/error.h"
#include "kernels/exec/launch_counts.h"
#include "src/app/bench_counts.h"
#include "src/app/bench_suites.h"
#include "src/app/commands.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

struct Suite {
  std::string_view name;
  int (*run)(const Options&);
};

const std::vector<Suite>& suites() {
  static const std::vector<Suite> table{
      {"step", bench_step},       {"transfer", bench_transfer},
      {"stress", bench_stress},   {"sort", bench_sort},
      {"io", bench_io},           {"pressure", bench_pressure_solver},
      {"liquid", bench_liquid},   {"spray", bench_spray},
      {"thermal", bench_thermal}, {"implicit", bench_implicit}};
  return table;
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCategory::kScene, message);
}

void check_flags(const Options& options, std::string_view suite) {
  if (suite != "step" && (options.sweep || !options.scaling.empty()))
    refuse(fmt::format("--sweep and --scaling belong to the suite step, not to {}", suite));
  if (options.sweep && !options.scaling.empty()) refuse("--sweep and --scaling exclude each other");
  if (!options.plot.empty() && options.scaling.empty()) refuse("--plot needs --scaling KIND");
  if (!options.folder.empty() && suite != "io")
    refuse(fmt::format("--folder belongs to the suite io, not to {}", suite));
}

}  // namespace

int bench(const Options& options) {
  const std::string wanted = options.target.empty() ? "step" : options.target;
  std::vector<std::string_view> names;
  for (const Suite& suite : suites()) {
    names.push_back(suite.name);
    if (suite.name != wanted) continue;
    check_flags(options, wanted);
    if (options.run.device == Device::kCuda && counts_launches())
      return bench_counts(wanted, options);
    if (options.sweep) return bench_sweep(options);
    if (!options.scaling.empty()) return bench_scaling(options);
    return suite.run(options);
  }
  refuse(fmt::format("firn bench has no suite '{}'{}", wanted, scene::suggestion(wanted, names)));
}

}  // namespace firn::app
