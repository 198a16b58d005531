#include "src/run/start_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/warnings.h"
#include "src/run/collider_warnings.h"
#include "src/run/force_warnings.h"
#include "src/run/idle_keys.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/mesh_warnings.h"
#include "src/scene/shapes.h"
#include "src/scene/thing_names.h"
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
  if (t.type == TransferType::kAflip && t.blend == 1)
    warnings.push_back(
        "transfer.type = \"aflip\" without blend: velocities within a cell that the grid does not "
        "see stay for ever, in what rests too, and speeds and kinetic energies tell of them; use "
        "transfer.blend = 0.95");
  if (t.kernel == 1 && !traits_of(scene).implicit)
    warnings.push_back(
        "transfer.kernel = \"linear\": its forces jump where particles cross from cell to cell; "
        "solids that move gain energy and blow up, in free flight too. \"quadratic\" ones do not");
  return warnings;
}

// Long steps of sand and metal: what flows after an elastic step has stood for all of it, and flow
// of sand within one is slow to find.
std::vector<std::string> flow_warnings(const Scene& scene) {
  const IntegratorTraits& integrator = traits_of(scene);
  if (!integrator.implicit) return {};
  const auto has = [&scene](MaterialModel model) {
    return std::any_of(scene.materials.begin(), scene.materials.end(),
                       [model](const Material& m) { return m.model == model; });
  };
  const bool sand = has(MaterialModel::kDruckerPrager), metal = has(MaterialModel::kVonMises);
  const bool soil = has(MaterialModel::kCamClay);
  std::vector<std::string> warnings;
  const bool inside = !integrator.linear && scene.implicit.plasticity == PlasticFlow::kInside;
  if (sand && inside)
    warnings.push_back(
        "drucker_prager under integrator = \"optimization\": steps of sand that slides take many "
        "iterations; \"explicit\" is many times as fast");
  for (const Material& m : scene.materials)
    if (inside && m.dilatancy_angle > 0)
      warnings.push_back(fmt::format(
          "material '{}': its dilatancy_angle takes effect at the end of a step, so that sand "
          "which it presses together is too strong in long ones; use integrator = \"explicit\"",
          m.name));
  constexpr double kShortForSand = 2e-3, kShortForMetal = 2e-4;  // s: within some per cent
  if (soil && scene.time.dt_max > kShortForSand)
    warnings.push_back(
        "cam_clay flows after an elastic step: in steps of more than a few milliseconds it bears "
        "more than it should; bound time.dt_max, or use integrator = \"explicit\"");
  if (inside) return warnings;
  if (sand && scene.time.dt_max > kShortForSand)
    warnings.push_back(
        "drucker_prager that flows after an elastic step: in steps of more than a few milliseconds "
        "sand stands where it should fall; bound time.dt_max, or use integrator = \"explicit\"");
  if (metal && scene.time.dt_max > kShortForMetal)
    warnings.push_back(
        "von_mises that flows after an elastic step yields too little in steps of a millisecond; "
        "bound time.dt_max, or use \"optimization\" and implicit.plasticity = \"inside\"");
  return warnings;
}

// A solve looks at sums over the scene, whose last digits a stiff body takes for itself.
std::vector<std::string> stiffness_warnings(const Scene& scene) {
  constexpr double kMostRatio = 1e5;
  const IntegratorTraits& integrator = traits_of(scene);
  if (!integrator.implicit || integrator.linear || scene.simulation.precision != Precision::kSingle)
    return {};
  const Material *stiff = nullptr, *soft = nullptr;
  const auto modulus = [](const Material& m) { return std::max(m.youngs_modulus, m.bulk_modulus); };
  for (const Material& m : scene.materials) {
    if (!(modulus(m) > 0)) continue;
    if (stiff == nullptr || modulus(m) > modulus(*stiff)) stiff = &m;
    if (soft == nullptr || modulus(m) < modulus(*soft)) soft = &m;
  }
  if (stiff == nullptr || modulus(*stiff) < kMostRatio * modulus(*soft)) return {};
  return {fmt::format(
      "'{}' is {:.0e} times as stiff as '{}': in single precision solves end where its rounding "
      "hides what is out of balance in the other; use simulation.precision = \"double\"",
      stiff->name, modulus(*stiff) / modulus(*soft), soft->name)};
}

// Sand whose strength grows with pressure alone has none without an angle, whatever holds its
// grains together.
std::vector<std::string> strength_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (const Material& m : scene.materials)
    if (m.model == MaterialModel::kDruckerPrager && m.cohesion > 0 && m.friction_angle == 0 &&
        m.friction_hardening == std::array<double, 4>{})
      warnings.push_back(fmt::format(
          "material '{}': with friction_angle = 0 its cohesion holds nothing, and it flows like a "
          "liquid; clay of one strength c is model = \"von_mises\" with yield_stress = 1.732 c",
          m.name));
  return warnings;
}

