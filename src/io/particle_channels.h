// The columns of a particle file, as one table shared by all formats: a new channel is one line
// there, a new format one function over `ParticleColumns`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// What formats say of a frame beside its particles.
struct FrameMark {
  int frame = 0;
  double time = 0;       // s, simulated
  double dx = 0;         // grid spacing, m
  std::string up = "y";  // the axis against gravity, "-y" if it points up
};
FrameMark frame_mark(const Scene& scene, int frame, double time);

// The particles of a frame as files hold them, from a simulation or from another file.
struct ParticleColumns {
  int dimension = 3;
  std::size_t particles = 0;
  FrameMark mark;
  std::vector<ChannelArray> channels;  // "position" first

  const ChannelArray* find(std::string_view name) const;  // null: not among them
};

// Throws as gather_channels. A mark without dx takes the snapshot's.
ParticleColumns columns_of(const Snapshot& snapshot, const std::vector<std::string>& channels,
                           FrameMark mark = {});

// What of a snapshot the columns hold.
Snapshot snapshot_of(const ParticleColumns& columns);

// "position" first, then each of `names` once, in their order. Throws Error{kScene} for an unknown
// name, with a suggestion, and Error{kFile} if the snapshot lacks the data of a channel.
std::vector<ChannelArray> gather_channels(const Snapshot& snapshot,
                                          const std::vector<std::string>& names);

// Components per particle of a channel of this rank in `dimension`.
int component_count(ChannelRank rank, int dimension);

// The same for programs that know three dimensions only: 3 for vectors, 9 for tensors.
int space_count(ChannelRank rank, int dimension);
// Where `component` of these is among those of a 2D channel; negative if it is 0 there.
int flat_component(ChannelRank rank, int dimension, int component);

}  // namespace firn
