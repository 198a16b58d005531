// The forces of a scene (kernels/particles/force_fields.h) in a backend's memory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "kernels/particles/force_fields.h"
#include "src/state/collider_store.h"
#include "src/state/field_programs.h"

namespace firn {

template <class Exec, int D, class Real>
class ForceStore {
 public:
  ForceStore(Exec& exec, const Scene& scene)
      : programs_(exec, programs_of(scene)), materials_(scene.materials.size()) {
    std::vector<ForceFieldView<Real>> views;
    std::vector<std::uint8_t> acts;
    for (const ForceField& force : scene.forces) {
      const auto first = static_cast<std::int32_t>(2 * D * views.size());
      ForceFieldView<Real> view{{}, first, first + D, force.drag};
      if (force.shape) {
        regions_.emplace_back(exec, compile_shape(*force.shape, D, scene.grid.dx));
        view.region = regions_.back().program();
      }
      views.push_back(view);
      for (int m = 0; m < static_cast<int>(materials_); ++m)
        acts.push_back(force.acts_on(m) ? 1 : 0);
    }
    forces_ =
        Buffer<Exec, ForceFieldView<Real>>(exec, std::span<const ForceFieldView<Real>>(views));
    acts_ = Buffer<Exec, std::uint8_t>(exec, std::span<const std::uint8_t>(acts));
  }

  bool empty() const { return forces_.size() == 0; }
  ForceFields<Real> view(const PeriodicBlocks& periodic, double dx) {
    return {programs_.data(), programs_.fault(),
            forces_.data(),   static_cast<std::int32_t>(forces_.size()),
            acts_.data(),     static_cast<std::int32_t>(materials_),
            periodic,         static_cast<Real>(dx)};
  }
  // Throws what a step has found that was stopped by kStopField.
  void throw_fault() {
    if (const auto found = programs_.take_fault())
      throw programs_.error(*found, D, "a finite number");
  }

  std::size_t bytes() const {
    std::size_t sum = programs_.bytes() + forces_.bytes() + acts_.bytes();
    for (const auto& region : regions_) sum += region.bytes();
    return sum;
  }

 private:
  // Per force d components of an acceleration, then of a velocity.
  static NamedFields programs_of(const Scene& scene) {
    NamedFields all;
    constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};
    for (const ForceField& force : scene.forces)
      for (const auto& [field, what] :
           {std::pair{&force.acceleration, "acceleration"}, std::pair{&force.velocity, "velocity"}})
        for (std::size_t a = 0; a < D; ++a)
          all.add(field->component[a],
                  fmt::format("the {} of force \"{}\" along {}", what, force.name, kAxes[a]));
    return all;
  }

  FieldPrograms<Exec> programs_;
  std::size_t materials_;
  std::deque<DeviceShape<Exec, Real>> regions_;
  Buffer<Exec, ForceFieldView<Real>> forces_;
  Buffer<Exec, std::uint8_t> acts_;
};

}  // namespace firn
