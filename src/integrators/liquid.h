// An incompressible liquid by Chorin splitting on a MAC grid [APIC 6].
#pragma once

#include <algorithm>

#include "src/stages/body_force.h"
#include "src/stages/layout.h"
#include "src/stages/liquid_cells.h"
#include "src/stages/particle_pressure.h"
#include "src/stages/particle_sums.h"
#include "src/stages/position_correction.h"
#include "src/stages/tracers.h"
#include "src/stages/viscosity.h"

namespace firn {

template <class Exec, int D, class Real>
struct LiquidIntegrator {
  using Context = StepContext<Exec, D, Real>;
  LiquidIntegrator(const Scene& scene, Context& c)
      : context(c),
        body_force(scene, c),
        faces(c, {scene.fluid.free_surface == FreeSurface::kGhostFluid, false,
                  static_cast<Real>(common_specific_volume(scene)),
                  solves_viscosity(scene) && has_boundary_type(scene, BoundaryType::kSticky),
                  solves_viscosity(scene)}),
        inflow(scene, c),
        projection(scene, c, faces, inflow, retry),
        viscosity(scene, c, faces, projection, retry),
        bodies(c, faces),
        tracers(scene, c, faces),
        shears(viscosity.acts() ||
               std::any_of(scene.colliders.begin(), scene.colliders.end(), [](const Collider& of) {
                 return of.boundary == BoundaryType::kSticky;
               })) {
    if (bodies.count() > 0) projection.set_bodies(bodies);
  }

  static constexpr bool can_be_captured() { return false; }

  void enqueue() {
    layout.enqueue();
    context.choose_time_step(StepPlan::kFresh);
    context.mark(kClockRebuild);
    body_force.kick_particles();
    prepare();
    project();
    pressure.enqueue();
    correction.enqueue();
    faces.complete();
    if (viscosity.acts()) settle();
    context.mark(kClockGrid);
    faces.gather();
    tracers.enqueue();
    context.mark(kClockG2P);
  }

  // Up to what the projection starts from: velocities after body forces, cells of liquid.
  void prepare() {
    faces.scatter();
    context.mark(kClockP2G);
    faces.classify();
    faces.measure();
    cells.enqueue();
    faces.transpose_extrapolation();
    if (shears) projection.stress_bodies();
    bodies.free(shears);
    faces.accelerate();
    faces.fill_gaps();
  }
  void project() {
    if (projection.enqueue() && viscosity.couple()) {
      retry.succeed();
      inflow.count_work();
      projection.release_walls();
    }
    projection.push_bodies(shears);
    if (!viscosity.acts()) context.bodies.accumulate(context.max_blocks(), context.step());
    bodies.move();
  }
  // Faces that cling take the velocity that they were strained by; what bodies are told waits for
  // them.
  void settle() {
    if (faces.store().clinging() != nullptr) faces.extrapolate_strained();
    projection.settle_bodies();
    context.bodies.accumulate(context.max_blocks(), context.step());
  }

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(body_force), f(sums), f(faces), f(cells), f(retry), f(inflow), f(bodies),
        f(projection), f(viscosity), f(pressure), f(correction), f(tracers);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  BodyForceStage<Exec, D, Real> body_force;
  ParticleSums<Exec, D, Real> sums{context};
  FaceTransfer<Exec, D, Real> faces;
  LiquidCells<Exec, D, Real> cells{context, faces};
  Retry<Exec, D, Real> retry{context};
  Inflow<Exec, D, Real> inflow;
  Projection<Exec, D, Real> projection;
  ViscosityStage<Exec, D, Real> viscosity;
  MovedBodies<Exec, D, Real> bodies;
  ParticlePressureStage<Exec, D, Real> pressure{context, faces};
  PositionCorrection<Exec, D, Real> correction{context, faces, projection};
  Tracers<Exec, D, Real> tracers;
  bool shears;  // colliders, which then take up what faces along them lose
};

}  // namespace firn
