#include "src/surface/holes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/exec/parallel_for.h"
#include "kernels/math/pack.h"

namespace firn {
namespace {

using Cells = Holes::Cells;
using Lanes = Pack<float>;
constexpr std::size_t kLanes = Lanes::size();
constexpr std::size_t kOwn = Cells::kStencil / 2;  // of the cells about one, itself

constexpr std::uint8_t kAllOctants = 0xff;

// A voxel, relative to the middle of its cell; the octants that it lies in, of which the middle of
// an odd number is in two; and which other cells about its own reach near it.
struct Probe {
  std::array<float, 3> x;
  std::uint8_t octants = 0;
  std::vector<std::size_t> others;
};

std::vector<std::size_t> others_near(const std::array<float, 3>& x, float side, float reach) {
  std::vector<std::size_t> near;
  for (std::size_t cell = 0; cell < Cells::kStencil; ++cell) {
    const std::size_t index[] = {cell / 9, cell / 3 % 3, cell % 3};
    float square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const float middle = (1 - static_cast<float>(index[a])) * side;
      const float beside = std::max(std::abs(x[a] - middle) - 0.5f * side, 0.0f);
      square += beside * beside;
    }
    if (cell != kOwn && square < reach * reach) near.push_back(cell);
  }
  return near;
}

std::vector<Probe> probes_of(int along, float side, float reach) {
  const float voxel = side / static_cast<float>(along);
  std::vector<Probe> probes;
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < along; ++j)
      for (int k = 0; k < along; ++k) {
        const int index[] = {i, j, k};
        Probe& probe = probes.emplace_back();
        for (std::size_t a = 0; a < 3; ++a)
          probe.x[a] = (static_cast<float>(index[a]) + 0.5f) * voxel - 0.5f * side;
        for (int octant = 0; octant < 8; ++octant) {
          bool within = true;
          for (int a = 0; a < 3; ++a) {
            const int beyond = 2 * index[a] + 1 - along;  // the middle
            within = within && (octant >> a & 1 ? beyond >= 0 : beyond <= 0);
          }
          probe.octants |= static_cast<std::uint8_t>(within << octant);
        }
        probe.others = others_near(probe.x, side, reach);
      }
  return probes;
}

// Of one cell, relative to its middle: all x, all y, all z, and to a whole number of packs what is
// far from everywhere.
class OwnPoints {
 public:
  OwnPoints(std::span<const SurfacePoint> points, const Vec<double, 3>& middle)
      : stride_((points.size() + kLanes - 1) / kLanes * kLanes),
        values_(3 * stride_, std::numeric_limits<float>::infinity()) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      values_[i] = static_cast<float>(points[i].x - middle[0]);
      values_[stride_ + i] = static_cast<float>(points[i].y - middle[1]);
      values_[2 * stride_ + i] = static_cast<float>(points[i].z - middle[2]);
    }
  }

  bool any_near(const std::array<float, 3>& x, float square) const {
    for (std::size_t i = 0; i < stride_; i += kLanes) {
      const Lanes a = values(i) - Lanes(x[0]), b = values(stride_ + i) - Lanes(x[1]),
                  c = values(2 * stride_ + i) - Lanes(x[2]);
      if (stdx::any_of(a * a + b * b + c * c < Lanes(square))) return true;
    }
    return false;
  }

 private:
  Lanes values(std::size_t i) const { return Lanes(&values_[i], stdx::element_aligned); }

  std::size_t stride_;
  std::vector<float> values_;
};

// Of each of the cells about one, the octants at that one.
constexpr auto kAdjoining = [] {
  std::array<std::uint8_t, Cells::kStencil> adjoining{};
  for (int cell = 0; cell < Cells::kStencil; ++cell) {
    const int index[] = {cell / 9, cell / 3 % 3, cell % 3};  // 0: above, 2: below
    for (int octant = 0; octant < 8; ++octant) {
      bool at = true;
      for (int a = 0; a < 3; ++a) at = at && index[a] != (octant >> a & 1 ? 0 : 2);
      adjoining[static_cast<std::size_t>(cell)] |= static_cast<std::uint8_t>(at << octant);
    }
  }
  return adjoining;
}();

}  // namespace

Holes::Holes(const Cells& cells, const std::vector<SurfacePoint>& points, int along, double reach,
             const IsExempt& is_exempt)
    : octants_(cells.size(), kAllOctants) {
  const auto square = static_cast<float>(reach * reach);
  const std::vector<Probe> probes =
      probes_of(along, static_cast<float>(cells.lattice().spacing[0]), static_cast<float>(reach));
  parallel_for(cells.occupied(), 0, [&](std::uint32_t cell) {
    const std::uint32_t node = cells.node_of_region(cell);
    const Vec<double, 3> middle = cells.position_of(node);
    const auto around = cells.around(node);
    const auto of_cell = [&](std::uint32_t beside) {
      return std::span(points).subspan(cells.begin(beside),
                                       cells.end(beside) - cells.begin(beside));
    };
    const OwnPoints own(of_cell(cell), middle);
    const auto is_near_others = [&](const Probe& probe, const Vec<double, 3>& x) {
      const auto is_near = [&](const SurfacePoint& point) {
        const auto a = static_cast<float>(point.x - x[0]), b = static_cast<float>(point.y - x[1]),
                   c = static_cast<float>(point.z - x[2]);
        return a * a + b * b + c * c < square;
      };
      return std::ranges::any_of(probe.others, [&](std::size_t other) {
        return around[other] != KeyTable::kNone &&
               std::ranges::any_of(of_cell(around[other]), is_near);
      });
    };
    std::uint8_t found = 0;
    for (const Probe& probe : probes) {
      if ((probe.octants & ~found) == 0 || own.any_near(probe.x, square)) continue;
      const Vec<double, 3> x = middle + Vec<double, 3>{{probe.x[0], probe.x[1], probe.x[2]}};
      if (!is_near_others(probe, x) && !is_exempt(node, x)) found |= probe.octants;
    }
    octants_[cell] = found;
  });
}

bool Holes::any_near(const std::array<std::uint32_t, Cells::kStencil>& around) const {
  for (std::size_t i = 0; i < around.size(); ++i)
    if (around[i] == KeyTable::kNone || (octants_[around[i]] & kAdjoining[i]) != 0) return true;
  return false;
}

}  // namespace firn
