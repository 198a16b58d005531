// firn::Error as the exceptions of firn/errors.py.
#include "python/errors.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "python/bindings.h"

namespace firn::python {
namespace {

// The library's calls and the program's options by their names in Python.
std::string in_python(std::string message) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"advance_steps(1)", "step()"},
      {"--device cpu", "device=\"cpu\""},
      {"--device cuda", "device=\"cuda\""}};
  for (const auto& [there, here] : kNames)
    for (std::size_t at = 0; (at = message.find(there, at)) != std::string::npos; at += here.size())
      message.replace(at, there.size(), here);
  return message;
}

// What a kDiverged knows; None for what it does not, and for other categories.
nb::object with_divergence(const nb::object& kind, const Error& error) {
  const Divergence* where = error.divergence();
  const std::string message = in_python(error.what());
  if (where == nullptr) return kind(message);
  const nb::object material = where->material.empty() ? nb::none() : nb::cast(where->material);
  return kind(message, where->step, where->time, where->particle, where->position, material);
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
