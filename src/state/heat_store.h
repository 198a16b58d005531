// What the thermal step keeps beside the incompressible one, in a backend's memory: the materials'
// thermal numbers and fields, and the sums and the heat system of the cells (kernels/heat/).
#pragma once

#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/heat/conduction.h"
#include "kernels/solve/elliptic_system.h"
#include "kernels/stress/volumetric.h"
#include "src/state/heat_fields.h"
#include "src/state/heat_model.h"

namespace firn {

template <class Exec, int D, class Real>
class HeatStore {
 public:
  HeatStore(Exec& exec, const Scene& scene, const HeatModel<Real>& model)
      : exec_(exec),
        materials_(exec, std::span<const ThermalMaterial<Real>>(model.materials())),
        fields_(exec, scene),
        flip_(static_cast<Real>(scene.thermal.temperature_flip)) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t cells = std::size_t{blocks} * BlockTraits<D>::kNodes;
    for (auto* nodes : {&thermal_sums_, &volume_sums_}) renew(exec_, *nodes, 4 * cells);
    for (auto* reals :
         {&compressibility_, &elastic_fraction_, &held_, &change_, &dirichlet_, &mass_, &rhs_})
      renew(exec_, *reals, cells);
    renew(exec_, conductance_, D * cells);
    if (has_sources()) renew(exec_, power_, 4 * cells);
  }

  void clear() {
    thermal_sums_.zero();
    volume_sums_.zero();
    power_.zero();
  }
  HeatView<Real> view(Real* state) {
    HeatView<Real> v;
    v.materials = materials_.data();
    v.state = state;
    v.thermal_sums = reinterpret_cast<Node<Real>*>(thermal_sums_.data());
    v.volume_sums = reinterpret_cast<Node<Real>*>(volume_sums_.data());
    v.elastic_fraction = elastic_fraction_.data();
    v.held = held_.data();
    v.change = change_.data();
    v.conductance = conductance_.data();
    v.dirichlet = dirichlet_.data();
    v.mass = mass_.data();
    v.compressibility = compressibility_.data();
    v.rhs = rhs_.data();
    if (has_sources()) v.power = reinterpret_cast<Node<Real>*>(power_.data());
    v.sources = fields_.sources();
    v.source_count = fields_.source_count();
    v.fields = fields_.view();
    v.flip = flip_;
    return v;
  }
  bool has_sources() const { return fields_.source_count() > 0; }
  Error take_field_fault() { return fields_.take_fault(); }
  const Buffer<Exec, Real>& compressibility() const { return compressibility_; }
  const Buffer<Exec, Real>& elastic_fraction() const { return elastic_fraction_; }

  EllipticSystem<Real> system(const GridView<Real>& grid, DeviceCount blocks) {
    return {grid.keys,    blocks,      conductance_.data(), dirichlet_.data(),
            mass_.data(), rhs_.data(), change_.data(),      grid.periodic};
  }

  // What reserve(blocks) makes bytes() of the cells, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, bool sources) {
    const std::size_t nodes = sources ? 3 : 2;
    const std::size_t reals = BlockTraits<D>::kNodes * (nodes * 4 + 7 + D);
    return blocks * reals * sizeof(Real);
  }

  std::size_t bytes() const {
    std::size_t sum = materials_.bytes() + fields_.bytes();
    for (const auto* b : {&thermal_sums_, &volume_sums_, &compressibility_, &elastic_fraction_,
                          &held_, &change_, &conductance_, &dirichlet_, &mass_, &rhs_, &power_})
      sum += b->bytes();
    return sum;
  }

 private:
  Exec& exec_;
  Buffer<Exec, ThermalMaterial<Real>> materials_;
  HeatFieldStore<Exec, Real> fields_;
  Real flip_;
  Buffer<Exec, Real> thermal_sums_, volume_sums_, compressibility_, elastic_fraction_, held_,
      change_, conductance_, dirichlet_, mass_, rhs_, power_;
};

}  // namespace firn
