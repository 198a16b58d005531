// How small the voxels of OpenVDB's files may be, which fine grids can undercut.
#pragma once

#include <string>

namespace firn {

// Whether OpenVDB has a transform for voxels of this side, m.
bool vdb_holds(double side);

// Throws Error{kScene} that names what was to be written ("output.volumes"), if voxels of `side`,
// which a grid spacing of `dx` makes, are too small for it.
void require_vdb_voxels(const std::string& what, double side, double dx);

}  // namespace firn
