#include "src/app/bench_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "firn/error.h"
#include "firn/version.h"
#include "kernels/exec/launch_counts.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/format.h"
#include "src/app/names.h"
#include "src/measure/pressure_bench.h"

namespace firn::app {
namespace {

constexpr std::int64_t kWarmupSteps = 4;  // growth, and the capture of the graph

// Of all launches of one operator.
struct Counts {
  double launches = 0, instructions = 0, lanes = 0, sectors = 0, wavefronts = 0, atomic_turns = 0,
         dram_bytes = 0;
  double h100_ns = 0, h200_ns = 0;         // bounds
  std::map<std::string, double> by_class;  // instructions
  std::map<std::string, double> bound_by;  // h100_ns, by what sets them

  void add(const Counts& other) {
    launches += other.launches, instructions += other.instructions, lanes += other.lanes;
    sectors += other.sectors, wavefronts += other.wavefronts;
    atomic_turns += other.atomic_turns, dram_bytes += other.dram_bytes;
    h100_ns += other.h100_ns, h200_ns += other.h200_ns;
    for (const auto& [name, n] : other.by_class) by_class[name] += n;
    for (const auto& [name, ns] : other.bound_by) bound_by[name] += ns;
  }
  std::string mostly_bound_by() const {
    const auto most = std::max_element(bound_by.begin(), bound_by.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return most == bound_by.end() ? "" : most->first;
  }
};

Counts read_counts(const Json& kernel) {
  const auto sum = [&](const char* of, std::initializer_list<const char*> parts) {
    double total = 0;
    for (const char* part : parts) total += kernel.at(of).at(part).get<double>();
    return total;
  };
  Counts c;
  c.launches = kernel.at("launches");
  c.instructions = kernel.at("warp_instructions").at("total");
  for (const auto& [name, n] : kernel.at("warp_instructions").items())
    if (name != "total") c.by_class[name] = n;
  c.lanes = kernel.at("active_lanes").get<double>() * c.instructions;
  c.sectors = sum("global", {"sectors_read", "sectors_written", "sectors_atomic"});
  c.wavefronts = sum("shared", {"wavefronts"});
  c.atomic_turns = sum("atomics", {"global_turns", "shared_turns"});
  c.dram_bytes = sum("dram", {"bytes_read", "bytes_written"});
  constexpr double kNanoseconds = 1e9;
  c.h100_ns = kNanoseconds * kernel.at("bound_h100_s").get<double>();
  c.h200_ns = kNanoseconds * kernel.at("bound_h200_s").get<double>();
  c.bound_by[kernel.at("limited_by")] = c.h100_ns;
  return c;
}

// Four digits: figures are compared to a hundredth.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

Json to_json(const Counts& c, double rounds, double units) {
  const double n = rounds * units;
  Json classes;
  for (const auto& [name, count] : c.by_class)
    if (count > 0) classes[name] = rounded(count / n);
  return {{"launches", rounded(c.launches / rounds)},
          {"warp_instructions", rounded(c.instructions / n)},
          {"active_lanes", rounded(c.instructions > 0 ? c.lanes / c.instructions : 0)},
          {"sectors", rounded(c.sectors / n)},
          {"wavefronts", rounded(c.wavefronts / n)},
          {"atomic_turns", rounded(c.atomic_turns / n)},
          {"dram_bytes", rounded(c.dram_bytes / n)},
          {"h100_bound_ns", rounded(c.h100_ns / n)},
          {"h200_bound_ns", rounded(c.h200_ns / n)},
          {"bound_by", c.mostly_bound_by()},
          {"classes", classes}};
}

std::string without_arguments(const std::string& name) {
  return name.substr(0, name.find_first_of("<("));
}

// The counts of what has been reset when it began, in a report.
void tell(const Options& options, const std::string& unit, double rounds, double units,
          Json report) {
  const Json counts = counts_json(launch_counts(), rounds, units);
  std::vector<std::vector<std::string>> rows{{"kernel", "launches", "warp instructions", "lanes",
                                              "sectors", "wavefronts", "atomic turns", "DRAM bytes",
                                              "H100 bound, ns", "by"}};
  const auto row = [&](const std::string& name, const Json& c) {
    const auto text = [&](const char* key) { return fmt::format("{:g}", c.at(key).get<double>()); };
    rows.push_back({name, text("launches"), text("warp_instructions"), text("active_lanes"),
                    text("sectors"), text("wavefronts"), text("atomic_turns"), text("dram_bytes"),
                    text("h100_bound_ns"), c.at("bound_by")});
  };
  for (const Json& kernel : counts.at("kernels")) row(kernel.at("name"), kernel);
  row("all", counts.at("total"));
  fmt::print(
      "{}\ncounted, not measured: launches in each {}, lanes of 32, all else also per {}; bounds: "
      "what a GPU cannot be faster than\n\n{}",
      report.at("device").get<std::string>(), report.contains("particles") ? "step" : "solve", unit,
      format_table(rows));
  report["unit"] = unit;
  report.update(counts);
  write_report(options, report);
}

Json setting_json(const std::string& suite, const std::string& device) {
  return {{"version", kVersion}, {"device", device}, {"suite", suite}};
}

int count_steps(const std::string& suite, const Scene& scene, const Options& options) {
  Simulation simulation(scene, options.run);
  simulation.advance_steps(kWarmupSteps);
  const std::int64_t layouts = simulation.stats().layouts;
  reset_launch_counts();
  simulation.advance_steps(options.steps);
  const FrameStats stats = simulation.stats();
  Json report = setting_json(suite, simulation.device_name());
  report.update({{"precision", name_of(scene.simulation.precision)},
                 {"transfer", name_of(scene.transfer.type)},
                 {"kernel", kernel_name(scene.transfer.kernel)},
                 {"material", scene.materials[0].name},
                 {"motion", options.motion},
                 {"particles", stats.particles},
                 {"steps", options.steps},
                 {"layouts", stats.layouts - layouts}});
  tell(options, "particle", static_cast<double>(options.steps),
       static_cast<double>(stats.particles), std::move(report));
  return 0;
}

int count_pressure(const Options& options) {
  const Precision precision =
      options.precision == "double" ? Precision::kDouble : Precision::kSingle;
  const int side = options.side.value_or(64);
  const PressureBench solve = bench_pressure(side, kPressureTolerance, precision, options.run);
  Json report = setting_json("pressure", solve.device);
  report.update({{"precision", name_of(precision)},
                 {"cells", solve.cells},
                 {"iterations", solve.iterations}});
  tell(options, "cell", 1, static_cast<double>(solve.cells), std::move(report));
  return 0;
}

}  // namespace

std::string operator_name(const std::string& kernel) {
  for (const std::string runner : {"run_groups<", "run_items<", "run_team<"}) {
    const std::size_t at = kernel.find(runner);
    if (at != std::string::npos) return without_arguments(kernel.substr(at + runner.size()));
  }
  const std::size_t begin = kernel.starts_with("void ") ? 5 : 0;
  const std::string name = without_arguments(kernel.substr(begin));
  const std::size_t first = name.find("::"), last = name.rfind("::");
  return first == last ? name : name.substr(0, first) + name.substr(last);
}

Json counts_json(const std::string& text, double rounds, double units) {
  std::map<std::string, Counts> operators;
  Counts total;
  const Json report = Json::parse(text);
  for (const Json& kernel : report.at("kernels")) {
    const Counts c = read_counts(kernel);
    operators[operator_name(kernel.at("kernel"))].add(c);
    total.add(c);
  }
  std::vector<std::pair<std::string, Counts>> sorted(operators.begin(), operators.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.instructions > b.second.instructions;
  });
  Json kernels = Json::array();
  for (const auto& [name, c] : sorted) {
    Json row = {{"name", name}};
    row.update(to_json(c, rounds, units));
    kernels.push_back(row);
  }
  return {{"total", to_json(total, rounds, units)}, {"kernels", kernels}};
}

int bench_counts(const std::string& suite, const Options& options) {
  if (suite == "step" && !options.sweep && options.scaling.empty())
    return count_steps(suite, block_scene(block_case(options), {bench_material(options.material)}),
                       options);
  if (suite == "liquid") return count_steps(suite, liquid_scene(options), options);
  if (suite == "spray") return count_steps(suite, spray_scene(options), options);
  if (suite == "thermal") return count_steps(suite, thermal_scene(options), options);
  if (suite == "implicit") {
    Scene scene = implicit_scene(options, 1e6);
    scene.simulation.integrator = Integrator::kOptimization;
    return count_steps(suite, scene, options);
  }
  if (suite == "pressure") return count_pressure(options);
  throw Error(
      ErrorCategory::kScene,
      "a device in software has no speed to be measured: it counts what kernels do, in the "
      "suites step, liquid, spray, thermal, implicit and pressure, without --sweep and --scaling");
}

}  // namespace firn::app
