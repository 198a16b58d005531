#include "src/scene/triangulate.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace firn {
namespace {

// Twice the area of a triangle, > 0 counter-clockwise.
double turn(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Whether two segments meet in a point that is an end of neither.
bool cross(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c, const PlanePoint& d) {
  return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

// One polygon that may pass through a point more than once: numbers of points.
class Polygon {
 public:
  Polygon(const PlaneLoop& outer, std::span<const PlaneLoop> holes) : points_(outer) {
    ring_.resize(outer.size());
    std::iota(ring_.begin(), ring_.end(), 0U);
    std::vector<Hole> left;
    for (const PlaneLoop& hole : holes) {
      left.push_back(
          {static_cast<std::uint32_t>(points_.size()), static_cast<std::uint32_t>(hole.size())});
      points_.insert(points_.end(), hole.begin(), hole.end());
    }
    while (!left.empty()) join_nearest(left);
  }

  std::vector<std::array<std::uint32_t, 3>> cut_ears() {
    std::vector<std::array<std::uint32_t, 3>> triangles;
    while (ring_.size() > 3) {
      const std::size_t at = next_ear();
      triangles.push_back(corner(at));
      ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (ring_.size() == 3) triangles.push_back(corner(1));
    return triangles;
  }

 private:
  struct Hole {
    std::uint32_t first, count;
  };
  struct Bridge {
    double squared = std::numeric_limits<double>::infinity();
    std::size_t hole = 0, at = 0;
    std::uint32_t from = 0;
  };

  // The shortest bridge from a hole to the polygon crosses nothing: what it crossed would be
  // nearer.
  void join_nearest(std::vector<Hole>& left) {
    Bridge best;
    for (std::size_t h = 0; h < left.size(); ++h)
      for (std::uint32_t i = left[h].first; i < left[h].first + left[h].count; ++i)
        for (std::size_t at = 0; at < ring_.size(); ++at) {
          const PlanePoint &a = points_[i], &b = points_[ring_[at]];
          const double x = b[0] - a[0], y = b[1] - a[1], squared = x * x + y * y;
          if (squared < best.squared && leaves_inside(at, a) && is_free(left, a, b))
            best = {squared, h, at, i};
        }
    const Hole hole = left[best.hole];
    std::vector<std::uint32_t> detour;
    for (std::uint32_t k = 0; k <= hole.count; ++k)
      detour.push_back(hole.first + (best.from - hole.first + k) % hole.count);
    detour.push_back(ring_[best.at]);
    ring_.insert(ring_.begin() + static_cast<std::ptrdiff_t>(best.at) + 1, detour.begin(),
                 detour.end());
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best.hole));
  }
  // Whether a bridge to `a` begins on the inner side of the corner: one point may be two corners.
  bool leaves_inside(std::size_t at, const PlanePoint& a) const {
    const auto [i, j, k] = corner(at);
    const PlanePoint &before = points_[i], &here = points_[j], &after = points_[k];
    const bool left_in = turn(before, here, a) >= 0, left_out = turn(here, after, a) >= 0;
    return turn(before, here, after) >= 0 ? left_in && left_out : left_in || left_out;
  }
  bool is_free(const std::vector<Hole>& left, const PlanePoint& a, const PlanePoint& b) const {
    for (std::size_t at = 0; at < ring_.size(); ++at)
      if (cross(a, b, points_[ring_[at]], points_[ring_[(at + 1) % ring_.size()]])) return false;
    return std::none_of(left.begin(), left.end(), [&](const Hole& hole) {
      for (std::uint32_t k = 0; k < hole.count; ++k)
        if (cross(a, b, points_[hole.first + k], points_[hole.first + (k + 1) % hole.count]))
          return true;
      return false;
    });
  }

  // Of the corner and its neighbours, as numbers of points.
  std::array<std::uint32_t, 3> corner(std::size_t at) const {
    const std::size_t n = ring_.size();
    return {ring_[(at + n - 1) % n], ring_[at], ring_[(at + 1) % n]};
  }

  // The best shaped one of those that can be cut off; the flattest corner where rounding, or a loop
  // that crosses itself, leaves none.
  std::size_t next_ear() const {
    std::size_t best = 0, flattest = 0;
    double quality = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < ring_.size(); ++at) {
      const auto [i, j, k] = corner(at);
      const PlanePoint &a = points_[i], &b = points_[j], &c = points_[k];
      const double area = turn(a, b, c), edges = squared(a, b) + squared(b, c) + squared(c, a);
      if (std::abs(area) < least) least = std::abs(area), flattest = at;
      if (!(area > quality * edges) || !is_empty(at)) continue;
      quality = area / edges, best = at;
    }
    return quality > 0 ? best : flattest;
  }
  static double squared(const PlanePoint& a, const PlanePoint& b) {
    return (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
  }
  bool is_empty(std::size_t at) const {
    const auto [i, j, k] = corner(at);
    const PlanePoint &a = points_[i], &b = points_[j], &c = points_[k];
    return std::none_of(ring_.begin(), ring_.end(), [&](std::uint32_t number) {
      const PlanePoint& p = points_[number];
      if (p == a || p == b || p == c) return false;
      return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
    });
  }

  std::vector<PlanePoint> points_;
  std::vector<std::uint32_t> ring_;
};

}  // namespace

double twice_area(const PlaneLoop& loop) {
  double sum = 0;
  for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
    sum += loop[j][0] * loop[i][1] - loop[i][0] * loop[j][1];
  return sum;
}

bool encloses(const PlaneLoop& loop, const PlanePoint& point) {
  bool inside = false;
  for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++) {
    const PlanePoint &a = loop[j], &b = loop[i];
    if ((a[1] > point[1]) == (b[1] > point[1])) continue;
    if (point[0] < a[0] + (b[0] - a[0]) * (point[1] - a[1]) / (b[1] - a[1])) inside = !inside;
  }
  return inside;
}

std::vector<std::array<std::uint32_t, 3>> triangulate(const PlaneLoop& outer,
                                                      std::span<const PlaneLoop> holes) {
  return Polygon(outer, holes).cut_ears();
}

}  // namespace firn
