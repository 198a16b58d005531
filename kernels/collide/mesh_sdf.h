// The signed distance of a mesh as a sparse NanoVDB grid, sampled trilinearly on host and device.
// It is the one header of the physics layer that sees NanoVDB; a build without OpenVDB never makes
// such a grid.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/math/vec.h"

#if defined(FIRN_WITH_OPENVDB)
#include <nanovdb/NanoVDB.h>
#if __has_include(<nanovdb/math/SampleFromVoxels.h>)  // later than OpenVDB 10
#include <nanovdb/math/SampleFromVoxels.h>
#else
#include <nanovdb/util/SampleFromVoxels.h>
namespace nanovdb::math {
using nanovdb::createSampler;
}
#endif
#endif

namespace firn {

// NanoVDB grids live at multiples of this many bytes.
inline constexpr std::size_t kMeshGridAlignment = 32;

// The grid that starts at `bytes`, at `p` in its index space. Values are distances in voxels,
// clamped to the half width of its narrow band.
template <class Real>
FIRN_HD inline Real sample_mesh_grid([[maybe_unused]] const std::byte* bytes,
                                     [[maybe_unused]] const Vec<Real, 3>& p) {
#if defined(FIRN_WITH_OPENVDB)
  const auto& grid = *reinterpret_cast<const nanovdb::NanoGrid<float>*>(bytes);
  auto accessor = grid.getAccessor();
  const auto sampler = nanovdb::math::createSampler<1>(accessor);
  using Place = std::conditional_t<std::is_same_v<Real, double>, nanovdb::Vec3d, nanovdb::Vec3f>;
  return Real(sampler(Place(p[0], p[1], p[2])));
#else
  return Real(0);
#endif
}

}  // namespace firn
