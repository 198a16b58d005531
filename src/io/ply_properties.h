// The names of properties in the PLY files of particles, which reader and writer share.
#pragma once

#include <string>

#include "src/io/particle_channels.h"

namespace firn {

// x, y, z and vx, vy, vz are the names that viewers look for.
inline std::string ply_property(const ChannelArray& channel, int component, int dimension) {
  std::string axis(1, "xyz"[component % 3]);
  if (channel.name == "position") return axis;
  if (channel.name == "velocity") return "v" + axis;
  if (component_count(channel.rank, dimension) == 1) return channel.name;
  if (channel.rank == ChannelRank::kAxial) return channel.name + "_" + axis;
  return channel.name + "_" + std::to_string(component / dimension) +
         std::to_string(component % dimension);
}

}  // namespace firn
