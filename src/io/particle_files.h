// Particle files, one writer per format; particle_formats.h has the table of them. All hold the
// particles in the order of their ids (VDB: voxel by voxel), the position always and further
// channels by name, and are written atomically (atomic_file.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/particle_channels.h"

namespace firn {

// The channels a particle file can carry beside the position: velocity, speed, material, body,
// mass, volume, pscale, deformation_gradient, plastic_state, stress (Kirchhoff, Pa), pressure
// (-tr(stress)/d), vorticity (diagnostics/vorticity.h, 1/s), temperature (K), phase (0 solid,
// 1 liquid), id.
std::vector<std::string> particle_channels();

// Those that the files of tracers hold beside it (Simulation::tracers).
std::vector<std::string> tracer_channels();

// All throw Error{kFile} if the file cannot be written.

// Little-endian PLY with one vertex per particle: x, y, z (z = 0 in 2D), vx, vy, vz for the
// velocity, <channel>_x, _y, _z for rotations in 3D, and <channel>_<row><column> (counted from 0)
// for tensors; float, ushort (material,
// body, phase) and uint (id).
void write_ply(const std::filesystem::path& path, const ParticleColumns& columns);

// numpy.load(path) gives one array per channel: scalars (n), vectors (n, d), tensors (n, d, d),
// the vorticity (n) in 2D and (n, 3) in 3D; float32, uint16 (material, body, phase) and uint32
// (id).
void write_npz(const std::filesystem::path& path, const ParticleColumns& columns);

// VTK XML PolyData: a vertex per particle, channels by their names as point data, vectors with 3
// components and tensors with 9 (row by row) in 2D, too; the time as TimeValue.
void write_vtp(const std::filesystem::path& path, const ParticleColumns& columns);

// A grid "points" of OpenVDB with voxels of dx: P in its voxel, the velocity as "v", other channels
// by their names; floats, int32 (ids above 2^31 wrap) and 3x3 matrices; time, frame, up axis and
// units as metadata. Throws Error{kScene} in a build without OpenVDB.
void write_vdb_points(const std::filesystem::path& path, const ParticleColumns& columns);

// BGEO of Houdini's classic format, version 5: points with P, the velocity as "v", other channels
// by their names; floats and int32; time and frame as detail attributes.
void write_bgeo(const std::filesystem::path& path, const ParticleColumns& columns);

// What write_ply and write_npz wrote, without its mark; of a PLY file the scene knows the
// dimension. Throw Error{kFile} that says what is wrong with the file.
ParticleColumns read_ply(const std::filesystem::path& path, int dimension);
ParticleColumns read_npz(const std::filesystem::path& path);

}  // namespace firn
