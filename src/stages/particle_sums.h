// Sums over all particles: mass, momentum, kinetic energy and the moments they come with, volume.
#pragma once

#include "kernels/particles/totals.h"
#include "src/stages/stage.h"

namespace firn {

template <class Exec, int D, class Real>
class ParticleSums : public Stage<Exec, D, Real> {
 public:
  explicit ParticleSums(StepContext<Exec, D, Real>& context)
      : Stage<Exec, D, Real>(context), sums_(context.exec, kTotalsColumns) {
    // What has its pressure from a projection keeps its volume with its heat: MaterialEnergyStage.
    if (context.params.transfer.shears) return;
    std::vector<MaterialModel> models;
    for (const auto& material : context.params.materials) models.push_back(material.model);
    models_ = Buffer<Exec, MaterialModel>(context.exec, std::span<const MaterialModel>(models));
  }

  // Leaves the sums in data(), kTotalsColumns of them. Nothing once *stop is set; it may be null.
  void measure(const std::uint32_t* stop) {
    const std::uint32_t bound = context_.particles.capacity();
    if (table_.size() < std::size_t{bound} * kTotalsColumns) {
      table_ = {};
      table_ = Buffer<Exec, double>(context_.exec, std::size_t{bound} * kTotalsColumns);
      context_.changed();
    }
    sums_.zero();
    particle_totals<Exec, D, Real>(
        context_.exec, context_.params.transfer, models_.data(), context_.particles.view(),
        static_cast<Real>(1 / context_.params.dx), bound, table_.data(), context_.step());
    add_columns(context_.exec, table_.data(), {&context_.step()->n_chunks, bound}, kTotalsColumns,
                sums_.data(), stop);
  }
  const double* data() const { return sums_.data(); }

  void add_to(Totals& t) {
    measure(nullptr);
    std::vector<double> sums = sums_.download();
    context_.partition->sum(sums);
    t.mass = sums[kTotalMass];
    for (std::size_t a = 0; a < 3; ++a) {
      t.momentum[a] = sums[kTotalMomentum + a];
      t.angular_momentum[a] = sums[kTotalAngular + a];
      t.center_of_mass[a] = t.mass > 0 ? sums[kTotalMoment + a] / t.mass : 0;
      if (a < D) t.potential -= context_.params.gravity[a] * sums[kTotalMoment + a];
    }
    t.kinetic = sums[kTotalKinetic];
    t.volume = sums[kTotalVolume];
  }

  std::size_t bytes() const { return table_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  Buffer<Exec, double> table_, sums_;
  Buffer<Exec, MaterialModel> models_;
};

}  // namespace firn
