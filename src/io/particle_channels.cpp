#include "src/io/particle_channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "firn/error.h"
#include "src/analysis/vorticity.h"
#include "src/io/particle_files.h"

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

struct ChannelType {
  const char* name;
  ChannelRank rank;
  Values (*gather)(const Snapshot&);
};

constexpr ChannelType kPosition{"position", ChannelRank::kVector,
                                [](const Snapshot& s) -> Values { return s.position; }};

// "stress" is the Kirchhoff stress J * Cauchy, the measure the solver carries, and "pressure"
// belongs to it: the total J of a plastic material is not kept.
constexpr std::array kChannels{
    ChannelType{"velocity", ChannelRank::kVector,
                [](const Snapshot& s) -> Values { return s.velocity; }},
    ChannelType{"speed", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return speed(s); }},
    ChannelType{"material", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return s.material; }},
    ChannelType{"body", ChannelRank::kScalar, [](const Snapshot& s) -> Values { return s.body; }},
    ChannelType{"mass", ChannelRank::kScalar, [](const Snapshot& s) -> Values { return s.mass; }},
    ChannelType{"volume", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return s.volume; }},
    ChannelType{"deformation_gradient", ChannelRank::kTensor,
                [](const Snapshot& s) -> Values { return s.deformation_gradient; }},
    ChannelType{"plastic_state", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return s.plastic_state; }},
    ChannelType{"stress", ChannelRank::kTensor,
                [](const Snapshot& s) -> Values { return s.kirchhoff_stress; }},
    ChannelType{"pressure", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return s.pressure; }},
    ChannelType{"vorticity", ChannelRank::kAxial,
                [](const Snapshot& s) -> Values { return vorticity(s); }},
    ChannelType{"temperature", ChannelRank::kScalar,
                [](const Snapshot& s) -> Values { return s.temperature; }},
    ChannelType{"phase", ChannelRank::kScalar, [](const Snapshot& s) -> Values { return s.phase; }},
    ChannelType{"id", ChannelRank::kScalar, [](const Snapshot& s) -> Values { return s.id; }},
};

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] != b[j]);
      diagonal = std::exchange(row[j + 1], std::min({change, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row[b.size()];
}

Error unknown_channel(const std::string& name) {
  const auto nearest = std::min_element(kChannels.begin(), kChannels.end(), [&](auto& a, auto& b) {
    return edit_distance(name, a.name) < edit_distance(name, b.name);
  });
  std::string known;
  for (const ChannelType& type : kChannels)
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  return Error(ErrorCategory::kScene, "output.channels: there is no particle channel \"" + name +
                                          "\"; did you mean \"" + nearest->name +
                                          "\"? Known channels: " + known);
}

ChannelArray gather(const Snapshot& snapshot, const ChannelType& type) {
  ChannelArray channel{type.name, type.rank, type.gather(snapshot)};
  const std::size_t count = std::visit([](const auto& v) { return v.size(); }, channel.values);
  const auto expected = snapshot.size() * component_count(type.rank, snapshot.dimension);
  if (count != expected)
    throw Error(ErrorCategory::kFile, "the particle channel \"" + channel.name + "\" has " +
                                          std::to_string(count) + " values instead of " +
                                          std::to_string(expected) +
                                          "; leave it out of output.channels");
  return channel;
}

}  // namespace

std::vector<std::string> particle_channels() {
  std::vector<std::string> names;
  for (const ChannelType& type : kChannels) names.emplace_back(type.name);
  return names;
}

std::vector<std::string> tracer_channels() { return {"body"}; }

int component_count(ChannelRank rank, int dimension) {
  switch (rank) {
    case ChannelRank::kScalar:
      return 1;
    case ChannelRank::kVector:
      return dimension;
    case ChannelRank::kAxial:
      return vorticity_components(dimension);
    case ChannelRank::kTensor:
      return dimension * dimension;
  }
  return 0;
}

std::vector<ChannelArray> gather_channels(const Snapshot& snapshot,
                                          const std::vector<std::string>& names) {
  std::vector<ChannelArray> channels{gather(snapshot, kPosition)};
  for (const std::string& name : names) {
    const bool present = std::any_of(channels.begin(), channels.end(),
                                     [&](const ChannelArray& c) { return c.name == name; });
    if (present) continue;
    const auto type = std::find_if(kChannels.begin(), kChannels.end(),
                                   [&](const ChannelType& t) { return name == t.name; });
    if (type == kChannels.end()) throw unknown_channel(name);
    channels.push_back(gather(snapshot, *type));
  }
  return channels;
}

}  // namespace firn
