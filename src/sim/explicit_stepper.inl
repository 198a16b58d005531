#pragma once

#include "src/sim/explicit_stepper.h"
#include "src/sim/particle_stepper.inl"

namespace firn {

template <class Exec, int D, class Real>
ExplicitStepper<Exec, D, Real>::ExplicitStepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                                ParticleNamer namer)
    : Base(scene, std::move(exec), std::move(namer), 1),
      materials_(*exec_, std::span<const MaterialParams<Real>>(params_.materials)),
      stage_sums_(*exec_, kStageSums),
      pack_sums_(*exec_, static_cast<std::size_t>(packs_per_chunk<Exec, Real>())) {
  stage_sums_.zero();
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::evaluate_initial_state() {
  ParticleView<Real> at_rest = particles_.view();
  at_rest.gradient = nullptr;
  constitutive_step<Exec, D, Real>(*exec_, materials_.data(), at_rest, {elastic_.data(), nullptr},
                                   particles_.capacity(), control_.data());
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::reserve_for_chunks(std::uint32_t chunks) {
  const std::size_t packs = std::size_t{chunks} * packs_per_chunk<Exec, Real>();
  if (!params_.totals || elastic_.size() >= packs) return;
  elastic_ = {};
  elastic_ = Buffer<Exec, double>(*exec_, packs);
  elastic_.zero();
  if (params_.stages) trial_ = Buffer<Exec, double>(*exec_, packs);
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::reserve_for_blocks(std::uint32_t blocks) {
  if (params_.stages)
    stage_energies_ = Buffer<Exec, double>(*exec_, std::size_t{blocks} * kStageColumns);
}

template <class Exec, int D, class Real>
GridUpdateParams<Real, D> ExplicitStepper<Exec, D, Real>::update_params() {
  GridUpdateParams<Real, D> update = params_.update;
  colliders_.fill(update);
  update.stage_energies = params_.stages ? stage_energies_.data() : nullptr;
  return update;
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::enqueue_step() {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  exec_->mark(-1);
  this->rebuild();
  // A callback wants every particle's velocity, so its steps stay apart.
  const StepPlan plan = fused_ && !this->body_force_ ? StepPlan::kFused : StepPlan::kAhead;
  begin_step(*exec_, this->limits_.data(), plan, c);
  const ParticleView<Real> particles = particles_.view();
  const GridView<Real> grid = grid_.view();
  if (fused_) carry_nodes(*exec_, grid, blocks, c);
  exec_->mark(kClockRebuild);
  if (this->body_force_) this->apply_body_force();
  if (params_.stages) measure_stage(kParticlesBefore);

  if (!fused_) clear_nodes(*exec_, grid.momentum, 1, blocks, c);
  if (!fused_ && params_.transfer.separate_force) clear_nodes(*exec_, grid.impulse, 1, blocks, c);
  p2g<Exec, D, Real>(*exec_, params_.transfer, particles, particles_.late(), grid, c, blocks);
  exec_->mark(kClockP2G);
  grid_update<Exec, D, Real>(*exec_, update_params(), grid, blocks, c);
  colliders_.accumulate(blocks, c);
  if (params_.stages)
    add_columns(*exec_, stage_energies_.data(), {&c->n_blocks, blocks}, kStageColumns,
                stage_sums_.data() + kAfterP2G, &c->stop);
  exec_->mark(kClockGrid);
  EnergyView energies{params_.totals ? elastic_.data() : nullptr,
                      params_.stages ? trial_.data() : nullptr};
  if (fused_) {
    g2p2g<Exec, D, Real>(*exec_, params_.transfer, params_.bounds, update_params(),
                         materials_.data(), energies, particles, grid, c, blocks);
    exec_->mark(kClockFused);
  } else {
    g2p<Exec, D, Real>(*exec_, params_.transfer, params_.bounds, particles, grid, c, blocks);
    guard_particles<Exec, D, Real>(*exec_, update_params(), particles, grid, blocks, c);
    exec_->mark(kClockG2P);
    constitutive_step<Exec, D, Real>(*exec_, materials_.data(), particles, energies,
                                     particles_.capacity(), c);
    exec_->mark(kClockConstitutive);
  }
  if (params_.stages) measure_stage(kParticlesAfter);
  end_step(*exec_, c);
  exec_->mark(kClockOther);
}

// Adds the particles' kinetic energy (and after a step their elastic energies) to the sums of the
// frame.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::measure_stage(StageSum target) {
  StepControl* c = control_.data();
  this->measure_particles(&c->stop);
  add_columns(*exec_, column_sums_.data() + kTotalKinetic, {nullptr, 1}, 1,
              stage_sums_.data() + target, &c->stop);
  if (target != kParticlesAfter) return;
  add_elastic(trial_, kElasticTrial);
  add_elastic(elastic_, kElasticAfter);
}

// Adds the energies of the current layout's packs to a sum of the frame.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::add_elastic(const Buffer<Exec, double>& packs,
                                                 StageSum target) {
  StepControl* c = control_.data();
  const int columns = packs_per_chunk<Exec, Real>();
  pack_sums_.zero();
  add_columns(*exec_, packs.data(), {&c->n_chunks, particles_.capacity()}, columns,
              pack_sums_.data(), &c->stop);
  add_columns(*exec_, pack_sums_.data(), {nullptr, static_cast<std::uint32_t>(columns)}, 1,
              stage_sums_.data() + target, &c->stop);
}

template <class Exec, int D, class Real>
StageLedger ExplicitStepper<Exec, D, Real>::stages() {
  const std::vector<double> s = stage_sums_.download();
  return {s[kAfterP2G] - s[kParticlesBefore], s[kAfterForces] - s[kAfterP2G],
          s[kAfterBoundary] - s[kAfterForces], s[kParticlesAfter] - s[kAfterBoundary],
          s[kElasticAfter] - s[kElasticTrial]};
}

template <class Exec, int D, class Real>
double ExplicitStepper<Exec, D, Real>::elastic_energy() {
  if (!params_.totals) return 0;
  pack_sums_.zero();
  add_columns(*exec_, elastic_.data(), {&control_.data()->n_chunks, particles_.capacity()},
              packs_per_chunk<Exec, Real>(), pack_sums_.data(), nullptr);
  double sum = 0;
  for (double e : pack_sums_.download()) sum += e;
  return sum;
}

template <class Exec, int D, class Real>
std::size_t ExplicitStepper<Exec, D, Real>::own_bytes() const {
  return elastic_.bytes() + trial_.bytes() + stage_energies_.bytes();
}

// The energies of the particles' packs are saved chunk by chunk, since the width of a pack is the
// machine's.
template <class Exec, int D, class Real>
std::vector<double> ExplicitStepper<Exec, D, Real>::chunk_energies(std::uint32_t n_chunks) const {
  if (!params_.totals) return {};
  const auto packs = static_cast<std::size_t>(packs_per_chunk<Exec, Real>());
  const std::vector<double> energies = elastic_.download(n_chunks * packs);
  std::vector<double> sums(n_chunks, 0.0);
  for (std::size_t i = 0; i < energies.size(); ++i) sums[i / packs] += energies[i];
  return sums;
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::save_own(ByteWriter& out, std::uint32_t n_chunks) {
  out.values(std::span<const double>(chunk_energies(n_chunks)));
  out.values(std::span<const double>(stage_sums_.download()));
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::load_own(ByteReader& in, std::uint32_t n_chunks) {
  const auto energies = in.values<double>();
  Base::refuse_unless(energies.size() == (params_.totals ? n_chunks : 0), "level of diagnostics");
  load_energies(energies);
  const auto stages = in.values<double>();
  Base::refuse_unless(stages.size() == kStageSums, "level of diagnostics");
  stage_sums_.upload(stages);
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::load_energies(const std::vector<double>& chunk_energies) {
  const auto packs = static_cast<std::size_t>(packs_per_chunk<Exec, Real>());
  std::vector<double> energies(chunk_energies.size() * packs, 0.0);
  for (std::size_t chunk = 0; chunk < chunk_energies.size(); ++chunk)
    energies[chunk * packs] = chunk_energies[chunk];
  elastic_.upload(energies);
}

}  // namespace firn
