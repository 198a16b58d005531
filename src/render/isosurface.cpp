// Dual contouring [Ju et al. 2002]: one vertex in each lattice cell that the surface crosses, one
// quad around each lattice edge that is crossed. Where the surface is smooth a vertex is at the
// mean of its crossings with the cell's edges, moved on to the surface [Gibson 1998]; where it has
// an edge, where the planes of its crossings meet, and there each side has normals of its own.
#include "src/render/isosurface.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernels/exec/parallel_for.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

constexpr int kCells = 128;
constexpr std::uint32_t kNoVertex = ~0u;
constexpr double kBent = 0.97;  // length of the mean gradient of a cell: below, it may have an edge
constexpr double kSameSide = 0.85;  // cosine between normals of one side of an edge
// Of the planes' own: holds a vertex near its crossings along an edge, and moves it off by as much.
constexpr double kPull = 0.002;

using Cell = std::array<int, 3>;

Vec3 to_array(const V3d& x) { return {x[0], x[1], x[2]}; }

double longest_side(const CompiledShape& shape) {
  double longest = 0;
  for (int i = 0; i < 3; ++i) longest = std::max(longest, shape.max[i] - shape.min[i]);
  return longest;
}

struct Crossing {
  V3d point, normal;
};

// Where the planes of the crossings meet: the least squares of the distances from them.
V3d meeting_point(const std::vector<Crossing>& crossings) {
  V3d mean = V3d::zero();
  for (const Crossing& crossing : crossings) mean += crossing.point;
  mean *= 1.0 / static_cast<double>(crossings.size());
  V3d row[3], right = V3d::zero();
  for (int c = 0; c < 3; ++c) {
    row[c] = V3d::zero();
    row[c][c] = kPull * static_cast<double>(crossings.size());
  }
  for (const auto& [point, n] : crossings) {
    for (int c = 0; c < 3; ++c) row[c] += n * n[c];
    right += n * dot(n, point - mean);
  }
  const V3d cofactor = cross(row[1], row[2]);
  return mean + (cofactor * right[0] + cross(row[2], row[0]) * right[1] +
                 cross(row[0], row[1]) * right[2]) *
                    (1 / dot(row[0], cofactor));
}

