// The thermo-mechanical step [T 6]: the incompressible step with
// deviatoric stress on the faces, compressible cells in the projection, an implicit heat solve and
// particles that melt and freeze. Instantiated per backend, dimension and precision in
// thermal_stepper_*.cpp.
#pragma once

#include "src/sim/deviatoric_solver.h"
#include "src/sim/heat_store.h"
#include "src/sim/incompressible_stepper.h"

namespace firn {

template <class Exec, int D, class Real>
class ThermalStepper final : public IncompressibleStepper<Exec, D, Real> {
 public:
  ThermalStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer);
  ThermalStats thermal() override { return stats_; }

 private:
  using Base = IncompressibleStepper<Exec, D, Real>;
  using Base::control_;
  using Base::exec_;
  using Base::fluid_;
  using Base::grid_;
  using Base::heat_model_;
  using Base::params_;
  using Base::particles_;
  using Base::solver_;

  void prepare(const GridView<Real>& grid, const MacView<Real>& mac) override;
  const Real* compressibility() override { return heat_.compressibility(); }
  const Real* elastic_fraction() override {
    return has_solids_ ? heat_.elastic_fraction() : nullptr;
  }
  void complete_system(const MacView<Real>& mac) override;
  bool couple_forces(const GridView<Real>& grid, const MacView<Real>& mac) override;
  void after_projection(const GridView<Real>& grid, const MacView<Real>& mac) override;
  void before_gather(const MacView<Real>& mac) override;
  void after_gather() override;
  void evaluate_initial_state() override;
  void reserve_for_blocks(std::uint32_t blocks) override;
  void reserve_for_chunks(std::uint32_t chunks) override;
  void poll_own(StepControl& c) override;
  void clear_frame_sums() override {
    Base::clear_frame_sums();
    stats_ = {};
  }
  std::size_t own_bytes() const override {
    return Base::own_bytes() + heat_.bytes() + heat_solver_.bytes() + deviatoric_solver_.bytes();
  }
  double elastic_energy() override;
  FaceLayers layers() { return heat_.layers(this->extrapolated_layers()); }
  void solve_heat(const GridView<Real>& grid, const MacView<Real>& mac);
  HeatView<Real> heat() { return heat_.view(particles_.heat()); }

  bool has_solids_, implicit_;
  SolveOptions heat_options_, deviatoric_options_;
  Buffer<Exec, MaterialParams<Real>> laws_;
  HeatStore<Exec, D, Real> heat_;
  EllipticSolver<Exec, D, Real> heat_solver_;
  DeviatoricSolver<Exec, D, Real> deviatoric_solver_;
  ThermalStats stats_;
};

}  // namespace firn
