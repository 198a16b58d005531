// The formats of particle files as one table: the writer of frames, `firn convert`, the run's
// folder and the estimates go by it. Scenes name them by the words of src/scene/parse_output.cpp,
// which a test holds against it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/particle_channels.h"

namespace firn {

struct ParticleFormat {
  std::string_view name;  // in scenes and on the command line
  std::string_view extension;
  std::string_view about;
  bool built;      // this build can write it
  bool collected;  // a .pvd file in the run's folder lists the frames
  // Bytes that writing holds, per byte of the columns and per particle.
  double held, held_each;
  // Bytes of the file per particle, roughly where it is compressed.
  double (*bytes)(const std::vector<ChannelArray>& channels, int dimension);
  void (*write)(const std::filesystem::path&, const ParticleColumns&);
};

std::span<const ParticleFormat> particle_formats();

// Null: there is none of that name.
const ParticleFormat* find_particle_format(std::string_view name);

// Throws Error{kScene} if this build cannot write what a scene asks for, or OpenVDB not on a grid
// as fine.
void require_formats(const OutputSettings& output, double dx);

}  // namespace firn
