// What a scene will need, from its shapes alone: no device, no stepping.
#include <cmath>
#include <set>

#include "firn/error.h"
#include "firn/simulation.h"
#include "kernels/exec/backend.h"
#include "kernels/particles/totals.h"
#include "kernels/transfer/spline.h"
#include "src/sim/batch.h"
#include "src/sim/grid_store.h"
#include "src/sim/particle_store.h"
#include "src/sim/scene_params.h"

namespace firn {

namespace {

template <int D>
std::int64_t count_blocks(const Scene& scene, const std::vector<ParticleBatch>& batches) {
  const double inv_dx = 1 / scene.grid.dx, shift = stencil_shift<double>(scene.transfer.kernel);
  std::set<std::uint64_t> blocks;
  std::uint64_t last = kEmptyKey;
  for (const ParticleBatch& batch : batches)
    for (const Vec3& x : batch.position) {
      Vec<int, D> home;
      for (int a = 0; a < D; ++a)
        home[a] = axis_base(x[static_cast<std::size_t>(a)], inv_dx, shift).node >> BlockTraits<D>::kShift;
      const std::uint64_t key = block_key<D>(home);
      if (key == last) continue;
      last = key;
      for (int c = 0; c < BlockTraits<D>::kCorners; ++c) blocks.insert(block_key<D>(corner_block<D>(home, c)));
    }
  return static_cast<std::int64_t>(blocks.size());
}

struct Tightest {
  double dt;
  DtLimit limit;
  std::string material;
  void consider(double candidate, DtLimit why, const std::string& who = {}) {
    if (!(candidate < dt)) return;
    dt = candidate;
    limit = why;
    material = who;
  }
};

template <int D>
double rest_wave_speed(const Material& material, double stretch) {
  const auto params = make_material_params<double>(material, D);
  MaterialState<double, D> rest;
  rest.F = Mat<double, D>::scaled_identity(stretch);
  initial_plastic_state<double, D>(params, rest.plastic);
  return std::sqrt(respond(params, rest).wave_modulus / params.density);
}

template <int D>
void estimate_step(const Scene& scene, const std::vector<ParticleBatch>& batches, SceneEstimate& e) {
  const StepLimits limits = step_limits(scene);
  Tightest tightest{limits.dt_max, DtLimit::kMaximum, {}};
  for (const ParticleBatch& batch : batches) {
    const Material& material = scene.materials[batch.material];
    tightest.consider(limits.cfl_material * limits.dx / rest_wave_speed<D>(material, batch.stretch),
                      DtLimit::kWaveSpeed, material.name);
    tightest.consider(limits.viscous_dt[batch.material], DtLimit::kViscosity, material.name);
    double fastest = 0;
    for (const Vec3& v : batch.velocity) fastest = std::max(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    tightest.consider(limits.cfl * limits.dx / std::sqrt(fastest), DtLimit::kVelocity);
  }
  e.dt_limit = tightest.dt;
  e.limited_by = tightest.limit;
  e.limiting_material = tightest.material;
}

template <int D, class Real>
void estimate_memory(const Scene& scene, SceneEstimate& e) {
  Cpu exec(1);
  const auto materials = static_cast<std::uint32_t>(scene.materials.size());
  const ParticleStore<Cpu, D, Real> particles(exec, channel_needs(scene));
  const GridStore<Cpu, D, Real> grid(exec, scene.grid.dx, materials, transfer_params(scene).separate_force);
  // Each block of each material ends with a chunk that is half empty on average; growing keeps an eighth in reserve.
  const double slots = 1.125 * (static_cast<double>(e.particles) + 0.5 * kLanes * static_cast<double>(e.blocks));
  e.particle_bytes = static_cast<std::size_t>(slots * static_cast<double>(particles.bytes_per_slot()));
  e.grid_bytes = static_cast<std::size_t>(1.125 * static_cast<double>(e.blocks) *
                                          static_cast<double>(grid.bytes_per_block()));
  e.scratch_bytes = static_cast<std::size_t>(slots / kLanes) * ((kTotalsColumns + 2) * sizeof(double));
}

}  // namespace

SceneEstimate estimate(const Scene& scene) {
  std::vector<ParticleBatch> batches;
  SceneEstimate e;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    batches.push_back(fill_body(scene, b));
    e.particles_per_body.push_back(static_cast<std::int64_t>(batches.back().position.size()));
    e.particles += e.particles_per_body.back();
  }
  for (std::size_t s = 0; s < scene.sources.size(); ++s) batches.push_back(fill_source(scene, s).batch);
  e.bounds_min.fill(std::numeric_limits<double>::infinity());
  e.bounds_max.fill(-std::numeric_limits<double>::infinity());
  for (const ParticleBatch& batch : batches)
    for (const Vec3& x : batch.position)
      for (std::size_t a = 0; a < 3; ++a) {
        e.bounds_min[a] = std::min(e.bounds_min[a], x[a]);
        e.bounds_max[a] = std::max(e.bounds_max[a], x[a]);
      }
  const bool flat = scene.simulation.dimension == 2, single = scene.simulation.precision == Precision::kSingle;
  e.blocks = flat ? count_blocks<2>(scene, batches) : count_blocks<3>(scene, batches);
  if (flat) {
    estimate_step<2>(scene, batches, e);
    single ? estimate_memory<2, float>(scene, e) : estimate_memory<2, double>(scene, e);
  } else {
    estimate_step<3>(scene, batches, e);
    single ? estimate_memory<3, float>(scene, e) : estimate_memory<3, double>(scene, e);
  }
  return e;
}

}  // namespace firn
