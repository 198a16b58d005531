// Sampling visits boxes (lattice cells, blocks of the blue-noise tile) and asks the signed distance
// once at the centre of each: boxes wholly outside cost nothing more, in boxes wholly inside no
// point is tested. Space without any is left out from above, in ever smaller parts, so a shape
// costs what it fills and not what lies between its parts.
#include "src/scene/sampling.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "firn/error.h"
#include "src/scene/blue_noise.h"

namespace firn {
namespace {

using Index = std::array<std::int64_t, 3>;
using PartWatch = std::function<void(double part)>;

[[noreturn]] void refuse_size(const CompiledShape& shape) {
  throw Error(ErrorCategory::kScene,
              shape.place.text +
                  "the shape fills more cells than there is memory for; check its units or use a "
                  "larger dx");
}

// Boxes of edge `size` with corners at offset + size * integer that meet the bounds of a shape.
class Lattice {
 public:
  Lattice(const CompiledShape& shape, double edge, const Vec3& from)
      : shape_(shape), offset_(from), size_(edge) {
    for (int i = 0; i < shape.dimension; ++i) {
      const double lo = std::floor((shape.min[i] - offset_[i]) / size_);
      const double hi = std::ceil((shape.max[i] - offset_[i]) / size_);
      if (!(std::abs(lo) < kFarthest && std::abs(hi) < kFarthest)) refuse_size(shape);
      begin_[i] = static_cast<std::int64_t>(lo);
      end_[i] = static_cast<std::int64_t>(hi);
    }
    if (shape.dimension == 2) end_[2] = 1;
  }

  Vec3 corner(const Index& at) const {
    Vec3 x;
    for (int i = 0; i < 3; ++i) x[i] = offset_[i] + size_ * static_cast<double>(at[i]);
    return x;
  }

  // Calls f for all boxes that may meet the shape, in the order of their indices, and before each
  // row of them `watch` with the part of them that has been visited.
  template <class F>
  void for_each(F f, const PartWatch& watch) const {
    std::vector<Index> tiles;
    add_tiles(tile_of(begin_), above(end_), tiles);
    std::sort(tiles.begin(), tiles.end());
    constexpr double kRows = 1 << 2 * kShift;  // of a tile
    std::size_t rows = 0;
    const auto row_of = [&](std::size_t in_tiles) {
      if (watch) watch(static_cast<double>(rows) / (kRows * static_cast<double>(tiles.size())));
      rows += in_tiles;
    };
    visit<0>(tiles, {}, f, row_of);
  }

 private:
  static constexpr int kShift = 3;  // a tile has 2^kShift boxes along each axis
  static constexpr std::size_t kMostTiles = 10'000'000;
  static constexpr double kFarthest = 1e15;

  static Index tile_of(Index at) {
    for (std::int64_t& i : at) i >>= kShift;
    return at;
  }
  static Index above(Index at) {
    for (std::int64_t& i : at) i = ((i - 1) >> kShift) + 1;
    return at;
  }

  // The tiles from `low` to `high`, without those that are wholly outside.
  void add_tiles(const Index& low, const Index& high, std::vector<Index>& tiles) const {
    Vec3 middle{};
    double diagonal = 0;
    int longest = 0;
    for (int i = 0; i < shape_.dimension; ++i) {
      if (low[i] >= high[i]) return;
      const auto tile = static_cast<double>(1 << kShift) * size_;
      const auto extent = static_cast<double>(high[i] - low[i]) * tile;
      middle[i] = offset_[i] + static_cast<double>(low[i]) * tile + 0.5 * extent;
      diagonal += extent * extent;
      if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
    }
    // Distances of some shapes are estimates: twice what one that is exact would need.
    if (distance(shape_, middle) >= std::sqrt(diagonal)) return;
    if (high[longest] - low[longest] == 1) {
      if (tiles.size() == kMostTiles) refuse_size(shape_);
      return tiles.push_back(low);
    }
    Index split_high = high, split_low = low;
    split_high[longest] = split_low[longest] = low[longest] + (high[longest] - low[longest]) / 2;
    add_tiles(low, split_high, tiles);
    add_tiles(split_low, high, tiles);
  }

