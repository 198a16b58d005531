// Elastic energies of the particles, and with diagnostics = "stages" what each part of the steps of
// a frame does to kinetic energy, and flow to elastic energy.
#pragma once

#include "kernels/materials/constitutive.h"
#include "kernels/materials/material.h"
#include "src/stages/particle_sums.h"

namespace firn {

template <class Exec, int D, class Real>
class EnergyStage : public Stage<Exec, D, Real> {
 public:
  EnergyStage(StepContext<Exec, D, Real>& context, ParticleSums<Exec, D, Real>& particles)
      : Stage<Exec, D, Real>(context),
        particles_(particles),
        frame_sums_(context.exec, kStageSums),
        pack_sums_(context.exec, static_cast<std::size_t>(packs_per_chunk<Exec, Real>())) {
    frame_sums_.zero();
  }

  // Where the constitutive update leaves the energies of packs.
  EnergyView view() {
    return {totals() ? elastic_.data() : nullptr, stages() ? trial_.data() : nullptr};
  }
  // Where the grid update leaves those of blocks; null unless they are wanted.
  double* of_blocks() { return stages() ? of_blocks_.data() : nullptr; }

  // Around the parts of a step.
  void before_transfer() { measure(kParticlesBefore); }
  void after_grid() {
    if (!stages()) return;
    context_.partition->count_once({of_blocks_.data(), kStageColumns});
    add_columns(context_.exec, of_blocks_.data(),
                {&context_.step()->n_blocks, context_.max_blocks()}, kStageColumns,
                frame_sums_.data() + kAfterP2G, &context_.step()->stop);
  }
  void after_transfer() {
    measure(kParticlesAfter);
    if (!stages()) return;
    add_packs(trial_, kElasticTrial);
    add_packs(elastic_, kElasticAfter);
  }

  void reserve_chunks(std::uint32_t chunks) {
    const std::size_t packs = std::size_t{chunks} * packs_per_chunk<Exec, Real>();
    if (!totals() || elastic_.size() >= packs) return;
    // Particles that are added between two steps leave the energy of the others as it is.
    if (elastic_.empty())
      renew(context_.exec, elastic_, packs);
    else
      elastic_.resize(packs);
    if (stages()) trial_ = Buffer<Exec, double>(context_.exec, packs);
  }
  void reserve_blocks(std::uint32_t blocks) {
    if (stages())
      of_blocks_ = Buffer<Exec, double>(context_.exec, std::size_t{blocks} * kStageColumns);
  }
  void begin_frame() { frame_sums_.zero(); }
  // As the next step would find it, to rounding, if nothing moved until then.
  void particles_changed(ChunkSpan chunks) {
    if (!totals() || chunks.count == 0) return;
    const auto packs = static_cast<std::size_t>(packs_per_chunk<Exec, Real>());
    std::vector<double> energies(chunks.count * packs, 0.0);
    const std::vector<double> sums = measured(chunks);
    for (std::size_t c = 0; c < sums.size(); ++c) energies[c * packs] = sums[c];
    elastic_.upload(energies, chunks.first * packs);
  }

  void report(FrameStats& stats) {
    if (!stages()) return;
    std::vector<double> s = frame_sums_.download();
    context_.partition->sum(s);
    stats.stages = {s[kAfterP2G] - s[kParticlesBefore], s[kAfterForces] - s[kAfterP2G],
                    s[kAfterBoundary] - s[kAfterForces], s[kParticlesAfter] - s[kAfterBoundary],
                    s[kElasticAfter] - s[kElasticTrial]};
  }
  void add_to(Totals& t) {
    if (!totals()) return;
    pack_sums_.zero();
    add_columns(context_.exec, elastic_.data(),
                {&context_.step()->n_chunks, context_.particles.capacity()},
                packs_per_chunk<Exec, Real>(), pack_sums_.data(), nullptr);
    std::vector<double> sums = pack_sums_.download();
    context_.partition->sum(sums);
    for (double e : sums) t.elastic += e;
  }

  std::size_t bytes() const { return elastic_.bytes() + trial_.bytes() + of_blocks_.bytes(); }

