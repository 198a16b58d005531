// What is asked of a shape that is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firn/error.h"
#include "src/scene/mesh_cache.h"
#include "src/scene/shapes.h"

namespace firn {

bool CompiledShape::bounded() const {
  for (int i = 0; i < dimension; ++i)
    if (!std::isfinite(min[i]) || !std::isfinite(max[i])) return false;
  return true;
}

double coarse_spacing(const CompiledShape& outline, double dx, double cells) {
  double longest = 0;
  for (int i = 0; i < outline.dimension; ++i)
    longest = std::max(longest, outline.max[i] - outline.min[i]);
  return std::isfinite(longest) ? std::max(dx, longest / cells) : dx;
}

std::optional<double> enclosed_volume(const Shape& shape, int dimension) {
  double scale = 1;
  const Shape* inner = &shape;
  for (; inner->type == ShapeType::kTransform && !inner->children.empty();
       inner = &inner->children[0])
    scale *= inner->scale;
  const double scaled = std::pow(scale, dimension);
  if (inner->type == ShapeType::kSphere)
    return scaled * std::numbers::pi *
           (dimension == 2 ? std::pow(inner->radius, 2) : 4.0 / 3 * std::pow(inner->radius, 3));
  if (inner->type == ShapeType::kBox && !(inner->rounding > 0)) {
    double product = scaled;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
      product *= inner->max[a] - inner->min[a];
    return product;
  }
  Shape own = *inner;
  if (!is_triangles(own.type) || own.solid == MeshSolid::kShell) return {};
  if (dimension == 2) own.depth = own.size;  // of a text, whose depth is for three dimensions
  const auto mesh = cached_mesh(own);
  const MeshReport report = inspect(*mesh, {});
  // Pieces of a mesh may overlap.
  const bool alone = report.shells == 1 || own.type == ShapeType::kText;
  if (!report.watertight || !alone) return {};
  scale *= scale_of(own, *mesh);
  const double area = scale * scale * report.volume;
  return dimension == 2 ? area / own.depth : area * scale;
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
