// The parts of the extension module firn._firn, each in a file of its own. They know Firn's public
// interface alone.
#pragma once

#include <nanobind/nanobind.h>

namespace firn::python {

namespace nb = nanobind;

void bind_errors();
void bind_scene_settings(nb::module_& m);
void bind_scene(nb::module_& m);
void bind_stats(nb::module_& m);
void bind_solves(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_callbacks(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_sensors(nb::module_& m);
void bind_pictures(nb::module_& m);
void bind_devices(nb::module_& m);

}  // namespace firn::python
