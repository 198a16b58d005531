#include "src/state/batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/scene/expression.h"
#include "src/scene/phases.h"

namespace firn {

namespace {

ParticleBatch batch_of(const Scene& scene, const CompiledShape& shape, int material,
                       double wanted_per_cell, Sampling sampling, std::uint64_t seed,
                       const SamplingWatch& watch = {}) {
  const Samples samples = sample_shape(
      shape, scene.grid.dx, particles_per_cell(wanted_per_cell, scene.simulation.dimension),
      sampling, seed, watch);
  ParticleBatch batch;
  batch.material = static_cast<std::uint32_t>(material);
  batch.position = samples.positions;
  batch.volume = samples.particle_volume();
  batch.mass = batch.volume * scene.materials[static_cast<std::size_t>(material)].density;
  return batch;
}

Vec3 cross_product(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3 mean_of(const std::vector<Vec3>& points) {
  Vec3 mean{};
  for (const Vec3& p : points)
    for (int a = 0; a < 3; ++a) mean[a] += p[a] / static_cast<double>(points.size());
  return mean;
}

// Velocity at x: the body's field plus its spin about its centre of mass.
class InitialVelocity {
 public:
  InitialVelocity(const Body& body, const Vec3& centre, int dimension)
      : field_(body.velocity),
        spin_(body.angular_velocity),
        centre_(centre),
        dimension_(dimension) {}

  Vec3 operator()(const Vec3& x) {
    Vec3 v = field_.vector(x, 0.0);
    const Vec3 turn =
        cross_product(spin_, {x[0] - centre_[0], x[1] - centre_[1], x[2] - centre_[2]});
    for (int a = 0; a < dimension_; ++a) v[a] += turn[a];
    for (int a = dimension_; a < 3; ++a) v[a] = 0;
    return v;
  }
  // Central differences: exact for the linear fields that affine modes carry.
  std::array<double, 9> gradient(const Vec3& x, double h) {
    std::array<double, 9> g{};
    for (int b = 0; b < dimension_; ++b) {
      Vec3 ahead = x, behind = x;
      ahead[b] += h;
      behind[b] -= h;
      const Vec3 up = (*this)(ahead), down = (*this)(behind);
      for (int a = 0; a < dimension_; ++a) g[a * 3 + b] = (up[a] - down[a]) / (2 * h);
    }
    return g;
  }

 private:
  FieldEvaluator field_;
  Vec3 spin_, centre_;
  int dimension_;
};

}  // namespace

double particles_per_cell(double wanted, int dimension) {
  return wanted > 0 ? wanted : dimension == 2 ? 4 : 8;
}

void warm(const Scene& scene, const std::string& owner, const ScalarField& temperature,
          ParticleBatch& batch) {
  if (!scene.solves_heat()) return;
  const FieldEvaluator field(temperature);
  for (const Vec3& x : batch.position) {
    const double T = batch.temperature.emplace_back(field.scalar(x, 0.0));
    std::optional<std::string> problem;
    if (!(T > 0 && std::isfinite(T)))
      problem = fmt::format("'temperature' must be > 0 K and finite, found {:.4g}", T);
    else if (batch.phase)
      problem = phase_conflict(scene.materials[batch.material], *batch.phase, T);
    if (!problem) continue;
    const auto end = x.begin() + scene.simulation.dimension;
    throw Error(ErrorCategory::kScene, fmt::format("{} at [{:.4g}]: {}", owner,
                                                   fmt::join(x.begin(), end, ", "), *problem));
  }
}

bool is_uniform(const Body& body) {
  for (double w : body.angular_velocity)
    if (w != 0) return false;
  for (const ScalarField& component : body.velocity.component)
    if (!component.expression.empty()) return false;
  return true;
}

ParticleBatch fill_body(const Scene& scene, std::size_t index, const SamplingWatch& watch) {
  const Body& body = scene.bodies[index];
  const int d = scene.simulation.dimension;
  const CompiledShape shape = compile_shape(body.shape, d, scene.grid.dx);
  require_bounded(shape, "body \"" + body.name + "\"");
  ParticleBatch batch =
      batch_of(scene, shape, body.material, body.particles_per_cell, body.sampling,
               scene.simulation.seed + 0x9e3779b97f4a7c15ull * index, watch);
  // The shape is what the body fills when it is stretched; density and volume are those at rest.
  const double stretched = std::pow(body.stretch, d);
  batch.volume /= stretched;
  batch.mass *= body.density_scale / stretched;
  batch.stretch = body.stretch;
  batch.initial = initial_stress(scene, body, batch.position);
  for (const double ratio : batch.initial.volume_ratios)
    batch.stretch = std::min(batch.stretch, std::pow(ratio, 1.0 / d));
  batch.velocity.resize(batch.position.size());
  const bool uniform = is_uniform(body);
  if (!uniform) batch.gradient.resize(batch.position.size());
  InitialVelocity velocity(body, mean_of(batch.position), d);
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  for (std::size_t i = 0; i < batch.position.size(); ++i) {
    const Vec3& x = batch.position[i];
    batch.velocity[i] = velocity(x);
    if (!uniform) batch.gradient[i] = velocity.gradient(x, 1e-3 * scene.grid.dx);
    if (finite(batch.velocity[i]) && (uniform || finite(batch.gradient[i]))) continue;
    throw Error(ErrorCategory::kScene,
                fmt::format("body \"{}\": its velocity, or how it changes from place to place, is "
                            "not finite at [{:.4g}]",
                            body.name, fmt::join(x.begin(), x.begin() + d, ", ")));
  }
  batch.phase = body.phase;
  warm(scene, "body \"" + body.name + "\"", body.temperature, batch);
  return batch;
}

// Blue noise with a seed of its own: on a lattice, or in the pattern of the particles, tracers
// would stay in rows for as long as the flow is smooth.
std::vector<Vec3> fill_tracers(const Scene& scene, std::size_t index) {
  if (!scene.tracers.fills(static_cast<int>(index))) return {};
  const Body& body = scene.bodies[index];
  const CompiledShape shape = compile_shape(body.shape, scene.simulation.dimension, scene.grid.dx);
  require_bounded(shape, "body \"" + body.name + "\"");
  return sample_moved(shape, scene.grid.dx, scene.tracers.per_cell, Sampling::kPoisson,
                      scene.simulation.seed + 0xa0761d6478bd642full * (index + 1), {});
}

}  // namespace firn
