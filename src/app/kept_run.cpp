#include "src/app/kept_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <new>

#include "firn/error.h"
#include "src/diagnostics/ledger.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

// The page's names of columns are those of the ledger, but of vectors: their magnitudes.
std::vector<double> column(const std::vector<Column>& ledger, const std::string& name,
                           int dimension) {
  const auto find = [&ledger](const std::string& wanted) -> const std::vector<double>* {
    for (const Column& c : ledger)
      if (c.name == wanted) return &c.values;
    return nullptr;
  };
  if (const auto* values = find(name)) return *values;
  const std::string vector = name == "angular momentum" ? "angular_momentum" : name;
  const auto *x = find(vector + "_x"), *y = find(vector + "_y"), *z = find(vector + "_z");
  if (x == nullptr || y == nullptr || z == nullptr) return {};
  if (dimension == 2 && vector == "angular_momentum") return *z;
  std::vector<double> result;
  for (std::size_t i = 0; i < x->size(); ++i)
    result.push_back(std::hypot((*x)[i], (*y)[i], (*z)[i]));
  return result;
}

void refuse() {
  throw Error(ErrorCategory::kScene,
              "this run is over: 'firn resume' goes on with it, and 'firn view SCENE' steers one");
}

}  // namespace

KeptRun::KeptRun(const Scene& scene, const RunDirectory& directory, const Options& options,
                 view::Session& session)
    : scene_(scene),
      directory_(directory),
      session_(session),
      kept_(scene, directory),
      bodies_(scene, directory),
      frames_(kept_.frames(std::nullopt, std::nullopt)),
      maker_(scene, static_cast<std::size_t>(options.max_points)) {
  session_.set_scene(scene, true);
}

KeptRun::~KeptRun() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void KeptRun::begin() {
  thread_ = std::thread([this] { work(); });
}

void KeptRun::step() { refuse(); }
void KeptRun::set(const std::vector<std::string>&, bool) { refuse(); }

void KeptRun::work() {
  try {
    read_ledger_rows();
    for (std::size_t i = 0; i < frames_.size() && !stop_; ++i) {
      session_.set_filling(static_cast<double>(i) / static_cast<double>(frames_.size()));
      auto read = kept_.read(frames_[i], channels_of_checkpoints(frames_[i]), "the view needs",
                             {"material", "body", "volume", "mass"});
      if (read)
        add(frames_[i], *read);
      else
        tell_left_out(frames_[i], false);
    }
    session_.set_phase(view::Phase::kEnded);
  } catch (const Error& error) {
    session_.set_phase(view::Phase::kFailed, error.what());
  } catch (const std::bad_alloc&) {
    session_.set_phase(view::Phase::kFailed, "out of memory; show fewer points with --max-points");
  } catch (const std::exception& error) {  // of the library, which knows no better
    session_.set_phase(view::Phase::kFailed, error.what());
  }
}

// Files hold what they hold; a checkpoint has all of it.
std::vector<std::string> KeptRun::channels_of_checkpoints(int frame) const {
  std::vector<std::string> wanted;
  if (!kept_.is_checkpoint(frame)) return wanted;
  for (const std::string_view name : channels_of(scene_))
    if (name != "speed" && name != "stress" && name != "vorticity") wanted.emplace_back(name);
  return wanted;
}

void KeptRun::read_ledger_rows() {
  if (!std::filesystem::exists(directory_.ledger())) return;
  const std::vector<Column> ledger = read_ledger(directory_.ledger());
  std::vector<std::vector<double>> columns;
  for (const std::string& name : view::ledger_columns(scene_))
    columns.push_back(column(ledger, name, scene_.simulation.dimension));
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    view::LedgerRow row;
    for (const auto& values : columns)
      row.push_back(i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN());
    session_.add_row(std::move(row));
  }
}

void KeptRun::add(int frame, RunFrames::Frame& read) {
  Snapshot snapshot = snapshot_of(read.particles);
  snapshot.dx = scene_.grid.dx;
  if (snapshot.id.empty())  // files need not hold them: they are in the order of the ids
    for (std::uint32_t i = 0; i < read.particles.particles; ++i) snapshot.id.push_back(i);
  if (!staged_) session_.set_stage(scene_, snapshot);
  staged_ = true;
  // Each frame is read once: what is costly is made of it now or never.
  view::Picture picture = maker_.make(snapshot, frame, "vorticity");
  picture.time = read.particles.mark.time;
  if (read.tracers) picture.tracers = maker_.tracers(snapshot_of(*read.tracers));
  picture.colliders = bodies_.at(frame, picture.time);
  session_.set_pace({0, picture.particles, 0, 0, directory_.path().string()});
  session_.add(std::move(picture));
}

}  // namespace firn::app
