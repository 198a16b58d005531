// Solids and liquids of any compressibility in one pressure solve, with deviatoric stress on the
// faces and heat beside them [T 6]. Scenes call it "thermal".
#pragma once

#include <algorithm>

#include "src/scene/boundary_types.h"
#include "src/scene/phases.h"
#include "src/stages/body_force.h"
#include "src/stages/deviatoric.h"
#include "src/stages/heat.h"
#include "src/stages/layout.h"
#include "src/stages/liquid_cells.h"
#include "src/stages/material_energies.h"
#include "src/stages/particle_pressure.h"
#include "src/stages/particle_sums.h"
#include "src/stages/position_correction.h"

namespace firn {

template <class Exec, int D, class Real>
struct UnifiedIntegrator {
  using Context = StepContext<Exec, D, Real>;
  UnifiedIntegrator(const Scene& scene, Context& c)
      : context(c),
        body_force(scene, c),
        faces(c, settings(scene)),
        material(scene, c, faces),
        inflow(scene, c),
        projection(scene, c, faces, inflow, retry),
        heat(scene, c, faces, material, retry),
        deviatoric(scene, c, faces, material, projection, retry) {
    projection.set_compressibility(material.store().compressibility());
    if (!std::all_of(scene.materials.begin(), scene.materials.end(), never_solid))
      faces.set_elastic_fraction(material.store().elastic_fraction());
  }

  static constexpr bool can_be_captured() { return false; }

  void enqueue() {
    layout.enqueue();
    context.choose_time_step(StepPlan::kFresh);
    context.mark(kClockRebuild);
    body_force.kick_particles();
    prepare();
    const bool solved = projection.enqueue([&](const MacView<Real>& mac) {
      material.compress(mac);
    }) && deviatoric.couple();
    if (solved) projection.release_walls();
    projection.push_bodies(true);
    // Temperatures and volumes move before the particles do, heat first, since its solve may yet
    // reject the step; and before the correction, which leaves another solution in the place of the
    // pressure.
    if (heat.conduct() && solved) {
      retry.succeed();
      inflow.count_work();
    }
    material.give_volume();
    pressure.enqueue();
    correction.enqueue();
    faces.complete();
    faces.extrapolate_strained();
    projection.settle_bodies();
    context.bodies.accumulate(context.max_blocks(), context.step());
    context.mark(kClockGrid);
    faces.gather();
    deviatoric.deform();
    context.mark(kClockG2P);
  }

  // Up to what the projection starts from: velocities after body forces and explicit stress, cells
  // of material.
  void prepare() {
    faces.scatter();
    context.mark(kClockP2G);
    faces.classify();
    faces.measure();
    cells.enqueue();
    faces.transpose_extrapolation();
    material.sum_volume();
    projection.stress_bodies();
    faces.accelerate();
    heat.scatter();
    faces.fill_gaps();
  }

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(body_force), f(sums), f(faces), f(cells), f(material), f(retry), f(inflow),
        f(projection), f(heat), f(pressure), f(deviatoric), f(correction), f(energies);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  BodyForceStage<Exec, D, Real> body_force;
  ParticleSums<Exec, D, Real> sums{context};
  FaceTransfer<Exec, D, Real> faces;
  LiquidCells<Exec, D, Real> cells{context, faces};
  MaterialCells<Exec, D, Real> material;
  Retry<Exec, D, Real> retry{context};
  Inflow<Exec, D, Real> inflow;
  Projection<Exec, D, Real> projection;
  HeatStage<Exec, D, Real> heat;
  DeviatoricStage<Exec, D, Real> deviatoric;
  ParticlePressureStage<Exec, D, Real> pressure{context, faces};
  PositionCorrection<Exec, D, Real> correction{context, faces, projection};
  MaterialEnergyStage<Exec, D, Real> energies{context, material, deviatoric};

 private:
  // Faces have the mass that the stress moves where it does; see MacView.
  static MacSettings<Real> settings(const Scene& scene) {
    const bool cell = scene.thermal.face_density == FaceDensity::kCell;
    return {false, cell, cell ? Real(0) : static_cast<Real>(common_specific_volume(scene)),
            has_boundary_type(scene, BoundaryType::kSticky)};
  }
};

}  // namespace firn