  // The boxes of sorted tiles that agree in all indices before the axis.
  template <std::size_t axis, class F, class RowOf>
  void visit(std::span<const Index> tiles, Index at, F& f, RowOf& row_of) const {
    if constexpr (axis == 3) {
      f(at);
    } else {
      if constexpr (axis == 2) row_of(tiles.size());
      while (!tiles.empty()) {
        const std::int64_t tile = tiles[0][axis];
        const auto next = std::find_if(tiles.begin(), tiles.end(),
                                       [&](const Index& t) { return t[axis] != tile; });
        const auto same = static_cast<std::size_t>(next - tiles.begin());
        const std::int64_t from = std::max(tile << kShift, begin_[axis]),
                           to = std::min((tile + 1) << kShift, end_[axis]);
        for (at[axis] = from; at[axis] < to; ++at[axis])
          visit<axis + 1>(tiles.first(same), at, f, row_of);
        tiles = tiles.subspan(same);
      }
    }
  }

  const CompiledShape& shape_;
  Vec3 offset_{};
  double size_ = 0;
  Index begin_{}, end_{};
};

Vec3 sum(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

Vec3 centre_of(const Vec3& corner, double size, int dimension) {
  Vec3 x = corner;
  for (int i = 0; i < dimension; ++i) x[i] += 0.5 * size;
  return x;
}

double half_diagonal(double size, int dimension) {
  return 0.5 * size * std::sqrt(static_cast<double>(dimension));
}

// A hash of the lattice index and the seed gives each cell its own number in [0, 1), in whatever
// order.
class CellRandom {
 public:
  CellRandom(const Index& at, std::uint64_t seed) : state_(mix(seed)) {
    for (std::int64_t i : at) state_ = mix(state_ ^ static_cast<std::uint64_t>(i));
  }
  double operator()() {
    state_ = mix(state_);
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// Finding points is the first half of the work.
PartWatch of_points(const SamplingWatch& watch, const std::vector<Vec3>& points) {
  if (!watch) return {};
  return [&](double part) { watch(0.5 * part, points.size()); };
}

std::vector<Vec3> sample_lattice(const CompiledShape& shape, double spacing, bool jitter,
                                 std::uint64_t seed, const Vec3& moved,
                                 const SamplingWatch& watch) {
  std::vector<Vec3> points;
  const Lattice lattice(shape, spacing, moved), origin(shape, spacing, {});
  lattice.for_each(
      [&](const Index& at) {
        Vec3 x = origin.corner(at);
        CellRandom random(at, seed);
        // A row that lies on the face between two bodies, but for rounding, is in one of them.
        constexpr double kSkew = 0x1p-36;
        for (int i = 0; i < shape.dimension; ++i)
          x[i] += spacing * (jitter ? random() : 0.5 + (i + 1) * kSkew);
        if (distance(shape, sum(x, moved)) < 0) points.push_back(x);
      },
      of_points(watch, points));
  return points;
}

// One block of one copy of the tile, whose corner is at `tile_corner`.
void add_block(const CompiledShape& shape, const BlueNoiseTile& tile, std::size_t block,
               const Vec3& tile_corner, double side, const Vec3& moved, bool all_inside,
               std::vector<Vec3>& points) {
  for (std::uint32_t k = tile.block_begin[block]; k < tile.block_begin[block + 1]; ++k) {
    Vec3 x = tile_corner;
    for (int i = 0; i < shape.dimension; ++i)
      x[i] += side * (static_cast<double>(tile.points[k][i]) * 0x1p-32);
    if (all_inside || distance(shape, sum(x, moved)) < 0) points.push_back(x);
  }
}

std::vector<Vec3> sample_blue_noise(const CompiledShape& shape, double spacing, std::uint64_t seed,
                                    const Vec3& moved, const SamplingWatch& watch) {
  const int d = shape.dimension;
  const BlueNoiseTile& tile = blue_noise_tile(d);
  const double side = spacing * std::pow(static_cast<double>(tile.points.size()), 1.0 / d);
  // Seeds shift the pattern; there are 2^53 places per axis to shift it to.
  CellRandom random({}, seed);
  Vec3 shift{};
  for (int i = 0; i < d; ++i) shift[i] = side * random();
  const double edge = side / tile.blocks;
  const double reach = half_diagonal(edge, d);
  std::vector<Vec3> points;
  const Lattice blocks(shape, edge, sum(shift, moved));
  const auto fill_block = [&](const Index& at) {
    const double phi = distance(shape, centre_of(blocks.corner(at), edge, d));
    if (phi >= reach) return;
    std::size_t block = 0;
    Vec3 tile_corner = shift;
    for (int i = 0; i < d; ++i) {
      const std::int64_t within = at[i] & (tile.blocks - 1);  // blocks per axis is a power of two
      block = block * static_cast<std::size_t>(tile.blocks) + static_cast<std::size_t>(within);
      tile_corner[i] += edge * static_cast<double>(at[i] - within);
    }
    add_block(shape, tile, block, tile_corner, side, moved, phi < -reach, points);
  };
  blocks.for_each(fill_block, of_points(watch, points));
  return points;
}

// Fraction of the box inside the shape. At the finest level the surface is a plane at distance phi.
double filled_fraction(const CompiledShape& shape, const Vec3& corner, double size, int levels) {
  const int d = shape.dimension;
  const double phi = distance(shape, centre_of(corner, size, d));
  const double reach = half_diagonal(size, d);
  if (phi >= reach) return 0;
  if (phi <= -reach) return 1;
  if (levels == 0) return std::clamp(0.5 - phi / size, 0.0, 1.0);
  double sum = 0;
  for (int child = 0; child < 1 << d; ++child) {
    Vec3 c = corner;
    for (int i = 0; i < d; ++i) c[i] += (child >> i & 1) * 0.5 * size;
    sum += filled_fraction(shape, c, 0.5 * size, levels - 1);
  }
  return sum / (1 << d);
}

double watched_volume(const CompiledShape& shape, double dx, const PartWatch& watch) {
  require_bounded(shape, "volume");
  double thinnest = dx, longest = 0;
  for (int i = 0; i < shape.dimension; ++i) {
    thinnest = std::min(thinnest, shape.max[i] - shape.min[i]);
    longest = std::max(longest, shape.max[i] - shape.min[i]);
  }
  // Shapes of a few cells, and plates thinner than one, need finer cells than the grid's.
  const double size = std::clamp(std::min(thinnest, longest / 16), dx / 4, dx);
  constexpr int kLevels = 3;
  const Lattice cells(shape, size, {});
  double count = 0;
  cells.for_each(
      [&](const Index& at) { count += filled_fraction(shape, cells.corner(at), size, kLevels); },
      watch);
  return count * std::pow(size, shape.dimension);
}

std::vector<Vec3> sample_points(const CompiledShape& shape, double dx, double per_cell,
                                Sampling sampling, std::uint64_t seed, const Vec3& moved,
                                const SamplingWatch& watch) {
  require_bounded(shape, "sampling");
  if (!(dx > 0 && per_cell > 0))
    throw Error(ErrorCategory::kScene, "sampling needs dx > 0 and particles_per_cell > 0");
  const double spacing = dx * std::pow(per_cell, -1.0 / shape.dimension);
  if (sampling == Sampling::kPoisson) return sample_blue_noise(shape, spacing, seed, moved, watch);
  return sample_lattice(shape, spacing, sampling == Sampling::kRandom, seed, moved, watch);
}

}  // namespace

double shape_volume(const CompiledShape& shape, double dx) { return watched_volume(shape, dx, {}); }

std::vector<Vec3> sample_moved(const CompiledShape& shape, double dx, double per_cell,
                               Sampling sampling, std::uint64_t seed, const Vec3& moved) {
  return sample_points(shape, dx, per_cell, sampling, seed, moved, {});
}

Samples sample_shape(const CompiledShape& shape, double dx, double per_cell, Sampling sampling,
                     std::uint64_t seed, const SamplingWatch& watch) {
  Samples result;
  result.positions = sample_points(shape, dx, per_cell, sampling, seed, {}, watch);
  PartWatch of_volume;
  if (watch) of_volume = [&](double part) { watch(0.5 + 0.5 * part, result.positions.size()); };
  result.volume = watched_volume(shape, dx, of_volume);
  return result;
}

}  // namespace firn
