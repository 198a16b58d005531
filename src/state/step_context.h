// What the stages of a step work on: a scene's numbers, its particles, grid and bodies in a
// backend's memory, the control block that the device and the host share, and which part of the
// domain that is.
#pragma once

#include <memory>
#include <utility>

#include "kernels/step/step.h"
#include "kernels/transfer/tile.h"
#include "src/scene/same_time.h"
#include "src/state/collider_store.h"
#include "src/state/grid_store.h"
#include "src/state/heat_model.h"
#include "src/state/particle_store.h"
#include "src/state/partition.h"
#include "src/state/scene_params.h"
#include "src/state/velocity_fields.h"

namespace firn {

// The clocks of StageTimes, in its order.
enum StageClock {
  kClockRebuild,
  kClockP2G,
  kClockGrid,
  kClockG2P,
  kClockConstitutive,
  kClockFused,
  kClockOther
};

template <class Exec, int D, class Real>
struct StepContext {
  using Backend = Exec;
  using Number = Real;
  static constexpr int kDimension = D;

  // Velocities live on the nodes of the grid, or on the faces of its cells. Without `part` the
  // domain is whole. Throws Error{kScene} where a scene cannot be split.
  StepContext(const Scene& scene, std::unique_ptr<Exec> backend,
              std::unique_ptr<Partition<Real>> part = nullptr)
      : exec_owner(std::move(backend)),
        exec(*exec_owner),
        partition(part ? std::move(part) : std::make_unique<WholeDomain<Real>>()),
        fused(!partition->is_split() && fuses_steps(scene, Exec::kIsCuda)),
        params(scene),
        particles(exec, channel_needs(scene, fused)),
        grid(exec, scene.grid.dx, periodic_blocks<D>(scene), params.limits.materials,
             params.transfer.staggered ? D : 1, params.transfer.separate_force,
             fused ? wide_parities(params.transfer.degree, D) : 0),
        bodies(exec, scene),
        fields(exec, scene),
        control(exec, 1),
        limits(exec, std::span<const StepLimits>(&params.limits, 1)),
        long_steps(traits_of(scene).staggered || traits_of(scene).implicit),
        dt_max(params.limits.dt_max),
        same(same_time(scene)) {
    std::vector<int> linear;
    if (channel_needs(scene).coefficient_modes > 0)
      for (int a = 0; a < D; ++a) linear.push_back(linear_mode(params.transfer.set, D, a));
    particles.set_linear_modes(linear, scene.grid.dx);
    if (traits_of(scene).unified) heat_model = HeatModel<Real>(scene);
    particles.set_heat_model(heat_model);
    if (partition->is_split()) require_splittable(scene);
    if (partition->is_split()) grid.widen_halo(halo_of_contact());
    StepControl c{};
    c.fault = ~std::uint64_t{0};
    write(c);
  }

  StepControl* step() { return control.data(); }
  StepControl read() const { return control.first(); }
  void write(const StepControl& c) { control.upload(std::span<const StepControl>(&c, 1)); }
  std::uint32_t max_blocks() const { return grid.capacity(); }
  LaunchRange blocks() { return {{&step()->n_blocks, max_blocks()}, &step()->stop}; }
  // Before steps from `time` (s) to `target`, where nothing runs: bodies are where they are then,
  // and no surface moves further in a step than particles may. Returns until when steps may be
  // made.
  double follow_bodies(double time, double target) {
    time += same;  // what begins by then has begun
    const double shown = bodies.deform(time);
    // Explicit steps are short anyhow, but for bodies that cross a cell within the longest.
    const bool keyed =
        long_steps || bodies.fastest() * params.limits.dt_max > params.limits.cfl * params.dx;
    const double speed = (keyed ? bodies.fastest(time) : 0) + bodies.fastest_deforming();
    StepLimits now = params.limits;
    if (speed > 0)
      now.dt_max = std::min(now.dt_max, std::max(now.cfl * now.dx / speed, 2 * now.dt_min));
    if (now.dt_max != dt_max) {
      exec.synchronize();
      limits.upload(std::span<const StepLimits>(&now, 1));
      dt_max = now.dt_max;
    }
    return first_of(target, keyed ? std::min(shown, bodies.next_key(time)) : shown, same);
  }
  // Walls, bodies and gravity as kernels take them.
  GridUpdateParams<Real, D> boundaries() {
    GridUpdateParams<Real, D> update = params.update;
    update.degree = params.transfer.degree;
    bodies.fill(update);
    return update;
  }
  void choose_time_step(StepPlan plan) {
    half_way = true;
    if (!partition->is_split()) return begin_step(exec, limits.data(), plan, step());
    StepControl c = read();
    const std::uint32_t own = c.n_particles;
    partition->reduce(c);
    write(c);
    begin_step(exec, limits.data(), plan, step());
    c = read();
    c.n_particles = own;
    write(c);
  }
  // What one partition has found all of them know from then on.
  void agree() {
    if (!partition->is_split()) return;
    StepControl c = read();
    const std::uint32_t own = c.n_particles;
    partition->reduce(c);
    c.n_particles = own;
    write(c);
  }
  void mark(StageClock clock) { exec.mark(clock); }
  // What a step launches is another thing from now on.
  void changed() { ++version; }

  std::unique_ptr<Exec> exec_owner;
  Exec& exec;
  std::unique_ptr<Partition<Real>> partition;
  bool fused;
  SceneParams<D, Real> params;
  HeatModel<Real> heat_model;  // empty unless the scene is thermal
  ParticleStore<Exec, D, Real> particles;
  GridStore<Exec, D, Real> grid;
  ColliderStore<Exec, D, Real> bodies;
  VelocityFieldStore<Exec, Real> fields;
  Buffer<Exec, StepControl> control;
  Buffer<Exec, StepLimits> limits;
  bool long_steps;
  double dt_max;  // that `limits` has
  double same;    // s, see same_time
  // A step has begun: what fails before it is launched as a whole leaves no state.
  bool half_way = false;
  std::uint64_t version = 0;

 private:
  // Nodes of its own particles then have beside them all that others' particles leave there: next
  // to them, and where nodes depend on others, all dependents of those.
  BlockHalo halo_of_contact() const {
    if (bodies.finds_dependents()) return {1, 2};
    return bodies.finds_surfaces() || params.update.walls.mirrors_any() ? BlockHalo{1, 1}
                                                                        : BlockHalo{};
  }
  // Faces need halos within their solvers, and bodies the sum of their contacts before they move.
  static void require_splittable(const Scene& scene) {
    const bool moved = std::any_of(scene.colliders.begin(), scene.colliders.end(),
                                   [](const Collider& c) { return c.dynamics.has_value(); });
    if (traits_of(scene).staggered || traits_of(scene).implicit || moved || !scene.forces.empty() ||
        !scene.contacts.empty())
      throw Error(ErrorCategory::kScene,
                  "a domain can be split for integrator = \"explicit\" only, and without colliders "
                  "that material moves, forces beside gravity or contact between materials");
  }
};

}  // namespace firn
