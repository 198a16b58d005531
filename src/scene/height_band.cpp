#include "src/scene/height_band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/collide/deforming_sdf.h"
#include "kernels/exec/in_parallel.h"
#include "src/scene/last_used.h"
#include "src/scene/triangle_distance.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;

constexpr double kBand = 6;            // voxels = 3 grid cells: kernels ask no farther
constexpr double kMargin = kBand + 1;  // voxels above and below all heights
constexpr double kMostBytes = std::size_t{1} << 30;
constexpr double kMostBlocks = 1 << 24;  // of the table
constexpr double kHighest = 1 << 12;     // of them: 16 384 grid cells, where units may be wrong

std::size_t aligned(std::size_t bytes) {
  return (bytes + kMeshGridAlignment - 1) / kMeshGridAlignment * kMeshGridAlignment;
}

// All in voxels, from the lowest height at the least x and z. A row and a column more on every side
// are so far away that no sample sees where they end: the heights of the edge continue.
class Ground {
 public:
  Ground(const HeightGrid& grid, double voxel_size)
      : x_(places(grid.columns, grid.spacing_x / voxel_size)),
        z_(grid.rows > 1 ? places(grid.rows, grid.spacing_z / voxel_size) : places(2, 1)),
        flat_(grid.rows == 1) {
    const int columns = this->columns(), rows = this->rows();
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < columns; ++i) {
        const int row = std::clamp(k - 1, 0, grid.rows - 1),
                  column = std::clamp(i - 1, 0, grid.columns - 1);
        height_.push_back(
            grid.height[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns) +
                        static_cast<std::size_t>(column)] /
            voxel_size);
      }
    ranges_.resize(height_.size());
    for (int k = 0; k + 1 < rows; ++k)
      for (int i = 0; i + 1 < columns; ++i) {
        const auto [low, high] =
            std::minmax({height(i, k), height(i + 1, k), height(i, k + 1), height(i + 1, k + 1)});
        ranges_[static_cast<std::size_t>(k) * x_.size() + static_cast<std::size_t>(i)] = {low,
                                                                                          high};
      }
    highest_ = *std::max_element(height_.begin(), height_.end());
  }

  double width() const { return x_[x_.size() - 2]; }
  double depth() const { return flat_ ? 0 : z_[z_.size() - 2]; }
  double height() const { return highest_; }

  struct Range {
    double low, high;
  };
  // Of the heights around a part of the plane.
  Range heights(double x_low, double x_high, double z_low, double z_high) const {
    Range range{std::numeric_limits<double>::infinity(), 0};
    const int last = cell(x_, x_high), last_row = cell(z_, z_high);
    for (int k = cell(z_, z_low); k <= last_row; ++k)
      for (int i = cell(x_, x_low); i <= last; ++i) {
        const Range of_cell = heights(i, k);
        range = {std::min(range.low, of_cell.low), std::max(range.high, of_cell.high)};
      }
    return range;
  }

  // Whether x lies below the triangles.
  bool is_inside(const Vector& x) const {
    const int i = cell(x_, x[0]), k = cell(z_, x[2]);
    const double u = (x[0] - at(x_, i)) / (at(x_, i + 1) - at(x_, i)),
                 v = (x[2] - at(z_, k)) / (at(z_, k + 1) - at(z_, k));
    const double a = height(i, k), b = height(i + 1, k), c = height(i, k + 1),
                 d = height(i + 1, k + 1);
    const double top =
        u + v <= 1 ? a + u * (b - a) + v * (c - a) : d + (1 - u) * (c - d) + (1 - v) * (b - d);
    return x[1] < top;
  }

  // The distance to the triangles, or the band where none is nearer. `nearest`: a cell that may be
  // near; becomes the nearest one.
  struct Cell {
    int i = 0, k = 0;
  };
  double distance(const Vector& x, Cell& nearest) const {
    const Cell own{cell(x_, x[0]), cell(z_, x[2])}, tried = nearest;
    double best = kBand * kBand;
    consider(x, own, best, nearest);
    if (tried.i != own.i || tried.k != own.k) consider(x, tried, best, nearest);
    // Rings of cells around it, until all sides are farther away than what was found.
    for (int ring = 1;; ++ring) {
      const int left = own.i - ring, right = own.i + ring, front = own.k - ring,
                back = own.k + ring;
      const bool go_left = left >= 0 && squared(x[0] - at(x_, left + 1)) < best,
                 go_right = right < columns() - 1 && squared(at(x_, right) - x[0]) < best,
                 go_front = front >= 0 && squared(x[2] - at(z_, front + 1)) < best,
                 go_back = back < rows() - 1 && squared(at(z_, back) - x[2]) < best;
      if (!go_left && !go_right && !go_front && !go_back) return std::sqrt(best);
      const int first = std::max(left, 0), last = std::min(right, columns() - 2),
                first_row = std::max(front + 1, 0), last_row = std::min(back - 1, rows() - 2);
      for (int i = first; go_front && i <= last; ++i) consider(x, {i, front}, best, nearest);
      for (int i = first; go_back && i <= last; ++i) consider(x, {i, back}, best, nearest);
      for (int k = first_row; go_left && k <= last_row; ++k) consider(x, {left, k}, best, nearest);
      for (int k = first_row; go_right && k <= last_row; ++k)
        consider(x, {right, k}, best, nearest);
    }
  }

 private:
  static std::vector<double> places(int samples, double spacing) {
    const double far = 2 * kDeformingCells + kMargin;
    std::vector<double> places{-far};
    for (int i = 0; i < samples; ++i) places.push_back(spacing * i);
    places.push_back(spacing * (samples - 1) + far);
    return places;
  }
  static double at(const std::vector<double>& places, int i) {
    return places[static_cast<std::size_t>(i)];
  }
  static int cell(const std::vector<double>& places, double t) {
    const auto last = static_cast<double>(places.size() - 2);
    return t < 0 ? 0 : static_cast<int>(std::min(1 + t / (places[2] - places[1]), last));
  }
  static double squared(double t) { return t * t; }
  // How far t is outside of an interval, squared.
  static double outside(double t, double low, double high) {
    return squared(std::max({low - t, t - high, 0.0}));
  }

  int columns() const { return static_cast<int>(x_.size()); }
  int rows() const { return static_cast<int>(z_.size()); }
  double height(int i, int k) const {
    return height_[static_cast<std::size_t>(k) * x_.size() + static_cast<std::size_t>(i)];
  }
  Range heights(int i, int k) const {
    return ranges_[static_cast<std::size_t>(k) * x_.size() + static_cast<std::size_t>(i)];
  }
  Vector point(int i, int k) const { return {{at(x_, i), height(i, k), at(z_, k)}}; }

  void consider(const Vector& x, const Cell& c, double& best, Cell& nearest) const {
    const double aside =
        outside(x[0], at(x_, c.i), at(x_, c.i + 1)) + outside(x[2], at(z_, c.k), at(z_, c.k + 1));
    if (aside >= best) return;
    const Range range = heights(c.i, c.k);
    if (aside + outside(x[1], range.low, range.high) >= best) return;
    const Vector a = point(c.i, c.k) - x, b = point(c.i + 1, c.k) - x, d = point(c.i, c.k + 1) - x,
                 e = point(c.i + 1, c.k + 1) - x;
    const double found =
        std::min(squared_distance_to_triangle(a, d, b), squared_distance_to_triangle(b, d, e));
    if (found >= best) return;
    best = found;
    nearest = c;
  }

  std::vector<double> x_, z_, height_;
  std::vector<Range> ranges_;  // of each cell, numbered as its first corner
  bool flat_;
  double highest_ = 0;
};

