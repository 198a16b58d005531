// The columns of a particle file, as one table shared by all formats: a new channel is one line
// there, a new format one function over `ChannelArray`s.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "firn/simulation.h"
#include "src/scene/output_channels.h"

namespace firn {

// The values of one channel for all particles, particle by particle: 1, d or d*d (row-major)
// components; kAxial is a rotation, 1 component in 2D and 3 in 3D.
struct ChannelArray {
  std::string name;
  ChannelRank rank = ChannelRank::kScalar;
  std::variant<std::vector<float>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> values;
};

// "position" first, then each of `names` once, in their order. Throws Error{kScene} for an unknown
// name, with a suggestion, and Error{kFile} if the snapshot lacks the data of a channel.
std::vector<ChannelArray> gather_channels(const Snapshot& snapshot,
                                          const std::vector<std::string>& names);

// Components per particle of a channel of this rank in `dimension`.
int component_count(ChannelRank rank, int dimension);

}  // namespace firn
