// Surface nets [Gibson 1998]: one vertex in each lattice cell that the surface crosses, at the mean
// of its crossings with the cell's edges, then moved on to the surface; one quad around each
// lattice edge that is crossed.
#include "src/render/isosurface.h"

#include <algorithm>
#include <cmath>

#include "kernels/exec/parallel_for.h"
#include "src/scene/height_map.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

constexpr int kCells = 128;
constexpr int kHeightCells = 256;
constexpr std::uint32_t kNoVertex = ~0u;

using Cell = std::array<int, 3>;

Vec3 to_array(const V3d& x) { return {x[0], x[1], x[2]}; }

void append_vertex(Mesh& mesh, const Affine& placement, const V3d& position, const V3d& normal) {
  mesh.positions.push_back(to_float(placement.point(position)));
  mesh.normals.push_back(to_float(normalized(placement.direction(normal))));
}

void append_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.indices.insert(mesh.indices.end(), {a, b, c, a, c, d});
}

double longest_side(const CompiledShape& shape) {
  double longest = 0;
  for (int i = 0; i < 3; ++i) longest = std::max(longest, shape.max[i] - shape.min[i]);
  return longest;
}

class Lattice {
 public:
  explicit Lattice(const CompiledShape& shape) : shape_(shape) {
    spacing_ = longest_side(shape) / kCells;
    for (int i = 0; i < 3; ++i) {
      origin_[i] = shape.min[i] - 1.5 * spacing_;
      points_[i] = static_cast<int>(std::ceil((shape.max[i] - shape.min[i]) / spacing_)) + 4;
    }
    distance_.resize(static_cast<std::size_t>(points_[0]) * points_[1] * points_[2]);
    parallel_for(points_[0], 0, [&](int i) {
      for (int j = 0; j < points_[1]; ++j)
        for (int k = 0; k < points_[2]; ++k)
          distance_[index({i, j, k})] = distance(shape, to_array(point({i, j, k})));
    });
  }

  void append(const Affine& placement, Mesh& mesh) {
    vertex_.assign(distance_.size(), kNoVertex);
    for_each_cell([&](const Cell& at) { add_vertex(at, placement, mesh); });
    for (int axis = 0; axis < 3; ++axis)
      for_each_cell([&](const Cell& at) { add_quad(at, axis, mesh); });
  }

 private:
  std::size_t index(const Cell& at) const {
    return (static_cast<std::size_t>(at[0]) * points_[1] + at[1]) * points_[2] + at[2];
  }
  V3d point(const Cell& at) const {
    return origin_ + V3d{{double(at[0]), double(at[1]), double(at[2])}} * spacing_;
  }
  bool inside(const Cell& at) const { return distance_[index(at)] < 0; }

  // The outermost ones lie outside the shape.
  template <class F>
  void for_each_cell(F f) const {
    for (int i = 1; i + 1 < points_[0]; ++i)
      for (int j = 1; j + 1 < points_[1]; ++j)
        for (int k = 1; k + 1 < points_[2]; ++k) f(Cell{i, j, k});
  }

  // Sum and number of the crossings along the edges of one direction.
  void add_crossings(const Cell& cell, int axis, V3d& sum, int& count) const {
    for (int corner = 0; corner < 4; ++corner) {
      Cell a = cell;
      a[(axis + 1) % 3] += corner & 1;
      a[(axis + 2) % 3] += corner >> 1;
      Cell b = a;
      ++b[axis];
      if (inside(a) == inside(b)) continue;
      const double at_a = distance_[index(a)], at_b = distance_[index(b)];
      sum += point(a) + (point(b) - point(a)) * (at_a / (at_a - at_b));
      ++count;
    }
  }

  void add_vertex(const Cell& cell, const Affine& placement, Mesh& mesh) {
    V3d x = V3d::zero();
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) add_crossings(cell, axis, x, count);
    if (count == 0) return;
    x *= 1.0 / count;
    V3d n = to_vec(normal(shape_, to_array(x), 0.1 * spacing_));
    x -= n * std::clamp(distance(shape_, to_array(x)), -0.5 * spacing_, 0.5 * spacing_);
    vertex_[index(cell)] = static_cast<std::uint32_t>(mesh.positions.size());
    append_vertex(mesh, placement, x, n);
  }

  // Around the edge from `at` along `axis` lie the four cells below it in the other directions.
  void add_quad(const Cell& at, int axis, Mesh& mesh) const {
    Cell next = at;
    ++next[axis];
    if (inside(at) == inside(next)) return;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Cell cells[4] = {at, at, at, at};
    --cells[1][b], --cells[2][b];
    --cells[2][c], --cells[3][c];
    append_quad(mesh, vertex_[index(cells[0])], vertex_[index(cells[1])], vertex_[index(cells[2])],
                vertex_[index(cells[3])]);
  }

  const CompiledShape& shape_;
  V3d origin_;
  double spacing_ = 0;
  Cell points_{};
  std::vector<double> distance_;
  std::vector<std::uint32_t> vertex_;
};

