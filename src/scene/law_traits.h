// What a material's law keeps of its past.
#pragma once

#include "firn/kinds.h"

namespace firn {

// F; liquids need only their volume ratio, if that.
inline bool has_deformation(MaterialModel model) {
  return model != MaterialModel::kWeaklyCompressible && model != MaterialModel::kIncompressible;
}
// MaterialState::plastic.
inline bool has_history(MaterialModel model) {
  return model == MaterialModel::kSnow || model == MaterialModel::kSandClamp ||
         model == MaterialModel::kDruckerPrager || model == MaterialModel::kVonMises ||
         model == MaterialModel::kWeaklyCompressible;
}

}  // namespace firn
