#include "src/view/view_channels.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/render/particle_color.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/output_channels.h"

namespace firn::view {
namespace {

// "speed, m/s"
std::pair<std::string, std::string> label_and_unit(const std::string& label) {
  const std::size_t comma = label.find(", ");
  if (comma == label.npos) return {label, ""};
  return {label.substr(0, comma), label.substr(comma + 2)};
}

// Names that stand for the same colours as another one, and what is no value of a channel.
bool is_listed(std::string_view color) {
  return color != "velocity" && color != "deformation_gradient" && color != "glow";
}

// Most pictures share those of the one before.
std::shared_ptr<const Levels> shared(const std::shared_ptr<const Levels>& before, Levels levels) {
  const bool same = before != nullptr && before->low == levels.low && before->high == levels.high &&
                    before->level == levels.level;
  return same ? before : std::make_shared<const Levels>(std::move(levels));
}

bool has_value(const Levels& levels) {
  return std::any_of(levels.level.begin(), levels.level.end(),
                     [](std::uint16_t level) { return level != kMissing; });
}

}  // namespace

std::vector<ViewChannel> view_channels(const Scene& scene) {
  std::vector<ViewChannel> channels{{"material", "material", "", true}, {"body", "body", "", true}};
  for (const std::string_view color : colors_of(scene)) {
    const std::string name(color);
    if (!is_listed(name) || name == "material" || name == "body") continue;
    ViewChannel& channel = channels.emplace_back();
    channel.name = name;
    std::tie(channel.label, channel.unit) = label_and_unit(scalar_label(name));
    if (name == "phase") channel.label = "phase: 0 solid, 1 liquid", channel.unit = "";
    channel.diverging = name == "vorticity" && scene.simulation.dimension == 2;
    channel.costly = name == "vorticity";
  }
  return channels;
}

PictureMaker::PictureMaker(const Scene& scene, std::size_t most_points)
    : channels_(view_channels(scene)), most_points_(most_points) {}

SnapshotParts PictureMaker::parts() const {
  const auto has = [this](std::string_view name) {
    return std::any_of(channels_.begin(), channels_.end(),
                       [name](const ViewChannel& c) { return c.name == name; });
  };
  return {has("volume_ratio"), false, has("pressure")};
}

std::shared_ptr<const Levels> PictureMaker::levels_of(
    const ViewChannel& channel, const Snapshot& snapshot,
    const std::vector<std::uint32_t>& order) const {
  if (channel.name == "material")
    return std::make_shared<Levels>(categories(snapshot.material, order));
  if (channel.name == "body") return std::make_shared<Levels>(categories(snapshot.body, order));
  return std::make_shared<Levels>(quantised(scalar_values(channel.name, snapshot), order));
}

std::shared_ptr<const Levels> PictureMaker::volume_of(
    const Snapshot& snapshot, const std::vector<std::uint32_t>& order) const {
  if (snapshot.dimension != 3 || snapshot.volume.empty()) return nullptr;
  return shared(volume_, quantised({snapshot.volume.begin(), snapshot.volume.end()}, order));
}

PictureTracers PictureMaker::tracers(const Snapshot& tracers) {
  if (tracers.size() == 0) return {};
  const std::vector<std::uint32_t>& order = tracer_order_.of(tracers.id, most_points_);
  tracer_bodies_ = shared(tracer_bodies_, categories(tracers.body, order));
  return {static_cast<std::int64_t>(tracers.size()), quantised_places(tracers, order),
          tracer_bodies_};
}

Picture PictureMaker::make(const Snapshot& snapshot, int frame, const std::string& costly) {
  const std::vector<std::uint32_t>& order = order_.of(snapshot.id, most_points_);
  const bool same = order_.changes() == kept_at_;
  Picture picture;
  picture.frame = frame;
  picture.particles = static_cast<std::int64_t>(snapshot.size());
  picture.places = quantised_places(snapshot, order);
  for (const ViewChannel& channel : channels_) {
    if (channel.costly && channel.name != costly) continue;
    auto levels = levels_of(channel, snapshot, order);
    const auto before = std::find_if(last_.begin(), last_.end(),
                                     [&](const Channel& c) { return c.name == channel.name; });
    if (!has_value(*levels) && same && before != last_.end())
      picture.channels.push_back({channel.name, before->levels, before->frame, true});
    else
      picture.channels.push_back({channel.name, std::move(levels), frame, false});
  }
  picture.volume = volume_ = volume_of(snapshot, order);
  kept_at_ = order_.changes();
  last_ = picture.channels;
  return picture;
}

}  // namespace firn::view
