// How particles lie in memory: chunks of 32 lanes, each of one home block and one material, so that
// the material is one branch per chunk. A channel of n components keeps each component's 32 lanes
// together: value(slot, k) = channel[(chunk * n + k) * 32 + lane], with slot = chunk * 32 + lane.
// Active lanes come first.
//
// Where steps are fused, what outlives them has room for two layouts, banks of `capacity` chunks
// each: a new layout moves it from one bank to the other. StepControl::first_chunk says which bank
// holds the particles; their chunks are counted from there on.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/base/integers.h"
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

// A channel that is idle between fused steps. Then it has no memory of its own: it lies in the bank
// that another channel, equally wide, does not use.
template <class T>
struct GuestChannel {
  T* data = nullptr;
  std::uint32_t capacity = 0xffffffffu;  // chunks of a bank
  // Added to the chunks of the first and of the second bank.
  std::uint32_t from_first = 0, from_second = 0;

  GuestChannel() = default;
  GuestChannel(T* channel) : data(channel) {}
  FIRN_HD T* row(std::uint32_t chunk, int n, int k) const {
    return channel_row(data, chunk + (chunk < capacity ? from_first : from_second), n, k);
  }
  FIRN_HD bool empty() const { return data == nullptr; }
};

// Such a channel that is wider than what is free: its first components are guests of channels of
// one component each.
template <class T>
struct DividedChannel {
  static constexpr int kMaxSingles = 3;
  GuestChannel<T> single[kMaxSingles];
  int singles = 0;
  GuestChannel<T> rest;

  DividedChannel() = default;
  DividedChannel(T* channel) : rest(channel) {}
  FIRN_HD T* row(std::uint32_t chunk, int n, int k) const {
    for (int s = 0; s < kMaxSingles;
         ++s)  // constant indices: parameters of a kernel have no address
      if (s == k && s < singles) return single[s].row(chunk, 1, 0);
    return rest.row(chunk, n - singles, k - singles);
  }
  FIRN_HD bool empty() const { return singles == 0 && rest.empty(); }
};

template <class T>
FIRN_HD inline T* channel_row(const GuestChannel<T>& channel, std::uint32_t chunk, int n, int k) {
  return channel.row(chunk, n, k);
}
template <class T>
FIRN_HD inline T* channel_row(const DividedChannel<T>& channel, std::uint32_t chunk, int n, int k) {
  return channel.row(chunk, n, k);
}

// Particle channels as pointers (null: the scene does not need the channel). SI units;
// `coefficients` in velocity units, each mode's length scale being dx.
template <class Real>
struct ParticleView {
  Chunk* chunks = nullptr;
  std::uint32_t* id = nullptr;
  Real* x = nullptr;                // d
  GuestChannel<Real> v;             // d: the coefficient of mode 1
  GuestChannel<Real> coefficients;  // (modes - 1) * d: mode-major, the velocity component fastest
  // d*d, row-major: F - I of the elastic deformation gradient F, whose small strains would lose
  // their digits beside the 1.
  Real* displacement = nullptr;
  Real* history = nullptr;      // history_values: see MaterialState
  DividedChannel<Real> stress;  // d(d+1)/2: V0 tau, upper triangle row by row, J
  Real* mass = nullptr;         // kg
  Real* volume = nullptr;       // rest volume, m^3
  Real* gradient =
      nullptr;  // d*d: velocity gradient of this step, 1/s (scratch between two operators)
  int coefficient_modes = 0;      // modes - 1
  int history_values = 0;         // the most that a material of the scene keeps
  std::uint32_t* late = nullptr;  // per chunk, a bit per lane: see transfer/transfer.h
};

}  // namespace firn
