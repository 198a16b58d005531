// Volumes: what the particles of a frame fill, as grids of OpenVDB.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/particle_channels.h"

namespace firn {

// The channels that volumes are made of.
std::vector<std::string> volume_channels(const Scene& scene);

// Fog volumes with voxels of dx around the nodes of the grid: "density" (kg/m^3), "velocity" (m/s,
// weighted by mass) and, where there are temperatures, "temperature" (K, likewise). Particles are
// spread by the B-spline of this degree, so that densities times the volume of a voxel add up to
// their mass; of 2D scenes, whose masses are per metre of depth, one layer of voxels does. Voxels
// without mass are background. Throws Error{kScene} in a build without OpenVDB or for columns that
// lack mass or velocity, Error{kFile} if the file cannot be written.
void write_volumes(const std::filesystem::path& path, const ParticleColumns& columns, int degree);

}  // namespace firn
