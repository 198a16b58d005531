// Kinds of boundaries and materials: what a scene names and kernels choose by.
#pragma once

#include <cstdint>

namespace firn {

// Domain faces may also be periodic (both of an axis: what leaves through one enters through the
// other) or open (no wall; particles that pass it are deleted, and a liquid's pressure is 0 there).
enum class BoundaryType { kSticky, kSlip, kSeparate, kPeriodic, kOpen };

enum class MaterialModel : std::uint8_t {
  kNeoHookean,
  kFixedCorotated,
  kCorotatedDeviatoric,
  kStvkHencky,
  kSnow,
  kSandClamp,
  kDruckerPrager,
  kVonMises,
  kCamClay,
  kViscoelastic,
  kHerschelBulkley,
  kWeaklyCompressible,
  kIncompressible,  // integrator = "incompressible" only: density, no constitutive law
};
inline constexpr int kMaterialModels = static_cast<int>(MaterialModel::kIncompressible) + 1;

}  // namespace firn
