// Which velocity field of the grid (kernels/fields/blocks.h) each material moves with, and how
// fields meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/grid/add_given.h"
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

// The same in a backend's memory, with what the fields give each other.
template <class Exec, class Real>
class VelocityFieldStore {
 public:
  VelocityFieldStore(Exec& exec, const Scene& scene)
      : exec_(exec), fields_(velocity_fields(scene)) {
    materials_ = Buffer<Exec, std::uint8_t>(exec, std::span(fields_.of_material));
    const std::vector<Real> friction(fields_.friction.begin(), fields_.friction.end()),
        fill(fields_.fill.begin(), fields_.fill.end());
    friction_ = Buffer<Exec, Real>(exec, std::span(friction));
    fill_ = Buffer<Exec, Real>(exec, std::span(fill));
    sums_ = Buffer<Exec, double>(exec, columns());
    sums_.zero();
  }

  ContactPairs<Real> contacts() {
    return {fields_.count, friction_.data(), fill_.data(), given_.data()};
  }
  void fill(RebuildView& scratch) { scratch.fields = any() ? materials_.data() : nullptr; }
  void reserve(std::uint32_t blocks) {
    given_ = {};
    given_ = Buffer<Exec, double>(exec_, any() ? std::size_t{blocks} * kReactionColumns : 0);
  }

  // As of colliders (ColliderStore), by field: what they have been given in this step goes into the
  // sums of the frame.
  void accumulate(const GridView<Real>& grid, std::uint32_t max_blocks,
                  const StepControl* control) {
    add_given(exec_, contacts(), grid, sums_.data(), max_blocks, control);
  }
  void clear_sums() { sums_.zero(); }
  std::vector<double> sums() const { return sums_.download(); }
  void set_sums(std::span<const double> values) { sums_.upload(values); }
  std::size_t columns() const {
    return any() ? static_cast<std::size_t>(fields_.count) * kReactionColumns : 0;
  }
  // See VelocityFields; field 0 is that of what touches nothing.
  const std::vector<std::uint8_t>& of_material() const { return fields_.of_material; }

  std::size_t bytes_per_block() const { return any() ? kReactionColumns * sizeof(double) : 0; }
  std::size_t bytes() const {
    return materials_.bytes() + friction_.bytes() + fill_.bytes() + given_.bytes();
  }

 private:
  bool any() const { return fields_.count > 1; }

  Exec& exec_;
  VelocityFields fields_;
  Buffer<Exec, std::uint8_t> materials_;
  Buffer<Exec, Real> friction_, fill_;
  Buffer<Exec, double> given_, sums_;
};

}  // namespace firn
