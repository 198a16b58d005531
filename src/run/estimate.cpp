// What a scene will need, from its shapes alone: no device, no stepping.
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "firn/error.h"
#include "firn/simulation.h"
#include "kernels/exec/backend.h"
#include "kernels/grid/update.h"
#include "kernels/liquid/position_correction.h"
#include "kernels/materials/constitutive.h"
#include "kernels/particles/totals.h"
#include "kernels/stress/energy.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"
#include "src/run/start_checks.h"
#include "src/run/with_precision.h"
#include "src/scene/boundary_types.h"
#include "src/scene/sampling.h"
#include "src/solvers/deviatoric_solver.h"
#include "src/solvers/elliptic_solver.h"
#include "src/solvers/newton_solver.h"
#include "src/stages/body_force.h"
#include "src/stages/moved_bodies.h"
#include "src/stages/particle_positions.h"
#include "src/stages/particle_pressure.h"
#include "src/stages/tracers.h"
#include "src/state/batch.h"
#include "src/state/capacity.h"
#include "src/state/channel_plan.h"
#include "src/state/collider_store.h"
#include "src/state/grid_store.h"
#include "src/state/heat_store.h"
#include "src/state/mac_store.h"
#include "src/state/scene_params.h"
#include "src/state/source_flow.h"
#include "src/state/velocity_fields.h"

namespace firn {
namespace {

// A body's particles, or for a quick estimate those that it would have on a grid `thinned` times as
// coarse, each of which stands for thinned^d.
struct Fill {
  ParticleBatch batch;
  int thinned = 1;
  std::optional<double> known;  // how many there are, where the shape tells