// The normals of the sides that meet in a cell.
std::vector<V3d> sides_of(const std::vector<Crossing>& crossings) {
  std::vector<V3d> sides;
  for (const Crossing& crossing : crossings) {
    const auto same = std::find_if(sides.begin(), sides.end(), [&](const V3d& side) {
      return dot(normalized(side), crossing.normal) > kSameSide;
    });
    if (same == sides.end())
      sides.push_back(crossing.normal);
    else
      *same += crossing.normal;
  }
  for (V3d& side : sides) side = normalized(side);
  return sides;
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
      for_each_cell([&](const Cell& at) { add_quad(at, axis, placement, mesh); });
  }

 private:
  // Its vertices follow one another: the same point, once with the normal of each side.
  using Sides = std::vector<V3d>;

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

  // f(axis, lower end, upper end) for the edges of a cell.
  template <class F>
  void for_each_edge(const Cell& cell, F f) const {
    for (int axis = 0; axis < 3; ++axis)
      for (int corner = 0; corner < 4; ++corner) {
        Cell a = cell;
        a[(axis + 1) % 3] += corner & 1;
        a[(axis + 2) % 3] += corner >> 1;
        Cell b = a;
        ++b[axis];
        f(axis, a, b);
      }
  }
  // The ends of those that are crossed.
  template <class F>
  void for_each_crossing(const Cell& cell, F f) const {
    for_each_edge(cell, [&](int, const Cell& a, const Cell& b) {
      if (inside(a) != inside(b)) f(a, b);
    });
  }

  V3d crossing_point(const Cell& a, const Cell& b) const {
    const double at_a = distance_[index(a)], at_b = distance_[index(b)];
    return point(a) + (point(b) - point(a)) * (at_a / (at_a - at_b));
  }

  // The distance along an edge may have a kink: the interval is halved.
  Crossing exact_crossing(const Cell& a, const Cell& b) const {
    constexpr int kHalvings = 10;
    V3d in = point(inside(a) ? a : b), out = point(inside(a) ? b : a);
    for (int i = 0; i < kHalvings; ++i) {
      const V3d middle = (in + out) * 0.5;
      (distance(shape_, to_array(middle)) < 0 ? in : out) = middle;
    }
    const V3d x = (in + out) * 0.5;
    return {x, to_vec(normal(shape_, to_array(x), 0.01 * spacing_))};
  }

  // Distances have slope one, and so have their means over a cell unless their directions differ.
  bool may_have_edge(const Cell& cell) const {
    V3d slope = V3d::zero();
    for_each_edge(cell, [&](int axis, const Cell& a, const Cell& b) {
      slope[axis] += (distance_[index(b)] - distance_[index(a)]) / (4 * spacing_);
    });
    return norm(slope) < kBent;
  }

  void add_vertex(const Cell& cell, const Affine& placement, Mesh& mesh) {
    V3d x = V3d::zero();
    int count = 0;
    for_each_crossing(cell, [&](const Cell& a, const Cell& b) {
      x += crossing_point(a, b);
      ++count;
    });
    if (count == 0) return;
    vertex_[index(cell)] = static_cast<std::uint32_t>(mesh.positions.size());
    if (may_have_edge(cell) && add_edge_vertex(cell, placement, mesh)) return;
    x *= 1.0 / count;
    const V3d n = to_vec(normal(shape_, to_array(x), 0.1 * spacing_));
    x -= n * std::clamp(distance(shape_, to_array(x)), -0.5 * spacing_, 0.5 * spacing_);
    append_vertex(mesh, placement, x, n);
  }

  // False where all crossings are on one side.
  bool add_edge_vertex(const Cell& cell, const Affine& placement, Mesh& mesh) {
    std::vector<Crossing> crossings;
    for_each_crossing(
        cell, [&](const Cell& a, const Cell& b) { crossings.push_back(exact_crossing(a, b)); });
    Sides sides = sides_of(crossings);
    if (sides.size() < 2) return false;
    V3d x = meeting_point(crossings);
    // An edge may pass just beside the cell whose own edges it parts.
    const V3d low = point(cell);
    const double beside = 0.25 * spacing_;
    for (int c = 0; c < 3; ++c)
      x[c] = std::clamp(x[c], low[c] - beside, low[c] + spacing_ + beside);
    for (const V3d& side : sides) append_vertex(mesh, placement, x, side);
    sides_[index(cell)] = std::move(sides);
    return true;
  }

  // Around the edge from `at` along `axis` lie the four cells below it in the other directions.
  void add_quad(const Cell& at, int axis, const Affine& placement, Mesh& mesh) const {
    Cell next = at;
    ++next[axis];
    if (inside(at) == inside(next)) return;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Cell cells[4] = {at, at, at, at};
    --cells[1][b], --cells[2][b];
    --cells[2][c], --cells[3][c];
    std::size_t at_cell[4];
    for (int i = 0; i < 4; ++i) at_cell[i] = index(cells[i]);
    // Parted along an edge of the shape that runs across it.
    const auto has_edge = [&](int i) { return sides_.contains(at_cell[i]); };
    const int turn = has_edge(1) && has_edge(3) && !(has_edge(0) && has_edge(2)) ? 1 : 0;
    V3d outward = V3d::zero();
    outward[axis] = inside(at) ? 1 : -1;
    for (const auto& triangle : {std::array{0, 1, 2}, std::array{0, 2, 3}})
      add_triangle({at_cell[(triangle[0] + turn) % 4], at_cell[(triangle[1] + turn) % 4],
                    at_cell[(triangle[2] + turn) % 4]},
                   placement.direction(outward), mesh);
  }

  void add_triangle(const std::array<std::size_t, 3>& cells, const V3d& outward, Mesh& mesh) const {
    const auto place = [&](std::size_t cell) { return mesh.positions[vertex_[cell]]; };
    const V3f n = cross(place(cells[1]) - place(cells[0]), place(cells[2]) - place(cells[0]));
    V3d facing = normalized(V3d{{n[0], n[1], n[2]}});
    if (dot(facing, outward) < 0) facing = -facing;
    for (const std::size_t cell : cells) {
      std::uint32_t vertex = vertex_[cell];
      if (const auto sides = sides_.find(cell); sides != sides_.end())
        vertex += nearest_side(mesh, vertex, sides->second.size(), facing);
      mesh.indices.push_back(vertex);
    }
  }

  static std::uint32_t nearest_side(const Mesh& mesh, std::uint32_t first, std::size_t sides,
                                    const V3d& facing) {
    std::uint32_t nearest = 0;
    double closest = -2;
    for (std::uint32_t i = 0; i < sides; ++i) {
      const double cosine = dot(to_float(facing), mesh.normals[first + i]);
      if (cosine > closest) closest = cosine, nearest = i;
    }
    return nearest;
  }

  const CompiledShape& shape_;
  V3d origin_;
  double spacing_ = 0;
  Cell points_{};
  std::vector<double> distance_;
  std::vector<std::uint32_t> vertex_;             // the first of each cell
  std::unordered_map<std::size_t, Sides> sides_;  // of the cells with an edge
};

}  // namespace

bool append_isosurface(const Shape& shape, const Affine& placement, Mesh& mesh) {
  // Height fields in it are resolved as finely as the lattice, whose size only the bounds tell.
  constexpr double kCoarsest = 1e30;
  const CompiledShape rough = compile_shape(shape, 3, kCoarsest);
  if (!rough.bounded()) return false;
  for (std::size_t c = 0; c < 3; ++c)
    if (!(rough.min[c] < rough.max[c])) return true;  // what is apart has nothing in common
  const CompiledShape fine = compile_shape(shape, 3, 2 * longest_side(rough) / kCells);
  Lattice(fine).append(placement, mesh);
  return true;
}

}  // namespace firn
