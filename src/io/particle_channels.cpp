#include "src/io/particle_channels.h"

#include <fmt/format.h>
#include <numeric>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "firn/error.h"
#include "src/analysis/vorticity.h"
#include "src/io/particle_files.h"
#include "src/scene/findings.h"

namespace firn {
namespace {

using Values = decltype(ChannelArray::values);

std::vector<float> speed(const Snapshot& s) {
  const std::size_t d = static_cast<std::size_t>(s.dimension);
  std::vector<float> result(s.velocity.size() / d);
  for (std::size_t p = 0; p < result.size(); ++p) {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i)
      sum += double(s.velocity[p * d + i]) * s.velocity[p * d + i];
    result[p] = static_cast<float>(std::sqrt(sum));
  }
  return result;
}

std::vector<float> ball_radius(const Snapshot& s) {
  std::vector<float> result;
  result.reserve(s.volume.size());
  for (const double volume : s.volume)
    result.push_back(static_cast<float>(s.dimension == 3
                                            ? std::cbrt(3 * volume / (4 * std::numbers::pi))
                                            : std::sqrt(volume / std::numbers::pi)));
  return result;
}

// What no list of floats in a snapshot holds as it is written.
struct Gatherer {
  std::string_view name;  // of its row in output_channels()
  Values (*gather)(const Snapshot&);
};

constexpr Gatherer kGatherers[] = {
    {"speed", [](const Snapshot& s) -> Values { return speed(s); }},
    {"pscale", [](const Snapshot& s) -> Values { return ball_radius(s); }},
    {"material", [](const Snapshot& s) -> Values { return s.material; }},
    {"body", [](const Snapshot& s) -> Values { return s.body; }},
    {"vorticity", [](const Snapshot& s) -> Values { return vorticity(s); }},
    {"phase", [](const Snapshot& s) -> Values { return s.phase; }},
    {"id", [](const Snapshot& s) -> Values { return s.id; }},
};

Error unknown_channel(const std::string& name) {
  std::vector<std::string_view> known;
  for (const OutputChannel& channel : output_channels()) known.push_back(channel.name);
  return Error(ErrorCategory::kScene,
               fmt::format("output.channels: there is no particle channel '{}' (there are {}){}",
                           name, scene::list_of(known), scene::suggestion(name, known)));
}

// Of any type that holds them all: programs that write files anew may widen integers.
template <class T>
std::vector<T> values_as(const ChannelArray& channel) {
  if (const auto* own = std::get_if<std::vector<T>>(&channel.values)) return *own;
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
  std::vector<T> values;
  const auto take = [&](double value) {
    const bool fits = value >= kLeast && value <= kMost;
    if (!fits || static_cast<double>(static_cast<T>(value)) != value)
      throw Error(ErrorCategory::kFile,
                  fmt::format("the particle channel \"{}\" has a value of {}, which is none that "
                              "Firn writes there; write the file anew, or leave the channel out",
                              channel.name, value));
    values.push_back(static_cast<T>(value));
  };
  std::visit([&](const auto& other) { std::ranges::for_each(other, take); }, channel.values);
  return values;
}

ChannelArray checked(ChannelArray channel, const Snapshot& snapshot) {
  const std::size_t count = std::visit([](const auto& v) { return v.size(); }, channel.values);
  const auto expected = snapshot.size() * component_count(channel.rank, snapshot.dimension);
  if (count != expected)
    throw Error(ErrorCategory::kFile, "the particle channel \"" + channel.name + "\" has " +
                                          std::to_string(count) + " values instead of " +
                                          std::to_string(expected) +
                                          "; leave it out of output.channels");
  return channel;
}

ChannelArray gather(const Snapshot& snapshot, const std::string& name) {
  const auto named = [&](const auto& row) { return row.name == name; };
  const auto channels = output_channels();
  const auto channel = std::find_if(channels.begin(), channels.end(), named);
  if (channel == channels.end()) throw unknown_channel(name);
  if (channel->values != nullptr)
    return checked({name, channel->rank, snapshot.*channel->values}, snapshot);
  const auto gatherer = std::find_if(std::begin(kGatherers), std::end(kGatherers), named);
  if (gatherer == std::end(kGatherers)) throw unknown_channel(name);
  return checked({name, channel->rank, gatherer->gather(snapshot)}, snapshot);
}

}  // namespace

std::vector<std::string> particle_channels() {
  std::vector<std::string> names;
  for (const OutputChannel& channel : output_channels()) names.emplace_back(channel.name);
  return names;
}

std::vector<std::string> tracer_channels() { return {"body"}; }

FrameMark frame_mark(const Scene& scene, int frame, double time) {
  const Vec3& g = scene.simulation.gravity;
  int axis = 1;
  for (int i = 0; i < scene.simulation.dimension; ++i)
    if (std::abs(g[i]) > std::abs(g[axis])) axis = i;
  return {frame, time, scene.grid.dx, std::string(g[axis] > 0 ? "-" : "") + "xyz"[axis]};
}

const ChannelArray* ParticleColumns::find(std::string_view name) const {
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [&](const ChannelArray& c) { return c.name == name; });
  return found == channels.end() ? nullptr : &*found;
}

ParticleColumns columns_of(const Snapshot& snapshot, const std::vector<std::string>& channels,
                           FrameMark mark) {
  if (!(mark.dx > 0)) mark.dx = snapshot.dx;
  return {snapshot.dimension, snapshot.size(), std::move(mark),
          gather_channels(snapshot, channels)};
}

std::vector<ChannelArray> gather_channels(const Snapshot& snapshot,
                                          const std::vector<std::string>& names) {
  std::vector<ChannelArray> channels{
      checked({"position", ChannelRank::kVector, snapshot.position}, snapshot)};
  for (const std::string& name : names) {
    const bool present = std::any_of(channels.begin(), channels.end(),
                                     [&](const ChannelArray& c) { return c.name == name; });
    if (!present) channels.push_back(gather(snapshot, name));
  }
  return channels;
}

Snapshot snapshot_of(const ParticleColumns& columns) {
  Snapshot snapshot;
  snapshot.dimension = columns.dimension;
  snapshot.dx = columns.mark.dx;
  const auto take = [&]<class T>(std::string_view name, std::vector<T>& to) {
    const ChannelArray* channel = columns.find(name);
    if (channel != nullptr) to = values_as<T>(*channel);
  };
  for (const OutputChannel& channel : output_channels())
    if (channel.values != nullptr) take(channel.name, snapshot.*channel.values);
  take("position", snapshot.position);
  take("velocity", snapshot.velocity);
  take("material", snapshot.material);
  take("body", snapshot.body);
  take("phase", snapshot.phase);
  take("id", snapshot.id);
  if (snapshot.id.empty()) {
    snapshot.id.resize(columns.particles);
    std::iota(snapshot.id.begin(), snapshot.id.end(), 0u);
  }
  return snapshot;
}

}  // namespace firn
