// What a material's law keeps of its past.
#pragma once

#include "firn/kinds.h"
#include "kernels/base/host_device.h"

namespace firn {

// The elastic deformation gradient F; liquids need their volume ratio alone, if that.
FIRN_HD constexpr bool has_deformation(MaterialModel model) {
  return model != MaterialModel::kWeaklyCompressible && model != MaterialModel::kIncompressible;
}
// MaterialState::plastic.
FIRN_HD constexpr bool has_history(MaterialModel model) {
  return model == MaterialModel::kSnow || model == MaterialModel::kSandClamp ||
         model == MaterialModel::kDruckerPrager || model == MaterialModel::kVonMises ||
         model == MaterialModel::kWeaklyCompressible;
}

}  // namespace firn
