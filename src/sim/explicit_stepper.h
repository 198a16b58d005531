// The explicit step (symplectic Euler): rebuild blocks, choose dt, P2G with internal forces, grid
// update, G2P, constitutive update. Instantiated per backend, dimension and precision in
// explicit_stepper_*.cpp.
#pragma once

#include "kernels/materials/constitutive.h"
#include "kernels/transfer/g2p2g.h"
#include "src/sim/particle_stepper.h"

namespace firn {

template <class Exec, int D, class Real>
class ExplicitStepper final : public ParticleStepper<Exec, D, Real> {
 public:
  ExplicitStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer);
  StageLedger stages() override;

 private:
  using Base = ParticleStepper<Exec, D, Real>;
  using Base::colliders_;
  using Base::column_sums_;
  using Base::control_;
  using Base::exec_;
  using Base::fused_;
  using Base::grid_;
  using Base::params_;
  using Base::particles_;

  // Sums over the steps of a frame for diagnostics = "stages".
  enum StageSum {
    kParticlesBefore,
    kAfterP2G,
    kAfterForces,
    kAfterBoundary,
    kParticlesAfter,
    kElasticTrial,
    kElasticAfter,
    kStageSums
  };

  void enqueue_step() override;
  bool capturable() const override { return true; }
  void evaluate_initial_state() override;
  void reserve_for_chunks(std::uint32_t chunks) override;
  void reserve_for_blocks(std::uint32_t blocks) override;
  void clear_frame_sums() override { stage_sums_.zero(); }
  double elastic_energy() override;
  std::size_t own_bytes() const override;
  void save_own(ByteWriter& out, std::uint32_t n_chunks) override;
  void load_own(ByteReader& in, std::uint32_t n_chunks) override;

  void measure_stage(StageSum target);
  void add_elastic(const Buffer<Exec, double>& packs, StageSum target);
  std::vector<double> chunk_energies(std::uint32_t n_chunks) const;
  void load_energies(const std::vector<double>& chunk_energies);
  GridUpdateParams<Real, D> update_params();

  Buffer<Exec, MaterialParams<Real>> materials_;
  Buffer<Exec, double> elastic_, trial_, stage_energies_, stage_sums_, pack_sums_;
};

}  // namespace firn
