// What `firn compare` makes of finished runs: one picture, one video and one plot of all of them.
#pragma once

#include <array>
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
  std::optional<RunResult> result;  // none: it has not run, or has failed
  std::string failure;
  bool diverged = false;
};

inline double total_energy(const Totals& t) { return t.kinetic + t.elastic + t.potential; }

// Picture, video and plot.
inline constexpr std::array<const char*, 3> kComparisonFiles{"comparison.png", "comparison.mp4",
                                                             "comparison-ledger.png"};

// Writes into `base` what the runs allow: the picture and the video if they have pictures (and
// ffmpeg is there), the plot if they have ledgers (and gnuplot is there). Returns the paths.
std::vector<std::string> write_comparison(const std::vector<ComparedRun>& runs,
                                          const std::filesystem::path& base);

}  // namespace firn::app
