// Pictures as `firn run` draws them.
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>

#include "firn/render.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/session.h"

namespace firn::python {
namespace {

HostArray render(SceneRenderer& renderer, Session& session) {
  Image image =
      session.look([&](const Simulation& simulation) { return renderer.render(simulation); });
  return array_of(std::move(image.rgb), {static_cast<std::size_t>(image.height),
                                         static_cast<std::size_t>(image.width), 3});
}

}  // namespace

void bind_pictures(nb::module_& m) {
  nb::class_<SceneRenderer>(m, "Renderer",
                            "Draws simulations of a scene; its first picture fixes the camera.")
      .def(nb::init<const Scene&>(), nb::arg("scene"))
      .def("render", &render, nb::arg("simulation"), "uint8, shape (height, width, 3), sRGB.");
}

}  // namespace firn::python
