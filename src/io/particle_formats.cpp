#include "src/io/particle_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/error.h"
#include "src/io/particle_files.h"
#include "src/io/vdb_voxels.h"

namespace firn {
namespace {

#if defined(FIRN_WITH_OPENVDB)
constexpr bool kWithOpenVdb = true;
#else
constexpr bool kWithOpenVdb = false;
#endif

std::size_t value_bytes(const ChannelArray& channel) {
  return std::visit([](const auto& values) { return sizeof(values.front()); }, channel.values);
}

using Channels = std::vector<ChannelArray>;

double npz_bytes(const Channels& channels, int dimension) {
  double bytes = 0;
  for (const ChannelArray& c : channels)
    bytes += static_cast<double>(value_bytes(c)) * component_count(c.rank, dimension);
  return bytes;
}
double ply_bytes(const Channels& channels, int dimension) {
  double bytes = npz_bytes(channels, dimension);
  for (const ChannelArray& c : channels)
    if (c.rank == ChannelRank::kVector && dimension == 2) bytes += sizeof(float);
  return bytes;
}
// Floats, whose low bits are noise, and 16-bit indices, most of which are alike.
double vtp_bytes(const Channels& channels, int dimension) {
  constexpr double kVertex = 3, kFloat = 3.6, kIndex = 0.1;
  double bytes = kVertex;
  for (const ChannelArray& c : channels)
    bytes += (value_bytes(c) == 2 ? kIndex : kFloat) * component_count(c.rank, dimension);
  return bytes;
}
double vdb_bytes(const Channels& channels, int dimension) {
  constexpr double kFloat = 3.4, kIndex = 0.1;
  double bytes = 0;
  for (const ChannelArray& c : channels)
    bytes += (value_bytes(c) == 2 ? kIndex : kFloat) * space_count(c.rank, dimension);
  return bytes;
}
double bgeo_bytes(const Channels& channels, int dimension) {
  int numbers = 1;  // the fourth coordinate
  for (const ChannelArray& c : channels) numbers += space_count(c.rank, dimension);
  return 4.0 * numbers;
}

// Held beside the columns: VDB sorts indices into voxels, copies channels there, and makes the file
// in memory (measured); VTP keeps one packed array.
constexpr ParticleFormat kFormats[] = {
    {"ply", "ply", "for viewers, renderers and Blender", true, false, 0.1, 0, ply_bytes, write_ply},
    {"npz", "npz", "for NumPy", true, false, 0, 0, npz_bytes, write_npz},
    {"vtp", "vtp", "VTK: for ParaView, with a .pvd of all frames", true, true, 1, 0, vtp_bytes,
     write_vtp},
    {"vdb", "vdb", "points of OpenVDB: for Houdini; needs a build with it", kWithOpenVdb, false,
     0.3, 65, vdb_bytes, write_vdb_points},
    {"bgeo", "bgeo", "Houdini's classic format", true, false, 0.1, 0, bgeo_bytes, write_bgeo},
};

}  // namespace

std::span<const ParticleFormat> particle_formats() { return kFormats; }

const ParticleFormat* find_particle_format(std::string_view name) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const ParticleFormat& f) { return f.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

void require_formats(const OutputSettings& output, double dx) {
  for (const std::string& name : output.particles) {
    const ParticleFormat* format = find_particle_format(name);
    if (format != nullptr && !format->built)
      throw Error(ErrorCategory::kScene,
                  fmt::format("output.particles: \"{}\" needs a build with OpenVDB "
                              "(FIRN_WITH_OPENVDB=ON); use \"vtp\" or \"bgeo\"",
                              name));
    if (name == "vdb") require_vdb_voxels("output.particles: \"vdb\"", dx, dx);
  }
  if (!output.volumes.empty() && !kWithOpenVdb)
    throw Error(ErrorCategory::kScene,
                "output.volumes: volumes need a build with OpenVDB (FIRN_WITH_OPENVDB=ON); remove "
                "the key, or set it to []");
  if (!output.volumes.empty()) require_vdb_voxels("output.volumes", dx, dx);
}

}  // namespace firn
