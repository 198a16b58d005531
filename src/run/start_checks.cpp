#include "src/run/start_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/mesh_warnings.h"
#include "src/scene/shapes.h"
#include "src/state/body_warnings.h"
#include "src/state/overlap_warnings.h"

namespace firn {
namespace {

// In explicit scenes only: what a projection makes of its stress damps such modes.
std::vector<std::string> transfer_warnings(const Scene& scene) {
  const TransferSettings& t = scene.transfer;
  const int d = scene.simulation.dimension;
  std::vector<std::string> warnings;
  if (traits_of(scene).staggered) return warnings;
  if (t.type == TransferType::kPolypic && t.modes > (1 << d) + d)
    warnings.push_back(fmt::format(
        "transfer.modes = {}: products with a square gain energy at free surfaces while particles "
        "move, since their norm changes with the place in the cell; solids that spin or swing for "
        "long blow up. {} modes and fewer do not",
        t.modes, (1 << d) + d));
  if (t.type == TransferType::kFlip && t.blend == 1)
    warnings.push_back(
        "transfer.type = \"flip\" without blend: what particles have within a cell and the grid "
        "does "
        "not see is never damped, and bodies under load ring; use transfer.blend = 0.99 or less, "
        "or \"apic\"");
  if (t.kernel == 1 && !traits_of(scene).implicit)
    warnings.push_back(
        "transfer.kernel = \"linear\": its forces jump where particles cross from cell to cell; "
        "solids that move gain energy and blow up, in free flight too. \"quadratic\" ones do not");
  return warnings;
}

// Long steps of sand: what flows after an elastic step has stood for all of it, and flow within one
// is slow to find.
std::vector<std::string> sand_warnings(const Scene& scene) {
  const IntegratorTraits& integrator = traits_of(scene);
  if (!integrator.implicit) return {};
  const auto is_sand = [](const Material& m) { return m.model == MaterialModel::kDruckerPrager; };
  if (std::none_of(scene.materials.begin(), scene.materials.end(), is_sand)) return {};
  if (!integrator.linear && scene.implicit.plasticity == PlasticFlow::kInside)
    return {
        "drucker_prager under integrator = \"optimization\": steps of sand that slides take many "
        "iterations; \"explicit\" is many times as fast"};
  return {
      "drucker_prager that flows after an elastic step: in steps of more than a few milliseconds "
      "sand stands where it should fall; bound time.dt_max, or use integrator = \"explicit\""};
}

// Nodes hold material: a plate without one within has no effect, and one with a single layer of
// them no side, which slip and separate ask for.
std::vector<std::string> collider_warnings(const Scene& scene) {
  const int d = scene.simulation.dimension;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Collider& collider = scene.colliders[i];
    const CompiledShape shape = outline_shape(collider.shape, d, scene.grid.dx);
    if (!shape.bounded()) continue;
    double thinnest = std::numeric_limits<double>::infinity();
    for (int a = 0; a < d; ++a) thinnest = std::min(thinnest, shape.max[a] - shape.min[a]);
    const bool sided = collider.boundary != BoundaryType::kSticky && !traits_of(scene).staggered;
    const double cells = thinnest / scene.grid.dx, least = sided ? 2 : 1;
    constexpr double kRounding = 1e-6;
    if (cells < least - kRounding)
      warnings.push_back(fmt::format(
          "collider \"{}\" is {:.2g} cells thin: material may pass through it; {} cell{} and more "
          "hold it",
          collider.name.empty() ? std::to_string(i) : collider.name, cells, least,
          least > 1 ? "s" : ""));
  }
  return warnings;
}

}  // namespace

const Scene& validated(const Scene& scene) {
  validate(scene);
  return scene;
}

void require_particles(const Scene& scene, std::size_t particles) {
  if (particles > 0 || !scene.sources.empty()) return;
  // Whether a body is empty is found in cells of a size that keeps it cheap, which thin ones
  // escape.
  std::vector<std::string> causes = body_warnings(scene);
  if (causes.empty())
    causes.push_back("its bodies are thinner than a particle; use a smaller grid.dx");
  throw Error(ErrorCategory::kScene,
              fmt::format("the scene has no particles: {}", fmt::join(causes, "; ")));
}

std::vector<std::string> start_warnings(const Scene& scene) {
  std::vector<std::string> warnings = mesh_warnings(scene);
  for (const auto& more : {body_warnings(scene), overlap_warnings(scene), transfer_warnings(scene),
                           sand_warnings(scene), collider_warnings(scene)})
    warnings.insert(warnings.end(), more.begin(), more.end());
  return warnings;
}

void require_finite(const FrameStats& stats) {
  const Totals& t = stats.totals;
  // Momenta and kinetic energy are NaN while velocities lie on the grid.
  const std::pair<const char*, double> sums[] = {{"mass", t.mass},
                                                 {"volume", t.volume},
                                                 {"elastic energy", t.elastic},
                                                 {"potential energy", t.potential},
                                                 {"heat", t.heat}};
  for (const auto& [name, sum] : sums)
    if (!std::isfinite(sum))
      throw Error(ErrorCategory::kDiverged,
                  fmt::format("the {} of all particles is {} after step {} at t = {:.6g} s: the "
                              "scene's numbers are beyond what can be summed; check the units of "
                              "densities, lengths and stiffness",
                              name, sum, stats.total_steps, stats.time),
                  {stats.total_steps, stats.time, {}, {}, {}});
}

}  // namespace firn