  // Energies are saved chunk by chunk, since the width of a pack is the machine's.
  void save(ByteWriter& out, std::uint32_t chunks) {
    out.values(std::span<const double>(of_chunks(chunks)));
    out.values(std::span<const double>(frame_sums_.download()));
  }
  void load(ByteReader& in, std::uint32_t chunks) {
    const auto energies = in.values<double>();
    refuse_unless(energies.size() == (totals() ? chunks : 0), "level of diagnostics");
    set_of_chunks(energies);
    const auto sums = in.values<double>();
    refuse_unless(sums.size() == kStageSums, "level of diagnostics");
    frame_sums_.upload(sums);
  }

 private:
  using Stage<Exec, D, Real>::context_;

  // Over the steps of a frame. The three of the grid follow each other as kStageColumns do.
  enum FrameSum {
    kParticlesBefore,
    kAfterP2G,
    kAfterForces,
    kAfterBoundary,
    kParticlesAfter,
    kElasticTrial,
    kElasticAfter,
    kStageSums
  };

  bool totals() const { return context_.params.totals; }
  bool stages() const { return context_.params.stages; }

  // Adds the particles' kinetic energy.
  void measure(FrameSum target) {
    if (!stages()) return;
    const std::uint32_t* stop = &context_.step()->stop;
    particles_.measure(stop);
    add_columns(context_.exec, particles_.data() + kTotalKinetic, {nullptr, 1}, 1,
                frame_sums_.data() + target, stop);
  }
  // Adds the energies of the current layout's packs.
  void add_packs(const Buffer<Exec, double>& packs, FrameSum target) {
    StepControl* c = context_.step();
    const int columns = packs_per_chunk<Exec, Real>();
    pack_sums_.zero();
    add_columns(context_.exec, packs.data(), {&c->n_chunks, context_.particles.capacity()}, columns,
                pack_sums_.data(), &c->stop);
    add_columns(context_.exec, pack_sums_.data(), {nullptr, static_cast<std::uint32_t>(columns)}, 1,
                frame_sums_.data() + target, &c->stop);
  }
  // The energy of chunks from the state of their particles.
  std::vector<double> measured(ChunkSpan chunks) const {
    const auto& particles = context_.particles;
    const ChunkSpan at{context_.read().first_chunk + chunks.first, chunks.count};
    const auto table = particles.chunks(at);
    const auto displacement = particles.download(kDisplacement, at),
               history = particles.download(kHistory, at), volume = particles.download(kVolume, at);
    std::vector<double> sums(chunks.count, 0.0);
    for (std::uint32_t slot = 0; slot < volume.size(); ++slot) {
      const Chunk& chunk = table[slot / kLanes];
      if (slot % kLanes >= chunk.count) continue;
      MaterialState<Real, D> state;
      state.F = Mat<Real, D>::identity();
      for (int k = 0; k < D * D && !displacement.empty(); ++k)
        state.F(k / D, k % D) += channel_at(displacement.data(), slot, D * D, k);
      const MaterialParams<Real>& material = context_.params.materials[chunk.material];
      start_history<Real, D>(material.model, state.history);
      for (int k = 0; k < material.history; ++k)
        state.history[k] = channel_at(history.data(), slot, particles.components(kHistory), k);
      sums[slot / kLanes] += static_cast<double>(volume[slot] * elastic_energy(material, state));
    }
    return sums;
  }
  std::vector<double> of_chunks(std::uint32_t chunks) const {
    if (!totals()) return {};
    const auto packs = static_cast<std::size_t>(packs_per_chunk<Exec, Real>());
    const std::vector<double> energies = elastic_.download(chunks * packs);
    std::vector<double> sums(chunks, 0.0);
    for (std::size_t i = 0; i < energies.size(); ++i) sums[i / packs] += energies[i];
    return sums;
  }
  void set_of_chunks(const std::vector<double>& of_chunks) {
    const auto packs = static_cast<std::size_t>(packs_per_chunk<Exec, Real>());
    std::vector<double> energies(of_chunks.size() * packs, 0.0);
    for (std::size_t chunk = 0; chunk < of_chunks.size(); ++chunk)
      energies[chunk * packs] = of_chunks[chunk];
    elastic_.upload(energies);
  }

  ParticleSums<Exec, D, Real>& particles_;
  Buffer<Exec, double> elastic_, trial_, of_blocks_, frame_sums_, pack_sums_;
};

}  // namespace firn
