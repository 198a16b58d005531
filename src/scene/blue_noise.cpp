// Dart throwing with a radius that shrinks until the tile holds all its points: early points keep a
// larger distance, and the number is exact, which plain dart throwing cannot promise.
#include "src/scene/blue_noise.h"

#include <algorithm>

namespace firn {
namespace {

using Point = std::array<std::uint32_t, 3>;

constexpr int kCellBits[] = {6, 4};                // 2D: 64^2 search cells, 3D: 16^3
constexpr std::uint32_t kPoints[] = {4096, 8192};  // spacing s = 1/64 and 1/20.2 of the side
constexpr int kBlockBits[] = {4, 3};               // 16 points per block

// SplitMix64 [Steele et al. 2014].
class Random {
 public:
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

class DartBoard {
 public:
  explicit DartBoard(int dimension)
      : dimension_(dimension),
        bits_(kCellBits[dimension - 2]),
        cells_(std::size_t{1} << (bits_ * dimension)) {}

  bool is_free(const Point& p, std::uint64_t least_squared) const {
    const int reach_z = dimension_ == 3 ? 1 : 0;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -reach_z; k <= reach_z; ++k)
          for (const Point& q : cells_[cell(p, i, j, k)])
            if (squared_distance(p, q) < least_squared) return false;
    return true;
  }

  void add(const Point& p) { cells_[cell(p, 0, 0, 0)].push_back(p); }

  // In units of 2^-28 of the side, the shorter way round the tile.
  static std::uint64_t squared_distance(const Point& p, const Point& q) {
    std::int64_t sum = 0;
    for (int a = 0; a < 3; ++a) {
      const std::int64_t e = static_cast<std::int32_t>(p[a] - q[a]) / 16;
      sum += e * e;
    }
    return static_cast<std::uint64_t>(sum);
  }

 private:
  std::size_t cell(const Point& p, int i, int j, int k) const {
    const int offset[3] = {i, j, k};
    const std::uint32_t mask = (1u << bits_) - 1;
    std::size_t index = 0;
    for (int a = 0; a < dimension_; ++a)
      index = (index << bits_) |
              (((p[a] >> (32 - bits_)) + static_cast<std::uint32_t>(offset[a])) & mask);
    return index;
  }

  int dimension_, bits_;
  std::vector<std::vector<Point>> cells_;
};

std::vector<Point> throw_darts(int dimension) {
  DartBoard board(dimension);
  Random random;
  const std::uint32_t wanted = kPoints[dimension - 2];
  // First radius 0.9 s, beyond what random points can fill; 0.9/64 and 0.9/20.16 in units of 2^-28.
  const std::uint64_t first = dimension == 2 ? 3774873 : 11983556;
  std::uint64_t least_squared = first * first;
  std::vector<Point> points;
  while (points.size() < wanted) {
    for (std::uint32_t dart = 0; dart < 2 * wanted && points.size() < wanted; ++dart) {
      const std::uint64_t a = random();
      Point p = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32), 0};
      if (dimension == 3) p[2] = static_cast<std::uint32_t>(random());
      if (!board.is_free(p, least_squared)) continue;
      board.add(p);
      points.push_back(p);
    }
    least_squared -= least_squared / 64;
  }
  return points;
}

BlueNoiseTile make_tile(int dimension) {
  BlueNoiseTile tile;
  tile.dimension = dimension;
  tile.points = throw_darts(dimension);
  const int bits = kBlockBits[dimension - 2];
  tile.blocks = 1 << bits;
  const auto block = [&](const Point& p) {
    std::uint32_t index = 0;
    for (int a = 0; a < dimension; ++a) index = (index << bits) | (p[a] >> (32 - bits));
    return index;
  };
  std::stable_sort(tile.points.begin(), tile.points.end(),
                   [&](const Point& p, const Point& q) { return block(p) < block(q); });
  tile.block_begin.assign((std::size_t{1} << (bits * dimension)) + 1, 0);
  for (const Point& p : tile.points) ++tile.block_begin[block(p) + 1];
  for (std::size_t b = 1; b < tile.block_begin.size(); ++b)
    tile.block_begin[b] += tile.block_begin[b - 1];
  return tile;
}

}  // namespace

const BlueNoiseTile& blue_noise_tile(int dimension) {
  static const BlueNoiseTile flat = make_tile(2);
  static const BlueNoiseTile solid = make_tile(3);
  return dimension == 2 ? flat : solid;
}

}  // namespace firn
