#include "src/scene/height_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "firn/error.h"
#include "src/scene/expression.h"

namespace firn {
namespace {

constexpr double kMostSamples = 1 << 26;  // 512 MB

using HeightFunction = std::function<double(double x, double z)>;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCategory::kScene, "height_field: " + message);
}

HeightFunction from_picture(const Shape& s) {
  return [image = read_grey_png(s.file), s](double x, double z) {
    const double depth = s.max[2] - s.min[2];  // 0 in 2D
    const double v = depth > 0 ? (z - s.min[2]) / depth : 0.5;
    return s.low + (s.high - s.low) * image.at((x - s.min[0]) / (s.max[0] - s.min[0]), v);
  };
}

HeightFunction from_expression(const Shape& s, int dimension) {
  if (const auto error = s.height.expression.empty()
                             ? std::nullopt
                             : expression_error(s.height.expression, height_variables(dimension)))
    fail(fmt::format("expression \"{}\": {}", s.height.expression, *error));
  return [evaluator = std::make_shared<FieldEvaluator>(s.height)](double x, double z) {
    return evaluator->scalar({x, 0, z}, 0);
  };
}

int samples_along(double from, double to, double spacing) {
  if (!(to > from)) fail("'min' must lie below 'max'");
  const double cells = std::ceil((to - from) / spacing * (1 - 1e-12));
  if (!(cells < kMostSamples))
    fail(fmt::format("it spans {:.3g} samples of {:.3g} m; check its units or use a larger dx",
                     cells, spacing));
  return std::max(static_cast<int>(cells), 1) + 1;
}

HeightGrid empty_grid(const Shape& s, int dimension, double spacing) {
  HeightGrid grid;
  grid.min_x = s.min[0];
  grid.columns = samples_along(s.min[0], s.max[0], spacing);
  grid.spacing_x = (s.max[0] - s.min[0]) / (grid.columns - 1);
  if (dimension == 2) return grid;
  grid.min_z = s.min[2];
  grid.rows = samples_along(s.min[2], s.max[2], spacing);
  grid.spacing_z = (s.max[2] - s.min[2]) / (grid.rows - 1);
  if (!(double(grid.columns) * grid.rows < kMostSamples))
    fail(fmt::format("it needs {} x {} samples; use a larger dx", grid.columns, grid.rows));
  return grid;
}

std::vector<double> sample(const HeightFunction& height_of, const HeightGrid& grid,
                           const Shape& shape) {
  std::vector<double> heights;
  heights.reserve(static_cast<std::size_t>(grid.columns) * grid.rows);
  for (int row = 0; row < grid.rows; ++row)
    for (int column = 0; column < grid.columns; ++column) {
      const double x = grid.min_x + column * grid.spacing_x, z = grid.min_z + row * grid.spacing_z;
      heights.push_back(height_of(x, z));
      if (!std::isfinite(heights.back()))
        fail(fmt::format("the height \"{}\" is not finite at x = {}{}", shape.height.expression, x,
                         grid.rows > 1 ? fmt::format(", z = {}", z) : ""));
    }
  return heights;
}

}  // namespace

double GreyImage::at(double u, double v) const {
  const double x = std::clamp(u, 0.0, 1.0) * (width - 1),
               y = std::clamp(v, 0.0, 1.0) * (height - 1);
  const int i = std::min(static_cast<int>(x), std::max(width - 2, 0));
  const int j = std::min(static_cast<int>(y), std::max(height - 2, 0));
  const auto pixel = [this](int column, int row) {
    column = std::min(column, width - 1);
    row = std::min(row, height - 1);
    return static_cast<double>(value[static_cast<std::size_t>(row) * width + column]);
  };
  const double top = std::lerp(pixel(i, j), pixel(i + 1, j), x - i);
  return std::lerp(top, std::lerp(pixel(i, j + 1), pixel(i + 1, j + 1), x - i), y - j);
}

// On a bilinear patch both partial derivatives are largest on its edges, and every pair of edges
// meets in a corner, so the steepest place is a corner of some patch.
double HeightGrid::steepest() const {
  double steepest2 = 0;
  const auto at = [this](int i, int k) {
    return height[static_cast<std::size_t>(k) * columns + i];
  };
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < columns; ++i) {
      double along_x = 0, along_z = 0;
      if (i > 0) along_x = std::abs(at(i, k) - at(i - 1, k));
      if (i + 1 < columns) along_x = std::max(along_x, std::abs(at(i + 1, k) - at(i, k)));
      if (k > 0) along_z = std::abs(at(i, k) - at(i, k - 1));
      if (k + 1 < rows) along_z = std::max(along_z, std::abs(at(i, k + 1) - at(i, k)));
      steepest2 =
          std::max(steepest2, std::pow(along_x / spacing_x, 2) + std::pow(along_z / spacing_z, 2));
    }
  return std::sqrt(steepest2);
}

HeightGrid bake_heights(const Shape& shape, int dimension, double spacing) {
  HeightGrid grid = empty_grid(shape, dimension, spacing);
  grid.height = sample(shape.file.empty() ? from_expression(shape, dimension) : from_picture(shape),
                       grid, shape);
  const auto [low, high] = std::minmax_element(grid.height.begin(), grid.height.end());
  grid.lowest = *low;
  grid.highest = *high;
  if (shape.base && !(*shape.base < grid.lowest))
    fail(fmt::format("'base' ({}) must lie below all heights, but the lowest is {:.6g}",
                     *shape.base, grid.lowest));
  for (double& h : grid.height) h -= grid.lowest;
  return grid;
}

}  // namespace firn
