// Symplectic Euler: velocities from the forces of the present configuration, positions from the new
// velocities [T 2.2].
#pragma once

#include "src/stages/body_force.h"
#include "src/stages/grid_boundary.h"
#include "src/stages/layout.h"
#include "src/stages/node_transfer.h"

namespace firn {

template <class Exec, int D, class Real>
struct ExplicitIntegrator {
  using Context = StepContext<Exec, D, Real>;
  ExplicitIntegrator(const Scene& scene, Context& c) : context(c), body_force(scene, c) {}

  // Waits for nothing that the device has to say, so that a step may be captured.
  static constexpr bool can_be_captured() { return true; }

  void enqueue() {
    body_force.kick_what_is_on_the_grid();
    layout.enqueue();
    context.choose_time_step(!context.fused      ? StepPlan::kAhead
                             : body_force.acts() ? StepPlan::kFusedWithVelocities
                                                 : StepPlan::kFused);
    transfer.carry();
    context.mark(kClockRebuild);
    body_force.kick_particles();
    energies.before_transfer();
    transfer.scatter();
    context.mark(kClockP2G);
    transfer.update();
    boundary.enqueue(energies.of_blocks());
    energies.after_grid();
    context.mark(kClockGrid);
    transfer.gather();
    stress.enqueue();
    energies.after_transfer();
  }

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(body_force), f(sums), f(energies), f(stress), f(transfer), f(boundary);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  BodyForceStage<Exec, D, Real> body_force;
  ParticleSums<Exec, D, Real> sums{context};
  EnergyStage<Exec, D, Real> energies{context, sums};
  ParticleStress<Exec, D, Real> stress{context, energies};
  NodeTransfer<Exec, D, Real> transfer{context, energies, stress};
  GridBoundaryStage<Exec, D, Real> boundary{context};
};

}  // namespace firn
