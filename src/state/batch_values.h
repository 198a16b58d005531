// What the i-th particle of a batch begins with, component by component as channels hold it.
#pragma once

#include <cstdint>

#include "kernels/materials/material.h"
#include "src/state/batch.h"

namespace firn {

// Of F - I, row by row.
template <int D>
double displacement_of(const ParticleBatch& batch, std::uint32_t i, int k) {
  if (k % (D + 1) != 0) return 0;
  const std::vector<Vec3>& stretches = batch.initial.stretches;
  return (stretches.empty() ? batch.stretch : stretches[i][static_cast<std::size_t>(k / (D + 1))]) -
         1;
}

// Of V0 tau = V sigma, the upper triangle row by row.
template <int D>
double stress_of(const ParticleBatch& batch, std::uint32_t i, int k) {
  if (batch.initial.stress.empty()) return 0;
  for (int axis = 0, diagonal = 0; axis < D; diagonal += D - axis, ++axis)
    if (k == diagonal)
      return batch.volume * batch.initial.stress[i][static_cast<std::size_t>(axis)];
  return 0;
}

// Of the history; `otherwise` is what all of the batch have that are stretched alike.
inline double history_of(MaterialModel model, const ParticleBatch& batch, std::uint32_t i, int k,
                         double otherwise) {
  if (batch.initial.stretches.empty() || has_deformation(model) || k > 0) return otherwise;
  const Vec3& s = batch.initial.stretches[i];
  return s[0] * s[1] * s[2] - 1;
}

}  // namespace firn
