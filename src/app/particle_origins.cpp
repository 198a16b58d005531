#include "src/app/particle_origins.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/io/checkpoint.h"

namespace firn::app {
namespace {

constexpr std::string_view kChannels[] = {"id", "material", "body", "mass", "volume"};

bool is_kept_for_good(const std::string& channel) {
  return std::find(std::begin(kChannels), std::end(kChannels), channel) != std::end(kChannels);
}

bool loses_particles(const Scene& scene) {
  if (!scene.sinks.empty()) return true;
  if (!scene.grid.domain) return false;
  const auto& walls = scene.grid.domain->boundary;
  return std::find(walls.begin(), walls.end(), BoundaryType::kOpen) != walls.end();
}

}  // namespace

ParticleOrigins::ParticleOrigins(const RunDirectory& directory) : directory_(directory) {}

void ParticleOrigins::read() {
  if (std::exchange(is_read_, true)) return;
  try {
    known_ = read_run();
  } catch (const Error&) {  // what is needed is missed by name, the rest was welcome only
  }
}

ParticleOrigins::Known ParticleOrigins::read_run() const {
  std::string damaged;
  const auto checkpoint = read_latest_valid_checkpoint(directory_.checkpoints(), &damaged);
  const std::string folder = directory_.path().string();
  const SceneOptions of_run{"", {}, true};
  const Scene scene = checkpoint ? parse_scene(checkpoint->scene_toml, folder, folder, of_run)
                                 : load_scene(directory_.scene().string(), of_run);
  Simulation simulation(scene, {.device = Device::kCpu});
  if (checkpoint) simulation.load_state(checkpoint->state);
  return {simulation.snapshot({false, false, false}), !loses_particles(scene),
          checkpoint && !scene.sources.empty()};
}

// Where each particle of the columns is among those that are known; none if not all are.
std::optional<std::vector<std::size_t>> ParticleOrigins::places_of(
    const ParticleColumns& columns) const {
  const std::vector<std::uint32_t>& known = known_->particles.id;
  const bool has_ids = columns.find("id") != nullptr;
  const bool as_many = columns.particles == known.size() ||
                       (known_->may_be_more && columns.particles < known.size());
  if (!has_ids && !(known_->all_stay && as_many)) return std::nullopt;
  std::vector<std::size_t> places;
  places.reserve(columns.particles);
  for (const std::uint32_t id : snapshot_of(columns).id) {  // their order, if they have none
    const auto at = std::lower_bound(known.begin(), known.end(), id);
    if (at == known.end() || *at != id) return std::nullopt;
    places.push_back(static_cast<std::size_t>(at - known.begin()));
  }
  return places;
}

void ParticleOrigins::complete(ParticleColumns& columns, const std::vector<std::string>& names) {
  std::optional<std::vector<std::size_t>> places;
  for (const std::string& name : names) {
    if (columns.find(name) != nullptr || !is_kept_for_good(name)) continue;
    if (!places) {
      read();
      if (known_) places = places_of(columns);
      if (!places) return;
    }
    ChannelArray channel = gather_channels(known_->particles, {name}).back();
    std::visit(
        [&]<class T>(std::vector<T>& values) {
          std::vector<T> own;
          own.reserve(places->size());
          for (const std::size_t place : *places) own.push_back(values[place]);
          values = std::move(own);
        },
        channel.values);
    columns.channels.push_back(std::move(channel));
  }
}

}  // namespace firn::app