struct Blocks {
  std::array<double, 3> count;  // of the table
  double all() const { return count[0] * count[1] * count[2]; }
};
Blocks blocks_of(const Ground& ground) {
  const auto over = [](double voxels) {
    return std::max(std::ceil(voxels / kDeformingCells), 1.0);
  };
  return {{over(ground.width()), over(ground.height() + 2 * kMargin), over(ground.depth())}};
}

// The blocks of a column of the table that the surface may come near.
struct Column {
  std::size_t first = 0, count = 0;
};
Column column_of(const Ground& ground, const Blocks& blocks, std::size_t bx, std::size_t bz) {
  const double side = kDeformingCells, x = side * static_cast<double>(bx),
               z = side * static_cast<double>(bz);
  const Ground::Range near =
      ground.heights(x - kBand, x + side + kBand, z - kBand, z + side + kBand);
  const double bottom = (near.low - kBand + kMargin) / side,
               top = std::min((near.high + kBand + kMargin) / side, blocks.count[1] - 1);
  const auto first = static_cast<std::size_t>(std::max(bottom, 0.0));
  return {first, static_cast<std::size_t>(top) - first + 1};
}

bool is_steep(const HeightGrid& grid) { return grid.steepest() > kSteepSlope * (1 + 1e-6); }

bool fits(const Ground& ground) {
  const Blocks blocks = blocks_of(ground);
  if (!(blocks.all() <= kMostBlocks && blocks.count[1] <= kHighest)) return false;
  double bytes = blocks.all() * sizeof(std::int32_t);
  for (double bz = 0; bz < blocks.count[2]; ++bz)
    for (double bx = 0; bx < blocks.count[0]; ++bx)
      bytes += kDeformingSamples * sizeof(float) *
               static_cast<double>(column_of(ground, blocks, static_cast<std::size_t>(bx),
                                             static_cast<std::size_t>(bz))
                                       .count);
  return bytes <= kMostBytes;
}

