// Backward Euler by optimisation: velocities of nodes at the end of a step minimise its incremental
// potential [T App. A], and particles move with them.
#pragma once

#include "src/stages/body_force.h"
#include "src/stages/implicit_forces.h"
#include "src/stages/layout.h"
#include "src/stages/node_transfer.h"
#include "src/stages/particle_positions.h"

namespace firn {

template <class Exec, int D, class Real>
struct ImplicitIntegrator {
  using Context = StepContext<Exec, D, Real>;
  ImplicitIntegrator(const Scene& scene, Context& c)
      : context(c),
        body_force(scene, c),
        forces(scene, c, stress.laws(), retry),
        positions(scene, c) {}

  static constexpr bool can_be_captured() { return false; }

  void enqueue() {
    layout.enqueue();
    context.choose_time_step(StepPlan::kFresh);
    context.mark(kClockRebuild);
    body_force.kick_particles();
    transfer.scatter();
    context.mark(kClockP2G);
    if (forces.enqueue()) retry.succeed();
    context.mark(kClockGrid);
    positions.begin();
    transfer.gather([&] { positions.enqueue(); });
    stress.enqueue();
  }

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(body_force), f(sums), f(energies), f(stress), f(transfer), f(retry), f(forces),
        f(positions);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  BodyForceStage<Exec, D, Real> body_force;
  ParticleSums<Exec, D, Real> sums{context};
  EnergyStage<Exec, D, Real> energies{context, sums};
  ParticleStress<Exec, D, Real> stress{context, energies};
  NodeTransfer<Exec, D, Real> transfer{context, energies, stress};
  Retry<Exec, D, Real> retry{context};
  ImplicitForces<Exec, D, Real> forces;
  ParticlePositionsStage<Exec, D, Real> positions;
};

}  // namespace firn
