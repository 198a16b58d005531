// Height fields as meshes: their tops, and sides that go straight down from the edges.
#include <algorithm>

#include "src/render/isosurface.h"
#include "src/scene/height_map.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

constexpr int kHeightCells = 256;

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

}  // namespace firn
