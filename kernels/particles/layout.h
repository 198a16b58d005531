// How particles lie in memory: chunks of 32 lanes, each of one home block and one material, so that
// the material is one branch per chunk. A channel of n components keeps each component's 32 lanes
// together: value(slot, k) = channel[(chunk * n + k) * 32 + lane], with slot = chunk * 32 + lane.
// Active lanes come first.
#pragma once

#include <cstdint>

#include "kernels/exec/host_device.h"
#include "kernels/exec/launch.h"

namespace firn {

struct Chunk {
  std::uint32_t block;  // rank of the home block in the current grid
  std::uint32_t material;
  std::uint32_t count;   // active lanes
  std::uint32_t source;  // position in the permutation that filled it (transient)
};

// Component k of an n-component channel, for all lanes of a chunk.
template <class T>
FIRN_HD inline T* channel_row(T* channel, std::uint32_t chunk, int n, int k) {
  return channel + (static_cast<std::uint64_t>(chunk) * n + k) * kLanes;
}
template <class T>
FIRN_HD inline T& channel_at(T* channel, std::uint32_t slot, int n, int k) {
  return channel_row(channel, slot / kLanes, n, k)[slot % kLanes];
}

FIRN_HD constexpr int symmetric_components(int d) { return d * (d + 1) / 2; }

// Particle channels as pointers (null: the scene does not need the channel). SI units;
// `coefficients` in velocity units, each mode's length scale being dx.
template <class Real>
struct ParticleView {
  Chunk* chunks = nullptr;
  std::uint32_t* id = nullptr;
  Real* x = nullptr;             // d
  Real* v = nullptr;             // d: the coefficient of mode 1
  Real* coefficients = nullptr;  // (modes - 1) * d: mode-major, the velocity component fastest
  Real* F = nullptr;             // d*d, row-major: elastic deformation gradient
  Real* plastic = nullptr;       // 2: see MaterialState
  Real* stress = nullptr;        // d(d+1)/2: V0 tau, upper triangle row by row, J
  Real* mass = nullptr;          // kg
  Real* volume = nullptr;        // rest volume, m^3
  Real* gradient =
      nullptr;  // d*d: velocity gradient of this step, 1/s (scratch between two operators)
  int coefficient_modes = 0;      // modes - 1
  std::uint32_t* late = nullptr;  // per chunk, a bit per lane: see transfer/g2p2g.h
};

}  // namespace firn
