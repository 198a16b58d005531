// `firn run`: a scene from its beginning.
#include "src/app/commands.h"
#include "src/app/interrupt.h"
#include "src/app/run_loop.h"
#include "src/app/run_report.h"
#include "src/app/scene_catalog.h"

namespace firn::app {

int run(const Options& options) {
  const InterruptGuard guard;
  const Scene scene = load_scene(find_scene(options.target), scene_options(options));
  const RunDirectory directory =
      RunDirectory::create(output_folder(scene, options), options.overwrite);
  Progress progress(options);
  const RunResult result = run_scene(scene, directory, options, progress);
  report_end(result, directory, options, progress);
  return result.exit_code();
}

}  // namespace firn::app
