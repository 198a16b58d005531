// `firn bench`: which suite the command line asks for, and whether its flags fit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

using Flags = std::vector<std::string_view>;

struct Suite {
  std::string_view name;
  int (*run)(const Options&);
  Flags flags;  // that it takes, beside those that all take
};

const Flags kOfAll{"threads", "device", "precision", "json-file"};

const std::vector<Suite>& suites() {
  static const Flags of_liquids{"side", "steps", "transfer", "kernel", "reproducible"};
  static const std::vector<Suite> table{
      {"step",
       bench_step,
       {"particles", "steps", "transfer", "kernel", "material", "motion", "plain", "reproducible",
        "sweep", "scaling", "plot"}},
      {"transfer", bench_transfer, {"particles", "steps", "material", "motion", "reproducible"}},
      {"stress", bench_stress, {"particles", "steps", "transfer", "kernel", "reproducible"}},
      {"sort",
       bench_sort,
       {"particles", "steps", "transfer", "kernel", "material", "reproducible"}},
      {"io",
       bench_io,
       {"particles", "steps", "transfer", "kernel", "material", "plain", "reproducible", "folder"}},
      {"pressure", bench_pressure_solver, {"side"}},
      {"liquid", bench_liquid, of_liquids},
      {"spray", bench_spray, of_liquids},
      {"thermal", bench_thermal, of_liquids},
      {"implicit",
       bench_implicit,
       {"side", "steps", "transfer", "kernel", "motion", "plain", "reproducible"}}};
  return table;
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCategory::kScene, message);
}

bool has(const Flags& flags, std::string_view flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void check_flags(const Options& options, const Suite& suite) {
  for (const std::string_view flag : options.given) {
    if (has(suite.flags, flag) || has(kOfAll, flag)) continue;
    Flags takers;
    for (const Suite& other : suites())
      if (has(other.flags, flag)) takers.push_back(other.name);
    refuse(fmt::format("--{}: the suite {} has no use for it; {} {}", flag, suite.name,
                       fmt::join(takers, ", "), takers.size() == 1 ? "has" : "have"));
  }
  if (options.sweep && !options.scaling.empty()) refuse("--sweep and --scaling exclude each other");
  if (!options.plot.empty() && options.scaling.empty()) refuse("--plot needs --scaling KIND");
}

}  // namespace

int bench(const Options& options) {
  const std::string wanted = options.target.empty() ? "step" : options.target;
  std::vector<std::string_view> names;
  for (const Suite& suite : suites()) {
    names.push_back(suite.name);
    if (suite.name != wanted) continue;
    check_flags(options, suite);
    if (options.run.device == Device::kCuda && counts_launches())
      return bench_counts(wanted, options);
    if (options.sweep) return bench_sweep(options);
    if (!options.scaling.empty()) return bench_scaling(options);
    return suite.run(options);
  }
  refuse(fmt::format("firn bench has no suite '{}'{}", wanted, scene::suggestion(wanted, names)));
}

}  // namespace firn::app