class HeightMesh {
 public:
  HeightMesh(const Shape& shape, const Affine& placement, Mesh& mesh)
      : grid_(bake(shape)), placement_(placement), mesh_(mesh) {
    const double longest = std::max(shape.max[0] - shape.min[0], shape.max[2] - shape.min[2]);
    bottom_ = shape.base.value_or(grid_.lowest - 0.03 * longest);
  }

  void append() {
    add_top();
    const int last_column = grid_.columns - 1, last_row = grid_.rows - 1;
    add_side({0, 0}, {0, 1}, grid_.rows, {{-1, 0, 0}});
    add_side({last_column, 0}, {0, 1}, grid_.rows, {{1, 0, 0}});
    add_side({0, 0}, {1, 0}, grid_.columns, {{0, 0, -1}});
    add_side({0, last_row}, {1, 0}, grid_.columns, {{0, 0, 1}});
  }

 private:
  using Index = std::array<int, 2>;

  static HeightGrid bake(const Shape& shape) {
    const double width = shape.max[0] - shape.min[0], depth = shape.max[2] - shape.min[2];
    return bake_heights(shape, depth > 0 ? 3 : 2, std::max(width, depth) / kHeightCells);
  }

  double height(int column, int row) const {
    const int i = std::clamp(column, 0, grid_.columns - 1), k = std::clamp(row, 0, grid_.rows - 1);
    return grid_.height[static_cast<std::size_t>(k) * grid_.columns + i];
  }
  V3d point(const Index& at) const {
    return {{grid_.min_x + at[0] * grid_.spacing_x, grid_.lowest + height(at[0], at[1]),
             grid_.min_z + at[1] * grid_.spacing_z}};
  }
  V3d normal(int i, int k) const {
    return {{(height(i - 1, k) - height(i + 1, k)) / (2 * grid_.spacing_x), 1,
             (height(i, k - 1) - height(i, k + 1)) / (2 * grid_.spacing_z)}};
  }

  void add_top() {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
    const auto columns = static_cast<std::uint32_t>(grid_.columns);
    for (int k = 0; k < grid_.rows; ++k)
      for (int i = 0; i < grid_.columns; ++i)
        append_vertex(mesh_, placement_, point({i, k}), normal(i, k));
    for (std::uint32_t k = 0; k + 1 < static_cast<std::uint32_t>(grid_.rows); ++k)
      for (std::uint32_t i = 0; i + 1 < columns; ++i) {
        const std::uint32_t a = first + k * columns + i;
        append_quad(mesh_, a, a + 1, a + columns + 1, a + columns);
      }
  }

  // From the edge that starts at `at` and runs along `step`, straight down.
  void add_side(Index at, const Index& step, int count, const V3d& outward) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
    for (int n = 0; n < count; ++n, at[0] += step[0], at[1] += step[1]) {
      V3d x = point(at);
      append_vertex(mesh_, placement_, x, outward);
      x[1] = bottom_;
      append_vertex(mesh_, placement_, x, outward);
    }
    for (std::uint32_t a = first; a + 3 < mesh_.positions.size(); a += 2)
      append_quad(mesh_, a, a + 1, a + 3, a + 2);
  }

  const HeightGrid grid_;
  const Affine& placement_;
  Mesh& mesh_;
  double bottom_;
};

}  // namespace

void append_height_field(const Shape& shape, const Affine& placement, Mesh& mesh) {
  HeightMesh(shape, placement, mesh).append();
}

bool append_isosurface(const Shape& shape, const Affine& placement, Mesh& mesh) {
  // Height fields in it are resolved as finely as the lattice, whose size only the bounds tell.
  constexpr double kCoarsest = 1e30;
  const CompiledShape rough = compile_shape(shape, 3, kCoarsest);
  if (!rough.bounded()) return false;
  const CompiledShape fine = compile_shape(shape, 3, 2 * longest_side(rough) / kCells);
  Lattice(fine).append(placement, mesh);
  return true;
}

}  // namespace firn
