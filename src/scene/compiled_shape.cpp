// What is asked of a shape that is compiled.
#include <fmt/format.h>

#include <cmath>

#include "firn/error.h"
#include "src/scene/shapes.h"

namespace firn {

bool CompiledShape::bounded() const {
  for (int i = 0; i < dimension; ++i)
    if (!std::isfinite(min[i]) || !std::isfinite(max[i])) return false;
  return true;
}

template <class Real>
std::vector<SdfInstruction<Real>> instructions(const CompiledShape& shape) {
  std::vector<SdfInstruction<Real>> result;
  result.reserve(shape.code.size());
  for (const SdfInstruction<double>& from : shape.code) {
    SdfInstruction<Real> to{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) to.rotation(i, j) = static_cast<Real>(from.rotation(i, j));
      to.origin[i] = static_cast<Real>(from.origin[i]);
    }
    for (int i = 0; i < kSdfParameters; ++i) to.parameter[i] = static_cast<Real>(from.parameter[i]);
    to.op = from.op;
    to.mesh_offset = from.mesh_offset;
    result.push_back(to);
  }
  return result;
}
template std::vector<SdfInstruction<float>> instructions<float>(const CompiledShape&);
template std::vector<SdfInstruction<double>> instructions<double>(const CompiledShape&);

SdfProgram<double> program(const CompiledShape& shape) {
  return {shape.code.data(), static_cast<int>(shape.code.size()), shape.meshes.data()};
}

double distance(const CompiledShape& shape, const Vec3& x) {
  if (shape.dimension == 2) return signed_distance<2>(program(shape), Vec<double, 2>{{x[0], x[1]}});
  return signed_distance<3>(program(shape), Vec<double, 3>{{x[0], x[1], x[2]}});
}

Vec3 normal(const CompiledShape& shape, const Vec3& x, double step) {
  if (shape.dimension == 2) {
    const auto n = sdf_normal<2>(program(shape), Vec<double, 2>{{x[0], x[1]}}, step);
    return {n[0], n[1], 0};
  }
  const auto n = sdf_normal<3>(program(shape), Vec<double, 3>{{x[0], x[1], x[2]}}, step);
  return {n[0], n[1], n[2]};
}

void require_bounded(const CompiledShape& shape, const std::string& what) {
  if (!shape.bounded())
    throw Error(
        ErrorCategory::kScene,
        fmt::format("{}its shape has no end (a half_space, or a height_field without 'base'), so "
                    "it cannot be filled with particles; intersect it with a box",
                    shape.place.text.empty() ? what + ": " : shape.place.text));
}

}  // namespace firn
