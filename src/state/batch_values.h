// What the i-th particle of a batch begins with, component by component as channels hold it.
#pragma once

#include <cstdint>

#include "kernels/materials/material.h"
#include "src/state/batch.h"

namespace firn {

// Of F - I, row by row.
template <int D>
double displacement_of(const ParticleBatch& batch, std::uint32_t i, int k) {
  const int row = k / D, column = k % D;
  const double one = row == column ? 1 : 0;
  const std::vector<SymmetricTensor>& stretches = batch.initial.stretches;
  return (stretches.empty() ? one * batch.stretch : entry_of(stretches[i], row, column)) - one;
}

// Of V0 tau = V sigma, the upper triangle row by row.
template <int D>
double stress_of(const ParticleBatch& batch, std::uint32_t i, int k) {
  if (batch.initial.stress.empty()) return 0;
  int row = 0;
  for (; k >= D - row; ++row) k -= D - row;
  return batch.volume * entry_of(batch.initial.stress[i], row, row + k);
}

// Of the history; `otherwise` is what all of the batch have that are stretched alike.
inline double history_of(MaterialModel model, const ParticleBatch& batch, std::uint32_t i, int k,
                         double otherwise) {
  if (batch.initial.stretches.empty() || has_deformation(model) || k > 0) return otherwise;
  return batch.initial.volume_ratios[i] - 1;
}

}  // namespace firn
