// One simulation from its start or from a checkpoint to its end, with everything it leaves in its
// folder. `run`, `resume` and `compare` are this loop with different beginnings.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/app/options.h"
#include "src/app/progress.h"
#include "src/diagnostics/ledger.h"
#include "src/io/checkpoint.h"
#include "src/io/run_directory.h"

namespace firn::app {

enum class RunEnd { kCompleted, kInterrupted, kTimeSpent, kOutdated };

struct RunResult {
  RunEnd end = RunEnd::kCompleted;
  FrameStats last;  // of the last complete frame
  RunTotals totals;
  RunSeconds seconds;
  std::string device;
  std::string summary;  // the text of summary.json
  int signal = 0;       // that interrupted it

  int exit_code() const { return signal == 0 ? 0 : 128 + signal; }
};

// Where a run of the scene writes: -o, else the scene's own choice, else out/<scene name>.
std::filesystem::path output_folder(const Scene& scene, const Options& options);

// Runs until the last frame, a signal, --max-time or `outdated`, which is asked between steps; all
// but the first leave a checkpoint at a step boundary. With `from`, goes on from there instead of
// the beginning. A run that fails leaves a summary.json that says so and throws on; what it wrote
// until then stays. An older run in the folder is removed only when the new one stands.
RunResult run_scene(const Scene& scene, const RunDirectory& directory, const Options& options,
                    Progress& progress, std::optional<Checkpoint> from = {},
                    const std::function<bool()>& outdated = {});

}  // namespace firn::app
