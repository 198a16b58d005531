// `firn render`: pictures of a run anew, by another camera, colour or look, from the particles that
// its folder has kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/render.h"
#include "src/app/commands.h"
#include "src/app/progress.h"
#include "src/app/run_frames.h"
#include "src/app/run_report.h"
#include "src/render/collider_view.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

// What the colours show, and what surfaces are made of.
std::vector<std::string> channels_shown(const Scene& scene) {
  std::vector<std::string> channels{"material"};
  for (const OutputColor& color : output_colors())
    if (color.name == scene.output.color && !color.channel.empty())
      channels.emplace_back(color.channel);
  return channels;
}

// Files need not hold what pictures can do without.
void complete(const Scene& scene, Snapshot& snapshot) {
  const double volume = std::pow(scene.grid.dx, scene.simulation.dimension) /
                        std::pow(2.0, scene.simulation.dimension);
  snapshot.body.resize(snapshot.size(), 0);
  snapshot.volume.resize(snapshot.size(), static_cast<float>(volume));
}

}  // namespace

int render(const Options& options) {
  const RunDirectory run = RunDirectory::open(options.target);
  const Scene scene = load_scene(run.scene().string(), scene_options(options));
  const RunFrames kept(scene, run);
  const std::vector<int> frames = kept.frames(options.first_frame, options.last_frame);
  if (std::any_of(scene.colliders.begin(), scene.colliders.end(),
                  [](const Collider& c) { return c.dynamics.has_value(); }))
    Progress::warning("bodies that material moves are shown where they began");
  std::optional<RunDirectory> elsewhere;
  if (!options.output.empty()) elsewhere.emplace(RunDirectory::open_for_pictures(options.output));
  const RunDirectory& target = elsewhere ? *elsewhere : run;
  SceneRenderer renderer(scene);
  Progress progress(options);
  int drawn = 0;
  for (const int frame : frames) {
    auto read = kept.read(frame, channels_shown(scene), "pictures need");
    if (!read) {
      tell_left_out(frame, options.first_frame || options.last_frame);
      continue;
    }
    Shown shown;
    shown.time = read->particles.mark.time;
    shown.particles = snapshot_of(read->particles);
    complete(scene, shown.particles);
    if (read->tracers) shown.tracers = snapshot_of(*read->tracers);
    shown.colliders = scripted_colliders(scene, shown.time);
    write_png(target.image_path(frame).string(), renderer.render(shown));
    ++drawn;
  }
  if (scene.output.video && drawn > 1) write_video(scene, target, progress);
  progress.line(
      fmt::format("{} pictures in {}", drawn, target.image_path(0).parent_path().string()));
  return 0;
}

}  // namespace firn::app
