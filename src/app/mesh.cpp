// `firn mesh`: the surfaces of a run's materials, from the particles that its folder has kept.
#include <fmt/format.h>

#include <algorithm>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/progress.h"
#include "src/app/recorded_bodies.h"
#include "src/app/remade_frames.h"
#include "src/app/run_frames.h"
#include "src/app/surface_writer.h"
#include "src/scene/continuation.h"

namespace firn::app {

int mesh(const Options& options) {
  RunAndTarget where(options);
  const RunDirectory& run = where.run;
  const Scene scene = scene::scene_afterwards(run.scene().string(), scene_options(options));
  const RunFrames kept(scene, run);
  const std::vector<int> frames = kept.frames(options.first_frame, options.last_frame);
  kept.tell_gaps(frames, options.first_frame, options.last_frame);
  const RecordedBodies bodies(scene, run);
  if (!std::all_of(frames.begin(), frames.end(), [&](int frame) { return bodies.knows(frame); }))
    Progress::warning(
        "surfaces end at bodies that material moves where these began: stats.jsonl does not have "
        "them");
  where.open_target(options);
  const RunDirectory& target = where.target();
  const auto formats = options.formats.empty() ? std::vector<std::string>{"obj"} : options.formats;
  const SurfaceWriter writer(scene, target, formats);
  std::vector<std::string> welcome{"id"};
  if (scene.solves_heat()) welcome.emplace_back("temperature");
  RemadeFrames remade(options, frames.size());
  remade.begin();
  for (const int frame : frames) {
    const auto read =
        kept.read(frame, {"velocity", "material", "body", "volume"}, "surfaces need", welcome);
    if (!read) {
      remade.left_out(frame);
      continue;
    }
    if (remade.none()) target.take_over_for(run);
    const FrameMark& mark = read->particles.mark;
    writer.write(snapshot_of(read->particles), bodies.at(frame, mark.time), mark,
                 read->particles.find("id") != nullptr);
    remade.made(frame);
  }
  const auto folder = target.surface_folder();
  remade.tell(fmt::format("surfaces of {} frames in {}", remade.count(), folder.string()),
              "surfaces", folder);
  return 0;
}

}  // namespace firn::app
