// The polynomial modes of a particle as a tensor: mode (a, b, c) is the product over the axes of
// {1, z, g}[power]. Sets are instantiated as `affine` (1 + d modes), `multilinear` (2^d) and `full`
// (3^d); every other symmetric set is the next larger one with modes switched off at run time.
// [PolyPIC 5, 6]
#pragma once

#include <cstdint>

#include "kernels/base/integers.h"

namespace firn {

enum class ModeSet { kAffine, kMultilinear, kFull };

// Powers per axis of a tensor set, and how many modes it has.
FIRN_HD constexpr int axis_modes(ModeSet set) { return set == ModeSet::kFull ? 3 : 2; }
FIRN_HD constexpr int mode_count(ModeSet set, int d) {
  return set == ModeSet::kAffine ? 1 + d : int_power(axis_modes(set), d);
}

// In the tensor sets mode r has the digits of r in base `axis_modes` as powers, the last axis
// fastest. In the affine set mode 1 + a is z_a.
FIRN_HD constexpr int mode_power(ModeSet set, int d, int r, int axis) {
  if (set == ModeSet::kAffine) return r == 1 + axis ? 1 : 0;
  return r / int_power(axis_modes(set), d - 1 - axis) % axis_modes(set);
}
// The index of the linear mode z_a in its set.
FIRN_HD constexpr int linear_mode(ModeSet set, int d, int axis) {
  return set == ModeSet::kAffine ? 1 + axis : int_power(axis_modes(set), d - 1 - axis);
}

// The smallest instantiated set that holds N_r modes.
constexpr ModeSet mode_set_for(int n_r, int d) {
  if (n_r <= 1 + d) return ModeSet::kAffine;
  return n_r <= int_power(2, d) ? ModeSet::kMultilinear : ModeSet::kFull;
}

// Bit r is set where mode r of `mode_set_for(n_r, d)` belongs to the symmetric set of N_r modes.
// They come in the order 1, linear, multilinear, then products with g by degree; modes.cpp
// says which the sets of 14 and 18 are. Returns 0 if there is no symmetric set of that size.
std::uint32_t mode_mask(int n_r, int d);

}  // namespace firn
