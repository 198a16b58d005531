// Particle files: binary PLY for viewers and renderers, NPZ for numpy. Both hold the particles in
// the order of their ids, the position always and further channels by name, and are written
// atomically (atomic_file.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "firn/simulation.h"

namespace firn {

// The channels a particle file can carry beside the position: velocity, speed, material, body,
// mass, volume, deformation_gradient, plastic_state, stress (Kirchhoff, Pa), pressure
// (-tr(stress)/d), vorticity (diagnostics/vorticity.h, 1/s), temperature (K), phase (0 solid,
// 1 liquid), id.
std::vector<std::string> particle_channels();

// Those that the files of tracers hold beside it (Simulation::tracers).
std::vector<std::string> tracer_channels();

// Both throw Error{kScene} for an unknown channel, with a suggestion, and Error{kFile} if the file
// cannot be written.

// Little-endian PLY with one vertex per particle: x, y, z (z = 0 in 2D), vx, vy, vz for the
// velocity, <channel>_x, _y, _z for rotations in 3D, and <channel>_<row><column> (counted from 0)
// for tensors; float, ushort (material,
// body, phase) and uint (id).
void write_ply(const std::filesystem::path& path, const Snapshot& snapshot,
               const std::vector<std::string>& channels);

// numpy.load(path) gives one array per channel: scalars (n), vectors (n, d), tensors (n, d, d),
// the vorticity (n) in 2D and (n, 3) in 3D; float32, uint16 (material, body, phase) and uint32
// (id).
void write_npz(const std::filesystem::path& path, const Snapshot& snapshot,
               const std::vector<std::string>& channels);

}  // namespace firn
