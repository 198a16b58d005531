// What the ray tracer works on: packets of 16 rays or pixels that lie side by side, computed on in
// SIMD packs of as many lanes as the processor has.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/math/pack.h"
#include "kernels/math/vec.h"

namespace firn {

using Lanes = Pack<float>;
using V3p = Vec<Lanes, 3>;

inline constexpr int kPacket = 16;
inline constexpr int kLanes = static_cast<int>(Lanes::size());
static_assert(kPacket % kLanes == 0);

// One number for each ray of a packet.
struct alignas(64) PacketFloats {
  float v[kPacket];
  float& operator[](int i) { return v[i]; }
  float operator[](int i) const { return v[i]; }
};
using Packet3 = std::array<PacketFloats, 3>;

inline Lanes load(const float* from) { return Lanes(from, stdx::element_aligned); }
inline void store(float* to, const Lanes& x) { x.copy_to(to, stdx::element_aligned); }
inline V3p load(const Packet3& from, int i) {
  return {{load(&from[0].v[i]), load(&from[1].v[i]), load(&from[2].v[i])}};
}
inline void store(Packet3& to, int i, const V3p& x) {
  for (int c = 0; c < 3; ++c) store(&to[c].v[i], x[c]);
}
inline V3p spread(const Vec<float, 3>& x) { return {{Lanes(x[0]), Lanes(x[1]), Lanes(x[2])}}; }
template <class Mask>
inline V3p select(const Mask& mask, const V3p& a, const V3p& b) {
  return {{select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2])}};
}

}  // namespace firn
