// A scene's settings as the numbers that kernels take.
#pragma once

#include <cmath>
#include <limits>

#include "firn/scene.h"
#include "kernels/grid/update.h"
#include "kernels/materials/material.h"
#include "kernels/transfer/transfer.h"
#include "src/scene/boundary_types.h"
#include "src/scene/integrator_traits.h"
#include "src/state/channel_plan.h"
#include "src/state/heat_model.h"

namespace firn {

// What the name of a transfer stands for. Throws Error{kScene} for a mode count that is no
// symmetric set.
TransferParams transfer_params(const Scene& scene);
StepLimits step_limits(const Scene& scene);
// `fused`: as fuses_steps says for the backend; what a state saved between frames holds does not
// depend on it.
ChannelNeeds channel_needs(const Scene& scene, bool fused = false);

template <int D, class Real>
Vec<Real, D> to_vec(const Vec3& v) {
  Vec<Real, D> r;
  for (int a = 0; a < D; ++a) r[a] = static_cast<Real>(v[static_cast<std::size_t>(a)]);
  return r;
}

// Faces that are no walls lie out of reach.
template <int D, class Real>
DomainWalls<Real, D> domain_walls(const Scene& scene) {
  DomainWalls<Real, D> walls;
  if (!scene.grid.domain) return walls;
  const Domain& domain = *scene.grid.domain;
  walls.min = to_vec<D, Real>(domain.min);
  walls.max = to_vec<D, Real>(domain.max);
  walls.mind_gaps = !traits_of(scene).staggered;
  for (std::size_t f = 0; f < 2 * D; ++f) {
    const int a = static_cast<int>(f / 2);
    if (is_wall(domain.boundary[f]))
      walls.active = true;
    else
      (f % 2 == 0 ? walls.min[a] : walls.max[a]) = f % 2 == 0 ? -kLargest<Real> : kLargest<Real>;
    walls.boundary[f] = domain.boundary[f];
    walls.friction[f] = static_cast<Real>(domain.friction[f]);
    const double plane = (f % 2 == 0 ? domain.min : domain.max)[f / 2] / scene.grid.dx;
    // No node lies beyond, and its index would not fit.
    if (!(std::abs(plane) < static_cast<double>(BlockTraits<D>::kMaxNode))) continue;
    walls.plane[f] = static_cast<std::int32_t>(std::lround(plane));
    walls.mirrors[f] =
        holds_both_ways(domain.boundary[f]) && std::abs(plane - std::round(plane)) < 1e-3;
  }
  return walls;
}

// The parser has seen to it that they are whole blocks.
template <int D>
PeriodicBlocks periodic_blocks(const Scene& scene) {
  PeriodicBlocks ring;
  if (!scene.grid.domain) return ring;
  const Domain& domain = *scene.grid.domain;
  const double block = scene.grid.dx * BlockTraits<D>::kSide;
  for (std::size_t a = 0; a < D; ++a) {
    if (domain.boundary[2 * a] != BoundaryType::kPeriodic) continue;
    ring.first[a] = static_cast<int>(std::lround(domain.min[a] / block));
    ring.count[a] = static_cast<int>(std::lround((domain.max[a] - domain.min[a]) / block));
  }
  return ring;
}

// Whether the explicit steps of a scene may be fused (transfer/transfer.h). Not with the energies
// of each stage, which need the stages apart; nor where particles leave the simulation, because
// their momentum would stay on the grid; nor where blocks of one colour would meet across the seam
// of a periodic axis; nor where CUDA's arena is too small or its registers too few.
bool fuses_steps(const Scene& scene, bool on_cuda);

// Everything about a scene that is fixed for a run and passed to operators by value.
template <int D, class Real>
struct SceneParams {
  TransferParams transfer;
  StepLimits limits;
  GridUpdateParams<Real, D> update;
  ParticleBounds<Real, D> bounds;
  std::vector<MaterialParams<Real>> materials;
  std::vector<std::string> material_names;
  Vec3 gravity;
  double dx;
  bool stages, totals;

  explicit SceneParams(const Scene& scene)
      : transfer(transfer_params(scene)),
        limits(step_limits(scene)),
        gravity(scene.simulation.gravity),
        dx(scene.grid.dx),
        stages(scene.output.diagnostics == DiagnosticsLevel::kStages),
        totals(scene.output.diagnostics != DiagnosticsLevel::kOff) {
    update.gravity = to_vec<D, Real>(scene.simulation.gravity);
    update.walls = domain_walls<D, Real>(scene);
    update.separate_force = transfer.separate_force;
    bounds.active = update.walls.active;
    bounds.min = update.walls.min;
    bounds.max = update.walls.max;
    for (const Material& m : scene.materials) {
      materials.push_back(traits_of(scene).unified ? deviatoric_params<Real>(m, D)
                                                   : make_material_params<Real>(m, D));
      material_names.push_back(m.name);
    }
  }
};

}  // namespace firn
