#include "src/app/run_frames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/app/progress.h"
#include "src/io/checkpoint.h"
#include "src/io/numbered_file.h"
#include "src/io/particle_files.h"
#include "src/io/particle_formats.h"
#include "src/scene/integrator_traits.h"

namespace firn::app {
namespace {

constexpr std::string_view kCheckpoint = "checkpoint";

bool is_folder(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code not_there;
  return std::filesystem::equivalent(path, folder, not_there);
}

// "0 to 8, 24".
std::string ranges_of(const std::vector<int>& frames) {
  std::vector<std::string> ranges;
  for (auto at = frames.begin(); at != frames.end();) {
    const int first = *at;
    int last = first;
    for (++at; at != frames.end() && *at == last + 1; ++at) ++last;
    ranges.push_back(first == last ? fmt::format("{}", first)
                                   : fmt::format("{} to {}", first, last));
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

}  // namespace

RunAndTarget::RunAndTarget(const Options& options)
    : in_place(options.output.empty() || is_folder(options.output, options.target)),
      run(in_place ? RunDirectory::open(options.target)
                   : RunDirectory::open_to_read(options.target)) {
  if (in_place && options.overwrite)
    throw Error(ErrorCategory::kScene,
                "--overwrite: is for -o FOLDER, where it replaces what was made of another run; "
                "in the run's own folder files are made anew without it, those in formats of its "
                "own once they are removed");
}

void RunAndTarget::open_target(const Options& options) {
  if (!in_place)
    elsewhere.emplace(RunDirectory::open_for_exports(options.output, run, options.overwrite));
}

// Of one frame that is kept several times NPZ counts most: it holds all of what was written, and as
// it was.
RunFrames::RunFrames(const Scene& scene, const RunDirectory& directory)
    : scene_(scene),
      directory_(directory),
      last_tracers_(scene.tracers.per_cell > 0 ? 0 : -1),
      origins_(directory) {
  for (const auto& path : list_checkpoints(directory.checkpoints()))
    if (const auto frame = numbered_file_frame(path.filename().string(), "checkpoint", "firn"))
      kept_[*frame] = kCheckpoint, checkpoints_.insert(*frame);
  for (const char* format : {"ply", "npz"})
    for (const int frame : directory.particle_frames(format)) kept_[frame] = format;
  for (const ParticleFormat& format : particle_formats())
    for (const int frame : directory.particle_frames(format.extension, true))
      last_tracers_ = std::max(last_tracers_, frame);
}

std::vector<int> RunFrames::frames(std::optional<int> first, std::optional<int> last) const {
  const std::string folder = directory_.path().string();
  if (kept_.empty())
    throw Error(ErrorCategory::kFile,
                folder +
                    ": this run keeps neither particle files that Firn reads (npz, ply) nor "
                    "checkpoints; run it again with --set 'output.particles=[\"npz\"]'");
  std::vector<int> all, wanted;
  for (const auto& [frame, source] : kept_) all.push_back(frame);
  for (const int frame : all)
    if (frame >= first.value_or(frame) && frame <= last.value_or(frame)) wanted.push_back(frame);
  const auto require = [&](std::optional<int> frame) {
    if (frame && !kept_.contains(*frame))
      throw Error(ErrorCategory::kFile,
                  fmt::format("{}: this run keeps no particle files (npz, ply) and no checkpoint "
                              "for frame {}; kept: {}",
                              folder, *frame, ranges_of(all)));
  };
  require(first);
  require(last);
  if (first && last)
    for (std::size_t i = 1; i < wanted.size(); ++i)
      if (wanted[i] != wanted[i - 1] + 1) require(wanted[i - 1] + 1);
  return wanted;
}

// A run that stopped has not made its later frames; pictures tell how far it came where particles
// do not.
void RunFrames::tell_gaps(const std::vector<int>& chosen, std::optional<int> first,
                          std::optional<int> last) const {
  if (chosen.empty()) return;
  const std::vector<int> pictures = directory_.image_frames();
  const int end = last.value_or(std::max(chosen.back(), pictures.empty() ? 0 : pictures.back()));
  std::vector<int> left_out;
  for (int frame = first.value_or(0); frame <= end; ++frame)
    if (!std::binary_search(chosen.begin(), chosen.end(), frame)) left_out.push_back(frame);
  if (left_out.empty()) return;
  const bool most = left_out.size() > chosen.size();
  Progress::warning(
      fmt::format("{}: of frames {} to {} {}, in particle files (npz, ply) or checkpoints: {}",
                  directory_.path().string(), first.value_or(0), end,
                  most ? "only these are kept" : "all but these are kept",
                  ranges_of(most ? chosen : left_out)));
}

std::optional<RunFrames::Frame> RunFrames::read(int frame, const std::vector<std::string>& channels,
                                                std::string_view who,
                                                const std::vector<std::string>& welcome) const {
  std::vector<std::string> all = channels;
  all.insert(all.end(), welcome.begin(), welcome.end());
  if (kept_.at(frame) == kCheckpoint) return from_checkpoint(frame, all);
  Frame read = from_file(frame);
  origins_.complete(read.particles, all);
  for (const std::string& name : channels)
    if (read.particles.find(name) == nullptr) {
      std::vector<std::string> there;
      for (const ChannelArray& channel : read.particles.channels) there.push_back(channel.name);
      throw Error(
          ErrorCategory::kFile,
          fmt::format("{}: {} the channel {}, which the files of frame {} do not "
                      "hold (they hold {}); run again with it in output.channels",
                      directory_.path().string(), who, name, frame, fmt::join(there, ", ")));
    }
  return read;
}

ParticleColumns RunFrames::read_file(const std::filesystem::path& path, int frame) const {
  const int d = scene_.simulation.dimension;
  ParticleColumns columns = path.extension() == ".npz" ? read_npz(path) : read_ply(path, d);
  if (columns.dimension != d)
    throw Error(ErrorCategory::kFile, path.string() + ": it has another dimension than the scene");
  columns.mark = frame_mark(scene_, frame, frame / scene_.simulation.fps);
  return columns;
}

RunFrames::Frame RunFrames::from_file(int frame) const {
  Frame result{read_file(directory_.particle_path(frame, kept_.at(frame)), frame),
               tracers_of(frame), 0};
  result.kept = result.particles.channels.size();
  return result;
}

// A checkpoint has them, too, where files of them are lost.
std::optional<ParticleColumns> RunFrames::tracers_of(int frame) const {
  for (const char* format : {"npz", "ply"})
    if (const auto path = directory_.tracer_path(frame, format); std::filesystem::exists(path))
      return read_file(path, frame);
  if (!may_have_tracers(frame) || !checkpoints_.contains(frame)) return std::nullopt;
  auto read = from_checkpoint(frame, {});
  return read ? std::move(read->tracers) : std::nullopt;
}

// A simulation of the checkpoint's own scene, which may differ from an edited one in the folder.
// The pressure of a projection is not part of a state.
std::optional<RunFrames::Frame> RunFrames::from_checkpoint(
    int frame, const std::vector<std::string>& more) const {
  const auto path = find_checkpoint(directory_.checkpoints(), frame);
  const Checkpoint checkpoint = read_checkpoint(path);
  const Scene scene = parse_scene(checkpoint.scene_toml, path.string(), directory_.path().string());
  Simulation simulation(scene, {.device = Device::kCpu});
  simulation.load_state(checkpoint.state);
  constexpr double kSame = 1e-6;  // of a frame
  const double behind = (simulation.time() - checkpoint.time) * scene.simulation.fps;
  if (std::abs(behind) > kSame) return std::nullopt;

  std::vector<std::string> channels = scene_.output.channels;
  channels.insert(channels.end(), more.begin(), more.end());  // each is gathered once
  if (traits_of(scene).staggered) std::erase(channels, "pressure");
  const FrameMark mark = frame_mark(scene, frame, checkpoint.time);
  Frame result{columns_of(simulation.snapshot(), channels, mark), {}, 0};
  const auto& own = scene_.output.channels;
  for (const ChannelArray& channel : result.particles.channels)
    result.kept +=
        channel.name == "position" || std::find(own.begin(), own.end(), channel.name) != own.end();
  if (const Snapshot tracers = simulation.tracers(); tracers.size() > 0)
    result.tracers = columns_of(tracers, tracer_channels(), mark);
  return result;
}

void tell_left_out(int frame, bool asked_for) {
  const std::string what = fmt::format(
      "frame {}: all that is kept is a checkpoint on the way to the next frame; go on with it with "
      "firn resume",
      frame);
  if (asked_for) throw Error(ErrorCategory::kFile, what);
  Progress::warning(what);
}

}  // namespace firn::app
