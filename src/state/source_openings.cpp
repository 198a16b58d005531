#include "src/state/source_openings.h"

#include <algorithm>
#include <cmath>

#include "src/scene/integrator_traits.h"
#include "src/scene/shapes.h"
#include "src/state/scene_params.h"
#include "src/state/source_flow.h"

namespace firn {
namespace {

bool may_be_held(const Scene& scene, const Source& source) {
  for (const Collider& c : scene.colliders)
    if (holds_both_ways(c.boundary) && !c.dynamics) return true;
  for (std::size_t f = 0; scene.grid.domain && f < 2u * scene.simulation.dimension; ++f)
    if (holds_both_ways(scene.grid.domain->boundary[f]) &&
        (f % 2 == 0 ? 1 : -1) * source.velocity[f / 2] > 0)
      return true;
  return false;
}

SourceOpening opening_of(const Scene& scene, const Source& source, double speed) {
  const double dx = scene.grid.dx, reach = 0.5 * (transfer_params(scene).degree + 1) * dx;
  const int d = scene.simulation.dimension;
  const Shape within = within_walls(scene, source);
  const CompiledShape shape = compile_shape(within, d, dx);
  require_bounded(shape, "source \"" + source.name + "\"");
  // Beside an edge that a wall cuts, the distance is that to the edge.
  const bool cut = within != source.shape;
  std::vector<CompiledShape> parts{shape};
  if (cut) parts = {compile_shape(source.shape, d, dx), compile_shape(within.children[1], d, dx)};
  const auto away = [&](const Vec3& x) {
    const double one = distance(parts.front(), x), other = distance(parts.back(), x);
    return cut && one > 0 && other > 0 ? std::hypot(one, other) : std::max(one, other);
  };
  SourceOpening o;
  for (std::size_t a = 0; a < 3; ++a) o.flow[a] = source.velocity[a] / speed;
  // What has come in last is still within reach of what lies behind.
  o.begin = source.start;
  o.end = source.end + 2 * reach / speed;
  for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a) {
    o.first[a] = static_cast<int>(std::floor((shape.min[a] - reach) / dx));
    o.count[a] = static_cast<int>(std::ceil((shape.max[a] + reach) / dx)) - o.first[a] + 1;
  }
  // Those from which the flow comes nearer to the shape, or further into it; at its rim as well.
  const double step = 0.5 * dx;
  for (int k = 0; k < o.count[2]; ++k)
    for (int j = 0; j < o.count[1]; ++j)
      for (int i = 0; i < o.count[0]; ++i) {
        const int at[] = {i, j, k};
        Vec3 x{}, upstream{}, downstream{};
        for (std::size_t a = 0; a < 3; ++a) {
          x[a] = (o.first[a] + at[a]) * dx;
          upstream[a] = x[a] - step * o.flow[a];
          downstream[a] = x[a] + step * o.flow[a];
        }
        o.open.push_back(away(x) <= reach && away(upstream) - away(downstream) > 0.05 * dx);
      }
  return o;
}

}  // namespace

std::vector<SourceOpening> source_openings(const Scene& scene) {
  std::vector<SourceOpening> openings;
  if (traits_of(scene).staggered) return openings;
  for (const Source& source : scene.sources) {
    const Vec3& v = source.velocity;
    const double speed = std::hypot(v[0], v[1], v[2]);
    if (source.motion || !(speed > 0) || !may_be_held(scene, source)) continue;
    openings.push_back(opening_of(scene, source, speed));
  }
  return openings;
}

}  // namespace firn
