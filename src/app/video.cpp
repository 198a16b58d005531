// `firn video`: the film of the pictures that are in the folder of a run, whatever ended it.
#include <fmt/format.h>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/run_report.h"
#include "src/scene/continuation.h"

namespace firn::app {

int video(const Options& options) {
  const RunDirectory directory = RunDirectory::open(options.target);
  const Scene scene = scene::scene_of_records(directory.scene().string());
  Progress progress(options);
  if (!write_video(scene, directory, progress))
    throw Error(ErrorCategory::kFile,
                "no video: there is no ffmpeg; install it, and let the PATH lead to it");
  return 0;
}

}  // namespace firn::app
