// firn::Error as the exceptions of firn/errors.py.
#include "python/errors.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <optional>

#include "python/bindings.h"

namespace firn::python {
namespace {

// What a kDiverged knows; None for what it does not, and for other categories.
nb::object with_divergence(const nb::object& kind, const Error& error) {
  const Divergence* where = error.divergence();
  if (where == nullptr) return kind(error.what());
  const nb::object material = where->material.empty() ? nb::none() : nb::cast(where->material);
  return kind(error.what(), where->step, where->time, where->particle, where->position, material);
}

void raise(const nb::object& instance) { PyErr_SetObject(instance.type().ptr(), instance.ptr()); }

void translate(const std::exception_ptr& thrown, void*) {
  const auto errors = [] { return nb::module_::import_("firn.errors"); };
  try {
    std::rethrow_exception(thrown);
  } catch (const ViewError& error) {
    raise(errors().attr("ViewError")(error.what()));
  } catch (const Error& error) {
    raise(with_divergence(errors().attr("OF_EXIT_CODE")[nb::int_(error.exit_code())], error));
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace firn::python
