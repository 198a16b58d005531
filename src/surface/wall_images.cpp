#include "src/surface/wall_images.h"

#include <cmath>

#include "kernels/exec/parallel_for.h"

namespace firn {
namespace {

using V3 = Walls::V3;

// More are of corners that no scene has.
constexpr std::size_t kMostImages = 26;

// `places` begins with the particle's own. An image that would come out on the far side of a thin
// wall is none.
void reflect(const Walls& walls, Walls::Set set, double reach, std::vector<V3>& places) {
  walls.each(set, [&](int i) {
    for (std::size_t k = 0, count = places.size(); k < count && places.size() <= kMostImages; ++k) {
      const double away = walls.distance(i, places[k]);
      if (!(away > 0 && away < reach)) continue;
      const V3 image = places[k] - walls.normal(i, places[k]) * (2 * away);
      if (walls.distance(i, image) < 0) places.push_back(image);
    }
  });
}

}  // namespace

WallImages images_in(const Walls& walls, const CellLists<3>& cells,
                     const std::vector<float>& position, double reach) {
  WallImages images;
  if (walls.none()) return images;
  std::vector<WallImages> of_cell(cells.occupied());
  const double half = 0.5 * cells.lattice().spacing[0] * std::sqrt(3.0);
  parallel_for(cells.occupied(), 0, [&](std::uint32_t cell) {
    const V3 middle = cells.position_of(cells.node_of_region(cell));
    const Walls::Set set = walls.near(middle, half + reach);
    if (set == 0) return;
    std::vector<V3> places;
    for (std::uint32_t k = cells.begin(cell); k < cells.end(cell); ++k) {
      const std::uint32_t p = cells.order()[k];
      const float* x = &position[3 * std::size_t{p}];
      if (!std::isfinite(x[0])) continue;
      places.assign(1, V3{{x[0], x[1], x[2]}});
      reflect(walls, set, reach, places);
      for (std::size_t i = 1; i < places.size(); ++i) {
        for (int a = 0; a < 3; ++a)
          of_cell[cell].position.push_back(static_cast<float>(places[i][a]));
        of_cell[cell].owner.push_back(p);
      }
    }
  });
  for (const WallImages& own : of_cell) {
    images.position.insert(images.position.end(), own.position.begin(), own.position.end());
    images.owner.insert(images.owner.end(), own.owner.begin(), own.owner.end());
  }
  return images;
}

}  // namespace firn