// The distances of a block whose first sample lies at `corner`; whether any is within the band.
bool sample(const Ground& ground, const Vector& corner, float* distance) {
  bool any = false;
  Ground::Cell nearest;
  for (int z = 0; z < kDeformingSide; ++z)
    for (int x = 0; x < kDeformingSide; ++x)
      for (int y = 0; y < kDeformingSide; ++y) {
        const Vector at = corner + Vector{{double(x), double(y), double(z)}};
        const double away = ground.distance(at, nearest);
        any = any || away < kBand;
        distance[x + kDeformingSide * (y + kDeformingSide * z)] =
            static_cast<float>(ground.is_inside(at) ? -away : away);
      }
  return any;
}

// The samples of a column of the table. `entries`: its blocks, those with samples numbered within
// the column.
std::vector<float> sample_column(const Ground& ground, const Blocks& blocks, std::size_t bx,
                                 std::size_t bz, std::vector<std::int32_t>& entries) {
  const double side = kDeformingCells;
  const Column column = column_of(ground, blocks, bx, bz);
  std::vector<float> samples, of_block(kDeformingSamples);
  std::int32_t kept = 0;
  for (std::size_t by = 0; by < entries.size(); ++by) {
    const Vector corner{{side * static_cast<double>(bx), side * static_cast<double>(by) - kMargin,
                         side * static_cast<double>(bz)}};
    const bool near = by >= column.first && by < column.first + column.count &&
                      sample(ground, corner, of_block.data());
    const bool inside = ground.is_inside(corner + Vector::filled(0.5 * side));
    entries[by] = near ? kept++ : inside ? kDeformingInside : kDeformingOutside;
    if (near) samples.insert(samples.end(), of_block.begin(), of_block.end());
  }
  return samples;
}

HeightBand make_band(const HeightGrid& grid, double voxel_size) {
  const Ground ground(grid, voxel_size);
  if (!fits(ground)) return {};
  const Blocks blocks = blocks_of(ground);
  DeformingHeader header;
  for (std::size_t a = 0; a < 3; ++a) header.blocks[a] = static_cast<std::int32_t>(blocks.count[a]);
  header.band = static_cast<float>(kBand);
  const auto nx = static_cast<std::size_t>(blocks.count[0]),
             ny = static_cast<std::size_t>(blocks.count[1]),
             nz = static_cast<std::size_t>(blocks.count[2]);

  std::vector<std::vector<float>> samples(nx * nz);
  std::vector<std::int32_t> table(nx * ny * nz);
  in_parallel(nx * nz, [&](std::size_t column) {
    const std::size_t bx = column % nx, bz = column / nx;
    std::vector<std::int32_t> entries(ny);
    samples[column] = sample_column(ground, blocks, bx, bz, entries);
    for (std::size_t by = 0; by < ny; ++by) table[bx + nx * (by + ny * bz)] = entries[by];
  });
  for (std::size_t column = 0; column < nx * nz; ++column) {
    for (std::size_t by = 0; by < ny; ++by) {
      std::int32_t& entry = table[column % nx + nx * (by + ny * (column / nx))];
      if (entry >= 0) entry += header.kept;
    }
    header.kept += static_cast<std::int32_t>(samples[column].size() / kDeformingSamples);
  }

  const std::size_t table_bytes = table.size() * sizeof(std::int32_t);
  header.distances = static_cast<std::int64_t>(sizeof header + aligned(table_bytes));
  HeightBand band;
  band.bottom = -kMargin * voxel_size;
  band.bytes.resize(
      static_cast<std::size_t>(header.distances) +
      aligned(static_cast<std::size_t>(header.kept) * kDeformingSamples * sizeof(float)));
  std::memcpy(band.bytes.data(), &header, sizeof header);
  std::memcpy(band.bytes.data() + sizeof header, table.data(), table_bytes);
  std::byte* to = band.bytes.data() + header.distances;
  for (const std::vector<float>& of_column : samples) {
    std::memcpy(to, of_column.data(), of_column.size() * sizeof(float));
    to += of_column.size() * sizeof(float);
  }
  return band;
}

struct BandKey {
  HeightGrid grid;
  double voxel_size;
  bool operator==(const BandKey& other) const {
    return voxel_size == other.voxel_size && grid.columns == other.grid.columns &&
           grid.rows == other.grid.rows && grid.spacing_x == other.grid.spacing_x &&
           grid.spacing_z == other.grid.spacing_z && grid.height == other.grid.height;
  }
};

}  // namespace

std::shared_ptr<const HeightBand> cached_height_band(const HeightGrid& grid, double voxel_size) {
  static LastUsed<BandKey, HeightBand> bands;
  if (!is_steep(grid)) return std::make_shared<const HeightBand>();
  return bands.get({grid, voxel_size}, [&] { return make_band(grid, voxel_size); });
}

bool is_too_large_for_band(const HeightGrid& grid, double voxel_size) {
  return is_steep(grid) && !fits(Ground(grid, voxel_size));
}

}  // namespace firn