// A liquid that its own weight presses together begins with a fall, and bounces.
std::vector<std::string> weight_warnings(const Scene& scene) {
  constexpr double kWorthTelling = 0.05, kFine = 0.01;  // of its volume
  const int d = scene.simulation.dimension;
  std::vector<std::string> warnings;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const Material& m = scene.materials[static_cast<std::size_t>(body.material)];
    if (m.model != MaterialModel::kWeaklyCompressible) continue;
    const CompiledShape shape = outline_shape(body.shape, d, scene.grid.dx);
    if (!shape.bounded()) continue;
    double pressure = 0, gravity = 0;  // at the bottom
    for (int a = 0; a < d; ++a) {
      const auto i = static_cast<std::size_t>(a);
      const double g = std::abs(scene.simulation.gravity[i]);
      pressure += m.density * body.density_scale * g * (shape.max[a] - shape.min[a]);
      gravity = std::hypot(gravity, g);
    }
    if (!(pressure > 0)) continue;
    const double depth = pressure / (m.density * body.density_scale * gravity);
    const double pressed = 1 - std::pow(1 + pressure / m.bulk_modulus, -1 / m.gamma);
    if (pressed < kWorthTelling) continue;
    warnings.push_back(
        fmt::format("body \"{}\": under its own weight '{}' is pressed together by {:.0f} % at the "
                    "bottom of its "
                    "{:.3g} m, and bounces; bulk_modulus = {:.1e} keeps that to 1 %",
                    name_or_number(body.name, b), m.name, 100 * pressed, depth,
                    pressure / (std::pow(1 - kFine, -m.gamma) - 1)));
  }
  return warnings;
}

// Of what has no image across a periodic face: whether it comes to one without covering what lies
// behind it.
std::string seam_warning(const Scene& scene, const Shape& shape, const std::string& name) {
  const Domain& domain = *scene.grid.domain;
  const CompiledShape outline = outline_shape(shape, scene.simulation.dimension, scene.grid.dx);
  if (!outline.bounded()) return {};
  const double same = 1e-6 * scene.grid.dx;
  for (int a = 0; a < scene.simulation.dimension; ++a) {
    const auto i = static_cast<std::size_t>(a);
    if (domain.boundary[2 * i] != BoundaryType::kPeriodic) continue;
    const bool below = outline.min[a] <= domain.min[i] + same,
               above = outline.max[a] >= domain.max[i] - same;
    if (below != above)
      return fmt::format(
          "{} comes to the periodic face at {} = {:g}, and is not there on its other side; give it "
          "a second time, a period away, or keep it from the face",
          name, "xyz"[i], below ? domain.min[i] : domain.max[i]);
  }
  return {};
}
std::vector<std::string> seam_warnings(const Scene& scene) {
  if (!scene.grid.domain) return {};
  std::vector<std::string> warnings;
  const auto look = [&](const auto& things, const char* what) {
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::string name = fmt::format("{} \"{}\"", what, name_or_number(things[i].name, i));
      const std::optional<Shape>& shape = things[i].shape;
      const std::string found = shape ? seam_warning(scene, *shape, name) : std::string();
      if (!found.empty()) warnings.push_back(found);
    }
  };
  look(scene.colliders, "collider");
  look(scene.sinks, "sink");
  look(scene.heat_sources, "heat source");
  look(scene.forces, "force");
  return warnings;
}

// What the checks take for granted.
bool has_what_it_names(const Scene& scene) {
  const auto has = [&](int material) {
    return material >= 0 && static_cast<std::size_t>(material) < scene.materials.size();
  };
  return (scene.simulation.dimension == 2 || scene.simulation.dimension == 3) &&
         std::all_of(scene.bodies.begin(), scene.bodies.end(),
                     [&](const Body& body) { return has(body.material); }) &&
         std::all_of(scene.sources.begin(), scene.sources.end(),
                     [&](const Source& source) { return has(source.material); });
}

}  // namespace

const Scene& validated(const Scene& scene) {
  validate(scene);
  return scene;
}

void require_particles(const Scene& scene, std::size_t particles) {
  const std::vector<std::string> unplaced = unplaced_bodies(scene);
  if (!unplaced.empty())
    throw Error(ErrorCategory::kScene, fmt::format("{}", fmt::join(unplaced, "\n")));
  if (particles > 0 || !scene.sources.empty() || scene.bodies.empty()) return;
  // Whether a body is empty is found in cells of a size that keeps it cheap, which thin ones
  // escape.
  std::vector<std::string> causes = body_warnings(scene);
  if (causes.empty())
    causes.push_back("its bodies are thinner than a particle; use a smaller grid.dx");
  throw Error(ErrorCategory::kScene,
              fmt::format("the scene has no particles: {}", fmt::join(causes, "; ")));
}

std::vector<std::string> scene_warnings(const Scene& scene) {
  if (!has_what_it_names(scene)) validate(scene);
  std::vector<std::string> warnings = mesh_warnings(scene);
  for (const auto& more :
       {body_warnings(scene), overlap_warnings(scene), solid_overlap_warnings(scene),
        shared_space_warnings(scene), transfer_warnings(scene), flow_warnings(scene),
        weight_warnings(scene), stiffness_warnings(scene), strength_warnings(scene),
        collider_warnings(scene), wall_warnings(scene), seam_warnings(scene), force_warnings(scene),
        idle_keys(scene)})
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
