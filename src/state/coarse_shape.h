// Shapes as what is told before a run looks at them.
#pragma once

#include <cstddef>

#include "src/scene/shapes.h"

namespace firn {

// A shape in so few cells that its distances cost little, and what they may be wrong by.
struct CoarseShape {
  CoarseShape(const Shape& shape, int dimension, double dx)
      : spacing(coarse_spacing(outline_shape(shape, dimension, dx), dx, kCells)),
        compiled(compile_shape(shape, dimension, spacing)) {}
  static constexpr double kCells = 32;
  // Distances of primitive shapes are exact.
  double error() const { return compiled.meshes.empty() ? 0 : spacing; }
  double spacing;
  CompiledShape compiled;
};

// f(x) at the points of a lattice of so many across the bounds of a shape.
template <class F>
void for_each_point(const CompiledShape& shape, int dimension, int across, F&& f) {
  for (int k = 0; k < (dimension == 3 ? across : 1); ++k)
    for (int j = 0; j < across; ++j)
      for (int i = 0; i < across; ++i) {
        const int at[] = {i, j, k};
        Vec3 x{};
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
          x[a] = shape.min[a] + (at[a] + 0.5) / across * (shape.max[a] - shape.min[a]);
        f(x);
      }
}

}  // namespace firn
