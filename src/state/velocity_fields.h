// Which velocity field of the grid (kernels/fields/blocks.h) each material moves with, and how
// fields meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/grid/meet_materials.h"
#include "kernels/grid/rebuild.h"

namespace firn {

struct VelocityFields {
  int count = 1;
  std::vector<std::uint8_t> of_material;  // empty where there is one
  // See ContactPairs.
  std::vector<double> friction, fill;

  std::uint8_t field_of(std::size_t material) const {
    return of_material.empty() ? std::uint8_t{0} : of_material[material];
  }
};
// A field for each material that touches another, and one for all others.
VelocityFields velocity_fields(const Scene& scene);

// The same in a backend's memory.
template <class Exec, class Real>
class VelocityFieldStore {
 public:
  VelocityFieldStore(Exec& exec, const Scene& scene) {
    const VelocityFields fields = velocity_fields(scene);
    count_ = fields.count;
    of_material_ = Buffer<Exec, std::uint8_t>(exec, std::span(fields.of_material));
    const std::vector<Real> friction(fields.friction.begin(), fields.friction.end()),
        fill(fields.fill.begin(), fields.fill.end());
    friction_ = Buffer<Exec, Real>(exec, std::span(friction));
    fill_ = Buffer<Exec, Real>(exec, std::span(fill));
  }

  ContactPairs<Real> contacts() { return {count_, friction_.data(), fill_.data()}; }
  void fill(RebuildView& scratch) { scratch.fields = count_ > 1 ? of_material_.data() : nullptr; }
  std::size_t bytes() const { return of_material_.bytes() + friction_.bytes() + fill_.bytes(); }

 private:
  int count_ = 1;
  Buffer<Exec, std::uint8_t> of_material_;
  Buffer<Exec, Real> friction_, fill_;
};

}  // namespace firn