  double particles(int dimension) const { return known.value_or(found(dimension)); }
  double found(int dimension) const {
    return static_cast<double>(batch.position.size()) * std::pow(thinned, dimension);
  }
};

// Bodies of more particles are thinned to about so many.
constexpr double kMostFilled = 100'000, kThinned = 30'000;

Fill thin_fill(const Scene& scene, std::size_t index) {
  const Body& body = scene.bodies[index];
  const int d = scene.simulation.dimension;
  const double dx = scene.grid.dx;
  const CompiledShape outline = outline_shape(body.shape, d, dx);
  require_bounded(outline, "body \"" + body.name + "\"");
  const double longest = coarse_spacing(outline, 0, 1);
  if (!(longest > 0)) return {fill_body(scene, index), 1, {}};
  const double per_cell = body.particles_per_cell > 0 ? body.particles_per_cell : 1 << d;
  // A box so small needs no closer look, and there may be thousands of them.
  double most = per_cell;
  for (int a = 0; a < d; ++a) most *= (outline.max[a] - outline.min[a]) / dx;
  if (most <= kMostFilled) return {fill_body(scene, index), 1, {}};
  constexpr double kCells = 32;  // along the longest side, for the volume
  const auto coarse_volume = [&] {
    const double spacing = coarse_spacing(outline, dx, kCells);
    return shape_volume(compile_shape(body.shape, d, spacing), longest / kCells);
  };
  const std::optional<double> known = enclosed_volume(body.shape, d);
  const double particles = (known ? *known : coarse_volume()) * per_cell / std::pow(dx, d);
  if (particles <= kMostFilled) return {fill_body(scene, index), 1, {}};
  // What is thin, a hollow mesh say, shows on a finer grid only; that must not cost too much
  // either.
  constexpr double kMostMissed = 0.5, kMostAcross = 96;
  int thinned = static_cast<int>(std::ceil(std::pow(particles / kThinned, 1.0 / d)));
  for (;; thinned = (thinned + 1) / 2) {
    Scene coarse = scene;
    coarse.grid.dx *= thinned;
    Fill fill{fill_body(coarse, index), thinned, {}};
    if (known && thinned > 1) fill.known = particles;
    const double next_across = 2 * longest / coarse.grid.dx;
    if (fill.found(d) >= kMostMissed * particles || thinned == 1 || next_across > kMostAcross)
      return fill;
  }
}

std::size_t count_tracers(const Scene& scene, std::size_t body, int thinned) {
  if (thinned == 1) return fill_tracers(scene, body).size();
  Scene coarse = scene;
  coarse.grid.dx *= thinned;
  return fill_tracers(coarse, body).size();
}

// What the first layout will count: blocks with their halo, and chunks per (block, material).
struct LayoutCounts {
  std::uint64_t homes = 0;  // blocks with particles
  std::uint64_t blocks = 0, chunks = 0;
};

template <int D, class Real>
LayoutCounts count_layout(const Scene& scene, const PeriodicBlocks& periodic, double dx,
                          std::span<const ParticleBatch* const> batches, bool fused) {
  const auto inv_dx = static_cast<Real>(1 / dx), shift = home_shift<Real>(transfer_params(scene));
  const VelocityFields fields = velocity_fields(scene);
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> bins;
  for (const ParticleBatch* const b : batches)
    for (const ParticleBatch& batch = *b; const Vec3& x : batch.position) {
      Vec<int, D> home;
      for (int a = 0; a < D; ++a) {
        const auto position = static_cast<Real>(x[static_cast<std::size_t>(a)]);
        home[a] = axis_base(position, inv_dx, shift).node >> BlockTraits<D>::kShift;
      }
      ++bins[{block_key<D>(periodic.wrapped(home), fields.field_of(batch.material)),
              batch.material}];
    }
  std::set<std::uint64_t> blocks;
  LayoutCounts counts;
  counts.homes = bins.size();
  for (const auto& [bin, particles] : bins) {
    counts.chunks += (particles + kLanes - 1) / kLanes;
    const std::uint64_t key = bin.first;
    const Vec<int, D> home = block_of_key<D>(key);
    const auto enter = [&](const Vec<int, D>& block) {
      blocks.insert(key_beside<D>(key, periodic.wrapped(block)));
    };
    if (fused)
      for (int n = 0; n < int_power(3, D); ++n) enter(neighbour_block<D>(home, n));
    else
      for (int c = 0; c < BlockTraits<D>::kCorners; ++c) enter(corner_block<D>(home, c));
  }
  counts.blocks = blocks.size();
  return counts;
}

// Blocks of edge s that a body meets, times their volume, are its volume and what sticks out along
// its surface, edges and corners: V + a s + b s^2 + c s^3. Volumes with blocks of 1, 2 and 4 times
// an edge that the thinned particles can fill give a, b and c.
double volume_of_blocks(double volume, double edge, const std::array<double, 3>& of_edges) {
  const double y1 = of_edges[0] - volume, y2 = of_edges[1] - volume, y3 = of_edges[2] - volume;
  const double c = (y3 - 6 * y2 + 8 * y1) / 24, b = (y2 - 2 * y1 - 6 * c) / 2, a = y1 - b - c;
  return std::max(volume, volume + edge * (a + edge * (b + edge * c)));
}

template <int D, class Real>
LayoutCounts thinned_layout(const Scene& scene, const Fill& fill, bool fused) {
  const ParticleBatch* const batches[] = {&fill.batch};
  const auto count = [&](int scale) {
    return count_layout<D, Real>(scene, {}, scene.grid.dx * scale, batches, fused);
  };
  const std::array<LayoutCounts, 3> counts{count(fill.thinned), count(2 * fill.thinned),
                                           count(4 * fill.thinned)};
  const double per_cell = scene.grid.dx * fill.thinned, n = fill.particles(D);
  // In blocks of the grid; a block of the thinned grid is `unit` of them.
  const double cells = std::pow(per_cell, D), unit = std::pow(fill.thinned, D);
  const double filled = static_cast<double>(fill.batch.position.size()) * fill.batch.volume /
                        cells / BlockTraits<D>::kNodes * unit;
  const auto at_grid = [&](std::uint64_t LayoutCounts::*kind) {
    std::array<double, 3> volumes{};
    for (std::size_t i = 0; i < 3; ++i)
      volumes[i] = static_cast<double>(counts[i].*kind) * unit * int_power(1 << i, D);
    return volume_of_blocks(filled, 1.0 / fill.thinned, volumes);
  };
  const double homes = at_grid(&LayoutCounts::homes);
  // Chunks that are not full: as many per block as the thinned particles have.
  const double spare = (static_cast<double>(counts[0].chunks) -
                        static_cast<double>(fill.batch.position.size()) / kLanes) /
                       std::max(1.0, static_cast<double>(counts[0].homes));
  return {static_cast<std::uint64_t>(homes),
          static_cast<std::uint64_t>(at_grid(&LayoutCounts::blocks)),
          static_cast<std::uint64_t>(n / kLanes + spare * homes)};
}

// Bodies that are not thinned share their blocks.
template <int D, class Real>
LayoutCounts layout_of(const Scene& scene, std::span<const Fill> fills, bool fused) {
  std::vector<const ParticleBatch*> whole;
  for (const Fill& fill : fills)
    if (fill.thinned == 1) whole.push_back(&fill.batch);
  LayoutCounts all =
      count_layout<D, Real>(scene, periodic_blocks<D>(scene), scene.grid.dx, whole, fused);
  for (const Fill& fill : fills) {
    if (fill.thinned == 1) continue;
    const LayoutCounts more = thinned_layout<D, Real>(scene, fill, fused);
    all.blocks += more.blocks;
    all.chunks += more.chunks;
  }
  return all;
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

// Of what an explicit step resolves: the thermal integrator leaves volume to its projection, and
// liquid has no other waves.
template <int D>
double wave_speed(const Material& material, const ParticleBatch& batch,
                  const std::optional<HeatModel<double>>& heat, bool hardened) {
  const auto params =
      heat ? deviatoric_params<double>(material, D) : make_material_params<double>(material, D);
  MaterialState<double, D> rest;
  rest.F = Mat<double, D>::scaled_identity(batch.stretch);
  start_history<double, D>(params.model, rest.history, batch.stretch);
  if (hardened && params.model == MaterialModel::kSnow) rest.history[0] = Snow::kLeastPlasticVolume;
  const double stiffness = heat ? heat->stiffest(batch.material, 0, batch.position.size(),
                                                 batch.phase, batch.temperature)
                                : 1;
  return std::sqrt(stiffness * respond(params, rest).wave_modulus / params.density);
}

template <int D>
Tightest tightest_step(const Scene& scene, std::span<const Fill> fills, bool hardened) {
  const StepLimits limits = step_limits(scene);
  std::optional<HeatModel<double>> heat;
  if (traits_of(scene).unified) heat.emplace(scene);
  Tightest tightest{limits.dt_max, DtLimit::kMaximum, {}};
  for (const Fill& fill : fills) {
    const ParticleBatch& batch = fill.batch;
    const Material& material = scene.materials[batch.material];
    if (!has_implicit_forces(scene)) {
      const double speed = wave_speed<D>(material, batch, heat, hardened);
      const double density = relative_density(batch, material.density);
      tightest.consider(limits.cfl_material * limits.dx * std::sqrt(density) / speed,
                        DtLimit::kWaveSpeed, material.name);
      tightest.consider(limits.viscous_dt[batch.material] * density, DtLimit::kViscosity,
                        material.name);
    }
    double fastest = 0;
    for (const Vec3& v : batch.velocity)
      fastest = std::max(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    tightest.consider(limits.cfl * limits.dx / std::sqrt(fastest), DtLimit::kVelocity);
  }
  return tightest;
}

template <int D>
void estimate_step(const Scene& scene, std::span<const Fill> fills, SceneEstimate& e) {
  const Tightest tightest = tightest_step<D>(scene, fills, false);
  e.dt_hardened = tightest_step<D>(scene, fills, true).dt;
  e.dt_limit = tightest.dt;
  e.limited_by = tightest.limit;
  e.limiting_material = tightest.material;
}

// A simulation counts in 32 bits. What none can hold is told in proportion to a part of it: counts
// over 2^halvings.
int halvings(std::uint64_t most) {
  constexpr std::uint64_t kCounted = std::uint64_t{1} << 30;
  int n = 0;
  while (most >> n > kCounted) ++n;
  return n;
}

// Chunks that the bodies' batches and then the first layout make a simulation allocate.
std::uint32_t chunk_capacity(const SceneEstimate& e, int halved, std::uint32_t needed) {
  std::uint32_t capacity = 1, present = 0;
  for (std::int64_t particles : e.particles_per_body) {
    const auto added = static_cast<std::uint32_t>(((particles >> halved) + kLanes - 1) / kLanes);
    if (added > 0 && present + added > capacity) capacity = chunks_after_append(present, added);
    present += added;
  }
  return needed > capacity ? with_room(needed) : capacity;
}

template <class Grid>
std::uint32_t block_capacity(std::uint32_t particles, std::uint32_t needed) {
  std::uint32_t capacity = initial_blocks(particles);
  // A hash that is full cannot count what is needed.
  while (needed > Grid::hash_places(capacity)) capacity *= 2;
  return needed > capacity ? with_room(needed) : capacity;
}

// What integrators that solve hold beside the grid.
template <int D, class Real>
std::size_t solver_bytes(const Scene& scene, std::uint32_t blocks, std::size_t chunks) {
  using Solver = EllipticSolver<Cpu, D, Real>;
  const bool unified = traits_of(scene).unified;
  if (traits_of(scene).implicit)
    return NewtonSolver<Cpu, D, Real>::bytes_for(scene, blocks, chunks, traits_of(scene).linear) +
           ParticlePositionsStage<Cpu, D, Real>::bytes_for(scene, chunks);
  if (!traits_of(scene).staggered) return 0;
  std::size_t sum = MacStore<Cpu, D, Real>::bytes_for(
                        blocks, (unified || solves_viscosity(scene)) &&
                                    has_boundary_type(scene, BoundaryType::kSticky)) +
                    Solver::bytes_for(blocks, unified) +
                    ParticlePressureStage<Cpu, D, Real>::bytes_for(chunks) +
                    MovedBodies<Cpu, D, Real>::bytes_for(scene, blocks);
  if (unified) sum += HeatStore<Cpu, D, Real>::bytes_for(blocks, !scene.heat_sources.empty());
  if (scene.solves_heat()) sum += Solver::bytes_for(blocks, true);
  if (solves_deviatoric(scene))
    sum += DeviatoricSolver<Cpu, D, Real>::bytes_for(blocks, chunks, stretch_components<D>());
  if (solves_viscosity(scene)) sum += DeviatoricSolver<Cpu, D, Real>::bytes_for(blocks, chunks, 1);
  return sum;
}

template <int D, class Real>
void estimate_memory(const Scene& scene, std::span<const Fill> fills, SceneEstimate& e) {
  using Grid = GridStore<Cpu, D, Real>;
  Cpu exec(1);
  const bool fused = fuses_steps(scene, false);
  const LayoutCounts counts = layout_of<D, Real>(scene, fills, fused);
  e.blocks = static_cast<std::int64_t>(counts.blocks);
  const int halved =
      halvings(std::max({static_cast<std::uint64_t>(e.particles), counts.blocks, counts.chunks}));
  const auto part = [=](auto n) { return static_cast<std::uint32_t>(n >> halved); };
  const auto materials = static_cast<std::uint32_t>(scene.materials.size());
  const ChannelPlan<D, Real> particles(channel_needs(scene, fused));
  const TransferParams transfer = transfer_params(scene);
  const Grid grid(exec, scene.grid.dx, {}, materials, transfer.staggered ? D : 1,
                  transfer.separate_force, fused ? wide_parities(transfer.degree, D) : 0);
  const std::size_t chunks = chunk_capacity(e, halved, part(counts.chunks));
  const std::uint32_t blocks = block_capacity<Grid>(part(e.particles), part(counts.blocks));
  e.particle_bytes = chunks * particles.bytes_per_chunk();
  e.state_bytes = std::size_t{part(counts.chunks)} * kLanes * particles.saved_bytes_per_slot();
  e.grid_bytes = grid.bytes_for(blocks) + solver_bytes<D, Real>(scene, blocks, chunks) +
                 BodyForceStage<Cpu, D, Real>::bytes_for(scene, chunks);
  e.tracer_bytes = Tracers<Cpu, D, Real>::bytes_for(static_cast<std::size_t>(e.tracers));
  // Energies per pack, the table of totals, reactions and energies per block, and shapes of bodies.
  const bool totals = scene.output.diagnostics != DiagnosticsLevel::kOff;
  const bool stages = scene.output.diagnostics == DiagnosticsLevel::kStages;
  const bool has_energies = !traits_of(scene).staggered;
  const bool has_fill = totals && !has_energies && !traits_of(scene).unified;
  const std::size_t energies = has_energies ? std::size_t{totals} + std::size_t{stages} : 0;
  const std::size_t per_chunk = energies * static_cast<std::size_t>(packs_per_chunk<Cpu, Real>()) +
                                (totals ? std::size_t{kTotalsColumns} : 0) +
                                (totals && traits_of(scene).unified ? kMaterialEnergies : 0);
  const ColliderStore<Cpu, D, Real> colliders(exec, scene);
  const VelocityFieldStore<Cpu, Real> fields(exec, scene);
  const std::size_t per_block = (stages ? kStageColumns : 0) + (has_fill ? kExcessColumns : 0);
  e.scratch_bytes = (chunks * per_chunk + blocks * per_block) * sizeof(double) +
                    blocks * (colliders.bytes_per_block() + fields.bytes_per_block()) +
                    colliders.bytes();
  for (std::size_t* bytes : {&e.particle_bytes, &e.grid_bytes, &e.scratch_bytes, &e.state_bytes})
    *bytes <<= halved;
  e.state_bytes += e.tracer_bytes;
}

}  // namespace

SceneEstimate estimate(const Scene& scene, EstimateMode mode) {
  validated(scene);
  const int d = scene.simulation.dimension;
  std::vector<Fill> fills;
  SceneEstimate e;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    fills.push_back(mode == EstimateMode::kExact ? Fill{fill_body(scene, b), 1, {}}
                                                 : thin_fill(scene, b));
    const Fill& fill = fills.back();
    e.particles_per_body.push_back(std::llround(fill.particles(d)));
    e.particles += e.particles_per_body.back();
    e.exact = e.exact && fill.thinned == 1;
    if (!traits_of(scene).carries_tracers) continue;
    e.tracers += std::llround(static_cast<double>(count_tracers(scene, b, fill.thinned)) *
                              std::pow(fill.thinned, d));
  }
  require_particles(scene, static_cast<std::size_t>(e.particles));
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    fills.push_back({SourceFlow(scene, s).batch(0), 1, {}});
  const auto at_start = std::span<const Fill>(fills).first(scene.bodies.size());
  e.bounds_min.fill(std::numeric_limits<double>::infinity());
  e.bounds_max.fill(-std::numeric_limits<double>::infinity());
  for (const Fill& fill : fills)
    for (const Vec3& x : fill.batch.position)
      for (std::size_t a = 0; a < 3; ++a) {
        e.bounds_min[a] = std::min(e.bounds_min[a], x[a]);
        e.bounds_max[a] = std::max(e.bounds_max[a], x[a]);
      }
  with_precision(scene.simulation.precision, [&](auto zero) {
    if (d == 2) {
      estimate_step<2>(scene, fills, e);
      estimate_memory<2, decltype(zero)>(scene, at_start, e);
    } else {
      estimate_step<3>(scene, fills, e);
      estimate_memory<3, decltype(zero)>(scene, at_start, e);
    }
  });
  return e;
}

}  // namespace firn
