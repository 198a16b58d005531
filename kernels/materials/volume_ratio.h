// What a particle fills beside what it fills at rest: the volume ratio of its elastic and its
// plastic deformation together, whatever of both its law keeps where.
#pragma once

#include "firn/kinds.h"
#include "kernels/math/mat.h"

namespace firn {

// `F` is the elastic deformation gradient, `kept` the first value of the history (MaterialState).
// The flow of all others keeps volume.
template <class Real, int D>
FIRN_HD inline Real volume_ratio(MaterialModel model, const Mat<Real, D>& F, Real kept) {
  switch (model) {
    case MaterialModel::kSnow:
    case MaterialModel::kSandClamp:
      return kept * determinant(F);  // J_P
    case MaterialModel::kDruckerPrager:
      return exp(kept) * determinant(F);  // opened in tension
    case MaterialModel::kWeaklyCompressible:
      return kept;
    case MaterialModel::kIncompressible:
      return Real(1);
    default:
      return determinant(F);
  }
}

}  // namespace firn
