#include "src/state/hold_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/collide/boundary.h"
#include "kernels/transfer/spline.h"
#include "src/scene/boundary_types.h"
#include "src/scene/integrator_traits.h"
#include "src/state/coarse_shape.h"
#include "src/state/overlap_warnings.h"

namespace firn {
namespace {

// What holds: a collider, or a face of the domain.
struct Holder {
  std::string name;
  std::function<double(const Vec3&)> distance;
  std::function<Vec3(const Vec3&)> normal;
};

std::vector<Holder> holders(const Scene& scene) {
  const int d = scene.simulation.dimension;
  const double dx = scene.grid.dx;
  std::vector<Holder> list;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (!holds_both_ways(collider.boundary) || collider.dynamics || !begins_in_place(collider))
      continue;
    const CoarseShape shape(collider.shape, d, dx);
    if (shape.error() > 0) continue;
    list.push_back({"collider \"" + name_or_number(collider.name, c) + "\"",
                    [shape](const Vec3& x) { return distance(shape.compiled, x); },
                    [shape, dx](const Vec3& x) { return normal(shape.compiled, x, 0.1 * dx); }});
  }
  constexpr const char* kFaces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  for (std::size_t f = 0; scene.grid.domain && f < 2u * d; ++f) {
    const Domain& domain = *scene.grid.domain;
    if (!holds_both_ways(domain.boundary[f])) continue;
    const std::size_t a = f / 2;
    const double side = f % 2 == 0 ? 1 : -1, at = (f % 2 == 0 ? domain.min : domain.max)[a];
    Vec3 inwards{};
    inwards[a] = side;
    list.push_back({fmt::format("the face {} of the domain", kFaces[f]),
                    [=](const Vec3& x) { return side * (x[a] - at); },
                    [=](const Vec3&) { return inwards; }});
  }
  return list;
}

// How much of the kernel at x is that of nodes that hold.
template <int Degree>
double held_share(const Holder& holder, const Vec3& x, int dimension, double dx) {
  AxisStencil<Degree, double> axis[3];
  int base[3] = {};
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) {
    const auto at = axis_base(x[a], 1 / dx, stencil_shift<double>(Degree));
    base[a] = at.node;
    fill_stencil(axis[a], at.offset);
  }
  constexpr int n = stencil_nodes(Degree);
  double share = 0;
  for (int i = 0; i < n * n * (dimension == 3 ? n : 1); ++i) {
    const int node[] = {i % n, i / n % n, i / (n * n)};
    Vec3 at{};
    double weight = 1;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) {
      at[a] = (base[a] + node[a]) * dx;
      weight *= axis[a].w[node[a]];
    }
    if (holder.distance(at) <= 1e-3 * dx) share += weight;  // as NodeContact::tolerance
  }
  return share;
}
double held_share(const Holder& holder, const Vec3& x, const Scene& scene) {
  const int d = scene.simulation.dimension;
  switch (scene.transfer.kernel) {
    case 1:
      return held_share<1>(holder, x, d, scene.grid.dx);
    case 2:
      return held_share<2>(holder, x, d, scene.grid.dx);
    default:
      return held_share<3>(holder, x, d, scene.grid.dx);
  }
}

// Mean of that where the body ends at the holder, by the feet of a lattice of points of the body;
// 1 where it does not end there, or reaches in.
double share_at_face(const CompiledShape& body, const Holder& holder, const Scene& scene,
                     int across) {
  constexpr double kAbove = 0.1, kBelow = 0.5, kBeside = 1.5;  // cells
  constexpr int kFew = 4;
  const double dx = scene.grid.dx;
  const int d = scene.simulation.dimension;
  double sum = 0;
  int touching = 0;
  double reach = kBeside * dx;  // at least to the next points
  for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a)
    reach = std::max(reach, (body.max[a] - body.min[a]) / across);
  for_each_point(body, d, across, [&](const Vec3& x) {
    const double phi = holder.distance(x);
    if (std::abs(phi) > reach || distance(body, x) >= 0) return;
    const Vec3 n = holder.normal(x);
    const auto along = [&](double cells) {
      Vec3 y{};
      for (std::size_t a = 0; a < 3; ++a) y[a] = x[a] + (cells * dx - phi) * n[a];
      return y;
    };
    if (distance(body, along(kAbove)) >= 0 || distance(body, along(-kBelow)) < 0) return;
    sum += held_share(holder, along(0), scene);
    ++touching;
  });
  return touching < kFew ? 1 : sum / touching;
}

}  // namespace

std::vector<std::string> hold_warnings(const Scene& scene) {
  if (traits_of(scene).staggered || scene.bodies.empty()) return {};
  const std::vector<Holder> all = holders(scene);
  if (all.empty()) return {};
  // Thousands of bodies must not keep `firn info` waiting.
  constexpr double kMostPoints = 3e5;
  const int d = scene.simulation.dimension;
  const double pairs = static_cast<double>(all.size()) * static_cast<double>(scene.bodies.size());
  const int across =
      static_cast<int>(std::clamp(std::pow(kMostPoints / pairs, 1.0 / d), 5.0, 24.0));
  std::vector<std::string> warnings;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const CoarseShape body(scene.bodies[b].shape, d, scene.grid.dx);
    if (body.error() > 0 || !body.compiled.bounded()) continue;
    for (const Holder& holder : all) {
      const double share = share_at_face(body.compiled, holder, scene, across);
      if (share >= kWeakHold) continue;
      warnings.push_back(fmt::format(
          "body \"{}\": it ends at {}, which holds what touches it by the nodes of the "
          "grid in it, and they have {:.0f} % of the kernel there: soft material tears "
          "off, and shears as if it slid; let the body reach a cell in, or put the "
          "face on a line of the grid (a multiple of {:g} m)",
          name_or_number(scene.bodies[b].name, b), holder.name, 100 * share, scene.grid.dx));
    }
  }
  return warnings;
}

}  // namespace firn
