// Shapes as what is told before a run looks at them.
#pragma once

#include <cstddef>
#include <string>

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

// Of a body, source or collider: its name, or which one it is.
inline std::string name_or_number(const std::string& name, std::size_t index) {
  return name.empty() ? std::to_string(index) : name;
}

}  // namespace firn
