// `firn render`: pictures of a run anew, by another camera, colour or look, from the particles that
// its folder has kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "firn/error.h"
#include "firn/render.h"
#include "src/app/commands.h"
#include "src/app/picture_files.h"
#include "src/app/progress.h"
#include "src/app/recorded_bodies.h"
#include "src/app/remade_frames.h"
#include "src/app/run_frames.h"
#include "src/app/run_report.h"
#include "src/run/frame_stats.h"
#include "src/scene/continuation.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

// What the colours show, and what blur is made of.
std::vector<std::string> channels_shown(const Scene& scene) {
  std::vector<std::string> channels{"material"};
  if (scene.output.motion_blur > 0) channels.emplace_back("velocity");
  for (const OutputColor& color : output_colors())
    if (color.name == scene.output.color && !color.channel.empty())
      channels.emplace_back(color.channel);
  if (scene.output.color == "vorticity") channels.emplace_back("mass");
  return channels;
}

// What pictures can do without, where it cannot be told.
constexpr const char* kWelcome[] = {"body", "volume"};

void complete(const Scene& scene, Snapshot& snapshot) {
  const double volume = std::pow(scene.grid.dx, scene.simulation.dimension) /
                        std::pow(2.0, scene.simulation.dimension);
  snapshot.body.resize(snapshot.size(), 0);
  snapshot.volume.resize(snapshot.size(), static_cast<float>(volume));
}

Shown shown_by(const Scene& scene, const RecordedBodies& bodies, int number,
               const RunFrames::Frame& frame) {
  Shown shown;
  shown.time = frame.particles.mark.time;
  shown.particles = snapshot_of(frame.particles);
  complete(scene, shown.particles);
  shown.particles.period = periods(scene);
  if (frame.tracers) shown.tracers = snapshot_of(*frame.tracers);
  shown.colliders = bodies.at(number, shown.time);
  return shown;
}

// Of all that is kept, so that the pictures of some frames are those of the whole run; of long runs
// so many, evenly, for what happens between two of them fits the picture's margin.
constexpr std::size_t kLookAhead = 64;

void look_ahead(const Scene& scene, const RunFrames& kept, const RecordedBodies& bodies,
                SceneRenderer& renderer) {
  if (scene.output.camera) return;
  const std::vector<int> frames = kept.frames(std::nullopt, std::nullopt);
  const std::size_t count = std::min(frames.size(), kLookAhead);
  std::vector<std::string> welcome = channels_shown(scene);
  welcome.insert(welcome.end(), std::begin(kWelcome), std::end(kWelcome));
  for (std::size_t i = 0; i < count; ++i) {
    const int frame = frames[count == 1 ? 0 : i * (frames.size() - 1) / (count - 1)];
    if (const auto read = kept.read(frame, {}, "pictures need", welcome))
      renderer.look_ahead(shown_by(scene, bodies, frame, *read));
  }
}

// What the first picture fixes, colours above all, is that of all that is kept.
void start_as_the_run(const Scene& scene, const RunFrames& kept, const RecordedBodies& bodies,
                      const std::vector<int>& chosen, SceneRenderer& renderer) {
  const std::vector<int> all = kept.frames(std::nullopt, std::nullopt);
  if (all.empty() || chosen.empty() || all.front() == chosen.front()) return;
  const auto first = kept.read(all.front(), channels_shown(scene), "pictures need",
                               {std::begin(kWelcome), std::end(kWelcome)});
  if (first) renderer.start(shown_by(scene, bodies, all.front(), *first));
}

// The frames whose pictures stay as they are.
std::vector<int> pictures_left(const RunDirectory& run, const std::vector<int>& frames) {
  const std::vector<int> there = run.image_frames();
  std::vector<int> left;
  std::set_difference(there.begin(), there.end(), frames.begin(), frames.end(),
                      std::back_inserter(left));
  return left;
}

// New pictures would stand among old ones, of another camera, in one film.
void require_all_anew(const RunDirectory& run, const std::vector<int>& frames) {
  const std::vector<int> left = pictures_left(run, frames);
  if (!left.empty())
    throw Error(ErrorCategory::kFile,
                fmt::format("{}: of {} of its {} pictures, frame {} the first, no particles are "
                            "kept, and they would stay among new ones; -o FOLDER puts those "
                            "elsewhere, --frames A:B says which to replace, and a run with "
                            "output.particles = [\"npz\"] keeps particles",
                            run.image_folder().string(), left.size(), run.image_frames().size(),
                            left.front()));
}

}  // namespace

int render(const Options& options) {
  RunAndTarget where(options);
  const RunDirectory& run = where.run;
  const Scene scene = scene::scene_afterwards(run.scene().string(), scene_options(options));
  const RunFrames kept(scene, run);
  const std::vector<int> frames = kept.frames(options.first_frame, options.last_frame);
  kept.tell_gaps(frames, options.first_frame, options.last_frame);
  const bool some = options.first_frame || options.last_frame;
  if (where.in_place && !some) require_all_anew(run, frames);
  if (where.in_place && some && !scene.output.camera && !pictures_left(run, frames).empty())
    Progress::warning(
        "these pictures are framed by all that is kept, those that stay beside them as the run "
        "went: size and place may differ; all frames anew, or an output.camera, are of one view");
  const RecordedBodies bodies(scene, run);
  if (!std::all_of(frames.begin(), frames.end(), [&](int frame) { return bodies.knows(frame); }))
    Progress::warning(
        "bodies that material moves are shown where they began: stats.jsonl does not have them");
  where.open_target(options);
  const RunDirectory& target = where.target();
  target.make_image_folder();
  RemadeFrames remade(options, frames.size());
  remade.begin();
  SceneRenderer renderer(scene);
  look_ahead(scene, kept, bodies, renderer);
  start_as_the_run(scene, kept, bodies, frames, renderer);
  for (const int frame : frames) {
    auto read = kept.read(frame, channels_shown(scene), "pictures need",
                          {std::begin(kWelcome), std::end(kWelcome)});
    if (!read) {
      remade.left_out(frame);
      continue;
    }
    if (remade.none()) target.take_over_for(run);
    write_picture(target, frame, renderer.render(shown_by(scene, bodies, frame, *read)));
    remade.made(frame);
  }
  if (scene.output.video && remade.count() > 1) write_video(scene, target, remade.progress());
  const std::filesystem::path folder = target.image_folder();
  remade.tell(fmt::format("{} pictures in {}", remade.count(), folder.string()), "pictures",
              folder);
  return 0;
}

}  // namespace firn::app
