// The expressions and numbers of a scene's heat (kernels/heat/fields.h) in a backend's memory,
// and their names for messages.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <vector>

#include "kernels/heat/fields.h"
#include "src/state/collider_store.h"
#include "src/state/field_programs.h"

namespace firn {

// All fields of a scene's heat in the order of kernels.
inline NamedFields heat_fields(const Scene& scene) {
  constexpr const char* kFaces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  NamedFields all;
  all.add(scene.thermal.ambient, "thermal.ambient");
  for (std::size_t f = 0; f < 6; ++f)
    all.add(scene.grid.domain ? scene.grid.domain->temperature[f] : std::nullopt,
            fmt::format("the temperature of grid.domain at {}", kFaces[f]));
  for (const Collider& c : scene.colliders)
    all.add(c.temperature, fmt::format("the temperature of collider \"{}\"", c.name));
  for (const HeatSource& s : scene.heat_sources)
    all.add(s.power, fmt::format("the power of heat source \"{}\"", s.name));
  return all;
}

template <class Exec, class Real>
class HeatFieldStore {
 public:
  HeatFieldStore(Exec& exec, const Scene& scene)
      : dimension_(scene.simulation.dimension),
        first_power_(kFirstBodyField + static_cast<int>(scene.colliders.size())),
        programs_(exec, heat_fields(scene)) {
    std::vector<HeatSourceView<Real>> sources;
    for (const HeatSource& s : scene.heat_sources) {
      regions_.emplace_back(exec, compile_shape(s.shape, dimension_, scene.grid.dx));
      sources.push_back(
          {regions_.back().program(), first_power_ + static_cast<int>(sources.size())});
    }
    sources_ =
        Buffer<Exec, HeatSourceView<Real>>(exec, std::span<const HeatSourceView<Real>>(sources));
  }

  HeatFields view() { return {programs_.data(), programs_.fault(), first_power_}; }
  const HeatSourceView<Real>* sources() const { return sources_.data(); }
  int source_count() const { return static_cast<int>(sources_.size()); }

  // Throws what a step has found that was stopped by kStopField.
  void throw_fault() {
    const auto found = programs_.take_fault();
    if (!found) return;
    throw programs_.error(
        *found, dimension_,
        found->field >= first_power_ ? "a finite number" : "finite and >= 0 (kelvin)");
  }

  std::size_t bytes() const {
    std::size_t sum = programs_.bytes() + sources_.bytes();
    for (const auto& region : regions_) sum += region.bytes();
    return sum;
  }

 private:
  int dimension_, first_power_;
  FieldPrograms<Exec> programs_;
  std::deque<DeviceShape<Exec, Real>> regions_;
  Buffer<Exec, HeatSourceView<Real>> sources_;
};

}  // namespace firn
