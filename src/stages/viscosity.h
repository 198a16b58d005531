// The viscosity of incompressible liquids, solved for together with the pressure: Stokes' problem
// of the step's end [Larionov et al. 2017], with the rates of strain at the particles.
#pragma once

#include <span>

#include "src/scene/integrator_traits.h"
#include "src/stages/coupled_forces.h"

namespace firn {

template <class Exec, int D, class Real>
class ViscosityStage : public CoupledForces<Exec, D, Real> {
  using Base = CoupledForces<Exec, D, Real>;

 public:
  ViscosityStage(const Scene& scene, StepContext<Exec, D, Real>& context,
                 FaceTransfer<Exec, D, Real>& faces, Projection<Exec, D, Real>& projection,
                 Retry<Exec, D, Real>& retry)
      : Base(context, faces, projection, retry,
             {scene.fluid.viscosity_tolerance, 0,
              static_cast<std::uint32_t>(kMoreIterations * scene.fluid.max_iterations)},
             kViscositySystem),
        acts_(solves_viscosity(scene)) {
    if (acts_)
      laws_ = Buffer<Exec, MaterialParams<Real>>(
          context.exec, std::span<const MaterialParams<Real>>(context.params.materials));
  }

  // Whether any liquid has one that is felt.
  bool acts() const { return acts_; }

  // From velocities without divergence to such that viscosity has slowed. False if the step is
  // over.
  bool couple() {
    if (!acts_) return true;
    DeviatoricProblem<Real> problem = Base::problem();
    problem.liquid = true;
    measure_viscosity<Exec, D, Real>(context_.exec, laws_.data(), problem);
    return Base::couple(problem);
  }

  void reserve_blocks(std::uint32_t blocks) {
    if (acts_) Base::solver().reserve(blocks);
  }
  void reserve_chunks(std::uint32_t chunks) {
    if (acts_) Base::solver().reserve_particles(chunks, 1);
  }
  void report(FrameStats& stats) { stats.viscosity = Base::stats(); }

 private:
  using Base::context_;
  // Than a solve for the pressure alone: their number grows with the cells that momentum crosses in
  // a step.
  static constexpr int kMoreIterations = 10;
  bool acts_;
  Buffer<Exec, MaterialParams<Real>> laws_;
};

}  // namespace firn
