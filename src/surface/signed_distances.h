// The narrow band of signed distances about a mesh, as filters of level sets take it.
#pragma once

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/openvdb.h>

#include "src/surface/particle_surface.h"

namespace firn {

// No narrower than OpenVDB's tools ask for, voxels on either side.
inline constexpr float kNarrowBand = 3;

// A level set of this class without a surface.
openvdb::FloatGrid::Ptr empty_level_set(const openvdb::math::Transform& transform);

// Distances to a closed mesh, m, in the voxels of `rough`, which tells what is inside (negative).
openvdb::FloatGrid::Ptr signed_distances(const SurfaceMesh& mesh, const openvdb::FloatGrid& rough);

}  // namespace firn
#endif
