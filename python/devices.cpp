// What there is to run on, and what a scene would take.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "firn/simulation.h"
#include "firn/warnings.h"
#include "python/bindings.h"
#include "python/names.h"
#include "python/records.h"

namespace firn::python {

void bind_devices(nb::module_& m) {
  Record<SceneEstimate>(m, "SceneEstimate", "What a simulation of a scene would take.")
      .def_ro("particles", &SceneEstimate::particles)
      .def_ro("blocks", &SceneEstimate::blocks)
      .def_ro("tracers", &SceneEstimate::tracers)
      .def_ro("particle_bytes", &SceneEstimate::particle_bytes)
      .def_ro("grid_bytes", &SceneEstimate::grid_bytes)
      .def_ro("scratch_bytes", &SceneEstimate::scratch_bytes)
      .def_ro("state_bytes", &SceneEstimate::state_bytes, "Of a saved state.")
      .def_ro("dt_limit", &SceneEstimate::dt_limit, "Of the first step, s.")
      .def_prop_ro("limited_by", named(&SceneEstimate::limited_by))
      .def_ro("limiting_material", &SceneEstimate::limiting_material)
      .def_ro("particles_per_body", &SceneEstimate::particles_per_body)
      .def_ro("bounds_min", &SceneEstimate::bounds_min, "m.")
      .def_ro("bounds_max", &SceneEstimate::bounds_max, "m.")
      .def_ro("exact", &SceneEstimate::exact);
  m.def(
      "estimate",
      [](const Scene& scene, bool quick) {
        const nb::gil_scoped_release unlocked;
        return estimate(scene, quick ? EstimateMode::kQuick : EstimateMode::kExact);
      },
      nb::arg("scene"), nb::arg("quick") = false,
      "Particles, memory and time step of a scene, without a device. `quick` takes a second "
      "whatever the number of particles, and knows them to some per cent.");
  m.def(
      "scene_warnings",
      [](const Scene& scene) {
        const nb::gil_scoped_release unlocked;
        return scene_warnings(scene);
      },
      nb::arg("scene"), "What it says that is allowed and seldom meant, a sentence for each.");
  m.def("cuda_devices", &cuda_devices, "Names of the usable CUDA devices.");
  m.def("why_no_cuda_device", &why_no_cuda_device,
        "Why there is none and how to mend that; empty if there is one.");
  m.def("built_with_cuda", &built_with_cuda);
}

}  // namespace firn::python
