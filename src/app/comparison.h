// What `firn compare` makes of finished runs: one picture, one video and one plot of all of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/app/run_loop.h"
#include "src/app/variants.h"

namespace firn::app {

struct ComparedRun {
  Variant variant;
  Scene scene;
  RunDirectory directory;
  std::optional<RunResult> result;  // none: diverged
  std::string failure;
};

inline double total_energy(const Totals& t) { return t.kinetic + t.elastic + t.potential; }

// Writes into `base` what the runs allow: comparison.png and comparison.mp4 if they have pictures
// (and ffmpeg is there), comparison-ledger.png if they have ledgers (and gnuplot is there). Returns
// the paths.
std::vector<std::string> write_comparison(const std::vector<ComparedRun>& runs,
                                          const std::filesystem::path& base);

}  // namespace firn::app
