// The channels that particle files hold and pictures are coloured by: one table, which the parser,
// the writers and the documentation read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "firn/scene.h"

namespace firn {

enum class ChannelRank { kScalar, kVector, kAxial, kTensor };

struct OutputChannel {
  std::string_view name;
  ChannelRank rank;
  std::string_view unit, what;
  bool (*exists)(const Scene&);
  std::string_view color;  // what pictures call it, or the scalar that they make of it; empty: none
};

std::span<const OutputChannel> output_channels();

// Names that scenes may give as output.channels and output.color: what they have.
std::vector<std::string_view> channels_of(const Scene& scene);
std::vector<std::string_view> colors_of(const Scene& scene);

// Whether a run writes a channel or shows it.
bool shows_channel(const Scene& scene, std::string_view name);

}  // namespace firn
