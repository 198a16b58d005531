// Expressions of a scene in a backend's memory, one behind the other, and where one has no value.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/step/field_fault.h"
#include "src/scene/expression.h"

namespace firn {

// Fields in the order of kernels, and what a message calls each of them.
struct NamedFields {
  std::vector<std::optional<ScalarField>> fields;
  std::vector<std::string> names;

  void add(const std::optional<ScalarField>& field, std::string name) {
    fields.push_back(field);
    names.push_back(std::move(name));
  }
};

template <class Exec>
class FieldPrograms {
 public:
  FieldPrograms(Exec& exec, NamedFields fields) : names_(std::move(fields.names)), fault_(exec, 1) {
    std::vector<FieldInstruction> code;
    std::vector<std::size_t> begin;
    for (const auto& field : fields.fields) {
      begin.push_back(code.size());
      const auto part = field ? compile_field(*field) : std::vector<FieldInstruction>{};
      code.insert(code.end(), part.begin(), part.end());
    }
    begin.push_back(code.size());
    code_ = Buffer<Exec, FieldInstruction>(exec, std::span<const FieldInstruction>(code));
    std::vector<FieldProgram> programs;
    for (std::size_t f = 0; f < fields.fields.size(); ++f) {
      const auto& field = fields.fields[f];
      programs.push_back({code_.data() + begin[f],
                          static_cast<std::int32_t>(begin[f + 1] - begin[f]), field.has_value(),
                          field ? field->constant : 0});
    }
    programs_ = Buffer<Exec, FieldProgram>(exec, std::span<const FieldProgram>(programs));
    fault_.zero();
  }

  const FieldProgram* data() const { return programs_.data(); }
  FieldFault* fault() { return fault_.data(); }

  // What a step has found that was stopped by kStopField; then forgotten.
  std::optional<FieldFault> take_fault() {
    const FieldFault found = fault_.download().front();
    fault_.zero();
    return found.count > 0 ? std::optional(found) : std::nullopt;
  }
  // `needed`: what the value must be.
  Error error(const FieldFault& found, int dimension, const std::string& needed) const {
    const auto& x = found.at.coordinate;
    return Error(ErrorCategory::kScene,
                 fmt::format("{} is {} at ({}) and t = {} s; it must be {}",
                             names_[static_cast<std::size_t>(found.field)], found.value,
                             dimension == 3 ? fmt::format("{:g}, {:g}, {:g}", x[0], x[1], x[2])
                                            : fmt::format("{:g}, {:g}", x[0], x[1]),
                             x[3], needed));
  }

  std::size_t bytes() const { return code_.bytes() + programs_.bytes() + fault_.bytes(); }

 private:
  std::vector<std::string> names_;
  Buffer<Exec, FieldInstruction> code_;
  Buffer<Exec, FieldProgram> programs_;
  Buffer<Exec, FieldFault> fault_;
};

}  // namespace firn
