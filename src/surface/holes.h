// Where particles leave holes, whatever the places of these among the cells: counts of particles do
// not tell, as a gap between two bodies that is narrower than a cell leaves some in each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/analysis/cell_lists.h"
#include "src/surface/ellipsoids.h"

namespace firn {

class Holes {
 public:
  using Cells = CellLists<3>;
  // Of a voxel at a place, in the cell about a node: whether it may be far from all points.
  using IsExempt = std::function<bool(std::uint32_t node, const Vec<double, 3>& place)>;

  Holes() = default;
  // A voxel in a hole, `along` of them along each side of a cell, is farther than `reach` from all
  // points, which are in the order of the cells; the reach is less than the side of a cell.
  Holes(const Cells& cells, const std::vector<SurfacePoint>& points, int along, double reach,
        const IsExempt& is_exempt);

  // Whether one is in the cell that these are about, or less than half of its side away.
  bool any_near(const std::array<std::uint32_t, Cells::kStencil>& around) const;

 private:
  std::vector<std::uint8_t> octants_;  // by cell, those with a voxel in a hole
};

}  // namespace firn
