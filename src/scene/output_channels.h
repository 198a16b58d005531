// The channels that particle files hold and pictures are coloured by: one table, which the parser,
// the writers and the documentation read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

enum class ChannelRank { kScalar, kVector, kAxial, kTensor };

struct OutputChannel {
  std::string_view name, unit;
  ChannelRank rank;
  std::string_view about;  // with its unit
  bool (*exists)(const Scene&);
  // Where snapshots have it; null: what writes and draws makes it.
  std::vector<float> Snapshot::*values = nullptr;
  bool has_color = true;           // pictures can show it, or a scalar that they make of it
  bool has_mean = true;            // sensors can read it
  std::string_view shown_by = {};  // the channel that its colours are made of, if it is another one
};

// What pictures can be coloured by.
struct OutputColor {
  std::string_view name, about;
  std::string_view channel;  // that it is made of
};

std::span<const OutputChannel> output_channels();
std::vector<OutputColor> output_colors();

// Names that scenes may give as output.channels and output.color: what they have.
std::vector<std::string_view> channels_of(const Scene& scene);
std::vector<std::string_view> colors_of(const Scene& scene);
// And as channels of its sensors.
std::vector<std::string_view> mean_channels_of(const Scene& scene);

// What of the particles a run writes or shows.
SnapshotParts shown_parts(const Scene& scene);

}  // namespace firn
