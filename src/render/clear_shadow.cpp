#if FIRN_WITH_EMBREE
#include "src/render/clear_shadow.h"

#include <algorithm>
#include <cmath>

#include "kernels/exec/in_parallel.h"
#include "src/render/surface_values.h"

namespace firn {
namespace {

constexpr int kTexels = 96;         // along the longer side of the map
constexpr int kMostSurfaces = 8;    // on the way of a ray
constexpr float kStraight = 0.85f;  // of the light that meets a surface, what goes on near enough

}  // namespace

ClearShadow::ClearShadow(const RayMeshes& clear, const V3f& to_sun)
    : down_(-to_sun), axes_(perpendicular(to_sun)) {
  const Bounds& bounds = clear.tree().bounds();
  if (clear.surfaces().empty() || bounds.empty()) return;
  V3f low = V3f::filled(kFar), high = V3f::filled(-kFar);  // along both axes and down
  for (int i = 0; i < 8; ++i) {
    const V3f x = to_float(bounds.corner(i));
    const V3f at{{dot(x, axes_[0]), dot(x, axes_[1]), dot(x, down_)}};
    for (int c = 0; c < 3; ++c)
      low[c] = std::min(low[c], at[c]), high[c] = std::max(high[c], at[c]);
  }
  const V3f extent = high - low;
  spacing_ = std::max({extent[0], extent[1], 1e-9f}) / (kTexels - 2);
  columns_ = (static_cast<int>(extent[0] / spacing_) + 2 + kPacket) / kPacket * kPacket;
  rows_ = static_cast<int>(extent[1] / spacing_) + 3;
  corner_ = axes_[0] * (low[0] - spacing_) + axes_[1] * (low[1] - spacing_) +
            down_ * (low[2] - 0.01f * extent[2]);
  texels_.resize(static_cast<std::size_t>(columns_) * rows_);
  in_parallel(rows_, [&](int row) { trace(clear, row); });
}

void ClearShadow::add(const ClearMedium& medium, float distance, Texel& texel) {
  for (int c = 0; c < 3; ++c)
    texel.absorbed[c] -= std::log(std::max(medium.tint[c], 0.02f)) * distance / medium.depth;
}

void ClearShadow::trace(const RayMeshes& clear, int row) {
  const float step = 0.02f * spacing_;  // beyond a surface, or it would be met again
  for (int first = 0; first < columns_; first += kPacket) {
    Texel* texels = &texels_[static_cast<std::size_t>(row) * columns_ + first];
    Packet3 from, direction;
    alignas(64) int asked[kPacket];
    float travelled[kPacket] = {};
    ClearMedia within[kPacket];
    for (int i = 0; i < kPacket; ++i) {
      const V3f start = origin(first + i, row);
      for (std::size_t c = 0; c < 3; ++c) {
        from[c][i] = start[static_cast<int>(c)];
        direction[c][i] = down_[static_cast<int>(c)];
      }
      asked[i] = -1;
    }
    for (int surface = 0; surface < kMostSurfaces; ++surface) {
      PacketHits hit;
      std::fill(std::begin(hit.object.v), std::end(hit.object.v), kNothing);
      std::fill(std::begin(hit.distance.v), std::end(hit.distance.v), kFar);
      clear.meet(from, direction, asked, hit);
      bool any = false;
      for (int i = 0; i < kPacket; ++i) {
        if (asked[i] != 0 && hit.object[i] == kNothing) asked[i] = 0;
        if (asked[i] == 0) continue;
        any = true;
        const Surface& met = clear.surfaces()[static_cast<std::size_t>(hit.object[i]) - 1];
        const float depth = travelled[i] + hit.distance[i];
        const ClearMedium medium{hit.object[i],
                                 surface_color(met, hit.primitive[i], hit.u[i], hit.v[i]),
                                 met.finish.depth, met.finish.gap};
        const bool leaves = dot(face_normal(met.mesh, hit.primitive[i]), down_) > 0;
        if (leaves || !within[i].empty())
          add(within[i].empty() ? medium : within[i].top(), hit.distance[i], texels[i]);
        if (leaves) {
          within[i].leave(hit.object[i]);
          texels[i].leaves = depth;
        } else {
          within[i].enter(medium);
          if (surface == 0) texels[i].enters = depth;
        }
        travelled[i] = depth + step;
        for (std::size_t c = 0; c < 3; ++c)
          from[c][i] += down_[static_cast<int>(c)] * (hit.distance[i] + step);
      }
      if (!any) break;
    }
  }
}

// Between the first surface and the last as much is absorbed on every part of the way. Of four
// texels those that light passes through have one mean: exponentials are what this costs.
V3f ClearShadow::passed(const V3f& x) const {
  const V3f from_corner = x - corner_;
  const float u = dot(from_corner, axes_[0]) / spacing_, v = dot(from_corner, axes_[1]) / spacing_;
  // Comparisons with what is no number fail.
  if (!(u >= 0 && v >= 0 && u < static_cast<float>(columns_ - 1) &&
        v < static_cast<float>(rows_ - 1)))
    return V3f::filled(1);
  const int column = static_cast<int>(u), row = static_cast<int>(v);
  const float fu = u - static_cast<float>(column), fv = v - static_cast<float>(row);
  const float depth = dot(from_corner, down_);
  float clear = 0, straight = 0;
  V3f absorbed = V3f::zero();
  for (int corner = 0; corner < 4; ++corner) {
    const int i = corner & 1, j = corner >> 1;
    const Texel& texel = texels_[static_cast<std::size_t>(row + j) * columns_ + column + i];
    if (depth <= texel.enters || texel.leaves == kFar) continue;
    const float weight = (i ? fu : 1 - fu) * (j ? fv : 1 - fv);
    const float part =
        std::min(1.0f, (depth - texel.enters) / std::max(texel.leaves - texel.enters, 1e-9f));
    clear += weight;
    straight += weight * (part < 1 ? kStraight : kStraight * kStraight);
    absorbed += texel.absorbed * (weight * part);
  }
  V3f left = V3f::filled(1 - clear);
  if (clear > 0)
    for (int c = 0; c < 3; ++c) left[c] += straight * std::exp(-absorbed[c] / clear);
  return left;
}

}  // namespace firn
#endif
