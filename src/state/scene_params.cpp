#include "src/state/scene_params.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "kernels/materials/material.h"
#include "kernels/transfer/tile.h"
#include "src/scene/integrator_traits.h"

namespace firn {

namespace {

int mode_number(const Scene& scene) {
  const int d = scene.simulation.dimension;
  switch (scene.transfer.type) {
    case TransferType::kPic:
    case TransferType::kFlip:
      return 1;
    case TransferType::kPolypic:
      return scene.transfer.modes > 0 ? scene.transfer.modes : int_power(2, d);
    default:
      return 1 + d;
  }
}

// Whether volume ratios of liquids are corrected. What nodes have of mass tells of a liquid's
// volume where all else is as dense.
bool corrects_liquids(const Scene& scene) {
  const std::vector<Material>& all = scene.materials;
  const double scale =
      scene.sources.empty() && !scene.bodies.empty() ? scene.bodies[0].density_scale : 1;
  for (const Body& body : scene.bodies)
    if (body.density_scale != scale) return false;
  return std::any_of(all.begin(), all.end(), [](const Material& m) { return flows_on(m.model); }) &&
         std::all_of(all.begin(), all.end(),
                     [&](const Material& m) { return m.density == all.front().density; });
}

}  // namespace

TransferParams transfer_params(const Scene& scene) {
  const TransferSettings& t = scene.transfer;
  const int d = scene.simulation.dimension, n_r = mode_number(scene);
  TransferParams p;
  p.degree = t.kernel;
  p.set = mode_set_for(n_r, d);
  p.mask = mode_mask(n_r, d);
  const bool third_mode_missing = p.degree == 1 && p.set == ModeSet::kFull;
  if (p.mask == 0 || third_mode_missing)
    throw Error(ErrorCategory::kScene,
                "transfer.modes = " + std::to_string(n_r) +
                    " is no symmetric set of modes for this kernel and dimension");
  if (t.type == TransferType::kFlip || t.type == TransferType::kAflip) p.flip = t.blend;
  if (t.type == TransferType::kApic) p.symmetric = p.skew = t.blend;
  if (t.type == TransferType::kRpic) p.symmetric = 0;
  p.moment_weighted_skew = t.type == TransferType::kRpic && p.degree == 1;
  p.affine_map = t.advection == AdvectionMap::kAffine;
  p.gradient_force = t.force == ForceForm::kGradient || p.degree == 1;
  p.separate_force = p.flip > 0 || scene.output.diagnostics == DiagnosticsLevel::kStages;
  const IntegratorTraits& integrator = traits_of(scene);
  p.staggered = integrator.staggered;
  p.internal_force = !integrator.implicit;
  p.shears = integrator.staggered && integrator.stressed;
  p.separate_force = p.separate_force && !integrator.staggered;
  p.corrects_positions = integrator.unified
                             ? std::any_of(scene.materials.begin(), scene.materials.end(), may_flow)
                             : integrator.staggered && scene.fluid.density_correction;
  // Explicit steps shear by so little that every eighth will do.
  if (!integrator.staggered && corrects_liquids(scene))
    p.volume_interval = integrator.implicit ? 1 : 8;
  return p;
}

bool fuses_steps(const Scene& scene, bool on_cuda) {
  if (traits_of(scene).staggered || traits_of(scene).implicit || !scene.simulation.fused ||
      scene.output.diagnostics == DiagnosticsLevel::kStages || !scene.sinks.empty())
    return false;
  const TransferParams transfer = transfer_params(scene);
  const int d = scene.simulation.dimension;
  const bool three_parities = wide_parities(transfer.degree, d) == 3;
  for (std::size_t f = 0; scene.grid.domain && f < 2 * static_cast<std::size_t>(d); ++f) {
    const BoundaryType boundary = scene.grid.domain->boundary[f];
    if (boundary == BoundaryType::kOpen) return false;
    if (boundary == BoundaryType::kPeriodic && three_parities) return false;
  }
  const std::size_t real_bytes = scene.simulation.precision == Precision::kDouble ? 8 : 4;
  return !on_cuda || fuses_on_cuda(transfer.degree, d, mode_count(transfer.set, d), real_bytes,
                                   transfer.separate_force);
}

StepLimits step_limits(const Scene& scene) {
  StepLimits limits{};
  limits.dx = scene.grid.dx;
  limits.cfl = scene.time.cfl;
  limits.cfl_material =
      traits_of(scene).implicit ? std::numeric_limits<double>::infinity() : scene.time.cfl_material;
  limits.dt_min = scene.time.dt_min;
  limits.dt_max = scene.time.dt_max;
  limits.bounds_forces = traits_of(scene).staggered ? 1 : 0;
  // Liquid at rest: within a step gravity alone must not move it further than time.cfl allows.
  const auto& g = scene.simulation.gravity;
  const double gravity = std::hypot(g[0], g[1], g[2]);
  if (traits_of(scene).staggered && gravity > 0)
    limits.dt_max = std::min(limits.dt_max, std::sqrt(scene.time.cfl * scene.grid.dx / gravity));
  limits.materials = static_cast<std::uint32_t>(scene.materials.size());
  if (limits.materials > kMaxMaterials)
    throw Error(ErrorCategory::kScene,
                "a scene may have at most " + std::to_string(kMaxMaterials) + " materials");
  // Under a projection alone it has no effect.
  const bool unlimited =
      has_implicit_forces(scene) || (traits_of(scene).staggered && !traits_of(scene).unified);
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const Material& material = scene.materials[m];
    // Of explicit diffusion: dt <= rho dx^2 / (4 d mu^N)
    limits.viscous_dt[m] = material.viscosity > 0 && !unlimited
                               ? material.density * scene.grid.dx * scene.grid.dx /
                                     (4 * scene.simulation.dimension * material.viscosity)
                               : std::numeric_limits<double>::infinity();
  }
  return limits;
}

ChannelNeeds channel_needs(const Scene& scene, bool fused) {
  ChannelNeeds needs;
  needs.fused = fused;
  needs.velocity = !fused || transfer_params(scene).flip > 0;
  const int d = scene.simulation.dimension, n_r = mode_number(scene);
  needs.coefficient_modes = n_r == 1 ? 0 : mode_count(mode_set_for(n_r, d), d) - 1;
  needs.stress = traits_of(scene).stressed;
  needs.heat = needs.deformation = traits_of(scene).unified;
  for (const Material& m : scene.materials) {
    needs.deformation |= has_deformation(m.model);
    needs.history = std::max(needs.history, history_values(m.model, d));
  }
  return needs;
}

}  // namespace firn
