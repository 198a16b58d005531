// What the thermal step keeps beside the incompressible one, in a backend's memory: the materials'
// thermal numbers and fields, and the sums and the heat system of the cells (kernels/heat/).
#pragma once

#include <vector>

#include "kernels/heat/conduction.h"
#include "kernels/solve/elliptic_system.h"
#include "kernels/stress/volumetric.h"
#include "src/state/block_fields.h"
#include "src/state/heat_fields.h"
#include "src/state/heat_model.h"

namespace firn {

template <class Exec, int D, class Real>
class HeatStore {
 public:
  HeatStore(Exec& exec, const Scene& scene, const HeatModel<Real>& model)
      : materials_(exec, std::span<const ThermalMaterial<Real>>(model.materials())),
        fields_(exec, scene),
        cells_(exec, table(fields_.source_count() > 0)),
        flip_(static_cast<Real>(scene.thermal.temperature_flip)),
        to_air_(static_cast<Real>(scene.thermal.heat_transfer_coefficient.value_or(0))) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) { cells_.reserve(blocks); }

  void clear() {
    for (const auto sums : {kThermalSums, kVolumeSums, kPower}) cells_[sums].zero();
  }
  HeatView<Real> view(Real* state) {
    HeatView<Real> v;
    v.materials = materials_.data();
    v.state = state;
    v.thermal_sums = nodes(kThermalSums);
    v.volume_sums = nodes(kVolumeSums);
    v.elastic_fraction = cells_.data(kElasticFraction);
    v.held = cells_.data(kHeld);
    v.change = cells_.data(kChange);
    v.conductance = cells_.data(kConductance);
    v.dirichlet = cells_.data(kDirichlet);
    v.mass = cells_.data(kMass);
    v.compressibility = cells_.data(kCompressibility);
    v.rhs = cells_.data(kRhs);
    v.renewed = cells_.data(kRenewed);
    v.power = nodes(kPower);
    v.sources = fields_.sources();
    v.source_count = fields_.source_count();
    v.fields = fields_.view();
    v.flip = flip_;
    v.to_air = to_air_;
    return v;
  }
  bool has_sources() const { return fields_.source_count() > 0; }
  void throw_field_fault() { fields_.throw_fault(); }
  const Buffer<Exec, Real>& compressibility() const { return cells_[kCompressibility]; }
  const Buffer<Exec, Real>& elastic_fraction() const { return cells_[kElasticFraction]; }

  EllipticSystem<Real> system(const GridView<Real>& grid, DeviceCount blocks) {
    return {grid.keys,
            blocks,
            cells_.data(kConductance),
            cells_.data(kDirichlet),
            cells_.data(kMass),
            cells_.data(kRhs),
            cells_.data(kChange),
            grid.periodic};
  }

  std::size_t bytes() const { return materials_.bytes() + fields_.bytes() + cells_.bytes(); }
  // What reserve(blocks) makes bytes() of the cells, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, bool sources) {
    static_assert(in_order(table(true)));
    return Cells::bytes_for(table(sources), blocks);
  }

 private:
  enum Field {
    kThermalSums,
    kVolumeSums,
    kPower,
    kCompressibility,
    kElasticFraction,
    kHeld,
    kChange,
    kConductance,
    kDirichlet,
    kMass,
    kRhs,
    kRenewed,
    kFields
  };
  static constexpr FieldTable<kFields> table(bool sources) {
    constexpr std::size_t cells = BlockTraits<D>::kNodes, nodes = 4 * cells;
    return {{{kThermalSums, nodes},
             {kVolumeSums, nodes},
             {kPower, sources ? nodes : 0},
             {kCompressibility, cells},
             {kElasticFraction, cells},
             {kHeld, cells},
             {kChange, cells},
             {kConductance, D * cells},
             {kDirichlet, cells},
             {kMass, cells},
             {kRhs, cells},
             {kRenewed, cells}}};
  }
  using Cells = BlockFields<Exec, Real, kFields>;

  Node<Real>* nodes(Field field) { return reinterpret_cast<Node<Real>*>(cells_.data(field)); }

  Buffer<Exec, ThermalMaterial<Real>> materials_;
  HeatFieldStore<Exec, Real> fields_;
  Cells cells_;
  Real flip_, to_air_;
};

}  // namespace firn
