// Distances to steep ground. By its steepest slope, as kernels bound them elsewhere
// (kernels/collide/height_field_sdf.h), the way out of a cliff leads up to its top: what has come
// into its wall would never be pushed back. So they are sampled near the surface, which consists of
// two triangles between four heights, as it does in pictures.
#pragma once

#include <memory>

#include "src/scene/height_map.h"
#include "src/scene/mesh.h"

namespace firn {

// Slopes up to here hold material by the bound alone.
inline constexpr double kSteepSlope = 2;

struct HeightBand {
  GridBytes bytes;    // a DeformingHeader and what belongs to it; distances in voxels
  double bottom = 0;  // y of the lowest sample above the lowest height, m; x and z begin as heights
};

// The last few are kept. Empty where no slope is steep, and where the samples would take more than
// a gibibyte or the ground is more than 16 384 grid cells high. `voxel_size` is in the units of the
// grid.
std::shared_ptr<const HeightBand> cached_height_band(const HeightGrid& grid, double voxel_size);
// Whether cached_height_band would be empty though a slope is steep, which takes little to find
// out.
bool is_too_large_for_band(const HeightGrid& grid, double voxel_size);

}  // namespace firn
