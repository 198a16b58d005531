// The signed distance of a mesh whose vertices move, and the velocity of its surface. Both are
// sampled at a few times (keys) on a sparse grid, near the surface alone, and are linear between
// keys and between samples. From key to key no vertex moves more than a cell: of a surface with
// radius of curvature r that errs by dx^2 / (8 r), twice what distances err by between their
// samples, dx / 2 apart. src/scene/deforming_grid.cpp chooses both.
//
// What lies between two meshes of a sequence stands here at a time (src/scene/mesh_sequence.h); the
// host replaces it when the next two come.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/math/vec.h"

namespace firn {

// Cells of a block along each axis. A block keeps the samples of both ends, so that a place reads
// one block alone.
inline constexpr int kDeformingCells = 8, kDeformingSide = kDeformingCells + 1;
inline constexpr int kDeformingSamples = kDeformingSide * kDeformingSide * kDeformingSide;
// Entries of the table for blocks without samples, which no surface comes near.
inline constexpr std::int32_t kDeformingOutside = -1, kDeformingInside = -2;

// What stands at SdfInstruction::mesh_offset: this; the table of blocks (int32, x fastest); of each
// key the distances of all blocks that are kept (float, voxels), a block after another, x fastest;
// of each key their velocities (float, 3 per sample, m/s, in the axes of the shape). Sample
// (0, 0, 0) of block (0, 0, 0) lies at the origin of the instruction's index space.
struct alignas(32) DeformingHeader {
  std::int32_t blocks[3] = {0, 0, 0};  // size of the table
  std::int32_t kept = 0;               // blocks with samples
  std::int32_t keys = 1;
  float band = 0;                              // voxels: the distance where there are no samples
  double begin = 0, spacing = 1;               // s: of the first key, from one key to the next
  std::int64_t distances = 0, velocities = 0;  // bytes from the header
  // The time of the step: `part` of the way from this key to the next.
  std::int32_t key = 0;
  double part = 0;
};

// Before the first key and after the last the mesh stands as in that one.
FIRN_HD inline void set_time(DeformingHeader& header, double time) {
  const int last = header.keys - 1;
  double at = (time - header.begin) / header.spacing;
  at = at > 0 ? (at < last ? at : static_cast<double>(last)) : 0.0;
  int key = static_cast<int>(at);
  if (key >= last) key = last > 0 ? last - 1 : 0;
  header.key = key;
  header.part = at - key;
}

namespace sdf {

template <class Real>
struct DeformingPlace {
  std::int32_t block;     // among those that are kept, or what the table says instead
  std::int32_t sample;    // lowest of the cell within the block
  Vec<Real, 3> fraction;  // of the way across the cell
};

// The cell that holds p, in voxels from the origin; the nearest one for what lies beyond the table.
template <class Real>
FIRN_HD inline DeformingPlace<Real> deforming_place(const DeformingHeader& header,
                                                    const Vec<Real, 3>& p) {
  DeformingPlace<Real> place{0, 0, p};
  std::int32_t entry = 0, stride = 1, row = 1;
  for (int i = 0; i < 3; ++i) {
    const std::int32_t cells = kDeformingCells * header.blocks[i];
    const Real t = p[i] > Real(0) ? min(p[i], static_cast<Real>(cells)) : Real(0);
    std::int32_t cell = static_cast<std::int32_t>(t);
    if (cell > cells - 1) cell = cells - 1;
    entry += stride * (cell / kDeformingCells);
    place.sample += row * (cell % kDeformingCells);
    place.fraction[i] = t - static_cast<Real>(cell);
    stride *= header.blocks[i];
    row *= kDeformingSide;
  }
  place.block = reinterpret_cast<const std::int32_t*>(&header + 1)[entry];
  return place;
}

// Trilinear between the samples of a cell, each of `kCount` numbers, and linear between two keys,
// `next` numbers apart.
template <int kCount, class Real>
FIRN_HD inline Vec<Real, kCount> deforming_value(const float* values, std::int64_t next, Real part,
                                                 const DeformingPlace<Real>& place) {
  Vec<Real, kCount> sum = Vec<Real, kCount>::zero();
  [[maybe_unused]] constexpr int kUnrolled = 1;  // see sdf_normal
  FIRN_UNROLL
  for (int corner = 0; corner < 8; ++corner) {
    Real weight = Real(1);
    std::int32_t sample = place.sample, row = 1;
    for (int i = 0; i < 3; ++i) {
      const bool far = (corner >> i & 1) != 0;
      weight *= far ? place.fraction[i] : Real(1) - place.fraction[i];
      sample += far ? row : 0;
      row *= kDeformingSide;
    }
    const float* at = values + std::int64_t{sample} * kCount;
    for (int k = 0; k < kCount; ++k) {
      const Real now = static_cast<Real>(at[k]);
      sum[k] += weight * (now + part * (static_cast<Real>(at[next + k]) - now));
    }
  }
  return sum;
}

// Of samples that begin `offset` bytes from the header.
template <int kCount, class Real>
FIRN_HD inline Vec<Real, kCount> deforming_value(const DeformingHeader& header, std::int64_t offset,
                                                 const DeformingPlace<Real>& place) {
  const std::int64_t of_key = std::int64_t{header.kept} * kDeformingSamples * kCount;
  const auto* all =
      reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(&header) + offset);
  const float* values =
      all + header.key * of_key + std::int64_t{place.block} * kDeformingSamples * kCount;
  return deforming_value<kCount>(values, header.keys > 1 ? of_key : 0,
                                 static_cast<Real>(header.part), place);
}

}  // namespace sdf

// In voxels at `p` of the index space.
template <class Real>
FIRN_HD inline Real deforming_distance(const std::byte* bytes, const Vec<Real, 3>& p) {
  const auto& header = *reinterpret_cast<const DeformingHeader*>(bytes);
  const sdf::DeformingPlace<Real> place = sdf::deforming_place(header, p);
  const Real far = static_cast<Real>(header.band);
  if (place.block < 0) return place.block == kDeformingInside ? -far : far;
  return sdf::deforming_value<1>(header, header.distances, place)[0];
}

// In m/s along the axes of the shape; 0 far from the surface.
template <class Real>
FIRN_HD inline Vec<Real, 3> deforming_velocity(const std::byte* bytes, const Vec<Real, 3>& p) {
  const auto& header = *reinterpret_cast<const DeformingHeader*>(bytes);
  const sdf::DeformingPlace<Real> place = sdf::deforming_place(header, p);
  if (place.block < 0) return Vec<Real, 3>::zero();
  return sdf::deforming_value<3>(header, header.velocities, place);
}

}  // namespace firn
