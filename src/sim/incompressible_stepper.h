// The incompressible step (Chorin splitting on a MAC grid): rebuild blocks, choose dt, P2G to
// faces, body forces, projection, extrapolation, G2P and tracers [APIC 6]. Instantiated per
// backend, dimension and precision in incompressible_stepper_*.cpp.
#pragma once

#include "kernels/liquid/position_correction.h"
#include "kernels/liquid/separating_walls.h"
#include "kernels/liquid/tracers.h"
#include "kernels/mac/boundaries.h"
#include "kernels/mac/prepare.h"
#include "kernels/mac/project.h"
#include "kernels/transfer/mac.h"
#include "src/sim/elliptic_solver.h"
#include "src/sim/fluid_store.h"
#include "src/sim/particle_stepper.h"
#include "src/sim/tracer_store.h"

namespace firn {

template <class Exec, int D, class Real>
class IncompressibleStepper : public ParticleStepper<Exec, D, Real> {
 public:
  IncompressibleStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer);
  StageLedger stages() override { return {}; }
  PressureStats pressure() override { return pressure_stats_; }
  Snapshot tracers() override { return tracers_.snapshot(); }

 protected:
  using Base = ParticleStepper<Exec, D, Real>;
  using Base::colliders_;
  using Base::control_;
  using Base::exec_;
  using Base::grid_;
  using Base::params_;
  using Base::particles_;

  // Where materials that are more than a liquid come in. First, velocities of faces from what the
  // particles have given them, and which cells are full; the cells that hold particles are known.
  virtual void prepare(const GridView<Real>& grid, const MacView<Real>& mac);
  void find_fluid(const GridView<Real>& grid, const MacView<Real>& mac);
  virtual const Real* elastic_fraction() { return nullptr; }  // see MacView
  // When the matrix of the projection stands, when its solution does, and before and after the
  // transfer back.
  virtual void complete_system(const MacView<Real>&) {}
  // Forces that change with the velocities, and the pressure that comes with them, on the faces
  // that the projection has left; fluid_ and solver_ hold its matrix, then as before. False where
  // the step is over.
  virtual bool couple_forces(const GridView<Real>&, const MacView<Real>&) { return true; }
  virtual const Real* compressibility() { return nullptr; }  // see EllipticSystem
  virtual void after_projection(const GridView<Real>&, const MacView<Real>&) {}
  virtual void before_gather(const MacView<Real>&) {}
  virtual void after_gather() {}

  void poll_own(StepControl& c) override;
  void reserve_for_blocks(std::uint32_t blocks) override;
  std::size_t own_bytes() const override {
    return fluid_.bytes() + solver_.bytes() + tracers_.bytes();
  }
  GridUpdateParams<Real, D> update_params();
  int extrapolated_layers() const;
  // Ends the step, which runs again with a shorter dt.
  void reject_step(const SolveReport& report);
  template <class Solve>
  SolveReport timed(double& seconds, Solve&& solve);
  static void count_solve(const SolveReport& report, SolverStats& stats);
  void clear_frame_sums() override { pressure_stats_ = {}; }

  FluidStore<Exec, D, Real> fluid_;
  EllipticSolver<Exec, D, Real> solver_;
  PressureStats pressure_stats_;
  bool ghost_fluid_;
  Real specific_volume_;
  bool whole_cells_ = false;

 private:
  void enqueue_step() override;
  void save_own(ByteWriter& out, std::uint32_t) override { tracers_.save(out); }
  void load_own(ByteReader& in, std::uint32_t) override { tracers_.load(in); }

  void project(const GridView<Real>& grid, const MacView<Real>& mac);
  bool solve_pressure(const GridView<Real>& grid, const MacView<Real>& mac, int wall_passes);
  void correct_density(const GridView<Real>& grid, const MacView<Real>& mac);
  bool walls_switch(const GridView<Real>& grid, const MacView<Real>& mac);
  void count_projection(const SolveReport& report);
  void refuse_squeezed(double rate);

  static constexpr int kMaxRetries = 4;
  // Share of its volume that a sealed region may hold too much. Cut cells and rounding make a few
  // percent.
  static constexpr double kLargestSqueeze = 0.1;
  // Solves after the first one of a step: one with the walls opened that were under tension, one
  // with those closed again that it showed to be wrong. What is still wrong then is a few faces.
  static constexpr int kMaxWallPasses = 2;
  // Positions need not be exact: what is left is corrected in the next step.
  static constexpr double kDriftTolerance = 1e-2;

  SolveOptions options_;
  bool separating_;
  bool walls_opened_ = false;  // in this step
  Buffer<Exec, std::uint32_t> changed_;
  TracerStore<Exec, D, Real> tracers_;
  SolveReport rejected_;
  int retries_ = 0;
};

}  // namespace firn
