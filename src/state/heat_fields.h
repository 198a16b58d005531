// The expressions and numbers of a scene's heat (kernels/heat/fields.h) in a backend's memory,
// and their names for messages.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/heat/fields.h"
#include "src/scene/expression.h"
#include "src/state/collider_store.h"

namespace firn {

// All fields of a scene in the order of kernels, and what a message calls them.
struct NamedFields {
  std::vector<std::optional<ScalarField>> fields;
  std::vector<std::string> names;

  explicit NamedFields(const Scene& scene) {
    constexpr const char* kFaces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    add(scene.thermal.ambient, "thermal.ambient");
    for (std::size_t f = 0; f < 6; ++f)
      add(scene.grid.domain ? scene.grid.domain->temperature[f] : std::nullopt,
          fmt::format("the temperature of grid.domain at {}", kFaces[f]));
    for (const Collider& c : scene.colliders)
      add(c.temperature, fmt::format("the temperature of collider \"{}\"", c.name));
    for (const HeatSource& s : scene.heat_sources)
      add(s.power, fmt::format("the power of heat source \"{}\"", s.name));
  }

 private:
  void add(const std::optional<ScalarField>& field, std::string name) {
    fields.push_back(field);
    names.push_back(std::move(name));
  }
};

template <class Exec, class Real>
class HeatFieldStore {
 public:
  HeatFieldStore(Exec& exec, const Scene& scene)
      : dimension_(scene.simulation.dimension),
        first_power_(kFirstBodyField + static_cast<int>(scene.colliders.size())),
        fault_(exec, 1) {
    NamedFields named(scene);
    names_ = std::move(named.names);
    compile(exec, named.fields);
    std::vector<HeatSourceView<Real>> sources;
    for (const HeatSource& s : scene.heat_sources) {
      regions_.emplace_back(exec, compile_shape(s.shape, dimension_, scene.grid.dx));
      sources.push_back(
          {regions_.back().program(), first_power_ + static_cast<int>(sources.size())});
    }
    sources_ =
        Buffer<Exec, HeatSourceView<Real>>(exec, std::span<const HeatSourceView<Real>>(sources));
    fault_.zero();
  }

  HeatFields view() { return {programs_.data(), fault_.data(), first_power_}; }
  const HeatSourceView<Real>* sources() const { return sources_.data(); }
  int source_count() const { return static_cast<int>(sources_.size()); }

  // What a step has found that was stopped by kStopField; then forgotten.
  Error take_fault() {
    const FieldFault found = fault_.download().front();
    fault_.zero();
    const auto& x = found.at.coordinate;
    const bool power = found.field >= first_power_;
    return Error(ErrorCategory::kScene,
                 fmt::format("{} is {} at ({}) and t = {} s; it must be {}",
                             names_[static_cast<std::size_t>(found.field)], found.value,
                             dimension_ == 3 ? fmt::format("{:g}, {:g}, {:g}", x[0], x[1], x[2])
                                             : fmt::format("{:g}, {:g}", x[0], x[1]),
                             x[3], power ? "a finite number" : "finite and >= 0 (kelvin)"));
  }

  std::size_t bytes() const {
    std::size_t sum = code_.bytes() + programs_.bytes() + sources_.bytes() + fault_.bytes();
    for (const auto& region : regions_) sum += region.bytes();
    return sum;
  }

 private:
  void compile(Exec& exec, const std::vector<std::optional<ScalarField>>& fields) {
    std::vector<FieldInstruction> code;
    std::vector<std::size_t> begin;
    for (const auto& field : fields) {
      begin.push_back(code.size());
      const auto part = field ? compile_field(*field) : std::vector<FieldInstruction>{};
      code.insert(code.end(), part.begin(), part.end());
    }
    begin.push_back(code.size());
    code_ = Buffer<Exec, FieldInstruction>(exec, std::span<const FieldInstruction>(code));
    std::vector<FieldProgram> programs;
    for (std::size_t f = 0; f < fields.size(); ++f)
      programs.push_back({code_.data() + begin[f],
                          static_cast<std::int32_t>(begin[f + 1] - begin[f]), fields[f].has_value(),
                          fields[f] ? fields[f]->constant : 0});
    programs_ = Buffer<Exec, FieldProgram>(exec, std::span<const FieldProgram>(programs));
  }

  int dimension_, first_power_;
  std::vector<std::string> names_;
  Buffer<Exec, FieldInstruction> code_;
  Buffer<Exec, FieldProgram> programs_;
  std::deque<DeviceShape<Exec, Real>> regions_;
  Buffer<Exec, HeatSourceView<Real>> sources_;
  Buffer<Exec, FieldFault> fault_;
};

}  // namespace firn
