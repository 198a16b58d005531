// Grids of OpenVDB into one file, whole or not at all. Only for files that include OpenVDB.
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>

#include "src/io/particle_channels.h"

namespace firn {

// Time, frame, up axis and units, on the grid: programs show a grid's metadata, not the file's.
void mark_grid(openvdb::GridBase& grid, const FrameMark& mark);

// Compressed as the library does by default: Blosc where it has it, else zlib. Equal grids give
// equal bytes. Throws Error{kFile}.
void write_grids(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids);

}  // namespace firn
