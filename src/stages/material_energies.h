// Heat, elastic energy and volume of the particles, summed on the device when somebody asks for
// totals.
#pragma once

#include "kernels/stress/energy.h"
#include "src/stages/deviatoric.h"

namespace firn {

template <class Exec, int D, class Real>
class MaterialEnergyStage : public Stage<Exec, D, Real> {
 public:
  MaterialEnergyStage(StepContext<Exec, D, Real>& context, MaterialCells<Exec, D, Real>& cells,
                      DeviatoricStage<Exec, D, Real>& deviatoric)
      : Stage<Exec, D, Real>(context),
        cells_(cells),
        deviatoric_(deviatoric),
        sums_(context.exec, kMaterialEnergies) {}

  void add_to(Totals& t) {
    const std::uint32_t bound = context_.particles.capacity();
    if (table_.size() < std::size_t{bound} * kMaterialEnergies) {
      table_ = {};
      table_ = Buffer<Exec, double>(context_.exec, std::size_t{bound} * kMaterialEnergies);
    }
    sums_.zero();
    material_energies<Exec, D, Real>(context_.exec, deviatoric_.laws(), context_.particles.view(),
                                     cells_.view(), bound, table_.data(), context_.step());
    add_columns(context_.exec, table_.data(), {&context_.step()->n_chunks, bound},
                kMaterialEnergies, sums_.data(), nullptr);
    double sums[kMaterialEnergies];
    sums_.read(sums);
    if (context_.heat_model.solves()) t.heat = sums[kEnergyHeat];
    t.elastic = sums[kEnergyElastic];
    t.volume = sums[kEnergyVolume];
  }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  MaterialCells<Exec, D, Real>& cells_;
  DeviatoricStage<Exec, D, Real>& deviatoric_;
  Buffer<Exec, double> table_, sums_;
};

}  // namespace firn
