// `firn compare`: runs variants of one scene, then lays their last pictures, their videos and their
// ledgers side by side. A variant that diverges is a result too: the others still run, and the exit
// code says so at the end.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/comparison.h"
#include "src/app/format.h"
#include "src/app/interrupt.h"
#include "src/app/json_out.h"
#include "src/app/run_report.h"
#include "src/app/scene_catalog.h"
#include "src/app/stopwatch.h"
#include "src/io/posix_file.h"

namespace firn::app {
namespace {

std::filesystem::path base_folder(const Options& options) {
  if (!options.output.empty()) return options.output;
  const Scene scene = load_scene(find_scene(options.target), scene_options(options));
  std::filesystem::path folder = output_folder(scene, options).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "out/drop/"
  return folder += "-compare";
}

// Two of them would be the same run, computed and drawn twice.
void refuse_equal(const std::vector<Variant>& variants, const std::vector<Scene>& scenes) {
  for (std::size_t i = 0; i < scenes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (scenes[i].resolved_toml == scenes[j].resolved_toml)
        throw Error(ErrorCategory::kScene,
                    fmt::format("--vary: '{}' and '{}' are the same scene; give every value once",
                                variants[j].label, variants[i].label));
}

// What compares other runs is not replaced unasked.
void refuse_kept(const std::filesystem::path& base, bool overwrite) {
  for (const char* name : kComparisonFiles)
    if (std::error_code error; !overwrite && std::filesystem::exists(base / name, error))
      throw Error(ErrorCategory::kFile,
                  fmt::format("{}: exists; --overwrite replaces it", (base / name).string()));
}

// They would stand beside runs that they do not show, where this call is stopped or makes fewer.
void remove_kept(const std::filesystem::path& base) {
  for (const char* name : kComparisonFiles) {
    std::error_code error;
    std::filesystem::remove(base / name, error);
    if (error) throw file_error(base / name, "remove", error.value());
  }
}

// Every scene is read and every folder claimed before anything is computed.
std::vector<ComparedRun> prepare(const Options& options, const std::filesystem::path& base) {
  std::vector<ComparedRun> runs;
  const std::string path = find_scene(options.target);
  std::vector<Variant> variants = make_variants(options.vary);
  std::vector<Scene> scenes;
  for (const Variant& variant : variants) {
    SceneOptions choices = scene_options(options);
    choices.overrides.insert(choices.overrides.end(), variant.overrides.begin(),
                             variant.overrides.end());
    scenes.push_back(load_scene(path, choices));
  }
  refuse_equal(variants, scenes);
  refuse_kept(base, options.overwrite);
  for (std::size_t i = 0; i < variants.size(); ++i)
    runs.push_back({variants[i], std::move(scenes[i]),
                    RunDirectory::create(base / variants[i].folder, options.overwrite),
                    std::nullopt, "", false});
  remove_kept(base);
  return runs;
}

// Pictures and curves of frames stand side by side.
void warn_of_other_times(const std::vector<ComparedRun>& runs) {
  const double fps = runs.front().scene.simulation.fps;
  if (std::any_of(runs.begin(), runs.end(),
                  [fps](const ComparedRun& run) { return run.scene.simulation.fps != fps; }))
    Progress::warning(
        "simulation.fps is not the same: pictures side by side, and the table, are of one frame "
        "but not of one time");
}

void run_variant(ComparedRun& run, const Options& options, Progress& progress) {
  progress.line("--- " + run.variant.label);
  try {
    Options its_own = options;
    its_own.started = Clock::now();
    run.result = run_scene(run.scene, run.directory, its_own, progress);
  } catch (const Error& error) {
    run.failure = error.what();
    if (error.category() != ErrorCategory::kDiverged)
      throw Error(error.category(), fmt::format("{}: {}", run.variant.label, run.failure));
    run.diverged = true;
    Progress::warning(fmt::format("{}: {}", run.variant.label, run.failure));
  }
}

std::string table_of(const std::vector<ComparedRun>& runs) {
  std::vector<std::vector<std::string>> rows{{"variant", "frames", "time (s)", "steps", "particles",
                                              "wall (s)", "particles/s", "kinetic (J)", "total (J)",
                                              "energy change (J)"}};
  const bool heat = std::any_of(runs.begin(), runs.end(),
                                [](const ComparedRun& run) { return run.scene.solves_heat(); });
  if (heat) rows[0].emplace_back("heat change (J)");
  for (const ComparedRun& run : runs) {
    if (!run.result) {
      rows.push_back({run.variant.label, run.failure.empty() ? "not run"
                                         : run.diverged      ? "diverged"
                                                             : "failed"});
      rows.back().resize(rows[0].size(), "-");
      continue;
    }
    const RunTotals& sums = run.result->totals;
    const Totals& last = run.result->last.totals;
    rows.push_back({run.variant.label, std::to_string(sums.frames),
                    fmt::format("{:.4g}", run.result->last.time), std::to_string(sums.steps),
                    std::to_string(run.result->last.particles),
                    fmt::format("{:.2f}", sums.wall_seconds),
                    format_count(sums.particle_steps_per_second()),
                    fmt::format("{:.5g}", last.kinetic), fmt::format("{:.5g}", total_energy(last)),
                    fmt::format("{:.5g}", total_energy(last) - total_energy(*sums.initial))});
    if (heat) rows.back().push_back(fmt::format("{:.5g}", last.heat - sums.initial->heat));
  }
  return format_table(rows);
}

Json json_of(const std::vector<ComparedRun>& runs, const std::vector<std::string>& files) {
  Json json = {{"variants", Json::array()}, {"files", files}};
  for (const ComparedRun& run : runs) {
    Json entry = {{"label", run.variant.label},
                  {"overrides", run.variant.overrides},
                  {"directory", run.directory.path().string()}};
    if (run.result) entry["summary"] = Json::parse(run.result->summary);
    if (!run.failure.empty()) entry["failure"] = run.failure;
    json["variants"].push_back(entry);
  }
  return json;
}

}  // namespace

int compare(const Options& options) {
  const InterruptGuard guard;
  const std::filesystem::path base = base_folder(options);
  std::vector<ComparedRun> runs = prepare(options, base);
  Progress progress(options);
  warn_of_other_times(runs);
  const auto tell = [&](const std::vector<std::string>& files) {
    progress.line("\n" + table_of(runs));
    for (const std::string& file : files) progress.line("wrote " + file);
    if (options.json) print_json(json_of(runs, files));
  };
  bool diverged = false;
  for (ComparedRun& run : runs) try {
      run_variant(run, options, progress);
      diverged = diverged || !run.result;
      if (run.result && run.result->end != RunEnd::kCompleted) {
        report_end(*run.result, run.directory, progress);
        tell({});
        return run.result->exit_code();
      }
    } catch (const Error&) {
      tell({});  // what is done
      throw;
    }
  tell(write_comparison(runs, base));
  return diverged ? static_cast<int>(ErrorCategory::kDiverged) : 0;
}

}  // namespace firn::app
