// Filling shapes with particles: a lattice, jittered points, or blue noise. Positions depend on the
// arguments alone, not on the machine or the order of evaluation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "firn/scene.h"
#include "src/scene/shapes.h"

namespace firn {

struct Samples {
  std::vector<Vec3> positions;  // m, all strictly inside the shape
  double volume =
      0;  // of the shape, m^3 (m^2 in 2D); error about 0.1 % of a cell per boundary cell
  // The rest volume of each particle: the shape's volume is shared out, so that total mass does not
  // depend on luck.
  double particle_volume() const {
    return positions.empty() ? 0 : volume / static_cast<double>(positions.size());
  }
};

// Called time and again with the part of the work that is done, in [0, 1], and the points found so
// far.
using SamplingWatch = std::function<void(double part, std::size_t points)>;

// `per_cell` particles per cell of volume dx^d in the mean (> 0, need not be an integer). With s =
// dx per_cell^(-1/d):
//   uniform  the lattice of spacing s with points at (i + 1/2) s: whole numbers per grid cell if s
//   divides dx; random   one point anywhere in each cell of that lattice (jittered); poisson  blue
//   noise: no two points closer than 0.7 s, no lattice direction.
// Throws Error{kScene} for an unbounded shape.
Samples sample_shape(const CompiledShape& shape, double dx, double per_cell, Sampling sampling,
                     std::uint64_t seed, const SamplingWatch& watch = {});

// The pattern of sample_shape has no end. Once all of it has moved by `moved`, these points lie in
// the shape; they are given as they lie before: a point is the same, to the bit, however far it has
// come.
std::vector<Vec3> sample_moved(const CompiledShape& shape, double dx, double per_cell,
                               Sampling sampling, std::uint64_t seed, const Vec3& moved);

// Volume of a bounded shape (area in 2D), from cells of size dx, those at the surface divided
// further.
double shape_volume(const CompiledShape& shape, double dx);

}  // namespace firn
